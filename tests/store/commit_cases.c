#include "store/cases.h"

#include <stdlib.h>
#include <string.h>
#include <unity.h>

typedef struct wanted_text {
    const char *text;
    size_t length;
    int count;
} wanted_text;

static int32_t same_text(void *user, const wfsm_row *row)
{
    wanted_text *wanted = user;
    wanted->count++;
    TEST_ASSERT_EQUAL_size_t(wanted->length, row->length);
    TEST_ASSERT_EQUAL_MEMORY(wanted->text, row->text, row->length);
    return WFSM_OK;
}

/* JSON of `length` bytes with characters of one to four bytes in it. */
static char *big_text(size_t length)
{
    static const char sample[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 \\u0000 \\\"";
    char *text = malloc(length + 1);
    size_t at = 1;
    while (at + sizeof sample < length) {
        memcpy(text + at, sample, sizeof sample - 1);
        at += sizeof sample - 1;
    }
    memset(text + at, 'x', length - at);
    text[0] = text[length - 1] = '"';
    text[length] = '\0';
    return text;
}

/* 004-297: copies in, copies out. */
static void what_goes_in_comes_out_unaltered(void)
{
    size_t length = 1 << 20;
    char *text = big_text(length);
    wfsm_commit commit = commit_of("inst\xC3\xA4nce 1", 0);
    commit.record = commit.snapshot = commit.checkpoint_snapshot = commit.document =
        text;
    commit.record_length = commit.snapshot_length = length;
    commit.checkpoint_length = commit.document_length = length;
    commit.checkpoint = "check '\xE2\x82\xAC'";
    expect_commit(store, &commit, WFSM_OK);
    char *mine = big_text(length);
    memset(text, 'z', length);
    wanted_text wanted = {mine, length, 0};
    wfsm_store_records(store, commit.instance, 1, 1, same_text, &wanted, NULL);
    wf_store_snapshot(store, commit.instance, NULL, same_text, &wanted, NULL);
    wf_store_snapshot(store, commit.instance, commit.checkpoint, same_text, &wanted,
                      NULL);
    wfsm_store_document(store, commit.fingerprint, same_text, &wanted, NULL);
    TEST_ASSERT_EQUAL_INT(4, wanted.count);
    free(text);
    free(mine);
}

static void the_head_has_what_the_commit_said(void)
{
    wfsm_head head = {.size = sizeof head};
    wfsm_commit commit = commit_of("a", 0);
    commit.owner = "host-1";
    commit.token = "t1";
    commit.tags = "error terminal";
    commit.snapshot = "{}";
    commit.snapshot_length = 2;
    commit.deadline = 5000;
    commit.effects = 3;
    expect_commit(store, &commit, WFSM_OK);
    commit = commit_of("a", 1);
    commit.owner = "host-1";
    commit.token = "t2";
    commit.status = WFSM_DONE;
    commit.effects = 4;
    expect_commit(store, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, NULL));
    TEST_ASSERT_EQUAL_STRING("a", head.instance);
    TEST_ASSERT_EQUAL_STRING("machine", head.machine);
    TEST_ASSERT_EQUAL_STRING("f1", head.fingerprint);
    TEST_ASSERT_EQUAL_STRING("host-1", head.owner);
    TEST_ASSERT_EQUAL_STRING("t2", head.token);
    TEST_ASSERT_EQUAL_STRING("", head.tags);
    TEST_ASSERT_EQUAL_UINT64(2, head.revision);
    TEST_ASSERT_EQUAL_UINT64(1, head.snapshot_revision);
    TEST_ASSERT_EQUAL_UINT64(4, head.effects);
    TEST_ASSERT_EQUAL_UINT64(0, head.acknowledged);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, head.status);
    TEST_ASSERT_EQUAL_INT64(WFSM_NEVER, head.deadline);
    TEST_ASSERT_EQUAL_INT64(1000, head.created);
    TEST_ASSERT_EQUAL_INT64(1001, head.updated);
}

