/* sqlite/checksum.c: the SQL function wfsm_checksum(). It protects the columns that no
 * load and no audit can derive from the journal. It is FNV-1a, whose every step is
 * invertible, so two values of the same length that differ in one bit never have the same
 * checksum. */
#include "database.h"

static uint64_t add_bytes(uint64_t sum, const unsigned char *bytes, int length)
{
    for (int i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static uint64_t add_number(uint64_t sum, int64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)number >> (8 * i));
    return add_bytes(sum, bytes, 8);
}

static uint64_t add_value(uint64_t sum, sqlite3_value *value)
{
    int type = sqlite3_value_type(value);
    sum = add_number(sum, type);
    if (type == SQLITE_INTEGER)
        return add_number(sum, sqlite3_value_int64(value));
    if (type == SQLITE_NULL)
        return sum;
    const unsigned char *bytes = sqlite3_value_blob(value);
    int length = sqlite3_value_bytes(value);
    return add_bytes(add_number(sum, length), bytes, length);
}

static void checksum(sqlite3_context *context, int count, sqlite3_value **values)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (int i = 0; i < count; i++)
        sum = add_value(sum, values[i]);
    sqlite3_result_int64(context, (sqlite3_int64)(sum & INT64_MAX));
}

int wf_sqlite_add_checksum(sqlite3 *connection)
{
    return sqlite3_create_function_v2(connection, "wfsm_checksum", -1,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, checksum, NULL,
                                      NULL, NULL);
}
