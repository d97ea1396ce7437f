/* wfsm_store_sweep(): pages, and failing allocations. tests/command/test_sweep.py has the rules. */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/compact.h>
#include "failing_allocator.h"
#include "../given.h"
#include "support.h"

#define DOCUMENT(then)                                                                         \
    "{\"id\":\"m\",\"initial\":\"on\",\"retention\":{\"afterMs\":10,\"then\":\"" then          \
    "\"},\"states\":{\"on\":{\"on\":{\"stop\":\"off\"}},\"off\":{\"type\":\"final\"}}}"

enum { ENDED = 3, RUNS = 1 };

static failing memory;
static wfsm_error *error;
static wfsm_store *store, *archive;
static size_t counts[WFSM_SWEPT_FAILED + 1];

static void start(wfsm_machine *machine, const char *id, bool ends)
{
    wfsm_instance *instance = NULL;
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, machine, START(id, .store = store), 0, error));
    if (ends)
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK, wfsm_instance_send(instance, EVENT("stop"), 0, &outcome, error));
    wfsm_instance_free(instance);
}

static void fill(const char *document)
{
    wfsm_machine *machine = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, document, strlen(document),
                                                       NULL, &memory.allocator, error));
    for (int i = 0; i < ENDED; i++) {
        char id[] = {(char)('a' + i), '\0'};
        start(machine, id, true);
    }
    start(machine, "z", false);
    wfsm_machine_unref(machine);
}

void setUp(void)
{
    failing_init(&memory, -1);
    error = wfsm_error_new(NULL);
    memset(counts, 0, sizeof counts);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, &memory.allocator, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&archive, &memory.allocator, error));
}

void tearDown(void)
{
    wfsm_store_free(store);
    wfsm_store_free(archive);
    wfsm_error_free(error);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static void count(void *user, const wfsm_swept *swept)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *swept, swept->size);
    counts[swept->kind]++;
}

static int32_t sweep(uint64_t limit, const char *after, char *last)
{
    const wfsm_sweep wanted = {.size = sizeof wanted,
                               .now = 10,
                               .archive = archive,
                               .after = after,
                               .limit = limit,
                               .tell = count};
    return wfsm_store_sweep(store, &wanted, last, error);
}

static int32_t count_row(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return WFSM_OK;
}

static size_t size_of(wfsm_store *of)
{
    size_t rows = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_list(of, NULL, count_row, &rows, error));
    return rows;
}

static void test_a_part_at_a_time(void)
{
    char last[256] = "?";
    fill(DOCUMENT("remove"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, sweep(2, NULL, last));
    TEST_ASSERT_EQUAL_STRING("b", last);
    TEST_ASSERT_EQUAL(2, counts[WFSM_SWEPT_REMOVED]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, sweep(1, last, last));
    TEST_ASSERT_EQUAL_STRING("c", last);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, sweep(0, last, last));
    TEST_ASSERT_EQUAL_STRING("", last);
    TEST_ASSERT_EQUAL(ENDED, counts[WFSM_SWEPT_REMOVED]);
    TEST_ASSERT_EQUAL(RUNS, size_of(store));
}

/* A sweep that has run out of memory has removed nothing that is not in the archive, and the next one
 * does the rest. */
static void sweep_short(const char *document)
{
    long fails = 0;
    for (bool through = false; !through; fails++) {
        memory.left = fails;
        memory.asked = 0;
        int32_t status = sweep(0, NULL, NULL);
        memory.left = -1;
        through = memory.asked <= fails;
        TEST_ASSERT_EQUAL_INT32_MESSAGE(through ? WFSM_OK : WFSM_NO_MEMORY, status, document);
        TEST_ASSERT_EQUAL(0, counts[WFSM_SWEPT_STAYS] + counts[WFSM_SWEPT_FAILED]);
    }
    TEST_ASSERT_GREATER_THAN(10, fails);
    TEST_ASSERT_EQUAL(RUNS, size_of(store));
}

static void test_removing_without_memory(void)
{
    fill(DOCUMENT("remove"));
    sweep_short("remove");
    TEST_ASSERT_EQUAL(0, size_of(archive));
}

static void test_archiving_without_memory(void)
{
    fill(DOCUMENT("archive"));
    sweep_short("archive");
    TEST_ASSERT_EQUAL(ENDED, size_of(archive));
}

static void test_wrong_options(void)
{
    const wfsm_sweep past = {.size = sizeof past, .now = -1};
    const wfsm_sweep odd = {.size = sizeof odd, .dry_run = 2};
    const wfsm_sweep nameless = {.size = sizeof nameless, .after = ""};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_sweep(store, NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_sweep(NULL, &past, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_sweep(store, &past, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_sweep(store, &odd, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_sweep(store, &nameless, NULL, error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_part_at_a_time);
    RUN_TEST(test_removing_without_memory);
    RUN_TEST(test_archiving_without_memory);
    RUN_TEST(test_wrong_options);
    return UNITY_END() != 0;
}
