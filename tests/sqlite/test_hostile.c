/* An instance whose rows somebody changed with sqlite3: loading reports it, and does no harm. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/wfsm.h>
#include "../instance/support.h"
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "../given.h"

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static char *expected;

static wfsm_instance *run(wfsm_store *store, const char *id)
{
    wfsm_instance *instance = NULL;
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine,
                            START(id, .store = store, .functions = functions), 0, error));
    for (int line = 0; line < 22; line++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, run_line(instance, line, &outcome, error));
    return instance;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything),
                                                       NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    wfsm_store *store = folder_open("fresh.db");
    wfsm_instance *one = run(store, "one"), *two = run(store, "two");
    expected = bytes_of(one);
    wfsm_instance_free(one);
    wfsm_instance_free(two);
    wfsm_store_free(store);
}

void tearDown(void)
{
    free(expected);
    folder_wipe();
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

#define ONE "(SELECT key FROM instance WHERE id = 'one')"
#define TWO "(SELECT key FROM instance WHERE id = 'two')"
#define LAST_OF(key) "(SELECT last FROM head WHERE key = " key ")"
#define FULL_OF(key)                                                                           \
    "(SELECT coalesce(snapshot_key, key) FROM journal WHERE key = " LAST_OF(key) ")"
#define LAST LAST_OF(ONE)
#define FULL FULL_OF(ONE)

static const char *const changes[] = {
    "UPDATE journal SET record = replace(record, '\"now\":', '\"now\":1') WHERE key = " LAST,
    "UPDATE journal SET record = replace(record, 'work.left.a', 'work.left.b') WHERE instance "
    "= " ONE,
    "UPDATE journal SET record = substr(record, 1, length(record) - 1) WHERE key = " LAST,
    "UPDATE journal SET record = '' WHERE key = " LAST,
    "UPDATE journal SET record = '{}' WHERE key = " LAST,
    "UPDATE journal SET record = (SELECT record FROM journal WHERE key = 1) WHERE key = " LAST,
    "UPDATE journal SET snapshot = replace(snapshot, '\"list\":[1,2,3]', '\"list\":[1,2,4]') "
    "WHERE key = " FULL,
    "UPDATE journal SET snapshot = replace(snapshot, '\"revision\":', '\"revision\":1') "
    "WHERE key = " FULL,
    "UPDATE journal SET snapshot = '{}' WHERE key = " FULL,
    "UPDATE journal SET snapshot = (SELECT snapshot FROM journal WHERE key = " FULL_OF(
        TWO) ") WHERE key = " FULL,
    "UPDATE instance SET status = 2 WHERE id = 'one'",
    "UPDATE journal SET effects = effects + 1 WHERE key = " LAST,
    "UPDATE instance SET acknowledged = 99 WHERE id = 'one'",
    "UPDATE journal SET token = 'x' WHERE key = " LAST,
    "UPDATE journal SET token = (SELECT token FROM journal WHERE key = " LAST_OF(
        TWO) ") || 'x' "
             "WHERE key = " LAST,
    "UPDATE head SET last = (SELECT previous FROM journal WHERE key = last) WHERE key = " ONE,
    "UPDATE head SET revision = revision - 1 WHERE key = " ONE,
    "UPDATE head SET (revision, last) = (SELECT revision, last FROM head WHERE key = " TWO ")"
    " WHERE key = " ONE,
    "UPDATE journal SET snapshot_key = " FULL_OF(TWO) " WHERE key = " LAST,
    "UPDATE document SET text = replace(text, 'GO', 'NO')",
    "UPDATE document SET text = replace(text, '\"wfsm\"', 'wfsm')",
};

static int32_t load(wfsm_store *store, const char *id, char **bytes)
{
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_instance_load(&instance, NULL, store, functions, id, error);
    *bytes = status == WFSM_OK ? bytes_of(instance) : NULL;
    wfsm_instance_free(instance);
    return status;
}

static int32_t count_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)diagnostic;
    ++*(int *)user;
    return WFSM_OK;
}

static void copy_fresh(const char *name)
{
    size_t length;
    char *bytes = file_read("fresh.db", &length);
    file_write(name, bytes, length);
    free(bytes);
}

static void test_changed_rows_are_refused(void)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *bytes;
        copy_fresh("one.db");
        other_run("one.db", changes[i]);
        wfsm_store *store = folder_open("one.db");
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_CORRUPT, load(store, "one", &bytes), changes[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), "one"),
                                     wfsm_error_message(error));
        free(bytes);
        if (!strstr(changes[i], "document")) {
            TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, load(store, "two", &bytes), changes[i]);
            free(bytes);
        }
        wfsm_store_free(store);
    }
}

/* One byte of the file in every 1,999: test_bits.c has the rest: what loads is what was committed. */
static void test_changed_bytes_of_the_file(void)
{
    size_t length;
    int refused = 0, same = 0;
    char *bytes = file_read("fresh.db", &length);
    for (size_t at = 0; at < length; at += 1999) {
        char *found = NULL;
        wfsm_store *store;
        bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
        file_write("bent.db", bytes, length);
        int32_t status = try_open(&store, "bent.db", NULL);
        if (status == WFSM_OK) {
            status = load(store, "one", &found);
            wfsm_store_free(store);
        }
        if (status == WFSM_OK) {
            TEST_ASSERT_EQUAL_STRING(expected, found);
            same++;
        } else {
            refused++;
        }
        free(found);
        bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
    }
    TEST_ASSERT_GREATER_THAN_INT(3, refused);
    TEST_ASSERT_GREATER_THAN_INT(3, same);
    free(bytes);
}

