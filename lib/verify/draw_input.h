/* verify/draw_input.h: an input that is possible in a state of a random run (sample.c), and its time. */
#ifndef WF_VERIFY_DRAW_INPUT_H
#define WF_VERIFY_DRAW_INPUT_H

#include "verify/draw_value.h"
#include "verify/input.h"

typedef struct wf_inputs {
    const wf_explorer *explorer;
    wf_draw draw;
    const wf_cone **wanted; /* by event from outside */
    const wf_snapshot *snapshot; /* the state at hand */
    int64_t now;
} wf_inputs;

/* `keep` lives as long as all runs. False when out of memory. */
bool wf_inputs_init(wf_inputs *self, wf_explorer *explorer, wf_arena *keep);
/* One of the inputs that are possible before what is due at the deadline, or that one, each with the same
 * chance. False: there is none. */
bool wf_draw_input(wf_inputs *self, int64_t deadline, wf_input *input);
/* When it happens. Time passes before some inputs, but not beyond what is due. */
int64_t wf_draw_time(wf_inputs *self, int64_t deadline, const wf_input *input);
/* Of the result or the failure of an invocation. */
bool wf_input_is_of_work(const wf_input *input);
#endif
