/* What another program does with a database file, with SQLite's own interface. */
#ifndef TESTS_SQLITE_OTHER_H
#define TESTS_SQLITE_OTHER_H

#include <sqlite3.h>
#include <wfsm/sqlite.h>

/* Runs SQL on a file of the test's folder; fails the test unless it works. */
void other_run(const char *name, const char *sql);
/* The first column of the first row. */
sqlite3_int64 other_number(const char *name, const char *sql);
/* Stays open, for locks. */
sqlite3 *other_open(const char *name);
/* The connection inside a store. */
sqlite3 *inner_connection(wfsm_store *store);

/* A file as bytes, to be freed; and written. */
char *file_read(const char *name, size_t *length);
void file_write(const char *name, const char *bytes, size_t length);

/* Opens; the answer, and the message in a buffer that the next call reuses. */
int32_t try_open(wfsm_store **store, const char *name, const wfsm_sqlite_options *options);
extern char open_message[512];
#endif
