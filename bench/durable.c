/*
 * W2, durable: each transition is committed before the next is sent, beside loops over the
 * same SQLite that write the same records and know nothing of them. Bytes and calls are
 * those that the process gave to write(2), from /proc.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "cycle.h"

enum { RECORDS = CYCLE * 8 };

typedef struct traffic {
    int64_t bytes, calls, time;
} traffic;

typedef struct raw {
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *journal, *head;
} raw;

static wfsm_machine *machine;
static wfsm_error *error;
static char path[4096];
static char *records[RECORDS];

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static void drop_file(void)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[sizeof path + 8];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        remove(name);
    }
}

static traffic traffic_now(void)
{
    traffic now = {.time = bench_clock()};
    long long read, calls_read;
    long long written, calls;
    FILE *file = fopen("/proc/self/io", "r");
    if (file == NULL || fscanf(file, "rchar: %lld wchar: %lld syscr: %lld syscw: %lld", &read,
                               &written, &calls_read, &calls) != 4)
        bench_fail("/proc/self/io", "cannot be read");
    fclose(file);
    now.bytes = written;
    now.calls = calls;
    return now;
}

static void report(const char *figure, const traffic *begin, double count, const char *floor)
{
    char name[100], than[100];
    traffic end = traffic_now();
    bench_print("durable", figure, 1e9 * count / (double)(end.time - begin->time), "/s", floor);
    snprintf(name, sizeof name, "%s/bytes", figure);
    snprintf(than, sizeof than, "%s/bytes", floor != NULL ? floor : "");
    bench_print("durable", name, (double)(end.bytes - begin->bytes) / count, "bytes",
                floor != NULL ? than : NULL);
    snprintf(name, sizeof name, "%s/writes", figure);
    snprintf(than, sizeof than, "%s/writes", floor != NULL ? floor : "");
    bench_print("durable", name, (double)(end.calls - begin->calls) / count, "calls",
                floor != NULL ? than : NULL);
}

static void send(wfsm_instance *instance, int step)
{
    int32_t outcome = 0;
    check(wfsm_instance_send(instance, cycle_names[step % CYCLE], NULL, NULL, 0, step, &outcome,
                             error));
    if (outcome != WFSM_TAKEN)
        bench_fail("wfsm", "a transition was not taken");
}

/* What the floors write: the records of a real run. */
static void make_records(void)
{
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    size_t length;
    check(wfsm_memory_open(&store, NULL, error));
    check(wfsm_instance_start(&instance, machine, store, NULL, "one", NULL, 0, 0, error));
    for (int i = 0; i < RECORDS; i++) {
        send(instance, i);
        const char *record = wfsm_instance_record(instance, &length);
        records[i] = malloc(length + 1);
        if (records[i] == NULL)
            bench_fail("memory", "too little");
        memcpy(records[i], record, length + 1);
    }
    wfsm_instance_free(instance);
    wfsm_store_free(store);
}

/* ---- the floors ---- */

static void sql(raw *self, const char *text)
{
    if (sqlite3_exec(self->db, text, NULL, NULL, NULL) != SQLITE_OK)
        bench_fail(text, sqlite3_errmsg(self->db));
}

static sqlite3_stmt *prepare(raw *self, const char *text)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(self->db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
        bench_fail(text, sqlite3_errmsg(self->db));
    return statement;
}

static void run(sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        bench_fail("floor", sqlite3_errmsg(sqlite3_db_handle(statement)));
    sqlite3_reset(statement);
}

static void open_raw(raw *self, const char *synchronous)
{
    char text[100];
    drop_file();
    if (sqlite3_open(path, &self->db) != SQLITE_OK)
        bench_fail(path, "cannot be opened");
    sql(self, "PRAGMA journal_mode = WAL");
    snprintf(text, sizeof text, "PRAGMA synchronous = %s", synchronous);
    sql(self, text);
    sql(self, "CREATE TABLE journal (key INTEGER PRIMARY KEY, instance INTEGER, "
              "revision INTEGER, record TEXT) STRICT");
    sql(self, "CREATE TABLE head (id TEXT PRIMARY KEY, revision INTEGER, state TEXT) STRICT");
    sql(self, "INSERT INTO head VALUES ('one', 0, '')");
    self->begin = prepare(self, "BEGIN IMMEDIATE");
    self->commit = prepare(self, "COMMIT");
    self->journal =
        prepare(self, "INSERT INTO journal (instance, revision, record) VALUES (1, ?, ?)");
    self->head = prepare(self, "INSERT INTO head VALUES ('one', ?, ?) ON CONFLICT (id) DO "
                               "UPDATE SET revision = excluded.revision, state = "
                               "excluded.state");
}

static void close_raw(raw *self)
{
    sqlite3_stmt *all[] = {self->begin, self->commit, self->journal, self->head};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sqlite3_finalize(all[i]);
    sqlite3_close(self->db);
}

static void raw_commit(raw *self, int step)
{
    static const char state[] = "{\"configuration\": [\"ORCHESTRATING\"], \"context\": "
                                "{\"queued\": 0, \"suggested\": 1, \"retries\": 0}}";
    const char *record = records[step % RECORDS];
    run(self->begin);
    sqlite3_bind_int(self->journal, 1, step + 1);
    sqlite3_bind_text(self->journal, 2, record, -1, SQLITE_STATIC);
    run(self->journal);
    sqlite3_bind_int(self->head, 1, step + 1);
    sqlite3_bind_text(self->head, 2, state, sizeof state - 1, SQLITE_STATIC);
    run(self->head);
    run(self->commit);
}

static void measure_raw(const char *synchronous, const char *figure, int count)
{
    raw self;
    open_raw(&self, synchronous);
    for (int i = 0; i < RECORDS; i++)
        raw_commit(&self, i);
    traffic begin = traffic_now();
    for (int i = 0; i < count; i++)
        raw_commit(&self, RECORDS + i);
    report(figure, &begin, count, NULL);
    close_raw(&self);
}

/* ---- wfsm ---- */

static void measure(int32_t synchronous, const char *figure, const char *floor, int count)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = synchronous};
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    drop_file();
    check(wfsm_sqlite_open(&store, path, &options, NULL, error));
    check(wfsm_instance_start(&instance, machine, store, NULL, "one", NULL, 0, 0, error));
    for (int i = 0; i < RECORDS; i++)
        send(instance, i);
    traffic begin = traffic_now();
    for (int i = 0; i < count; i++)
        send(instance, RECORDS + i);
    report(figure, &begin, count, floor);
    wfsm_instance_free(instance);
    wfsm_store_free(store);
}

int main(int argc, char **argv)
{
    size_t length;
    if (argc < 3 || argc > 4)
        bench_fail("usage", "bench_durable FILE FOLDER [COUNT]");
    int count = argc == 4 ? atoi(argv[3]) : 2400;
    char *text = bench_read(argv[1], &length);
    snprintf(path, sizeof path, "%s/bench.db", argv[2]);
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    make_records();
    measure_raw("FULL", "loop/full", count);
    measure(WFSM_SQLITE_FULL, "wfsm/full", "loop/full", count);
    measure_raw("NORMAL", "loop/normal", count);
    measure(WFSM_SQLITE_NORMAL, "wfsm/normal", "loop/normal", count);
    drop_file();
    for (int i = 0; i < RECORDS; i++)
        free(records[i]);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
}
