/*
 * verify/independence.h: the conditions under which a region is independent (independent.h). Private to
 * independent.c, region_end.c and region_events.c.
 */
#ifndef WF_VERIFY_INDEPENDENCE_H
#define WF_VERIFY_INDEPENDENCE_H

#include "verify/footprint.h"
#include "verify/independent.h"

typedef struct wf_independence {
    wf_explorer *explorer;
    const wfsm_machine *machine;
    bool strong; /* fairness is */
    uint32_t region;
    wf_footprint properties;
    wf_footprint inside, beside, outside; /* of the region; outside: anything else */
} wf_independence;

/* The state is the region, or belongs to it. */
static inline bool wf_region_has(const wf_independence *self, uint32_t state)
{
    return state == self->region || wf_is_descendant(self->machine, state, self->region);
}

/* It is an ancestor of the region. */
static inline bool wf_region_is_below(const wf_independence *self, uint32_t state)
{
    return wf_is_descendant(self->machine, self->region, state);
}

/* It can be active together with the region, and does not belong to it. */
static inline bool wf_region_is_beside(const wf_independence *self, uint32_t state)
{
    uint32_t common = state;
    while (common != self->region && !wf_region_is_below(self, common))
        common = self->machine->states[common].parent;
    return !wf_region_has(self, state) &&
           (common == state || self->machine->states[common].type == WF_PARALLEL);
}

/* region_end.c: the transition leaves the region, or may; it may enter it again. */
bool wf_region_is_left_by(const wf_independence *self, uint32_t transition);
/* The parallel state may be left before the region is complete, and not by the region itself. */
bool wf_region_is_interrupted(const wf_independence *self);
/* After the region is left, it may make a difference how far it had come. */
bool wf_region_leaves_traces(const wf_independence *self);

/* region_events.c: the state has a handler for the event. */
bool wf_state_hears(const wfsm_machine *machine, const wf_state *state, uint32_t event);
/* The region hears events that others hear or say. */
bool wf_region_hears_others(const wf_independence *self);
/* Others hear what the region raises, or what its agents and states say. */
bool wf_region_is_heard(const wf_independence *self);
#endif
