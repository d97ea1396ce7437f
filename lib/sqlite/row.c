#include "database.h"
#include "../base/invariant.h"

#include <string.h>

wf_sql_binder wf_sql_bind(const wf_sqlite *db, enum wf_sql which)
{
    return (wf_sql_binder){.statement = db->statements[which], .next = 1};
}

static void bound(wf_sql_binder *binder, int code)
{
    if (!binder->code)
        binder->code = code;
    binder->next++;
}

void wf_sql_bind_blob(wf_sql_binder *binder, const char *text, size_t length)
{
    bound(binder, sqlite3_bind_text64(binder->statement, binder->next, text, length,
                                      SQLITE_STATIC, SQLITE_UTF8));
}

void wf_sql_bind_text(wf_sql_binder *binder, const char *text)
{
    if (text)
        wf_sql_bind_blob(binder, text, strlen(text));
    else
        wf_sql_bind_null(binder);
}

void wf_sql_bind_int(wf_sql_binder *binder, int64_t number)
{
    bound(binder, sqlite3_bind_int64(binder->statement, binder->next, number));
}

void wf_sql_bind_double(wf_sql_binder *binder, double number)
{
    bound(binder, sqlite3_bind_double(binder->statement, binder->next, number));
}

void wf_sql_bind_count(wf_sql_binder *binder, uint64_t number)
{
    if (number > INT64_MAX)
        bound(binder, SQLITE_TOOBIG);
    else
        wf_sql_bind_int(binder, (int64_t)number);
}

void wf_sql_bind_null(wf_sql_binder *binder)
{
    bound(binder, sqlite3_bind_null(binder->statement, binder->next));
}

int wf_sql_step(wf_sql_binder *binder)
{
    /* Each parameter is bound; one left out would keep its last value. */
    WF_INVARIANT(binder->next > sqlite3_bind_parameter_count(binder->statement));
    return binder->code ? binder->code : sqlite3_step(binder->statement);
}

void wf_sql_reset(wf_sql_binder *binder)
{
    sqlite3_reset(binder->statement);
}

int wf_sql_run(wf_sql_binder *binder)
{
    int code = wf_sql_step(binder);
    wf_sql_reset(binder);
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

wf_sql_columns wf_sql_columns_of(const wf_sqlite *db, enum wf_sql which)
{
    return (wf_sql_columns){.db = db, .statement = db->statements[which], .which = which};
}

static void *bad(wf_sql_columns *columns, int column)
{
    if (!columns->bad)
        columns->bad = column + 1;
    return NULL;
}

const char *wf_sql_column_text(wf_sql_columns *columns, size_t *length)
{
    int column = columns->next++;
    const char *text = NULL;
    size_t bytes = 0;
    if (sqlite3_column_type(columns->statement, column) == SQLITE_TEXT) {
        text = (const char *)sqlite3_column_text(columns->statement, column);
        columns->no_memory = columns->no_memory || !text;
        bytes = (size_t)sqlite3_column_bytes(columns->statement, column);
    }
    if (!text || !wf_sqlite_utf8(text, bytes))
        text = bad(columns, column);
    if (length)
        *length = text ? bytes : 0;
    return text ? text : "";
}

const char *wf_sql_column_optional(wf_sql_columns *columns)
{
    if (sqlite3_column_type(columns->statement, columns->next) != SQLITE_NULL)
        return wf_sql_column_text(columns, NULL);
    columns->next++;
    return NULL;
}

int64_t wf_sql_column_int(wf_sql_columns *columns)
{
    int column = columns->next++;
    if (sqlite3_column_type(columns->statement, column) == SQLITE_INTEGER)
        return sqlite3_column_int64(columns->statement, column);
    bad(columns, column);
    return 0;
}

uint64_t wf_sql_column_count(wf_sql_columns *columns)
{
    int64_t number = wf_sql_column_int(columns);
    if (number >= 0)
        return (uint64_t)number;
    bad(columns, columns->next - 1);
    return 0;
}

int64_t wf_sql_column_link(wf_sql_columns *columns)
{
    int column = columns->next;
    if (sqlite3_column_type(columns->statement, column) == SQLITE_NULL) {
        columns->next++;
        return 0;
    }
    int64_t key = wf_sql_column_int(columns);
    if (!key)
        bad(columns, column);
    return key;
}

int64_t wf_sql_column_deadline(wf_sql_columns *columns)
{
    if (sqlite3_column_type(columns->statement, columns->next) != SQLITE_NULL)
        return wf_sql_column_int(columns);
    columns->next++;
    return WFSM_NEVER;
}

void wf_sql_column_proof(wf_sql_columns *columns)
{
    columns->unproved = sqlite3_column_int(columns->statement, columns->next++) != 1;
}

int32_t wf_sql_columns_end(const wf_sql_columns *columns, wfsm_error *error)
{
    if (columns->no_memory)
        return wf_sqlite_fail(columns->db, SQLITE_NOMEM, "cannot be read", error);
    if (!columns->bad && columns->unproved)
        return wf_sqlite_refuse(
            columns->db, WFSM_CORRUPT, error,
            "a row of table %s is not what was stored: its checksum does not match",
            wf_sql_table(columns->which));
    if (!columns->bad)
        return WFSM_OK;
    return wf_sqlite_refuse(columns->db, WFSM_CORRUPT, error,
                            "column %s of a row of table %s is not what was stored: a "
                            "number not below 0, or text in UTF-8, was expected",
                            sqlite3_column_name(columns->statement, columns->bad - 1),
                            wf_sql_table(columns->which));
}
