#include <string.h>
#include <unity.h>

#include "instance/call.h"
#include "base/memory.h"
#include "machine/model.h"

static wfsm_allocator allocator;
static int allocations_left;

static void *allocate(void *user, size_t bytes)
{
    wfsm_allocator *real = user;

    return allocations_left-- > 0 ? real->allocate(real->user, bytes) : NULL;
}

static void *resize(void *user, void *block, size_t bytes)
{
    wfsm_allocator *real = user;

    return allocations_left-- > 0 ? real->resize(real->user, block, bytes) : NULL;
}

static void release(void *user, void *block)
{
    wfsm_allocator *real = user;

    real->release(real->user, block);
}

static wfsm_allocator real;
static wfsm_call call;

void setUp(void)
{
    wf_allocator_init(&real, NULL);
    allocator = (wfsm_allocator){sizeof allocator, &real, allocate, resize, release};
    allocations_left = 1000;
}

void tearDown(void)
{
    wf_call_fini(&call);
}

static void begin(int kind)
{
    wf_call_init(&call, kind, &allocator);
}

static void a_text_is_written_when_it_is_asked_for(void)
{
    wf_value value = wf_string_z("x");
    size_t length = 99;

    begin(WF_CALL_AGENT);
    call.input.value = &value;
    TEST_ASSERT_EQUAL_STRING("\"x\"", wfsm_call_input(&call, &length));
    TEST_ASSERT_EQUAL_size_t(3, length);
    TEST_ASSERT_EQUAL_STRING("\"x\"", wfsm_call_input(&call, NULL));
}

static void what_does_not_apply_is_null(void)
{
    size_t length = 99;

    begin(WF_CALL_AGENT);
    TEST_ASSERT_NULL(wfsm_call_context(&call, &length));
    TEST_ASSERT_EQUAL_size_t(0, length);
    TEST_ASSERT_NULL(wfsm_call_params(&call, NULL));
    TEST_ASSERT_NULL(wfsm_call_record(&call, &length));
    TEST_ASSERT_NULL(wfsm_call_event(NULL, &length));
    TEST_ASSERT_NULL(wfsm_call_name(NULL));
    TEST_ASSERT_EQUAL_INT64(0, wfsm_call_now(NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_call_done(NULL, "1", 1));
}

static void a_text_that_found_no_memory_can_be_asked_for_again(void)
{
    wf_value value = wf_string_z("x");

    begin(WF_CALL_GUARD);
    call.params.value = &value;
    allocations_left = 0;
    TEST_ASSERT_NULL(wfsm_call_params(&call, NULL));
    allocations_left = 10;
    TEST_ASSERT_EQUAL_STRING("\"x\"", wfsm_call_params(&call, NULL));
}

typedef struct takes {
    int kind, allow, patch, done, failed, gone, unsure;
} takes;

static void each_kind_takes_its_own_answers(void)
{
    static const takes cases[] = {
        {WF_CALL_GUARD, 1, 0, 0, 1, 0, 0},
        {WF_CALL_ACTION, 0, 1, 0, 1, 0, 0},
        {WF_CALL_AGENT, 0, 0, 1, 1, 0, 0},
        {WF_CALL_OBSERVER, 0, 0, 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const takes *c = &cases[i];

        begin(c->kind);
        TEST_ASSERT_EQUAL_INT(c->allow, wfsm_call_allow(&call, 1) == WFSM_OK);
        wf_call_clear(&call);
        TEST_ASSERT_EQUAL_INT(c->patch, wfsm_call_patch(&call, "{}", 2) == WFSM_OK);
        wf_call_clear(&call);
        TEST_ASSERT_EQUAL_INT(c->done, wfsm_call_done(&call, "1", 1) == WFSM_OK);
        wf_call_clear(&call);
        TEST_ASSERT_EQUAL_INT(c->failed, wfsm_call_failed(&call, "other", NULL) == WFSM_OK);
        wf_call_clear(&call);
        TEST_ASSERT_EQUAL_INT(c->gone, wfsm_call_gone(&call) == WFSM_OK);
        wf_call_clear(&call);
        TEST_ASSERT_EQUAL_INT(c->unsure, wfsm_call_unsure(&call) == WFSM_OK);
        wf_call_fini(&call);
    }
    begin(WF_CALL_AGENT);
}

static void the_first_answer_counts(void)
{
    begin(WF_CALL_AGENT);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_call_done(&call, "[1]", 3));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, wfsm_call_failed(&call, "network", "no route"));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, wfsm_call_done(&call, "[2]", 3));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, wfsm_call_done(&call, "[", 1));
    TEST_ASSERT_EQUAL_INT(WF_ANSWER_DONE, call.answer);
    TEST_ASSERT_EQUAL_STRING("[1]", call.text.data);
    wf_call_clear(&call);
    call.allowed = ~0U;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_call_gone(&call));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, wfsm_call_unsure(&call));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, wfsm_call_allow(&call, 1));
    TEST_ASSERT_EQUAL_INT(WF_ANSWER_GONE, call.answer);
}

