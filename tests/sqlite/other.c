#include "sqlite/other.h"
#include "sqlite/folder.h"

#include "database.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unity.h>

char open_message[512];

sqlite3 *other_open(const char *name)
{
    sqlite3 *connection = NULL;
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_open(folder_file(name), &connection));
    return connection;
}

void other_run(const char *name, const char *sql)
{
    sqlite3 *connection = other_open(name);
    int code = sqlite3_exec(connection, sql, NULL, NULL, NULL);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SQLITE_OK, code, sqlite3_errmsg(connection));
    sqlite3_close(connection);
}

sqlite3_int64 other_number(const char *name, const char *sql)
{
    sqlite3 *connection = other_open(name);
    sqlite3_stmt *statement = NULL;
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_prepare_v2(connection, sql, -1, &statement, NULL));
    TEST_ASSERT_EQUAL_INT(SQLITE_ROW, sqlite3_step(statement));
    sqlite3_int64 number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return number;
}

sqlite3 *inner_connection(wfsm_store *store)
{
    return ((wf_sqlite *)store->self)->connection;
}

char *file_read(const char *name, size_t *length)
{
    FILE *file = fopen(folder_file(name), "rb");
    TEST_ASSERT_NOT_NULL(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    TEST_ASSERT_EQUAL_size_t(*length, fread(bytes, 1, *length, file));
    fclose(file);
    return bytes;
}

void file_write(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(folder_file(name), "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_size_t(length, fwrite(bytes, 1, length, file));
    fclose(file);
}

int32_t try_open(wfsm_store **store, const char *name, const wfsm_sqlite_options *options)
{
    wfsm_error *error = wfsm_error_new(NULL);
    *store = NULL;
    int32_t status = wfsm_sqlite_open(store, folder_file(name), options, NULL, error);
    snprintf(open_message, sizeof open_message, "%s", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(status, wfsm_error_status(error));
    wfsm_error_free(error);
    return status;
}
