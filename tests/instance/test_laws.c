/* Laws that hold for every input of a script that uses everything. */
#include "support.h"
#include "../given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *memory;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything), NULL, NULL, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
}

void tearDown(void)
{
    wfsm_store_free(memory);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static wfsm_instance *start(wfsm_store *store)
{
    wfsm_instance *instance = NULL;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK,
        wfsm_instance_start(&instance, machine,
                            START("one", .store = store, .functions = functions), 0, error),
        wfsm_error_message(error));
    return instance;
}

static wfsm_instance *load(wfsm_store *store)
{
    wfsm_instance *instance = NULL;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_load(&instance, NULL, store, functions, "one", error),
        wfsm_error_message(error));
    return instance;
}

static void run(wfsm_instance *instance, int line)
{
    int32_t outcome;
    char where[32];
    snprintf(where, sizeof where, "line %d", line);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, run_line(instance, line, &outcome, error), where);
}

static void assert_same(const wfsm_instance *a, const wfsm_instance *b, int line)
{
    char *left = bytes_of(a), *right = bytes_of(b);
    char where[32];
    snprintf(where, sizeof where, "after line %d", line);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(left, right, where);
    free(left);
    free(right);
}

/* What the journal says is what memory holds, after every input. */
static void test_loading_gives_the_same_bytes(void)
{
    wfsm_instance *instance = start(memory);
    for (int line = 0; line < SCRIPT_LENGTH; line++) {
        run(instance, line);
        wfsm_instance *again = load(memory);
        assert_same(instance, again, line);
        wfsm_instance_free(again);
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, wfsm_instance_status(instance));
    wfsm_instance_free(instance);
}

/* Going on in a new process at any point changes nothing. */
static void test_splitting_a_run_changes_nothing(void)
{
    wfsm_instance *whole = start(memory);
    for (int line = 0; line < SCRIPT_LENGTH; line++)
        run(whole, line);
    for (int split = 0; split < SCRIPT_LENGTH; split++) {
        wfsm_store *store = NULL;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, NULL, error));
        wfsm_instance *instance = start(store);
        for (int line = 0; line < SCRIPT_LENGTH; line++) {
            if (line == split) {
                wfsm_instance_free(instance);
                instance = load(store);
            }
            run(instance, line);
        }
        assert_same(whole, instance, split);
        wfsm_instance_free(instance);
        wfsm_store_free(store);
    }
    wfsm_instance_free(whole);
}

/* A commit that has certainly failed leaves memory byte for byte as it was, and the input can
 * be repeated. */
static void test_failed_commit_changes_nothing(void)
{
    flaky self = {.inner = memory, .answer = WFSM_STORE_FAILED};
    wfsm_store *store = NULL;
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&store, &self, NULL, error));
    wfsm_instance *instance = start(store);
    for (int line = 0; line < SCRIPT_LENGTH; line++) {
        char *before = bytes_of(instance);
        self.fail_at = self.commits + 1;
        int32_t status = run_line(instance, line, &outcome, error);
        char *after = bytes_of(instance);
        if (status != WFSM_OK)
            TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, status);
        TEST_ASSERT_EQUAL_STRING(before, after);
        free(before);
        free(after);
        self.fail_at = 0;
        run(instance, line);
        wfsm_instance *again = load(store);
        assert_same(instance, again, line);
        wfsm_instance_free(again);
    }
    wfsm_instance_free(instance);
    wfsm_store_free(store);
}

/* After a lost answer the instance is sealed; loaded again it is at one side of the commit
 * or the other, as the store has it. */
static void test_lost_answer_seals(void)
{
    for (int written = 0; written < 2; written++) {
        flaky self = {.inner = memory, .answer = WFSM_STORE_UNKNOWN, .written = written != 0};
        wfsm_store *store = NULL;
        int32_t outcome;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&store, &self, NULL, error));
        wfsm_instance *instance = start(store);
        uint64_t before = wfsm_instance_revision(instance);
        self.fail_at = self.commits + 1;
        TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, run_line(instance, 0, &outcome, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_SEALED, run_line(instance, 0, &outcome, error));
        wfsm_instance_free(instance);
        instance = load(store);
        TEST_ASSERT_EQUAL_UINT64(before + (uint64_t)written, wfsm_instance_revision(instance));
        wfsm_instance_free(instance);
        wfsm_store_free(store);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(memory, "one", error));
    }
}

