/* step/items.c and step/item_results.c: one invocation for each item of a list. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'got':null},'initial':'a','states':{'a':{'invoke':{'src':'w','items':"
    "['x','y','z'],'complete':2,"
    "'onDone':{'target':'b','actions':{'type':'assign','params':{'got':{'var':'event.data'}}}},"
    "'onError':{'target':'c','actions':{'type':'assign','params':{'got':{'var':'event.data."
    "item'}}}}}},'b':{},'c':{}}}";

static void enough_results_end_the_set(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_size_t(3, world_ledger(&w)->count);
    world_expect_value(&w, "'y'", &wf_invocation_at(world_ledger(&w), 1)->input);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_result(&w, 2, "3"));
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    TEST_ASSERT_EQUAL_UINT8(WF_ITEM_DONE, wf_invocation_at(world_ledger(&w), 2)->status);
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, world_result(&w, 2, "3"));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_result(&w, 0, "1"));
    world_expect_context(&w, "{'got':[1,null,3]}");
    TEST_ASSERT_EQUAL_size_t(0, world_ledger(&w)->count);
    world_close(&w);
}

static void too_many_failures_end_the_set(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_fail(&w, 0, WF_CLASS_EXIT, "1"));
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_fail(&w, 2, WF_CLASS_EXIT, "1"));
    world_expect_context(&w, "{'got':2}");
    TEST_ASSERT_TRUE(world_in(&w, "c"));
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(enough_results_end_the_set);
    RUN_TEST(too_many_failures_end_the_set);
    return UNITY_END() != 0;
}
