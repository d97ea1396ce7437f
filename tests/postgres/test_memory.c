/* Out of memory at any place: nothing is written then, or everything is, and nothing is leaked. */
#include "failing_allocator.h"
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>

static wfsm_error *error;
static wfsm_store *plain;

void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t drop(void *user, const wfsm_row *row)
{
    (void)user, (void)row;
    return WFSM_OK;
}

static int32_t make_exchange(wfsm_store *store, int32_t answers[4])
{
    wfsm_commit one = commit_of("old", 1), two = commit_of("new", 0);
    const wfsm_commit *commits[] = {&one, &two};
    wfsm_request take = {.size = sizeof take, .instance = "free", .kind = WFSM_REQUEST_TAKE};
    const wfsm_request *requests[] = {&take};
    wfsm_post post = {.size = sizeof post,
                      .instance = "old",
                      .id = "p",
                      .name = "e",
                      .data = "1",
                      .length = 1};
    const wfsm_post *posts[] = {&post};
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "me",
                              .now = 1,
                              .until = 100,
                              .commits = commits,
                              .commit_count = 2,
                              .commit_answers = answers,
                              .requests = requests,
                              .request_count = 1,
                              .request_answers = answers + 2,
                              .posts = posts,
                              .post_count = 1,
                              .post_answers = answers + 3,
                              .inbox = 1,
                              .sink = drop};

    one.checkpoint = "c";
    one.checkpoint_snapshot = one.snapshot = "{}";
    one.checkpoint_length = one.snapshot_length = 2;
    return wfsm_store_exchange(store, &exchange, error);
}

static long long records(void)
{
    return server_number("SELECT count(*) FROM wfsm.record");
}

static int32_t open_with(wfsm_store **store, const failing *memory)
{
    const wfsm_postgres_options options = {
        .size = sizeof options, .tenant = "test", .clock = WFSM_POSTGRES_HOST_CLOCK};

    return wfsm_postgres_open(store, server_address(), &options, &memory->allocator, error);
}

/* True if nothing failed. */
static bool try_exchange(long left)
{
    failing memory;
    wfsm_store *store = NULL;
    int32_t answers[4], status;
    wfsm_head head = {.size = sizeof head};

    server_wipe();
    start_instance(plain, "old", 1);
    start_instance(plain, "free", 1);
    failing_init(&memory, -1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, open_with(&store, &memory));
    memory.left = left;
    status = make_exchange(store, answers);
    memory.left = -1;
    TEST_ASSERT_TRUE(status == WFSM_OK || status == WFSM_NO_MEMORY);
    TEST_ASSERT_EQUAL_INT64(status == WFSM_OK ? 4 : 2, records());
    for (int i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL_INT32(status, answers[i]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "old", &head, error));
    if (status != WFSM_OK)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, make_exchange(store, answers));
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_INT64(0, memory.alive);
    return status == WFSM_OK;
}

static void an_exchange_without_memory(void)
{
    long left = 0;

    while (!try_exchange(left))
        left++;
    printf("%ld allocations\n", left);
    TEST_ASSERT_TRUE(left > 20);
}

static void opening_without_memory(void)
{
    for (long left = 0;; left++) {
        failing memory;
        wfsm_store *store = NULL;
        int32_t status;

        failing_init(&memory, left);
        status = open_with(&store, &memory);
        TEST_ASSERT_TRUE(status == WFSM_OK || status == WFSM_NO_MEMORY);
        wfsm_store_free(store);
        TEST_ASSERT_EQUAL_INT64(0, memory.alive);
        if (status == WFSM_OK)
            break;
    }
}

/* All calls that read. */
static int32_t read_all(wfsm_store *store)
{
    wfsm_head head = {.size = sizeof head};
    wfsm_query query = {.size = sizeof query, .prefix = "o"};
    int32_t seen, status = wfsm_store_head(store, "old", &head, error);

    if (status == WFSM_OK)
        status = wfsm_store_records(store, "old", 1, 9, drop, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_store_list(store, &query, drop, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_store_inbox(store, NULL, 0, drop, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_store_checkpoints(store, "old", drop, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_store_document(store, "f1", drop, NULL, error);
    return status == WFSM_OK ? wfsm_store_seen(store, "old", "e", &seen, error) : status;
}

static void reading_without_memory(void)
{
    int32_t status = WFSM_NO_MEMORY;
    failing memory;
    wfsm_store *store = NULL;

    server_wipe();
    start_instance(plain, "old", 1);
    failing_init(&memory, -1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, open_with(&store, &memory));
    for (long left = 0; status != WFSM_OK; left++) {
        memory.left = left;
        status = read_all(store);
        TEST_ASSERT_TRUE_MESSAGE(status == WFSM_OK || status == WFSM_NO_MEMORY,
                                 wfsm_error_message(error));
    }
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_INT64(0, memory.alive);
}

int main(void)
{
    int failed;

    if (!server_start())
        return 77;
    error = wfsm_error_new(NULL);
    plain = server_open(server_address(), "test");
    UNITY_BEGIN();
    RUN_TEST(opening_without_memory);
    RUN_TEST(reading_without_memory);
    RUN_TEST(an_exchange_without_memory);
    failed = UNITY_END() != 0;
    wfsm_store_free(plain);
    wfsm_error_free(error);
    return failed;
}
