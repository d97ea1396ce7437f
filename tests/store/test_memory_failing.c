/*
 * The n-th allocation fails, for every n, over everything that a memory store does:
 * each call says so and leaves the store as it was, and works when it is called again.
 */
#include "store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

/* Fails the allocations from number `from` to number `to`; 0 is off. */
typedef struct failing {
    size_t count, from, to;
    size_t alive;
    bool off;
} failing;

static bool fails(failing *memory)
{
    if (memory->off)
        return false;
    memory->count++;
    return memory->from && memory->count >= memory->from && memory->count <= memory->to;
}

static void *take(void *user, size_t bytes)
{
    failing *memory = user;
    void *block = fails(memory) ? NULL : malloc(bytes);
    memory->alive += block != NULL;
    return block;
}

static void *resize(void *user, void *block, size_t bytes)
{
    failing *memory = user;
    void *moved = fails(memory) ? NULL : realloc(block, bytes);
    memory->alive += !block && moved;
    return moved;
}

static void give(void *user, void *block)
{
    failing *memory = user;
    memory->alive -= block != NULL;
    free(block);
}

static int32_t commit(wfsm_store *store, const char *instance, uint64_t base, bool rich)
{
    wfsm_commit made = commit_of(instance, base);
    char event[32];
    made.tags = base % 2 ? "error terminal and a long list of tags" : "";
    if (rich) {
        snprintf(event, sizeof event, "event-%d", (int)base);
        made.event_id = event;
        made.snapshot = "{\"s\":1}";
        made.snapshot_length = 7;
        made.checkpoint = base % 2 ? "odd" : "even";
        made.checkpoint_snapshot = "[2]";
        made.checkpoint_length = 3;
        made.artifacts = base % 4 ? "[\"file1.ts\"]" : NULL;
        made.artifacts_length = made.artifacts ? 12 : 0;
        made.fingerprint = base % 2 ? "f1" : "f2";
        made.document = "{}";
        made.document_length = 2;
    }
    return wf_store_commit_one(store, &made, NULL);
}

static int32_t consume(wfsm_store *store, uint64_t base)
{
    kept_row post = {0};
    wfsm_store_inbox(store, "a", 1, keep_row, &post, NULL);
    wfsm_commit made = commit_of("a", base);
    made.inbox = post.number;
    made.event_id = post.id;
    return wf_store_commit_one(store, &made, NULL);
}

static int32_t list(wfsm_store *store)
{
    kept_row row = {0};
    return wfsm_store_list(store, NULL, keep_row, &row, NULL);
}

/* More instances than the table has room for at first. */
static int32_t start_many(wfsm_store *store, int32_t number)
{
    char id[32];
    snprintf(id, sizeof id, "many-%d", (int)number);
    return commit(store, id, 0, false);
}

enum { OPERATIONS = 38 };

static int32_t operation(wfsm_store *store, int32_t number)
{
    switch (number) {
    case 0:
        return commit(store, "a", 0, true);
    case 10:
        return wfsm_store_post(store, "a", "GO", "p1", "{}", 2, 1, NULL);
    case 11:
        return wfsm_store_post(store, "a", "GO", NULL, NULL, 0, 1, NULL);
    case 12:
        return consume(store, 10);
    case 13:
        return wfsm_store_owner_alive(store, "owner-1", 100, NULL);
    case 14:
        return wfsm_store_own(store, "a", "an owner with a rather long name", 1, NULL);
    case 15:
        return wfsm_store_owner_alive(store, "owner-1", 0, NULL);
    case 16:
        return list(store);
    case 17:
        return wfsm_store_remove(store, "a", NULL);
    default:
        return number < 10 ? commit(store, "a", (uint64_t)number, number != 5)
                           : start_many(store, number);
    }
}

static char *dump_unfailing(wfsm_store *store, failing *memory)
{
    memory->off = true;
    char *text = dump(store);
    memory->off = false;
    return text;
}

static void run_operation(wfsm_store *store, failing *memory, int32_t number)
{
    char *before = dump_unfailing(store, memory);
    int32_t status = operation(store, number);
    if (status) {
        TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, status);
        memory->off = true;
        expect_dump(store, before);
        before = NULL;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, operation(store, number));
        memory->off = false;
    }
    free_dump(before);
}

/* The allocations that a whole run makes. */
static size_t run(size_t from, size_t to)
{
    failing memory = {.from = from, .to = to};
    wfsm_allocator allocator = {sizeof allocator, &memory, take, resize, give};
    wfsm_store *store = NULL;
    int32_t status = wfsm_memory_open(&store, &allocator, NULL);
    if (status) {
        TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, status);
        TEST_ASSERT_NULL(store);
        TEST_ASSERT_EQUAL_size_t(0, memory.alive);
        return memory.count;
    }
    for (int32_t number = 0; number < OPERATIONS; number++)
        run_operation(store, &memory, number);
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_size_t(0, memory.alive);
    return memory.count;
}

static void one_failure_changes_nothing(void)
{
    size_t total = run(0, 0);
    TEST_ASSERT_GREATER_THAN_size_t(100, total);
    for (size_t n = 1; n <= total; n++)
        run(n, n);
}

static void no_memory_from_now_on_changes_nothing(void)
{
    size_t total = run(0, 0);
    for (size_t n = 1; n <= total; n++)
        run(n, SIZE_MAX);
}

/* A chain is stored whole or not, and the other commits of the batch go through. */
static void a_batch_loses_only_what_had_no_memory(void)
{
    size_t refused = 0;
    for (size_t n = 1; n < 60; n++) {
        failing memory = {.off = true};
        wfsm_allocator allocator = {sizeof allocator, &memory, take, resize, give};
        wfsm_store *store = NULL;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, &allocator, NULL));
        start_instance(store, "a", 1);
        start_instance(store, "b", 1);
        wfsm_commit list[3] = {commit_of("a", 1), commit_of("a", 2), commit_of("b", 1)};
        const wfsm_commit *batch[3] = {&list[0], &list[1], &list[2]};
        int32_t answers[3];
        memory = (failing){.from = n, .to = n, .alive = memory.alive};
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, batch, 3, answers, NULL));
        for (size_t i = 0; i < 3; i++)
            refused += answers[i] == WFSM_NO_MEMORY;
        TEST_ASSERT_EQUAL_INT32(answers[0], answers[1]);
        if (answers[0])
            TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[2]);
        wfsm_store_free(store);
        TEST_ASSERT_EQUAL_size_t(0, memory.alive);
    }
    /* The drafts and both records of the chain, which refuse two commits each, and one record. */
    TEST_ASSERT_EQUAL_size_t(3 * 2 + 1, refused);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(one_failure_changes_nothing);
    RUN_TEST(no_memory_from_now_on_changes_nothing);
    RUN_TEST(a_batch_loses_only_what_had_no_memory);
    return UNITY_END() != 0;
}
