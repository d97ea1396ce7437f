#include "database.h"
#include "schema.h"

#include "../base/sized.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_BUSY_MS = 10000, OWNER_ONLY = 0600 };

static const wfsm_store_vtable vtable = {
    .size = sizeof vtable,
    .commit = wf_sqlite_commits,
    .head = wf_sqlite_head,
    .records = wf_sqlite_records,
    .snapshot = wf_sqlite_snapshot,
    .checkpoints = wf_sqlite_checkpoints,
    .list = wf_sqlite_list,
    .document = wf_sqlite_document,
    .seen = wf_sqlite_seen,
    .post = wf_sqlite_post,
    .inbox = wf_sqlite_inbox,
    .acknowledge = wf_sqlite_acknowledge,
    .owner_alive = wf_sqlite_owner_alive,
    .own = wf_sqlite_own,
    .disown = wf_sqlite_disown,
    .remove = wf_sqlite_remove,
    .close = wf_sqlite_close,
    .cut = wf_sqlite_cut,
    .anchor = wf_sqlite_anchor,
    .view = wf_sqlite_view,
    .transaction = wf_sqlite_transaction,
    .changes = wf_sqlite_changes,
    .lapsed = wf_sqlite_lapsed,
    .claim = wf_sqlite_claim,
    .permits = wf_sqlite_permits,
    .rates = wf_sqlite_rates,
    .searches = 1,
    .since = wf_sqlite_since,
};

void wf_sqlite_close(void *self)
{
    wf_sqlite *db = self;
    wf_sqlite_finalize(db);
    sqlite3_close(db->connection);
    wf_sqlite_cache_free(db);
    wf_sqlite_forget_beside(db);
    wf_sqlite_give(db, db->cache.slots);
    wf_sqlite_give(db, db->seen_file);
    wf_sqlite_give(db, db->path);
    wf_sqlite copy = *db;
    wf_sqlite_give(&copy, db);
}

static int32_t invalid(wfsm_error *error, const char *message)
{
    if (error)
        wfsm_error_set(error, WFSM_INVALID, message);
    return WFSM_INVALID;
}

static bool read_options(wfsm_sqlite_options *out, const wfsm_sqlite_options *given)
{
    *out = (wfsm_sqlite_options){
        .size = sizeof *out, .busy_ms = DEFAULT_BUSY_MS, .mode = OWNER_ONLY};
    if (!given)
        return true;
    if (!wf_struct_check(out, sizeof *out, given, sizeof given->size))
        return false;
    if (!out->busy_ms)
        out->busy_ms = DEFAULT_BUSY_MS;
    if (!out->mode)
        out->mode = OWNER_ONLY;
    if ((out->mode & ~0777) || (out->mode & OWNER_ONLY) != OWNER_ONLY)
        return false;
    return out->synchronous >= WFSM_SQLITE_FULL && out->synchronous <= WFSM_SQLITE_NORMAL &&
           out->busy_ms >= 0 && (out->read_only | 1) == 1 && (out->must_exist | 1) == 1;
}

