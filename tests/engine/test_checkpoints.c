/* Patches, checkpoints and restores through the engine: agents follow. */
#include <string.h>

#include "world.h"

static wfsm_engine *engine;
static actor who;
static int32_t outcome;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 2);
    who = (actor){0};
    add_machine(engine, WORK("m", "a", ",\"input\":{\"n\":{\"var\":\"context.n\"}}"));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static void test_restore_cancels_and_starts_anew(void)
{
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("x/1/1", who.id);
    OK(wfsm_engine_checkpoint(engine, "x", "early", NULL, 0, 2, &outcome, error));
    OK(wfsm_engine_restore(engine, "x", "early", 3, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    run(engine, 4);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT(1, who.working);
    TEST_ASSERT_EQUAL_STRING("x/3/1", who.id);
    OK(wfsm_engine_result(engine, "x/1/1", "1", 1, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    OK(wfsm_engine_result(engine, "x/3/1", "1", 1, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
}

static void test_restore_where_nothing_worked(void)
{
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 1, &outcome, error));
    OK(wfsm_engine_checkpoint(engine, "x", "stopped", NULL, 0, 2, &outcome, error));
    OK(wfsm_engine_send(engine, "x", "again", NULL, NULL, 0, 3, &outcome, error));
    run(engine, 4);
    OK(wfsm_engine_restore(engine, "x", "stopped", 5, &outcome, error));
    run(engine, 6);
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, who.working);
    TEST_ASSERT_EQUAL_INT32(1, wfsm_engine_idle(engine));
}

static void test_patch_reaches_the_next_input(void)
{
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 1, &outcome, error));
    OK(wfsm_engine_patch(engine, "x", "{\"n\":7}", 7, 2, &outcome, error));
    OK(wfsm_engine_send(engine, "x", "again", NULL, NULL, 0, 3, &outcome, error));
    run(engine, 4);
    TEST_ASSERT_EQUAL_STRING("{\"n\":7}", who.input);
}

static void test_unknown_names(void)
{
    STATUS(WFSM_NOT_FOUND, wfsm_engine_restore(engine, "x", "none", 1, &outcome, error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_checkpoint(engine, "y", "c", NULL, 0, 1, &outcome, error));
    STATUS(WFSM_SEMANTIC, wfsm_engine_patch(engine, "x", "[]", 2, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_engine_patch(engine, "x", "{}", 2, -1, &outcome, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(1, who.working);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_restore_cancels_and_starts_anew);
    RUN_TEST(test_restore_where_nothing_worked);
    RUN_TEST(test_patch_reaches_the_next_input);
    RUN_TEST(test_unknown_names);
    return UNITY_END() != 0;
}
