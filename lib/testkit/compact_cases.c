/* testkit/compact_cases.c: compaction. What is deleted, what stays, and what is refused. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

/* Each record has an event id of its own. Every second record has a snapshot. */
static void commit_numbered(tk_suite *suite, const char *instance, uint64_t base)
{
    char event[32], snapshot[32];
    wfsm_commit commit = tk_commit_of(instance, base);
    snprintf(event, sizeof event, "event-%d", (int)base + 1);
    snprintf(snapshot, sizeof snapshot, "{\"at\":%d}", (int)base + 1);
    commit.event_id = event;
    if (base % 2 == 0) {
        commit.snapshot = snapshot;
        commit.snapshot_length = strlen(snapshot);
    }
    tk_commit(suite, "a commit", suite->store, &commit, WFSM_OK);
}

static void start_numbered(tk_suite *suite, const char *instance, uint64_t count)
{
    for (uint64_t base = 0; base < count; base++)
        commit_numbered(suite, instance, base);
}

static int32_t cut_at(tk_suite *suite, const char *instance, uint64_t revision,
                      const char *snapshot)
{
    return wfsm_store_cut(suite->store, instance, revision, snapshot, strlen(snapshot),
                          suite->error);
}

static void expect_anchor(tk_suite *suite, const char *instance, uint64_t revision,
                          const char *snapshot)
{
    tk_row row = {0};
    tk_head head = tk_head_of(suite, instance);
    tk_number(suite, "head.first", revision, head.first);
    tk_status(suite, "reading the anchor", WFSM_OK,
              wfsm_store_anchor(suite->store, instance, tk_keep, &row, NULL));
    tk_number(suite, "rows of an anchor", 1, row.count);
    tk_number(suite, "the revision of the anchor", revision, row.revision);
    tk_time(suite, "the time of the anchor", 999 + (int64_t)revision, row.now);
    tk_string(suite, "the anchor", snapshot, row.text);
}

typedef struct span {
    uint64_t first, last, count;
} span;

static int32_t note_span(void *user, const wfsm_row *row)
{
    span *seen = user;
    seen->first = seen->count++ ? seen->first : row->revision;
    seen->last = row->revision;
    return WFSM_OK;
}

static void expect_records(tk_suite *suite, const char *instance, uint64_t first, uint64_t last)
{
    span seen = {0};
    tk_status(
        suite, "reading records", WFSM_OK,
        wfsm_store_records(suite->store, instance, 1, UINT64_MAX, note_span, &seen, NULL));
    tk_number(suite, "the first record of a journal that was cut", first, seen.first);
    tk_number(suite, "the last record of a journal that was cut", last, seen.last);
    tk_number(suite, "the records of a journal that was cut", last - first + 1, seen.count);
    seen = (span){0};
    wfsm_store_records(suite->store, instance, 1, first - 1, note_span, &seen, NULL);
    tk_number(suite, "records before the cut", 0, seen.count);
    wfsm_store_records(suite->store, instance, first, first, note_span, &seen, NULL);
    tk_number(suite, "the record at the cut", 1, seen.count);
}

static void a_whole_journal_has_no_anchor(tk_suite *suite)
{
    tk_row row = {0};
    start_numbered(suite, "a", 3);
    tk_number(suite, "head.first of a whole journal", 1, tk_head_of(suite, "a").first);
    tk_status(suite, "the anchor of a whole journal", WFSM_NOT_FOUND,
              wfsm_store_anchor(suite->store, "a", tk_keep, &row, NULL));
    tk_status(suite, "the anchor of an unknown instance", WFSM_NOT_FOUND,
              wfsm_store_anchor(suite->store, "b", tk_keep, &row, NULL));
    tk_number(suite, "rows of no anchor", 0, row.count);
}

static void a_cut_drops_what_is_before_it(tk_suite *suite)
{
    tk_row row = {0};
    start_numbered(suite, "other", 4);
    start_numbered(suite, "a", 10);
    tk_head before = tk_head_of(suite, "a");
    tk_status(suite, "a cut", WFSM_OK, cut_at(suite, "a", 6, "{\"cut\":6}"));
    expect_anchor(suite, "a", 6, "{\"cut\":6}");
    expect_records(suite, "a", 6, 10);
    expect_records(suite, "other", 1, 4);
    before.first = 6;
    tk_head after = tk_head_of(suite, "a");
    tk_holds(suite, !memcmp(&before, &after, sizeof before),
             "a cut changes more of the head than `first`");
    tk_status(suite, "the snapshot behind a cut", WFSM_OK,
              wfsm_store_snapshot(suite->store, "a", NULL, tk_keep, &row, NULL));
    tk_string(suite, "the snapshot behind a cut", "{\"at\":9}", row.text);
    tk_number(suite, "its revision", 9, row.revision);
}

