/*
 * W4, restart: a store has many unfinished instances with some steps each, and the next process
 * finds and loads them all. The floor selects the same rows of the same file and copies them.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "cycle.h"
#include "floor.h"

enum { STEPS = 5, ROUNDS = 5 };

static wfsm_machine *machine;
static wfsm_error *error;
static char path[4096];

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static wfsm_store *open_store(void)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = WFSM_SQLITE_NORMAL};
    wfsm_store *store = NULL;
    check(wfsm_sqlite_open(&store, path, &options, NULL, error));
    return store;
}

static void start_one(wfsm_store *store, size_t number)
{
    char id[32];
    wfsm_instance *made = NULL;
    int32_t outcome;
    snprintf(id, sizeof id, "task-%zu", number);
    const wfsm_start_options options = {.size = sizeof options, .id = id, .store = store};
    check(wfsm_instance_start(&made, machine, &options, 0, error));
    for (int step = 0; step < STEPS; step++) {
        const wfsm_event event = {.size = sizeof event, .name = cycle_names[step]};
        check(wfsm_instance_send(made, &event, step, &outcome, error));
    }
    wfsm_instance_free(made);
}

static void fill(size_t count)
{
    drop_file(path);
    wfsm_store *store = open_store();
    for (size_t i = 0; i < count; i++) {
        if (i % 100 == 0)
            check(wfsm_store_batch(store, error));
        start_one(store, i);
        if (i % 100 == 99 || i + 1 == count)
            check(wfsm_store_flush(store, NULL, error));
    }
    wfsm_store_free(store);
}

/* ---- the floor ---- */

/* Numbers as numbers, texts as texts. */
static size_t copy_column(sqlite3_stmt *statement, int column)
{
    static char copy[1 << 16];
    int64_t number;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        number = sqlite3_column_int64(statement, column);
        memcpy(copy, &number, sizeof number);
        return sizeof number;
    case SQLITE_TEXT: {
        const void *text = sqlite3_column_text(statement, column);
        size_t length = (size_t)sqlite3_column_bytes(statement, column);
        if (length < sizeof copy)
            memcpy(copy, text, length);
        return length;
    }
    default:
        return 0;
    }
}

static size_t copy_rows(sqlite3 *db, const char *sql)
{
    size_t bytes = 0;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        bench_fail(sql, sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            bytes += copy_column(statement, i);
    sqlite3_finalize(statement);
    return bytes;
}

static double measure_copy(void)
{
    sqlite3 *db = NULL;
    int64_t begin = bench_busy();
    if (sqlite3_open(path, &db) != SQLITE_OK)
        bench_fail(path, "cannot be opened");
    if (copy_rows(db, "SELECT * FROM instance WHERE status = 1 ORDER BY id") == 0 ||
        copy_rows(db, "SELECT * FROM head") == 0 || copy_rows(db, "SELECT * FROM journal") == 0)
        bench_fail(path, "is empty");
    sqlite3_close(db);
    return (double)(bench_busy() - begin);
}

/* ---- wfsm ---- */

typedef struct found {
    char (*ids)[32];
    size_t count;
} found;

static int32_t note_id(void *user, const wfsm_row *row)
{
    found *self = user;
    snprintf(self->ids[self->count++], sizeof *self->ids, "%s", row->head->instance);
    return WFSM_OK;
}

static double measure_load(size_t count)
{
    wfsm_instance **all = malloc(count * sizeof *all);
    found ids = {malloc(count * sizeof *ids.ids), 0};
    if (!all || !ids.ids)
        bench_fail("memory", "too little");
    int64_t begin = bench_busy();
    wfsm_store *store = open_store();
    wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING, .limit = count};
    check(wfsm_store_list(store, &query, note_id, &ids, error));
    if (ids.count != count)
        bench_fail("restart", "not all were found");
    for (size_t i = 0; i < count; i++)
        check(wfsm_instance_load(&all[i], machine, store, NULL, ids.ids[i], error));
    double time = (double)(bench_busy() - begin);
    for (size_t i = 0; i < count; i++)
        wfsm_instance_free(all[i]);
    wfsm_store_free(store);
    free(all);
    free(ids.ids);
    return time;
}

int main(int argc, char **argv)
{
    size_t length;
    if (argc < 3 || argc > 4)
        bench_fail("usage", "bench_restart FILE FOLDER [INSTANCES]");
    size_t count = argc == 4 ? strtoul(argv[3], NULL, 10) : 10000;
    double copied = 0, loaded = 0;
    char *text = bench_read(argv[1], &length);
    snprintf(path, sizeof path, "%s/restart.db", argv[2]);
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    fill(count);
    for (int i = 0; i < ROUNDS; i++) {
        copied += measure_copy();
        loaded += measure_load(count);
    }
    bench_print("restart", "select+copy", copied / ROUNDS / (double)count, "ns", NULL);
    bench_print("restart", "find+load", loaded / ROUNDS / (double)count, "ns", "select+copy");
    drop_file(path);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
}
