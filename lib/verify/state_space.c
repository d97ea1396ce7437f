#include "verify/state_space.h"
#include "verify/timer_bounds.h"

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
    void *blocks[] = {states->bytes, states->offsets, states->parents,    states->flags,
                      states->table, states->edges,   states->first_edge, states->fresh};
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

/* Room for one more element, in an array that grows by a quarter, because there are many states. */
static bool room(const wfsm_allocator *allocator, void *array, size_t *capacity, size_t need,
                 size_t element)
{
    void **place = array;
    if (need <= *capacity)
        return true;
    size_t more = *capacity + *capacity / 4 + 1024;
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
           room(states->allocator, &states->flags, &states->flag_capacity, need,
                sizeof *states->flags);
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

/* ---- edges ---- */

/* They are kept as differences, most of which are small: new states have numbers in a row. */

/* The code of an edge is twice the state, plus one if it needs an input from outside. */
static uint32_t edge_of(uint32_t code)
{
    return code >> 1 | (code & 1 ? (uint32_t)WF_EDGE_OUTSIDE : 0);
}

/* The first edge of a state can lead back. */
static uint64_t code_from(uint32_t code, uint32_t state)
{
    int64_t difference = (int64_t)code - (int64_t)state * 2;
    return difference < 0 ? (uint64_t)-difference * 2 - 1 : (uint64_t)difference * 2;
}

static uint32_t decode_from(uint64_t number, uint32_t state)
{
    int64_t difference = number & 1 ? -(int64_t)(number / 2) - 1 : (int64_t)(number / 2);
    return (uint32_t)((int64_t)state * 2 + difference);
}

static void sort(uint32_t *codes, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t code = codes[i];
        size_t at = i;
        for (; at > 0 && codes[at - 1] > code; at--)
            codes[at] = codes[at - 1];
        codes[at] = code;
    }
}

bool wf_state_space_begin(wf_state_space *states, uint32_t state)
{
    if (!room(states->allocator, &states->first_edge, &states->first_capacity,
              (size_t)state + 1, sizeof *states->first_edge))
        return false;
    states->first_edge[state] = (uint32_t)states->edge_bytes;
    WF_INVARIANT(state == 0 || states->first_edge[state - 1] <= states->first_edge[state]);
    states->begun = state + 1;
    states->fresh_count = 0;
    return true;
}

bool wf_state_space_edge(wf_state_space *states, uint32_t to, bool outside)
{
    WF_INVARIANT(to < states->count);
    uint32_t code = to << 1 | outside;
    for (size_t i = 0; i < states->fresh_count; i++)
        if (states->fresh[i] == code)
            return true;
    if (!room(states->allocator, &states->fresh, &states->fresh_capacity,
              states->fresh_count + 1, sizeof *states->fresh))
        return false;
    states->fresh[states->fresh_count++] = code;
    return true;
}

bool wf_state_space_end(wf_state_space *states, uint32_t state)
{
    enum { EDGE_BYTES = 10 };
    if (!room(states->allocator, &states->edges, &states->edge_capacity,
              states->edge_bytes + states->fresh_count * EDGE_BYTES, 1))
        return false;
    sort(states->fresh, states->fresh_count);
    for (size_t i = 0; i < states->fresh_count; i++)
        states->edge_bytes +=
            wf_number_write(states->edges + states->edge_bytes,
                            i == 0 ? code_from(states->fresh[0], state)
                                   : (uint64_t)(states->fresh[i] - states->fresh[i - 1]));
    states->edge_count += states->fresh_count;
    return states->edge_bytes <= UINT32_MAX;
}

wf_edges wf_state_space_edges(const wf_state_space *states, uint32_t state)
{
    wf_edges none = {0};
    if (state >= states->begun)
        return none;
    uint32_t end = state + 1 < states->begun ? states->first_edge[state + 1]
                                             : (uint32_t)states->edge_bytes;
    return (wf_edges){.at = states->first_edge[state], .end = end, .state = state};
}

bool wf_edges_next(const wf_state_space *states, wf_edges *edges)
{
    uint64_t number;
    if (edges->at == edges->end)
        return false;
    edges->at += (uint32_t)wf_number_read(states->edges + edges->at, &number);
    edges->code =
        edges->begun ? edges->code + (uint32_t)number : decode_from(number, edges->state);
    edges->begun = true;
    edges->edge = edge_of(edges->code);
    return true;
}

size_t wf_state_space_memory(const wf_state_space *states)
{
    return states->byte_capacity + states->offset_capacity * sizeof *states->offsets +
           states->parent_capacity * sizeof *states->parents +
           states->flag_capacity * sizeof *states->flags +
           (states->mask + 1) * sizeof *states->table + states->edge_capacity +
           states->first_capacity * sizeof *states->first_edge;
}
