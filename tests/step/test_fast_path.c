/* step/fast_path.c: which steps it makes, and which it leaves to wf_step_event(). That both give
 * the same state is tested with random charts in tests/instance/test_fast_path.c. */
#include <string.h>
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'n':0},'initial':'a','states':{'a':{'on':{"
    "'go':{'target':'b','actions':{'type':'assign','params':{'n':{'+':[{'var':'context.n'},1]}}"
    "}},"
    "'wait':'c','many':{'actions':{'type':'assign','params':{'n':1,'o':2,'p':3,'q':4,'r':5}}}}}"
    ","
    "'b':{'on':{'back':'a'}},'c':{'after':{'10':'a'},'on':{'back':'a'}}}}";

static bool fast(world *w, const char *event)
{
    return wf_fast_event(&w->snapshot, wf_names_find(&w->machine->events, event, strlen(event)),
                         0);
}

static void the_commonest_step_is_taken(void)
{
    world w;
    world_open(&w, document);
    TEST_ASSERT_TRUE(wf_fast_start(&w.snapshot, 0));
    TEST_ASSERT_TRUE(fast(&w, "go"));
    TEST_ASSERT_TRUE(world_in(&w, "b"));
    world_expect_context(&w, "{'n':1}");
    TEST_ASSERT_EQUAL_UINT64(2, w.snapshot.revision);
    TEST_ASSERT_TRUE(fast(&w, "back"));
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    world_close(&w);
}

static void timers_and_many_values_are_left_to_the_full_step(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    for (uint32_t i = 0; i < w.snapshot.slot_count; i++)
        if (w.snapshot.slots[i].type == WF_ABSENT)
            w.snapshot.slots[i] = wf_number(0);
    TEST_ASSERT_FALSE(fast(&w, "wait"));
    TEST_ASSERT_FALSE(fast(&w, "many"));
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "wait"));
    TEST_ASSERT_FALSE(fast(&w, "back"));
    world_close(&w);
}

static const char *const regions =
    "{'id':'m','initial':'p','states':{'p':{'type':'parallel','states':{"
    "'r':{'initial':'a','states':{'a':{'on':{'go':'b'}},'b':{}}},"
    "'s':{'initial':'c','states':{'c':{'on':{'go':'d'}},'d':{}}}}}}}";

static void regions_are_left_to_the_full_step(void)
{
    world w;
    world_open(&w, regions);
    world_start(&w);
    TEST_ASSERT_FALSE(fast(&w, "go"));
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_commonest_step_is_taken);
    RUN_TEST(timers_and_many_values_are_left_to_the_full_step);
    RUN_TEST(regions_are_left_to_the_full_step);
    return UNITY_END() != 0;
}
