/* Room for an input, which the instances of a machine share: one rests with the
 * machine, and whoever finds none makes another. So threads never wait for each other,
 * and an instance at rest is small. */
#include "instance/inner.h"

#include "base/error.h"
#include "logic/json.h"
#include "store/batch.h"

static void free_desk(const wfsm_allocator *allocator, wf_spare *spare)
{
    wf_desk *desk = (wf_desk *)(void *)spare;
    wf_buffer_fini(&desk->full);
    wf_buffer_fini(&desk->tags);
    wf_call_fini(&desk->calls[WF_CALL_GUARD]);
    wf_call_fini(&desk->calls[WF_CALL_ACTION]);
    wf_step_fini(&desk->step);
    wf_free(allocator, desk);
}

static wf_desk *make_desk(wfsm_instance *instance)
{
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    wf_desk *made = wf_new(allocator, sizeof *made);
    if (!made)
        return NULL;
    if (!wf_step_init(&made->step, &instance->snapshot, "")) {
        wf_free(allocator, made);
        return NULL;
    }
    made->spare.release = free_desk;
    wf_buffer_init(&made->full, allocator);
    wf_buffer_init(&made->tags, allocator);
    wf_call_init(&made->calls[WF_CALL_GUARD], WF_CALL_GUARD, allocator);
    wf_call_init(&made->calls[WF_CALL_ACTION], WF_CALL_ACTION, allocator);
    return made;
}

int32_t wf_instance_sit(wfsm_instance *instance, wfsm_error *error)
{
    wfsm_machine *machine = instance->snapshot.machine;
    wf_desk *desk = (wf_desk *)(void *)wf_machine_take_spare(machine);
    if (!desk)
        desk = make_desk(instance);
    if (!desk)
        return wf_no_memory(error);
    instance->desk = desk;
    wf_step_bind(&desk->step, &instance->snapshot, wf_instance_name(instance));
    return WFSM_OK;
}

void wf_instance_rise(wfsm_instance *instance)
{
    wf_spare *other = wf_machine_give_spare(instance->snapshot.machine, &instance->desk->spare);
    if (other)
        free_desk(instance->snapshot.allocator, other);
    instance->desk = NULL;
}

int32_t wf_instance_drop(wfsm_instance *instance, int32_t status)
{
    wf_step_rollback(&instance->desk->step);
    wf_instance_rise(instance);
    return status;
}

int32_t wf_instance_tie(wfsm_instance *instance, wfsm_error *error)
{
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    if (instance->ties)
        return WFSM_OK;
    wf_ties *made = wf_new(allocator, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    wf_buffer_init(&made->record, allocator);
    wf_buffer_init(&made->log, allocator);
    wf_buffer_init(&made->answer, allocator);
    instance->ties = made;
    return WFSM_OK;
}

void wf_instance_untie(wfsm_instance *instance)
{
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    wf_ties *ties = instance->ties;
    if (!ties)
        return;
    if (ties->waiting > 0)
        wf_batch_forget(ties->store, instance);
    wf_buffer_fini(&ties->record);
    wf_buffer_fini(&ties->log);
    wf_buffer_fini(&ties->answer);
    wf_free(allocator, ties->guards);
    wf_free(allocator, ties->actions);
    wf_free(allocator, ties->owner);
    wf_free(allocator, ties);
    instance->ties = NULL;
}

void wf_instance_note_blocked(wfsm_instance *instance, int32_t outcome)
{
    const wf_guard *guard = instance->desk->step.blocked;
    const wf_transition *all = instance->snapshot.machine->transitions;
    instance->blocked = WF_NONE;
    if (outcome == WFSM_BLOCKED && guard)
        instance->blocked =
            (uint32_t)((const wf_transition *)(const void *)((const char *)guard -
                                                             offsetof(wf_transition, guard)) -
                       all);
}

int32_t wf_instance_parse(wfsm_instance *instance, const char *text, size_t length,
                          wf_value *value, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    *value = wf_null();
    if (text)
        status = wf_json_parse(&instance->desk->step.arena, text, length, value, error);
    if (status == WFSM_OK && value->depth > WF_KEPT_DEPTH)
        return wf_fail(error, WFSM_LIMIT, "nested deeper than %d levels", WF_KEPT_DEPTH);
    if (status == WFSM_OK && wf_value_weight(value) > WF_INPUT_WEIGHT)
        return wf_fail(error, WFSM_LIMIT, "an input of more than %d bytes", WF_INPUT_WEIGHT);
    return status;
}
