/* verify/footprint.h: what a part of a document touches: which keys of the context it reads and
 * changes, which states it asks for, which events it raises. */
#ifndef WF_VERIFY_FOOTPRINT_H
#define WF_VERIFY_FOOTPRINT_H

#include "machine/model.h"

typedef struct wf_footprint {
    const wfsm_machine *machine;
    uint8_t *reads, *changes; /* by key of the context */
    uint8_t *asks; /* by state */
    uint8_t *raises; /* by event; without what the step raises by itself */
    bool context; /* reads any key */
    bool event; /* reads the event */
    bool always; /* an eventless transition asks the host, or reads the event */
    bool timers; /* may set one */
    bool host; /* calls the host's functions */
    bool names; /* raises events whose names are computed */
} wf_footprint;

/* Empty, in the arena. False when out of memory. */
bool wf_footprint_init(wf_footprint *self, const wfsm_machine *machine, wf_arena *arena);
/* Adds a state without its descendants: its actions, invocations and transitions. */
void wf_footprint_add_state(wf_footprint *self, uint32_t state);
/* Adds an expression; NULL: nothing. */
void wf_footprint_add_rule(wf_footprint *self, const wf_expr *expr);
#endif
