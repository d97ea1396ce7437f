/* step/budgets.c and step/budget_limits.c: counting, events, refusals, reset. */
#include <unity.h>
#include "world.h"

static const char *const claims = "{'id':'m','context':{'most':2},'budgets':{'tries':{'limit':{"
                                  "'var':'context.most'},'counts':'claims'}},'initial':'a',"
                                  "'states':{'a':{'invoke':{'src':'w','retry':[{'errors':['"
                                  "network'],'maxAttempts':9}],'onError':'c'},"
                                  "'on':{'error.budget.tries':'b','more':{'actions':{'type':'"
                                  "reset','params':{'budgets':'tries'}}}}},'b':{},'c':{}}}";

static void a_claim_counts_and_the_budget_allows_no_further_retry(void)
{
    world w;
    world_open(&w, claims);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT64(2, wf_budget_left(&w.snapshot, 0, 0));
    world_claim(&w, 0);
    TEST_ASSERT_EQUAL_INT64(1, wf_budget_left(&w.snapshot, 0, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_RETRY, world_fail(&w, 0, WF_CLASS_NETWORK, "lost"));
    w.snapshot.now = wf_invocation_at(world_ledger(&w), 0)->due;
    world_claim(&w, 0);
    TEST_ASSERT_EQUAL_INT64(2, wf_budget_used(&w.snapshot, 0, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_fail(&w, 0, WF_CLASS_NETWORK, "lost"));
    TEST_ASSERT_TRUE(world_in(&w, "c"));
    world_close(&w);
}

static void a_limit_is_a_whole_number(void)
{
    world w;
    int32_t outcome = 0;
    world_open(&w, claims);
    const wf_value input = world_value(&w, "{'most':-1}");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w.step, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, wf_step_start(&w.step, &input, &outcome));
    wf_step_rollback(&w.step);
    world_close(&w);
}

static void a_reset_gives_everything_back(void)
{
    world w;
    world_open(&w, claims);
    world_start(&w);
    world_claim(&w, 0);
    world_send(&w, "more");
    TEST_ASSERT_EQUAL_INT64(2, wf_budget_left(&w.snapshot, 0, 0));
    world_close(&w);
}

static const char *const rounds =
    "{'id':'m','budgets':{'rounds':{'limit':1,'counts':{'states':['a']}}},'initial':'a','"
    "states':{'a':{"
    "'on':{'again':{'target':'a','reenter':true},'error.budget.rounds':'b'}},'b':{}}}";

static void an_overdrawn_budget_raises_its_event_once(void)
{
    world w;
    world_open(&w, rounds);
    world_start(&w);
    TEST_ASSERT_FALSE(wf_spent_at(&w.snapshot.extras->budgets, 0)->raised);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "again"));
    TEST_ASSERT_TRUE(world_in(&w, "b"));
    TEST_ASSERT_TRUE(wf_spent_at(&w.snapshot.extras->budgets, 0)->raised);
    TEST_ASSERT_EQUAL_INT64(2, wf_spent_at(&w.snapshot.extras->budgets, 0)->used);
    world_close(&w);
}

static const char *const clock =
    "{'id':'m','budgets':{'clock':{'limit':100,'counts':'time'}},'initial':'a','states':{'a':{"
    "'on':{'error.budget.clock':'b'}},'b':{}}}";

static void a_budget_of_time_is_due_at_its_end(void)
{
    world w;
    int64_t due = 0;
    world_open(&w, clock);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT64(100, wf_snapshot_deadline(&w.snapshot, true));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_budget_over(&w.snapshot, &due));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_advance(&w, 100));
    TEST_ASSERT_TRUE(world_in(&w, "b"));
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION, world_advance(&w, 200));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_budget_over(&w.snapshot, &due));
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_claim_counts_and_the_budget_allows_no_further_retry);
    RUN_TEST(a_limit_is_a_whole_number);
    RUN_TEST(a_reset_gives_everything_back);
    RUN_TEST(an_overdrawn_budget_raises_its_event_once);
    RUN_TEST(a_budget_of_time_is_due_at_its_end);
    return UNITY_END() != 0;
}