static void it_goes_on_behind_a_cut_and_is_cut_again(tk_suite *suite)
{
    start_numbered(suite, "a", 5);
    tk_status(suite, "a cut", WFSM_OK, cut_at(suite, "a", 3, "{\"cut\":3}"));
    for (uint64_t base = 5; base < 12; base++)
        commit_numbered(suite, "a", base);
    expect_records(suite, "a", 3, 12);
    expect_anchor(suite, "a", 3, "{\"cut\":3}");
    tk_status(suite, "a second cut", WFSM_OK, cut_at(suite, "a", 8, "{\"cut\":8}"));
    expect_anchor(suite, "a", 8, "{\"cut\":8}");
    expect_records(suite, "a", 8, 12);
}

static void a_cut_at_the_last_snapshot_replaces_it(tk_suite *suite)
{
    tk_row row = {0};
    start_numbered(suite, "a", 6);
    tk_status(suite, "a cut at the last snapshot", WFSM_OK,
              cut_at(suite, "a", 5, "{\"cut\":5}"));
    expect_anchor(suite, "a", 5, "{\"cut\":5}");
    expect_records(suite, "a", 5, 6);
    tk_status(suite, "the snapshot", WFSM_OK,
              wfsm_store_snapshot(suite->store, "a", NULL, tk_keep, &row, NULL));
    tk_string(suite, "the snapshot that a cut replaced", "{\"cut\":5}", row.text);
    tk_number(suite, "its revision", 5, row.revision);
}

static void a_cut_that_cannot_be_changes_nothing(tk_suite *suite)
{
    const struct {
        const char *what, *instance;
        uint64_t revision;
        int32_t status;
    } cases[] = {
        {"a cut at revision 0", "a", 0, WFSM_CONFLICT},
        {"a cut before the first record", "a", 2, WFSM_CONFLICT},
        {"a cut where it was cut before", "a", 3, WFSM_CONFLICT},
        {"a cut behind the last snapshot", "a", 8, WFSM_CONFLICT},
        {"a cut behind the last record", "a", 9, WFSM_CONFLICT},
        {"a cut at the largest revision", "a", UINT64_MAX, WFSM_CONFLICT},
        {"a cut at the first record", "whole", 1, WFSM_CONFLICT},
        {"a cut without any snapshot", "bare", 2, WFSM_CONFLICT},
        {"a cut of an unknown instance", "nobody", 2, WFSM_NOT_FOUND},
    };
    start_numbered(suite, "a", 8);
    start_numbered(suite, "whole", 3);
    tk_start(suite, suite->store, "bare", 3);
    tk_status(suite, "a cut", WFSM_OK, cut_at(suite, "a", 3, "{\"cut\":3}"));
    tk_text before = tk_dump_of(suite, suite->store);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tk_status(suite, cases[i].what, cases[i].status,
                  cut_at(suite, cases[i].instance, cases[i].revision, "{}"));
    tk_same(suite, "after cuts that were refused", suite->store, &before);
}