static void an_answer_is_checked_at_once(void)
{
    static const struct {
        const char *json;
        int32_t status;
    } cases[] = {{"{\"n\":", WFSM_SYNTAX},
                 {"", WFSM_SYNTAX},
                 {"\"\xff\"", WFSM_SYNTAX},
                 {"{\"n\":1,\"n\":2}", WFSM_SYNTAX},
                 {"1 2", WFSM_SYNTAX},
                 {"nul", WFSM_SYNTAX},
                 {"12345678901234567890", WFSM_SEMANTIC}};

    begin(WF_CALL_AGENT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wf_call_clear(&call);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(
            cases[i].status, wfsm_call_done(&call, cases[i].json, strlen(cases[i].json)),
            cases[i].json);
        TEST_ASSERT_EQUAL_INT(WF_ANSWER_FAILED, call.answer);
        TEST_ASSERT_EQUAL_UINT32(WF_CLASS_SCHEMA, call.failure_class);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_call_done(&call, "1", 1));
        TEST_ASSERT_EQUAL_INT(WF_ANSWER_DONE, call.answer);
        TEST_ASSERT_EQUAL_STRING("1", call.text.data);
    }
}

static void an_answer_that_found_no_memory_is_none(void)
{
    begin(WF_CALL_AGENT);
    allocations_left = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, wfsm_call_done(&call, "[1]", 3));
    TEST_ASSERT_EQUAL_INT(WF_ANSWER_NONE, call.answer);
}

static void a_failure_needs_a_class_that_exists(void)
{
    begin(WF_CALL_AGENT);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_call_failed(&call, "broken", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_call_failed(&call, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(WF_ANSWER_NONE, call.answer);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_call_failed(&call, "exit", "a\xff z"));
    TEST_ASSERT_EQUAL_STRING("a? z", call.text.data);
    wf_call_clear(&call);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_call_failed(&call, "exit", "\xc3\xa9"));
    TEST_ASSERT_EQUAL_STRING("\xc3\xa9", call.text.data);
}

static void guards_and_actions_fail_without_a_class(void)
{
    begin(WF_CALL_GUARD);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_call_failed(&call, NULL, "no route"));
    TEST_ASSERT_EQUAL_INT(WF_ANSWER_FAILED, call.answer);
    TEST_ASSERT_EQUAL_STRING("no route", call.text.data);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_call_failed(&call, "broken", NULL));
}

static void a_cleared_call_has_no_answer_and_fresh_texts(void)
{
    wf_value value = wf_number(1);

    begin(WF_CALL_GUARD);
    call.context.value = &value;
    TEST_ASSERT_EQUAL_STRING("1", wfsm_call_context(&call, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_call_allow(&call, 7));
    TEST_ASSERT_EQUAL_INT32(1, call.yes);
    value = wf_number(2);
    wf_call_clear(&call);
    TEST_ASSERT_EQUAL_INT(WF_ANSWER_NONE, call.answer);
    TEST_ASSERT_EQUAL_STRING("2", wfsm_call_context(&call, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_text_is_written_when_it_is_asked_for);
    RUN_TEST(what_does_not_apply_is_null);
    RUN_TEST(a_text_that_found_no_memory_can_be_asked_for_again);
    RUN_TEST(each_kind_takes_its_own_answers);
    RUN_TEST(the_first_answer_counts);
    RUN_TEST(an_answer_is_checked_at_once);
    RUN_TEST(an_answer_that_found_no_memory_is_none);
    RUN_TEST(a_failure_needs_a_class_that_exists);
    RUN_TEST(guards_and_actions_fail_without_a_class);
    RUN_TEST(a_cleared_call_has_no_answer_and_fresh_texts);
    return UNITY_END() != 0;
}
