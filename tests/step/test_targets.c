/* step/targets.c: the domain of a transition, and what it enters. */
#include <string.h>
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','initial':'p','states':{'p':{'initial':'a','on':{'in':'.b','again':{'target':'."
    "b','reenter':true}},"
    "'states':{'a':{'on':{'side':'b','out':'#q'}},'b':{}}},"
    "'q':{'type':'parallel','states':{'r':{'initial':'x','states':{'x':{},'y':{}}},"
    "'s':{'initial':'u','states':{'u':{},'v':{}}}}},'t':{'on':{'back':'#q.r.y'}}}}";

/* The domain of the first transition of a state for an event. */
static uint32_t domain_for(world *w, const char *event)
{
    const wf_value name = wf_string_z(event);
    wf_event made = {WF_EXTERNAL, wf_names_find(&w->machine->events, event, strlen(event)),
                     name, wf_null(), wf_null()};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w->step, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_select(&w->step, &made));
    TEST_ASSERT_EQUAL_size_t(1, w->step.enabled_count);
    wf_step_rollback(&w->step);
    return w->step.enabled[0].domain;
}

static void the_domain_is_the_least_common_compound_ancestor(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_UINT32(world_state(&w, "p"), domain_for(&w, "in"));
    TEST_ASSERT_EQUAL_UINT32(0, domain_for(&w, "again"));
    TEST_ASSERT_EQUAL_UINT32(world_state(&w, "p"), domain_for(&w, "side"));
    TEST_ASSERT_EQUAL_UINT32(0, domain_for(&w, "out"));
    world_close(&w);
}

static void regions_without_a_target_are_entered_by_default(void)
{
    world w;
    world_open(&w, document);
    uint32_t target = world_state(&w, "q.r.y");
    wf_entry_set_of(&w.step, &target, 1);
    TEST_ASSERT_TRUE(wf_set_has(w.step.entering, target));
    TEST_ASSERT_TRUE(wf_set_has(w.step.entering, world_state(&w, "q.s.u")));
    TEST_ASSERT_FALSE(wf_set_has(w.step.entering, world_state(&w, "q.r.x")));
    TEST_ASSERT_TRUE(wf_is_legal(w.machine, w.step.entering, 0));
    world_close(&w);
}

/* A transition into both regions, from inside one of them. */
static const char *const between =
    "{'id':'m','initial':'q','states':{'q':{'type':'parallel','states':{"
    "'r':{'initial':'x','states':{'x':{'on':{'jump':'#q.s.v'}},'y':{}}},"
    "'s':{'initial':'u','states':{'u':{},'v':{}}}}}}}";

static void between_regions_the_parallel_state_is_left(void)
{
    world w;
    world_open(&w, between);
    world_start(&w);
    TEST_ASSERT_EQUAL_UINT32(0, domain_for(&w, "jump"));
    world_send(&w, "jump");
    TEST_ASSERT_TRUE(world_in(&w, "q.r.x"));
    TEST_ASSERT_TRUE(world_in(&w, "q.s.v"));
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_domain_is_the_least_common_compound_ancestor);
    RUN_TEST(regions_without_a_target_are_entered_by_default);
    RUN_TEST(between_regions_the_parallel_state_is_left);
    return UNITY_END() != 0;
}
