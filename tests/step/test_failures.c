/* step/failures.c: how often an invocation has failed in a row in the same way. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'seen':null},'initial':'a','states':{'a':{'invoke':{'src':'w','"
    "onDone':{'target':'a','reenter':true},'onError':"
    "{'target':'a','reenter':true,'actions':{'type':'assign','params':{'seen':{'var':'failure."
    "count'}}}}}}}}";

static void a_signature_leaves_out_what_differs(void)
{
    world w;
    world_open(&w, document);
    const char *one = wf_signature(&w.step, WF_CLASS_EXIT, "line 12:  at 0xAB12\n");
    TEST_ASSERT_EQUAL_STRING("exit: line #: at # ", one);
    world_close(&w);
}

static uint32_t count(const world *w)
{
    const wf_list *repeats = &w->snapshot.extras->repeats;
    return repeats->count == 0 ? 0 : wf_repeat_at(repeats, 0)->count;
}

static void the_same_failure_is_counted_in_a_row(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_fail(&w, 0, WF_CLASS_EXIT, "line 1");
    world_fail(&w, 0, WF_CLASS_EXIT, "line 2");
    TEST_ASSERT_EQUAL_UINT32(2, count(&w));
    world_fail(&w, 0, WF_CLASS_EXIT, "other");
    TEST_ASSERT_EQUAL_UINT32(1, count(&w));
    world_result(&w, 0, "null");
    TEST_ASSERT_EQUAL_UINT32(0, count(&w));
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_signature_leaves_out_what_differs);
    RUN_TEST(the_same_failure_is_counted_in_a_row);
    return UNITY_END() != 0;
}
