/* engine/bounds.h: how much one round does. */
#ifndef WF_ENGINE_BOUNDS_H
#define WF_ENGINE_BOUNDS_H

#include <stdbool.h>
#include <wfsm/engine.h>

typedef struct wf_bounds {
    uint32_t inputs; /* of one round */
    size_t bytes;    /* of its commits, at about */
    int64_t ms;      /* by the clock, for its inputs, and again for what follows from them */
    wfsm_clock clock; /* NULL: none */
    void *user;
    int64_t began;
} wf_bounds;

/* The part of the round that begins now has all of its time. */
void wf_bounds_open(wfsm_engine *engine);
/* True if the round takes another input. It always takes the first one. */
bool wf_may_input(wfsm_engine *engine);
/* True if another agent is called, or another effect delivered. The first one always is. */
bool wf_may_act(wfsm_engine *engine);
/* True if another agent is polled. The first one always is. */
bool wf_may_poll(const wfsm_engine *engine, uint32_t polled);
#endif
