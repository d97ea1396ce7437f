/*
 * The n-th allocation of the library or of SQLite fails, for every n: in opening a store, in
 * each input of a script that uses every feature, and in each call that reads. Each call
 * returns NO_MEMORY, and the object is unchanged: an instance has the same bytes, and the same
 * handle continues. With an argument every n, else every 7th in the script.
 */
#include "instance/support.h"
#include "oom/shortage.h"
#include "sqlite/folder.h"
#include "../given.h"

#include <wfsm/sqlite.h>
#include <wfsm/tools.h>
#include <wfsm/wfsm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static long step = 7, shortages, unknown;
static wfsm_machine *machine;
static wfsm_functions *functions;

void setUp(void)
{
    wfsm_allocator *allocator = shortage_allocator();
    shortages = unknown = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything),
                                                       NULL, allocator, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, allocator, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, NULL));
}

void tearDown(void)
{
    shortage_disarm();
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    folder_remove();
}

static wfsm_store *open_store(void)
{
    wfsm_store *store = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_sqlite_open(&store, folder_file("oom.db"), NULL,
                                                      shortage_allocator(), NULL));
    return store;
}

static void expect_shortage(int32_t status)
{
    if (status)
        TEST_ASSERT_EQUAL_STRING("NO_MEMORY", wfsm_status_name(status));
}

static void opening_a_store(void)
{
    char path[600];
    long alive = shortage_alive();
    bool hit = true;
    snprintf(path, sizeof path, "%s", folder_file("new.db"));
    for (long n = 1; hit; n++) {
        wfsm_store *store = NULL;
        shortage_arm(n);
        int32_t status = wfsm_sqlite_open(&store, path, NULL, shortage_allocator(), NULL);
        hit = shortage_disarm();
        shortages += hit;
        expect_shortage(status);
        TEST_ASSERT_EQUAL(status == WFSM_OK, store != NULL);
        wfsm_store_free(store);
        TEST_ASSERT_EQUAL(alive, shortage_alive());
        if (n % 3)
            folder_wipe();
    }
    printf("opening: %ld shortages\n", shortages);
    TEST_ASSERT_GREATER_THAN(50, shortages);
}

static wfsm_instance *load(wfsm_store *store)
{
    wfsm_instance *instance = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_load(&instance, machine, store, functions, "one", NULL));
    return instance;
}

static int32_t start(wfsm_instance **instance, wfsm_store *store)
{
    return wfsm_instance_start(instance, machine,
                               START("one", .store = store, .functions = functions), 0, NULL);
}

/* Nobody can tell whether it is stored: the instance says so until it is loaded again.
 */
static bool look_again(wfsm_instance **instance, wfsm_store *store, uint64_t revision)
{
    unknown++;
    TEST_ASSERT_EQUAL_INT32(WFSM_SEALED,
                            wfsm_instance_send(*instance, EVENT("INC"), 0, NULL, NULL));
    wfsm_instance_free(*instance);
    *instance = load(store);
    return wfsm_instance_revision(*instance) > revision;
}

static void run_one(wfsm_instance **instance, wfsm_store *store, int line)
{
    int32_t outcome;
    uint64_t revision = wfsm_instance_revision(*instance);
    char *before = bytes_of(*instance), *after;
    int32_t status = run_line(*instance, line, &outcome, NULL);
    bool done = status == WFSM_OK;
    if (status == WFSM_STORE_UNKNOWN)
        done = look_again(instance, store, revision);
    else
        expect_shortage(status);
    after = bytes_of(*instance);
    if (!done) {
        TEST_ASSERT_EQUAL_STRING(before, after);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, run_line(*instance, line, &outcome, NULL));
    }
    free(before);
    free(after);
}

static void check_stored(wfsm_store *store, const wfsm_instance *instance)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    wfsm_instance *again = load(store);
    char *one = bytes_of(instance), *other = bytes_of(again);
    TEST_ASSERT_EQUAL_STRING(one, other);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_audit(store, NULL, NULL, NULL, &counts, NULL));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    free(one);
    free(other);
    wfsm_instance_free(again);
}

/* What a machine keeps for the next input. */
static void drop_spare(void)
{
    wf_spare *spare = wf_machine_take_spare(machine);
    if (spare)
        spare->release(&machine->allocator, spare);
}

static bool run_script(long n)
{
    wfsm_store *store = open_store();
    wfsm_instance *instance = NULL;
    shortage_arm(n);
    int32_t status = start(&instance, store);
    if (status) {
        expect_shortage(status);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, start(&instance, store));
    }
    for (int line = 0; line < SCRIPT_LENGTH; line++)
        run_one(&instance, store, line);
    bool hit = shortage_disarm();
    check_stored(store, instance);
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    drop_spare();
    folder_wipe();
    return hit;
}

