/* step/restore.c: back to a checkpoint, and a fork. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'n':1},'initial':'a','states':{'a':{'invoke':{"
    "'src':'w'},'after':{'100':'c'},'on':{'go':"
    "{'target':'b','actions':{'type':'assign','params':{'n':2,'new':3}}}}},'b':{'invoke':{'src'"
    ":'w'}},'c':{}}}";

/* A second world in the state that a checkpoint holds. */
static void restoring_gives_states_context_and_work_back(void)
{
    world w, past;
    int32_t outcome = 0;
    world_open(&w, document);
    world_open(&past, document);
    world_start(&w);
    world_start(&past);
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION, world_advance(&past, 30));
    past.snapshot.now = 30;
    world_send(&w, "go");
    w.snapshot.now = 1000;
    TEST_ASSERT_TRUE(wf_step_may_restore(&w.snapshot));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w.step, 1000));
    world_finish(&w, wf_step_restore(&w.step, &past.snapshot, &outcome), WFSM_TAKEN);
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    world_expect_context(&w, "{'n':1}");
    TEST_ASSERT_EQUAL_size_t(1, world_ledger(&w)->count);
    TEST_ASSERT_EQUAL_UINT64(3, wf_invocation_at(world_ledger(&w), 0)->revision);
    TEST_ASSERT_EQUAL_INT64(1070, wf_timer_at(world_timers(&w), 0)->due);
    world_close(&w);
    world_close(&past);
}

static void a_fork_of_the_present_keeps_deadlines(void)
{
    world w, fork;
    int32_t outcome = 0;
    world_open(&w, document);
    world_open(&fork, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&fork.step, 40));
    world_finish(&fork, wf_step_fork(&fork.step, &w.snapshot, true, &outcome), WFSM_STARTED);
    TEST_ASSERT_TRUE(world_in(&fork, "a"));
    TEST_ASSERT_EQUAL_INT64(100, wf_timer_at(world_timers(&fork), 0)->due);
    world_close(&w);
    world_close(&fork);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(restoring_gives_states_context_and_work_back);
    RUN_TEST(a_fork_of_the_present_keeps_deadlines);
    return UNITY_END() != 0;
}
