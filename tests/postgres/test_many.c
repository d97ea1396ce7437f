/* Many engines with many instances each: what they cost while nothing happens, how long it takes to take over
 * the instances of one of them, and the plan of every statement. The arguments are how many engines there are, how
 * many instances each has, and for how many seconds they are idle. */
#include "postgres/server.h"
#include "engine/engine.h"
#include "store/store.h"

#include "pg.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unity.h>
#include <wfsm/wfsm.h>

enum { MOST_ENGINES = 32, BATCH = 1000, LAPSE = 30000, SCANS = 64 };

static const char document[] =
    "{\"id\": \"wait\", \"initial\": \"a\", \"states\": {\"a\": {\"on\": {\"go\": \"b\"},"
    " \"after\": {\"86400000\": \"b\"}}, \"b\": {\"type\": \"final\"}}}";

static long engines_wanted = 4, instances = 1000, seconds = 5;
static wfsm_store *stores[MOST_ENGINES];
static wfsm_engine *engines[MOST_ENGINES];
static char fingerprint[65];
static wfsm_error *error;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    for (int i = 0; i < MOST_ENGINES; i++) {
        wfsm_engine_free(engines[i]);
        wfsm_store_free(stores[i]);
        engines[i] = NULL;
        stores[i] = NULL;
    }
    wfsm_error_free(error);
}

/* ---- making them ---- */

static void make_engine(long which)
{
    const wfsm_postgres_options place = {.size = sizeof place, .tenant = "many", .create = 1};
    char session[32];
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = session,
                                         .lapse_ms = LAPSE,
                                         .look_most_ms = LAPSE / 3};
    wfsm_machine *machine = NULL;

    snprintf(session, sizeof session, "engine-%ld", which);
    OK(wfsm_postgres_open(&stores[which], server_address(), &place, NULL, error));
    OK(wfsm_engine_new(&engines[which], stores[which], &options, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engines[which], machine, error));
    snprintf(fingerprint, sizeof fingerprint, "%s", wfsm_machine_fingerprint(machine));
    wfsm_machine_unref(machine);
}

/* Keeps all leases. Returns when the first of them is due again. */
static int64_t run_all(void)
{
    int64_t first = WFSM_NEVER;

    for (long i = 0; i < engines_wanted; i++) {
        int64_t due = engines[i] ? wfsm_engine_deadline(engines[i]) : WFSM_NEVER;

        if (due <= now())
            OK(wfsm_engine_run(engines[i], now(), error));
        due = engines[i] ? wfsm_engine_deadline(engines[i]) : WFSM_NEVER;
        first = due < first ? due : first;
    }
    return first;
}

static void start_some(long which, long from, long count)
{
    static char ids[BATCH][32];
    static wfsm_start list[BATCH];
    static const wfsm_start *starts[BATCH];
    static int32_t answers[BATCH];

    for (long i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "i-%ld-%ld", which, from + i);
        list[i] = (wfsm_start){.size = sizeof *list, .machine = "wait", .id = ids[i]};
        starts[i] = &list[i];
    }
    OK(wfsm_engine_start_all(engines[which], starts, (size_t)count, now(), answers, error));
}

/* Another namespace, so that no table is so small that reading all of it is the best plan. */
static void fill_others(void)
{
    server_run(
        "INSERT INTO wfsm.head (namespace, instance, revision, epoch, token, owner, tags,"
        " effects, acknowledged, status, created, updated, first, snapshot, machine,"
        " fingerprint, attributes, shard) SELECT 'other', 'o-' || g, 1, 0, 't', 'them', '', 0, 0, 1,"
        " 1, 1, 1, 1, 'm', 'f', '{}', g % 256 FROM generate_series(1, 50000) AS g");
    server_run("INSERT INTO wfsm.record (namespace, instance, revision, now, text)"
               " SELECT 'other', 'o-' || g, 1, 1, '{}' FROM generate_series(1, 50000) AS g");
    server_run("INSERT INTO wfsm.snapshot (namespace, instance, kind, revision, now, text)"
               " SELECT 'other', 'o-' || g, 1, 1, 1, '{}' FROM generate_series(1, 50000) AS g");
    server_run("INSERT INTO wfsm.due (namespace, instance, deadline)"
               " SELECT 'other', 'o-' || g, 1 FROM generate_series(1, 50000) AS g");
    server_run(
        "INSERT INTO wfsm.post (namespace, instance, owner, name, data, now, kind, interface)"
        " SELECT 'other', 'o-' || g, 'them', 'e', '{}', 1, 0, 1"
        " FROM generate_series(1, 50000) AS g");
}

