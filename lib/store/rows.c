/* store/rows.c: rows that a store has returned, kept beyond its call. */
#include "store/rows.h"

#include <string.h>
#include "base/memory.h"

void wf_rows_init(wf_rows *rows, const wfsm_allocator *allocator)
{
    *rows = (wf_rows){.allocator = allocator};
    rows->end = &rows->first;
}

void wf_rows_clear(wf_rows *rows)
{
    while (rows->first) {
        wf_row *row = rows->first;

        rows->first = row->next;
        wf_free(rows->allocator, row);
    }
    rows->end = &rows->first;
    rows->count = 0;
}

static size_t bytes_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t head_bytes(const wfsm_head *head)
{
    return !head
               ? 0
               : bytes_of(head->instance) + bytes_of(head->machine) +
                     bytes_of(head->fingerprint) + bytes_of(head->owner) +
                     bytes_of(head->token) + bytes_of(head->tags) + bytes_of(head->attributes);
}

/* Replaces *text by a copy at *at. NULL stays NULL. */
static void put(const char **text, size_t bytes, char **at)
{
    if (!*text)
        return;
    memcpy(*at, *text, bytes);
    *text = *at;
    *at += bytes;
}

static void put_z(const char **text, char **at)
{
    put(text, bytes_of(*text), at);
}

static void put_head(wf_row *copy, const wfsm_head *head, char **at)
{
    copy->head = *head;
    copy->row.head = &copy->head;
    put_z(&copy->head.instance, at);
    put_z(&copy->head.machine, at);
    put_z(&copy->head.fingerprint, at);
    put_z(&copy->head.owner, at);
    put_z(&copy->head.token, at);
    put_z(&copy->head.tags, at);
    put_z(&copy->head.attributes, at);
}

int32_t wf_rows_keep(void *user, const wfsm_row *row)
{
    wf_rows *rows = user;
    size_t bytes = bytes_of(row->instance) + bytes_of(row->id) + bytes_of(row->name) +
                   bytes_of(row->sender) + row->length + 1 + head_bytes(row->head);
    wf_row *copy = wf_new(rows->allocator, sizeof *copy + bytes);
    char *at;

    if (!copy)
        return WFSM_NO_MEMORY;
    at = copy->text;
    copy->row = *row;
    put_z(&copy->row.instance, &at);
    put_z(&copy->row.id, &at);
    put_z(&copy->row.name, &at);
    put_z(&copy->row.sender, &at);
    put(&copy->row.text, row->length, &at);
    if (row->head)
        put_head(copy, row->head, &at);
    *rows->end = copy;
    rows->end = &copy->next;
    rows->count++;
    return WFSM_OK;
}
