/* The documents of tests/cases/verify through the library call, with checkpoints and without.
 * hosts_verify compares the diagnostics. Here every verification must end with a verdict, and
 * its diagnostics must agree with it. */
#include <dirent.h>
#ifndef __wasi__
#include <pthread.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/verify.h>
#include "failing_allocator.h"
#include "base/buffer.h"
#include "logic/json.h"
#include "machine/model.h"
#include "read_file.h"

/* It has enough states for several threads. */
#define MANY_STATES "many-states.json"
#define FAILURE_STRIDE 7

/* Tests with other options take every fifth document; with the argument "all", each. */
static long repeats = 5;
static long number; /* counts them */

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

static int32_t with_cases, punctual; /* of run_short() */

/* Each failing allocation means one more verification. There are hundreds of documents, so only
 * some allocations of each fail, and other ones in the next document. */
static bool every_failure; /* the argument "every"; takes minutes */

static long first_failure(void)
{
    return every_failure ? 0 : number % FAILURE_STRIDE;
}

static long next_failure(long fails)
{
    if (every_failure)
        return fails < 300 ? fails + 1 : fails + fails / 15;
    return fails + FAILURE_STRIDE + fails / 4;
}

/* An allocation of a verification fails, and so do all after it. The verification then frees what
 * it has allocated. The last one has enough memory and succeeds. */
static void run_short(const char *path, int32_t restores)
{
    const wfsm_verify_options options = {.size = sizeof options,
                                         .max_states = 40,
                                         .restores = restores,
                                         .cases = with_cases,
                                         .punctual = punctual};
    wfsm_verification *found = NULL;
    failing memory;
    failing_init(&memory, -1);
    wfsm_machine *machine = load(path, &memory.allocator);
    const long held = memory.alive;
    long fails = first_failure();
    for (bool through = false; !through; fails = next_failure(fails)) {
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

/* ---- several threads ---- */

/* All that a verification says, as one text. */
static void write_all(wf_buffer *out, const wfsm_verification *found)
{
    wfsm_verify_counts counts = {.size = sizeof counts};
    wfsm_verify_diagnostic one = {.size = sizeof one};
    wfsm_verify_property property = {.size = sizeof property};
    wfsm_verify_coverage seen = {.size = sizeof seen};
    const char *text;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_counts(found, &counts));
    wf_buffer_format(out, "%d %s\n%llu %llu %llu %llu %llu %llu %llu\n",
                     wfsm_verification_verdict(found), wfsm_verification_bound(found),
                     (unsigned long long)counts.states, (unsigned long long)counts.moves,
                     (unsigned long long)counts.depth, (unsigned long long)counts.edges,
                     (unsigned long long)counts.memory, (unsigned long long)counts.key_bytes,
                     (unsigned long long)counts.changes);
    for (size_t i = 0; wfsm_verification_get(found, i, &one) == WFSM_OK; i++)
        wf_buffer_format(out, "%s: %s at %s, %d\n%s%s\n", one.rule, one.message, one.pointer,
                         one.replayed, one.trace, one.script);
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++)
        wf_buffer_format(out, "%s %d %d\n", property.name, property.verdict, property.vacuous);
    for (size_t i = 0; wfsm_verification_coverage(found, i, &seen) == WFSM_OK; i++)
        wf_buffer_format(out, "%d %d %d\n", seen.taken, seen.was_true, seen.was_false);
    for (size_t i = 0; (text = wfsm_verification_note(found, i)); i++)
        wf_buffer_text(out, text);
    for (size_t i = 0; (text = wfsm_verification_case(found, i)); i++)
        wf_buffer_text(out, text);
}

static void verify_with(const char *path, int32_t restores, uint32_t jobs, wf_buffer *out)
{
    const wfsm_verify_options options = {.size = sizeof options,
                                         .max_states = 3000,
                                         .restores = restores,
                                         .cases = 1,
                                         .jobs = jobs};
    wfsm_verification *found = NULL;
    wfsm_machine *machine = load(path, NULL);
    wf_buffer_init(out, allocator);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, wfsm_verify(&found, machine, &options, error), path);
    write_all(out, found);
    wfsm_verification_free(found);
    wfsm_machine_unref(machine);
}

static void compare_jobs(const char *path, int32_t restores)
{
    wf_buffer alone, together;
    verify_with(path, restores, 0, &alone);
    verify_with(path, restores, 3, &together);
    TEST_ASSERT_FALSE(alone.failed || together.failed);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(alone.data, together.data, path);
    wf_buffer_fini(&alone);
    wf_buffer_fini(&together);
}