/* 004-294 */
static void an_unknown_instance_is_not_found(void)
{
    wfsm_head head = {.size = sizeof head};
    kept_row row = {0};
    bool seen;
    start_instance(store, "b", 1);
    char *before = dump(store);
    const int32_t answers[] = {
        wfsm_store_head(store, "a", &head, NULL),
        wfsm_store_records(store, "a", 1, 9, keep_row, &row, NULL),
        wfsm_store_checkpoints(store, "a", keep_row, &row, NULL),
        wfsm_store_inbox(store, "a", 0, keep_row, &row, NULL),
        wfsm_store_post(store, "a", "GO", NULL, NULL, 0, 1, NULL),
        wfsm_store_document(store, "f2", keep_row, &row, NULL),
        wf_store_snapshot(store, "a", NULL, keep_row, &row, NULL),
        wf_store_snapshot(store, "b", NULL, keep_row, &row, NULL),
        wf_store_snapshot(store, "b", "none", keep_row, &row, NULL),
        wf_store_seen(store, "a", "e", &seen, NULL),
        wf_store_acknowledge(store, "a", 0, NULL),
        wf_store_own(store, "a", "me", 1, NULL),
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, answers[i]);
    wfsm_commit commit = commit_of("a", 1);
    expect_commit(store, &commit, WFSM_NOT_FOUND);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(store, "a", NULL));
    TEST_ASSERT_EQUAL_INT(0, row.count);
    expect_dump(store, before);
}

static void a_refused_commit_changes_nothing(void)
{
    const struct {
        const char *what;
        uint64_t base, inbox;
        const char *owner, *event_id, *fingerprint;
        int32_t answer;
    } cases[] = {
        {"start again", 0, 0, "me", NULL, "f1", WFSM_EXISTS},
        {"stale revision", 1, 0, "me", NULL, "f1", WFSM_CONFLICT},
        {"revision to come", 3, 0, "me", NULL, "f1", WFSM_CONFLICT},
        {"another owner", 2, 0, "you", NULL, "f1", WFSM_CONFLICT},
        {"no owner", 2, 0, "", NULL, "f1", WFSM_CONFLICT},
        {"known event", 2, 0, "me", "e1", "f1", WFSM_EXISTS},
        {"no such post", 2, 77, "me", NULL, "f1", WFSM_NOT_FOUND},
        {"no such document", 2, 0, "me", NULL, "f2", WFSM_NOT_FOUND},
    };
    wfsm_commit commit = commit_of("a", 0);
    commit.owner = "me";
    commit.event_id = "e1";
    expect_commit(store, &commit, WFSM_OK);
    commit = commit_of("a", 1);
    commit.owner = "me";
    expect_commit(store, &commit, WFSM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *before = dump(store);
        commit = commit_of("a", cases[i].base);
        commit.inbox = cases[i].inbox;
        commit.owner = cases[i].owner;
        commit.event_id = cases[i].event_id;
        commit.fingerprint = cases[i].fingerprint;
        commit.checkpoint = "c";
        commit.checkpoint_snapshot = "{}";
        commit.checkpoint_length = 2;
        commit.snapshot = "{}";
        commit.snapshot_length = 2;
        commit.tags = "changed";
        expect_commit(store, &commit, cases[i].answer);
        expect_dump(store, before);
    }
}

static void event_ids_belong_to_their_instance(void)
{
    bool seen;
    wfsm_commit commit = commit_of("a", 0);
    commit.event_id = "e1";
    expect_commit(store, &commit, WFSM_OK);
    commit.instance = "b";
    expect_commit(store, &commit, WFSM_OK);
    for (uint64_t base = 1; base < 40; base++) {
        commit = commit_of("a", base);
        expect_commit(store, &commit, WFSM_OK);
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_seen(store, "a", "e1", &seen, NULL));
    TEST_ASSERT_TRUE(seen);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_seen(store, "a", "e2", &seen, NULL));
    TEST_ASSERT_FALSE(seen);
}

