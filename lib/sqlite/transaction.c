#include "database.h"
#include "../base/invariant.h"

void wf_sqlite_rollback(wf_sqlite *db)
{
    if (!sqlite3_get_autocommit(db->connection)) {
        wf_sql_binder rollback = wf_sql_bind(db, WF_SQL_ROLLBACK);
        wf_sql_run(&rollback);
    }
    db->fingerprint[0] = '\0';
    wf_sqlite_cache_clear(db);
}

static int run(const wf_sqlite *db, enum wf_sql which)
{
    wf_sql_binder binder = wf_sql_bind(db, which);
    return wf_sql_run(&binder);
}

/* A commit that failed during its write may have left its complete bytes in the log. After
 * a crash, recovery would then apply it. Another commit overwrites those bytes, and after
 * that the failed commit cannot come back. */
static bool settle(wf_sqlite *db)
{
    wf_sqlite_rollback(db);
    if (!run(db, WF_SQL_BEGIN) && !run(db, WF_SQL_SETTLE) && !run(db, WF_SQL_COMMIT))
        db->unsettled = false;
    else
        wf_sqlite_rollback(db);
    return !db->unsettled;
}

/* The file was deleted or replaced under its name. What is written to it would be lost. */
static bool moved_away(const wf_sqlite *db)
{
    int moved = 0;
    return !sqlite3_file_control(db->connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved) &&
           moved;
}

int32_t wf_sqlite_ready(wf_sqlite *db, wfsm_error *error)
{
    if (db->readings) /* it was checked when the read began */
        return WFSM_OK;
    wf_sqlite_forget_errors(db);
    if (moved_away(db))
        return wf_sqlite_refuse(db, WFSM_IO, error,
                                "the file was deleted, moved or replaced since it was "
                                "opened");
    const char *lost = wf_sqlite_lost_beside(db);
    if (lost)
        return wf_sqlite_refuse(
            db, WFSM_IO, error,
            "the file %s was deleted, moved or replaced since the store "
            "was opened; close the store everywhere before you open it again",
            lost);
    if (!db->unsettled || settle(db))
        return WFSM_OK;
    return wf_sqlite_refuse(db, WFSM_IO, error,
                            "an earlier commit failed, and the file cannot be written: "
                            "its contents are unknown until writing works again");
}

int32_t wf_sqlite_begin(wf_sqlite *db, wfsm_error *error)
{
    if (db->joined)
        return WFSM_OK;
    if (db->read_only)
        return wf_sqlite_refuse(db, WFSM_DENIED, error, "it was opened for reading only");
    int32_t status = wf_sqlite_ready(db, error);
    if (!status)
        status = wf_sqlite_generation_ready(db, error);
    if (status)
        return status;
    int code = run(db, WF_SQL_BEGIN);
    if (code) {
        status = wf_sqlite_fail(db, code, "cannot be written", error);
        return status == WFSM_IO ? WFSM_STORE_FAILED : status;
    }
    wf_sqlite_cache_validate(db);
    status = wf_sqlite_generation_begin(db, error);
    return status ? wf_sqlite_end(db, status, error) : WFSM_OK;
}

/* The last page that a commit writes makes it valid. A full disk therefore stops it before
 * it is valid, unless the file system pads beyond that page. */
static bool is_too_early(const wf_sqlite *db, int code)
{
    sqlite3_file *file = NULL;
    if ((code & 0xFF) != SQLITE_FULL ||
        sqlite3_file_control(db->connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) ||
        !file || !file->pMethods)
        return false;
    return file->pMethods->xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int32_t wf_sqlite_commit(wf_sqlite *db, wfsm_error *error)
{
    WF_INVARIANT(!sqlite3_get_autocommit(db->connection));
    int code = run(db, WF_SQL_COMMIT);
    if (!code) {
        wf_sqlite_cache_settle(db);
        wf_sqlite_generation_settle(db);
        return WFSM_OK;
    }
    int32_t status = wf_sqlite_fail(db, code, "a commit failed", error);
    bool early = status == WFSM_BUSY || is_too_early(db, code);
    db->unsettled = !early;
    if (early)
        wf_sqlite_rollback(db);
    else if (!settle(db))
        return wf_sqlite_refuse(
            db, WFSM_STORE_UNKNOWN, error,
            "a commit failed, and it is unknown whether its bytes reached the disk (SQLite %d: %s)",
            code, sqlite3_errstr(code));
    return status == WFSM_IO ? WFSM_STORE_FAILED : status;
}

int32_t wf_sqlite_end(wf_sqlite *db, int32_t status, wfsm_error *error)
{
    /* No read is open while something is written: its view would be of two states. */
    WF_INVARIANT(!db->readings);
    if (!status && !db->joined)
        return wf_sqlite_commit(db, error);
    if (!db->joined)
        wf_sqlite_rollback(db);
    return status == WFSM_IO ? WFSM_STORE_FAILED : status;
}

/* While one statement is on a row, other statements see the same state of the file. */
static int32_t open_view(wf_sqlite *db, wfsm_error *error)
{
    int32_t status = wf_sqlite_ready(db, error);
    if (status)
        return status;
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_READ);
    int code = wf_sql_step(&read);
    if (code == SQLITE_ROW) {
        wf_sqlite_cache_validate(db);
        return WFSM_OK;
    }
    wf_sql_reset(&read);
    return wf_sqlite_fail(db, code, "cannot be read", error);
}

int32_t wf_sqlite_begin_reading(wf_sqlite *db, wfsm_error *error)
{
    int32_t status = db->readings ? WFSM_OK : open_view(db, error);
    db->readings += !status;
    return status;
}

void wf_sqlite_end_reading(wf_sqlite *db)
{
    WF_INVARIANT(db->readings > 0);
    if (--db->readings)
        return;
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_READ);
    wf_sql_reset(&read);
}

int32_t wf_sqlite_view(void *self, int32_t open, wfsm_error *error)
{
    if (open)
        return wf_sqlite_begin_reading(self, error);
    wf_sqlite_end_reading(self);
    return WFSM_OK;
}

int32_t wf_sqlite_transaction(void *self, int32_t step, wfsm_error *error)
{
    wf_sqlite *db = self;
    if (step == WFSM_BEGIN) {
        int32_t status = wf_sqlite_begin(db, error);
        db->joined = !status;
        return status;
    }
    db->joined = false;
    if (step == WFSM_COMMIT)
        return wf_sqlite_end(db, WFSM_OK, error);
    wf_sqlite_rollback(db);
    return WFSM_OK;
}
