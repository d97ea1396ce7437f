/* verify/instances_play.h: one child, played from what its parent gives it. */
#ifndef WF_VERIFY_INSTANCES_PLAY_H
#define WF_VERIFY_INSTANCES_PLAY_H

#include "verify/concretize.h"
#include "verify/instances.h"

/* Where the run of a child is to end. */
typedef struct wf_child_wish {
    const wf_child *child;
    const wf_value *input;
    bool result; /* with a result; else: */
    uint32_t failure; /* with a failure of this class, if it is not WF_CLASSES; else: */
    wf_child_mask asked, mask; /* with these answers to the questions that are asked */
    bool running; /* and not at its end */
    uint32_t skip; /* so many runs that fit have been tried */
} wf_child_wish;

typedef struct wf_child_run {
    bool found;
    wf_child_mask mask;
    wf_value output; /* in the arena of the instances */
    const char *text; /* in the arena of the instances */
    bool timed; /* a timer fires, or a budget of time runs out */
} wf_child_run;

/* instances_child_run.c. NO_MEMORY, or what progress asked for. */
int32_t wf_child_play(wf_instances *self, const wf_child_wish *wish, wf_child_run *out);
/* True if time passes in the trace. */
bool wf_trace_is_timed(const wf_trace *trace);
#endif
