/*
 * sqlite/statement.h: the SQL of the store. Statements are prepared once; parameters are bound
 * and columns are read in their order. Bound text is borrowed until the statement is reset.
 */
#ifndef WF_SQLITE_STATEMENT_H
#define WF_SQLITE_STATEMENT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <wfsm/base.h>

struct wf_sqlite;

enum wf_sql {
    WF_SQL_BEGIN,
    WF_SQL_READ,
    WF_SQL_COMMIT,
    WF_SQL_ROLLBACK,
    WF_SQL_SETTLE,
    WF_SQL_CHAIN,
    WF_SQL_CHAIN_END,
    WF_SQL_TAKE_BACK,
    WF_SQL_GENERATION,
    WF_SQL_GENERATION_NEXT,

    WF_SQL_HEAD,
    WF_SQL_LIST,
    WF_SQL_LIST_RUNNING,
    WF_SQL_LIST_OWNED,
    WF_SQL_LIST_OWING,
    WF_SQL_LIST_SINCE,
    WF_SQL_OWING_PUT,
    WF_SQL_OWING_DELETE,
    WF_SQL_INSTANCE_INSERT,
    WF_SQL_ATTRIBUTES_SET,
    WF_SQL_ATTRIBUTES_DELETE,
    WF_SQL_ATTRIBUTES_PUT,
    WF_SQL_INSTANCE_MACHINE,
    WF_SQL_INSTANCE_STATUS,
    WF_SQL_INSTANCE_LEAVE,
    WF_SQL_HEAD_INSERT,
    WF_SQL_HEAD_SWAP,
    WF_SQL_JOURNAL_INSERT,
    WF_SQL_JOURNAL_STEP,
    WF_SQL_JOURNAL_TOKEN,
    WF_SQL_JOURNAL_PLACE,
    WF_SQL_JOURNAL_RECORD,
    WF_SQL_JOURNAL_SNAPSHOT,
    WF_SQL_JOURNAL_ANCHOR,
    WF_SQL_CUT_JOURNAL,
    WF_SQL_CUT_ANCHOR,
    WF_SQL_CUT_HEAD,
    WF_SQL_CHECKPOINT_PUT,
    WF_SQL_CHECKPOINT_GET,
    WF_SQL_CHECKPOINTS,
    WF_SQL_CHECKPOINT_FIND,
    WF_SQL_CHECKPOINT_DELETE,
    WF_SQL_DOCUMENT_FIND,
    WF_SQL_DOCUMENT_PUT,
    WF_SQL_DOCUMENT_GET,
    WF_SQL_SEEN_RECORD,
    WF_SQL_SEEN_POST,
    WF_SQL_POST_PUT,
    WF_SQL_POST_FIND,
    WF_SQL_POST_ANY,
    WF_SQL_POST_DELETE,
    WF_SQL_INBOX,
    WF_SQL_INBOX_OF,
    WF_SQL_INBOX_OWNED,
    WF_SQL_INBOX_OWN,
    WF_SQL_ACKNOWLEDGE,
    WF_SQL_OWNER_PUT,
    WF_SQL_OWNER_DELETE,
    WF_SQL_OWNER_CHECK,
    WF_SQL_OWNER_UNTIL,
    WF_SQL_OWNER_CHANGES,
    WF_SQL_OWNER_CHANGED,
    WF_SQL_OWNER_OF,
    WF_SQL_OWNERS_LAPSED,
    WF_SQL_OWN,
    WF_SQL_DISOWN,
    WF_SQL_REMOVE_JOURNAL,
    WF_SQL_REMOVE_HEAD,
    WF_SQL_REMOVE_CHECKPOINTS,
    WF_SQL_REMOVE_POSTS,
    WF_SQL_REMOVE_INSTANCE,

