/* engine/entries.c: the instances that an engine owns, in a hash table by id. */
#include "engine/entries.h"

#include <string.h>

#include "engine/cache.h"
#include "engine/engine.h"

static wf_entry **bucket(const wfsm_engine *engine, uint32_t hash)
{
    WF_INVARIANT((engine->bucket_count & (engine->bucket_count - 1)) == 0);
    return &engine->buckets[hash & (engine->bucket_count - 1)];
}

wf_entry *wf_entries_find(const wfsm_engine *engine, const char *id, size_t length)
{
    uint32_t hash = wf_hash(id, length);
    wf_entry *entry = *bucket(engine, hash);

    while (entry && (entry->hash != hash || strncmp(entry->id, id, length) != 0 ||
                     entry->id[length] != '\0'))
        entry = entry->next;
    return entry;
}

/* Without memory the table stays as it is, and is only slower. */
static void widen(wfsm_engine *engine)
{
    size_t count = engine->bucket_count * 2;
    wf_entry **old = engine->buckets;
    wf_entry **wide;

    if (engine->entry_count < engine->bucket_count)
        return;
    wide = wf_new(&engine->allocator, count * sizeof *wide);
    if (!wide)
        return;
    engine->buckets = wide;
    engine->bucket_count = count;
    for (size_t i = 0; i < count / 2; i++) {
        for (wf_entry *entry = old[i], *next; entry; entry = next) {
            wf_entry **home = bucket(engine, entry->hash);

            next = entry->next;
            entry->next = *home;
            *home = entry;
        }
    }
    wf_free(&engine->allocator, old);
}

wf_entry *wf_entry_new(wfsm_engine *engine, const char *id)
{
    size_t length = strlen(id);
    wf_entry *entry;

    widen(engine);
    if (!wf_heap_reserve(&engine->timers, engine->entry_count + engine->start_count + 1))
        return NULL;
    entry = wf_new(&engine->allocator, sizeof *entry + length + 1);
    if (!entry)
        return NULL;
    memcpy(entry->id, id, length);
    entry->hash = wf_hash(id, length);
    wf_link_init(&entry->all);
    wf_link_init(&entry->queue);
    wf_link_init(&entry->stepped);
    wf_link_init(&entry->acking);
    wf_link_init(&entry->cached);
    return entry;
}

void wf_entries_add(wfsm_engine *engine, wf_entry *entry)
{
    wf_entry **home = bucket(engine, entry->hash);

    WF_INVARIANT(!wf_entries_find(engine, entry->id, strlen(entry->id)));
    entry->next = *home;
    *home = entry;
    engine->entry_count++;
    wf_link_append(&engine->entries, &entry->all);
}

static void take_out(wfsm_engine *engine, wf_entry *entry)
{
    wf_entry **at = bucket(engine, entry->hash);

    while (*at && *at != entry)
        at = &(*at)->next;
    if (!*at)
        return; /* it never was in the table */
    *at = entry->next;
    engine->entry_count--;
}

void wf_entry_free(wfsm_engine *engine, wf_entry *entry)
{
    take_out(engine, entry);
    engine->children -= entry->child;
    while (entry->jobs) {
        wf_job *job = entry->jobs;

        entry->jobs = job->next;
        wf_job_free(engine, job);
    }
    engine->behind -= entry->behind;
    wf_heap_take(&engine->timers, &entry->timer);
    wf_link_remove(&entry->all);
    wf_link_remove(&entry->queue);
    wf_link_remove(&entry->stepped);
    wf_link_remove(&entry->acking);
    wf_cache_take(engine, entry);
    wfsm_instance_free(entry->instance);
    wf_free(&engine->allocator, entry);
}
