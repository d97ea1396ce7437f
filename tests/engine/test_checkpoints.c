/* Patches, checkpoints, restores and forks through the engine: agents follow. */
#include <stdio.h>
#include <string.h>

#include "world.h"
#include "../given.h"

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

static void test_restore_cancels_and_starts_again(void)
{
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/1"), who.id);
    OK(wfsm_engine_checkpoint(engine, "x", "early", NULL, 0, 2, &outcome, error));
    OK(wfsm_engine_restore(engine, "x", FROM("early"), 3, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    run(engine, 4);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT(1, who.working);
    TEST_ASSERT_EQUAL_STRING(IDS("x/3/1"), who.id);
    OK(wfsm_engine_result(engine, IDS("x/1/1"), "1", 1, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    OK(wfsm_engine_result(engine, IDS("x/3/1"), "1", 1, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
}

static void test_restore_where_nothing_worked(void)
{
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 1, &outcome, error));
    OK(wfsm_engine_checkpoint(engine, "x", "stopped", NULL, 0, 2, &outcome, error));
    OK(wfsm_engine_send(engine, "x", "again", NULL, NULL, 0, 3, &outcome, error));
    run(engine, 4);
    OK(wfsm_engine_restore(engine, "x", FROM("stopped"), 5, &outcome, error));
    run(engine, 6);
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, who.working);
    TEST_ASSERT_EQUAL_INT32(1, wfsm_engine_idle(engine));
}

/* 004-116, 004-271 */
static void test_the_newest_and_what_is_deleted(void)
{
    OK(wfsm_engine_checkpoint(engine, "x", "first", "[\"file1.ts\"]", 12, 1, &outcome, error));
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 2, &outcome, error));
    OK(wfsm_engine_checkpoint(engine, "x", "second", NULL, 0, 3, &outcome, error));
    OK(wfsm_engine_delete_checkpoint(engine, "x", "second", 4, &outcome, error));
    STATUS(WFSM_NOT_FOUND,
           wfsm_engine_delete_checkpoint(engine, "x", "second", 4, &outcome, error));
    STATUS(WFSM_NOT_FOUND,
           wfsm_engine_delete_checkpoint(engine, "y", "first", 4, &outcome, error));
    OK(wfsm_engine_restore(engine, "x", FROM(""), 5, &outcome, error));
    run(engine, 6);
    TEST_ASSERT_EQUAL_STRING(IDS("x/6/1"), who.id);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"artifacts\":[\"file1.ts\"]"));
}

