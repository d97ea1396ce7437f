/*
 * The fuel of a step: what it may still cost. There are two kinds. Work is counted in
 * step->work: a step of a rule is one, and so is everything else that a step does once. What takes
 * longer for a longer value costs more. Bytes are counted by the arena, also those of memory that
 * is not in it, and of the text of the record. When either is used up, the step fails with LIMIT.
 *
 * Both must be the same when the step is replayed. So the cost of an input and of a host's answer
 * depends on its weight, not on the memory in which it happens to be.
 */
#include "step/step.h"

#include <stdio.h>
#include "base/error.h"
#include "logic/json.h"

enum {
    WEIGHT_OF_ONE = 64, /* bytes of a value that are copied for one unit of work */
    INPUT_COPIES = 2 /* an input may be kept: a copy, and its text in the record */
};

void wf_fuel_open(wf_step *step, const wf_value *input)
{
    step->work = step->limits.step_work;
    step->arena.limit =
        step->arena.total + step->limits.step_bytes + INPUT_COPIES * wf_value_weight(input);
}

void wf_fuel_close(wf_step *step)
{
    step->work = step->limits.step_work;
    step->arena.limit = 0;
    step->arena.exceeded = false;
}

int32_t wf_fuel_out(wf_step *step, const char *limit, uint32_t value)
{
    size_t used =
        (size_t)snprintf(step->exhausted, sizeof step->exhausted,
                         "the step exceeds its limit %s, %lu", limit, (unsigned long)value);
    wf_fuel_place(step, step->exhausted + used, sizeof step->exhausted - used);
    step->message = step->exhausted;
    return wf_fail(step->error, WFSM_LIMIT, "%s", step->message);
}

int32_t wf_fuel_work_out(wf_step *step)
{
    step->work = 0;
    return wf_fuel_out(step, "stepWork", step->limits.step_work);
}

int32_t wf_step_arena(wf_step *step)
{
    if (step->arena.failed)
        return wf_no_memory(step->error);
    return step->arena.exceeded ? wf_fuel_out(step, "stepBytes", step->limits.step_bytes)
                                : WFSM_OK;
}

int32_t wf_fuel_bytes(wf_step *step, size_t bytes)
{
    return wf_arena_charge(&step->arena, bytes) ? WFSM_OK : wf_step_arena(step);
}

int32_t wf_fuel_text(wf_step *step, const wf_value *value)
{
    /* The parts of a value may be shared: its text can be much longer than the memory it takes. */
    int32_t status = wf_fuel_work(step, 1 + wf_value_weight(value) / WEIGHT_OF_ONE);
    if (status != WFSM_OK)
        return status;
    size_t work = 0, bytes = wf_json_bound(value, &work);
    step->text += bytes;
    status = wf_fuel_work(step, work);
    return status == WFSM_OK ? wf_fuel_bytes(step, bytes) : status;
}

int32_t wf_fuel_keep(wf_step *step, const wf_value *value)
{
    int32_t status = wf_fuel_bytes(step, wf_value_weight(value));
    return status == WFSM_OK ? wf_fuel_text(step, value) : status;
}

int32_t wf_fuel_context(wf_step *step)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; step->grown && i < step->before.undo_count && status == WFSM_OK; i++) {
        const wf_value *value = &step->snapshot->slots[step->before.undo[i].slot];
        if (value->type >= WF_STRING)
            status = wf_fuel_keep(step, value);
    }
    return status;
}

int32_t wf_count_selection(wf_step *step)
{
    if (++step->selections > step->limits.selections)
        return wf_fuel_out(step, "selections", step->limits.selections);
    return wf_fuel_work(step, 1 + step->machine->words / 4);
}
