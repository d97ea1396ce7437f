/* step/snapshot.c and step/configuration.c: the state of an instance in memory. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'text':'shared','n':1},'initial':'p','states':{'p':{'type':'parallel'"
    ",'tags':['busy'],'states':{"
    "'r':{'initial':'a','states':{'a':{'on':{'go':'f'}},'f':{'type':'final'}}},'s':{'initial':'"
    "b','states':{'b':{},'g':{'type':'final'}}}}}}}";

static void a_value_of_the_machine_is_not_copied(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    uint32_t slot = wf_names_find(wf_snapshot_keys(&w.snapshot), "text", 4);
    TEST_ASSERT_EQUAL_PTR(w.machine->initial[slot].as.text, w.snapshot.slots[slot].as.text);
    world_close(&w);
}

static void a_new_key_has_a_slot_until_it_is_cut(void)
{
    world w;
    world_open(&w, document);
    uint32_t known = w.snapshot.slot_count;
    TEST_ASSERT_EQUAL_UINT32(known, wf_snapshot_slot(&w.snapshot, "new", 3));
    TEST_ASSERT_EQUAL_UINT32(known, wf_snapshot_slot(&w.snapshot, "new", 3));
    TEST_ASSERT_EQUAL_UINT32(known + 1, w.snapshot.slot_count);
    wf_snapshot_cut(&w.snapshot, known);
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(wf_snapshot_keys(&w.snapshot), "new", 3));
    world_close(&w);
}

static void a_configuration_has_one_child_of_each_compound_state(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_TRUE(wf_is_legal(w.machine, w.snapshot.active, 0));
    wf_set_add(w.snapshot.active, world_state(&w, "p.r.f"));
    TEST_ASSERT_FALSE(wf_is_legal(w.machine, w.snapshot.active, 0));
    wf_set_remove(w.snapshot.active, world_state(&w, "p.r.f"));
    wf_set_remove(w.snapshot.active, world_state(&w, "p.s.b"));
    TEST_ASSERT_FALSE(wf_is_legal(w.machine, w.snapshot.active, 0));
    world_close(&w);
}

static void a_parallel_state_is_complete_with_all_its_regions(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "go");
    TEST_ASSERT_TRUE(wf_snapshot_complete(&w.snapshot, world_state(&w, "p.r")));
    TEST_ASSERT_FALSE(wf_snapshot_complete(&w.snapshot, world_state(&w, "p")));
    TEST_ASSERT_TRUE(wf_snapshot_has_tag(&w.snapshot, 0));
    world_close(&w);
}

static void what_a_child_says_of_its_parent_is_checked(void)
{
    world w;
    world_open(&w, document);
    wf_value good = world_value(&w, "{'invocation':'i/1/1','attempt':1,'depth':1,"
                                    "'descendants':0,'descendants_in_all':9}");
    wf_value deep = world_value(&w, "{'invocation':'i/1/1','attempt':1,'depth':17,"
                                    "'descendants':0,'descendants_in_all':9}");
    wf_value without = world_value(&w, "{'invocation':'i/1/1','attempt':1,'depth':1,"
                                       "'descendants':0,'descendant':9}");
    TEST_ASSERT_TRUE(wf_is_parent(&good));
    TEST_ASSERT_FALSE(wf_is_parent(&deep));
    TEST_ASSERT_FALSE(wf_is_parent(&without));
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_value_of_the_machine_is_not_copied);
    RUN_TEST(a_new_key_has_a_slot_until_it_is_cut);
    RUN_TEST(a_configuration_has_one_child_of_each_compound_state);
    RUN_TEST(a_parallel_state_is_complete_with_all_its_regions);
    RUN_TEST(what_a_child_says_of_its_parent_is_checked);
    return UNITY_END() != 0;
}
