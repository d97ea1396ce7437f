/* sqlite/integrity.c: wfsm_sqlite_check(). It runs SQLite's own integrity check, verifies
 * the checksum of each row that has one, looks for rows that belong to no instance, and
 * compares each document with its fingerprint. */
#include "database.h"
#include "schema.h"

#include <stdio.h>
#include <string.h>
#include <wfsm/machine.h>

/* Each query returns one text per row: a diagnostic, or "ok". */
static const char *const checks[] = {
    "PRAGMA integrity_check",
    "SELECT 'the row of table store is not what was stored: its checksum does not match'"
    " FROM store WHERE checksum IS NOT wfsm_checksum(generation, name)",
    "SELECT 'table store has ' || count(*) || ' rows; 1 was expected' FROM store"
    " HAVING count(*) IS NOT 1",
    "SELECT 'a row of table instance is not what was stored: its checksum does not match, id '"
    " || coalesce(id, '') FROM instance"
    " WHERE checksum IS NOT wfsm_checksum(id, owner, acknowledged, created)",
    "SELECT 'a row of table document is not what was stored: its checksum does not match, key '"
    " || key FROM document WHERE checksum IS NOT wfsm_checksum(fingerprint, text)",
    "SELECT 'a row of table inbox is not what was stored: its checksum does not match, number '"
    " || number FROM inbox"
    " WHERE checksum IS NOT wfsm_checksum(instance, event_id, name, data, now, kind,"
    " interface, sender)",
    "SELECT 'a row of table owner is not what was stored: its checksum does not match, name '"
    " || coalesce(name, '') FROM owner"
    " WHERE checksum IS NOT wfsm_checksum(name, until)",
    /* Orphaned rows. No read that starts from an instance reaches them. */
    "SELECT 'rows of table journal belong to no instance: ' || count(*) || ', the first with "
    "key '"
    " || min(key) FROM journal WHERE instance NOT IN (SELECT key FROM instance)"
    " HAVING count(*) > 0",
    "SELECT 'a row of table checkpoint belongs to no instance, id ' || id FROM checkpoint"
    " WHERE instance NOT IN (SELECT key FROM instance)",
    "SELECT 'a row of table inbox belongs to no instance, number ' || number FROM inbox"
    " WHERE instance NOT IN (SELECT key FROM instance)",
    "SELECT 'post ' || p.number || ' names another owner than its instance' FROM inbox AS p"
    " JOIN instance AS i ON i.key = p.instance WHERE p.owner <> i.owner",
    "SELECT 'instance ' || id || ' has no head' FROM instance"
    " WHERE key NOT IN (SELECT key FROM head)",
    "SELECT 'a row of table head belongs to no instance, key ' || key FROM head"
    " WHERE key NOT IN (SELECT key FROM instance)",
    "SELECT 'the head of instance ' || i.id || ' names a row of table journal that is not that "
    "of '"
    " || 'its revision' FROM instance AS i JOIN head AS h ON h.key = i.key LEFT JOIN journal "
    "AS j"
    " ON j.key = h.last WHERE (j.instance, j.revision) IS NOT (i.key, h.revision)",
    "SELECT 'instance ' || i.id || ' has ' || coalesce(j.rows, 0) || ' rows in table journal, '"
    " || (h.revision - i.first + 1) || ' belong to it' FROM instance AS i"
    " JOIN head AS h ON h.key = i.key LEFT JOIN"
    " (SELECT instance, count(*) AS rows FROM journal GROUP BY instance) AS j"
    " ON j.instance = i.key WHERE coalesce(j.rows, 0) <> h.revision - i.first + 1",
    "SELECT 'instance ' || id || ' has an anchor and all its records, or neither' FROM instance"
    " WHERE (anchor IS NULL) <> (first = 1)",
    "SELECT 'instance ' || i.id || ' has more effects acknowledged than made' FROM instance AS "
    "i"
    " JOIN head AS h ON h.key = i.key JOIN journal AS j ON j.key = h.last"
    " WHERE i.acknowledged > j.effects",
    "SELECT 'instance ' || i.id || ' has effects to deliver, and is not in table owing, or is there"
    " and has none' FROM instance AS i JOIN head AS h ON h.key = i.key JOIN journal AS j"
    " ON j.key = h.last WHERE (i.status = 2 AND j.effects > i.acknowledged)"
    " <> (i.key IN (SELECT key FROM owing))",
    "SELECT 'a row of table owing belongs to no instance, key ' || key FROM owing"
    " WHERE key NOT IN (SELECT key FROM instance)",
    "SELECT 'instance ' || i.id || ' is not indexed by its attributes' FROM instance AS i"
    " WHERE NOT json_valid(i.attributes) OR (SELECT count(*) FROM json_each(i.attributes))"
    " <> (SELECT count(*) FROM attribute AS a WHERE a.instance = i.key)"
    " OR EXISTS (SELECT 1 FROM json_each(i.attributes) AS e LEFT JOIN attribute AS a"
    " ON a.instance = i.key AND a.name = e.key WHERE a.value IS NOT CASE e.type"
    " WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE e.value END)",
    "SELECT 'a row of table attribute belongs to no instance, key ' || instance FROM attribute"
    " WHERE instance <> 0 AND instance NOT IN (SELECT key FROM instance)",
    "SELECT 'instance ' || id || ' has no document' FROM instance"
    " WHERE document NOT IN (SELECT key FROM document)",
    "SELECT 'post ' || p.number || ' has the event id of a record of its instance' FROM inbox "
    "AS p"
    " JOIN journal AS j ON j.instance = p.instance AND j.event_id = p.event_id",
};

