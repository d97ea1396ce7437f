/* The first step of an instance, and the step that stops it from outside. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"

/* ---- start ---- */

/* The initial context, and the input on top of it. */
static int32_t open_context(wf_step *step, const wf_value *input)
{
    const wfsm_machine *machine = step->machine;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < machine->keys.count && status == WFSM_OK; i++)
        if (machine->initial[i].type != WF_ABSENT)
            status = wf_draft_assign(step, i, &machine->initial[i]);
    if (status != WFSM_OK || input->type != WF_OBJECT)
        return status;
    status = wf_assign_patch(step, input);
    return status == WFSM_SEMANTIC ? wf_assign_refused(step, "input: ") : status;
}

static int32_t open_budgets(wf_step *step)
{
    int32_t status = wf_budgets_open(step);
    return status == WFSM_SEMANTIC
               ? wf_fail(step->error, WFSM_SEMANTIC, "budgets: %s", step->message)
               : status;
}

static int32_t enter_initial(wf_step *step)
{
    wf_set_clear(step->entering, step->machine->words);
    wf_set_clear(step->by_default, step->machine->words);
    wf_set_clear(step->by_history, step->machine->history_count / 64 + 1);
    int32_t status = wf_entry_set_start(step);
    return status == WFSM_OK ? wf_enter_states(step) : status;
}

int32_t wf_step_start(wf_step *step, const wf_value *input, int32_t *outcome)
{
    wf_fuel_open(step, input);
    int32_t status = open_context(step, input);
    if (status != WFSM_OK)
        return status;
    step->snapshot->status = WFSM_RUNNING;
    status = open_budgets(step);
    if (status == WFSM_OK)
        status = enter_initial(step);
    if (status == WFSM_OK)
        status = wf_macrostep(step);
    if (status == WFSM_OK)
        wf_fuel_close(step);
    *outcome = WFSM_STARTED;
    return status;
}

/* ---- stop ---- */

/* Without exit actions. */

static int32_t end_bare(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    int32_t status = WFSM_OK;
    while (status == WFSM_OK && snapshot->extras->timers.count > 0)
        status = wf_draft_remove(step, WF_TIMERS, snapshot->extras->timers.count - 1);
    while (status == WFSM_OK && snapshot->extras->ledger.count > 0)
        status = wf_draft_remove(step, WF_LEDGER, snapshot->extras->ledger.count - 1);
    return status;
}

int32_t wf_step_stop(wf_step *step, int32_t *outcome)
{
    const wf_value none = wf_null();
    wf_fuel_open(step, &none);
    int32_t status = wf_end(step);
    *outcome = WFSM_ENDED;
    wf_fuel_close(step);
    if (wf_is_failure(status)) {
        int32_t failure = status;
        const char *message = step->message;
        wf_step_reset(step);
        status = end_bare(step);
        step->failure = failure;
        step->message = message ? message : wfsm_status_name(failure);
    }
    return status == WFSM_OK ? wf_step_ended(step, WF_IS_STOPPED) : status;
}
