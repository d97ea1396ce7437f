/* An answer waits for its commit, because the store does not work. A second one is stale. */
#include <string.h>

#include "faults.h"
#include "world.h"

static faults trouble;
static wfsm_store *inner;
static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    inner = store;
    trouble = (faults){.kind = FAULT_FAILED};
    store = faults_open(&trouble, inner);
    engine = engine_of("one", 0);
    who = (actor){0};
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    store = inner;
    world_close();
}

/* The agent answers in its next poll, and the store fails from then on. */
static void answer(const char *text)
{
    who.on_poll = text;
    trouble.at = 1;
    trouble.count = 1000;
    trouble.calls = 0;
    STATUS(WFSM_STORE_FAILED, wfsm_engine_run(engine, 1, error));
    who.on_poll = NULL;
}

static void give_others(void)
{
    int32_t outcome = 0;

    OK(wfsm_engine_result(engine, who.id, "2", 1, 2, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    outcome = 0;
    OK(wfsm_engine_failure(engine, who.id, "other", "late", 2, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    OK(wfsm_engine_result(engine, who.id, "3", 1, 2, NULL, error));
    outcome = 0;
    OK(wfsm_engine_retry(engine, who.id, 2, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
}

static void the_first_answer_counts(void)
{
    answer("1");
    give_others();
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    trouble.at = 0;
    give_others();
    run(engine, 3);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "done.invoke"));
    TEST_ASSERT_EQUAL_INT(1, who.starts);
}

static void a_failure_that_waits_is_an_answer_too(void)
{
    answer("!exit");
    give_others();
    trouble.at = 0;
    run(engine, 3);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(0, records("x", "late"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_first_answer_counts);
    RUN_TEST(a_failure_that_waits_is_an_answer_too);
    return UNITY_END() != 0;
}
