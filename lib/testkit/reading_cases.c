/* testkit/reading_cases.c: records, snapshots and checkpoints, and what a removal leaves. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

typedef struct notes {
    char text[512];
    int stop_after;
} notes;

static int32_t note_revision(void *user, const wfsm_row *row)
{
    notes *seen = user;
    size_t length = strlen(seen->text);
    snprintf(seen->text + length, sizeof seen->text - length, "%llu%s%s ",
             (unsigned long long)row->revision, row->id ? ":" : "", row->id ? row->id : "");
    return --seen->stop_after == 0 ? WFSM_HOST : WFSM_OK;
}

static void records_are_read_in_order_and_in_parts(tk_suite *suite)
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
    tk_start(suite, suite->store, "other", 2);
    tk_start(suite, suite->store, "a", 2);
    tk_start(suite, suite->store, "another", 1);
    for (uint64_t base = 2; base < 5; base++) {
        wfsm_commit commit = tk_commit_of("a", base);
        commit.event_id = base == 2 ? "e" : NULL;
        tk_commit(suite, "a commit", suite->store, &commit, WFSM_OK);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        notes seen = {0};
        tk_status(suite, "reading records", WFSM_OK,
                  wfsm_store_records(suite->store, "a", cases[i].from, cases[i].to,
                                     note_revision, &seen, NULL));
        tk_string(suite, "records, each revision:event", cases[i].revisions, seen.text);
    }
}

static void a_reader_ends_the_reading(tk_suite *suite)
{
    notes seen = {.stop_after = 2};
    tk_start(suite, suite->store, "a", 5);
    tk_status(suite, "a reading that its sink ends with HOST", WFSM_HOST,
              wfsm_store_records(suite->store, "a", 1, 5, note_revision, &seen, NULL));
    tk_string(suite, "the records until the sink ended the reading", "1 2 ", seen.text);
    wfsm_commit commit = tk_commit_of("a", 5);
    tk_commit(suite, "a commit after a reading that was ended", suite->store, &commit, WFSM_OK);
}

typedef struct calling {
    wfsm_store *store;
    int32_t answer;
} calling;

static int32_t call_again(void *user, const wfsm_row *row)
{
    calling *self = user;
    wfsm_head head = {.size = sizeof head};
    (void)row;
    self->answer = wfsm_store_head(self->store, "a", &head, NULL);
    return WFSM_OK;
}

static void a_reader_may_not_call_the_store(tk_suite *suite)
{
    calling self = {suite->store, WFSM_OK};
    tk_start(suite, suite->store, "a", 1);
    tk_status(suite, "reading records", WFSM_OK,
              wfsm_store_records(suite->store, "a", 1, 1, call_again, &self, NULL));
    tk_status(suite, "a call out of a sink", WFSM_BUSY, self.answer);
}

static void commit_snapshot(tk_suite *suite, uint64_t base, const char *snapshot)
{
    wfsm_commit commit = tk_commit_of("a", base);
    commit.snapshot = snapshot;
    commit.snapshot_length = snapshot ? strlen(snapshot) : 0;
    tk_commit(suite, "a commit with a snapshot", suite->store, &commit, WFSM_OK);
}

static void the_latest_snapshot_is_found(tk_suite *suite)
{
    tk_row row = {0};
    commit_snapshot(suite, 0, "{\"at\":1}");
    commit_snapshot(suite, 1, NULL);
    commit_snapshot(suite, 2, "{\"at\":3}");
    commit_snapshot(suite, 3, NULL);
    tk_status(suite, "reading the snapshot", WFSM_OK,
              wfsm_store_snapshot(suite->store, "a", NULL, tk_keep, &row, NULL));
    tk_number(suite, "rows of a snapshot", 1, row.count);
    tk_number(suite, "the revision of the latest snapshot", 3, row.revision);
    tk_time(suite, "the time of the latest snapshot", 1002, row.now);
    tk_string(suite, "the latest snapshot", "{\"at\":3}", row.text);
}

static void commit_checkpoint(tk_suite *suite, uint64_t base, const char *id,
                              const char *snapshot)
{
    wfsm_commit commit = tk_commit_of("a", base);
    commit.checkpoint = id;
    commit.checkpoint_snapshot = snapshot;
    commit.checkpoint_length = strlen(snapshot);
    tk_commit(suite, "a commit with a checkpoint", suite->store, &commit, WFSM_OK);
}

/* 004-261, 004-269 */
static void a_checkpoint_replaces_one_of_the_same_id(tk_suite *suite)
{
    notes seen = {0};
    tk_row row = {0};
    commit_checkpoint(suite, 0, "c1", "[1]");
    commit_checkpoint(suite, 1, "c2", "[2]");
    commit_checkpoint(suite, 2, "c3", "[3]");
    commit_checkpoint(suite, 3, "c1", "[4]");
    tk_status(suite, "reading the checkpoints", WFSM_OK,
              wfsm_store_checkpoints(suite->store, "a", note_revision, &seen, NULL));
    tk_string(suite, "checkpoints, oldest first", "2:c2 3:c3 4:c1 ", seen.text);
    tk_status(suite, "reading a checkpoint that was replaced", WFSM_OK,
              wfsm_store_snapshot(suite->store, "a", "c1", tk_keep, &row, NULL));
    tk_string(suite, "a checkpoint that was replaced", "[4]", row.text);
    tk_number(suite, "the revision of a checkpoint that was replaced", 4, row.revision);
    tk_status(suite, "reading a checkpoint", WFSM_OK,
              wfsm_store_snapshot(suite->store, "a", "c2", tk_keep, &row, NULL));
    tk_string(suite, "a checkpoint", "[2]", row.text);
}

