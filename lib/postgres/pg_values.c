/* postgres/pg_values.c: the parameters of a statement, in PostgreSQL's binary form, so that no text
 * needs quotes. */
#include "pg.h"

#include <string.h>

/* Numbers of types in every PostgreSQL. */
enum { TYPE_BIGINT = 20, TYPE_TEXT = 25, TYPE_TEXTS = 1009, TYPE_BIGINTS = 1016 };
enum { ARRAY_HEADER = 20, MOST_BYTES = 512 << 20 };

void wf_pg_values_init(wf_pg_values *values, wf_pg *db)
{
    memset(values, 0, sizeof *values);
    values->db = db;
}

void wf_pg_values_fini(wf_pg_values *values)
{
    for (int i = 0; i < values->count; i++)
        wf_pg_give(values->db, values->buffers[i].data);
}

static bool reserve(wf_pg_values *values, wf_pg_buffer *buffer, size_t bytes)
{
    size_t room = buffer->room > 0 ? buffer->room : 64;
    char *grown;

    if (bytes > MOST_BYTES - buffer->length)
        return false;
    while (room - buffer->length < bytes)
        room *= 2;
    grown = room > buffer->room ? wf_pg_grow(values->db, buffer->data, room) : buffer->data;
    if (!grown)
        return false;
    buffer->data = grown;
    buffer->room = room;
    return true;
}

static void append(wf_pg_values *values, int column, const void *bytes, size_t length)
{
    wf_pg_buffer *buffer = &values->buffers[column];

    if (values->failed || !reserve(values, buffer, length)) {
        values->failed = true;
        return;
    }
    if (length > 0)
        memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
}

/* Most significant byte first. */
static void append_int(wf_pg_values *values, int column, uint64_t number, size_t bytes)
{
    unsigned char text[8];

    for (size_t i = 0; i < bytes; i++)
        text[i] = (unsigned char)(number >> (8 * (bytes - 1 - i)));
    append(values, column, text, bytes);
}

static int add(wf_pg_values *values, Oid type)
{
    int column = values->count;

    if (column == WF_PG_VALUES) {
        values->failed = true;
        return column - 1;
    }
    values->types[column] = type;
    values->count++;
    return column;
}

void wf_pg_bytes(wf_pg_values *values, const char *text, size_t length)
{
    append(values, add(values, TYPE_TEXT), text, length);
}

void wf_pg_text(wf_pg_values *values, const char *text)
{
    if (text)
        wf_pg_bytes(values, text, strlen(text));
    else
        values->null[add(values, TYPE_TEXT)] = true;
}

void wf_pg_number(wf_pg_values *values, int64_t number)
{
    append_int(values, add(values, TYPE_BIGINT), (uint64_t)number, 8);
}

void wf_pg_null_number(wf_pg_values *values)
{
    values->null[add(values, TYPE_BIGINT)] = true;
}

void wf_pg_columns(wf_pg_values *values, const char *letters)
{
    values->first = values->at = values->count;
    for (; *letters; letters++) {
        bool text = *letters == 't';
        int column = add(values, text ? TYPE_TEXTS : TYPE_BIGINTS);

        append_int(values, column, 1, 4); /* one dimension */
        append_int(values, column, 1, 4); /* some may be null */
        append_int(values, column, text ? TYPE_TEXT : TYPE_BIGINT, 4);
        append_int(values, column, 0, 4); /* elements; wf_pg_columns_end() knows them */
        append_int(values, column, 1, 4); /* counted from 1 */
    }
}

static int next_column(wf_pg_values *values)
{
    int column = values->at++;

    if (values->at == values->count)
        values->at = values->first;
    values->elements[column]++;
    return column;
}

void wf_pg_put_null(wf_pg_values *values)
{
    append_int(values, next_column(values), UINT32_MAX, 4);
}

void wf_pg_put_bytes(wf_pg_values *values, const char *text, size_t length)
{
    int column;

    if (!text) {
        wf_pg_put_null(values);
        return;
    }
    column = next_column(values);
    append_int(values, column, length, 4);
    append(values, column, text, length);
}

void wf_pg_put_text(wf_pg_values *values, const char *text)
{
    wf_pg_put_bytes(values, text, text ? strlen(text) : 0);
}

void wf_pg_put_number(wf_pg_values *values, int64_t number)
{
    int column = next_column(values);

    append_int(values, column, 8, 4);
    append_int(values, column, (uint64_t)number, 8);
}

/* An array without elements has no dimension. */
static void set_elements(wf_pg_buffer *buffer, uint32_t elements)
{
    for (int i = 0; i < 4; i++)
        buffer->data[12 + i] = (char)(elements >> (24 - 8 * i));
    if (elements == 0) {
        buffer->data[3] = 0;
        buffer->length = ARRAY_HEADER - 8;
    }
}

void wf_pg_columns_end(wf_pg_values *values)
{
    for (int i = values->first; i < values->count && !values->failed; i++)
        set_elements(&values->buffers[i], values->elements[i]);
}