/* In the order of their names, so that a failure comes again. */
static void each_case(long stride, void (*use)(const char *path, int32_t restores),
                      int32_t restores)
{
    struct dirent **entries;
    const int count = scandir(CASES, &entries, NULL, alphasort);
    TEST_ASSERT_GREATER_THAN(50, count);
    number = 0;
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", CASES, entries[i]->d_name);
        if (strstr(path, ".json") && number++ % stride == 0)
            use(path, restores);
        free(entries[i]);
    }
    free(entries);
}

static void test_each_case_has_a_verdict(void)
{
    each_case(1, verify, 0);
}

static void test_with_checkpoints_too(void)
{
    each_case(repeats, verify, 1);
}

static void test_memory_may_run_out_anywhere(void)
{
    each_case(repeats, run_short, 0);
    each_case(repeats, run_short, 1);
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

/* Attempts of agents have ends only so. */
static void test_memory_may_run_out_with_a_punctual_host(void)
{
    punctual = 1;
    run_short(CASES "/attempt-ends-retry-late.json", 0);
    punctual = 0;
}

#ifndef __wasi__ /* It has no threads. */

/* An allocator that fails on demand, for several threads. */
typedef struct shared_memory {
    wfsm_allocator allocator;
    pthread_mutex_t lock;
    failing inner;
} shared_memory;

static void *shared_allocate(void *user, size_t bytes)
{
    shared_memory *self = user;
    pthread_mutex_lock(&self->lock);
    void *block = failing_allocate(&self->inner, bytes);
    pthread_mutex_unlock(&self->lock);
    return block;
}

static void *shared_resize(void *user, void *block, size_t bytes)
{
    shared_memory *self = user;
    pthread_mutex_lock(&self->lock);
    void *moved = failing_resize(&self->inner, block, bytes);
    pthread_mutex_unlock(&self->lock);
    return moved;
}

static void shared_release(void *user, void *block)
{
    shared_memory *self = user;
    pthread_mutex_lock(&self->lock);
    failing_release(&self->inner, block);
    pthread_mutex_unlock(&self->lock);
}

/* How many allocations a run makes depends on which thread does what: every tenth is tried. What a
 * thread has no memory for, the search does itself. */
static void test_memory_may_run_out_for_threads(void)
{
    const wfsm_verify_options options = {.size = sizeof options, .jobs = 3};
    shared_memory memory = {.allocator = {sizeof memory.allocator, &memory, shared_allocate,
                                          shared_resize, shared_release},
                            .lock = PTHREAD_MUTEX_INITIALIZER};
    failing_init(&memory.inner, -1);
    wfsm_machine *machine = load(CASES "/" MANY_STATES, &memory.allocator);
    const long held = memory.inner.alive;
    long fails = 0;
    for (bool through = false; !through; fails += 10) {
        wfsm_verification *found = NULL;
        memory.inner.left = fails;
        memory.inner.asked = 0;
        int32_t status = wfsm_verify(&found, machine, &options, error);
        memory.inner.left = -1;
        through = memory.inner.asked <= fails;
        TEST_ASSERT_TRUE(status == WFSM_OK || (!through && status == WFSM_NO_MEMORY));
        wfsm_verification_free(found);
        TEST_ASSERT_EQUAL(held, memory.inner.alive);
    }
    TEST_ASSERT_GREATER_THAN(30, fails);
    wfsm_machine_unref(machine);
}

#endif

static void test_several_threads_find_the_same(void)
{
    each_case(repeats, compare_jobs, 0);
    each_case(repeats, compare_jobs, 1);
}

static void test_too_many_threads_are_refused(void)
{
    const wfsm_verify_options options = {.size = sizeof options, .jobs = 257};
    wfsm_verification *found = NULL;
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_verify(&found, any, &options, error));
    TEST_ASSERT_EQUAL_STRING("jobs must be from 0 to 256", wfsm_error_message(error));
}

int main(int argc, char **argv)
{
    every_failure = argc > 1 && strcmp(argv[1], "every") == 0;
    if (argc > 1)
        repeats = 1;
    UNITY_BEGIN();
    RUN_TEST(test_several_threads_find_the_same);
    RUN_TEST(test_each_case_has_a_verdict);
    RUN_TEST(test_with_checkpoints_too);
    RUN_TEST(test_memory_may_run_out_anywhere);
    RUN_TEST(test_memory_may_run_out_for_test_cases);
    RUN_TEST(test_memory_may_run_out_with_a_punctual_host);
    RUN_TEST(test_too_many_threads_are_refused);
#ifndef __wasi__
    RUN_TEST(test_memory_may_run_out_for_threads);
#endif
    return UNITY_END() != 0;
}
