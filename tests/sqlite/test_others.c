/* What an engine does costs the same beside a hundred instances of another session and beside a hundred
 * thousand: no call of the store searches those of others. The costs are the steps of SQLite's virtual
 * machine, so each row that a statement looks at counts. */
#include "sqlite/folder.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/engine.h>

enum { FEW = 100, MANY = 100000 };

static const char document[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"go\":\"b\",\"end\":"
    "\"z\"}},\"b\":{\"on\":{\"go\":\"a\"}},\"z\":{\"type\":\"final\"}}}";

static sqlite3 *connection; /* of the store that was opened last */
static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_error *error;
static long steps;

#define OK(call) TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, call, wfsm_error_message(error))

static int count_steps(unsigned kind, void *user, void *statement, void *time)
{
    (void)kind, (void)user, (void)time;
    steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

static int remember(sqlite3 *opened, const char **message, const void *api)
{
    (void)message, (void)api;
    connection = opened;
    return SQLITE_OK;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wfsm_error_free(error);
    folder_wipe();
}

static void make_engine(const char *session)
{
    wfsm_engine_options options = {.size = sizeof options, .session = session};
    wfsm_machine *machine = NULL;

    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
}

static void start(const char *id)
{
    OK(wfsm_engine_start(engine, "m", id, NULL, 0, 0, error));
}

static void run_sql(const char *sql)
{
    char *message = NULL;

    TEST_ASSERT_EQUAL_INT_MESSAGE(SQLITE_OK,
                                  sqlite3_exec(connection, sql, NULL, NULL, &message), message);
}

/* Copies of an instance of another session, which is alive, each with a post. */
static void add_others(int count)
{
    char sql[1500];

    make_engine("other");
    start("o");
    OK(wfsm_store_post(store, "o", "go", NULL, NULL, 0, 0, error));
    snprintf(
        sql, sizeof sql,
        "BEGIN; CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL"
        " SELECT i + 1 FROM n WHERE i < 1000 + %d) SELECT i FROM n;"
        "INSERT INTO instance SELECT i, 'o' || i, machine, document, owner, status, acknowledged,"
        " created, first, anchor, attributes, wfsm_checksum('o' || i, owner, acknowledged, created)"
        " FROM instance, n WHERE id = 'o';"
        "INSERT INTO journal SELECT i, i, revision, previous, now, event_id, token, tags, effects,"
        " deadline, snapshot_revision, snapshot_key, record, snapshot FROM journal, n;"
        "INSERT INTO head SELECT i, 1, i FROM n;"
        "INSERT INTO inbox SELECT i, i, owner, event_id, name, data, now, kind, interface, sender,"
        " wfsm_checksum(i, event_id, name, data, now, kind, interface, sender) FROM inbox, n;"
        "DROP TABLE n; UPDATE owner SET until = 1000000, checksum = wfsm_checksum(name, 1000000);"
        "COMMIT",
        count);
    run_sql(sql);
}

static void start_mine(void)
{
    start("mine");
    start("mine too");
}

static void run_idle(void)
{
    for (int i = 1; i < 10; i++)
        OK(wfsm_engine_run(engine, i, error));
}

static void run_beside_signs_of_life(void)
{
    for (int i = 1; i < 10; i++)
        OK(wfsm_engine_run(engine, i * 4000, error));
}

static void take_posts(void)
{
    for (int i = 0; i < 5; i++)
        OK(wfsm_store_post(store, "mine", "go", NULL, NULL, 0, 40000, error));
    do
        OK(wfsm_engine_run(engine, 40000, error));
    while (wfsm_engine_deadline(engine) <= 40000);
    TEST_ASSERT_EQUAL_UINT64(6, wfsm_instance_revision(wfsm_engine_instance(engine, "mine")));
}

static void lose_one(void)
{
    OK(wfsm_store_remove(store, "mine too", error));
    OK(wfsm_engine_run(engine, 40000, error));
    OK(wfsm_engine_run(engine, 40000, error));
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "mine too"));
}

static void give_up(void)
{
    OK(wfsm_engine_release(engine, "mine", error));
}

static void adopt(void)
{
    OK(wfsm_engine_adopt(engine, "mine", 40000, error));
}

static void adopt_all(void)
{
    size_t count = 1;

    OK(wfsm_engine_adopt_all(engine, 40000, &count, error));
    TEST_ASSERT_EQUAL_size_t(0, count);
}

static void end(void)
{
    int32_t outcome = 0;

    OK(wfsm_engine_send(engine, "mine", "end", NULL, NULL, 0, 40000, &outcome, error));
    OK(wfsm_engine_send(engine, "mine", "go", NULL, NULL, 0, 40000, &outcome, error));
    OK(wfsm_engine_send(engine, "mine", "end", NULL, NULL, 0, 40000, &outcome, error));
    OK(wfsm_engine_run(engine, 40000, error));
}

static void free_it(void)
{
    wfsm_engine_free(engine);
}

static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
    {"start", start_mine},
    {"idle", run_idle},
    {"signs of life", run_beside_signs_of_life},
    {"posts", take_posts},
    {"lost", lose_one},
    {"release", give_up},
    {"adopt", adopt},
    {"adopt all", adopt_all},
    {"end", end},
    {"free", free_it},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void measure(int others, long costs[CALLS])
{
    char name[20];
    wfsm_engine *other;

    snprintf(name, sizeof name, "%d.db", others);
    store = folder_open(name);
    add_others(others);
    other = engine;
    make_engine("me");
    sqlite3_trace_v2(connection, SQLITE_TRACE_PROFILE, count_steps, NULL);
    for (int i = 0; i < CALLS; i++) {
        steps = 0;
        calls[i].call();
        costs[i] = steps;
    }
    sqlite3_trace_v2(connection, 0, NULL, NULL);
    run_sql("DELETE FROM inbox");
    wfsm_engine_free(other);
    wfsm_store_free(store);
}

static void those_of_others_cost_nothing(void)
{
    long few[CALLS], many[CALLS];
    char line[80];

    measure(FEW, few);
    measure(MANY, many);
    for (int i = 0; i < CALLS; i++) {
        snprintf(line, sizeof line, "%s: %ld steps, beside %d others %ld", calls[i].name,
                 few[i], MANY, many[i]);
        TEST_MESSAGE(line);
        TEST_ASSERT_GREATER_THAN_INT64(0, few[i]);
        TEST_ASSERT_LESS_OR_EQUAL_INT64_MESSAGE(few[i] + few[i] / 10 + 20, many[i], line);
    }
}

int main(void)
{
    sqlite3_auto_extension((void (*)(void))remember);
    UNITY_BEGIN();
    RUN_TEST(those_of_others_cost_nothing);
    folder_remove();
    sqlite3_reset_auto_extension(); /* frees SQLite's list of extensions */
    return UNITY_END() != 0;
}
