#include "floor.h"

#include <stdio.h>
#include "bench.h"

void drop_file(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[4200];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        remove(name);
    }
}

traffic traffic_now(void)
{
    traffic now = {.time = bench_clock(), .busy = bench_busy()};
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

void traffic_report(const char *figure, const traffic *begin, double count, const char *floor)
{
    char name[100], than[100];
    traffic end = traffic_now();
    bench_print("durable", figure, 1e9 * count / (double)(end.time - begin->time), "/s", floor);
    snprintf(name, sizeof name, "%s/busy", figure);
    snprintf(than, sizeof than, "%s/busy", floor != NULL ? floor : "");
    bench_print("durable", name, (double)(end.busy - begin->busy) / count / 1000, "us",
                floor != NULL ? than : NULL);
    snprintf(name, sizeof name, "%s/bytes", figure);
    snprintf(than, sizeof than, "%s/bytes", floor != NULL ? floor : "");
    bench_print("durable", name, (double)(end.bytes - begin->bytes) / count, "bytes",
                floor != NULL ? than : NULL);
    snprintf(name, sizeof name, "%s/writes", figure);
    snprintf(than, sizeof than, "%s/writes", floor != NULL ? floor : "");
    bench_print("durable", name, (double)(end.calls - begin->calls) / count, "calls",
                floor != NULL ? than : NULL);
}

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

void raw_open(raw *self, const char *path, const char *synchronous, int instances)
{
    char text[100];
    drop_file(path);
    if (sqlite3_open(path, &self->db) != SQLITE_OK)
        bench_fail(path, "cannot be opened");
    sql(self, "PRAGMA journal_mode = WAL");
    snprintf(text, sizeof text, "PRAGMA synchronous = %s", synchronous);
    sql(self, text);
    sql(self, "CREATE TABLE journal (key INTEGER PRIMARY KEY, instance INTEGER, "
              "revision INTEGER, record TEXT) STRICT");
    sql(self, "CREATE TABLE state (id TEXT PRIMARY KEY, revision INTEGER, state TEXT) STRICT");
    self->begin = prepare(self, "BEGIN IMMEDIATE");
    self->commit = prepare(self, "COMMIT");
    self->journal =
        prepare(self, "INSERT INTO journal (instance, revision, record) VALUES (?, ?, ?)");
    self->state = prepare(self, "INSERT INTO state VALUES (?, ?, ?) ON CONFLICT (id) DO "
                                "UPDATE SET revision = excluded.revision, state = "
                                "excluded.state");
    raw_begin(self);
    for (int i = 0; i < instances; i++)
        raw_step(self, i, 0, "{}");
    raw_commit(self);
}

void raw_close(raw *self)
{
    sqlite3_stmt *all[] = {self->begin, self->commit, self->journal, self->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sqlite3_finalize(all[i]);
    sqlite3_close(self->db);
}

void raw_begin(raw *self)
{
    run(self->begin);
}

void raw_commit(raw *self)
{
    run(self->commit);
}

void raw_step(raw *self, int instance, int revision, const char *record)
{
    static const char state[] = "{\"configuration\": [\"ORCHESTRATING\"], \"context\": "
                                "{\"queued\": 0, \"suggested\": 1, \"retries\": 0}}";
    char id[32];
    int length = snprintf(id, sizeof id, "task-%d", instance);
    sqlite3_bind_int(self->journal, 1, instance);
    sqlite3_bind_int(self->journal, 2, revision);
    sqlite3_bind_text(self->journal, 3, record, -1, SQLITE_STATIC);
    run(self->journal);
    sqlite3_bind_text(self->state, 1, id, length, SQLITE_STATIC);
    sqlite3_bind_int(self->state, 2, revision);
    sqlite3_bind_text(self->state, 3, state, sizeof state - 1, SQLITE_STATIC);
    run(self->state);
}
