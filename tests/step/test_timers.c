/* step/timers.c and step/due.c: deadlines, order, leaving and canceling. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'log':''},'initial':'a','states':{'a':{'after':{'100':'late'},'entry'"
    ":["
    "{'type':'raise','params':{'event':'x','delay':50,'id':'t'}},{'type':'raise','params':{'"
    "event':'y','delay':50}}],"
    "'on':{'x':{'actions':{'type':'assign','params':{'log':{'cat':[{'var':'context.log'},'x']}}"
    "}},"
    "'y':{'actions':{'type':'assign','params':{'log':{'cat':[{'var':'context.log'},'y']}}}},"
    "'stop':{'actions':{'type':'cancel','params':{'id':'t'}}},'leave':'b'}},'b':{},'late':{}}}";

static void due_timers_fire_by_deadline_then_by_age(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT64(50, wf_snapshot_deadline(&w.snapshot, true));
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION, world_advance(&w, 49));
    for (int i = 0; i < 2; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_advance(&w, 1000));
    world_expect_context(&w, "{'log':'xy'}");
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    world_advance(&w, 1000);
    TEST_ASSERT_TRUE(world_in(&w, "late"));
    TEST_ASSERT_EQUAL_INT64(WFSM_NEVER, wf_snapshot_deadline(&w.snapshot, true));
    world_advance(&w, 10);
    TEST_ASSERT_EQUAL_INT64(1000, w.snapshot.now);
    world_close(&w);
}

static void cancel_removes_the_timers_of_an_id(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_size_t(3, world_timers(&w)->count);
    world_send(&w, "stop");
    TEST_ASSERT_EQUAL_size_t(2, world_timers(&w)->count);
    world_close(&w);
}

static void leaving_a_state_removes_its_own_timers_only(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "leave");
    TEST_ASSERT_EQUAL_size_t(2, world_timers(&w)->count);
    for (size_t i = 0; i < 2; i++)
        TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_timer_at(world_timers(&w), i)->state);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(due_timers_fire_by_deadline_then_by_age);
    RUN_TEST(cancel_removes_the_timers_of_an_id);
    RUN_TEST(leaving_a_state_removes_its_own_timers_only);
    return UNITY_END() != 0;
}
