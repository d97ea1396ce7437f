/* The limits of a step that the host sets. */
#include "instance/inner.h"

#include "base/error.h"
#include "base/sized.h"

int32_t wf_host_limits(wf_limits *out, const wfsm_step_limits *given, wfsm_error *error)
{
    wfsm_step_limits room;
    *out = (wf_limits){0};
    if (!given)
        return WFSM_OK;
    if (!wf_struct_check(&room, sizeof room, given,
                         WF_SIZE_UP_TO(wfsm_step_limits, step_bytes)))
        return wf_fail(error, WFSM_INVALID, "the size of the limits is not set");
    *out =
        (wf_limits){room.selections, room.rule_steps,  room.rule_bytes,        room.step_work,
                    room.step_bytes, room.descendants, room.descendants_in_all};
    for (uint32_t i = 0; i < WF_LIMITS; i++) {
        const wf_limit *self = wf_limit_at(i);
        uint32_t value = *wf_limit_in(out, self);
        if (value != 0 && (value < self->least || value > self->host))
            return wf_fail(error, WFSM_INVALID, "the limit %s must be from %lu to %lu",
                           self->name, (unsigned long)self->least, (unsigned long)self->host);
    }
    return WFSM_OK;
}

int32_t wfsm_instance_set_limits(wfsm_instance *instance, const wfsm_step_limits *limits,
                                 wfsm_error *error)
{
    wf_limits wanted;
    int32_t status = wf_instance_ready(instance, error);
    if (status == WFSM_OK)
        status = wf_host_limits(&wanted, limits, error);
    if (status == WFSM_OK)
        status = wf_instance_attach(instance, error);
    if (status == WFSM_OK) {
        instance->attached->limits = wanted;
        instance->attached->limited = limits != NULL;
    }
    return status;
}

int32_t wfsm_instance_limits(const wfsm_instance *instance, wfsm_step_limits *limits)
{
    if (!instance)
        return WFSM_INVALID;
    wf_limits now = wf_snapshot_limits(&instance->snapshot);
    const wfsm_step_limits full = {sizeof full,     now.selections,        now.rule_steps,
                                   now.rule_bytes,  now.step_work,         now.step_bytes,
                                   now.descendants, now.descendants_in_all};
    return wf_struct_give(limits, &full, sizeof full,
                          WF_SIZE_UP_TO(wfsm_step_limits, step_bytes))
               ? WFSM_OK
               : WFSM_INVALID;
}
