/* sqlite/schema.h: the tables. doc/sqlite-schema.md is their public description. */
#ifndef WF_SQLITE_SCHEMA_H
#define WF_SQLITE_SCHEMA_H

#include "database.h"

/* "wfsm" in ASCII; `file` and other programs recognise databases by it. */
#define WF_SQLITE_APPLICATION 0x7766736d
#define WF_SQLITE_VERSION 1
#define WF_SQLITE_VERSION_TEXT "1"

enum wf_sqlite_kind { WF_SQLITE_EMPTY, WF_SQLITE_OURS };

/* Recognises the file. CORRUPT if it is not wfsm's, VERSION if its schema is newer. Changes
 * nothing. */
int32_t wf_sqlite_look(wf_sqlite *db, enum wf_sqlite_kind *kind, wfsm_error *error);
/* Creates the tables, unless another process has just done so. */
int32_t wf_sqlite_create(wf_sqlite *db, wfsm_error *error);
/* Creates the tables of shared limits and rates, unless they are there. Returns an SQLite code. */
int wf_sqlite_create_shared(const wf_sqlite *db);
/* Runs a query without parameters that returns one number. Returns an SQLite code. */
int wf_sqlite_number(const wf_sqlite *db, const char *sql, int64_t *number);
#endif