static void every_input_of_a_script(void)
{
    long alive = shortage_alive(), n = 1;
    for (; run_script(n); n += step) {
        shortages++;
        TEST_ASSERT_EQUAL(alive, shortage_alive());
    }
    printf("a script of %d inputs: %ld allocations, %ld shortages, unknown commits: %ld\n",
           SCRIPT_LENGTH, n, shortages, unknown);
    TEST_ASSERT_GREATER_THAN(20, shortages);
}

static wfsm_store *store;
static wfsm_instance *one;

static int32_t see(void *user, const wfsm_row *row)
{
    (void)user;
    (void)row;
    return WFSM_OK;
}

static int32_t no_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_FAIL_MESSAGE(diagnostic->message);
    return WFSM_CORRUPT;
}

static int32_t do_load(void)
{
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_instance_load(&instance, NULL, store, functions, "one", NULL);
    TEST_ASSERT_EQUAL(status == WFSM_OK, instance != NULL);
    wfsm_instance_free(instance);
    return status;
}

static int32_t do_audit(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    int32_t status = wfsm_store_audit(store, NULL, no_diagnostic, NULL, &counts, NULL);
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    return status;
}

static int32_t do_head(void)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(store, "one", &head, NULL);
}

static int32_t do_list(void)
{
    wfsm_query query = {.size = sizeof query, .machine = "everything"};
    return wfsm_store_list(store, &query, see, NULL, NULL);
}

static int32_t do_records(void)
{
    return wfsm_store_records(store, "one", 1, UINT64_MAX, see, NULL, NULL);
}

static int32_t do_checkpoints(void)
{
    return wfsm_store_checkpoints(store, "one", see, NULL, NULL);
}

static int32_t do_snapshot(void)
{
    return wfsm_store_snapshot(store, "one", NULL, see, NULL, NULL);
}

static int32_t do_inbox(void)
{
    return wfsm_store_inbox(store, NULL, 0, see, NULL, NULL);
}

static int32_t do_seen(void)
{
    int32_t seen;
    return wfsm_store_seen(store, "one", "no such event", &seen, NULL);
}

static int32_t do_post(void)
{
    static int number;
    char id[20];
    snprintf(id, sizeof id, "post %d", ++number);
    return wfsm_store_post(store, "one", "INC", id, "{\"a\":[1,2,3]}", 13, 0, NULL);
}

static int32_t do_own(void)
{
    return wfsm_store_disown(store, "one", "somebody", NULL);
}

static int32_t do_alive(void)
{
    return wfsm_store_owner_alive(store, "somebody", 1000, NULL);
}

static int32_t do_next_effect(void)
{
    const char *effect;
    size_t length;
    uint64_t number;
    return wfsm_instance_next_effect(one, &effect, &length, &number, NULL);
}

static int32_t do_acknowledge(void)
{
    return wfsm_instance_ack(one, 1, NULL);
}

static int32_t do_try(void)
{
    wfsm_preview preview = {.size = sizeof preview};
    int32_t outcome;
    return wfsm_instance_can(one, EVENT("INC", .data = "{\"x\":[1]}", .length = 9), 9100,
                             &outcome, &preview, NULL);
}

static int32_t do_can(void)
{
    int32_t outcome;
    return wfsm_instance_can(one, EVENT("INC", .data = "{\"x\":[1]}", .length = 9), 9100,
                             &outcome, NULL, NULL);
}

/* Each of these is NULL when out of memory. */
static int32_t do_questions(void)
{
    const char *(*const questions[])(wfsm_instance *, size_t *) = {
        wfsm_instance_configuration, wfsm_instance_context, wfsm_instance_output,
        wfsm_instance_invocations,   wfsm_instance_timers,  wfsm_instance_events,
        wfsm_instance_record,        wfsm_instance_log,     wfsm_instance_entered,
        wfsm_instance_event};
    size_t length;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (!questions[i](one, &length))
            return WFSM_NO_MEMORY;
    return WFSM_OK;
}

static int32_t do_past(void)
{
    wfsm_instance *past = NULL;
    wfsm_head head = {.size = sizeof head};
    int32_t status =
        wfsm_instance_load_at(&past, store, "one", wfsm_instance_revision(one) / 2, NULL);
    if (status == WFSM_OK)
        status = wfsm_instance_head(past, &head);
    wfsm_instance_free(past);
    return status;
}

