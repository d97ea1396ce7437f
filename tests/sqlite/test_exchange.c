/* An exchange, with the memory store, with SQLite, and with a store that has no transactions. What it
 * does is tested by the suite for stores (testkit/exchange_cases.c). */
#include "store/store.h"
#include "store/fixture.h"
#include "sqlite/folder.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>

static wfsm_store *store, *inner;
static wfsm_error *error;
static char rows[400]; /* what the last exchange has returned */

void setUp(void)
{
    error = wfsm_error_new(NULL);
    rows[0] = '\0';
}

void tearDown(void)
{
    wfsm_error_free(error);
}

static int32_t show_row(void *user, const wfsm_row *row)
{
    static const char *const names[] = {"?", "post", "head", "snapshot", "record", "owned"};
    size_t used = strlen(rows);

    (void)user;
    TEST_ASSERT_TRUE(row->part > 0 && row->part <= WFSM_ROW_OWNED);
    snprintf(rows + used, sizeof rows - used, "%s %s, ", names[row->part],
             row->head                    ? row->head->instance
             : row->part == WFSM_ROW_POST ? row->instance
                                          : "");
    return WFSM_OK;
}

static wfsm_request ask(int32_t kind, const char *instance, uint64_t number)
{
    return (wfsm_request){
        .size = sizeof(wfsm_request), .instance = instance, .number = number, .kind = kind};
}

static wfsm_commit with_snapshot(const char *instance, const char *owner)
{
    wfsm_commit commit = commit_of(instance, 0);

    commit.snapshot = "{}";
    commit.snapshot_length = 2;
    commit.owner = owner;
    commit.effects = 3;
    return commit;
}

static void start_three(void)
{
    wfsm_commit mine = with_snapshot("mine", "me"), free = with_snapshot("free", "");
    wfsm_commit other = with_snapshot("other", "you");

    expect_commit(store, &mine, WFSM_OK);
    expect_commit(store, &free, WFSM_OK);
    expect_commit(store, &other, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(store, "me", 0, 1, 100, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(store, "you", 0, 1, 100, error));
}

static void expect(const int32_t *answers, const char *expected)
{
    char got[200] = "";

    for (size_t i = 0; strlen(got) < strlen(expected); i++)
        strcat(strcat(got, wfsm_status_name(answers[i])), " ");
    TEST_ASSERT_EQUAL_STRING(expected, got);
}

static void head_is(const char *instance, uint64_t revision, const char *owner,
                    uint64_t acknowledged)
{
    wfsm_head head = {.size = sizeof head};

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, instance, &head, error));
    TEST_ASSERT_EQUAL_UINT64(revision, head.revision);
    TEST_ASSERT_EQUAL_STRING(owner, head.owner);
    TEST_ASSERT_EQUAL_UINT64(acknowledged, head.acknowledged);
}

static void refused(wfsm_exchange exchange)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_exchange(store, &exchange, error));
}

static void what_is_not_complete(void)
{
    wfsm_request take = ask(WFSM_REQUEST_TAKE, "mine", 0), none = ask(9, "mine", 0);
    const wfsm_request *good[] = {&take}, *bad[] = {&none};
    int32_t answer = WFSM_OK;
    const wfsm_exchange whole = {.size = sizeof whole,
                                 .session = "me",
                                 .requests = good,
                                 .request_count = 1,
                                 .request_answers = &answer,
                                 .sink = show_row};
    wfsm_exchange part = whole;

    start_three();
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_exchange(store, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_exchange(NULL, &part, error));
    part.session = NULL;
    refused(part);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, answer);
    part = whole;
    part.sink = NULL;
    refused(part);
    part = whole;
    part.request_answers = NULL;
    refused(part);
    part = whole;
    part.requests = bad;
    refused(part);
    part = whole;
    part.until = -1;
    refused(part);
    part = whole;
    part.size = 8;
    refused(part);
    head_is("mine", 1, "me", 0);
}

/* A store that was opened for reading answers it. */
static void a_look_writes_nothing(void)
{
    const wfsm_sqlite_options reading = {.size = sizeof reading, .read_only = 1};
    wfsm_request list[] = {ask(WFSM_REQUEST_LOOK, "mine", 0)};
    const wfsm_request *requests[] = {&list[0]};
    int32_t answer = -1;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "me",
                              .requests = requests,
                              .request_count = 1,
                              .request_answers = &answer,
                              .inbox = 1,
                              .sink = show_row};
    wfsm_store *reader = NULL;

    start_three();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_post(store, "mine", "e", NULL, NULL, 0, 1, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_sqlite_open(&reader, folder_file("x.db"), &reading, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_exchange(reader, &exchange, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answer);
    TEST_ASSERT_EQUAL_STRING("head mine, post mine, ", rows);
    wfsm_store_free(reader);
}

static int32_t no_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                        void *user, wfsm_error *said)
{
    (void)self, (void)instance, (void)limit, (void)sink, (void)user, (void)said;
    return WFSM_IO;
}

/* A read that fails may have ended the transaction: SQLite rolls it back at some errors. */
static void a_failed_look_for_posts_refuses_the_exchange(void)
{
    wfsm_commit one = commit_of("mine", 1);
    const wfsm_commit *commits[] = {&one};
    wfsm_request list[] = {ask(WFSM_REQUEST_ACKNOWLEDGE, "other", 2)};
    const wfsm_request *requests[] = {&list[0]};
    int32_t answers[2] = {-1, -1};
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "you",
                              .commits = commits,
                              .commit_count = 1,
                              .commit_answers = answers,
                              .requests = requests,
                              .request_count = 1,
                              .request_answers = answers + 1};

    start_three();
    list[0].gives_up = 1;
    store->vtable.inbox = no_inbox;
    one.owner = "me";
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, wfsm_store_exchange(store, &exchange, error));
    expect(answers, "IO IO ");
    head_is("mine", 1, "me", 0);
    head_is("other", 1, "you", 0);
}

static wfsm_store *open_memory(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&inner, NULL, NULL));
    return inner;
}

static wfsm_store *open_sqlite(void)
{
    folder_wipe();
    return inner = folder_open("x.db");
}

/* SQLite, each part by itself. */
static wfsm_store *open_plain(void)
{
    wfsm_store_vtable vtable = open_sqlite()->vtable;
    wfsm_store *made = NULL;

    vtable.transaction = NULL;
    vtable.close = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_new(&made, &vtable, inner->self, NULL, NULL));
    return made;
}

static void with(wfsm_store *(*open)(void), void (*test)(void), const char *name)
{
    store = open();
    UnityDefaultTestRun(test, name, __LINE__);
    if (store != inner)
        wfsm_store_free(store);
    wfsm_store_free(inner);
}

int main(void)
{
    static wfsm_store *(*const stores[])(void) = {open_memory, open_sqlite, open_plain};

    UNITY_BEGIN();
    for (size_t i = 0; i < 3; i++)
        with(stores[i], what_is_not_complete, "what_is_not_complete");
    with(open_sqlite, a_look_writes_nothing, "a_look_writes_nothing");
    with(open_sqlite, a_failed_look_for_posts_refuses_the_exchange, "a_failed_look_for_posts");
    folder_remove();
    return UNITY_END() != 0;
}
