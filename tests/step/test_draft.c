/* step/draft.c: a draft is kept whole or taken back whole. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'text':'before','n':1},'initial':'a','states':{'a':{'invoke':{'src':'"
    "w'},'after':{'100':'b'},"
    "'on':{'go':{'target':'b','actions':[{'type':'assign','params':{'text':'after','n':2,'new':"
    "[1]}},{'type':'emit','params':{'event':'e'}}]}}},'b':{}}}";

static int32_t run_go(world *w)
{
    const wf_value name = wf_string_z("go"), null = wf_null();
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w->step, 50));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_event(&w->step, &name, &null, &null, &outcome));
    TEST_ASSERT_TRUE(world_in(w, "b"));
    TEST_ASSERT_EQUAL_size_t(0, world_ledger(w)->count);
    TEST_ASSERT_EQUAL_size_t(1, w->snapshot.extras->outbox.count);
    return outcome;
}

static void expect_before(world *w)
{
    TEST_ASSERT_TRUE(world_in(w, "a"));
    world_expect_context(w, "{'text':'before','n':1}");
    TEST_ASSERT_EQUAL_UINT32(w->machine->keys.count, w->snapshot.slot_count);
    TEST_ASSERT_EQUAL_size_t(1, world_ledger(w)->count);
    TEST_ASSERT_EQUAL_size_t(1, world_timers(w)->count);
    TEST_ASSERT_EQUAL_size_t(0, w->snapshot.extras->outbox.count);
    TEST_ASSERT_EQUAL_UINT64(1, w->snapshot.revision);
}

static void a_rollback_takes_everything_back(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, run_go(&w));
    wf_step_rollback(&w.step);
    expect_before(&w);
    TEST_ASSERT_EQUAL_INT64(0, w.snapshot.now);
    TEST_ASSERT_FALSE(w.step.open);
    world_close(&w);
}

static void a_reset_takes_back_all_but_the_clock(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    run_go(&w);
    wf_step_reset(&w.step);
    expect_before(&w);
    TEST_ASSERT_EQUAL_INT64(50, w.snapshot.now);
    TEST_ASSERT_TRUE(w.step.open);
    TEST_ASSERT_EQUAL_size_t(0, w.step.taken_count);
    world_close(&w);
}

static void a_commit_keeps_everything(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_finish(&w, WFSM_OK, run_go(&w));
    world_expect_context(&w, "{'text':'after','n':2,'new':[1]}");
    TEST_ASSERT_EQUAL_UINT64(2, w.snapshot.revision);
    TEST_ASSERT_EQUAL_INT64(50, w.snapshot.now);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_rollback_takes_everything_back);
    RUN_TEST(a_reset_takes_back_all_but_the_clock);
    RUN_TEST(a_commit_keeps_everything);
    return UNITY_END() != 0;
}
