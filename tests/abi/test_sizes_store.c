/* Structs of a store, and those with which one is opened. */
#include <stdlib.h>
#include <wfsm/postgres.h>
#include <wfsm/sqlite.h>
#include "sizes.h"

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void *resize(void *user, void *block, size_t bytes)
{
    (void)user;
    return realloc(block, bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

static int32_t take_allocator(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_memory_open(&made, given, NULL);
    wfsm_store_free(made);
    return status;
}

static int32_t take_post(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_memory_open(&made, NULL, NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, status);
    status = wfsm_store_submit(made, given, NULL);
    wfsm_store_free(made);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status; /* it was read */
}

static int32_t take_revision_range(const void *given)
{
    return wfsm_store_diff(store, "i", given, no_row, NULL, NULL);
}

static int32_t take_changes(const void *given)
{
    return wfsm_store_changes(store, (wfsm_changes *)(uintptr_t)given, no_row, NULL, NULL);
}

/* What is wrong is found before it is known that the store cannot tell. */
static int32_t take_sharing(const void *given)
{
    int32_t status = wfsm_store_share(store, given, no_row, NULL, NULL);
    return status == WFSM_DENIED ? WFSM_OK : status;
}

static int32_t take_since(const void *given)
{
    int32_t status =
        wfsm_store_since(store, (wfsm_since *)(uintptr_t)given, no_row, NULL, NULL);
    return status == WFSM_DENIED ? WFSM_OK : status;
}

static int32_t take_compaction(const void *given)
{
    return wfsm_store_compact(store, "i", given, NULL, NULL);
}

static int32_t take_replay(const void *given)
{
    return wfsm_store_replay(store, "i", (wfsm_replay *)(uintptr_t)given, NULL);
}

static int32_t take_condition(const void *given)
{
    const wfsm_condition *const where[] = {given};
    const wfsm_query query = {.size = sizeof query, .where = where, .where_count = 1};

    return wfsm_store_list(store, &query, no_row, NULL, NULL);
}

static int32_t take_query(const void *given)
{
    return wfsm_store_list(store, given, no_row, NULL, NULL);
}

static int32_t take_commit(const void *given)
{
    const wfsm_commit *const commits[] = {given};
    int32_t answer = WFSM_OK;
    int32_t status = wfsm_store_commit(store, commits, 1, &answer, NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_remove(store, "made-up", NULL));
    return status != WFSM_OK ? status : answer;
}

static int32_t take_request(const void *given)
{
    const wfsm_request *const requests[] = {given};
    int32_t answer = WFSM_OK;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .requests = requests,
                              .request_count = 1,
                              .request_answers = &answer,
                              .session = "s",
                              .sink = no_row};
    return wfsm_store_exchange(store, &exchange, NULL);
}

static int32_t take_permit(const void *given)
{
    wfsm_permit *const permits[] = {(wfsm_permit *)(uintptr_t)given};
    wfsm_exchange exchange = {
        .size = sizeof exchange, .permits = permits, .permit_count = 1, .session = "s"};
    return wfsm_store_exchange(store, &exchange, NULL);
}

static int32_t take_rate(const void *given)
{
    wfsm_rate *const rates[] = {(wfsm_rate *)(uintptr_t)given};
    wfsm_exchange exchange = {
        .size = sizeof exchange, .rates = rates, .rate_count = 1, .session = "s"};
    return wfsm_store_exchange(store, &exchange, NULL);
}

static int32_t take_exchange(const void *given)
{
    /* It is filled in up to its size. */
    return wfsm_store_exchange(store, (wfsm_exchange *)(uintptr_t)given, NULL);
}

static int32_t take_sqlite_options(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_sqlite_open(&made, "/nowhere/at/all.db", given, NULL, NULL);
    return status == WFSM_INVALID ? status : WFSM_OK; /* it is not there in any case */
}

static int32_t take_postgres_options(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_postgres_open(&made, "host=/nowhere/at/all", given, NULL, NULL);
    return status == WFSM_INVALID ? status : WFSM_OK; /* it is not there in any case */
}

static int32_t give_head(void *to)
{
    return wfsm_store_head(store, "i", to, NULL);
}

static int32_t no_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *diagnostic, diagnostic->size);
    return WFSM_OK;
}