static int32_t do_diff(void)
{
    const wfsm_revision_range range = {sizeof range, 1, wfsm_instance_revision(one)};
    return wfsm_store_diff(store, "one", &range, see, NULL, NULL);
}

static int32_t do_drawing(void)
{
    char *text = NULL;
    size_t length;
    int32_t status = wfsm_machine_graph(machine, WFSM_DOT, &text, &length, NULL);
    wfsm_text_free(machine, text);
    return status;
}

#define CALL(name) {#name, do_##name}
static const struct call {
    const char *name;
    int32_t (*run)(void);
} calls[] = {CALL(load), CALL(audit),       CALL(head),        CALL(list),  CALL(records),
             CALL(seen), CALL(checkpoints), CALL(snapshot),    CALL(inbox), CALL(post),
             CALL(own),  CALL(alive),       CALL(next_effect), CALL(try),   CALL(acknowledge),
             CALL(can),  CALL(questions),   CALL(drawing),     CALL(past),  CALL(diff)};

static void run_call(const struct call *call)
{
    bool hit = true;
    for (long n = 1; hit; n++) {
        char *before = bytes_of(one), *after;
        long alive = shortage_alive();
        shortage_arm(n);
        int32_t status = call->run();
        hit = shortage_disarm();
        shortages += hit;
        if (status)
            TEST_ASSERT_EQUAL_STRING_MESSAGE("NO_MEMORY", wfsm_status_name(status), call->name);
        after = bytes_of(one);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(before, after, call->name);
        /* Buffers and caches of a handle stay until it is closed. */
        if (hit && status)
            TEST_ASSERT_LESS_THAN_MESSAGE(alive + 40, shortage_alive(), call->name);
        free(before);
        free(after);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call->run()), call->name);
    }
}

static void every_call_that_reads(void)
{
    long alive = shortage_alive();
    store = open_store();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, start(&one, store));
    for (int line = 0; line < SCRIPT_LENGTH - 1; line++)
        run_one(&one, store, line);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        run_call(&calls[i]);
    wfsm_instance_free(one);
    wfsm_store_free(store);
    drop_spare();
    TEST_ASSERT_EQUAL(alive, shortage_alive());
    printf("%zu other calls: %ld shortages\n", sizeof calls / sizeof *calls, shortages);
}

/* ---- compaction, into an archive ---- */

static void live_a_little(wfsm_store *of)
{
    char data[900];
    int32_t outcome;
    memset(data, 'x', sizeof data);
    data[0] = data[sizeof data - 1] = '"';
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, start(&one, of));
    for (int i = 0; i < 9; i++)
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK, wfsm_instance_send(one, EVENT("INC", .data = data, .length = sizeof data),
                                        i, &outcome, NULL));
    wfsm_instance_free(one);
}

static void audit_both(wfsm_store *archive)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, do_audit());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_audit(archive, NULL, no_diagnostic, NULL, NULL, NULL));
}

/* Done, or as it was; and done when it is asked again. */
static bool compact_once(long n)
{
    wfsm_store *archive = NULL;
    wfsm_compacted done = {.size = sizeof done};
    store = open_store();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_sqlite_open(&archive, folder_file("old.db"), NULL,
                                                      shortage_allocator(), NULL));
    live_a_little(store);
    const wfsm_compaction wanted = {.size = sizeof wanted, .archive = archive};
    shortage_arm(n);
    int32_t status = wfsm_store_compact(store, "one", &wanted, &done, NULL);
    bool hit = shortage_disarm();
    if (status == WFSM_STORE_UNKNOWN)
        unknown++;
    else
        expect_shortage(status);
    audit_both(archive);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_compact(store, "one", &wanted, &done, NULL));
    TEST_ASSERT_GREATER_THAN_UINT64(4, done.first);
    audit_both(archive);
    wfsm_store_free(store);
    wfsm_store_free(archive);
    drop_spare();
    folder_wipe();
    return hit;
}

static void compaction_into_an_archive(void)
{
    long alive = shortage_alive(), n = 1;
    for (; compact_once(n); n += step == 1 ? 1 : 41) {
        shortages++;
        TEST_ASSERT_EQUAL(alive, shortage_alive());
    }
    printf("compaction: %ld allocations, %ld shortages, unknown answers: %ld\n", n, shortages,
           unknown);
    TEST_ASSERT_GREATER_THAN(5, shortages);
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1)
        step = 1;
    UNITY_BEGIN();
    shortage_install();
    RUN_TEST(opening_a_store);
    RUN_TEST(every_input_of_a_script);
    RUN_TEST(every_call_that_reads);
    RUN_TEST(compaction_into_an_archive);
    return UNITY_END() != 0;
}
