#include "verify/verify_pool.h"

#include <string.h>
#include "base/memory.h"

enum { FIRST_SLOTS = 256 };

static uint32_t mix(uint32_t hash, uint64_t more)
{
    uint64_t x = (hash ^ more) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

static uint32_t hash_of(const wf_value *value)
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
            hash = mix(hash, hash_of(&value->as.items[i]));
        return hash;
    case WF_OBJECT:
        for (uint32_t i = 0; i < value->length; i++)
            hash =
                mix(mix(hash, value->as.members[i].hash), hash_of(&value->as.members[i].value));
        return hash;
    default:
        return hash;
    }
}

static bool same_members(const wf_value *a, const wf_value *b)
{
    for (uint32_t i = 0; i < a->length; i++) {
        const wf_member *one = &a->as.members[i], *two = &b->as.members[i];
        if (one->hash != two->hash || one->length != two->length ||
            memcmp(one->key, two->key, one->length) != 0 ||
            !wf_same_value(&one->value, &two->value))
            return false;
    }
    return true;
}

static bool same_items(const wf_value *a, const wf_value *b)
{
    for (uint32_t i = 0; i < a->length; i++)
        if (!wf_same_value(&a->as.items[i], &b->as.items[i]))
            return false;
    return true;
}

bool wf_same_value(const wf_value *a, const wf_value *b)
{
    if (a->type != b->type || a->length != b->length)
        return false;
    switch (a->type) {
    case WF_BOOLEAN:
        return a->as.boolean == b->as.boolean;
    case WF_NUMBER:
        return a->as.number == b->as.number;
    case WF_STRING:
        return a->as.text == b->as.text || memcmp(a->as.text, b->as.text, a->length) == 0;
    case WF_ARRAY:
        return a->as.items == b->as.items || same_items(a, b);
    case WF_OBJECT:
        return a->as.members == b->as.members || same_members(a, b);
    default:
        return true;
    }
}

bool wf_pool_init(wf_pool *pool, const wfsm_allocator *allocator)
{
    const wf_value absent = wf_absent();
    memset(pool, 0, sizeof *pool);
    wf_arena_init(&pool->arena, allocator, 0);
    pool->table = wf_new(allocator, FIRST_SLOTS * sizeof *pool->table);
    pool->mask = FIRST_SLOTS - 1;
    if (pool->table && wf_pool_add(pool, &absent) == 0)
        return true;
    wf_pool_fini(pool);
    return false;
}

void wf_pool_fini(wf_pool *pool)
{
    const wfsm_allocator *allocator = pool->arena.allocator;
    if (!allocator)
        return;
    wf_free(allocator, pool->list);
    wf_free(allocator, pool->hashes);
    wf_free(allocator, pool->table);
    wf_arena_fini(&pool->arena);
    memset(pool, 0, sizeof *pool);
}

static void put(uint32_t *table, uint32_t mask, uint32_t hash, uint32_t number)
{
    uint32_t at = hash & mask;
    while (table[at] != 0)
        at = (at + 1) & mask;
    table[at] = number;
}

static bool grow_table(wf_pool *pool)
{
    uint32_t mask = pool->mask * 2 + 1;
    uint32_t *table = wf_new(pool->arena.allocator, ((size_t)mask + 1) * sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 1; i < pool->count; i++)
        put(table, mask, pool->hashes[i], i);
    wf_free(pool->arena.allocator, pool->table);
    pool->table = table;
    pool->mask = mask;
    return true;
}

static uint32_t add_new(wf_pool *pool, const wf_value *value, uint32_t hash)
{
    const wfsm_allocator *allocator = pool->arena.allocator;
    if (pool->count >= pool->mask / 2 && !grow_table(pool))
        return WF_NONE;
    wf_value *list = wf_grow(allocator, pool->list, &pool->list_capacity,
                             (size_t)pool->count + 1, sizeof *list);
    if (list)
        pool->list = list;
    uint32_t *hashes = wf_grow(allocator, pool->hashes, &pool->hash_capacity,
                               (size_t)pool->count + 1, sizeof *hashes);
    if (hashes)
        pool->hashes = hashes;
    if (!list || !hashes)
        return WF_NONE;
    list[pool->count] =
        value->type == WF_ABSENT ? wf_absent() : wf_value_clone(&pool->arena, value);
    if (pool->arena.failed)
        return WF_NONE;
    hashes[pool->count] = hash;
    if (pool->count > 0)
        put(pool->table, pool->mask, hash, pool->count);
    return pool->count++;
}

uint32_t wf_pool_add(wf_pool *pool, const wf_value *value)
{
    if (value->type == WF_ABSENT && pool->count > 0)
        return 0;
    uint32_t hash = hash_of(value);
    for (uint32_t at = hash & pool->mask; pool->table[at] != 0; at = (at + 1) & pool->mask) {
        uint32_t number = pool->table[at];
        if (pool->hashes[number] == hash && wf_same_value(&pool->list[number], value))
            return number;
    }
    return add_new(pool, value, hash);
}

size_t wf_pool_bytes(const wf_pool *pool)
{
    return pool->arena.total + pool->list_capacity * sizeof *pool->list +
           pool->hash_capacity * sizeof *pool->hashes +
           ((size_t)pool->mask + 1) * sizeof *pool->table;
}
