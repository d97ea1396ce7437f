#include "store/cases.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>

typedef struct pages {
    char text[512];
    int stop_after;
} pages;

static int32_t note_revision(void *user, const wfsm_row *row)
{
    pages *seen = user;
    size_t length = strlen(seen->text);
    snprintf(seen->text + length, sizeof seen->text - length, "%llu%s%s ",
             (unsigned long long)row->revision, row->id ? ":" : "",
             row->id ? row->id : "");
    return --seen->stop_after == 0 ? WFSM_HOST : WFSM_OK;
}

static void records_are_read_in_order_and_in_parts(void)
{
    const struct {
        uint64_t from, to;
        const char *revisions;
    } cases[] = {
        {1, UINT64_MAX, "1 2 3:e 4 5 "},
        {2, 4, "2 3:e 4 "},
        {5, 5, "5 "},
        {0, 2, "1 2 "},
        {6, 9, ""},
        {4, 2, ""},
    };
    start_instance(store, "other", 2);
    start_instance(store, "a", 2);
    start_instance(store, "another", 1);
    wfsm_commit commit = commit_of("a", 2);
    commit.event_id = "e";
    expect_commit(store, &commit, WFSM_OK);
    for (uint64_t base = 3; base < 5; base++) {
        commit = commit_of("a", base);
        expect_commit(store, &commit, WFSM_OK);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pages seen = {0};
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_records(store, "a", cases[i].from,
                                                            cases[i].to, note_revision,
                                                            &seen, NULL));
        TEST_ASSERT_EQUAL_STRING(cases[i].revisions, seen.text);
    }
}

static void a_reader_ends_the_reading(void)
{
    pages seen = {.stop_after = 2};
    start_instance(store, "a", 5);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_HOST, wfsm_store_records(store, "a", 1, 5, note_revision, &seen, NULL));
    TEST_ASSERT_EQUAL_STRING("1 2 ", seen.text);
    wfsm_commit commit = commit_of("a", 5);
    expect_commit(store, &commit, WFSM_OK);
}

static int32_t call_again(void *user, const wfsm_row *row)
{
    wfsm_head head = {.size = sizeof head};
    (void)row;
    *(int32_t *)user = wfsm_store_head(store, "a", &head, NULL);
    return WFSM_OK;
}

static void a_reader_may_not_call_the_store(void)
{
    int32_t answer = WFSM_OK;
    start_instance(store, "a", 1);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_records(store, "a", 1, 1, call_again, &answer, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, answer);
}

static void commit_snapshot(uint64_t base, const char *snapshot)
{
    wfsm_commit commit = commit_of("a", base);
    commit.snapshot = snapshot;
    commit.snapshot_length = snapshot ? strlen(snapshot) : 0;
    expect_commit(store, &commit, WFSM_OK);
}

static void the_latest_snapshot_is_found(void)
{
    kept_row row = {0};
    commit_snapshot(0, "{\"at\":1}");
    commit_snapshot(1, NULL);
    commit_snapshot(2, "{\"at\":3}");
    commit_snapshot(3, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wf_store_snapshot(store, "a", NULL, keep_row, &row, NULL));
    TEST_ASSERT_EQUAL_INT(1, row.count);
    TEST_ASSERT_EQUAL_UINT64(3, row.revision);
    TEST_ASSERT_EQUAL_INT64(1002, row.now);
    TEST_ASSERT_EQUAL_STRING("{\"at\":3}", row.text);
}

static void commit_checkpoint(uint64_t base, const char *id, const char *snapshot)
{
    wfsm_commit commit = commit_of("a", base);
    commit.checkpoint = id;
    commit.checkpoint_snapshot = snapshot;
    commit.checkpoint_length = strlen(snapshot);
    expect_commit(store, &commit, WFSM_OK);
}

/* 004-261, 004-269 */
static void a_checkpoint_replaces_one_of_the_same_id(void)
{
    pages seen = {0};
    kept_row row = {0};
    commit_checkpoint(0, "c1", "[1]");
    commit_checkpoint(1, "c2", "[2]");
    commit_checkpoint(2, "c3", "[3]");
    commit_checkpoint(3, "c1", "[4]");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_checkpoints(store, "a", note_revision, &seen, NULL));
    TEST_ASSERT_EQUAL_STRING("2:c2 3:c3 4:c1 ", seen.text);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wf_store_snapshot(store, "a", "c1", keep_row, &row, NULL));
    TEST_ASSERT_EQUAL_STRING("[4]", row.text);
    TEST_ASSERT_EQUAL_UINT64(4, row.revision);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wf_store_snapshot(store, "a", "c2", keep_row, &row, NULL));
    TEST_ASSERT_EQUAL_STRING("[2]", row.text);
}

static int32_t note_head(void *user, const wfsm_row *row)
{
    pages *seen = user;
    size_t length = strlen(seen->text);
    snprintf(seen->text + length, sizeof seen->text - length, "%s ",
             row->head->instance);
    return WFSM_OK;
}

