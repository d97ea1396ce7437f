/* step/context.c: the slots of the context, in a snapshot and in a draft. */
#include <unity.h>
#include "world.h"

/* One step assigns `list` three times. An event that was raised in between keeps the value that
 * `list` had then, and so does a line of the log. */
static const char *const again =
    "{'id':'m','context':{'list':[1],'seen':null},'initial':'a','states':{'a':{'on':{"
    "'go':{'actions':[{'type':'raise','params':{'event':'one','data':{'var':'context.list'}}},"
    "{'type':'assign','params':{'list':['two','three']}},"
    "{'type':'log','params':{'value':{'var':'context.list'}}},"
    "{'type':'assign','params':{'list':{'merge':[{'var':'context.list'},['four']]}}},"
    "{'type':'assign','params':{'list':{'merge':[{'var':'context.list'},['five']]}}}]},"
    "'one':{'actions':{'type':'assign','params':{'seen':{'var':'event.data'}}}}}}}}";

static int32_t run_go(world *w)
{
    const wf_value name = wf_string_z("go"), null = wf_null();
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w->step, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_event(&w->step, &name, &null, &null, &outcome));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    return outcome;
}

static void the_log_has_each_slot_once(void)
{
    world w;
    world_open(&w, again);
    world_start(&w);
    run_go(&w);
    TEST_ASSERT_EQUAL_size_t(2, w.step.before.undo_count);
    const wf_undo *undo = &w.step.before.undo[0];
    TEST_ASSERT_EQUAL_STRING("list", wf_snapshot_keys(&w.snapshot)->list[undo->slot].text);
    TEST_ASSERT_EQUAL_UINT32(1, undo->old.length);
    wf_step_rollback(&w.step);
    world_expect_context(&w, "{'list':[1],'seen':null}");
    world_close(&w);
}

static void what_was_read_before_stays(void)
{
    world w;
    world_open(&w, again);
    world_start(&w);
    int32_t outcome = run_go(&w);
    TEST_ASSERT_EQUAL_size_t(1, w.step.log_count);
    TEST_ASSERT_EQUAL_UINT32(2, wf_value_get_z(&w.step.log[0], "value")->length);
    world_finish(&w, WFSM_OK, outcome);
    world_expect_context(&w, "{'list':['two','three','four','five'],'seen':[1]}");
    run_go(&w);
    world_commit(&w);
    world_expect_context(&w, "{'list':['two','three','four','five'],"
                             "'seen':['two','three','four','five']}");
    world_close(&w);
}

static void a_prepared_draft_can_be_taken_back(void)
{
    world w;
    world_open(&w, again);
    world_start(&w);
    run_go(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_prepare(&w.step));
    wf_step_rollback(&w.step);
    world_expect_context(&w, "{'list':[1],'seen':null}");
    world_close(&w);
}

/* Until the draft is prepared, a slot borrows its value. */
static void only_the_last_value_is_copied(void)
{
    world w;
    world_open(
        &w,
        "{'id':'m','context':{'list':[]},'initial':'a','states':{'a':{'on':{"
        "'go':{'actions':{'type':'each','params':{'as':'item','in':{'var':'event.data'},'actions':"
        "{'type':'assign','params':{'list':{'var':'event.data'}}}}}}}}}}");
    world_start(&w);
    const wf_value name = wf_string_z("go"), null = wf_null();
    wf_value items[100];
    int32_t outcome = 0;
    for (size_t i = 0; i < 100; i++)
        items[i] = wf_string_z("an item");
    const wf_value data = wf_array(items, 100);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w.step, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_event(&w.step, &name, &data, &null, &outcome));
    TEST_ASSERT_EQUAL_size_t(2, w.step.before.undo_count);
    const wf_value *list = &w.snapshot.slots[wf_snapshot_slot(&w.snapshot, "list", 4)];
    TEST_ASSERT_EQUAL_PTR(items, list->as.items);
    world_commit(&w);
    TEST_ASSERT_TRUE(items != list->as.items);
    world_close(&w);
}

static void own_keys_that_are_no_longer_set_go(void)
{
    world w;
    world_open(&w, "{'id':'m','context':{'a':0},'initial':'a','states':{'a':{}}}");
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w.step, 0));
    for (uint32_t i = 0; i < 100; i++) {
        char key[3] = {'k', (char)('0' + i / 10), (char)('0' + i % 10)};
        const wf_value value = i % 3 == 0 ? wf_number(i) : wf_absent();
        uint32_t slot = wf_snapshot_slot(&w.snapshot, key, 3);
        TEST_ASSERT_EQUAL_UINT32(i + 1, slot);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_draft_assign(&w.step, slot, &value));
    }
    world_commit(&w);
    TEST_ASSERT_EQUAL_UINT32(1 + 34, w.snapshot.slot_count);
    uint32_t last = wf_names_find(wf_snapshot_keys(&w.snapshot), "k99", 3);
    TEST_ASSERT_EQUAL_UINT32(34, last);
    TEST_ASSERT_EQUAL_INT32(99, (int32_t)wf_snapshot_get(&w.snapshot, last).as.number);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_log_has_each_slot_once);
    RUN_TEST(what_was_read_before_stays);
    RUN_TEST(a_prepared_draft_can_be_taken_back);
    RUN_TEST(own_keys_that_are_no_longer_set_go);
    RUN_TEST(only_the_last_value_is_copied);
    return UNITY_END() != 0;
}