/* Their tables are there if limits or rates were shared once. */
static const char *const shared_checks[] = {
    "SELECT 'a row of table permit is not what was stored: its checksum does not match, name '"
    " || coalesce(name, '') FROM permit"
    " WHERE checksum IS NOT wfsm_checksum(kind, name, session, count, wanted, since)",
    "SELECT 'a row of table rate is not what was stored: its checksum does not match, name '"
    " || coalesce(name, '') FROM rate"
    " WHERE checksum IS NOT wfsm_checksum(kind, name, count, per_ms, owed, at)",
};

static int32_t report(const wf_sqlite *db, sqlite3_stmt *statement, wfsm_audit_sink sink,
                      void *user, wfsm_error *error)
{
    if (wf_sqlite_unreadable(db)) /* `integrity_check` tells it as damage */
        return wf_sqlite_fail(db, SQLITE_IOERR_READ, "cannot be checked", error);
    /* The column that names the row can itself be a damaged NULL. */
    bool nameless = sqlite3_column_type(statement, 0) == SQLITE_NULL;
    const char *text = nameless ? "a row holds NULL where that cannot be"
                                : (const char *)sqlite3_column_text(statement, 0);
    if (!text)
        return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be checked", error);
    if (!strcmp(text, "ok") || !sink)
        return WFSM_OK;
    /* Quotes a damaged value only up to the point where it stops being text. */
    char message[256];
    snprintf(message, sizeof message, "%s", text);
    size_t length = strlen(message);
    while (length && !wf_sqlite_utf8(message, length))
        message[--length] = '\0';
    wfsm_audit_diagnostic diagnostic = {sizeof diagnostic, "", 0, message};
    return sink(user, &diagnostic);
}

