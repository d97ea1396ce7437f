/* Limits and rates that sessions share on a file: they do what those of the memory store do, for any sequence
 * of calls; engines in two handles keep them; and their tables are made when they are first needed. */
#include "sqlite/folder.h"
#include "sqlite/other.h"

#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/wfsm.h>

static wfsm_error *error;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

void setUp(void)
{
}

void tearDown(void)
{
    folder_wipe();
}

static int32_t ask(wfsm_store *store, const char *session, int64_t now,
                   wfsm_permit *const *permits, size_t permit_count, wfsm_rate *const *rates,
                   size_t rate_count)
{
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = session,
                              .now = now,
                              .permits = permits,
                              .permit_count = permit_count,
                              .rates = rates,
                              .rate_count = rate_count};
    int32_t status = wfsm_store_exchange(store, &exchange, error);
    return status == WFSM_OK ? exchange.lease : status;
}

/* ---- compared with the memory store ---- */

static uint32_t below(int most)
{
    return (uint32_t)(rand() % most);
}

static const char *any_name(void)
{
    static const char *const names[] = {"a", "b", "\xc3\xa4 '"};
    return names[below(3)];
}

static wfsm_permit any_permit(const char *name)
{
    return (wfsm_permit){.size = sizeof(wfsm_permit),
                         .kind = WFSM_POOL_GROUP,
                         .name = name,
                         .most = below(20) ? 5 : 3,
                         .working = below(4),
                         .wanted = below(7),
                         .held = below(4) ? 0 : 1};
}

/* Each session is alive for some time, lapses, and comes back. */
static void permits_are_those_of_the_memory_store(void)
{
    static const char *const sessions[] = {"one", "two", "three", "four"};
    wfsm_store *file = folder_open("a.db"), *memory = NULL;
    int refused = 0, contended = 0;
    OK(wfsm_memory_open(&memory, NULL, error));
    srand(1);
    for (int64_t now = 1; now < 2000; now += below(3)) {
        const char *session = sessions[below(4)];
        if (below(8) == 0) {
            int64_t until = below(6) ? now + below(60) : 0;
            OK(wfsm_store_owner_alive(file, session, until, error));
            OK(wfsm_store_owner_alive(memory, session, until, error));
        }
        wfsm_permit here[2] = {any_permit("a"), any_permit("b")}, there[2];
        memcpy(there, here, sizeof here);
        size_t count = 1 + below(2);
        int32_t status =
            ask(memory, session, now, (wfsm_permit *[]){&there[0], &there[1]}, count, NULL, 0);
        TEST_ASSERT_EQUAL_INT32(
            status,
            ask(file, session, now, (wfsm_permit *[]){&here[0], &here[1]}, count, NULL, 0));
        for (size_t i = 0; i < count && status == WFSM_OK; i++) {
            TEST_ASSERT_EQUAL_UINT32(there[i].granted, here[i].granted);
            TEST_ASSERT_EQUAL_INT32(there[i].contended, here[i].contended);
            contended += here[i].contended;
        }
        refused += status == WFSM_STORE_FAILED;
    }
    TEST_ASSERT_GREATER_THAN_INT(50, contended);
    TEST_ASSERT_GREATER_THAN_INT(50, refused);
    wfsm_store_free(memory);
    wfsm_store_free(file);
}

static wfsm_rate any_rate(const char *name)
{
    return (wfsm_rate){.size = sizeof(wfsm_rate),
                       .kind = WFSM_POOL_GROUP,
                       .name = name,
                       .count = below(2) ? 1 : 4,
                       .per_ms = below(20) ? 100 : 70,
                       .wanted = 1 + below(4)};
}

