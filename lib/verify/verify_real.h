/*
 * verify/verify_real.h: a way, gone for real: with the whole context, each step committed, and
 * times at which its timers fire in this order. Writes what happens as a story and as a script
 * for `wfsm simulate --by-hand`.
 */
#ifndef WF_TOOLS_VERIFY_REAL_H
#define WF_TOOLS_VERIFY_REAL_H

#include "base/buffer.h"
#include "verify/verify_way.h"

typedef struct wf_real {
    wf_buffer story, script;
    bool same; /* it ends where the exploration says, and there are such times */
} wf_real;

/* The buffers are made by the caller. NO_MEMORY is the only failure. */
int32_t wf_real_run(wf_exploration *self, const wf_way *way, wf_real *real);
#endif