/* ---- the others continue ---- */

static wfsm_engine *engine_on(wfsm_store *store)
{
    wfsm_engine *engine = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_engine_functions(engine, error));
    return engine;
}

/* The first head of four is damaged, and the last. */
static void test_a_damaged_head_keeps_nobody_from_working(void)
{
    size_t count = 0;
    int diagnostics = 0;
    wfsm_audit_counts counts = {.size = sizeof counts};
    copy_fresh("heads.db");
    wfsm_store *store = folder_open("heads.db");
    wfsm_instance_free(run(store, "a"));
    wfsm_instance_free(run(store, "z"));
    other_run("heads.db", "UPDATE instance SET acknowledged = 1 WHERE id IN ('a', 'z')");
    wfsm_engine *engine = engine_on(store);
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, wfsm_engine_adopt_all(engine, 5000, &count, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "table instance"));
    TEST_ASSERT_EQUAL_size_t(2, count);
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "one"));
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "two"));
    wfsm_engine_free(engine);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_audit(store, NULL, count_diagnostic, &diagnostics, &counts, error));
    TEST_ASSERT_EQUAL_INT(2, diagnostics);
    TEST_ASSERT_EQUAL_UINT64(2, counts.instances);
    wfsm_store_free(store);
}

static void test_a_damaged_post_keeps_no_other_waiting(void)
{
    size_t count = 0;
    copy_fresh("posts.db");
    wfsm_store *store = folder_open("posts.db");
    const char *const ids[] = {"one", "two", "one", "two"};
    for (int i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK, wfsm_store_post(store, ids[i], "NOBODY", NULL, NULL, 0, 5000, error));
    other_run("posts.db", "UPDATE inbox SET name = 'GO' WHERE number = 2");
    wfsm_engine *engine = engine_on(store);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_engine_adopt_all(engine, 5000, &count, error));
    for (int round = 0; round < 2; round++) { /* they are read, and then taken */
        TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, wfsm_engine_run(engine, 5000, error));
        TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "table inbox"));
    }
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_INT64(2, other_number("posts.db", "SELECT sum(number) FROM inbox"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_changed_rows_are_refused);
    RUN_TEST(test_changed_bytes_of_the_file);
    RUN_TEST(test_a_damaged_head_keeps_nobody_from_working);
    RUN_TEST(test_a_damaged_post_keeps_no_other_waiting);
    int failed = UNITY_END();
    folder_remove();
    return failed != 0;
}
