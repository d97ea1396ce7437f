/*
 * The n-th allocation fails, for every n. Each call says NO_MEMORY, returns nothing,
 * leaks nothing, and works when it is called again.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "documents.h"

static size_t count, fatal, alive;

static bool fails(void)
{
    count++;
    return count == fatal;
}

static void *take(void *user, size_t bytes)
{
    void *block = fails() ? NULL : malloc(bytes);

    (void)user;
    alive += block != NULL;
    return block;
}

static void *resize(void *user, void *block, size_t bytes)
{
    void *moved = fails() ? NULL : realloc(block, bytes);

    (void)user;
    alive += !block && moved;
    return moved;
}

static void give(void *user, void *block)
{
    (void)user;
    alive -= block != NULL;
    free(block);
}

static const wfsm_allocator failing = {sizeof(wfsm_allocator), NULL, take, resize, give};

static wfsm_error *error;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    fatal = 0;
    alive = 0;
}

void tearDown(void)
{
    wfsm_error_free(error);
}

static int32_t expected_status(const char *name)
{
    return strcmp(name, "vocabulary") == 0 ? WFSM_OK : WFSM_SEMANTIC;
}

/* True once no allocation failed any more. */
static bool load_failing_at(size_t n, const char *name, const char *text, size_t length)
{
    wfsm_machine *machine = NULL;
    int32_t status;

    count = 0;
    fatal = n;
    status = wfsm_machine_load(&machine, text, length, NULL, &failing, error);
    if (count < n) {
        TEST_ASSERT_EQUAL_INT32(expected_status(name), status);
        wfsm_machine_unref(machine);
        return true;
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, status);
    TEST_ASSERT_NULL(machine);
    TEST_ASSERT_EQUAL_size_t(0, alive);
    return false;
}

static bool check_failing_at(size_t n, const char *name, const char *text, size_t length)
{
    wfsm_diagnostics *diagnostics = NULL;
    int32_t status;

    (void)name;
    count = 0;
    fatal = n;
    status = wfsm_machine_check(&diagnostics, text, length, &failing, error);
    if (count < n) {
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
        wfsm_diagnostics_free(diagnostics);
        return true;
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, status);
    TEST_ASSERT_NULL(diagnostics);
    TEST_ASSERT_EQUAL_size_t(0, alive);
    return false;
}

typedef bool (*attempt)(size_t n, const char *name, const char *text, size_t length);

static void fail_everywhere(attempt once, const char *name)
{
    size_t length = 0, n = 1;
    char *text = read_file(CASES, name, ".json", &length);

    while (!once(n, name, text, length))
        n++;
    TEST_ASSERT_GREATER_THAN(30, n);
    TEST_ASSERT_EQUAL_size_t(0, alive);
    free(text);
}

static void test_load(void)
{
    fail_everywhere(load_failing_at, "vocabulary");
}

static void test_load_with_errors(void)
{
    fail_everywhere(load_failing_at, "targets");
    fail_everywhere(load_failing_at, "wrong-types");
}

static void test_check(void)
{
    fail_everywhere(check_failing_at, "vocabulary");
    fail_everywhere(check_failing_at, "unknown-keys");
    fail_everywhere(check_failing_at, "never-set");
}

/* Every call again until it works: what failed must have changed nothing. */
#define AGAIN(call)                                                                            \
    do {                                                                                       \
        int32_t status_;                                                                       \
        for (size_t n_ = 1;; n_++) {                                                           \
            count = 0;                                                                         \
            fatal = n_;                                                                        \
            status_ = (call);                                                                  \
            if (status_ != WFSM_NO_MEMORY)                                                     \
                break;                                                                         \
        }                                                                                      \
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, status_);                                             \
    } while (0)

static void test_builder(void)
{
    wfsm_builder *builder = NULL;
    wfsm_machine *machine = NULL;

    AGAIN(wfsm_builder_new(&builder, "m", &failing, error));
    AGAIN(wfsm_builder_state(builder, "a", NULL, error));
    AGAIN(wfsm_builder_state(builder, "a.b", "final", error));
    AGAIN(wfsm_builder_set(builder, "", "initial", "\"a\"", 3, error));
    AGAIN(wfsm_builder_set(builder, "", "initial", "\"a\"", 3, error));
    AGAIN(wfsm_builder_on(builder, "a", "e", "\"a\"", 3, error));
    AGAIN(wfsm_builder_on(builder, "a", "e", "{}", 2, error));
    AGAIN(wfsm_builder_machine(builder, &machine, error));
    TEST_ASSERT_EQUAL_STRING(
        "{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"e\":[\"a\",{}]},"
        "\"states\":{\"b\":{\"type\":\"final\"}}}}}",
        wfsm_machine_document(machine, NULL));
    wfsm_machine_unref(machine);
    wfsm_builder_free(builder);
    TEST_ASSERT_EQUAL_size_t(0, alive);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_load);
    RUN_TEST(test_load_with_errors);
    RUN_TEST(test_check);
    RUN_TEST(test_builder);
    return UNITY_END() != 0;
}
