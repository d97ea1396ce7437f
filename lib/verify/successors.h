/* verify/successors.h: the successors of a state: what each possible input leads to, once for
 * each combination of answers that the host can give. */
#ifndef WF_VERIFY_SUCCESSORS_H
#define WF_VERIFY_SUCCESSORS_H

#include "verify/input.h"

/* What an input led to. The draft of its step is open while the sink looks at it. */
typedef struct wf_successor {
    wf_input input;
    int32_t status, outcome;
    bool first;   /* of several runs of the same input */
    bool certain; /* each state of the class has such a successor */
    bool changed; /* explorer->key is the key of the successor, explorer->verdicts is what the
                     properties say */
} wf_successor;

/* Anything but WFSM_OK ends the enumeration and is returned. */
typedef int32_t wf_successor_sink(void *user, wf_explorer *explorer,
                                  const wf_successor *successor);

/* The initial states for one input of the start. `data` may be null. */
int32_t wf_successors_at_start(wf_explorer *explorer, uint32_t number, const wf_value *data,
                               wf_successor_sink *sink, void *user);
/* All successors of the state that was restored from `key`. */
int32_t wf_successors_of_state(wf_explorer *explorer, const uint8_t *key, size_t length,
                               wf_successor_sink *sink, void *user);

/* input_successors.c: all successors of one input. */
int32_t wf_successors_of_input(wf_explorer *explorer, const wf_input *input,
                               wf_successor_sink *sink, void *user);
/* input_data.c: the data with the values of the context that it refers to, in
 * explorer->scratch; ABSENT if there is no such value in this state. */
wf_value wf_input_data(wf_explorer *explorer, const wf_value *data);
/* choices.c: one of so many answers, chosen by explorer->choices. */
uint32_t wf_choose(wf_explorer *explorer, uint32_t most);
/* host_choices.c: a host whose answers are chosen by explorer->choices. */
wf_host wf_choosing_host(wf_explorer *explorer);
/* Whether the timer can be the next one to act, by its place; and the budget of time, among those that have
 * not run out. */
bool wf_timer_may_fire(const wf_explorer *explorer, uint32_t place);
bool wf_budget_may_run_out(const wf_explorer *explorer, uint32_t place);
/* Something other than a timer can happen now. */
bool wf_may_wait(const wf_explorer *explorer);
#endif
