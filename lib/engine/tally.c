/* engine/tally.c: what an engine has done since it was made, in numbers. */
#include "engine/tally.h"

#include "engine/engine.h"

const uint16_t wf_latencies[WF_LATENCIES] = {1,   2,   5,    10,   25,   50,   100,
                                             250, 500, 1000, 2500, 5000, 10000};

/* The host's clock belongs to the thread that makes the round, so the time of an exchange on another
 * thread is that from prepare to finish. */
void wf_tally_asks(wfsm_engine *engine)
{
    engine->asked = false;
    if (engine->bounds.clock)
        engine->tally.asked_at = engine->bounds.clock(engine->bounds.user);
}

static void add_time(wf_engine_tally *self, uint64_t ms)
{
    size_t i = 0;

    self->timed++;
    self->timed_ms += ms;
    while (i < WF_LATENCIES && ms > wf_latencies[i])
        i++;
    if (i < WF_LATENCIES)
        self->within[i]++;
}

void wf_tally_answered(wfsm_engine *engine)
{
    wf_engine_tally *self = &engine->tally;
    const wf_bounds *bounds = &engine->bounds;

    self->rounds++;
    if (!engine->asked)
        return;
    engine->asked = false;
    self->exchanges++;
    self->exchanges_failed += engine->answered != WFSM_OK;
    if (bounds->clock)
        add_time(self, (uint64_t)bounds->clock(bounds->user) - (uint64_t)self->asked_at);
}
