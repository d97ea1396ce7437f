/* engine/bounds.c: how much one round does. The first of each kind is always done: so every round makes
 * progress, however slow the clock says that it is. */
#include "engine/bounds.h"

#include "engine/engine.h"
#include "store/batch.h"

void wf_bounds_open(wfsm_engine *engine)
{
    wf_bounds *self = &engine->bounds;

    if (self->clock)
        self->began = self->clock(self->user);
}

static bool is_late(const wfsm_engine *engine)
{
    const wf_bounds *self = &engine->bounds;

    return self->clock &&
           (uint64_t)self->clock(self->user) - (uint64_t)self->began >= (uint64_t)self->ms;
}

/* Once a bound is reached, the round takes no more inputs. The next round takes the rest, in its order. */
bool wf_may_input(wfsm_engine *engine)
{
    bool any = engine->inputs < engine->bounds.inputs;

    if (any && engine->inputs > 0 &&
        (wf_batch_bytes(engine->store) >= engine->bounds.bytes || is_late(engine)))
        engine->inputs = 0;
    return engine->inputs > 0;
}

bool wf_may_act(wfsm_engine *engine)
{
    bool any = engine->acts < WF_RUN_ACTS;

    if (any && engine->acts > 0 && is_late(engine))
        engine->acts = 0;
    return engine->acts > 0;
}

bool wf_may_poll(const wfsm_engine *engine, uint32_t polled)
{
    return polled == 0 || (polled < engine->bounds.inputs && !is_late(engine));
}
