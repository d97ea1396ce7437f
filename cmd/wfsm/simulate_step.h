/* simulate_step.h: one instance in memory, under a clock that only `advance` moves. */
#ifndef WFSM_SIMULATE_STEP_H
#define WFSM_SIMULATE_STEP_H

#include "wfsm/simulate_input.h"
#include "wfsm/simulate_watch.h"

/* The result of a line, besides the state of the instance. */
typedef struct sim_answer {
    const char *result;
    cli_text log;       /* JSON texts separated by commas */
    cli_text effects;   /* the same */
    int32_t status;     /* of the first step that failed, or WFSM_OK */
    cli_text message;
    cli_text pointer;
} sim_answer;

typedef struct sim_run {
    wfsm_machine *machine;           /* borrowed */
    const wfsm_functions *functions; /* borrowed */
    wfsm_store *store;
    wfsm_instance *instance; /* NULL before the start, and when that failed */
    wfsm_error *error;
    int64_t now;
    bool by_hand;      /* nothing fires by itself */
    bool watched;      /* the document's properties are */
    bool reacted;      /* the last step has taken a transition; only known if `watched` */
    sim_watch watch;
    sim_answer answer; /* to the last line */
} sim_run;

/* Timers that a line may fire, in all and at one instant; what is due beyond that waits for
 * the next line. Events that raise each other without delay may add to the instance at every
 * turn, so they are stopped long before a clock that ticks. */
enum { SIM_MOST_TIMERS = 100000, SIM_MOST_AT_ONCE = 2000 };

/* False if there is no instance: the answer holds the error. `sim` is {0}, but for by_hand and watched;
 * input is JSON, or NULL. */
bool sim_start(sim_run *sim, wfsm_machine *machine, const wfsm_functions *functions,
               const char *input);
/* Steps one line's input and what is due after it. False if the simulation cannot continue: the
 * answer holds the error. */
bool sim_step(sim_run *sim, const sim_input *input);
void sim_end(sim_run *sim);
#endif