/* The clock goes back, too: a little, and far. */
static void rates_are_those_of_the_memory_store(void)
{
    wfsm_store *file = folder_open("a.db"), *memory = NULL;
    int64_t now = 1000000;
    OK(wfsm_memory_open(&memory, NULL, error));
    srand(1);
    for (int i = 0; i < 2000; i++) {
        wfsm_rate here = any_rate(any_name()), there = here;
        OK(ask(file, "one", now, NULL, 0, (wfsm_rate *[]){&here}, 1));
        OK(ask(memory, "one", now, NULL, 0, (wfsm_rate *[]){&there}, 1));
        TEST_ASSERT_EQUAL_UINT32(there.granted, here.granted);
        TEST_ASSERT_EQUAL_INT64(there.wait_ms, here.wait_ms);
        now += below(100) ? (int64_t)below(60) - 6 : -5000;
    }
    wfsm_store_free(memory);
    wfsm_store_free(file);
}

/* ---- engines in two handles ---- */

enum { ENGINES = 2, LIMIT = 3 };

static const char document[] =
    "{\"id\": \"job\", \"initial\": \"a\", \"states\": {"
    "\"a\": {\"invoke\": {\"src\": \"worker\", \"onDone\": \"end\"}},"
    "\"end\": {\"type\": \"final\"}}}";

/* What the agents of all engines do. */
static int begun, working, most_working;

static int32_t start_work(void *user, wfsm_call *call)
{
    (void)user, (void)call;
    begun++;
    working++;
    most_working = working > most_working ? working : most_working;
    return WFSM_OK;
}

static int32_t poll_work(void *user, wfsm_call *call)
{
    if (++*(int *)user % 3 != 0)
        return WFSM_OK;
    working--;
    return wfsm_call_done(call, "1", 1);
}

static wfsm_engine *engine_on(wfsm_store *store, const char *session, int *age)
{
    const wfsm_agent agent = {
        .size = sizeof agent, .start = start_work, .poll = poll_work, .user = age};
    const wfsm_engine_options options = {.size = sizeof options, .session = session};
    wfsm_machine *machine = NULL;
    wfsm_engine *engine = NULL;
    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    OK(wfsm_engine_add_agent_full(engine, "worker", &agent, error));
    return engine;
}

static void start_jobs(wfsm_engine *engine, const char *prefix, int count)
{
    char id[] = "x-0";
    id[0] = *prefix;
    for (int i = 0; i < count; i++) {
        id[2] = (char)('0' + i);
        OK(wfsm_engine_start(engine, "job", id, NULL, 0, 1, error));
    }
}

static void two_handles(wfsm_store **stores, wfsm_engine **engines, int *ages)
{
    static const char *const sessions[ENGINES] = {"one", "two"};
    begun = working = most_working = 0;
    for (int i = 0; i < ENGINES; i++) {
        stores[i] = folder_open("a.db");
        engines[i] = engine_on(stores[i], sessions[i], &ages[i]);
    }
}

static void close_handles(wfsm_store **stores, wfsm_engine **engines)
{
    for (int i = 0; i < ENGINES; i++) {
        wfsm_engine_free(engines[i]);
        wfsm_store_free(stores[i]);
    }
}

static void engines_of_two_handles_keep_a_limit(void)
{
    wfsm_store *stores[ENGINES];
    wfsm_engine *engines[ENGINES];
    int ages[ENGINES] = {0};
    two_handles(stores, engines, ages);
    for (int i = 0; i < ENGINES; i++) {
        OK(wfsm_engine_limit_shared(engines[i], WFSM_POOL_AGENT, "worker", LIMIT, error));
        start_jobs(engines[i], i ? "b" : "a", 8);
    }
    for (int64_t now = 1; now < 400000; now += 500)
        for (int i = 0; i < ENGINES; i++)
            OK(wfsm_engine_run(engines[i], now, error));
    TEST_ASSERT_EQUAL_INT(16, begun);
    TEST_ASSERT_EQUAL_INT(0, working);
    TEST_ASSERT_EQUAL_INT(LIMIT, most_working);
    close_handles(stores, engines);
}

