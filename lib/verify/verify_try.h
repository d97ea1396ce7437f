/* verify/verify_try.h: all that can happen next, tried out one after the other. */
#ifndef WF_TOOLS_VERIFY_TRY_H
#define WF_TOOLS_VERIFY_TRY_H

#include "verify/verify_kit.h"

enum wf_deed_kind {
    WF_DEED_START,
    WF_DEED_TIMER,
    WF_DEED_BUDGET, /* of time: it runs out */
    WF_DEED_RESULT,
    WF_DEED_FAILURE,
    WF_DEED_EVENT, /* this and the following come from outside */
    WF_DEED_CHECKPOINT,
    WF_DEED_RESTORE
};

/* One input. */
typedef struct wf_deed {
    uint8_t kind;
    uint32_t place; /* of the timer, budget or invocation in its list; of the start's input */
    uint32_t failure; /* class */
    uint32_t number; /* of an event from outside: machine->events, or WF_NONE */
    wf_value name; /* of the event that it is, or that it raises */
    wf_value data;
    wf_value usage; /* of a result or failure: {NAME: amount}, or null */
} wf_deed;

/* What came of it, while the draft is still open. */
typedef struct wf_trial {
    wf_deed deed;
    int32_t status, outcome;
    bool changed; /* kit->key is the state that it leads to, kit->verdicts what the
                     properties say */
} wf_trial;

/* Anything but WFSM_OK ends the trials and is returned. */
typedef int32_t wf_trial_sink(void *user, wf_kit *kit, const wf_trial *trial);

/* Each way to start. `input` may be null. */
int32_t wf_try_start(wf_kit *kit, uint32_t number, const wf_value *input, wf_trial_sink *sink,
                     void *user);
/* Everything that can happen to the state that was put back, and every answer of the host. */
int32_t wf_try_all(wf_kit *kit, const uint8_t *key, size_t length, wf_trial_sink *sink,
                   void *user);

/* Runs a deed in an open draft; used for the real run of a way as well. The host is to be
 * set by the caller. */
int32_t wf_deed_run(wf_step *step, const wf_deed *deed, int32_t *outcome);
/* The host of a step whose answers are choices; user is the kit. */
wf_host wf_choosing_host(wf_kit *kit);
/* What the monitor says of a step that was run: memory is changed. */
int32_t wf_kit_observe(wf_kit *kit, wf_step *step, const wf_deed *deed, int32_t outcome,
                       uint8_t *memory);
#endif
