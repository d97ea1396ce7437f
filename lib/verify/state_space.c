#include "verify/state_space.h"

#include <string.h>
#include "base/memory.h"
#include "base/invariant.h"

enum { FIRST_SLOTS = 1024 };

bool wf_state_space_init(wf_state_space *states, const wfsm_allocator *allocator)
{
    memset(states, 0, sizeof *states);
    states->allocator = allocator;
    states->table = wf_new(allocator, FIRST_SLOTS * sizeof *states->table);
    states->mask = FIRST_SLOTS - 1;
    return states->table != NULL;
}

void wf_state_space_fini(wf_state_space *states)
{
    if (!states->allocator)
        return;
    void *blocks[] = {states->bytes, states->offsets, states->parents,   states->flags,
                      states->table, states->edges,   states->first_edge};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        wf_free(states->allocator, blocks[i]);
    memset(states, 0, sizeof *states);
}

const uint8_t *wf_state_space_key(const wf_state_space *states, uint32_t state, size_t *length)
{
    const uint8_t *at = states->bytes + states->offsets[state];
    *length = (size_t)at[0] | (size_t)at[1] << 8;
    return at + 2;
}

static uint64_t load(const uint8_t *bytes, size_t length)
{
    uint64_t word = 0;
    memcpy(&word, bytes, length);
    return word;
}

static uint32_t hash_of(const uint8_t *key, size_t length)
{
    uint64_t hash = length * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < length; i += 8) {
        hash ^= load(key + i, length - i < 8 ? length - i : 8);
        hash *= 0xBF58476D1CE4E5B9u;
        hash ^= hash >> 29;
    }
    hash *= 0x94D049BB133111EBu;
    return (uint32_t)(hash >> 32);
}

static bool is_key(const wf_state_space *states, uint32_t state, const uint8_t *key,
                   size_t length)
{
    size_t own;
    const uint8_t *bytes = wf_state_space_key(states, state, &own);
    return own == length && memcmp(bytes, key, length) == 0;
}

static uint32_t find(const wf_state_space *states, const uint8_t *key, size_t length,
                     uint32_t hash)
{
    WF_INVARIANT((states->mask & (states->mask + 1)) == 0);
    for (size_t at = hash & states->mask; states->table[at] != 0;
         at = (at + 1) & states->mask) {
        uint32_t state = (uint32_t)states->table[at] - 1;
        if (states->table[at] >> 32 == hash && is_key(states, state, key, length))
            return state;
    }
    return WF_NONE;
}

uint32_t wf_state_space_find(const wf_state_space *states, const uint8_t *key, size_t length)
{
    return find(states, key, length, hash_of(key, length));
}

static void put(uint64_t *table, size_t mask, uint64_t entry)
{
    size_t at = (entry >> 32) & mask;
    while (table[at] != 0)
        at = (at + 1) & mask;
    table[at] = entry;
}

static bool grow_table(wf_state_space *states)
{
    size_t mask = states->mask * 2 + 1;
    uint64_t *table = wf_new(states->allocator, (mask + 1) * sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i <= states->mask; i++)
        if (states->table[i] != 0)
            put(table, mask, states->table[i]);
    wf_free(states->allocator, states->table);
    states->table = table;
    states->mask = mask;
    return true;
}

/* Room for one more element, in an array that grows by half, because there are many states. */
static bool room(const wfsm_allocator *allocator, void *array, size_t *capacity, size_t need,
                 size_t element)
{
    void **place = array;
    if (need <= *capacity)
        return true;
    size_t more = *capacity + *capacity / 2 + 1024;
    if (more < need)
        more = need;
    void *moved = allocator->resize(allocator->user, *place, more * element);
    if (!moved)
        return false;
    *place = moved;
    *capacity = more;
    return true;
}

static bool room_for_state(wf_state_space *states, size_t length)
{
    size_t need = (size_t)states->count + 1;
    return room(states->allocator, &states->bytes, &states->byte_capacity,
                states->used + length + 2, 1) &&
           room(states->allocator, &states->offsets, &states->offset_capacity, need,
                sizeof *states->offsets) &&
           room(states->allocator, &states->parents, &states->parent_capacity, need,
                sizeof *states->parents) &&
           room(states->allocator, &states->flags, &states->flag_capacity, need, 1);
}

static uint32_t add(wf_state_space *states, const uint8_t *key, size_t length, uint32_t parent,
                    uint32_t hash)
{
    if (states->used + length + 2 > UINT32_MAX || length > UINT16_MAX ||
        states->count >= WF_EDGE_STATE)
        return WF_NONE;
    if (!room_for_state(states, length) ||
        (states->count >= states->mask / 4 * 3 && !grow_table(states)))
        return WF_NONE;
    uint32_t state = states->count++;
    WF_INVARIANT(parent == WF_NONE || parent < state);
    uint8_t *at = states->bytes + states->used;
    at[0] = (uint8_t)length;
    at[1] = (uint8_t)(length >> 8);
    memcpy(at + 2, key, length);
    states->offsets[state] = (uint32_t)states->used;
    states->used += length + 2;
    WF_INVARIANT(states->used <= states->byte_capacity);
    states->parents[state] = parent;
    states->flags[state] = 0;
    put(states->table, states->mask, (uint64_t)hash << 32 | (state + 1));
    return state;
}

uint32_t wf_state_space_add(wf_state_space *states, const uint8_t *key, size_t length,
                            uint32_t parent, bool *is_new)
{
    uint32_t hash = hash_of(key, length);
    uint32_t state = find(states, key, length, hash);
    *is_new = state == WF_NONE;
    return *is_new ? add(states, key, length, parent, hash) : state;
}

bool wf_state_space_begin(wf_state_space *states, uint32_t state)
{
    if (states->edge_count > UINT32_MAX - 1 ||
        !room(states->allocator, &states->first_edge, &states->first_capacity,
              (size_t)state + 1, sizeof *states->first_edge))
        return false;
    states->first_edge[state] = (uint32_t)states->edge_count;
    WF_INVARIANT(state == 0 || states->first_edge[state - 1] <= states->first_edge[state]);
    return true;
}

bool wf_state_space_edge(wf_state_space *states, uint32_t state, uint32_t to, bool outside)
{
    WF_INVARIANT(to < states->count);
    uint32_t edge = to | (outside ? (uint32_t)WF_EDGE_OUTSIDE : 0);
    if (outside && to == state)
        return true;
    for (size_t i = states->first_edge[state]; i < states->edge_count; i++)
        if (states->edges[i] == edge)
            return true;
    if (!room(states->allocator, &states->edges, &states->edge_capacity, states->edge_count + 1,
              sizeof *states->edges))
        return false;
    states->edges[states->edge_count++] = edge;
    return true;
}

size_t wf_state_space_memory(const wf_state_space *states)
{
    return states->byte_capacity + states->offset_capacity * sizeof *states->offsets +
           states->parent_capacity * sizeof *states->parents + states->flag_capacity +
           (states->mask + 1) * sizeof *states->table +
           states->edge_capacity * sizeof *states->edges +
           states->first_capacity * sizeof *states->first_edge;
}