static void engines_of_two_handles_keep_a_rate(void)
{
    const wfsm_pool_rate rate = {.size = sizeof rate,
                                 .kind = WFSM_POOL_AGENT,
                                 .shared = 1,
                                 .name = "worker",
                                 .per_ms = 1000,
                                 .count = 2};
    wfsm_store *stores[ENGINES];
    wfsm_engine *engines[ENGINES];
    int ages[ENGINES] = {0};
    two_handles(stores, engines, ages);
    for (int i = 0; i < ENGINES; i++) {
        OK(wfsm_engine_rate(engines[i], &rate, error));
        start_jobs(engines[i], i ? "b" : "a", 4);
    }
    for (int64_t now = 1; now < 9000; now += 100) {
        for (int i = 0; i < 2 * ENGINES; i++)
            OK(wfsm_engine_run(engines[i % ENGINES], now, error));
        TEST_ASSERT_LESS_OR_EQUAL_INT(2 + (int)(now / 500), begun);
    }
    TEST_ASSERT_EQUAL_INT(8, begun);
    close_handles(stores, engines);
}

/* ---- the tables ---- */

static wfsm_permit permit_of(uint32_t wanted)
{
    return (wfsm_permit){.size = sizeof(wfsm_permit),
                         .kind = WFSM_POOL_GROUP,
                         .name = "g",
                         .most = 2,
                         .wanted = wanted};
}

static wfsm_rate rate_of(void)
{
    return (wfsm_rate){.size = sizeof(wfsm_rate),
                       .kind = WFSM_POOL_GROUP,
                       .name = "g",
                       .count = 2,
                       .per_ms = 1000,
                       .wanted = 1};
}

static sqlite3_int64 tables(void)
{
    return other_number("a.db",
                        "SELECT count(*) FROM sqlite_schema WHERE name IN ('permit', 'rate')");
}

/* A file of before, or one whose engines share nothing, has none. Another handle that is open sees them, and
 * so does one that is opened later. */
static void tables_are_made_when_they_are_needed(void)
{
    wfsm_permit permit = permit_of(2), another = permit_of(2);
    wfsm_store *one = folder_open("a.db"), *two = folder_open("a.db");
    OK(wfsm_store_owner_alive(one, "one", 1000, error));
    OK(wfsm_store_owner_alive(two, "two", 1000, error));
    TEST_ASSERT_EQUAL_INT64(0, tables());
    OK(ask(one, "one", 1, (wfsm_permit *[]){&permit}, 1, NULL, 0));
    TEST_ASSERT_EQUAL_INT64(2, tables());
    OK(ask(two, "two", 1, (wfsm_permit *[]){&another}, 1, NULL, 0));
    TEST_ASSERT_EQUAL_UINT32(2, permit.granted);
    TEST_ASSERT_EQUAL_UINT32(0, another.granted);
    wfsm_store_free(two);
    two = folder_open("a.db");
    OK(ask(two, "two", 2, (wfsm_permit *[]){&another}, 1, NULL, 0));
    TEST_ASSERT_EQUAL_UINT32(0, another.granted);
    wfsm_store_free(one);
    wfsm_store_free(two);
}

/* The exchange in which they were made is rolled back, and they with it. */
static void tables_are_made_again_after_a_rollback(void)
{
    wfsm_permit permit = permit_of(2), without_lease = permit_of(2);
    wfsm_store *store = folder_open("a.db");
    without_lease.held = 1;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_STORE_FAILED, ask(store, "one", 1, (wfsm_permit *[]){&without_lease}, 1, NULL, 0));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error),
                                "the lease of the session 'one' has lapsed, and others may have"
                                " its permits"));
    TEST_ASSERT_EQUAL_INT64(0, tables());
    OK(ask(store, "one", 1, (wfsm_permit *[]){&permit}, 1, NULL, 0));
    TEST_ASSERT_EQUAL_UINT32(2, permit.granted);
    wfsm_store_free(store);
}