static void artifacts_come_with_the_listing(tk_suite *suite)
{
    tk_row row = {0};
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.checkpoint = "c1";
    commit.checkpoint_snapshot = "[1]";
    commit.checkpoint_length = 3;
    commit.artifacts = "[\"file1.ts\",\"\xE2\x82\xAC 'designs/mockups'\"]";
    commit.artifacts_length = strlen(commit.artifacts);
    tk_commit(suite, "a commit with artifacts", suite->store, &commit, WFSM_OK);
    tk_status(suite, "reading the checkpoints", WFSM_OK,
              wfsm_store_checkpoints(suite->store, "a", tk_keep, &row, NULL));
    tk_string(suite, "the artifacts of a checkpoint", commit.artifacts, row.text);
    commit_checkpoint(suite, 1, "c1", "[2]");
    tk_status(suite, "reading the checkpoints", WFSM_OK,
              wfsm_store_checkpoints(suite->store, "a", tk_keep, &row, NULL));
    tk_string(suite, "the artifacts of a checkpoint without any", "[]", row.text);
}

/* 004-271 */
static void the_newest_checkpoint_is_found(tk_suite *suite)
{
    tk_row row = {0};
    tk_start(suite, suite->store, "a", 1);
    tk_status(suite, "the newest of no checkpoints", WFSM_NOT_FOUND,
              wfsm_store_latest_checkpoint(suite->store, "a", tk_keep, &row, NULL));
    tk_status(suite, "the newest checkpoint of an unknown instance", WFSM_NOT_FOUND,
              wfsm_store_latest_checkpoint(suite->store, "b", tk_keep, &row, NULL));
    commit_checkpoint(suite, 1, "c2", "[1]");
    commit_checkpoint(suite, 2, "c1", "[2]");
    tk_status(suite, "the newest checkpoint", WFSM_OK,
              wfsm_store_latest_checkpoint(suite->store, "a", tk_keep, &row, NULL));
    tk_string(suite, "the id of the newest checkpoint", "c1", row.id);
    tk_number(suite, "the revision of the newest checkpoint", 3, row.revision);
    commit_checkpoint(suite, 3, "c2", "[3]");
    tk_status(suite, "the newest checkpoint", WFSM_OK,
              wfsm_store_latest_checkpoint(suite->store, "a", tk_keep, &row, NULL));
    tk_string(suite, "the id of one that was made again", "c2", row.id);
}

static void a_checkpoint_is_deleted_by_a_commit(tk_suite *suite)
{
    notes seen = {0};
    tk_row row = {0};
    wfsm_commit commit = tk_commit_of("a", 3);
    commit_checkpoint(suite, 0, "c1", "[1]");
    commit_checkpoint(suite, 1, "c2", "[2]");
    commit_checkpoint(suite, 2, "c3", "[3]");
    commit.checkpoint_deleted = "c2";
    tk_commit(suite, "a commit that deletes a checkpoint", suite->store, &commit, WFSM_OK);
    tk_status(suite, "reading the checkpoints", WFSM_OK,
              wfsm_store_checkpoints(suite->store, "a", note_revision, &seen, NULL));
    tk_string(suite, "checkpoints, after one was deleted", "1:c1 3:c3 ", seen.text);
    tk_status(suite, "reading a checkpoint that was deleted", WFSM_NOT_FOUND,
              wfsm_store_snapshot(suite->store, "a", "c2", tk_keep, &row, NULL));
    tk_start(suite, suite->store, "b", 1);
    tk_text before = tk_dump_of(suite, suite->store);
    commit = tk_commit_of("a", 4);
    commit.checkpoint_deleted = "c2";
    tk_commit(suite, "deleting a checkpoint again", suite->store, &commit, WFSM_NOT_FOUND);
    commit = tk_commit_of("b", 1);
    commit.checkpoint_deleted = "c1";
    tk_commit(suite, "deleting a checkpoint of another instance", suite->store, &commit,
              WFSM_NOT_FOUND);
    commit = tk_commit_of("new", 0);
    commit.checkpoint_deleted = "c1";
    tk_commit(suite, "a start that deletes a checkpoint", suite->store, &commit,
              WFSM_NOT_FOUND);
    tk_same(suite, "after deleting an unknown checkpoint", suite->store, &before);
}

