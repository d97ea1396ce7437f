/* The documents of tests/cases/verify through the library call, with checkpoints and without.
 * hosts_verify compares the diagnostics. Here every verification must end with a verdict, and
 * its diagnostics must agree with it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/verify.h>
#include "failing_allocator.h"
#include "base/buffer.h"
#include "logic/json.h"
#include "machine/model.h"

static const wfsm_allocator *allocator;
static wfsm_machine *any; /* lends its allocator */
static wfsm_error *error;

void setUp(void)
{
    static const char text[] = "{\"id\": \"m\", \"initial\": \"a\", \"states\": {\"a\": {}}}";
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&any, text, strlen(text), NULL, NULL, error));
    allocator = &any->allocator;
}

void tearDown(void)
{
    wfsm_machine_unref(any);
    wfsm_error_free(error);
}

static void read_file(const char *path, wf_buffer *out)
{
    char part[4096];
    size_t length;
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    while ((length = fread(part, 1, sizeof part, file)) > 0)
        wf_buffer_add(out, part, length);
    fclose(file);
}

static wfsm_machine *load(const char *path, const wfsm_allocator *own)
{
    wfsm_machine *machine = NULL;
    wf_value all;
    wf_arena arena;
    wf_buffer text, document;
    wf_arena_init(&arena, allocator, 0);
    wf_buffer_init(&text, allocator);
    wf_buffer_init(&document, allocator);
    read_file(path, &text);
    TEST_ASSERT_EQUAL(WFSM_OK, wf_json_parse(&arena, text.data, text.length, &all, error));
    wf_json_write(&document, wf_value_get_z(&all, "document"));
    TEST_ASSERT_EQUAL_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, document.data, document.length, NULL, own, error),
        path);
    wf_buffer_fini(&document);
    wf_buffer_fini(&text);
    wf_arena_fini(&arena);
    return machine;
}

static bool has_error(const wfsm_verification *found)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    for (size_t i = 0; wfsm_verification_get(found, i, &diagnostic) == WFSM_OK; i++)
        if (diagnostic.severity == 1)
            return true;
    return false;
}

/* Cases begin with a start, and what was seen is one of the words. */
static void check_coverage(const wfsm_verification *found, const char *path)
{
    wfsm_verify_coverage one = {.size = sizeof one};
    const char *script;
    for (size_t i = 0; (script = wfsm_verification_case(found, i)); i++)
        TEST_ASSERT_EQUAL_MESSAGE(0, strncmp(script, "{\"start\":", 9), path);
    for (size_t i = 0; wfsm_verification_coverage(found, i, &one) == WFSM_OK; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(one.branch, one.taken == WFSM_SEEN_NOT_ASKED, path);
        TEST_ASSERT_EQUAL_MESSAGE(*one.guard == '\0', one.was_true == WFSM_SEEN_NOT_ASKED,
                                  path);
        TEST_ASSERT_TRUE_MESSAGE(one.taken <= WFSM_SEEN_UNKNOWN, path);
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, one.line, path);
    }
}

static void verify(const char *path, int32_t restores)
{
    const wfsm_verify_options options = {
        .size = sizeof options, .max_states = 300, .restores = restores, .cases = 1};
    wfsm_verification *found = NULL;
    wfsm_machine *machine = load(path, NULL);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, wfsm_verify(&found, machine, &options, error), path);
    int32_t verdict = wfsm_verification_verdict(found);
    TEST_ASSERT_TRUE_MESSAGE(verdict >= WFSM_HOLDS && verdict <= WFSM_UNDECIDED, path);
    TEST_ASSERT_EQUAL_MESSAGE(has_error(found), verdict == WFSM_VIOLATED, path);
    check_coverage(found, path);
    wfsm_verification_free(found);
    wfsm_machine_unref(machine);
}

static int32_t with_cases; /* of run_short() */

/* Each allocation of a verification fails, and all behind it. What was taken is given back, and
 * the last one gets through. */
static void run_short(const char *path, int32_t restores)
{
    const wfsm_verify_options options = {
        .size = sizeof options, .max_states = 40, .restores = restores, .cases = with_cases};
    wfsm_verification *found = NULL;
    failing memory;
    failing_init(&memory, -1);
    wfsm_machine *machine = load(path, &memory.allocator);
    const long held = memory.alive;
    long fails = 0;
    for (bool through = false; !through; fails++) {
        memory.left = fails;
        memory.asked = 0;
        int32_t status = wfsm_verify(&found, machine, &options, error);
        memory.left = -1;
        through = memory.asked <= fails;
        TEST_ASSERT_EQUAL_MESSAGE(through ? WFSM_OK : WFSM_NO_MEMORY, status, path);
        if (!through)
            TEST_ASSERT_EQUAL_MESSAGE(held, memory.alive, path);
    }
    TEST_ASSERT_GREATER_THAN_MESSAGE(30, fails, path);
    wfsm_verification_free(found);
    wfsm_machine_unref(machine);
    TEST_ASSERT_EQUAL_MESSAGE(0, memory.alive, path);
}

static void each_case(void (*use)(const char *path, int32_t restores), int32_t restores)
{
    struct dirent *entry;
    int count = 0;
    DIR *folder = opendir(CASES);
    TEST_ASSERT_NOT_NULL(folder);
    while ((entry = readdir(folder))) {
        char path[1024];
        if (!strstr(entry->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/%s", CASES, entry->d_name);
        use(path, restores);
        count++;
    }
    closedir(folder);
    TEST_ASSERT_GREATER_THAN(50, count);
}

static void test_each_case_has_a_verdict(void)
{
    each_case(verify, 0);
}

static void test_with_checkpoints_too(void)
{
    each_case(verify, 1);
}

static void test_memory_may_run_out_anywhere(void)
{
    each_case(run_short, 0);
    each_case(run_short, 1);
}

/* Of the cases, too: of some documents, because each allocation means one more verification. */
static void test_memory_may_run_out_for_test_cases(void)
{
    static const char *const names[] = {"approval", "host", "late-timers", "quorum"};
    with_cases = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.json", CASES, names[i]);
        run_short(path, 0);
    }
    with_cases = 0;
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_each_case_has_a_verdict);
    RUN_TEST(test_with_checkpoints_too);
    RUN_TEST(test_memory_may_run_out_anywhere);
    RUN_TEST(test_memory_may_run_out_for_test_cases);
    return UNITY_END() != 0;
}