static void start_all(void)
{
    int64_t began = now();

    for (long from = 0; from < instances; from += BATCH)
        for (long i = 0; i < engines_wanted; i++) {
            start_some(i, from, instances - from < BATCH ? instances - from : BATCH);
            run_all();
        }
    printf("%ld engines with %ld instances each, started in %.1f s\n", engines_wanted,
           instances, (double)(now() - began) / 1000);
    fill_others();
    server_run("ANALYZE");
}

/* ---- idle ---- */

static void sum(uint64_t *trips, uint64_t *statements)
{
    *trips = *statements = 0;
    for (long i = 0; i < engines_wanted; i++) {
        const wf_pg *db = stores[i]->self;

        *trips += db->trips;
        *statements += db->statements;
    }
}

static void idle_until(int64_t end)
{
    while (now() < end) {
        int64_t due = run_all();
        int64_t until = due < end ? due : end;

        if (until > now())
            poll(NULL, 0, (int)(until - now()));
    }
}

/* Looks are as rare as they become. */
static bool are_calm(void)
{
    bool calm = true;

    for (long i = 0; i < engines_wanted; i++)
        calm = calm && engines[i]->looks.base == LAPSE / 3;
    return calm;
}

static void measure_idle(void)
{
    uint64_t trips[2], statements[2];
    int64_t began;
    double length;

    while (!are_calm())
        idle_until(now() + 100);
    sum(&trips[0], &statements[0]);
    began = now();
    idle_until(began + seconds * 1000);
    sum(&trips[1], &statements[1]);
    length = (double)(now() - began) / 1000;
    printf(
        "idle for %.0f s: %.2f exchanges and %.2f statements a second, of all engines, with a lapse of"
        " %d s\n",
        length, (double)(trips[1] - trips[0]) / length,
        (double)(statements[1] - statements[0]) / length, LAPSE / 1000);
    TEST_ASSERT_TRUE((double)(trips[1] - trips[0]) <=
                     (double)engines_wanted * (length * 4 / LAPSE * 1000 + 1));
}

/* ---- taking over ---- */

/* As after kill -9. The one that takes over knows that the process is gone. */
static void take_over(int dead, int other, long expected)
{
    size_t count = 0;
    char session[16];
    int64_t began;

    wf_engine_abandon(engines[dead]);
    engines[dead] = NULL;
    began = now();
    snprintf(session, sizeof session, "engine-%d", dead);
    OK(wfsm_store_remove_owner(stores[other], session, error));
    OK(wfsm_engine_adopt_all(engines[other], now(), &count, error));
    OK(wfsm_engine_run(engines[other], now(), error));
    printf("%zu instances taken over in %.2f s\n", count, (double)(now() - began) / 1000);
    TEST_ASSERT_EQUAL_size_t(expected, count);
}

/* ---- plans ---- */

static void log_plans(bool on)
{
    server_run("LOAD 'auto_explain'"); /* knows the parameter */
    server_run(on ? "ALTER SYSTEM SET auto_explain.log_min_duration = 0"
                  : "ALTER SYSTEM SET auto_explain.log_min_duration = -1");
    server_run("SELECT pg_reload_conf()");
}

static int32_t count_row(void *user, const wfsm_row *row)
{
    long *rows = user;

    (void)row;
    ++*rows;
    return WFSM_OK;
}

/* As wfsm_engine_share() lists the instances of a few shards of an owner that is gone. */
static void list_by_shards(const char *owner, bool tell)
{
    const uint8_t shards[WFSM_SHARDS / 8] = {0x81, 0, 0x10, 0, 0, 0x42};
    const wfsm_query query = {.size = sizeof query,
                              .status = WFSM_RUNNING,
                              .owner = owner,
                              .fingerprint = fingerprint,
                              .shards = shards};
    long rows = 0;
    int64_t began = now();

    OK(wfsm_store_list(stores[3], &query, count_row, &rows, error));
    if (tell)
        printf("%ld instances of 5 shards of %s listed in %lld ms\n", rows, owner,
               (long long)(now() - began));
}

static int32_t ignore(void *user, const wfsm_row *row)
{
    (void)user, (void)row;
    return WFSM_OK;
}