static void a_batch_may_hold_revisions_in_a_row(void)
{
    wfsm_commit list[3] = {commit_of("a", 0), commit_of("a", 1), commit_of("a", 2)};
    const wfsm_commit *batch[3] = {&list[0], &list[1], &list[2]};
    int32_t answers[3];
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_commit(store, batch, 3, answers, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[1]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[2]);
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, NULL));
    TEST_ASSERT_EQUAL_UINT64(3, head.revision);
}

static void a_refusal_refuses_the_rest_of_its_instance_only(void)
{
    start_instance(store, "a", 1);
    start_instance(store, "b", 1);
    wfsm_commit list[6] = {commit_of("a", 1), commit_of("b", 7), commit_of("b", 1),
                           commit_of("a", 2), commit_of("c", 0), commit_of("b", 2)};
    const wfsm_commit *batch[6];
    int32_t answers[6];
    for (size_t i = 0; i < 6; i++)
        batch[i] = &list[i];
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_commit(store, batch, 6, answers, NULL));
    const int32_t wanted[6] = {WFSM_OK, WFSM_CONFLICT, WFSM_CONFLICT,
                               WFSM_OK, WFSM_OK,       WFSM_CONFLICT};
    TEST_ASSERT_EQUAL_INT32_ARRAY(wanted, answers, 6);
    wfsm_head head = {.size = sizeof head};
    wfsm_store_head(store, "a", &head, NULL);
    TEST_ASSERT_EQUAL_UINT64(3, head.revision);
    wfsm_store_head(store, "b", &head, NULL);
    TEST_ASSERT_EQUAL_UINT64(1, head.revision);
    wfsm_store_head(store, "c", &head, NULL);
    TEST_ASSERT_EQUAL_UINT64(1, head.revision);
}

static void a_batch_of_refusals_changes_nothing(void)
{
    start_instance(store, "a", 1);
    char *before = dump(store);
    wfsm_commit list[2] = {commit_of("a", 0), commit_of("b", 1)};
    const wfsm_commit *batch[2] = {&list[0], &list[1]};
    int32_t answers[2];
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_commit(store, batch, 2, answers, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, answers[1]);
    expect_dump(store, before);
    wfsm_commit commit = commit_of("a", 1);
    expect_commit(store, &commit, WFSM_OK);
}

static void a_document_is_stored_once(void)
{
    kept_row row = {0};
    start_instance(store, "a", 1);
    wfsm_commit commit = commit_of("b", 0);
    commit.document = NULL;
    expect_commit(store, &commit, WFSM_OK);
    wfsm_store_remove(store, "a", NULL);
    commit = commit_of("b", 1);
    commit.fingerprint = "f2";
    commit.machine = "other";
    commit.document = "{\"id\":\"other\"}";
    commit.document_length = 14;
    expect_commit(store, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_document(store, "f1", keep_row, &row, NULL));
    TEST_ASSERT_EQUAL_STRING("{\"id\":\"machine\"}", row.text);
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "b", &head, NULL));
    TEST_ASSERT_EQUAL_STRING("f2", head.fingerprint);
    TEST_ASSERT_EQUAL_STRING("other", head.machine);
}

void run_commit_cases(void)
{
    RUN_TEST(what_goes_in_comes_out_unaltered);
    RUN_TEST(the_head_has_what_the_commit_said);
    RUN_TEST(an_unknown_instance_is_not_found);
    RUN_TEST(a_refused_commit_changes_nothing);
    RUN_TEST(event_ids_belong_to_their_instance);
    RUN_TEST(a_batch_may_hold_revisions_in_a_row);
    RUN_TEST(a_refusal_refuses_the_rest_of_its_instance_only);
    RUN_TEST(a_batch_of_refusals_changes_nothing);
    RUN_TEST(a_document_is_stored_once);
}
