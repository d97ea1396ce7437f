/*
 * verify/sample.h: random runs on the real step (random testing). What such a run violates is
 * violated, and what it reaches is reachable. What no run decides stays undecided.
 */
#ifndef WF_VERIFY_SAMPLE_H
#define WF_VERIFY_SAMPLE_H

#include "base/buffer.h"
#include "verify/search.h"

/* A run whose last step violates a property, or reaches a `reachable`. */
typedef struct wf_sampled {
    uint32_t property;
    uint32_t steps; /* without the start */
    wf_value start; /* its input */
    wf_buffer text, script; /* the run for people, and for `wfsm simulate` */
} wf_sampled;

/* Anything but WFSM_OK ends the search and is returned. */
typedef int32_t wf_sample_sink(void *user, const wf_sampled *found);

/* Looks for runs that decide a property of which `open` is set, and clears it when one is found.
 * options.progress is called before each run, and ends the search if it does not return WFSM_OK.
 * NO_MEMORY, or what the sink returns. */
int32_t wf_sample(wf_search *self, uint8_t *open, wf_sample_sink *sink, void *user);
#endif
