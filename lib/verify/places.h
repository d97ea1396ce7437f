/*
 * verify/places.h: the timers and invocations of a run that follows a trace. The inputs of the trace
 * name them by their places in the keys of states, and the run has them in the order in which they
 * were made.
 */
#ifndef WF_VERIFY_PLACES_H
#define WF_VERIFY_PLACES_H

#include "verify/input.h"
#include "verify/key_order.h"

/* What tells an entry from others of its list. */
typedef struct wf_entry_id {
    uint64_t number; /* of a timer; the revision of an invocation */
    uint32_t ordinal;
} wf_entry_id;

typedef struct wf_places {
    wf_arena arena;
    wf_entry_id *ids[WF_ORDERED_KINDS]; /* by place in the key */
    uint32_t count[WF_ORDERED_KINDS];
    uint32_t *kept[WF_ORDERED_KINDS]; /* of the checkpoint: the places in its lists */
    uint32_t kept_count[WF_ORDERED_KINDS];
    wf_key_order order; /* of the run's snapshot now */
} wf_places;

void wf_places_begin(wf_places *places, const wfsm_allocator *allocator);
void wf_places_end(wf_places *places);
/* The input with the place that it has in the run; WF_NONE if there is none. */
wf_input wf_places_input(const wf_places *places, const wf_snapshot *snapshot,
                         const wf_input *input);
/* After a move, of whose successor the search found this order. Sets places->order. False when out
 * of memory. */
bool wf_places_after(wf_places *places, const wf_snapshot *snapshot, const wf_key_order *found);
/* A checkpoint is taken. False when out of memory. */
bool wf_places_keep(wf_places *places, const wf_snapshot *snapshot);
/* The checkpoint was restored, by the step with this revision. `timer` is the number of the last timer before it.
 * wf_places_after() follows. */
bool wf_places_go_back(wf_places *places, uint64_t revision, uint64_t timer);
#endif
