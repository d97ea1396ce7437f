/* step/assign.c: changing the context. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'job':{'n':1},'k':0},'initial':'a','states':{'a':{'on':{"
    "'good':{'actions':{'type':'assign','params':{'job.n':2,'new':true}}},'swap':{'actions':{'"
    "type':'assign','params':{'job':{'var':'context.k'},'k':{'var':'context.job'}}}},"
    "'bad':{'actions':{'type':'assign','params':{'nothing.n':2}}}}}}}";

static void a_dotted_key_changes_its_place_only(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "good");
    world_expect_context(&w, "{'job':{'n':2},'k':0,'new':true}");
    world_close(&w);
}

static void all_values_are_evaluated_before_the_first_is_stored(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "swap");
    world_expect_context(&w, "{'job':0,'k':{'n':1}}");
    world_close(&w);
}

static void a_missing_parent_is_refused(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "bad");
    TEST_ASSERT_EQUAL_size_t(1, w.step.error_count);
    TEST_ASSERT_EQUAL_STRING("a parent of the key is not an object", w.step.errors[0]);
    world_close(&w);
}

static void a_patch_selects_nothing(void)
{
    world w;
    int32_t outcome = 0;
    world_open(&w, document);
    world_start(&w);
    const wf_value patch = world_value(&w, "{'k':'text'}");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w.step, 0));
    world_finish(&w, wf_step_patch(&w.step, &patch, &outcome), WFSM_TAKEN);
    world_expect_context(&w, "{'job':{'n':1},'k':'text'}");
    TEST_ASSERT_EQUAL_UINT32(0, w.step.selections);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_dotted_key_changes_its_place_only);
    RUN_TEST(all_values_are_evaluated_before_the_first_is_stored);
    RUN_TEST(a_missing_parent_is_refused);
    RUN_TEST(a_patch_selects_nothing);
    return UNITY_END() != 0;
}
