/* testkit/compact_cases.c: compaction. What is deleted, what stays, and what is refused. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

/* Each record has an event id of its own. Every second record has a snapshot. */
static void commit_numbered(tk_kit *kit, const char *instance, uint64_t base)
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
    tk_commit(kit, "a commit", kit->store, &commit, WFSM_OK);
}

static void start_numbered(tk_kit *kit, const char *instance, uint64_t count)
{
    for (uint64_t base = 0; base < count; base++)
        commit_numbered(kit, instance, base);
}

static int32_t cut_at(tk_kit *kit, const char *instance, uint64_t revision,
                      const char *snapshot)
{
    return wfsm_store_cut(kit->store, instance, revision, snapshot, strlen(snapshot),
                          kit->error);
}

static void expect_anchor(tk_kit *kit, const char *instance, uint64_t revision,
                          const char *snapshot)
{
    tk_row row = {0};
    tk_head head = tk_head_of(kit, instance);
    tk_number(kit, "head.first", revision, head.first);
    tk_status(kit, "reading the anchor", WFSM_OK,
              wfsm_store_anchor(kit->store, instance, tk_keep, &row, NULL));
    tk_number(kit, "rows of an anchor", 1, row.count);
    tk_number(kit, "the revision of the anchor", revision, row.revision);
    tk_time(kit, "the time of the anchor", 999 + (int64_t)revision, row.now);
    tk_string(kit, "the anchor", snapshot, row.text);
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

static void expect_records(tk_kit *kit, const char *instance, uint64_t first, uint64_t last)
{
    span seen = {0};
    tk_status(kit, "reading records", WFSM_OK,
              wfsm_store_records(kit->store, instance, 1, UINT64_MAX, note_span, &seen, NULL));
    tk_number(kit, "the first record of a journal that was cut", first, seen.first);
    tk_number(kit, "the last record of a journal that was cut", last, seen.last);
    tk_number(kit, "the records of a journal that was cut", last - first + 1, seen.count);
    seen = (span){0};
    wfsm_store_records(kit->store, instance, 1, first - 1, note_span, &seen, NULL);
    tk_number(kit, "records before the cut", 0, seen.count);
    wfsm_store_records(kit->store, instance, first, first, note_span, &seen, NULL);
    tk_number(kit, "the record at the cut", 1, seen.count);
}

static void a_whole_journal_has_no_anchor(tk_kit *kit)
{
    tk_row row = {0};
    start_numbered(kit, "a", 3);
    tk_number(kit, "head.first of a whole journal", 1, tk_head_of(kit, "a").first);
    tk_status(kit, "the anchor of a whole journal", WFSM_NOT_FOUND,
              wfsm_store_anchor(kit->store, "a", tk_keep, &row, NULL));
    tk_status(kit, "the anchor of an unknown instance", WFSM_NOT_FOUND,
              wfsm_store_anchor(kit->store, "b", tk_keep, &row, NULL));
    tk_number(kit, "rows of no anchor", 0, row.count);
}

static void a_cut_drops_what_is_before_it(tk_kit *kit)
{
    tk_row row = {0};
    start_numbered(kit, "other", 4);
    start_numbered(kit, "a", 10);
    tk_head before = tk_head_of(kit, "a");
    tk_status(kit, "a cut", WFSM_OK, cut_at(kit, "a", 6, "{\"cut\":6}"));
    expect_anchor(kit, "a", 6, "{\"cut\":6}");
    expect_records(kit, "a", 6, 10);
    expect_records(kit, "other", 1, 4);
    before.first = 6;
    tk_head after = tk_head_of(kit, "a");
    tk_holds(kit, !memcmp(&before, &after, sizeof before),
             "a cut changes more of the head than `first`");
    tk_status(kit, "the snapshot behind a cut", WFSM_OK,
              wfsm_store_snapshot(kit->store, "a", NULL, tk_keep, &row, NULL));
    tk_string(kit, "the snapshot behind a cut", "{\"at\":9}", row.text);
    tk_number(kit, "its revision", 9, row.revision);
}

static void it_goes_on_behind_a_cut_and_is_cut_again(tk_kit *kit)
{
    start_numbered(kit, "a", 5);
    tk_status(kit, "a cut", WFSM_OK, cut_at(kit, "a", 3, "{\"cut\":3}"));
    for (uint64_t base = 5; base < 12; base++)
        commit_numbered(kit, "a", base);
    expect_records(kit, "a", 3, 12);
    expect_anchor(kit, "a", 3, "{\"cut\":3}");
    tk_status(kit, "a second cut", WFSM_OK, cut_at(kit, "a", 8, "{\"cut\":8}"));
    expect_anchor(kit, "a", 8, "{\"cut\":8}");
    expect_records(kit, "a", 8, 12);
}

static void a_cut_at_the_last_snapshot_replaces_it(tk_kit *kit)
{
    tk_row row = {0};
    start_numbered(kit, "a", 6);
    tk_status(kit, "a cut at the last snapshot", WFSM_OK, cut_at(kit, "a", 5, "{\"cut\":5}"));
    expect_anchor(kit, "a", 5, "{\"cut\":5}");
    expect_records(kit, "a", 5, 6);
    tk_status(kit, "the snapshot", WFSM_OK,
              wfsm_store_snapshot(kit->store, "a", NULL, tk_keep, &row, NULL));
    tk_string(kit, "the snapshot that a cut replaced", "{\"cut\":5}", row.text);
    tk_number(kit, "its revision", 5, row.revision);
}

static void a_cut_that_cannot_be_changes_nothing(tk_kit *kit)
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
        {"a cut at the end of all numbers", "a", UINT64_MAX, WFSM_CONFLICT},
        {"a cut at the first record", "whole", 1, WFSM_CONFLICT},
        {"a cut without any snapshot", "bare", 2, WFSM_CONFLICT},
        {"a cut of an unknown instance", "nobody", 2, WFSM_NOT_FOUND},
    };
    start_numbered(kit, "a", 8);
    start_numbered(kit, "whole", 3);
    tk_start(kit, kit->store, "bare", 3);
    tk_status(kit, "a cut", WFSM_OK, cut_at(kit, "a", 3, "{\"cut\":3}"));
    tk_text before = tk_dump_of(kit, kit->store);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tk_status(kit, cases[i].what, cases[i].status,
                  cut_at(kit, cases[i].instance, cases[i].revision, "{}"));
    tk_same(kit, "after cuts that were refused", kit->store, &before);
}