/* Each revision has a record and a checkpoint of its own. */
static void commit_numbered(tk_suite *suite, uint64_t base)
{
    char record[32], event[32];
    wfsm_commit commit = tk_commit_of("a", base);
    commit.record_length = (size_t)snprintf(record, sizeof record, "{\"r\":%d}", (int)base + 1);
    commit.record = record;
    snprintf(event, sizeof event, "event-%d", (int)base + 1);
    commit.event_id = event;
    tk_commit(suite, "a commit", suite->store, &commit, WFSM_OK);
}

static int32_t add_record(void *user, const wfsm_row *row)
{
    tk_text_add(user, "%llu %s %lld ", (unsigned long long)row->revision,
                row->id ? row->id : "", (long long)row->now);
    tk_text_bytes(user, row->text, row->length);
    tk_text_bytes(user, "\n", 1);
    return WFSM_OK;
}

static void the_journal_only_grows(tk_suite *suite)
{
    tk_text before = {0}, after = {0};
    for (uint64_t base = 0; base < 5; base++)
        commit_numbered(suite, base);
    wfsm_store_records(suite->store, "a", 1, 5, add_record, &before, NULL);
    for (uint64_t base = 5; base < 60; base++)
        commit_numbered(suite, base);
    wfsm_commit refused = tk_commit_of("a", 3);
    refused.record = "{\"r\":0}";
    tk_commit(suite, "a commit at a revision that has a record", suite->store, &refused,
              WFSM_CONFLICT);
    wfsm_store_records(suite->store, "a", 1, 5, add_record, &after, NULL);
    tk_lines(suite, "the first records, much later", tk_text_read(&before),
             tk_text_read(&after));
    suite->no_memory = suite->no_memory || before.failed || after.failed;
    tk_text_free(&before);
    tk_text_free(&after);
}

static void what_is_removed_is_gone(tk_suite *suite)
{
    wfsm_store *store = suite->store;
    tk_row row = {0};
    int32_t seen = 0;
    tk_start(suite, store, "b", 3);
    tk_text before = tk_dump_of(suite, store);
    commit_checkpoint(suite, 0, "c1", "[1]");
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.event_id = "e";
    tk_commit(suite, "a commit", store, &commit, WFSM_OK);
    wfsm_store_post(store, "a", "GO", "p", NULL, 0, 1, NULL);
    tk_status(suite, "removing an instance", WFSM_OK, wfsm_store_remove(store, "a", NULL));
    tk_status(suite, "the records of a removed instance", WFSM_NOT_FOUND,
              wfsm_store_records(store, "a", 1, 9, tk_keep, &row, NULL));
    tk_same(suite, "after a removal", store, &before);
    tk_start(suite, store, "a", 1);
    tk_status(suite, "seen", WFSM_OK, wfsm_store_seen(store, "a", "e", &seen, NULL));
    tk_number(suite, "an event of an instance that was removed", 0, (uint64_t)seen);
    tk_status(suite, "seen", WFSM_OK, wfsm_store_seen(store, "a", "p", &seen, NULL));
    tk_number(suite, "a post of an instance that was removed", 0, (uint64_t)seen);
    wfsm_store_checkpoints(store, "a", tk_keep, &row, NULL);
    wfsm_store_inbox(store, NULL, 0, tk_keep, &row, NULL);
    tk_number(suite, "checkpoints and posts of an instance that was removed", 0, row.count);
}

static void many_instances_are_found_again(tk_suite *suite)
{
    char id[32];
    for (int i = 0; i < 200; i++) {
        snprintf(id, sizeof id, "instance-%d", i);
        tk_start(suite, suite->store, id, 1);
    }
    for (int i = 0; i < 200; i += 2) {
        snprintf(id, sizeof id, "instance-%d", i);
        tk_status(suite, "removing", WFSM_OK, wfsm_store_remove(suite->store, id, NULL));
    }
    for (int i = 0; i < 200; i++) {
        wfsm_head head = {.size = sizeof head};
        snprintf(id, sizeof id, "instance-%d", i);
        tk_status(suite, "the head of one of many instances", i % 2 ? WFSM_OK : WFSM_NOT_FOUND,
                  wfsm_store_head(suite->store, id, &head, NULL));
    }
}

const tk_case tk_reading_cases[] = {
    {"records_are_read_in_order_and_in_parts", records_are_read_in_order_and_in_parts, false},
    {"a_reader_ends_the_reading", a_reader_ends_the_reading, false},
    {"a_reader_may_not_call_the_store", a_reader_may_not_call_the_store, false},
    {"the_latest_snapshot_is_found", the_latest_snapshot_is_found, false},
    {"a_checkpoint_replaces_one_of_the_same_id", a_checkpoint_replaces_one_of_the_same_id,
     false},
    {"artifacts_come_with_the_listing", artifacts_come_with_the_listing, false},
    {"the_newest_checkpoint_is_found", the_newest_checkpoint_is_found, false},
    {"a_checkpoint_is_deleted_by_a_commit", a_checkpoint_is_deleted_by_a_commit, false},
    {"the_journal_only_grows", the_journal_only_grows, false},
    {"what_is_removed_is_gone", what_is_removed_is_gone, false},
    {"many_instances_are_found_again", many_instances_are_found_again, false},
    {NULL, NULL, false},
};
