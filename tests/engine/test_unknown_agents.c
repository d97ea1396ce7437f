/* The name of an agent is misspelt: nobody ever has it, and the host is told once. */
#include <stdio.h>
#include <string.h>

#include "world.h"

static wfsm_engine *engine;
static actor who;

typedef struct heard {
    int count;
    char name[50], instance[50], id[50], text[400];
} heard;
static heard told;

static int32_t hear(void *user, wfsm_call *call)
{
    heard *to = user;

    to->count++;
    snprintf(to->name, sizeof to->name, "%s", wfsm_call_name(call));
    snprintf(to->instance, sizeof to->instance, "%s", wfsm_call_instance(call));
    snprintf(to->id, sizeof to->id, "%s", wfsm_call_id(call));
    snprintf(to->text, sizeof to->text, "%s", wfsm_call_input(call, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_call_done(call, "1", 1));
    return WFSM_OK;
}

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    memset(&who, 0, sizeof who);
    memset(&told, 0, sizeof told);
    OK(wfsm_engine_on_diagnostic(engine, hear, &told, error));
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static void a_name_that_nobody_has_is_reported_once(void)
{
    add_machine(engine, WORK("m", "revewer", ""));
    start(engine, "m", "x", 1000);
    start(engine, "m", "y", 1000);
    run(engine, 1000);
    run(engine, 60999);
    TEST_ASSERT_EQUAL_INT(0, told.count);
    run(engine, 61000);
    TEST_ASSERT_EQUAL_INT(1, told.count);
    TEST_ASSERT_EQUAL_STRING("revewer", told.name);
    TEST_ASSERT_EQUAL_STRING("x", told.instance);
    TEST_ASSERT_NOT_NULL(strstr(told.id, "x/"));
    TEST_ASSERT_NOT_NULL(strstr(told.text, "\"severity\":\"warning\""));
    TEST_ASSERT_NOT_NULL(strstr(told.text, "\"rule\":\"unknown-agent\""));
    TEST_ASSERT_NOT_NULL(strstr(told.text, "revewer"));
    for (int64_t now = 62000; now < 400000; now += 10000)
        run(engine, now);
    start(engine, "m", "z", 400000);
    run(engine, 500000);
    TEST_ASSERT_EQUAL_INT(1, told.count);
}

static void an_agent_that_comes_within_the_minute_is_not_reported(void)
{
    add_machine(engine, WORK("m", "a", ""));
    start(engine, "m", "x", 0);
    run(engine, 30000);
    add_actor(engine, "a", &who);
    run(engine, 59000);
    run(engine, 200000);
    TEST_ASSERT_EQUAL_INT(0, told.count);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
}

static void work_that_was_withdrawn_is_not_reported(void)
{
    int32_t outcome = 0;

    add_machine(engine, WORK("m", "a", ""));
    start(engine, "m", "x", 0);
    run(engine, 0);
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 10, &outcome, error));
    run(engine, 70000);
    TEST_ASSERT_EQUAL_INT(0, told.count);
}

static void people_and_known_machines_are_not_agents_that_are_missing(void)
{
    add_machine(engine, WORK("m", "person", ""));
    add_machine(engine, WORK("n", "machine:m", ""));
    start(engine, "m", "x", 0);
    start(engine, "n", "y", 0);
    run(engine, 0);
    run(engine, 70000);
    TEST_ASSERT_EQUAL_INT(0, told.count);
}

static void a_machine_that_nobody_has_is_reported(void)
{
    add_machine(engine, WORK("n", "machine:nothing", ""));
    start(engine, "n", "y", 0);
    run(engine, 0);
    run(engine, 70000);
    TEST_ASSERT_EQUAL_INT(1, told.count);
    TEST_ASSERT_EQUAL_STRING("machine:nothing", told.name);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_name_that_nobody_has_is_reported_once);
    RUN_TEST(an_agent_that_comes_within_the_minute_is_not_reported);
    RUN_TEST(work_that_was_withdrawn_is_not_reported);
    RUN_TEST(people_and_known_machines_are_not_agents_that_are_missing);
    RUN_TEST(a_machine_that_nobody_has_is_reported);
    return UNITY_END() != 0;
}