static void event_ids_go_with_their_records(tk_kit *kit)
{
    const struct {
        const char *id;
        int32_t seen;
    } cases[] = {{"event-4", 0}, {"event-5", 1}, {"event-6", 1}, {"waiting", 1}, {"new", 0}};
    start_numbered(kit, "a", 6);
    tk_status(kit, "posting", WFSM_OK,
              wfsm_store_post(kit->store, "a", "GO", "waiting", NULL, 0, 1, NULL));
    tk_status(kit, "a cut", WFSM_OK, cut_at(kit, "a", 5, "{\"cut\":5}"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t seen = -1;
        tk_status(kit, "seen", WFSM_OK,
                  wfsm_store_seen(kit->store, "a", cases[i].id, &seen, NULL));
        tk_holds(kit, seen == cases[i].seen, "seen says %d of %s after a cut at event-5",
                 (int)seen, cases[i].id);
    }
    tk_status(kit, "posting an id whose record is kept", WFSM_EXISTS,
              wfsm_store_post(kit->store, "a", "GO", "event-5", NULL, 0, 1, NULL));
    tk_status(kit, "posting an id that waits", WFSM_EXISTS,
              wfsm_store_post(kit->store, "a", "GO", "waiting", NULL, 0, 1, NULL));
    wfsm_commit commit = tk_commit_of("a", 6);
    commit.event_id = "event-5";
    tk_commit(kit, "an id whose record is kept", kit->store, &commit, WFSM_EXISTS);
    commit.event_id = "event-4";
    tk_commit(kit, "an id whose record was dropped", kit->store, &commit, WFSM_OK);
    commit.base = 7;
    tk_commit(kit, "the same id again", kit->store, &commit, WFSM_EXISTS);
}

static void checkpoints_and_posts_stay_over_a_cut(tk_kit *kit)
{
    tk_row checkpoint = {0}, post = {0};
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.checkpoint = "c1";
    commit.checkpoint_snapshot = "[1]";
    commit.checkpoint_length = 3;
    tk_commit(kit, "a commit with a checkpoint", kit->store, &commit, WFSM_OK);
    for (uint64_t base = 1; base < 6; base++)
        commit_numbered(kit, "a", base);
    wfsm_store_post(kit->store, "a", "GO", NULL, "[7]", 3, 1, NULL);
    wfsm_store_post(kit->store, "a", "ON", "p", NULL, 0, 2, NULL);
    tk_status(kit, "a cut", WFSM_OK, cut_at(kit, "a", 4, "{\"cut\":4}"));
    tk_status(kit, "reading a checkpoint behind a cut", WFSM_OK,
              wfsm_store_snapshot(kit->store, "a", "c1", tk_keep, &checkpoint, NULL));
    tk_string(kit, "a checkpoint behind a cut", "[1]", checkpoint.text);
    tk_status(kit, "reading the inbox", WFSM_OK,
              wfsm_store_inbox(kit->store, "a", 0, tk_keep, &post, NULL));
    tk_number(kit, "posts behind a cut", 2, post.count);
    tk_string(kit, "the name of a post behind a cut", "ON", post.name);
    tk_string(kit, "the id of a post behind a cut", "p", post.id);
    commit = tk_commit_of("a", 6);
    commit.inbox = post.number;
    commit.event_id = "p";
    tk_commit(kit, "a commit that consumes it", kit->store, &commit, WFSM_OK);
}

static void a_removed_instance_has_no_anchor(tk_kit *kit)
{
    tk_text before = tk_dump_of(kit, kit->store);
    start_numbered(kit, "a", 6);
    tk_status(kit, "a cut", WFSM_OK, cut_at(kit, "a", 4, "{\"cut\":4}"));
    tk_status(kit, "removing", WFSM_OK, wfsm_store_remove(kit->store, "a", NULL));
    tk_same(kit, "after removing what was cut", kit->store, &before);
    a_whole_journal_has_no_anchor(kit);
    expect_records(kit, "a", 1, 3);
}

static void a_cut_is_there_when_opened_again(tk_kit *kit)
{
    start_numbered(kit, "a", 60);
    tk_status(kit, "a cut", WFSM_OK, cut_at(kit, "a", 33, "{\"cut\":33}"));
    tk_reopen(kit);
    expect_anchor(kit, "a", 33, "{\"cut\":33}");
    expect_records(kit, "a", 33, 60);
    for (uint64_t base = 60; base < 63; base++)
        commit_numbered(kit, "a", base);
    expect_records(kit, "a", 33, 63);
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
