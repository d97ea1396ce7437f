/* step/ledger.c: invocations in the order of their ids. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','initial':'a','states':{'a':{'invoke':[{'src':'w','id':'one'},{'src':'w','id':'"
    "two'}],'on':{'go':{'target':'b'}}},"
    "'b':{'invoke':{'src':'w','items':[1,2,3],'maxConcurrency':1}}}}";

static void an_invocation_is_found_by_its_id(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    const wf_list *ledger = world_ledger(&w);
    TEST_ASSERT_EQUAL_size_t(2, ledger->count);
    TEST_ASSERT_EQUAL_size_t(1, wf_ledger_find(ledger, 1, 2));
    TEST_ASSERT_EQUAL_size_t(2, wf_ledger_find(ledger, 2, 1));
    TEST_ASSERT_EQUAL_size_t(0, wf_ledger_find_id(ledger, "i", "i/1/1"));
    TEST_ASSERT_EQUAL_size_t(2, wf_ledger_find_id(ledger, "i", "i/01/1"));
    TEST_ASSERT_EQUAL_size_t(2, wf_ledger_find_id(ledger, "i", "j/1/1"));
    world_close(&w);
}

static void leaving_a_state_removes_its_invocations(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "go");
    const wf_list *ledger = world_ledger(&w);
    TEST_ASSERT_EQUAL_size_t(3, ledger->count);
    TEST_ASSERT_EQUAL_UINT64(2, wf_invocation_at(ledger, 0)->revision);
    world_close(&w);
}

static void items_are_one_set(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "go");
    const wf_list *ledger = world_ledger(&w);
    TEST_ASSERT_EQUAL_size_t(0, wf_ledger_set(ledger, 2));
    TEST_ASSERT_EQUAL_UINT32(3, wf_ledger_set_count(ledger, 0, WF_PENDING));
    TEST_ASSERT_FALSE(wf_ledger_set_full(ledger, 1));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_claim(&w, 0));
    TEST_ASSERT_TRUE(wf_ledger_set_full(ledger, 1));
    world_close(&w);
}

static const char *const passing = "{'id':'m','initial':'a','states':{'a':{'on':{'go':'t'}},"
                                   "'t':{'invoke':{'src':'w'},'always':'u'},'u':{}}}";

static void a_state_that_the_step_leaves_again_invokes_nothing(void)
{
    world w;
    world_open(&w, passing);
    world_start(&w);
    world_send(&w, "go");
    TEST_ASSERT_TRUE(world_in(&w, "u"));
    TEST_ASSERT_EQUAL_size_t(0, world_ledger(&w)->count);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_invocation_is_found_by_its_id);
    RUN_TEST(leaving_a_state_removes_its_invocations);
    RUN_TEST(items_are_one_set);
    RUN_TEST(a_state_that_the_step_leaves_again_invokes_nothing);
    return UNITY_END() != 0;
}