static void a_store_that_is_read_only_cannot(void)
{
    const wfsm_sqlite_options options = {.size = sizeof options, .read_only = 1};
    wfsm_permit permit = permit_of(1);
    wfsm_rate rate = rate_of();
    wfsm_store *store = NULL;
    wfsm_store_free(folder_open("a.db"));
    OK(wfsm_sqlite_open(&store, folder_file("a.db"), &options, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            ask(store, "one", 1, (wfsm_permit *[]){&permit}, 1, NULL, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            ask(store, "one", 1, NULL, 0, (wfsm_rate *[]){&rate}, 1));
    wfsm_store_free(store);
}

static const struct {
    const char *sql, *words;
} damages[] = {
    {"UPDATE permit SET count = 0", "a row of table permit is not what was stored"},
    {"UPDATE permit SET session = 'onf'", "a row of table permit is not what was stored"},
    {"UPDATE permit SET name = 'h'", "a row of table permit is not what was stored"},
    {"UPDATE rate SET owed = 0", "a row of table rate is not what was stored"},
    {"UPDATE rate SET name = 'h'", "a row of table rate is not what was stored"},
    {"UPDATE owner SET name = 'onf'", "a row of table owner is not what was stored"},
};

static int32_t count_diagnostics(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    *(int *)user += strstr(diagnostic->message, "is not what was stored") != NULL;
    return WFSM_OK;
}

/* Rows that were changed could give out more than there is. The check finds each, too. */
static void what_is_damaged_is_refused(void)
{
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        wfsm_permit permit = permit_of(2);
        wfsm_rate rate = rate_of();
        wfsm_permit *permits = &permit;
        wfsm_rate *rates = &rate;
        int diagnostics = 0;
        wfsm_store *store = folder_open("a.db");
        OK(wfsm_store_owner_alive(store, "one", 1000, error));
        OK(ask(store, "one", 1, &permits, 1, &rates, 1));
        OK(wfsm_sqlite_check(folder_file("a.db"), count_diagnostics, &diagnostics, NULL,
                             error));
        TEST_ASSERT_EQUAL_INT(0, diagnostics);
        other_run("a.db", damages[i].sql);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(
            WFSM_CORRUPT, ask(store, "two", 1, &permits, 1, &rates, 1), damages[i].sql);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), damages[i].words),
                                     wfsm_error_message(error));
        OK(wfsm_sqlite_check(folder_file("a.db"), count_diagnostics, &diagnostics, NULL,
                             error));
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, diagnostics, damages[i].sql);
        wfsm_store_free(store);
        folder_wipe();
    }
}

static void a_changed_table_is_named(void)
{
    wfsm_permit permit = permit_of(2);
    wfsm_store *store = folder_open("a.db");
    other_run("a.db", "CREATE TABLE permit (kind INTEGER) STRICT");
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT,
                            ask(store, "one", 1, (wfsm_permit *[]){&permit}, 1, NULL, 0));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error),
                                "its tables are not those of a wfsm store: no such column"));
    wfsm_store_free(store);
}

int main(void)
{
    error = wfsm_error_new(NULL);
    UNITY_BEGIN();
    RUN_TEST(permits_are_those_of_the_memory_store);
    RUN_TEST(rates_are_those_of_the_memory_store);
    RUN_TEST(engines_of_two_handles_keep_a_limit);
    RUN_TEST(engines_of_two_handles_keep_a_rate);
    RUN_TEST(tables_are_made_when_they_are_needed);
    RUN_TEST(tables_are_made_again_after_a_rollback);
    RUN_TEST(a_store_that_is_read_only_cannot);
    RUN_TEST(what_is_damaged_is_refused);
    RUN_TEST(a_changed_table_is_named);
    folder_remove();
    wfsm_error_free(error);
    return UNITY_END() != 0;
}
