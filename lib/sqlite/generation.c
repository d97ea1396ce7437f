/* sqlite/generation.c: a store that went back in time is noticed. The row of the table `store` counts
 * generations: the first commit of every handle begins one, and so does every sign of life of a
 * session. seen_file.c keeps the newest one beside the store. A backup has an older one. */
#include "database.h"

#include <string.h>

/* The file names the store by what is in its row, so that has to be what it looks like. */
static bool is_name(const char *text, size_t length)
{
    return length == WF_SQLITE_NAME && strspn(text, "0123456789abcdef") == length;
}

static int32_t read_columns(wf_sqlite *db, wf_sqlite_generation *found, wfsm_error *error)
{
    wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_GENERATION);
    size_t length = 0;
    const char *name = wf_sql_column_text(&row, &length);
    found->number = (int64_t)wf_sql_column_count(&row);
    wf_sql_column_proof(&row);
    int32_t status = wf_sql_columns_end(&row, error);
    if (status)
        return status;
    if (!is_name(name, length))
        return wf_sqlite_refuse(db, WFSM_CORRUPT, error, "its row of table store has no name");
    memcpy(found->store, name, length + 1);
    return WFSM_OK;
}

static int32_t read_row(wf_sqlite *db, wf_sqlite_generation *found, wfsm_error *error)
{
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_GENERATION);
    int code = wf_sql_step(&read);
    int32_t status;
    if (code == SQLITE_ROW)
        status = read_columns(db, found, error);
    else if (code == SQLITE_DONE)
        status = wf_sqlite_refuse(db, WFSM_CORRUPT, error, "its table store is empty");
    else
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(&read);
    return status;
}

/* The file is read first: another process may begin a generation at any time, and writes the file
 * after the store. */
int32_t wf_sqlite_generation_look(wf_sqlite *db, wfsm_error *error)
{
    wf_sqlite_generation found, seen;
    int32_t status = wf_sqlite_seen_read(db, &seen, error);
    if (!status)
        status = read_row(db, &found, error);
    if (status)
        return status;
    db->generation = found;
    if (strcmp(seen.store, found.store) != 0 || seen.number <= found.number)
        return WFSM_OK;
    return wf_sqlite_refuse(
        db, WFSM_CONFLICT, error,
        "it is older than what was last seen here (generation %lld, and %lld was seen): a backup was "
        "put in its place, and what was done since then may be done again. To use it all the "
        "same, delete %s",
        (long long)found.number, (long long)seen.number, db->seen_file);
}

/* Whatever this handle knows of the instances is wrong from then on. */
static int32_t check(wf_sqlite *db, wfsm_error *error)
{
    wf_sqlite_generation found;
    int32_t status = read_row(db, &found, error);
    if (status)
        return status;
    db->set_back =
        strcmp(found.store, db->generation.store) != 0 || found.number < db->generation.number;
    if (!db->set_back)
        db->generation = found;
    return db->set_back ? wf_sqlite_generation_ready(db, error) : WFSM_OK;
}

int32_t wf_sqlite_generation_ready(const wf_sqlite *db, wfsm_error *error)
{
    if (!db->set_back)
        return WFSM_OK;
    return wf_sqlite_refuse(db, WFSM_CONFLICT, error,
                            "an older copy was put in its place since it was opened; close it "
                            "everywhere before you open it again");
}

int32_t wf_sqlite_generation_next(wf_sqlite *db, wfsm_error *error)
{
    if (db->begins)
        return WFSM_OK;
    wf_sql_binder update = wf_sql_bind(db, WF_SQL_GENERATION_NEXT);
    wf_sql_bind_int(&update, db->generation.number + (db->generation.number < INT64_MAX));
    int code = wf_sql_run(&update);
    if (code)
        return wf_sqlite_fail(db, code, "cannot be written", error);
    db->begins = true;
    return WFSM_OK;
}

int32_t wf_sqlite_generation_begin(wf_sqlite *db, wfsm_error *error)
{
    db->begins = false;
    int32_t status = db->changed || !db->begun ? check(db, error) : WFSM_OK;
    if (status)
        return status;
    db->changed = false;
    return db->begun ? WFSM_OK : wf_sqlite_generation_next(db, error);
}

/* With NORMAL, a power cut may take the last commits. The file must not be ahead of the store
 * then, so the log is synced first. */
static bool is_durable(const wf_sqlite *db)
{
    sqlite3_file *log = NULL;
    if (!db->normal)
        return true;
    sqlite3_file_control(db->connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    return log && log->pMethods && !log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

void wf_sqlite_generation_settle(wf_sqlite *db)
{
    if (!db->begins)
        return;
    db->begins = false;
    db->begun = true;
    db->generation.number += db->generation.number < INT64_MAX;
    if (is_durable(db))
        wf_sqlite_seen_write(db);
}
