/* verify/input.h: an input of the machine under verification: running it in an open draft, and
 * showing the result to the monitor of properties. */
#ifndef WF_VERIFY_INPUT_H
#define WF_VERIFY_INPUT_H

#include "verify/explorer.h"

enum wf_input_kind {
    WF_INPUT_START,
    WF_INPUT_TIMER,
    WF_INPUT_BUDGET, /* a budget of time runs out */
    WF_INPUT_RESULT,
    WF_INPUT_FAILURE,
    WF_INPUT_CLAIM, /* claiming.c */
    WF_INPUT_EVENT, /* from here on: inputs from outside */
    WF_INPUT_CHECKPOINT,
    WF_INPUT_RESTORE
};

typedef struct wf_input {
    uint8_t kind;
    uint32_t place;   /* index of the timer, budget, invocation or start input */
    uint32_t failure; /* class of a failure */
    uint32_t number;  /* of an event from outside: index in machine->events, or WF_NONE */
    wf_value name;    /* of the event that it is, or that it raises */
    wf_value data;   /* of a failure: its message, or null */
    wf_value origin; /* of an event from outside, or ABSENT */
    wf_value id;     /* of an event from outside; ABSENT: none */
    wf_value usage; /* of a result or failure: {NAME: amount}, or null */
    wf_value
        signature; /* of a result or failure: a text that the agent gives it; ABSENT: none */
} wf_input;

/* Of a failure; "" for none. */
const char *wf_input_message(const wf_input *input);
/* Runs an input in the open draft of a step. The caller sets the step's host before. */
int32_t wf_input_run(wf_step *step, const wf_input *input, int32_t *outcome);
/* Whether an active state names the event. */
bool wf_is_heard(const wf_external_event *outside, const wf_snapshot *snapshot);
/* Whether people answer the invocation at that place of the ledger. */
bool wf_asks_person(const wf_snapshot *snapshot, size_t place);
/* Whether it is a decision of people. */
bool wf_input_is_decision(const wf_snapshot *snapshot, const wf_input *input);
/* Whether its place is that of an invocation in the ledger. */
bool wf_input_has_work(const wf_input *input);
/* False if there is no timer or invocation at its place. */
bool wf_input_has_place(const wf_input *input, const wf_snapshot *snapshot);
/* Whether the step of an input with this outcome is committed. */
bool wf_input_changes(const wf_input *input, int32_t outcome);
/* Shows the step that was run to the monitor: changes `memory` and explorer->verdicts. Of a claim to which nothing
 * reacts no property is asked. WFSM_OK or WFSM_NO_MEMORY. */
int32_t wf_input_observe(wf_explorer *explorer, wf_step *step, const wf_input *input,
                         int32_t outcome, uint8_t *memory);
/* cast_vote.c. The person with this number, among those whom the invocation asks. */
wf_value wf_voter(wf_arena *arena, const wf_invocation *self, uint32_t number);
/* A person's vote; ABSENT when out of memory. `reason` may be ABSENT. */
wf_value wf_vote_of(wf_arena *arena, const wf_invocation *self, bool approves, wf_value by,
                    wf_value reason);
/* How many votes give this decision: those that it lists or, if it lists none, as many as it takes. 0: no
 * votes do. */
uint32_t wf_decision_votes(const wf_invocation *self, const wf_value *data);
/* One of them; ABSENT when out of memory. */
wf_value wf_decision_vote(wf_arena *arena, const wf_invocation *self, const wf_value *data,
                          uint32_t number);
#endif
