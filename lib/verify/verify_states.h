/*
 * verify/verify_states.h: the states that were found, by their keys: bytes that say all that
 * the future depends on. Numbers are given in the order of finding, and the first way to a
 * state, of a breadth-first search, is a shortest one.
 */
#ifndef WF_TOOLS_VERIFY_STATES_H
#define WF_TOOLS_VERIFY_STATES_H

#include <wfsm/base.h>
#include "base/names.h"

/* An edge: where it leads, and whether the outside has to do something for it. */
enum { WF_EDGE_OUTSIDE = (int)0x80000000u };
#define WF_EDGE_STATE 0x7FFFFFFFu

typedef struct wf_states {
    const wfsm_allocator *allocator;
    uint8_t *bytes; /* length (2 bytes) and key of each state */
    size_t used, byte_capacity;
    uint32_t *offsets; /* into bytes */
    uint32_t *parents; /* WF_NONE: a start */
    uint8_t *flags;    /* of the caller */
    size_t offset_capacity, parent_capacity, flag_capacity;
    uint32_t count;
    uint64_t *table; /* hash << 32 | number + 1 */
    size_t mask;
    uint32_t *edges; /* of the states in order, each its own */
    uint32_t *first_edge;
    size_t edge_count, edge_capacity, first_capacity;
} wf_states;

bool wf_states_init(wf_states *states, const wfsm_allocator *allocator);
void wf_states_fini(wf_states *states);
const uint8_t *wf_states_key(const wf_states *states, uint32_t state, size_t *length);
/* The state of a key; *is_new if it was not known. WF_NONE when out of memory, or of room:
 * 4 GiB of keys, 2^31 states. */
uint32_t wf_states_add(wf_states *states, const uint8_t *key, size_t length, uint32_t parent,
                       bool *is_new);
/* WF_NONE if it is not there. */
uint32_t wf_states_find(const wf_states *states, const uint8_t *key, size_t length);

/* Edges are noted state after state: those of one between begin and the next begin; each
 * once. Edges to itself are kept only if they are not from outside. */
bool wf_states_begin(wf_states *states, uint32_t state);
bool wf_states_edge(wf_states *states, uint32_t state, uint32_t to, bool outside);
static inline uint32_t wf_states_edges_end(const wf_states *states, uint32_t state,
                                           uint32_t begun)
{
    return state + 1 < begun ? states->first_edge[state + 1] : (uint32_t)states->edge_count;
}
/* Bytes held. */
size_t wf_states_memory(const wf_states *states);
#endif
