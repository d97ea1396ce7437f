/* The file beneath the rows: SQLite's own check of its pages and indexes, and the checksums of
 * all rows that have one. */
#include "database.h"

#include <stdio.h>
#include <string.h>

/* Each gives one text a row: a flaw, or "ok". */
static const char *const checks[] = {
    "PRAGMA integrity_check",
    "SELECT 'a row of table instance is not what was stored: its checksum is another, id '"
    " || coalesce(id, '') FROM instance"
    " WHERE checksum IS NOT wfsm_checksum(id, owner, acknowledged)",
    "SELECT 'a row of table inbox is not what was stored: its checksum is another, number '"
    " || number FROM inbox"
    " WHERE checksum IS NOT wfsm_checksum(instance, event_id, name, data, now)",
    "SELECT 'a row of table owner is not what was stored: its checksum is another, name '"
    " || coalesce(name, '') FROM owner"
    " WHERE checksum IS NOT wfsm_checksum(name, until)",
};

static int32_t report(const wf_sqlite *db, sqlite3_stmt *statement, wfsm_flaw_sink sink,
                      void *user, wfsm_error *error)
{
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    if (!text)
        return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be checked", error);
    if (!strcmp(text, "ok") || !sink)
        return WFSM_OK;
    /* What is damaged is quoted only as far as it is text. */
    char message[256];
    snprintf(message, sizeof message, "%s", text);
    size_t length = strlen(message);
    while (length && !wf_sqlite_utf8(message, length))
        message[--length] = '\0';
    wfsm_flaw flaw = {sizeof flaw, "", 0, message};
    return sink(user, &flaw);
}

static int32_t run(const wf_sqlite *db, const char *sql, wfsm_flaw_sink sink, void *user,
                   wfsm_error *error)
{
    sqlite3_stmt *statement = NULL;
    int32_t status = WFSM_OK;
    int code = sqlite3_prepare_v2(db->connection, sql, -1, &statement, NULL);
    while (!code && !status && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = report(db, statement, sink, user, error);
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    if (status || !code || code == SQLITE_DONE)
        return status;
    return wf_sqlite_fail(db, code, "cannot be checked", error);
}

int32_t wfsm_sqlite_check(const char *path, wfsm_flaw_sink sink, void *user,
                          const wfsm_allocator *allocator, wfsm_error *error)
{
    const wfsm_sqlite_options options = {.size = sizeof options, .read_only = 1};
    wf_sqlite *db;
    int32_t status = wf_sqlite_make(&db, path, &options, allocator, error);
    if (status)
        return status;
    for (size_t i = 0; !status && i < sizeof checks / sizeof *checks; i++)
        status = run(db, checks[i], sink, user, error);
    wf_sqlite_close(db);
    return status;
}
