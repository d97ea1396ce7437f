/* engine/post_intake.c: posts for the instances of this engine are consumed. */
#include "engine/post_intake.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/entry_input.h"
#include "engine/entry_ownership.h"
#include "engine/report.h"

/* Posts of one round. */
enum { BATCH = 1024 };

/* A copy of a post. The store must not be called while it reads. */
typedef struct wf_post {
    struct wf_post *next;
    wfsm_row row;
    char text[];
} wf_post;

typedef struct wf_reading {
    wfsm_engine *engine;
    wf_post *first, **end;
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

static wf_post *copy_row(const wfsm_allocator *allocator, const wfsm_row *row)
{
    size_t instance = bytes_of(row->instance), id = bytes_of(row->id);
    size_t name = bytes_of(row->name), sender = bytes_of(row->sender);
    wf_post *copy =
        wf_new(allocator, sizeof *copy + instance + id + name + sender + row->length + 1);
    char *at;

    if (!copy)
        return NULL;
    at = copy->text;
    copy->row = *row;
    copy->row.size = sizeof copy->row;
    copy->row.head = NULL;
    copy->row.instance = put(&at, row->instance, instance);
    copy->row.id = put(&at, row->id, id);
    copy->row.name = put(&at, row->name, name);
    copy->row.sender = put(&at, row->sender, sender);
    copy->row.text = put(&at, row->text, row->length);
    return copy;
}

static int32_t read_post(void *user, const wfsm_row *row)
{
    wf_reading *reading = user;
    wf_post *copy;

    if (!wf_entries_find(reading->engine, row->instance, strlen(row->instance)))
        return WFSM_OK;
    if (reading->count == BATCH)
        return WFSM_LIMIT; /* the rest is read in the next batch */
    copy = copy_row(&reading->engine->allocator, row);
    if (!copy)
        return reading->status = WFSM_NO_MEMORY;
    *reading->end = copy;
    reading->end = &copy->next;
    reading->count++;
    return WFSM_OK;
}

/* The entry whose post is taken. */
typedef struct wf_taker {
    wfsm_engine *engine;
    wf_entry *entry;
} wf_taker;

static int32_t keep_machine(void *user, wfsm_machine **machine, wfsm_error *error)
{
    const wf_taker *self = user;

    return wf_input_migrates(self->engine, self->entry, machine, error);
}

static int32_t take(wfsm_engine *engine, wf_entry *entry, const wfsm_row *post)
{
    wf_taker target = {engine, entry};
    const wf_migrating migrating = {engine->functions, keep_machine, &target};
    int32_t outcome = 0;

    return wf_instance_consume(&entry->instance, post, &migrating, engine->now, &outcome,
                               engine->failed);
}

/* It reads the store, which does not have the commits of this round yet. So it has to be the first
 * input of its instance in a round. */
static bool comes_first(int32_t kind)
{
    return kind == WFSM_POST_RESTORE || kind == WFSM_POST_MIGRATE ||
           kind == WFSM_POST_CHECKPOINT || kind == WFSM_POST_APPROVAL;
}

/* True if an earlier post of the instance waits for another round, or this one has to. */
static bool is_held(wfsm_engine *engine, wf_entry *entry, int32_t kind)
{
    if (comes_first(kind) && wf_instance_waits(entry->instance)) {
        entry->held = engine->round;
        engine->posted = true;
    }
    return entry->held == engine->round;
}

static void consume(wfsm_engine *engine, const wfsm_row *post)
{
    wf_entry *entry = wf_entries_find(engine, post->instance, strlen(post->instance));
    int32_t status;

    if (!entry || engine->inputs == 0 || is_held(engine, entry, post->kind))
        return;
    status = wf_entry_refresh(engine, &entry, engine->failed);
    if (status == WFSM_OK && !entry)
        return;
    if (status == WFSM_OK) {
        wf_input_begin(engine, entry, NULL);
        status = take(engine, entry, post);
        wf_input_end(engine, entry);
    }
    if (status == WFSM_OK)
        return;
    entry->held = engine->round;
    wf_entry_failed(engine, entry, status);
}

/* What it consumes stays in the inbox until the round is committed, so it reads once. */
void wf_posts_consume(wfsm_engine *engine)
{
    wf_reading reading = {.engine = engine};
    int32_t status;

    if (engine->entry_count == 0)
        return;
    reading.end = &reading.first;
    status = wfsm_store_inbox(engine->store, NULL, 0, read_post, &reading, engine->failed);
    if (reading.status != WFSM_OK)
        status = wf_no_memory(engine->failed);
    else if (status == WFSM_LIMIT && reading.count == BATCH)
        status = WFSM_OK;
    while (reading.first) {
        wf_post *copy = reading.first;

        reading.first = copy->next;
        consume(engine, &copy->row);
        wf_free(&engine->allocator, copy);
    }
    engine->posted |= reading.count == BATCH; /* there may be more */
    if (status != WFSM_OK)
        wf_round_failed(engine, status);
}
