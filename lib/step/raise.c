/* Raising: the queue of internal events, which the same step takes. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

wf_event wf_platform_event(const wf_step *step, uint32_t number, const wf_value *data)
{
    const wf_name *name = &step->machine->events.list[number];
    return (wf_event){WF_PLATFORM, number, wf_string(name->text, name->length), *data,
                      wf_null()};
}

int32_t wf_raise(wf_step *step, const wf_event *event)
{
    WF_INVARIANT(event->name.type == WF_STRING && event->name.length > 0);
    int32_t status = wf_fuel_work(step, 1);
    if (status == WFSM_OK)
        status = wf_fuel_bytes(step, 3 * sizeof *event);
    if (status != WFSM_OK)
        return status;
    wf_event *queue = wf_grow(step->allocator, step->queue, &step->queue_capacity,
                              step->queue_count + 1, sizeof *queue);
    if (!queue)
        return wf_no_memory(step->error);
    step->queue = queue;
    queue[step->queue_count++] = *event;
    return WFSM_OK;
}

int32_t wf_raise_platform(wf_step *step, uint32_t number, const wf_value *data)
{
    wf_event event = wf_platform_event(step, number, data);
    return wf_raise(step, &event);
}

/* The reason goes into the record, for people. The machine sees only the event. */
static int32_t note_error(wf_step *step, const char *message)
{
    wf_value text = wf_string_z(message ? message : "");
    int32_t status = wf_fuel_bytes(step, 3 * sizeof *step->errors);
    if (status == WFSM_OK)
        status = wf_fuel_text(step, &text);
    if (status != WFSM_OK)
        return status;
    const char **errors = wf_grow(step->allocator, step->errors, &step->error_capacity,
                                  step->error_count + 1, sizeof *errors);
    if (!errors)
        return wf_no_memory(step->error);
    step->errors = errors;
    errors[step->error_count++] = message ? message : "cannot be evaluated";
    return WFSM_OK;
}

int32_t wf_raise_error(wf_step *step, const char *message)
{
    const wf_value none = wf_null();
    int32_t status = note_error(step, message);
    return status == WFSM_OK ? wf_raise_platform(step, WF_EVENT_ERROR_EXECUTION, &none)
                             : status;
}
