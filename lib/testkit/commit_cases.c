/* testkit/commit_cases.c: what a commit stores, and what a refused commit leaves
 * unchanged. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

typedef struct wanted_text {
    tk_kit *kit;
    const char *text;
    size_t length;
    uint64_t count;
} wanted_text;

static int32_t same_text(void *user, const wfsm_row *row)
{
    wanted_text *wanted = user;
    wanted->count++;
    tk_number(wanted->kit, "the length of a text of 1 MiB", wanted->length, row->length);
    tk_holds(wanted->kit,
             row->length == wanted->length && memcmp(wanted->text, row->text, row->length) == 0,
             "a text came back with other bytes than it was given with");
    return WFSM_OK;
}

/* Writes JSON of `length` bytes with characters of one to four bytes. */
static char *big_text(tk_kit *kit, size_t length)
{
    static const char sample[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 \\u0000 \\\"";
    char *text = malloc(length + 1);
    size_t at = 1;
    kit->no_memory = kit->no_memory || !text;
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

static void read_back(tk_kit *kit, const wfsm_commit *commit, wanted_text *wanted)
{
    wfsm_store *store = kit->store;
    const char *id = commit->instance;
    tk_status(kit, "reading the record", WFSM_OK,
              wfsm_store_records(store, id, 1, 1, same_text, wanted, NULL));
    tk_status(kit, "reading the snapshot", WFSM_OK,
              wfsm_store_snapshot(store, id, NULL, same_text, wanted, NULL));
    tk_status(kit, "reading the checkpoint", WFSM_OK,
              wfsm_store_snapshot(store, id, commit->checkpoint, same_text, wanted, NULL));
    tk_status(kit, "reading the document", WFSM_OK,
              wfsm_store_document(store, commit->fingerprint, same_text, wanted, NULL));
    tk_number(kit, "rows of four readings", 4, wanted->count);
}

/* 004-297: copies in, copies out. */
static void what_goes_in_comes_out_unaltered(tk_kit *kit)
{
    size_t length = 1 << 20;
    char *text = big_text(kit, length), *mine = big_text(kit, length);
    wfsm_commit commit = tk_commit_of("inst\xC3\xA4nce 1", 0);
    commit.record = commit.snapshot = commit.checkpoint_snapshot = commit.document = text;
    commit.record_length = commit.snapshot_length = length;
    commit.checkpoint_length = commit.document_length = length;
    commit.checkpoint = "check '\xE2\x82\xAC'";
    if (text && mine) {
        wanted_text wanted = {kit, mine, length, 0};
        tk_commit(kit, "a commit with texts of 1 MiB", kit->store, &commit, WFSM_OK);
        memset(text, 'z', length);
        read_back(kit, &commit, &wanted);
    }
    free(text);
    free(mine);
}

static void the_head_has_what_the_commit_said(tk_kit *kit)
{
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.owner = "host-1";
    commit.token = "t1";
    commit.tags = "error terminal";
    commit.snapshot = "{}";
    commit.snapshot_length = 2;
    commit.deadline = 5000;
    commit.effects = 3;
    tk_commit(kit, "the first commit", kit->store, &commit, WFSM_OK);
    commit = tk_commit_of("a", 1);
    commit.owner = "host-1";
    commit.token = "t2";
    commit.status = WFSM_DONE;
    commit.effects = 4;
    tk_commit(kit, "the second commit", kit->store, &commit, WFSM_OK);
    tk_head head = tk_head_of(kit, "a");
    tk_string(kit, "head.instance", "a", head.instance);
    tk_string(kit, "head.machine", "machine", head.machine);
    tk_string(kit, "head.fingerprint", "f1", head.fingerprint);
    tk_string(kit, "head.owner", "host-1", head.owner);
    tk_string(kit, "head.token", "t2", head.token);
    tk_string(kit, "head.tags", "", head.tags);
    tk_number(kit, "head.revision", 2, head.revision);
    tk_number(kit, "head.snapshot_revision", 1, head.snapshot_revision);
    tk_number(kit, "head.effects", 4, head.effects);
    tk_number(kit, "head.acknowledged", 0, head.acknowledged);
    tk_number(kit, "head.status", WFSM_DONE, (uint64_t)head.status);
    tk_time(kit, "head.deadline", WFSM_NEVER, head.deadline);
    tk_time(kit, "head.created", 1000, head.created);
    tk_time(kit, "head.updated", 1001, head.updated);
}

/* 004-294 */
static void an_unknown_instance_is_not_found(tk_kit *kit)
{
    wfsm_store *store = kit->store;
    wfsm_head head = {.size = sizeof head};
    tk_row row = {0};
    int32_t seen;
    tk_start(kit, store, "b", 1);
    tk_text before = tk_dump_of(kit, store);
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
        tk_holds(kit, answers[i].answer == WFSM_NOT_FOUND,
                 "%s, of what is not there: expected NOT_FOUND, got %s", answers[i].what,
                 wfsm_status_name(answers[i].answer));
    wfsm_commit commit = tk_commit_of("a", 1);
    tk_commit(kit, "a commit to an instance that is not there", store, &commit, WFSM_NOT_FOUND);
    tk_status(kit, "removing what is not there", WFSM_OK, wfsm_store_remove(store, "a", NULL));
    tk_number(kit, "rows of what is not there", 0, row.count);
    tk_same(kit, "after asking for what is not there", store, &before);
}

/* An instance of two commits, owned by "me", whose first had the event id e1. */
static void start_owned(tk_kit *kit)
{
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.owner = "me";
    commit.event_id = "e1";
    tk_commit(kit, "a commit with an owner and an event id", kit->store, &commit, WFSM_OK);
    commit = tk_commit_of("a", 1);
    commit.owner = "me";
    tk_commit(kit, "a commit under the same owner", kit->store, &commit, WFSM_OK);
}

static void a_refused_commit_changes_nothing(tk_kit *kit)
{
    const struct {
        const char *what;
        uint64_t base, inbox;
        const char *owner, *event_id, *fingerprint;
        int32_t answer;
    } cases[] = {
        {"a start of what is there", 0, 0, "me", NULL, "f1", WFSM_EXISTS},
        {"a commit at a stale revision", 1, 0, "me", NULL, "f1", WFSM_CONFLICT},
        {"a commit at a revision to come", 3, 0, "me", NULL, "f1", WFSM_CONFLICT},
        {"a commit of another owner", 2, 0, "you", NULL, "f1", WFSM_CONFLICT},
        {"a commit without the owner", 2, 0, "", NULL, "f1", WFSM_CONFLICT},
        {"a commit with a known event id", 2, 0, "me", "e1", "f1", WFSM_EXISTS},
        {"a commit of an unknown post", 2, 77, "me", NULL, "f1", WFSM_NOT_FOUND},
        {"a commit without its document", 2, 0, "me", NULL, "f2", WFSM_NOT_FOUND},
    };
    start_owned(kit);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tk_text before = tk_dump_of(kit, kit->store);
        wfsm_commit commit = tk_commit_of("a", cases[i].base);
        commit.inbox = cases[i].inbox;
        commit.owner = cases[i].owner;
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
        tk_commit(kit, cases[i].what, kit->store, &commit, cases[i].answer);
        tk_same(kit, cases[i].what, kit->store, &before);
    }
}

static void event_ids_belong_to_their_instance(tk_kit *kit)
{
    int32_t seen = 0;
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.event_id = "e1";
    tk_commit(kit, "a commit with an event id", kit->store, &commit, WFSM_OK);
    commit.instance = "b";
    tk_commit(kit, "the same event id in another instance", kit->store, &commit, WFSM_OK);
    for (uint64_t base = 1; base < 40; base++) {
        commit = tk_commit_of("a", base);
        tk_commit(kit, "a commit without an event id", kit->store, &commit, WFSM_OK);
    }
    tk_status(kit, "seen", WFSM_OK, wfsm_store_seen(kit->store, "a", "e1", &seen, NULL));
    tk_number(kit, "seen of an event id with a record", 1, (uint64_t)seen);
    tk_status(kit, "seen", WFSM_OK, wfsm_store_seen(kit->store, "a", "e2", &seen, NULL));
    tk_number(kit, "seen of an unknown event id", 0, (uint64_t)seen);
}

static void a_document_is_stored_once(tk_kit *kit)
{
    tk_row row = {0};
    tk_start(kit, kit->store, "a", 1);
    wfsm_commit commit = tk_commit_of("b", 0);
    commit.document = NULL;
    commit.document_length = 0;
    tk_commit(kit, "a start with a document that is there", kit->store, &commit, WFSM_OK);
    wfsm_store_remove(kit->store, "a", NULL);
    commit = tk_commit_of("b", 1);
    commit.fingerprint = "f2";
    commit.machine = "other";
    commit.document = "{\"id\":\"other\"}";
    commit.document_length = 14;
    tk_commit(kit, "a commit with another document", kit->store, &commit, WFSM_OK);
    tk_status(kit, "a document that an instance once had", WFSM_OK,
              wfsm_store_document(kit->store, "f1", tk_keep, &row, NULL));
    tk_string(kit, "the first document", "{\"id\":\"machine\"}", row.text);
    tk_head head = tk_head_of(kit, "b");
    tk_string(kit, "head.fingerprint", "f2", head.fingerprint);
    tk_string(kit, "head.machine", "other", head.machine);
}

/* A commit stays the caller's. The store neither writes into it nor frees any of it,
 * whatever it answers. */
static void a_commit_leaves_what_is_the_caller_s(tk_kit *kit)
{
    char record[] = "{\"r\":1}", token[] = "token", tags[] = "x y", instance[] = "a";
    for (uint64_t round = 0; round < 3; round++) {
        wfsm_commit commit = tk_commit_of(instance, round ? 1 : 0);
        commit.record = record;
        commit.token = token;
        commit.tags = tags;
        const wfsm_commit before = commit;
        tk_commit(kit, "a commit", kit->store, &commit, round < 2 ? WFSM_OK : WFSM_CONFLICT);
        tk_holds(kit, memcmp(&before, &commit, sizeof commit) == 0,
                 "the store changed the caller's wfsm_commit");
        tk_string(kit, "the caller's record", "{\"r\":1}", record);
        tk_string(kit, "the caller's token", "token", token);
        tk_string(kit, "the caller's tags", "x y", tags);
        tk_string(kit, "the caller's id", "a", instance);
    }
}

/* After a lost answer, the head's token tells whose commit was stored. */
static void a_commit_whose_answer_was_lost_is_known_again(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.token = "mine";
    commit.event_id = "e";
    tk_commit(kit, "a commit", kit->store, &commit, WFSM_OK);
    tk_head head = tk_head_of(kit, "a");
    tk_number(kit, "head.revision", 2, head.revision);
    tk_string(kit, "head.token", "mine", head.token);
    tk_text before = tk_dump_of(kit, kit->store);
    tk_commit(kit, "the same commit once more", kit->store, &commit, WFSM_CONFLICT);
    tk_same(kit, "after the same commit once more", kit->store, &before);
    before = tk_dump_of(kit, kit->store);
    commit.base = 2;
    tk_commit(kit, "the same event at the next revision", kit->store, &commit, WFSM_EXISTS);
    tk_same(kit, "after the same event once more", kit->store, &before);
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
