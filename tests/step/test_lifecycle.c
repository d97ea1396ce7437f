/* step/lifecycle.c: the start, and a stop from outside. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'n':1},'initial':'a','states':{'a':{'invoke':{'src':'w'},'after':{'9'"
    ":'a'},'exit':{'type':'act'}}}}";

static void a_start_takes_its_input_as_context(void)
{
    world w;
    int32_t outcome = 0;
    world_open(&w, document);
    const wf_value input = world_value(&w, "{'n':2,'more':3}");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w.step, 7));
    world_finish(&w, wf_step_start(&w.step, &input, &outcome), WFSM_STARTED);
    world_expect_context(&w, "{'n':2,'more':3}");
    TEST_ASSERT_EQUAL_INT32(WFSM_RUNNING, w.snapshot.status);
    TEST_ASSERT_EQUAL_INT64(16, wf_timer_at(world_timers(&w), 0)->due);
    world_close(&w);
}

static void stop(world *w)
{
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w->step, 0));
    world_finish(w, wf_step_stop(&w->step, &outcome), WFSM_ENDED);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, w->snapshot.status);
    TEST_ASSERT_EQUAL_UINT8(WF_IS_STOPPED, w->snapshot.extras->singles.progress);
    TEST_ASSERT_EQUAL_size_t(0, world_timers(w)->count);
    TEST_ASSERT_EQUAL_size_t(0, world_ledger(w)->count);
}

static void a_stop_runs_exit_actions_and_drops_the_rest(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    stop(&w);
    TEST_ASSERT_EQUAL_INT(1, w.actions);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, w.step.failure);
    world_close(&w);
}

static void a_stop_whose_exit_action_fails_ends_without_it(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    w.action_status = WFSM_INVALID;
    stop(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_HOST, w.step.failure);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_start_takes_its_input_as_context);
    RUN_TEST(a_stop_runs_exit_actions_and_drops_the_rest);
    RUN_TEST(a_stop_whose_exit_action_fails_ends_without_it);
    return UNITY_END() != 0;
}
