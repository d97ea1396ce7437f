/* The limits of one step: selections, bytes of values, and the weight of the state. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"

int32_t wf_count_selection(wf_step *step)
{
    WF_INVARIANT(step->selections <= step->machine->limits.selections);
    if (++step->selections <= step->machine->limits.selections)
        return WFSM_OK;
    step->message = "the step did not end within its limit of selections";
    return wf_fail(step->error, WFSM_LIMIT, "%s", step->message);
}

int32_t wf_step_arena(wf_step *step)
{
    if (!step->arena.failed && !step->arena.exceeded)
        return WFSM_OK;
    step->message = "the step makes too much data";
    return wf_arena_error(&step->arena, step->error);
}

int32_t wf_step_keeps(wf_step *step, const wf_value *value)
{
    /* A container that is too deep or too heavy became ABSENT when it was made. */
    if (value->type != WF_ABSENT && value->depth <= WF_KEPT_DEPTH)
        return WFSM_OK;
    step->message = "the value is nested too deeply, or too large, to be kept";
    return WFSM_SEMANTIC;
}

int32_t wf_step_weight(wf_step *step)
{
    if (!step->grown || wf_snapshot_weight(step->snapshot) <= WF_KEPT_WEIGHT)
        return WFSM_OK;
    step->message = "the context, and what is outstanding, become too large";
    return wf_fail(step->error, WFSM_LIMIT, "%s", step->message);
}