/* Everything that an engine and a worker ask. */
static void use_statements(void)
{
    const wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING, .owner = ""};
    char id[32];

    for (int i = 0; i < 4; i++) {
        OK(wfsm_engine_look(engines[2]));
        OK(wfsm_engine_run(engines[2], now(), error));
    }
    snprintf(id, sizeof id, "i-2-%ld", instances / 2);
    OK(wfsm_store_post(stores[3], id, "go", "e1", NULL, 0, now(), error));
    OK(wfsm_engine_look(engines[2]));
    for (int i = 0; i < 4; i++)
        OK(wfsm_engine_run(engines[2], now(), error));
    OK(wfsm_store_list(stores[3], &query, ignore, NULL, error));
    OK(wfsm_store_lapsed(stores[3], now(), ignore, NULL, error));
    for (int i = 0; i < 6; i++) { /* the server may change its plan after five times */
        list_by_shards("engine-2", i == 5);
        list_by_shards("", false);
        OK(wfsm_engine_share(engines[3], now(), NULL, error));
    }
    snprintf(id, sizeof id, "i-2-%ld", instances / 2 + 1);
    OK(wfsm_engine_release(engines[2], id, error));
    OK(wfsm_engine_adopt(engines[3], id, now(), error));
}

typedef struct scans {
    char list[SCANS][120];
    long times[SCANS];
    int count, bad;
    bool by_shard; /* heads are found by their shards */
} scans;

static void note_scan(scans *self, const char *scan)
{
    char name[120] = "";
    int at = 0;

    sscanf(scan, "%119[^(]", name);
    while (at < self->count && strcmp(self->list[at], name) != 0)
        at++;
    if (at == SCANS)
        return;
    memcpy(self->list[at], name, sizeof name);
    self->times[at]++;
    self->count += at == self->count;
}

static const char *scan_in(const char *line)
{
    static const char *const kinds[] = {"Seq Scan on ", "Index Scan using ",
                                        "Index Only Scan using ", "Bitmap Index Scan on "};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *found = strstr(line, kinds[i]);

        if (found)
            return found;
    }
    return NULL;
}

/* These tables have rows for each instance. */
static bool is_bad(const char *scan)
{
    static const char *const tables[] = {"head", "record", "snapshot", "post", "due"};
    size_t length = strlen("Seq Scan on ");

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strncmp(scan, "Seq Scan on ", length) == 0 &&
            strncmp(scan + length, tables[i], strlen(tables[i])) == 0)
            return true;
    return false;
}

static void check_plans(void)
{
    static char line[100000];
    scans found = {.count = 0};
    FILE *log = fopen(server_log(), "r");
    long plans = 0;

    while (log && fgets(line, sizeof line, log)) {
        const char *scan = scan_in(line);

        plans += strstr(line, " plan:") != NULL;
        found.by_shard |= strstr(line, "Index Cond:") && strstr(line, "shard = ANY");
        if (!scan || !strstr(line, "cost="))
            continue;
        note_scan(&found, scan);
        found.bad += is_bad(scan);
    }
    if (log)
        fclose(log);
    printf("%ld plans:\n", plans);
    for (int i = 0; i < found.count; i++)
        printf("  %6ld  %s\n", found.times[i], found.list[i]);
    TEST_ASSERT_TRUE(plans > 50);
    TEST_ASSERT_EQUAL_INT(0, found.bad);
    if (instances >= 10000) /* fewer of one owner may be cheaper to read all */
        TEST_ASSERT_TRUE(found.by_shard);
}

static void many_engines_are_cheap_while_idle(void)
{
    for (long i = 0; i < engines_wanted; i++)
        make_engine(i);
    start_all();
    measure_idle();
    take_over(0, 1, instances);
    run_all();
    log_plans(true);
    use_statements();
    take_over(1, 3, 2 * instances);
    log_plans(false);
    check_plans();
}

int main(int count, char **arguments)
{
    if (!server_start())
        return 77;
    if (count > 1)
        engines_wanted = strtol(arguments[1], NULL, 10);
    if (count > 2)
        instances = strtol(arguments[2], NULL, 10);
    if (count > 3)
        seconds = strtol(arguments[3], NULL, 10);
    if (engines_wanted < 4 || engines_wanted > MOST_ENGINES || instances < 10 || seconds < 1)
        return 64;
    server_run("ALTER SYSTEM SET session_preload_libraries = 'auto_explain'");
    server_run("SELECT pg_reload_conf()");
    server_end_sessions();
    UNITY_BEGIN();
    RUN_TEST(many_engines_are_cheap_while_idle);
    return UNITY_END() != 0;
}