static int32_t run(const wf_sqlite *db, const char *sql, wfsm_audit_sink sink, void *user,
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

static int32_t check_shared(const wf_sqlite *db, wfsm_audit_sink sink, void *user,
                            wfsm_error *error)
{
    int64_t found = 0;
    int code = wf_sqlite_number(
        db, "SELECT count(*) FROM sqlite_schema WHERE name IN ('permit', 'rate')", &found);
    int32_t status = code ? wf_sqlite_fail(db, code, "cannot be checked", error) : WFSM_OK;
    for (size_t i = 0; found && !status && i < sizeof shared_checks / sizeof *shared_checks;
         i++)
        status = run(db, shared_checks[i], sink, user, error);
    return status;
}

/* *right is true if the document has this fingerprint. A document that cannot be loaded
 * has not. */
static int32_t check_document(const wf_sqlite *db, sqlite3_stmt *row, bool *right,
                              wfsm_error *error)
{
    *right = false;
    if (sqlite3_column_type(row, 0) != SQLITE_TEXT ||
        sqlite3_column_type(row, 1) != SQLITE_TEXT)
        return WFSM_OK;
    const char *fingerprint = (const char *)sqlite3_column_text(row, 0);
    const char *text = (const char *)sqlite3_column_text(row, 1);
    size_t length = (size_t)sqlite3_column_bytes(row, 1);
    const wfsm_allocator *allocator = db->allocator.size ? &db->allocator : NULL;
    wfsm_machine *machine = NULL;
    if (!fingerprint || !text)
        return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be checked", error);
    int32_t status = wfsm_machine_load(&machine, text, length, NULL, allocator, NULL);
    *right = !status && !strcmp(wfsm_machine_fingerprint(machine), fingerprint);
    wfsm_machine_unref(machine);
    if (status == WFSM_NO_MEMORY)
        return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be checked", error);
    return WFSM_OK;
}

static int32_t tell_document(sqlite3_stmt *row, wfsm_audit_sink sink, void *user)
{
    char message[128];
    snprintf(message, sizeof message,
             "the document with key %lld is not the one of its fingerprint",
             (long long)sqlite3_column_int64(row, 2));
    wfsm_audit_diagnostic diagnostic = {sizeof diagnostic, "", 0, message};
    return sink ? sink(user, &diagnostic) : WFSM_OK;
}

static int32_t check_documents(const wf_sqlite *db, wfsm_audit_sink sink, void *user,
                               wfsm_error *error)
{
    sqlite3_stmt *row = NULL;
    int32_t status = WFSM_OK;
    int code = sqlite3_prepare_v2(db->connection,
                                  "SELECT fingerprint, text, key FROM document ORDER BY key",
                                  -1, &row, NULL);
    while (!code && !status && (code = sqlite3_step(row)) == SQLITE_ROW) {
        bool right = true;
        status = check_document(db, row, &right, error);
        if (!status && !right)
            status = tell_document(row, sink, user);
        code = SQLITE_OK;
    }
    sqlite3_finalize(row);
    if (status || !code || code == SQLITE_DONE)
        return status;
    return wf_sqlite_fail(db, code, "cannot be checked", error);
}

/* A damaged row of the table was reported before. */
static int32_t check_age(wf_sqlite *db, wfsm_audit_sink sink, void *user, wfsm_error *error)
{
    wfsm_error *why = wfsm_error_new(db->allocator.size ? &db->allocator : NULL);
    if (!why)
        return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be checked", error);
    int32_t status = wf_sqlite_generation_look(db, why);
    const wfsm_audit_diagnostic diagnostic = {sizeof diagnostic, "", 0,
                                              wfsm_error_message(why)};
    if (status == WFSM_NO_MEMORY)
        wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be checked", error);
    else
        status = status == WFSM_CONFLICT && sink ? sink(user, &diagnostic) : WFSM_OK;
    wfsm_error_free(why);
    return status;
}

int32_t wfsm_sqlite_check_age(const char *path, const wfsm_allocator *allocator,
                              wfsm_error *error)
{
    const wfsm_sqlite_options options = {.size = sizeof options, .read_only = 1};
    wf_sqlite *db;
    int32_t status = wf_sqlite_make(&db, path, &options, allocator, error);
    if (status)
        return status;
    status = wf_sqlite_generation_look(db, error);
    wf_sqlite_close(db);
    return status;
}

int32_t wfsm_sqlite_check(const char *path, wfsm_audit_sink sink, void *user,
                          const wfsm_allocator *allocator, wfsm_error *error)
{
    const wfsm_sqlite_options options = {.size = sizeof options, .read_only = 1};
    wf_sqlite *db;
    int32_t status = wf_sqlite_make(&db, path, &options, allocator, error);
    if (status)
        return status;
    for (size_t i = 0; !status && i < sizeof checks / sizeof *checks; i++)
        status = run(db, checks[i], sink, user, error);
    if (!status)
        status = check_shared(db, sink, user, error);
    if (!status)
        status = check_documents(db, sink, user, error);
    if (!status)
        status = check_age(db, sink, user, error);
    wf_sqlite_close(db);
    return status;
}
