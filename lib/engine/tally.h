/* engine/tally.h: what an engine has done since it was made, in numbers. */
#ifndef WF_ENGINE_TALLY_H
#define WF_ENGINE_TALLY_H

#include <wfsm/engine.h>
#include "store/batch.h"

enum { WF_LATENCIES = 13 };

typedef struct wf_engine_tally {
    wf_tally commits;
    uint64_t rounds;
    uint64_t exchanges, exchanges_failed;
    uint64_t attempts; /* calls that start an agent */
    uint64_t lost; /* instances */
    /* How long the store took, by the host's clock. Without one nothing is timed. */
    int64_t asked_at;
    uint64_t timed, timed_ms; /* exchanges, and the sum of their times */
    uint64_t within[WF_LATENCIES]; /* exchanges that took so long, and no shorter bound */
} wf_engine_tally;

/* The bounds of `within`, ms. What takes longer than the last is only in `timed`. */
extern const uint16_t wf_latencies[WF_LATENCIES];

/* The round is ready for the store. */
void wf_tally_asks(wfsm_engine *engine);
/* The store has answered, or was not asked. */
void wf_tally_answered(wfsm_engine *engine);
#endif
