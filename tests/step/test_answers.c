/* step/answers.c, step/claims.c and step/retries.c: attempts of an invocation. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'got':null},'initial':'a','states':{'a':{'invoke':{'src':'w','"
    "timeoutMs':500,"
    "'output':{'type':'number'},'retry':[{'errors':['network'],'intervalMs':100,'backoffRate':"
    "2,'maxAttempts':3}],"
    "'onDone':{'target':'b','actions':{'type':'assign','params':{'got':{'var':'event.data'}}}},"
    "'onError':{'target':'c','actions':{'type':'assign','params':{'got':{'var':'event.data."
    "class'}}}}}},'b':{},'c':{}}}";

static void a_claim_sets_owner_attempt_and_time_limit(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_claim(&w, 0));
    const wf_invocation *self = wf_invocation_at(world_ledger(&w), 0);
    TEST_ASSERT_EQUAL_UINT8(WF_RUNNING, self->status);
    TEST_ASSERT_EQUAL_UINT32(1, self->attempt);
    TEST_ASSERT_EQUAL_INT64(500, self->due);
    TEST_ASSERT_EQUAL_STRING("me", self->owner.as.text);
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, world_claim(&w, 0));
    world_close(&w);
}

static void a_result_ends_the_invocation(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_result(&w, 0, "7"));
    world_expect_context(&w, "{'got':7}");
    TEST_ASSERT_EQUAL_size_t(0, world_ledger(&w)->count);
    world_close(&w);
}

static void a_result_that_does_not_fit_is_a_failure(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_result(&w, 0, "'seven'"));
    world_expect_context(&w, "{'got':'schema'}");
    world_close(&w);
}

static void a_failure_waits_for_a_retry_until_attempts_are_used_up(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_claim(&w, 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_RETRY, world_fail(&w, 0, WF_CLASS_NETWORK, "lost"));
    TEST_ASSERT_EQUAL_INT64(100, wf_invocation_at(world_ledger(&w), 0)->due);
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, world_claim(&w, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_RETRY, world_fail(&w, 0, WF_CLASS_NETWORK, "lost"));
    TEST_ASSERT_EQUAL_INT64(200, wf_invocation_at(world_ledger(&w), 0)->due);
    TEST_ASSERT_EQUAL_UINT32(2, wf_invocation_at(world_ledger(&w), 0)->retry_count);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_fail(&w, 0, WF_CLASS_NETWORK, "lost"));
    world_expect_context(&w, "{'got':'network'}");
    world_close(&w);
}

static void a_time_limit_is_a_failure(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_claim(&w, 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION, world_advance(&w, 499));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_advance(&w, 500));
    world_expect_context(&w, "{'got':'timeout'}");
    world_close(&w);
}

static void a_lost_attempt_keeps_its_claim_if_it_is_running(void)
{
    world w;
    int32_t outcome = 0;
    world_open(&w, document);
    world_start(&w);
    world_claim(&w, 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w.step, 20));
    world_finish(&w, wf_step_probed(&w.step, 0, true, false, "you", &outcome), WFSM_TAKEN);
    TEST_ASSERT_EQUAL_STRING("you", wf_invocation_at(world_ledger(&w), 0)->owner.as.text);
    TEST_ASSERT_EQUAL_UINT32(1, wf_invocation_at(world_ledger(&w), 0)->attempt);
    TEST_ASSERT_EQUAL_INT64(500, wf_invocation_at(world_ledger(&w), 0)->due);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_claim_sets_owner_attempt_and_time_limit);
    RUN_TEST(a_result_ends_the_invocation);
    RUN_TEST(a_result_that_does_not_fit_is_a_failure);
    RUN_TEST(a_failure_waits_for_a_retry_until_attempts_are_used_up);
    RUN_TEST(a_time_limit_is_a_failure);
    RUN_TEST(a_lost_attempt_keeps_its_claim_if_it_is_running);
    return UNITY_END() != 0;
}
