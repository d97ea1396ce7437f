/* store/memory_table.c: instances by id, in a hash table. */
#include "store/memory.h"

#include <string.h>
#include "base/invariant.h"

static size_t bucket_of(const wf_memory *memory, uint32_t hash)
{
    WF_INVARIANT((memory->bucket_count & (memory->bucket_count - 1)) == 0);
    return hash & (memory->bucket_count - 1);
}

wf_stored_instance *wf_memory_find(const wf_memory *memory, const char *id)
{
    if (!memory->bucket_count)
        return NULL;
    uint32_t hash = wf_hash(id, strlen(id));
    wf_stored_instance *instance = memory->buckets[bucket_of(memory, hash)];
    while (instance && (instance->hash != hash || strcmp(instance->id, id) != 0))
        instance = instance->next;
    return instance;
}

int32_t wf_memory_need(const wf_memory *memory, const char *id, wf_stored_instance **out,
                       wfsm_error *error)
{
    *out = wf_memory_find(memory, id);
    if (*out)
        return WFSM_OK;
    return wf_fail(error, WFSM_NOT_FOUND, "there is no instance '%s'", id);
}

void wf_memory_link(wf_memory *memory, wf_stored_instance *instance)
{
    WF_INVARIANT(!wf_memory_find(memory, instance->id));
    instance->hash = wf_hash(instance->id, strlen(instance->id));
    wf_stored_instance **bucket = &memory->buckets[bucket_of(memory, instance->hash)];
    instance->next = *bucket;
    *bucket = instance;
    memory->instance_count++;
}

void wf_memory_unlink(wf_memory *memory, wf_stored_instance *instance)
{
    WF_INVARIANT(memory->instance_count > 0);
    wf_stored_instance **place = &memory->buckets[bucket_of(memory, instance->hash)];
    while (*place != instance)
        place = &(*place)->next;
    *place = instance->next;
    memory->instance_count--;
}

/* Links every instance into the new buckets. */
static void move_all(wf_memory *memory, wf_stored_instance **buckets, size_t count)
{
    wf_stored_instance **old = memory->buckets;
    size_t old_count = memory->bucket_count;
    memory->buckets = buckets;
    memory->bucket_count = count;
    memory->instance_count = 0;
    for (size_t i = 0; i < old_count; i++) {
        wf_stored_instance *instance = old[i];
        while (instance) {
            wf_stored_instance *next = instance->next;
            wf_memory_link(memory, instance);
            instance = next;
        }
    }
    wf_free(&memory->allocator, old);
}

bool wf_memory_reserve(wf_memory *memory)
{
    if (memory->instance_count < memory->bucket_count)
        return true;
    size_t count = memory->bucket_count ? memory->bucket_count * 2 : 16;
    wf_stored_instance **buckets = wf_new(&memory->allocator, count * sizeof *buckets);
    if (!buckets)
        return false;
    move_all(memory, buckets, count);
    return true;
}
