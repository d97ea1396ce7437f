/* The limits of one step: those in force, and the weight of the state. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"

wf_limits wf_snapshot_limits(const wf_snapshot *snapshot)
{
    wf_limits limits = snapshot->machine->limits, set = snapshot->extras->limits;
    for (uint32_t i = 0; snapshot->extras->limited && i < WF_LIMITS; i++) {
        const wf_limit *self = wf_limit_at(i);
        if (*wf_limit_in(&set, self) != 0)
            *wf_limit_in(&limits, self) = *wf_limit_in(&set, self);
    }
    return limits;
}

/* A limit that is the machine's is not set, so that a migration takes that of the new document. */
bool wf_snapshot_set_limits(wf_snapshot *snapshot, const wf_limits *given)
{
    wf_limits now = wf_snapshot_limits(snapshot), document = snapshot->machine->limits;
    wf_limits wanted = *given, set = {0};
    bool any = false;
    for (uint32_t i = 0; i < WF_LIMITS; i++) {
        const wf_limit *self = wf_limit_at(i);
        uint32_t value = *wf_limit_in(&wanted, self);
        if (value == 0)
            value = *wf_limit_in(&now, self);
        if (value != *wf_limit_in(&document, self))
            *wf_limit_in(&set, self) = value;
        any |= value != *wf_limit_in(&document, self);
    }
    wf_extras *extras = any ? wf_snapshot_extras(snapshot) : wf_own_extras(snapshot);
    if (!extras)
        return false;
    if (!any && !snapshot->extras->limited)
        return true;
    extras->limits = set;
    extras->limited = any;
    return true;
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
