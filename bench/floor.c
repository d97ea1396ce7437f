#include "floor.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
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
    traffic now = {.time = bench_clock(), .busy = bench_busy(), .syncs = sync_count()};
    long long read, calls_read;
    long long written, calls;
    FILE *file = fopen("/proc/self/io", "r");
    if (!file || fscanf(file, "rchar: %lld wchar: %lld syscr: %lld syscw: %lld", &read,
                        &written, &calls_read, &calls) != 4)
        bench_fail("/proc/self/io", "cannot be read");
    fclose(file);
    now.bytes = written;
    now.calls = calls;
    return now;
}

static void print_part(const char *figure, const char *part, double value, const char *unit,
                       const char *floor)
{
    char name[100], than[100];
    snprintf(name, sizeof name, "%s%s", figure, part);
    snprintf(than, sizeof than, "%s%s", floor ? floor : "", part);
    bench_print("durable", name, value, unit, floor ? than : NULL);
}

void traffic_add(traffic *sum, const traffic *begin)
{
    traffic now = traffic_now();
    sum->time += now.time - begin->time;
    sum->busy += now.busy - begin->busy;
    sum->bytes += now.bytes - begin->bytes;
    sum->calls += now.calls - begin->calls;
    sum->syncs += now.syncs - begin->syncs;
}

void traffic_report(const char *figure, const traffic *sum, double count, const char *floor)
{
    print_part(figure, "", 1e9 * count / (double)sum->time, "/s", floor);
    print_part(figure, " busy", (double)sum->busy / count / 1000, "us", floor);
    print_part(figure, " bytes", (double)sum->bytes / count, "bytes", floor);
    print_part(figure, " writes", (double)sum->calls / count, "calls", floor);
    print_part(figure, " syncs", (double)sum->syncs / count, "calls",
               sum->syncs > 0 ? floor : NULL); /* a floor of none would be divided by */
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

static void open_tables(raw *self)
{
    sql(self, "CREATE TABLE journal (key INTEGER PRIMARY KEY, instance INTEGER, "
              "revision INTEGER, record TEXT) STRICT");
    sql(self, "CREATE TABLE state (id TEXT PRIMARY KEY, revision INTEGER, state TEXT) STRICT");
    sql(self, "CREATE TABLE head (id TEXT PRIMARY KEY, revision INTEGER, last INTEGER, "
              "owner TEXT, status INTEGER) STRICT");
    self->begin = prepare(self, "BEGIN IMMEDIATE");
    self->commit = prepare(self, "COMMIT");
    self->journal =
        prepare(self, "INSERT INTO journal (instance, revision, record) VALUES (?, ?, ?)");
    self->state = prepare(
        self, self->layout == RAW_STATE
                  ? "INSERT INTO state VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET "
                    "revision = excluded.revision, state = excluded.state"
                  : "UPDATE head SET revision = ?2, last = ?3 WHERE id = ?1 AND "
                    "revision = ?2 - 1 AND owner = ''");
}

/* Both tables have a row for each instance. */
static void fill_tables(raw *self, int instances)
{
    char id[32];
    sqlite3_stmt *head = prepare(self, "INSERT INTO head VALUES (?, 0, 0, '', 1)");
    enum layout layout = self->layout;
    self->layout = RAW_STATE;
    raw_begin(self);
    for (int i = 0; i < instances; i++) {
        int length = snprintf(id, sizeof id, "task-%d", i);
        sqlite3_bind_text(head, 1, id, length, SQLITE_STATIC);
        run(head);
        if (layout == RAW_STATE)
            raw_step(self, i, 0, "{}");
    }
    raw_commit(self);
    sqlite3_finalize(head);
    self->layout = layout;
}

void raw_open(raw *self, enum layout layout, const char *path, const char *synchronous,
              int instances, const char *whole)
{
    char text[100];
    *self = (raw){.layout = layout, .file = -1, .whole = whole};
    drop_file(path);
    if (layout == RAW_LOG) {
        self->file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
        if (self->file < 0)
            bench_fail(path, "cannot be opened");
        return;
    }
    if (sqlite3_open(path, &self->db) != SQLITE_OK)
        bench_fail(path, "cannot be opened");
    sql(self, "PRAGMA journal_mode = WAL");
    snprintf(text, sizeof text, "PRAGMA synchronous = %s", synchronous);
    sql(self, text);
    open_tables(self);
    fill_tables(self, instances);
}

void raw_close(raw *self)
{
    sqlite3_stmt *all[] = {self->begin, self->commit, self->journal, self->state};
    if (self->layout == RAW_LOG) {
        close(self->file);
        return;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sqlite3_finalize(all[i]);
    sqlite3_close(self->db);
}

void raw_begin(raw *self)
{
    if (self->layout != RAW_LOG)
        run(self->begin);
}

void raw_commit(raw *self)
{
    if (self->layout != RAW_LOG)
        run(self->commit);
    else if (fdatasync(self->file) != 0)
        bench_fail("floor", "a sync failed");
}

static void append(const raw *self, const char *record)
{
    size_t length = strlen(record);
    if (write(self->file, record, length) != (ssize_t)length)
        bench_fail("floor", "a write failed");
}

static void store(const raw *self, const char *id, int revision)
{
    sqlite3_bind_text(self->state, 1, id, -1, SQLITE_STATIC);
    sqlite3_bind_int(self->state, 2, revision);
    if (self->layout == RAW_STATE)
        sqlite3_bind_text(self->state, 3, self->whole, -1, SQLITE_STATIC);
    else
        sqlite3_bind_int64(self->state, 3, sqlite3_last_insert_rowid(self->db));
    run(self->state);
    if (sqlite3_changes(self->db) != 1)
        bench_fail("floor", "a conflict");
}

void raw_step(raw *self, int instance, int revision, const char *record)
{
    char id[32];
    snprintf(id, sizeof id, "task-%d", instance);
    if (self->layout == RAW_LOG) {
        append(self, record);
        return;
    }
    sqlite3_bind_int(self->journal, 1, instance);
    sqlite3_bind_int(self->journal, 2, revision);
    sqlite3_bind_text(self->journal, 3, record, -1, SQLITE_STATIC);
    run(self->journal);
    store(self, id, revision);
}
