/* step/migrate*.c: an instance continues under another document. */
#include <unity.h>
#include "world.h"

static const char *const before =
    "{'id':'m','version':'1','context':{'n':1},'initial':'p','states':{'p':{'initial':'a','"
    "states':{'a':{'invoke':{'src':'w'},'after':{'100':'b'}},'b':{}}}}}";

static const char *const after =
    "{'id':'m','version':'2','context':{'n':0,'new':true},'migrate':[{'from':'1','states':{'p':"
    "'q'}}],'initial':'q','states':{'q':{'initial':'a',"
    "'states':{'a':{'invoke':{'src':'w'},'after':{'100':'b'}},'b':{}}}}}";

static const char *const other =
    "{'id':'m','version':'3','migrate':[{'from':'1'}],'initial':'x','states':{'x':{}}}";

static const char *const two =
    "{'id':'m','version':'1','type':'parallel','states':{'r':{'initial':'a','states':{'a':{}}},"
    "'s':{'initial':'b','states':{'b':{}}}}}";

static const char *const one =
    "{'id':'m','version':'2','migrate':[{'from':'1','states':{'r.a':'x','s.b':'y'}}],"
    "'initial':'x','states':{'x':{},'y':{}}}";

static int32_t migrate(world *fresh, const world *old)
{
    int32_t outcome = 0;
    TEST_ASSERT_TRUE(wf_migrate_ready(&fresh->snapshot, &old->snapshot));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&fresh->step, 10));
    int32_t status = wf_step_migrate(&fresh->step, &old->snapshot, &outcome);
    if (status == WFSM_OK)
        world_commit(fresh);
    else
        wf_step_rollback(&fresh->step);
    return status;
}

static void states_context_and_work_go_along(void)
{
    world old, fresh;
    world_open(&old, before);
    world_open(&fresh, after);
    world_start(&old);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, migrate(&fresh, &old));
    TEST_ASSERT_TRUE(world_in(&fresh, "q.a"));
    world_expect_context(&fresh, "{'n':1,'new':true}");
    TEST_ASSERT_EQUAL_UINT64(2, fresh.snapshot.revision);
    TEST_ASSERT_EQUAL_size_t(1, world_ledger(&fresh)->count);
    TEST_ASSERT_EQUAL_UINT64(1, wf_invocation_at(world_ledger(&fresh), 0)->revision);
    TEST_ASSERT_EQUAL_INT64(100, wf_timer_at(world_timers(&fresh), 0)->due);
    TEST_ASSERT_EQUAL_UINT32(world_state(&fresh, "q.a"),
                             wf_timer_at(world_timers(&fresh), 0)->state);
    world_close(&old);
    world_close(&fresh);
}

static void a_state_that_leads_nowhere_is_refused(void)
{
    world old, fresh;
    world_open(&old, before);
    world_open(&fresh, other);
    world_start(&old);
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, migrate(&fresh, &old));
    world_close(&old);
    world_close(&fresh);
}

static void states_that_cannot_be_active_together_are_refused(void)
{
    world old, fresh;
    world_open(&old, two);
    world_open(&fresh, one);
    world_start(&old);
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, migrate(&fresh, &old));
    world_close(&old);
    world_close(&fresh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(states_context_and_work_go_along);
    RUN_TEST(a_state_that_leads_nowhere_is_refused);
    RUN_TEST(states_that_cannot_be_active_together_are_refused);
    return UNITY_END() != 0;
}