    /* Their tables are made when they are first needed, and so they are prepared then. */
    WF_SQL_SHARED,
    WF_SQL_PERMIT_CHECK = WF_SQL_SHARED,
    WF_SQL_OWNERS_CHECK,
    WF_SQL_PERMIT_DROP,
    WF_SQL_PERMIT_DECIDE,
    WF_SQL_PERMIT_PUT,
    WF_SQL_RATE_CHECK,
    WF_SQL_RATE_TAKE,
    WF_SQL_RATE_PUT,

    /* Written and prepared for each call (conditions.c). */
    WF_SQL_WRITTEN,
    WF_SQL_LIST_WHERE = WF_SQL_WRITTEN,
    WF_SQL_COUNT
};

/* Prepares all statements, but not those of shared limits and rates. CORRUPT if a table or column is
 * missing: the schema was changed. */
int32_t wf_sqlite_prepare(struct wf_sqlite *db, wfsm_error *error);
/* Prepares those of shared limits and rates, unless they are. CORRUPT as above. */
int32_t wf_sqlite_prepare_shared(struct wf_sqlite *db, wfsm_error *error);
/* Prepares WF_SQL_LIST_WHERE. `conditions` are conditions of SQL on i, a row of table instance; parameters
 * from ?10 on are theirs. */
int32_t wf_sqlite_prepare_list(struct wf_sqlite *db, const char *conditions, wfsm_error *error);
void wf_sqlite_finalize(struct wf_sqlite *db);
/* The table that a statement reads, for error messages. */
const char *wf_sql_table(enum wf_sql which);

/* Binds parameters 1, 2, … The first failure is kept in `code`. */
typedef struct wf_sql_binder {
    sqlite3_stmt *statement;
    int next;
    int code;
} wf_sql_binder;

wf_sql_binder wf_sql_bind(const struct wf_sqlite *db, enum wf_sql which);
void wf_sql_bind_text(wf_sql_binder *binder, const char *text); /* NULL binds NULL */
void wf_sql_bind_blob(wf_sql_binder *binder, const char *text, size_t length);
void wf_sql_bind_int(wf_sql_binder *binder, int64_t number);
void wf_sql_bind_double(wf_sql_binder *binder, double number);
void wf_sql_bind_count(wf_sql_binder *binder, uint64_t number); /* beyond INT64_MAX: TOOBIG */
void wf_sql_bind_null(wf_sql_binder *binder);
/* Steps the statement: SQLITE_ROW, SQLITE_DONE, or the error of a step or an earlier bind. */
int wf_sql_step(wf_sql_binder *binder);
/* Runs a statement without rows and resets it: SQLITE_OK or an error code. */
int wf_sql_run(wf_sql_binder *binder);
void wf_sql_reset(wf_sql_binder *binder);

/*
 * Reads columns 0, 1, … of a row and checks each: a wrong type, text that is not UTF-8 or a
 * number below its minimum makes the row bad, and the result is then "" or 0.
 */
typedef struct wf_sql_columns {
    const struct wf_sqlite *db;
    sqlite3_stmt *statement;
    enum wf_sql which;
    int next;
    int bad; /* the first bad column + 1, or 0 */
    bool unproved;
    bool no_memory;
} wf_sql_columns;

wf_sql_columns wf_sql_columns_of(const struct wf_sqlite *db, enum wf_sql which);
const char *wf_sql_column_text(wf_sql_columns *columns, size_t *length);
const char *wf_sql_column_optional(wf_sql_columns *columns); /* text, or NULL */
int64_t wf_sql_column_int(wf_sql_columns *columns);
uint64_t wf_sql_column_count(wf_sql_columns *columns); /* from 0 */
int64_t
wf_sql_column_link(wf_sql_columns *columns); /* a key; NULL reads as 0, and a stored 0 is bad */
int64_t wf_sql_column_deadline(wf_sql_columns *columns); /* NULL is WFSM_NEVER */
/* Reads whether the checksum of the row is right. */
void wf_sql_column_proof(wf_sql_columns *columns);
/* WFSM_OK, or CORRUPT with the name of the column and its table. */
int32_t wf_sql_columns_end(const wf_sql_columns *columns, wfsm_error *error);
#endif