/* Of two handles that both continue from one revision, one gets CONFLICT. */
static void test_conflict_seals(void)
{
    wfsm_instance *first = start(memory), *second = load(memory);
    int32_t outcome;
    run(first, 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, run_line(second, 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEALED, run_line(second, 0, &outcome, error));
    wfsm_instance_free(second);
    second = load(memory);
    assert_same(first, second, 0);
    wfsm_instance_free(first);
    wfsm_instance_free(second);
}

/* What a dry run says is what the input then does, and it changes nothing itself. */
static void test_dry_run_predicts(void)
{
    wfsm_instance *instance = start(memory);
    wfsm_preview preview = {.size = sizeof preview};
    size_t length;
    int32_t predicted, outcome;
    char *before = bytes_of(instance);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_can(instance, EVENT("INC", .data = "{\"x\":1}", .length = 7), 5,
                                   &predicted, &preview, error));
    TEST_ASSERT_NOT_NULL(preview.record);
    char *copy = malloc(preview.length + 1);
    memcpy(copy, preview.record, preview.length + 1);
    char *after = bytes_of(instance);
    TEST_ASSERT_EQUAL_STRING(before, after);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_send(instance, EVENT("INC", .data = "{\"x\":1}", .length = 7), 5,
                                    &outcome, error));
    TEST_ASSERT_EQUAL_INT32(predicted, outcome);
    TEST_ASSERT_EQUAL_STRING(copy, wfsm_instance_record(instance, &length));
    free(copy);
    free(before);
    free(after);
    wfsm_instance_free(instance);
}

/* The n-th allocation fails, for every n: each call says so, each object is as before. */
static void test_out_of_memory_anywhere(void)
{
    uint64_t n = 0;
    bool finished = false;
    while (!finished) {
        scarce self = {.fail_at = 0};
        wfsm_allocator allocator = scarce_allocator(&self);
        wfsm_machine *own = NULL;
        wfsm_store *store = NULL;
        wfsm_instance *instance = NULL;
        int32_t outcome, status;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&own, everything, strlen(everything),
                                                           NULL, &allocator, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, &allocator, error));
        self.fail_at = self.calls + ++n;
        while ((status = wfsm_instance_start(
                    &instance, own, START("one", .store = store, .functions = functions), 0,
                    error)) != WFSM_OK)
            TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, status);
        for (int line = 0; line < SCRIPT_LENGTH; line++) {
            char *before = bytes_of(instance);
            status = run_line(instance, line, &outcome, error);
            if (status != WFSM_OK) {
                char *after = bytes_of(instance);
                TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, status);
                TEST_ASSERT_EQUAL_STRING(before, after);
                free(after);
                run(instance, line);
            }
            free(before);
        }
        finished = self.calls < self.fail_at;
        TEST_ASSERT_EQUAL_INT32(WFSM_DONE, wfsm_instance_status(instance));
        wfsm_instance_free(instance);
        wfsm_store_free(store);
        wfsm_machine_unref(own);
        TEST_ASSERT_EQUAL_INT64(0, self.living);
    }
    TEST_ASSERT_GREATER_THAN(100, n);
}

/* A deadline beyond 2^53 could not be read again: it is cut, and a time beyond it refused. */
static void test_the_end_of_time(void)
{
    const int64_t end = (int64_t)1 << 53;
    wfsm_instance *instance = start(memory), *again;
    int32_t outcome, fired;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_instance_advance(instance, end + 1, &fired, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_send(instance, EVENT("GO"), end - 50, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_send(instance, EVENT("NEXT"), 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT64(end, wfsm_instance_deadline(instance));
    again = load(memory);
    assert_same(instance, again, 0);
    wfsm_instance_free(again);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_advance(instance, end, &fired, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(1, fired);
    again = load(memory);
    assert_same(instance, again, 1);
    wfsm_instance_free(again);
    wfsm_instance_free(instance);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_loading_gives_the_same_bytes);
    RUN_TEST(test_splitting_a_run_changes_nothing);
    RUN_TEST(test_failed_commit_changes_nothing);
    RUN_TEST(test_lost_answer_seals);
    RUN_TEST(test_conflict_seals);
    RUN_TEST(test_dry_run_predicts);
    RUN_TEST(test_the_end_of_time);
    RUN_TEST(test_out_of_memory_anywhere);
    return UNITY_END() != 0;
}
