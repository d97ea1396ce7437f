/*
 * verify/concretize.h: runs a trace without any abstraction: with the whole context, each step
 * committed, at times at which the timers fire in this order. A trace that ends in another state
 * is an artefact of the abstraction.
 */
#ifndef WF_VERIFY_CONCRETIZE_H
#define WF_VERIFY_CONCRETIZE_H

#include "base/buffer.h"
#include "verify/trace.h"

typedef struct wf_concrete {
    wf_buffer text, script;
    wf_coverage *coverage; /* takes what is met; NULL: nobody wants to know */
    /* Told of each move, from 0, when its step is committed; NULL: nobody wants to know. The place of the
     * input is that in the run before the step. If the run is made again at other times, it begins again
     * with 0. */
    void (*stepped)(void *user, size_t move, const wf_input *input,
                    const wf_snapshot *snapshot);
    void *user;
    bool round; /* the context at the end is that at the beginning of the cycle */
    bool same; /* it ends in the state that the search found, and there are such times */
} wf_concrete;

/* Writes the trace and the script to the buffers, which the caller initialised. NO_MEMORY is
 * the only failure. */
int32_t wf_concretize(wf_search *self, const wf_trace *trace, wf_concrete *concrete);
#endif
