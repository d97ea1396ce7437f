/* The invocations of the states that a step has entered. */
#include "step/step.h"

#include "base/invariant.h"

int32_t wf_invoke_one(wf_step *step, uint32_t number)
{
    wf_invocation made;
    int32_t status = WFSM_OK;
    if (step->machine->invokes[number].items) {
        status = wf_items_make(step, number);
    } else {
        status = wf_invocation_eval(step, number, &made);
        if (status == WFSM_OK)
            status = wf_invocation_add(step, &made);
    }
    return status == WFSM_SEMANTIC ? wf_raise_error(step, step->message) : status;
}

int32_t wf_invoke_state(wf_step *step, uint32_t state)
{
    wf_span invokes = step->machine->states[state].invokes;
    WF_INVARIANT(wf_set_has(step->snapshot->active, state));
    wf_fuel_at(step, WF_AT_STATE, state);
    int32_t status = WFSM_OK;
    for (uint32_t i = invokes.first; i < invokes.first + invokes.count && status == WFSM_OK;
         i++)
        status = wf_invoke_one(step, i);
    return status;
}
