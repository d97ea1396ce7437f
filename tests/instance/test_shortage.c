/* Each allocation of a call fails, with all after it. The call returns NO_MEMORY and has
 * changed nothing, or (a query) returns NULL, and nothing leaks. The instance is in the middle
 * of the script, in a memory store. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/compact.h>
#include "failing_allocator.h"
#include "support.h"
#include "../given.h"

enum { LINES = 21 }; /* behind them there are invocations, timers and two checkpoints */

static failing memory;
static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *store, *archive;
static wfsm_instance *instance;

static void load(void)
{
    wfsm_instance_free(instance);
    instance = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_load(&instance, machine, store, functions, "one", error));
}

void setUp(void)
{
    int32_t outcome;
    failing_init(&memory, -1);
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything),
                                                       NULL, &memory.allocator, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, &memory.allocator, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, &memory.allocator, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&archive, &memory.allocator, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine,
                            START("one", .store = store, .functions = functions), 0, error));
    for (int line = 0; line < LINES; line++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, run_line(instance, line, &outcome, error));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_store_free(archive);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    instance = NULL;
    TEST_ASSERT_EQUAL(0, memory.alive);
}

/* How many allocations of `use` failed, each on an instance that was loaded again. */
static long run_short(const char *name, int32_t (*use)(void))
{
    long fails = 0;
    for (bool through = false; !through; fails++) {
        load();
        char *before = bytes_of(instance), *after;
        memory.left = fails;
        memory.asked = 0;
        int32_t status = use();
        memory.left = -1;
        through = memory.asked <= fails;
        after = bytes_of(instance);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(through ? WFSM_OK : WFSM_NO_MEMORY, status, name);
        if (!through)
            TEST_ASSERT_EQUAL_STRING_MESSAGE(before, after, name);
        free(before);
        free(after);
    }
    return fails - 1;
}

/* ---- queries ---- */

typedef const char *(*query)(wfsm_instance *asked, size_t *length);

static const char *budgets_at(wfsm_instance *asked, size_t *length)
{
    return wfsm_instance_budgets(asked, 10000, length);
}

static query current;

static int32_t ask(void)
{
    size_t length = 7;
    const char *text = current(instance, &length);
    TEST_ASSERT_EQUAL_size_t(text ? strlen(text) : 0, length);
    return text ? WFSM_OK : WFSM_NO_MEMORY;
}

static void test_queries(void)
{
    static const struct {
        const char *name;
        query ask;
        long least;
    } queries[] = {
        {"configuration", wfsm_instance_configuration, 1},
        {"context", wfsm_instance_context, 1},
        {"output", wfsm_instance_output, 1},
        {"invocations", wfsm_instance_invocations, 1},
        {"timers", wfsm_instance_timers, 1},
        {"events", wfsm_instance_events, 1},
        {"failures", wfsm_instance_failures, 1},
        {"budgets", budgets_at, 1},
        {"record", wfsm_instance_record, 0},
        {"log", wfsm_instance_log, 0},
        {"entered", wfsm_instance_entered, 0},
        {"event", wfsm_instance_event, 0},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        current = queries[i].ask;
        long fails = run_short(queries[i].name, ask);
        TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(queries[i].least, fails, queries[i].name);
    }
}

/* ---- calls ---- */

static int32_t preview(void)
{
    wfsm_preview told = {.size = sizeof told};
    int32_t outcome;
    return wfsm_instance_can(instance, EVENT("GO", .id = "e1"), 2000, &outcome, &told, error);
}

static int32_t checkpoint(void)
{
    return wfsm_instance_checkpoint(instance, CHECKPOINT("third"), 2000, NULL, error);
}

static int32_t delete_checkpoint(void)
{
    return wfsm_instance_delete_checkpoint(instance, "third", 2000, NULL, error);
}

static int32_t patch(void)
{
    static const char json[] = "{\"n\":[1,2,{\"a\":\"b\"}]}";
    return wfsm_instance_patch(instance, json, strlen(json), 2000, NULL, error);
}

static int32_t audit(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    int32_t status = wfsm_store_audit(store, "one", NULL, NULL, &counts, error);
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    return status;
}

/* The last records first: it compacts what the instance is loaded from. */
static int32_t compact_dry(void)
{
    const wfsm_compaction wanted = {
        .size = sizeof wanted, .keep = 3, .archive = archive, .dry_run = 1};
    wfsm_compacted done = {.size = sizeof done};
    return wfsm_store_compact(store, "one", &wanted, &done, error);
}

static int32_t compact(void)
{
    const wfsm_compaction wanted = {.size = sizeof wanted, .keep = 3, .archive = archive};
    wfsm_compacted done = {.size = sizeof done};
    return wfsm_store_compact(store, "one", &wanted, &done, error);
}

static int32_t stop(void)
{
    return wfsm_instance_stop(instance, 3000, NULL, error);
}

static void test_calls(void)
{
    static const struct {
        const char *name;
        int32_t (*use)(void);
        long least;
    } calls[] = {
        {"can", preview, 2},      {"checkpoint", checkpoint, 2},
        {"patch", patch, 2},      {"delete_checkpoint", delete_checkpoint, 2},
        {"audit", audit, 10},     {"dry run", compact_dry, 4},
        {"compact", compact, 10}, {"audit, compacted", audit, 10},
        {"stop", stop, 2},        {"audit, stopped", audit, 10},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(
            calls[i].least, run_short(calls[i].name, calls[i].use), calls[i].name);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_queries);
    RUN_TEST(test_calls);
    return UNITY_END() != 0;
}
