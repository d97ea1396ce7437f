#include "crash/bare.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { BEGIN, APPEND, REPLACE, COMMIT, STATEMENTS, MOST_BYTES = 100000 };

struct bare {
    sqlite3 *connection;
    sqlite3_stmt *statements[STATEMENTS];
    size_t head_bytes;
    int steps;
};

static const char text[MOST_BYTES];

static const char setting_up[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "CREATE TABLE journal (key INTEGER PRIMARY KEY, record BLOB NOT NULL);"
    "CREATE TABLE head (instance INTEGER PRIMARY KEY, revision INTEGER NOT NULL,"
    " last INTEGER NOT NULL, rest BLOB NOT NULL);";

static const char *const statements[STATEMENTS] = {
    "BEGIN IMMEDIATE", "INSERT INTO journal (record) VALUES (?1)",
    ("INSERT INTO head VALUES (?1, ?2, ?3, ?4) ON CONFLICT (instance)"
     " DO UPDATE SET revision = ?2, last = ?3, rest = ?4"),
    "COMMIT"};

bare *bare_new(const char *path, size_t head_bytes)
{
    bare *self = calloc(1, sizeof *self);
    TEST_ASSERT_NOT_NULL(self);
    self->head_bytes = head_bytes;
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_open(path, &self->connection));
    TEST_ASSERT_EQUAL_INT(SQLITE_OK,
                          sqlite3_exec(self->connection, setting_up, NULL, NULL, NULL));
    for (int i = 0; i < STATEMENTS; i++)
        TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_prepare_v2(self->connection, statements[i], -1,
                                                            &self->statements[i], NULL));
    return self;
}

void bare_free(bare *self)
{
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(self->statements[i]);
    sqlite3_close(self->connection);
    free(self);
}

static void run(const bare *self, int which)
{
    TEST_ASSERT_EQUAL_INT(SQLITE_DONE, sqlite3_step(self->statements[which]));
    sqlite3_reset(self->statements[which]);
}

void bare_step(bare *self, int instance, size_t record_bytes)
{
    sqlite3_stmt *append = self->statements[APPEND], *replace = self->statements[REPLACE];
    TEST_ASSERT_LESS_OR_EQUAL_size_t(MOST_BYTES, record_bytes);
    run(self, BEGIN);
    sqlite3_bind_blob(append, 1, text, (int)record_bytes, SQLITE_STATIC);
    run(self, APPEND);
    sqlite3_bind_int(replace, 1, instance);
    sqlite3_bind_int(replace, 2, ++self->steps);
    sqlite3_bind_int64(replace, 3, sqlite3_last_insert_rowid(self->connection));
    sqlite3_bind_blob(replace, 4, text, (int)self->head_bytes, SQLITE_STATIC);
    run(self, REPLACE);
    run(self, COMMIT);
}
