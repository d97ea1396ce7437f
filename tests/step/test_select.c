/* step/select.c: which transitions an event enables. */
#include <unity.h>
#include "world.h"

static const char *const specific = "{'id':'m','initial':'p','states':{'p':{'initial':'c','on':"
                                    "{'x':'far','*':'other'},'states':{"
                                    "'c':{'on':{'x':{'target':'d','guard':{'==':[{'var':'event."
                                    "data'},1]}},'job.*':'d','job.done':{}}},"
                                    "'d':{}}},'far':{},'other':{}}}";

static void the_exact_name_goes_before_a_prefix(void)
{
    world w;
    world_open(&w, specific);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "job.done"));
    TEST_ASSERT_TRUE(world_in(&w, "p.c"));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "job.other"));
    TEST_ASSERT_TRUE(world_in(&w, "p.d"));
    world_close(&w);
}

static void a_false_guard_falls_through_to_the_parent(void)
{
    world w;
    world_open(&w, specific);
    world_start(&w);
    world_send_data(&w, "x", "2");
    TEST_ASSERT_TRUE(world_in(&w, "far"));
    TEST_ASSERT_NOT_NULL(w.step.blocked);
    world_close(&w);
}

static void a_prefix_matches_whole_tokens(void)
{
    world w;
    world_open(&w, specific);
    world_start(&w);
    world_send(&w, "jobs");
    TEST_ASSERT_TRUE(world_in(&w, "other"));
    world_close(&w);
}

static const char *const regions =
    "{'id':'m','type':'parallel','states':{"
    "'r':{'initial':'a','states':{'a':{'on':{'go':'b','out':'#s.d'}},'b':{}}},"
    "'s':{'initial':'c','states':{'c':{'on':{'out':'d'}},'d':{}}}}}";

static unsigned told, answers[2];

static void selected(void *user, const wf_event *event)
{
    (void)user, (void)event;
}

static void preempted(void *user, uint32_t first, uint32_t second)
{
    const world *w = user;
    told++;
    TEST_ASSERT_LESS_THAN_UINT32(w->machine->transitions[second].source,
                                 w->machine->transitions[first].source);
}

static void asked(void *user, const wf_guard *guard, bool yes)
{
    (void)user, (void)guard;
    answers[yes]++;
}

static uint32_t read_count;

static void reads(void *user, const wf_expr *expr)
{
    (void)user, (void)expr;
    read_count++;
}

/* Each answer once: of the guards up to the first that says yes, or that cannot be evaluated. */
static void the_answers_of_guards_are_told(void)
{
    world w;
    world_open(&w, "{'id':'m','initial':'a','states':{'a':{'on':{'go':["
                   "{'guard':{'===':[1,2]}},{'guard':{'+':[{'var':'event.type'},1]}},"
                   "{'guard':{'===':[1,1]},'target':'b'},{'guard':{'===':[1,1]}}]}},'b':{}}}");
    const wf_step_observer observer = {&w, selected, preempted, asked, reads};
    world_start(&w);
    w.step.observer = &observer;
    answers[0] = answers[1] = read_count = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "go"));
    TEST_ASSERT_EQUAL_UINT(2, answers[false]);
    TEST_ASSERT_EQUAL_UINT(1, answers[true]);
    TEST_ASSERT_EQUAL_UINT(1, read_count); /* the second guard */
    world_close(&w);
}

static void between_regions_the_first_transition_preempts(void)
{
    world w;
    world_open(&w, regions);
    const wf_step_observer observer = {&w, selected, preempted, asked, reads};
    world_start(&w);
    w.step.observer = &observer;
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "out"));
    TEST_ASSERT_EQUAL_size_t(1, w.step.taken_count);
    TEST_ASSERT_EQUAL_UINT(1, told);
    world_close(&w);
}

static const char *const broken =
    "{'id':'m','initial':'a','context':{'n':0},'states':{'a':{'on':{"
    "'go':[{'target':'b','guard':{'throw':'x'}},{'target':'b','guard':{'throw':'y'}}],"
    "'error.execution':{'actions':{'type':'assign','params':{'n':{'+':[{'var':'context.n'},1]}}"
    "}}}},'b':{}}}";

static void a_guard_that_cannot_be_evaluated_is_false_and_raises_an_error(void)
{
    world w;
    world_open(&w, broken);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "go"));
    world_expect_context(&w, "{'n':2}");
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_exact_name_goes_before_a_prefix);
    RUN_TEST(a_false_guard_falls_through_to_the_parent);
    RUN_TEST(a_prefix_matches_whole_tokens);
    RUN_TEST(the_answers_of_guards_are_told);
    RUN_TEST(between_regions_the_first_transition_preempts);
    RUN_TEST(a_guard_that_cannot_be_evaluated_is_false_and_raises_an_error);
    return UNITY_END() != 0;
}
