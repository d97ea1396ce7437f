#include <stdio.h>
#include <string.h>

#include "world.h"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    memset(&who, 0, sizeof who);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

/* A machine with one agent, and an instance of it. */
static void begin(const char *machine)
{
    add_machine(engine, machine);
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
}

static void a_function_answers_at_once(void)
{
    who.on_start = "{\"n\":1}";
    add_machine(engine, WORK("m", "a", ",\"input\":{\"k\":[1]}"));
    add_plain(engine, "a", &who);
    start(engine, "m", "x", 7);
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    TEST_ASSERT_EQUAL_INT64(7, wfsm_engine_deadline(engine));
    run(engine, 7);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_STRING("{\"k\":[1]}", who.input);
    TEST_ASSERT_EQUAL_STRING("null", who.schema);
    TEST_ASSERT_EQUAL_STRING("work", who.state);
    TEST_ASSERT_EQUAL_INT32(1, who.attempt);
    TEST_ASSERT_EQUAL_INT64(7, who.claimed);
    run(engine, 8);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
}

static void an_answer_may_come_later_by_id(void)
{
    int32_t outcome = 0;

    begin(WORK("m", "a", ""));
    run(engine, 0);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    STATUS(WFSM_NOT_FOUND,
           wfsm_engine_result(engine, IDS("y/1/1"), "1", 1, 1, &outcome, error));
    OK(wfsm_engine_result(engine, IDS("x/9/9"), "1", 1, 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    OK(wfsm_engine_result(engine, who.id, "1", 1, 1, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    OK(wfsm_engine_result(engine, who.id, "1", 1, 1, &outcome, error));
    TEST_ASSERT_NOT_EQUAL_INT32(WFSM_TAKEN, outcome);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void a_failure_may_come_later_too(void)
{
    int32_t outcome = 0;

    begin(WORK("m", "a", ""));
    run(engine, 0);
    STATUS(WFSM_INVALID, wfsm_engine_failure(engine, who.id, NULL, NULL, 1, &outcome, error));
    OK(wfsm_engine_failure(engine, who.id, "exit", "code 1", 1, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "code 1"));
}

static void an_agent_at_work_is_polled_once_in_a_run(void)
{
    begin(WORK("m", "a", ""));
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(0, who.polls);
    run(engine, 1);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(2, who.polls);
    who.on_poll = "true";
    run(engine, 3);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    run(engine, 4);
    TEST_ASSERT_EQUAL_INT(3, who.polls);
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
}

static void leaving_the_state_cancels(void)
{
    int32_t outcome = 0;
    char first[WF_INVOCATION_ID_BYTES];

    begin(WORK("m", "a", ""));
    run(engine, 0);
    strcpy(first, who.id);
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_STRING(first, who.id);
    TEST_ASSERT_EQUAL_STRING("work", who.state);
    TEST_ASSERT_EQUAL_STRING("NULL", who.input);
    OK(wfsm_engine_result(engine, first, "1", 1, 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    OK(wfsm_engine_send(engine, "x", "again", NULL, NULL, 0, 2, &outcome, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_TRUE(strcmp(first, who.id) != 0);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
}

static void failures_are_tried_again_after_their_time(void)
{
    char first[WF_INVOCATION_ID_BYTES];

    who.on_start = "!network";
    begin(WORK("m", "a",
               ",\"retry\":[{\"errors\":[\"network\"],\"maxAttempts\":3,"
               "\"intervalMs\":1000,\"backoffRate\":2}]"));
    run(engine, 0);
    strcpy(first, who.id);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_INT64(1000, wfsm_engine_deadline(engine));
    run(engine, 999);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    run(engine, 1000);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
    TEST_ASSERT_EQUAL_INT64(3000, wfsm_engine_deadline(engine));
    TEST_ASSERT_EQUAL_STRING(first, who.id);
    run(engine, 3000);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
}

static void a_time_limit_fails_the_attempt_and_tells_the_agent(void)
{
    begin(WORK("m", "a",
               ",\"timeoutMs\":5000,\"retry\":[{\"errors\":[\"timeout\"],"
               "\"maxAttempts\":2,\"intervalMs\":100}]"));
    run(engine, 10);
    TEST_ASSERT_EQUAL_INT64(5000, who.timeout);
    TEST_ASSERT_EQUAL_INT64(0, who.claimed); /* by the start */
    TEST_ASSERT_LESS_OR_EQUAL_INT64(5000, wfsm_engine_deadline(engine));
    run(engine, 4999);
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
    run(engine, 5000);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_INT32(1, who.attempt);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    run(engine, 5100);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
    TEST_ASSERT_EQUAL_INT64(5100, who.claimed);
    run(engine, 10100);
    TEST_ASSERT_EQUAL_INT(2, who.cancels);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
}

typedef struct bad {
    const char *line, *class_name;
} bad;

static void an_unusable_answer_is_a_failure(void)
{
    static const bad cases[] = {
        {"{\"n\":", "schema"},
        {"", "schema"},
        {"\"\xff\"", "schema"},
        {"{\"n\":1,\"n\":2}", "schema"},
        {"{\"n\":\"one\"}", "schema"},
        {"12345678901234567890", "schema"},
        {"status", "other"},
        {"!auth", "auth"},
        {"gone", "other"},   /* only a probe may say so: */
        {"unsure", "other"}, /* the setter refuses, and the callback fails */
    };
    char id[20], expected[60];

    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"work\",\"context\":{},"
                        "\"states\":{\"work\":{\"invoke\":{\"src\":\"a\","
                        "\"output\":{\"type\":\"object\",\"properties\":"
                        "{\"n\":{\"type\":\"number\"}}},\"onError\":{\"target\":\"failed\","
                        "\"actions\":{\"type\":\"assign\",\"params\":"
                        "{\"class\":{\"var\":\"event.data.class\"}}}}}},"
                        "\"failed\":{\"type\":\"final\"}}}");
    add_actor(engine, "a", &who);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(id, sizeof id, "x%zu", i);
        snprintf(expected, sizeof expected, "{\"class\":\"%s\"}", cases[i].class_name);
        who.on_start = cases[i].line;
        start(engine, "m", id, 0);
        run(engine, 0);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("[\"failed\"]", where(engine, id), cases[i].line);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            expected, wfsm_instance_context(wfsm_engine_instance(engine, id), NULL),
            cases[i].line);
    }
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
}

static void an_agent_that_is_not_here_is_waited_for(void)
{
    who.on_start = "1";
    add_machine(engine, WORK("m", "a", ""));
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    TEST_ASSERT_GREATER_THAN_INT64(0, wfsm_engine_deadline(engine));
    add_plain(engine, "a", &who);
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static int32_t meddle(void *user, wfsm_call *call)
{
    wfsm_agent agent = {.size = sizeof agent, .start = meddle};

    (void)user;
    STATUS(WFSM_BUSY, wfsm_engine_run(engine, 0, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_start(engine, "m", "y", NULL, 0, 0, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_adopt(engine, "y", 0, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_adopt_all(engine, 0, NULL, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_release(engine, "x", NULL));
    STATUS(WFSM_BUSY, wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 0, NULL, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_result(engine, IDS("x/1/1"), "1", 1, 0, NULL, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_failure(engine, IDS("x/1/1"), "exit", NULL, 0, NULL, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_add_agent_full(engine, "b", &agent, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_observe(engine, NULL, NULL, NULL));
    STATUS(WFSM_BUSY, wfsm_engine_on_effect(engine, NULL, NULL, NULL));
    return wfsm_call_done(call, "1", 1);
}

static void a_callback_may_not_re_enter(void)
{
    add_machine(engine, WORK("m", "a", ""));
    OK(wfsm_engine_add_agent(engine, "a", meddle, NULL, error));
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void the_next_agent_is_claimed_by_the_step_that_calls_for_it(void)
{
    actor second = {.on_start = "2"};

    who.on_start = "1";
    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"one\",\"states\":{"
                        "\"one\":{\"invoke\":{\"src\":\"a\",\"onDone\":\"two\"}},"
                        "\"two\":{\"invoke\":{\"src\":\"b\",\"onDone\":\"end\"}},"
                        "\"end\":{\"type\":\"final\"}}}");
    add_actor(engine, "a", &who);
    add_actor(engine, "b", &second);
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(1, second.starts);
    /* start (claims the first), its result (claims the second), its result */
    TEST_ASSERT_EQUAL_size_t(3, records("x", ""));
}

static void bad_arguments_are_refused(void)
{
    wfsm_engine_options options = {.size = sizeof options, .session = "other"};
    wfsm_agent agent = {.size = sizeof agent};
    wfsm_engine *other = NULL;

    STATUS(WFSM_INVALID, wfsm_engine_new(&other, NULL, NULL, error));
    STATUS(WFSM_INVALID, wfsm_engine_new(NULL, store, NULL, error));
    options.size = 4;
    STATUS(WFSM_INVALID, wfsm_engine_new(&other, store, &options, error));
    options.size = sizeof options;
    options.session = "";
    STATUS(WFSM_INVALID, wfsm_engine_new(&other, store, &options, error));
    options.session = NULL;
    STATUS(WFSM_INVALID, wfsm_engine_new(&other, store, &options, error));
    STATUS(WFSM_INVALID, wfsm_engine_new(&other, store, NULL, error));
    options.session = "other";
    options.now = -1;
    STATUS(WFSM_INVALID, wfsm_engine_new(&other, store, &options, error));
    options.now = 0;
    options.lapse_ms = -1;
    STATUS(WFSM_INVALID, wfsm_engine_new(&other, store, &options, error));
    TEST_ASSERT_NULL(other);
    STATUS(WFSM_INVALID, wfsm_engine_add_agent_full(engine, "a", &agent, error));
    STATUS(WFSM_INVALID, wfsm_engine_add_agent_full(engine, "a", NULL, error));
    STATUS(WFSM_INVALID, wfsm_engine_add_agent(engine, "", meddle, NULL, error));
    STATUS(WFSM_INVALID, wfsm_engine_add_machine(engine, NULL, error));
    STATUS(WFSM_INVALID, wfsm_engine_run(engine, -1, error));
    STATUS(WFSM_INVALID, wfsm_engine_run(NULL, 0, error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_start(engine, "m", "x", NULL, 0, 0, error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_adopt(engine, "x", 0, error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_release(engine, "x", error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_send(engine, "x", "e", NULL, NULL, 0, 0, NULL, error));
    OK(wfsm_engine_add_agent(engine, "a", meddle, NULL, error));
    STATUS(WFSM_EXISTS, wfsm_engine_add_agent(engine, "a", meddle, NULL, error));
    TEST_ASSERT_TRUE(wfsm_engine_idle(NULL));
    TEST_ASSERT_NULL(wfsm_engine_instance(NULL, "x"));
    wfsm_engine_free(NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_function_answers_at_once);
    RUN_TEST(an_answer_may_come_later_by_id);
    RUN_TEST(a_failure_may_come_later_too);
    RUN_TEST(an_agent_at_work_is_polled_once_in_a_run);
    RUN_TEST(leaving_the_state_cancels);
    RUN_TEST(failures_are_tried_again_after_their_time);
    RUN_TEST(a_time_limit_fails_the_attempt_and_tells_the_agent);
    RUN_TEST(an_unusable_answer_is_a_failure);
    RUN_TEST(an_agent_that_is_not_here_is_waited_for);
    RUN_TEST(a_callback_may_not_re_enter);
    RUN_TEST(the_next_agent_is_claimed_by_the_step_that_calls_for_it);
    RUN_TEST(bad_arguments_are_refused);
    return UNITY_END() != 0;
}
