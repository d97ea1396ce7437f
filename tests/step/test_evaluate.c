/* step/evaluate.c, step/ask.c and step/actions.c: expressions, guards, actions. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'kind':'','n':0},'initial':'a','states':{'a':{'on':{"
    "'kind':{'actions':{'type':'assign','params':{'kind':{'var':'event.kind'},'n':{'var':'"
    "instance.now'}}}},"
    "'emit':{'actions':[{'type':'emit','params':{'event':'e'}},{'type':'emit','params':{'event'"
    ":'f'}}]},'ask':{'target':'b','guard':'friend'},"
    "'fail':{'actions':[[{'type':'assign','params':{'n':1}},{'type':'assign','params':{'n':{'"
    "throw':'x'}}},{'type':'assign','params':{'n':9}}],"
    "[{'type':'assign','params':{'kind':'second'}}]]},"
    "'each':{'actions':{'type':'each','params':{'in':[1,2,3],'as':'n','actions':{'type':'raise'"
    ",'params':{'event':'turn'}}}}},"
    "'turn':{'actions':{'type':'assign','params':{'kind':{'cat':[{'var':'context.kind'},'t']}}}"
    "}}},'b':{}}}";

static void expressions_see_the_event_and_the_instance(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    w.snapshot.now = 5;
    world_send(&w, "kind");
    world_expect_context(&w, "{'kind':'external','n':5}");
    world_close(&w);
}

static void the_answers_of_the_host_are_kept(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_BLOCKED, world_send(&w, "ask"));
    TEST_ASSERT_EQUAL_size_t(1, w.step.answer_count);
    TEST_ASSERT_FALSE(w.step.answers[0].value.as.boolean);
    w.guard_answer = true;
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "ask"));
    TEST_ASSERT_EQUAL_INT(2, w.guards);
    TEST_ASSERT_TRUE(world_in(&w, "b"));
    world_close(&w);
}

static void a_failed_action_ends_its_block_only(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, world_send(&w, "fail"));
    world_expect_context(&w, "{'kind':'second','n':1}");
    TEST_ASSERT_EQUAL_size_t(1, w.step.error_count);
    world_close(&w);
}

static void each_runs_its_block_for_every_item(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "each");
    world_expect_context(&w, "{'kind':'ttt','n':3}");
    world_close(&w);
}

static void effects_are_numbered_in_order(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    world_send(&w, "emit");
    const wf_list *outbox = &w.snapshot.extras->outbox;
    TEST_ASSERT_EQUAL_size_t(2, outbox->count);
    TEST_ASSERT_EQUAL_UINT64(2, wf_effect_at(outbox, 1)->number);
    TEST_ASSERT_EQUAL_UINT32(2, wf_effect_at(outbox, 1)->ordinal);
    world_close(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(expressions_see_the_event_and_the_instance);
    RUN_TEST(the_answers_of_the_host_are_kept);
    RUN_TEST(a_failed_action_ends_its_block_only);
    RUN_TEST(each_runs_its_block_for_every_item);
    RUN_TEST(effects_are_numbered_in_order);
    return UNITY_END() != 0;
}
