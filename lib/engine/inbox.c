/* engine/inbox.c: what others posted for the instances of this engine. */
#include <string.h>

#include "engine/engine.h"

/* Posts read at once. */
enum { BATCH = 64 };

/* A copy of a post: a store may not be called while it reads. */
typedef struct wf_mail {
    struct wf_mail *next;
    wfsm_row row;
    char text[];
} wf_mail;

typedef struct wf_reading {
    wfsm_engine *engine;
    wf_mail *first, **end;
    size_t count;
    int32_t status;
} wf_reading;

static size_t bytes_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *put(char **at, const char *text, size_t bytes)
{
    char *copy = *at;

    if (!text)
        return NULL;
    memcpy(copy, text, bytes);
    *at += bytes;
    return copy;
}

static wf_mail *copy_row(const wfsm_allocator *allocator, const wfsm_row *row)
{
    size_t instance = bytes_of(row->instance), id = bytes_of(row->id);
    size_t name = bytes_of(row->name);
    wf_mail *mail = wf_new(allocator, sizeof *mail + instance + id + name + row->length + 1);
    char *at;

    if (!mail)
        return NULL;
    at = mail->text;
    mail->row = *row;
    mail->row.size = sizeof mail->row;
    mail->row.head = NULL;
    mail->row.instance = put(&at, row->instance, instance);
    mail->row.id = put(&at, row->id, id);
    mail->row.name = put(&at, row->name, name);
    mail->row.text = put(&at, row->text, row->length);
    return mail;
}

static int32_t read_post(void *user, const wfsm_row *row)
{
    wf_reading *reading = user;
    wf_mail *mail;

    if (!wf_table_find(reading->engine, row->instance, strlen(row->instance)))
        return WFSM_OK;
    if (reading->count == BATCH)
        return WFSM_LIMIT; /* the rest in the next batch */
    mail = copy_row(&reading->engine->allocator, row);
    if (!mail)
        return reading->status = WFSM_NO_MEMORY;
    *reading->end = mail;
    reading->end = &mail->next;
    reading->count++;
    return WFSM_OK;
}

/* False: it is still there. */
static bool consume(wfsm_engine *engine, const wfsm_row *post)
{
    wf_entry *entry = wf_table_find(engine, post->instance, strlen(post->instance));
    int32_t outcome = 0;
    int32_t status;

    if (!entry || engine->inputs == 0)
        return false;
    status = wf_entry_usable(engine, &entry, engine->now, engine->failed);
    if (status == WFSM_OK && !entry)
        return false;
    if (status == WFSM_OK) {
        wf_input_begin(engine, entry, NULL);
        status =
            wf_instance_consume(entry->instance, post, engine->now, &outcome, engine->failed);
        wf_input_end(engine, entry);
    }
    if (status != WFSM_OK)
        wf_run_note(engine, entry, status);
    return status == WFSM_OK;
}

/* One batch; true when there may be more that can be consumed. */
static bool consume_batch(wfsm_engine *engine)
{
    wf_reading reading = {.engine = engine};
    bool all = true;
    int32_t status;

    reading.end = &reading.first;
    status = wfsm_store_inbox(engine->store, NULL, 0, read_post, &reading, engine->failed);
    if (reading.status != WFSM_OK)
        status = wf_no_memory(engine->failed);
    else if (status == WFSM_LIMIT && reading.count == BATCH)
        status = WFSM_OK;
    while (reading.first) {
        wf_mail *mail = reading.first;

        reading.first = mail->next;
        all = consume(engine, &mail->row) && all;
        wf_free(&engine->allocator, mail);
    }
    if (status != WFSM_OK)
        wf_run_report(engine, status);
    return status == WFSM_OK && all && reading.count == BATCH;
}

void wf_inbox_consume(wfsm_engine *engine)
{
    if (engine->entry_count == 0)
        return;
    while (consume_batch(engine))
        continue;
}
