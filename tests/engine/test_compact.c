/* Journals are compacted while an engine works on them. Nothing changes for the engine. */
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
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

/* Large events, so that full snapshots are due now and then. */
static void send_many(int64_t *now)
{
    char data[900];
    memset(data, 'x', sizeof data);
    data[0] = data[sizeof data - 1] = '"';
    for (int i = 0; i < 20; i++) {
        OK(wfsm_engine_send(engine, "x", i % 2 ? "again" : "stop", NULL, data, sizeof data,
                            ++*now, &outcome, error));
        run(engine, ++*now);
    }
}

static uint64_t compact(wfsm_store *archive)
{
    const wfsm_compaction all = {.size = sizeof all, .archive = archive};
    wfsm_compacted done = {.size = sizeof done};
    OK(wfsm_store_compact(store, "x", &all, &done, error));
    TEST_ASSERT_GREATER_THAN_UINT64(10, done.dropped);
    return done.first;
}

static void expect_clean(wfsm_store *which)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    OK(wfsm_store_audit(which, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

static void test_an_engine_goes_on_behind_an_anchor(void)
{
    int64_t now = 0;
    wfsm_store *archive = NULL;
    OK(wfsm_memory_open(&archive, NULL, error));
    for (int i = 0; i < 3; i++) {
        send_many(&now);
        compact(archive);
        expect_clean(store);
        expect_clean(archive);
    }
    TEST_ASSERT_EQUAL_INT(1, who.working);
    STATUS(WFSM_DENIED, wfsm_store_archive(store, "x", archive, now, NULL, error));
    OK(wfsm_engine_result(engine, who.id, "1", 1, ++now, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome); /* with that its engine has given it up */
    OK(wfsm_store_archive(store, "x", archive, now, NULL, error));
    expect_clean(archive);
    wfsm_store_free(archive);
}

/* Work that was begun before the anchor is taken over, restored and forked behind it. */
static void test_another_takes_over_behind_an_anchor(void)
{
    int64_t now = 0;
    char work[WF_INVOCATION_ID_BYTES];
    send_many(&now);
    OK(wfsm_engine_checkpoint(engine, "x", "here", NULL, 0, ++now, &outcome, error));
    compact(NULL);
    snprintf(work, sizeof work, "%s", who.id);
    OK(wfsm_store_remove_owner(store, "one", error));
    wfsm_engine_free(engine);
    engine = engine_of("two", 2);
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
    OK(wfsm_engine_adopt(engine, "x", ++now, error));
    run(engine, ++now);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING(work, who.id);
    OK(wfsm_engine_restore(engine, "x", FROM("here"), ++now, &outcome, error));
    OK(wfsm_engine_fork(engine, "x", FROM("here"), "y", ++now, error));
    run(engine, ++now);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "y"));
    expect_clean(store);
}

static const char child[] =
    "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"good\",\"states\":{\"good\":{\"type\":\"final\"}}}";
static const char parent[] =
    "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"wait\",\"states\":{\"wait\":{\"invoke\":{\"id\":"
    "\"kid\","
    "\"src\":\"machine:c\",\"onDone\":\"had\",\"onError\":\"had\"}},"
    "\"had\":{\"on\":{\"end\":\"over\"}},\"over\":{\"type\":\"final\"}}}";

/* A parent reads its child's result from the child. */
static void test_a_child_goes_after_its_parent(void)
{
    wfsm_store *archive = NULL;
    OK(wfsm_memory_open(&archive, NULL, error));
    add_machine(engine, child);
    add_machine(engine, parent);
    start(engine, "p", "a/b", 1);
    run(engine, 1);
    run(engine, 2);
    TEST_ASSERT_EQUAL_STRING("[\"had\"]", where(engine, "a/b"));
    STATUS(WFSM_DENIED, wfsm_store_archive(store, IDS("a/b/1/1/1"), archive, 3, NULL, error));
    TEST_ASSERT_EQUAL_STRING(IDS("\"a/b/1/1/1\" is a child of \"a/b\", which has not ended"),
                             wfsm_error_message(error));
    OK(wfsm_engine_send(engine, "a/b", "end", NULL, NULL, 0, 4, &outcome, error));
    run(engine, 5);
    OK(wfsm_store_archive(store, IDS("a/b/1/1/1"), archive, 6, NULL, error));
    expect_clean(archive);
    wfsm_store_free(archive);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_engine_goes_on_behind_an_anchor);
    RUN_TEST(test_a_child_goes_after_its_parent);
    RUN_TEST(test_another_takes_over_behind_an_anchor);
    return UNITY_END() != 0;
}
