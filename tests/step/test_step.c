/* step/step.c: one input, and the macrostep. */
#include <unity.h>
#include "world.h"

static const char *const order =
    "{'id':'m','context':{'n':0},'initial':'a','states':{"
    "'a':{'on':{'go':{'target':'b','actions':[{'type':'raise','params':{'event':'x'}},"
    "{'type':'raise','params':{'event':'y'}}]}}},"
    "'b':{'always':'c','on':{'x':'wrong'}},"
    "'c':{'on':{'x':'d'}},'d':{'on':{'y':'e'}},'e':{},'wrong':{}}}";

static void eventless_transitions_go_before_queued_events(void)
{
    world w;
    world_open(&w, order);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "go"));
    TEST_ASSERT_TRUE(world_in(&w, "e"));
    TEST_ASSERT_EQUAL_size_t(4, w.step.taken_count);
    TEST_ASSERT_EQUAL_size_t(0, w.step.queue_count);
    world_close(&w);
}

static void an_event_that_selects_nothing_changes_nothing(void)
{
    world w;
    world_open(&w, order);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION, world_send(&w, "other"));
    TEST_ASSERT_EQUAL_UINT64(1, w.snapshot.revision);
    world_close(&w);
}

static const char *const loop =
    "{'id':'m','context':{'n':0},'limits':{'selections':20},'initial':'a','states':{'a':{'on':{"
    "'go':"
    "{'target':'b','actions':{'type':'assign','params':{'n':1}}}}},'b':{'always':'c'},"
    "'c':{'always':{'target':'b','guard':{'==':[1,1]}}}}}";

static void an_endless_loop_fails_and_is_taken_back(void)
{
    world w;
    world_open(&w, loop);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_FAILED, world_send(&w, "go"));
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, w.step.failure);
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    world_expect_context(&w, "{'n':0}");
    TEST_ASSERT_EQUAL_UINT64(2, w.snapshot.revision);
    world_close(&w);
}

static const char *const host = "{'id':'m','context':{'n':0},'initial':'a','states':{'a':{'on':"
                                "{'go':{'target':'b','actions':"
                                "[{'type':'assign','params':{'n':1}},{'type':'act'}]},'error."
                                "execution':'c'}},'b':{},'c':{}}}";

static void a_host_function_that_fails_makes_the_step_of_the_error(void)
{
    world w;
    world_open(&w, host);
    world_start(&w);
    w.action_status = WFSM_INVALID;
    TEST_ASSERT_EQUAL_INT32(WFSM_FAILED, world_send(&w, "go"));
    TEST_ASSERT_EQUAL_INT32(WFSM_HOST, w.step.failure);
    TEST_ASSERT_EQUAL_STRING("the host is tired", w.step.message);
    TEST_ASSERT_TRUE(world_in(&w, "c"));
    world_expect_context(&w, "{'n':0}");
    TEST_ASSERT_EQUAL_INT(1, w.actions);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(eventless_transitions_go_before_queued_events);
    RUN_TEST(an_event_that_selects_nothing_changes_nothing);
    RUN_TEST(an_endless_loop_fails_and_is_taken_back);
    RUN_TEST(a_host_function_that_fails_makes_the_step_of_the_error);
    return UNITY_END() != 0;
}