static int32_t give_audit_counts(void *to)
{
    return wfsm_store_audit(store, "i", no_diagnostic, NULL, to, NULL);
}

static void hear(void *user, const wfsm_swept *swept)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *swept, swept->size);
}

static int32_t take_sweep(const void *given)
{
    return wfsm_store_sweep(store, given, NULL, NULL);
}

static int32_t give_compacted(void *to)
{
    return wfsm_store_compact(store, "i", NULL, to, NULL);
}

static void structs_that_are_handed_in(void)
{
    TAKES(wfsm_allocator, take_allocator, ALL(wfsm_allocator), .allocate = allocate,
          .resize = resize, .release = release);
    TAKES(wfsm_post, take_post, UP_TO(wfsm_post, now), .instance = "i", .name = "e");
    TAKES(wfsm_revision_range, take_revision_range, ALL(wfsm_revision_range), .first = 1,
          .last = 1);
    TAKES(wfsm_changes, take_changes, ALL(wfsm_changes), .session = "s");
    TAKES(wfsm_sharing, take_sharing, ALL(wfsm_sharing), .session = "s");
    TAKES(wfsm_since, take_since, ALL(wfsm_since), .place = "");
    TAKES(wfsm_compaction, take_compaction, UP_TO(wfsm_compaction, dry_run), .keep = 1);
    TAKES(wfsm_sweep, take_sweep, UP_TO(wfsm_sweep, user), .now = 1, .tell = hear);
    TAKES(wfsm_replay, take_replay, UP_TO(wfsm_replay, machine), .machine = machine);
    TAKES(wfsm_condition, take_condition, UP_TO(wfsm_condition, value), .name = "n",
          .comparison = WFSM_EQUAL, .value = "1");
    TAKES(wfsm_query, take_query, UP_TO(wfsm_query, limit), .limit = 1);
    TAKES(wfsm_commit, take_commit, UP_TO(wfsm_commit, attributes), .instance = "made-up",
          .owner = "", .token = "t", .record = "{}", .record_length = 2, .snapshot = "{}",
          .snapshot_length = 2, .machine = "m",
          .fingerprint = wfsm_machine_fingerprint(machine), .tags = "", .status = WFSM_RUNNING,
          .deadline = WFSM_NEVER, .now = 1);
    TAKES(wfsm_request, take_request, UP_TO(wfsm_request, gives_up), .instance = "made-up",
          .number = 1, .kind = WFSM_REQUEST_GIVE_UP);
    TAKES(wfsm_permit, take_permit, sizeof(wfsm_permit), .name = "g", .kind = 1, .most = 1);
    TAKES(wfsm_rate, take_rate, sizeof(wfsm_rate), .name = "g", .kind = 1, .count = 1,
          .per_ms = 1, .wanted = 1);
    TAKES(wfsm_exchange, take_exchange, UP_TO(wfsm_exchange, inbox_answer), .now = 1);
    TAKES(wfsm_sqlite_options, take_sqlite_options, NO_MORE, .mode = 0600);
    TAKES(wfsm_postgres_options, take_postgres_options, NO_MORE, .create = 1);
}

static void structs_that_are_asked_for(void)
{
    gives_but("wfsm_head", give_head, sizeof(wfsm_head), UP_TO(wfsm_head, updated),
              UP_TO(wfsm_head, status));
    gives("wfsm_audit_counts", give_audit_counts, sizeof(wfsm_audit_counts), NO_MORE);
    gives("wfsm_compacted", give_compacted, sizeof(wfsm_compacted), NO_MORE);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    RUN_TEST(structs_that_are_asked_for);
    return UNITY_END() != 0;
}
