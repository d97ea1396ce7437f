/* testkit/commit_cases.c: what a commit stores, and what a refused commit leaves
 * unchanged. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

typedef struct wanted_text {
    tk_suite *suite;
    const char *text;
    size_t length;
    uint64_t count;
} wanted_text;

static int32_t same_text(void *user, const wfsm_row *row)
{
    wanted_text *wanted = user;
    wanted->count++;
    tk_number(wanted->suite, "the length of a text of 1 MiB", wanted->length, row->length);
    tk_holds(wanted->suite,
             row->length == wanted->length && memcmp(wanted->text, row->text, row->length) == 0,
             "a text was read with other bytes than were written");
    return WFSM_OK;
}

/* Writes JSON of `length` bytes with characters of one to four bytes. */
static char *big_text(tk_suite *suite, size_t length)
{
    static const char sample[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 \\u0000 \\\"";
    char *text = malloc(length + 1);
    size_t at = 1;
    suite->no_memory = suite->no_memory || !text;
    if (!text)
        return NULL;
    while (at + sizeof sample < length) {
        memcpy(text + at, sample, sizeof sample - 1);
        at += sizeof sample - 1;
    }
    memset(text + at, 'x', length - at);
    text[0] = text[length - 1] = '"';
    text[length] = '\0';
    return text;
}

static void read_back(tk_suite *suite, const wfsm_commit *commit, wanted_text *wanted)
{
    wfsm_store *store = suite->store;
    const char *id = commit->instance;
    tk_status(suite, "reading the record", WFSM_OK,
              wfsm_store_records(store, id, 1, 1, same_text, wanted, NULL));
    tk_status(suite, "reading the snapshot", WFSM_OK,
              wfsm_store_snapshot(store, id, NULL, same_text, wanted, NULL));
    tk_status(suite, "reading the checkpoint", WFSM_OK,
              wfsm_store_snapshot(store, id, commit->checkpoint, same_text, wanted, NULL));
    tk_status(suite, "reading the document", WFSM_OK,
              wfsm_store_document(store, commit->fingerprint, same_text, wanted, NULL));
    tk_number(suite, "rows of four readings", 4, wanted->count);
}

/* 004-297: copies in, copies out. */
static void what_goes_in_comes_out_unaltered(tk_suite *suite)
{
    size_t length = 1 << 20;
    char *text = big_text(suite, length), *mine = big_text(suite, length);
    wfsm_commit commit = tk_commit_of("inst\xC3\xA4nce 1", 0);
    commit.record = commit.snapshot = commit.checkpoint_snapshot = commit.document = text;
    commit.record_length = commit.snapshot_length = length;
    commit.checkpoint_length = commit.document_length = length;
    commit.checkpoint = "check '\xE2\x82\xAC'";
    if (text && mine) {
        wanted_text wanted = {suite, mine, length, 0};
        tk_commit(suite, "a commit with texts of 1 MiB", suite->store, &commit, WFSM_OK);
        memset(text, 'z', length);
        read_back(suite, &commit, &wanted);
    }
    free(text);
    free(mine);
}

static void the_head_has_what_the_commit_said(tk_suite *suite)
{
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.owner = "host-1";
    commit.token = "t1";
    commit.tags = "error terminal";
    commit.snapshot = "{}";
    commit.snapshot_length = 2;
    commit.deadline = 5000;
    commit.effects = 3;
    tk_commit(suite, "the first commit", suite->store, &commit, WFSM_OK);
    commit = tk_commit_of("a", 1);
    commit.owner = "host-1";
    commit.token = "t2";
    commit.status = WFSM_DONE;
    commit.effects = 4;
    tk_commit(suite, "the second commit", suite->store, &commit, WFSM_OK);
    tk_head head = tk_head_of(suite, "a");
    tk_string(suite, "head.instance", "a", head.instance);
    tk_string(suite, "head.machine", "machine", head.machine);
    tk_string(suite, "head.fingerprint", "f1", head.fingerprint);
    tk_string(suite, "head.owner", "host-1", head.owner);
    tk_string(suite, "head.token", "t2", head.token);
    tk_string(suite, "head.tags", "", head.tags);
    tk_number(suite, "head.revision", 2, head.revision);
    tk_number(suite, "head.snapshot_revision", 1, head.snapshot_revision);
    tk_number(suite, "head.effects", 4, head.effects);
    tk_number(suite, "head.acknowledged", 0, head.acknowledged);
    tk_number(suite, "head.status", WFSM_DONE, (uint64_t)head.status);
    tk_time(suite, "head.deadline", WFSM_NEVER, head.deadline);
    tk_time(suite, "head.created", 1000, head.created);
    tk_time(suite, "head.updated", 1001, head.updated);
}

/* 004-294 */
static void an_unknown_instance_is_not_found(tk_suite *suite)
{
    wfsm_store *store = suite->store;
    wfsm_head head = {.size = sizeof head};
    tk_row row = {0};
    int32_t seen;
    tk_start(suite, store, "b", 1);
    tk_text before = tk_dump_of(suite, store);
    const struct {
        const char *what;
        int32_t answer;
    } answers[] = {
        {"head", wfsm_store_head(store, "a", &head, NULL)},
        {"records", wfsm_store_records(store, "a", 1, 9, tk_keep, &row, NULL)},
        {"checkpoints", wfsm_store_checkpoints(store, "a", tk_keep, &row, NULL)},
        {"inbox", wfsm_store_inbox(store, "a", 0, tk_keep, &row, NULL)},
        {"post", wfsm_store_post(store, "a", "GO", NULL, NULL, 0, 1, NULL)},
        {"document", wfsm_store_document(store, "f2", tk_keep, &row, NULL)},
        {"snapshot", wfsm_store_snapshot(store, "a", NULL, tk_keep, &row, NULL)},
        {"snapshot of an instance without one",
         wfsm_store_snapshot(store, "b", NULL, tk_keep, &row, NULL)},
        {"snapshot of an unknown checkpoint",
         wfsm_store_snapshot(store, "b", "none", tk_keep, &row, NULL)},
        {"seen", wfsm_store_seen(store, "a", "e", &seen, NULL)},
        {"acknowledge", wfsm_store_acknowledge(store, "a", 0, NULL)},
        {"own", wfsm_store_own(store, "a", "me", 1, NULL)},
        {"disown", wfsm_store_disown(store, "a", "me", NULL)},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        tk_holds(suite, answers[i].answer == WFSM_NOT_FOUND,
                 "%s of an unknown instance: expected NOT_FOUND, got %s", answers[i].what,
                 wfsm_status_name(answers[i].answer));
    wfsm_commit commit = tk_commit_of("a", 1);
    tk_commit(suite, "a commit to an unknown instance", store, &commit, WFSM_NOT_FOUND);
    tk_status(suite, "removing an unknown instance", WFSM_OK,
              wfsm_store_remove(store, "a", NULL));
    tk_number(suite, "rows of an unknown instance", 0, row.count);
    tk_same(suite, "after asking for an unknown instance", store, &before);
}

/* An instance of two commits, owned by "me", whose first had the event id e1. */
static void start_owned(tk_suite *suite)
{
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.owner = "me";
    commit.event_id = "e1";
    tk_commit(suite, "a commit with an owner and an event id", suite->store, &commit, WFSM_OK);
    commit = tk_commit_of("a", 1);
    commit.owner = "me";
    tk_commit(suite, "a commit under the same owner", suite->store, &commit, WFSM_OK);
}

static void a_refused_commit_changes_nothing(tk_suite *suite)
{
    const struct {
        const char *what;
        uint64_t base, inbox;
        const char *owner, *event_id, *fingerprint;
        int32_t answer;
        const char *previous;
    } cases[] = {
        {"a start of an instance that exists", 0, 0, "me", NULL, "f1", WFSM_EXISTS, NULL},
        {"a commit at a stale revision", 1, 0, "me", NULL, "f1", WFSM_CONFLICT, NULL},
        {"a commit at a future revision", 3, 0, "me", NULL, "f1", WFSM_CONFLICT, NULL},
        {"a commit of another owner", 2, 0, "you", NULL, "f1", WFSM_CONFLICT, NULL},
        {"a commit without the owner", 2, 0, "", NULL, "f1", WFSM_CONFLICT, NULL},
        {"a commit to another history", 2, 0, "me", NULL, "f1", WFSM_CONFLICT, "another"},
        {"a commit with a known event id", 2, 0, "me", "e1", "f1", WFSM_EXISTS, NULL},
        {"a commit of an unknown post", 2, 77, "me", NULL, "f1", WFSM_NOT_FOUND, NULL},
        {"a commit without its document", 2, 0, "me", NULL, "f2", WFSM_NOT_FOUND, NULL},
    };
    start_owned(suite);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tk_text before = tk_dump_of(suite, suite->store);
        wfsm_commit commit = tk_commit_of("a", cases[i].base);
        commit.inbox = cases[i].inbox;
        commit.owner = cases[i].owner;
        commit.previous = cases[i].previous;
        commit.event_id = cases[i].event_id;
        commit.fingerprint = cases[i].fingerprint;
        commit.document = NULL;
        commit.document_length = 0;
        commit.checkpoint = "c";
        commit.checkpoint_snapshot = "{}";
        commit.checkpoint_length = 2;
        commit.snapshot = "{}";
        commit.snapshot_length = 2;
        commit.tags = "changed";
        tk_commit(suite, cases[i].what, suite->store, &commit, cases[i].answer);
        tk_same(suite, cases[i].what, suite->store, &before);
    }
}

static void event_ids_belong_to_their_instance(tk_suite *suite)
{
    int32_t seen = 0;
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.event_id = "e1";
    tk_commit(suite, "a commit with an event id", suite->store, &commit, WFSM_OK);
    commit.instance = "b";
    tk_commit(suite, "the same event id in another instance", suite->store, &commit, WFSM_OK);
    for (uint64_t base = 1; base < 40; base++) {
        commit = tk_commit_of("a", base);
        tk_commit(suite, "a commit without an event id", suite->store, &commit, WFSM_OK);
    }
    tk_status(suite, "seen", WFSM_OK, wfsm_store_seen(suite->store, "a", "e1", &seen, NULL));
    tk_number(suite, "seen of an event id with a record", 1, (uint64_t)seen);
    tk_status(suite, "seen", WFSM_OK, wfsm_store_seen(suite->store, "a", "e2", &seen, NULL));
    tk_number(suite, "seen of an unknown event id", 0, (uint64_t)seen);
}

static void a_document_is_stored_once(tk_suite *suite)
{
    tk_row row = {0};
    tk_start(suite, suite->store, "a", 1);
    wfsm_commit commit = tk_commit_of("b", 0);
    commit.document = NULL;
    commit.document_length = 0;
    tk_commit(suite, "a start with a document that is stored", suite->store, &commit, WFSM_OK);
    wfsm_store_remove(suite->store, "a", NULL);
    commit = tk_commit_of("b", 1);
    commit.fingerprint = "f2";
    commit.machine = "other";
    commit.document = "{\"id\":\"other\"}";
    commit.document_length = 14;
    tk_commit(suite, "a commit with another document", suite->store, &commit, WFSM_OK);
    tk_status(suite, "a document that an instance once had", WFSM_OK,
              wfsm_store_document(suite->store, "f1", tk_keep, &row, NULL));
    tk_string(suite, "the first document", "{\"id\":\"machine\"}", row.text);
    tk_head head = tk_head_of(suite, "b");
    tk_string(suite, "head.fingerprint", "f2", head.fingerprint);
    tk_string(suite, "head.machine", "other", head.machine);
}

/* A commit stays the caller's. The store neither writes into it nor frees any of it,
 * whatever it answers. */
static void a_commit_leaves_what_is_the_caller_s(tk_suite *suite)
{
    char record[] = "{\"r\":1}", token[] = "token", tags[] = "x y", instance[] = "a";
    for (uint64_t round = 0; round < 3; round++) {
        wfsm_commit commit = tk_commit_of(instance, round ? 1 : 0);
        commit.record = record;
        commit.token = token;
        commit.tags = tags;
        const wfsm_commit before = commit;
        tk_commit(suite, "a commit", suite->store, &commit,
                  round < 2 ? WFSM_OK : WFSM_CONFLICT);
        tk_holds(suite, memcmp(&before, &commit, sizeof commit) == 0,
                 "the store changed the caller's wfsm_commit");
        tk_string(suite, "the caller's record", "{\"r\":1}", record);
        tk_string(suite, "the caller's token", "token", token);
        tk_string(suite, "the caller's tags", "x y", tags);
        tk_string(suite, "the caller's id", "a", instance);
    }
}

/* After a lost answer, the head's token tells whose commit was stored. */
static void a_commit_whose_answer_was_lost_is_known_again(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.token = "mine";
    commit.event_id = "e";
    tk_commit(suite, "a commit", suite->store, &commit, WFSM_OK);
    tk_head head = tk_head_of(suite, "a");
    tk_number(suite, "head.revision", 2, head.revision);
    tk_string(suite, "head.token", "mine", head.token);
    tk_text before = tk_dump_of(suite, suite->store);
    tk_commit(suite, "the same commit once more", suite->store, &commit, WFSM_CONFLICT);
    tk_same(suite, "after the same commit once more", suite->store, &before);
    before = tk_dump_of(suite, suite->store);
    commit.base = 2;
    tk_commit(suite, "the same event at the next revision", suite->store, &commit, WFSM_EXISTS);
    tk_same(suite, "after the same event once more", suite->store, &before);
}

const tk_case tk_commit_cases[] = {
    {"what_goes_in_comes_out_unaltered", what_goes_in_comes_out_unaltered, false},
    {"the_head_has_what_the_commit_said", the_head_has_what_the_commit_said, false},
    {"an_unknown_instance_is_not_found", an_unknown_instance_is_not_found, false},
    {"a_refused_commit_changes_nothing", a_refused_commit_changes_nothing, false},
    {"event_ids_belong_to_their_instance", event_ids_belong_to_their_instance, false},
    {"a_document_is_stored_once", a_document_is_stored_once, false},
    {"a_commit_leaves_what_is_the_caller_s", a_commit_leaves_what_is_the_caller_s, false},
    {"a_commit_whose_answer_was_lost_is_known_again",
     a_commit_whose_answer_was_lost_is_known_again, false},
    {NULL, NULL, false},
};
