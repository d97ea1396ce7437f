#include "verify/intern.h"

#include <string.h>
#include "base/memory.h"
#include "base/invariant.h"

enum { FIRST_SLOTS = 256 };

static uint32_t mix(uint32_t hash, uint64_t more)
{
    uint64_t x = (hash ^ more) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

uint32_t wf_intern_hash(const wf_value *value)
{
    uint32_t hash = mix(value->type, value->length);
    uint64_t bits = 0;
    switch (value->type) {
    case WF_BOOLEAN:
        return mix(hash, value->as.boolean);
    case WF_NUMBER:
        memcpy(&bits, &value->as.number, sizeof bits);
        return mix(hash, bits);
    case WF_STRING:
        return mix(hash, wf_hash(value->as.text, value->length));
    case WF_ARRAY:
        for (uint32_t i = 0; i < value->length; i++)
            hash = mix(hash, wf_intern_hash(&value->as.items[i]));
        return hash;
    case WF_OBJECT:
        for (uint32_t i = 0; i < value->length; i++)
            hash = mix(mix(hash, value->as.members[i].hash),
                       wf_intern_hash(&value->as.members[i].value));
        return hash;
    default:
        return hash;
    }
}

bool wf_intern_init(wf_intern *intern, const wfsm_allocator *allocator)
{
    const wf_value absent = wf_absent();
    memset(intern, 0, sizeof *intern);
    wf_arena_init(&intern->arena, allocator, 0);
    intern->table = wf_new(allocator, FIRST_SLOTS * sizeof *intern->table);
    intern->mask = FIRST_SLOTS - 1;
    if (intern->table && wf_intern_add(intern, &absent) == 0)
        return true;
    wf_intern_fini(intern);
    return false;
}

void wf_intern_fini(wf_intern *intern)
{
    const wfsm_allocator *allocator = intern->arena.allocator;
    if (!allocator)
        return;
    wf_free(allocator, intern->list);
    wf_free(allocator, intern->hashes);
    wf_free(allocator, intern->table);
    wf_arena_fini(&intern->arena);
    memset(intern, 0, sizeof *intern);
}

static void put(uint32_t *table, uint32_t mask, uint32_t hash, uint32_t number)
{
    uint32_t at = hash & mask;
    while (table[at] != 0)
        at = (at + 1) & mask;
    table[at] = number;
}

static bool grow_table(wf_intern *intern)
{
    uint32_t mask = intern->mask * 2 + 1;
    uint32_t *table = wf_new(intern->arena.allocator, ((size_t)mask + 1) * sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 1; i < intern->count; i++)
        put(table, mask, intern->hashes[i], i);
    wf_free(intern->arena.allocator, intern->table);
    intern->table = table;
    intern->mask = mask;
    return true;
}

static uint32_t add_new(wf_intern *intern, const wf_value *value, uint32_t hash)
{
    const wfsm_allocator *allocator = intern->arena.allocator;
    if (intern->count >= intern->mask / 2 && !grow_table(intern))
        return WF_NONE;
    wf_value *list = wf_grow(allocator, intern->list, &intern->list_capacity,
                             (size_t)intern->count + 1, sizeof *list);
    if (list)
        intern->list = list;
    uint32_t *hashes = wf_grow(allocator, intern->hashes, &intern->hash_capacity,
                               (size_t)intern->count + 1, sizeof *hashes);
    if (hashes)
        intern->hashes = hashes;
    if (!list || !hashes)
        return WF_NONE;
    list[intern->count] =
        value->type == WF_ABSENT ? wf_absent() : wf_value_clone(&intern->arena, value);
    if (intern->arena.failed)
        return WF_NONE;
    hashes[intern->count] = hash;
    if (intern->count > 0)
        put(intern->table, intern->mask, hash, intern->count);
    return intern->count++;
}

uint32_t wf_intern_add(wf_intern *intern, const wf_value *value)
{
    if (value->type == WF_ABSENT && intern->count > 0)
        return 0;
    uint32_t hash = wf_intern_hash(value);
    WF_INVARIANT(intern->count == 0 || intern->list[0].type == WF_ABSENT);
    for (uint32_t at = hash & intern->mask; intern->table[at] != 0;
         at = (at + 1) & intern->mask) {
        uint32_t number = intern->table[at];
        WF_INVARIANT(number < intern->count);
        if (intern->hashes[number] == hash && wf_same_value(&intern->list[number], value))
            return number;
    }
    intern->missing |= intern->frozen;
    if (intern->frozen)
        return WF_NONE;
    return add_new(intern, value, hash);
}

size_t wf_intern_bytes(const wf_intern *intern)
{
    return intern->arena.total + intern->list_capacity * sizeof *intern->list +
           intern->hash_capacity * sizeof *intern->hashes +
           ((size_t)intern->mask + 1) * sizeof *intern->table;
}
