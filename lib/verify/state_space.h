/*
 * verify/state_space.h: the states that were found, by their keys. A key contains everything
 * that the future depends on. States are numbered in the order in which they are found; since
 * the search is breadth first, the parents of a state are a shortest trace to it.
 */
#ifndef WF_VERIFY_STATE_SPACE_H
#define WF_VERIFY_STATE_SPACE_H

#include <wfsm/base.h>
#include "base/names.h"

/* An edge: the state that it leads to, and whether it needs an input from outside. */
enum { WF_EDGE_OUTSIDE = (int)0x80000000u };
#define WF_EDGE_STATE 0x7FFFFFFFu

typedef struct wf_state_space {
    const wfsm_allocator *allocator;
    uint8_t *bytes; /* length (2 bytes) and key of each state */
    size_t used, byte_capacity;
    uint32_t *offsets; /* into bytes */
    uint32_t *parents; /* WF_NONE: a start */
    uint16_t *flags;   /* of the caller */
    size_t offset_capacity, parent_capacity, flag_capacity;
    uint32_t count;
    uint64_t *table; /* hash << 32 | number + 1 */
    size_t mask;
    uint8_t *edges; /* of the states in their order */
    size_t edge_bytes, edge_capacity;
    uint32_t *first_edge; /* into edges */
    size_t first_capacity;
    uint32_t begun; /* the states before it have their edges */
    uint64_t edge_count;
    uint32_t *fresh; /* edges of the state at hand */
    size_t fresh_count, fresh_capacity;
} wf_state_space;

bool wf_state_space_init(wf_state_space *states, const wfsm_allocator *allocator);
void wf_state_space_fini(wf_state_space *states);
const uint8_t *wf_state_space_key(const wf_state_space *states, uint32_t state, size_t *length);
/* The state of a key; *is_new if it was not known. WF_NONE when out of memory, or of room:
 * 4 GiB of keys, 2^31 states. */
uint32_t wf_state_space_add(wf_state_space *states, const uint8_t *key, size_t length,
                            uint32_t parent, bool *is_new);
/* WF_NONE if it is not known. */
uint32_t wf_state_space_find(const wf_state_space *states, const uint8_t *key, size_t length);

/* Edges are added state by state: those of one state between its begin and its end. Each is kept
 * once. False when out of memory,
 * or of room: 4 GiB of edges. */
bool wf_state_space_begin(wf_state_space *states, uint32_t state);
bool wf_state_space_edge(wf_state_space *states, uint32_t to, bool outside);
bool wf_state_space_end(wf_state_space *states, uint32_t state);

/* The edges of a state, one after the other. */
typedef struct wf_edges {
    uint32_t at, end; /* into states->edges */
    uint32_t state, code; /* that they start from; of the one before */
    uint32_t edge; /* the state that it leads to, and WF_EDGE_OUTSIDE */
    bool begun;
} wf_edges;
wf_edges wf_state_space_edges(const wf_state_space *states, uint32_t state);
/* Sets edges->edge; false after the last. */
bool wf_edges_next(const wf_state_space *states, wf_edges *edges);
/* Bytes held. */
size_t wf_state_space_memory(const wf_state_space *states);
#endif