/* SQLite's busy handler does not cover two processes that switch to WAL at the same time. */
static int turn_wal_on(const wf_sqlite *db, int busy_ms, bool *wal)
{
    int code;
    int waited = 0;
    do {
        sqlite3_stmt *statement = NULL;
        code = sqlite3_prepare_v2(db->connection, "PRAGMA journal_mode = WAL", -1, &statement,
                                  NULL);
        if (!code)
            code = sqlite3_step(statement);
        const char *mode =
            code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        *wal = mode && !strcmp(mode, "wal");
        sqlite3_finalize(statement);
        if ((code & 0xFF) == SQLITE_BUSY)
            waited += wf_sqlite_sleep(5);
    } while ((code & 0xFF) == SQLITE_BUSY && waited < busy_ms);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

static int32_t prepare_writing(wf_sqlite *db, const wfsm_sqlite_options *options,
                               wfsm_error *error)
{
    bool wal = false;
    int code = turn_wal_on(db, options->busy_ms, &wal);
    if (!code && !wal)
        return wf_sqlite_refuse(db, WFSM_IO, error,
                                "write-ahead logging is not possible here (it needs a "
                                "file on a local disk)");
    if (!code)
        code = sqlite3_exec(db->connection,
                            options->synchronous == WFSM_SQLITE_NORMAL
                                ? "PRAGMA synchronous = NORMAL"
                                : "PRAGMA synchronous = FULL",
                            NULL, NULL, NULL);
    return code ? wf_sqlite_fail(db, code, "cannot be written", error) : WFSM_OK;
}

static int32_t start(wf_sqlite *db, const wfsm_sqlite_options *options, wfsm_error *error)
{
    enum wf_sqlite_kind kind;
    int32_t status = wf_sqlite_connect(db, options, error);
    if (!status)
        status = wf_sqlite_look(db, &kind, error);
    if (!status && kind == WF_SQLITE_EMPTY && options->read_only)
        status = wf_sqlite_refuse(db, WFSM_CORRUPT, error,
                                  "it is empty, and a wfsm store was expected");
    if (!status && !options->read_only)
        status = prepare_writing(db, options, error);
    if (!status && kind == WF_SQLITE_EMPTY)
        status = wf_sqlite_create(db, error);
    if (!status)
        status = wf_sqlite_prepare(db, error);
    if (!status)
        status = wf_sqlite_remember_beside(db, error);
    if (!status && !options->read_only)
        status = wf_sqlite_generation_look(db, error);
    return status;
}

/* While the file is being opened, a full disk or a read-only folder is an error of the
 * operating system (WFSM_IO). */
static int32_t opening_status(int32_t status, wfsm_error *error)
{
    if (status != WFSM_STORE_FAILED && status != WFSM_DENIED)
        return status;
    if (error) {
        char message[512];
        snprintf(message, sizeof message, "%s", wfsm_error_message(error));
        wfsm_error_set(error, WFSM_IO, message);
    }
    return WFSM_IO;
}

static bool complete(const wfsm_allocator *allocator)
{
    return !allocator || (wf_struct_fits(allocator, sizeof *allocator, sizeof *allocator) &&
                          allocator->allocate && allocator->resize && allocator->release);
}

static wf_sqlite *new_database(const char *path, const wfsm_allocator *allocator)
{
    wf_sqlite blank = {.read_only = false};
    if (allocator)
        blank.allocator = *allocator;
    wf_sqlite *db = wf_sqlite_take(&blank, sizeof *db);
    char *copy = wf_sqlite_take(&blank, strlen(path) + 1);
    if (!db || !copy) {
        wf_sqlite_give(&blank, db);
        wf_sqlite_give(&blank, copy);
        return NULL;
    }
    memcpy(copy, path, strlen(path) + 1);
    *db = blank;
    db->path = copy;
    return db;
}

int32_t wf_sqlite_make(wf_sqlite **made, const char *path, const wfsm_sqlite_options *options,
                       const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_sqlite_options checked;
    if (!path || !*path || !strcmp(path, ":memory:"))
        return invalid(error, "the path of a file is needed");
    if (!read_options(&checked, options))
        return invalid(error, "the options of the SQLite store are of a wrong size, or a "
                              "member is out of its range");
    if (!complete(allocator))
        return invalid(error, "the allocator is not complete");
    wf_sqlite *db = new_database(path, allocator);
    if (!db) {
        if (error)
            wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
        return WFSM_NO_MEMORY;
    }
    db->read_only = checked.read_only;
    db->normal = checked.synchronous == WFSM_SQLITE_NORMAL;
    int32_t status = opening_status(start(db, &checked, error), error);
    if (status)
        wf_sqlite_close(db);
    else
        *made = db;
    return status;
}

int32_t wfsm_sqlite_open(wfsm_store **store, const char *path,
                         const wfsm_sqlite_options *options, const wfsm_allocator *allocator,
                         wfsm_error *error)
{
    wf_sqlite *db;
    if (!store)
        return invalid(error, "a place for the store is needed");
    int32_t status = wf_sqlite_make(&db, path, options, allocator, error);
    if (status)
        return status;
    status = wfsm_store_new(store, &vtable, db, allocator, error);
    if (status)
        wf_sqlite_close(db);
    return status;
}
