/* step/microstep.c: exit, transition actions, entry, history, done events, the end. */
#include <unity.h>
#include "world.h"

static const char *const nested =
    "{'id':'m','context':{'log':''},'initial':'p','states':{'p':{'initial':'a',"
    "'exit':{'type':'assign','params':{'log':{'cat':[{'var':'context.log'},'P']}}},"
    "'states':{'a':{'exit':{'type':'assign','params':{'log':{'cat':[{'var':'context.log'},'A']}"
    "}},"
    "'on':{'go':{'target':'#q.b','actions':{'type':'assign','params':{'log':{'cat':[{'var':'"
    "context.log'},'t']}}}}}}}},"
    "'q':{'initial':'b','entry':{'type':'assign','params':{'log':{'cat':[{'var':'context.log'},"
    "'q']}}},"
    "'states':{'b':{'entry':{'type':'assign','params':{'log':{'cat':[{'var':'context.log'},'b']"
    "}}}}}}}}";

static void exit_is_innermost_first_and_entry_outermost_first(void)
{
    world w;
    world_open(&w, nested);
    world_start(&w);
    world_send(&w, "go");
    world_expect_context(&w, "{'log':'APtqb'}");
    world_close(&w);
}

static const char *const past =
    "{'id':'m','initial':'p','states':{'p':{'initial':'a','on':{'pause':'q'},'states':{"
    "'a':{'on':{'next':'b'}},'b':{},'h':{'type':'history','target':'a'}}},'q':{'on':{'resume':'"
    "p.h'}}}}";

static void a_history_holds_what_was_active(void)
{
    world w;
    world_open(&w, past);
    world_start(&w);
    world_send(&w, "next");
    world_send(&w, "pause");
    TEST_ASSERT_TRUE(world_in(&w, "q"));
    world_send(&w, "resume");
    TEST_ASSERT_TRUE(world_in(&w, "p.b"));
    world_close(&w);
}

static const char *const final =
    "{'id':'m','initial':'p','states':{'p':{'initial':'a','states':{'a':{'on':{'go':'f'},"
    "'after':{'100':'a'}},'f':{'type':'final','output':42}},'onDone':'end'},'end':{'type':'"
    "final','output':7}}}";

static void a_final_state_of_the_root_ends_the_instance(void)
{
    world w;
    world_open(&w, final);
    world_start(&w);
    TEST_ASSERT_EQUAL_size_t(1, world_timers(&w)->count);
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, world_send(&w, "go"));
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, w.snapshot.status);
    TEST_ASSERT_TRUE(world_in(&w, "end"));
    TEST_ASSERT_EQUAL_size_t(0, world_timers(&w)->count);
    world_expect_value(&w, "7", &w.snapshot.extras->singles.output);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(exit_is_innermost_first_and_entry_outermost_first);
    RUN_TEST(a_history_holds_what_was_active);
    RUN_TEST(a_final_state_of_the_root_ends_the_instance);
    return UNITY_END() != 0;
}