static void expect_clean(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    OK(wfsm_store_audit(store, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

/* The fork's agent is asked under its own id, and the source's continues. */
static void test_a_fork_works_for_itself(void)
{
    run(engine, 1);
    OK(wfsm_engine_checkpoint(engine, "x", "c", NULL, 0, 2, &outcome, error));
    OK(wfsm_engine_fork(engine, "x", FROM("c"), "y", 3, error));
    run(engine, 4);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
    TEST_ASSERT_EQUAL_STRING(IDS("y/1/1"), who.id);
    TEST_ASSERT_EQUAL_size_t(1, records("y", "\"status\":\"running\",\"attempt\":1"));
    OK(wfsm_engine_result(engine, IDS("y/1/1"), "1", 1, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    OK(wfsm_engine_result(engine, IDS("x/1/1"), "1", 1, 6, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    expect_clean();
}

/* Also a revision of an instance that has ended. */
static void test_revisions(void)
{
    run(engine, 1);
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 2, &outcome, error));
    OK(wfsm_engine_restore(engine, "x", AT(1), 3, &outcome, error));
    run(engine, 4);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    OK(wfsm_engine_result(engine, who.id, "1", 1, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    STATUS(WFSM_DENIED, wfsm_engine_restore(engine, "x", AT(1), 6, &outcome, error));
    OK(wfsm_engine_fork(engine, "x", AT(1), "y", 6, error));
    run(engine, 7);
    TEST_ASSERT_EQUAL_STRING(IDS("y/1/1"), who.id);
    STATUS(WFSM_NOT_FOUND, wfsm_engine_fork(engine, "x", AT(99), "z", 7, error));
    expect_clean();
}

/* Two slots: what has none waits, as everything does. */
static void test_a_fork_waits_for_a_slot(void)
{
    start(engine, "m", "w", 1);
    run(engine, 1);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    OK(wfsm_engine_fork(engine, "x", NULL, "y", 2, error));
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_size_t(1, records("y", "\"status\":\"pending\""));
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 4, &outcome, error));
    run(engine, 5);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    TEST_ASSERT_EQUAL_STRING(IDS("y/1/1"), who.id);
    expect_clean();
}

/* The source is read only: it may be another engine's. */
static void test_a_fork_of_what_another_engine_has(void)
{
    wfsm_engine *other = engine_of("two", 2);
    wfsm_head head = {.size = sizeof head};
    OK(wfsm_engine_fork(other, "x", NULL, "y", 1, error));
    TEST_ASSERT_NULL(wfsm_engine_instance(other, "x"));
    OK(wfsm_store_head(store, "y", &head, error));
    TEST_ASSERT_EQUAL_STRING("two", head.owner);
    OK(wfsm_store_head(store, "x", &head, error));
    TEST_ASSERT_EQUAL_STRING("one", head.owner);
    TEST_ASSERT_EQUAL_UINT64(1, head.revision);
    run(engine, 2);
    run(other, 2);
    TEST_ASSERT_EQUAL_INT(1, who.starts); /* two has no such agent: pending */
    wfsm_engine_free(other);
    OK(wfsm_engine_adopt(engine, "y", 3, error));
    run(engine, 4);
    TEST_ASSERT_EQUAL_STRING(IDS("y/1/1"), who.id);
    expect_clean();
}

static int32_t note_record(void *user, wfsm_call *call)
{
    size_t length;
    char *out = user;
    const char *record = wfsm_call_record(call, &length);
    snprintf(out, 100, "%s %.*s", wfsm_call_instance(call), 40, strstr(record, "\"input\""));
    return WFSM_OK;
}

static void test_a_fork_is_observed(void)
{
    char seen[100] = "";
    OK(wfsm_engine_observe(engine, note_record, seen, error));
    OK(wfsm_engine_fork(engine, "x", NULL, "y", 1, error));
    TEST_ASSERT_EQUAL_STRING("y \"input\":{\"kind\":\"fork\",\"source\":\"x\",\"rev", seen);
}

static void test_forks_that_are_refused(void)
{
    STATUS(WFSM_NOT_FOUND, wfsm_engine_fork(engine, "none", NULL, "y", 1, error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_fork(engine, "x", FROM("none"), "y", 1, error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_fork(engine, "x", FROM(""), "y", 1, error));
    STATUS(WFSM_EXISTS, wfsm_engine_fork(engine, "x", NULL, "x", 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_fork(engine, "x", NULL, "", 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_fork(engine, NULL, NULL, "y", 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_fork(engine, "x", NULL, "y", -1, error));
    OK(wfsm_engine_fork(engine, "x", NULL, "y", 1, error));
    OK(wfsm_engine_release(engine, "y", error));
    STATUS(WFSM_EXISTS, wfsm_engine_fork(engine, "x", NULL, "y", 1, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(1, who.working);
    expect_clean();
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
    STATUS(WFSM_NOT_FOUND, wfsm_engine_restore(engine, "x", FROM("none"), 1, &outcome, error));
    STATUS(WFSM_NOT_FOUND,
           wfsm_engine_checkpoint(engine, "y", "c", NULL, 0, 1, &outcome, error));
    STATUS(WFSM_SEMANTIC, wfsm_engine_patch(engine, "x", "[]", 2, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_engine_patch(engine, "x", "{}", 2, -1, &outcome, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(1, who.working);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_restore_cancels_and_starts_again);
    RUN_TEST(test_restore_where_nothing_worked);
    RUN_TEST(test_the_newest_and_what_is_deleted);
    RUN_TEST(test_a_fork_works_for_itself);
    RUN_TEST(test_revisions);
    RUN_TEST(test_a_fork_waits_for_a_slot);
    RUN_TEST(test_a_fork_of_what_another_engine_has);
    RUN_TEST(test_a_fork_is_observed);
    RUN_TEST(test_forks_that_are_refused);
    RUN_TEST(test_patch_reaches_the_next_input);
    RUN_TEST(test_unknown_names);
    return UNITY_END() != 0;
}