static void a_list_holds_what_was_asked_for(void)
{
    const struct {
        const char *id, *machine, *owner, *tags;
        int32_t status;
        int64_t deadline;
    } heads[] = {
        {"d", "m1", "", "error", WFSM_RUNNING, 300},
        {"b", "m2", "me", "error terminal", WFSM_RUNNING, WFSM_NEVER},
        {"a", "m1", "me", "", WFSM_DONE, WFSM_NEVER},
        {"e\xC3\xA9", "m1", "you", "errors", WFSM_RUNNING, 100},
        {"c", "m1", "", "x error", WFSM_DONE, 200},
    };
    const struct {
        wfsm_query query;
        const char *ids;
    } cases[] = {
        {{.limit = 0}, "a b c d e\xC3\xA9 "},
        {{.limit = 2}, "a b "},
        {{.after = "b", .limit = 2}, "c d "},
        {{.after = "bb"}, "c d e\xC3\xA9 "},
        {{.after = "z"}, ""},
        {{.after = ""}, "a b c d e\xC3\xA9 "},
        {{.machine = "m2"}, "b "},
        {{.tag = "error"}, "b c d "},
        {{.tag = "terminal"}, "b "},
        {{.tag = "rror"}, ""},
        {{.owner = "me"}, "a b "},
        {{.owner = ""}, "c d "},
        {{.status = WFSM_RUNNING}, "b d e\xC3\xA9 "},
        {{.status = WFSM_DONE}, "a c "},
        {{.due = 200}, "c e\xC3\xA9 "},
        {{.status = WFSM_RUNNING, .due = 300, .after = "d"}, "e\xC3\xA9 "},
        {{.machine = "m1", .tag = "error", .owner = "", .limit = 1}, "c "},
        {{.machine = "m3"}, ""},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        wfsm_commit commit = commit_of(heads[i].id, 0);
        commit.machine = heads[i].machine;
        commit.owner = heads[i].owner;
        commit.tags = heads[i].tags;
        commit.status = heads[i].status;
        commit.deadline = heads[i].deadline;
        expect_commit(store, &commit, WFSM_OK);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pages seen = {0};
        wfsm_query query = cases[i].query;
        query.size = sizeof query;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_store_list(store, &query, note_head, &seen, NULL));
        TEST_ASSERT_EQUAL_STRING(cases[i].ids, seen.text);
    }
}

static void a_status_that_changes_is_listed_anew(void)
{
    pages running = {0}, done = {0};
    wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING};
    start_instance(store, "a", 1);
    start_instance(store, "b", 1);
    wfsm_commit commit = commit_of("a", 1);
    commit.status = WFSM_DONE;
    expect_commit(store, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_list(store, &query, note_head, &running, NULL));
    TEST_ASSERT_EQUAL_STRING("b ", running.text);
    query.status = WFSM_DONE;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_list(store, &query, note_head, &done, NULL));
    TEST_ASSERT_EQUAL_STRING("a ", done.text);
}

static void what_is_removed_is_gone(void)
{
    kept_row row = {0};
    bool seen;
    start_instance(store, "b", 3);
    char *before = dump(store);
    commit_checkpoint(0, "c1", "[1]");
    wfsm_commit commit = commit_of("a", 1);
    commit.event_id = "e";
    expect_commit(store, &commit, WFSM_OK);
    wfsm_store_post(store, "a", "GO", "p", NULL, 0, 1, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(store, "a", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_records(store, "a", 1, 9, keep_row, &row, NULL));
    expect_dump(store, before);
    start_instance(store, "a", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_seen(store, "a", "e", &seen, NULL));
    TEST_ASSERT_FALSE(seen);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_seen(store, "a", "p", &seen, NULL));
    TEST_ASSERT_FALSE(seen);
    wfsm_store_checkpoints(store, "a", keep_row, &row, NULL);
    wfsm_store_inbox(store, NULL, 0, keep_row, &row, NULL);
    TEST_ASSERT_EQUAL_INT(0, row.count);
}

static void many_instances_are_found_again(void)
{
    char id[32];
    for (int i = 0; i < 200; i++) {
        snprintf(id, sizeof id, "instance-%d", i);
        start_instance(store, id, 1);
    }
    for (int i = 0; i < 200; i += 2) {
        snprintf(id, sizeof id, "instance-%d", i);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(store, id, NULL));
    }
    for (int i = 0; i < 200; i++) {
        wfsm_head head = {.size = sizeof head};
        snprintf(id, sizeof id, "instance-%d", i);
        TEST_ASSERT_EQUAL_INT32(i % 2 ? WFSM_OK : WFSM_NOT_FOUND,
                                wfsm_store_head(store, id, &head, NULL));
    }
}

void run_reading_cases(void)
{
    RUN_TEST(records_are_read_in_order_and_in_parts);
    RUN_TEST(a_reader_ends_the_reading);
    RUN_TEST(a_reader_may_not_call_the_store);
    RUN_TEST(the_latest_snapshot_is_found);
    RUN_TEST(a_checkpoint_replaces_one_of_the_same_id);
    RUN_TEST(a_list_holds_what_was_asked_for);
    RUN_TEST(a_status_that_changes_is_listed_anew);
    RUN_TEST(what_is_removed_is_gone);
    RUN_TEST(many_instances_are_found_again);
}