static void event_ids_go_with_their_records(tk_suite *suite)
{
    const struct {
        const char *id;
        int32_t seen;
    } cases[] = {{"event-4", 0}, {"event-5", 1}, {"event-6", 1}, {"waiting", 1}, {"new", 0}};
    start_numbered(suite, "a", 6);
    tk_status(suite, "posting", WFSM_OK,
              wfsm_store_post(suite->store, "a", "GO", "waiting", NULL, 0, 1, NULL));
    tk_status(suite, "a cut", WFSM_OK, cut_at(suite, "a", 5, "{\"cut\":5}"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t seen = -1;
        tk_status(suite, "seen", WFSM_OK,
                  wfsm_store_seen(suite->store, "a", cases[i].id, &seen, NULL));
        tk_holds(suite, seen == cases[i].seen, "seen says %d of %s after a cut at event-5",
                 (int)seen, cases[i].id);
    }
    tk_status(suite, "posting an id whose record is kept", WFSM_EXISTS,
              wfsm_store_post(suite->store, "a", "GO", "event-5", NULL, 0, 1, NULL));
    tk_status(suite, "posting the id of a waiting post", WFSM_EXISTS,
              wfsm_store_post(suite->store, "a", "GO", "waiting", NULL, 0, 1, NULL));
    wfsm_commit commit = tk_commit_of("a", 6);
    commit.event_id = "event-5";
    tk_commit(suite, "an id whose record is kept", suite->store, &commit, WFSM_EXISTS);
    commit.event_id = "event-4";
    tk_commit(suite, "an id whose record was dropped", suite->store, &commit, WFSM_OK);
    commit.base = 7;
    tk_commit(suite, "the same id again", suite->store, &commit, WFSM_EXISTS);
}

static void checkpoints_and_posts_stay_over_a_cut(tk_suite *suite)
{
    tk_row checkpoint = {0}, post = {0};
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.checkpoint = "c1";
    commit.checkpoint_snapshot = "[1]";
    commit.checkpoint_length = 3;
    tk_commit(suite, "a commit with a checkpoint", suite->store, &commit, WFSM_OK);
    for (uint64_t base = 1; base < 6; base++)
        commit_numbered(suite, "a", base);
    wfsm_store_post(suite->store, "a", "GO", NULL, "[7]", 3, 1, NULL);
    wfsm_store_post(suite->store, "a", "ON", "p", NULL, 0, 2, NULL);
    tk_status(suite, "a cut", WFSM_OK, cut_at(suite, "a", 4, "{\"cut\":4}"));
    tk_status(suite, "reading a checkpoint behind a cut", WFSM_OK,
              wfsm_store_snapshot(suite->store, "a", "c1", tk_keep, &checkpoint, NULL));
    tk_string(suite, "a checkpoint behind a cut", "[1]", checkpoint.text);
    tk_status(suite, "reading the inbox", WFSM_OK,
              wfsm_store_inbox(suite->store, "a", 0, tk_keep, &post, NULL));
    tk_number(suite, "posts behind a cut", 2, post.count);
    tk_string(suite, "the name of a post behind a cut", "ON", post.name);
    tk_string(suite, "the id of a post behind a cut", "p", post.id);
    commit = tk_commit_of("a", 6);
    commit.inbox = post.number;
    commit.event_id = "p";
    tk_commit(suite, "a commit that consumes it", suite->store, &commit, WFSM_OK);
}

static void a_removed_instance_has_no_anchor(tk_suite *suite)
{
    tk_text before = tk_dump_of(suite, suite->store);
    start_numbered(suite, "a", 6);
    tk_status(suite, "a cut", WFSM_OK, cut_at(suite, "a", 4, "{\"cut\":4}"));
    tk_status(suite, "removing", WFSM_OK, wfsm_store_remove(suite->store, "a", NULL));
    tk_same(suite, "after removing what was cut", suite->store, &before);
    a_whole_journal_has_no_anchor(suite);
    expect_records(suite, "a", 1, 3);
}

static void a_cut_is_there_when_opened_again(tk_suite *suite)
{
    start_numbered(suite, "a", 60);
    tk_status(suite, "a cut", WFSM_OK, cut_at(suite, "a", 33, "{\"cut\":33}"));
    tk_reopen(suite);
    expect_anchor(suite, "a", 33, "{\"cut\":33}");
    expect_records(suite, "a", 33, 60);
    for (uint64_t base = 60; base < 63; base++)
        commit_numbered(suite, "a", base);
    expect_records(suite, "a", 33, 63);
}

const tk_case tk_compact_cases[] = {
    {"a_whole_journal_has_no_anchor", a_whole_journal_has_no_anchor, false},
    {"a_cut_drops_what_is_before_it", a_cut_drops_what_is_before_it, false},
    {"it_goes_on_behind_a_cut_and_is_cut_again", it_goes_on_behind_a_cut_and_is_cut_again,
     false},
    {"a_cut_at_the_last_snapshot_replaces_it", a_cut_at_the_last_snapshot_replaces_it, false},
    {"a_cut_that_cannot_be_changes_nothing", a_cut_that_cannot_be_changes_nothing, false},
    {"event_ids_go_with_their_records", event_ids_go_with_their_records, false},
    {"checkpoints_and_posts_stay_over_a_cut", checkpoints_and_posts_stay_over_a_cut, false},
    {"a_removed_instance_has_no_anchor", a_removed_instance_has_no_anchor, false},
    {"a_cut_is_there_when_opened_again", a_cut_is_there_when_opened_again, true},
    {NULL, NULL, false},
};
