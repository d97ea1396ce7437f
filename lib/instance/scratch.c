/* The scratch memory of an input, which the instances of a machine share. The machine keeps one
 * block, and a thread that finds none makes another. So threads never wait for each other, and
 * an idle instance is small. */
#include "instance/inner.h"

#include "base/invariant.h"
#include "base/error.h"
#include "logic/json.h"
#include "store/batch.h"

static void free_scratch(const wfsm_allocator *allocator, wf_spare *spare)
{
    wf_scratch *scratch = (wf_scratch *)(void *)spare;
    wf_buffer_fini(&scratch->full);
    wf_buffer_fini(&scratch->tags);
    wf_buffer_fini(&scratch->attributes);
    wf_call_fini(&scratch->calls[WF_CALL_GUARD]);
    wf_call_fini(&scratch->calls[WF_CALL_ACTION]);
    wf_step_fini(&scratch->step);
    wf_free(allocator, scratch);
}

static wf_scratch *make_scratch(wfsm_instance *instance)
{
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    wf_scratch *made = wf_new(allocator, sizeof *made);
    if (!made)
        return NULL;
    if (!wf_step_init(&made->step, &instance->snapshot, "")) {
        wf_free(allocator, made);
        return NULL;
    }
    made->spare.release = free_scratch;
    wf_buffer_init(&made->full, allocator);
    wf_buffer_init(&made->tags, allocator);
    wf_buffer_init(&made->attributes, allocator);
    wf_call_init(&made->calls[WF_CALL_GUARD], WF_CALL_GUARD, allocator);
    wf_call_init(&made->calls[WF_CALL_ACTION], WF_CALL_ACTION, allocator);
    return made;
}

int32_t wf_instance_take_scratch(wfsm_instance *instance, wfsm_error *error)
{
    wfsm_machine *machine = instance->snapshot.machine;
    WF_INVARIANT(!instance->scratch); /* one input at a time */
    wf_scratch *scratch = (wf_scratch *)(void *)wf_machine_take_spare(machine);
    if (!scratch)
        scratch = make_scratch(instance);
    if (!scratch)
        return wf_no_memory(error);
    instance->scratch = scratch;
    wf_step_bind(&scratch->step, &instance->snapshot, wf_instance_id(instance));
    return WFSM_OK;
}

void wf_instance_return_scratch(wfsm_instance *instance)
{
    WF_INVARIANT(!instance->scratch->step.open); /* committed, or rolled back */
    wf_spare *other =
        wf_machine_give_spare(instance->snapshot.machine, &instance->scratch->spare);
    if (other)
        free_scratch(instance->snapshot.allocator, other);
    instance->scratch = NULL;
}

int32_t wf_instance_drop(wfsm_instance *instance, int32_t status)
{
    wf_step_rollback(&instance->scratch->step);
    wf_instance_return_scratch(instance);
    return status;
}

int32_t wf_instance_attach(wfsm_instance *instance, wfsm_error *error)
{
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    if (instance->attached)
        return WFSM_OK;
    wf_attachment *made = wf_new(allocator, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    wf_buffer_init(&made->record, allocator);
    wf_buffer_init(&made->log, allocator);
    wf_buffer_init(&made->entered, allocator);
    wf_buffer_init(&made->event, allocator);
    wf_buffer_init(&made->answer, allocator);
    instance->attached = made;
    return WFSM_OK;
}

void wf_instance_detach(wfsm_instance *instance)
{
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    wf_attachment *attached = instance->attached;
    if (!attached)
        return;
    if (attached->waiting > 0)
        wf_batch_forget(attached->store, instance);
    wf_steps_confirm(&instance->snapshot, &attached->unconfirmed);
    wf_buffer_fini(&attached->record);
    wf_buffer_fini(&attached->log);
    wf_buffer_fini(&attached->entered);
    wf_buffer_fini(&attached->event);
    wf_buffer_fini(&attached->answer);
    wf_free(allocator, attached->guards);
    wf_free(allocator, attached->actions);
    wf_free(allocator, attached->owner);
    wf_free(allocator, attached);
    instance->attached = NULL;
}

void wf_instance_note_blocked(wfsm_instance *instance, int32_t outcome)
{
    const wf_guard *guard = instance->scratch->step.blocked;
    const wf_transition *all = instance->snapshot.machine->transitions;
    instance->blocked = WF_NONE;
    if (outcome == WFSM_BLOCKED && guard)
        instance->blocked =
            (uint32_t)((const wf_transition *)(const void *)((const char *)guard -
                                                             offsetof(wf_transition, guard)) -
                       all);
    WF_INVARIANT(instance->blocked == WF_NONE || guard == &all[instance->blocked].guard);
}

int32_t wf_input_parse(wf_arena *arena, const char *text, size_t length, wf_value *value,
                       wfsm_error *error)
{
    int32_t status = WFSM_OK;
    *value = wf_null();
    if (text)
        status = wf_json_parse(arena, text, length, value, error);
    if (status == WFSM_OK && value->depth > WF_KEPT_DEPTH)
        return wf_fail(error, WFSM_LIMIT, "nested deeper than %d levels", WF_KEPT_DEPTH);
    if (status == WFSM_OK && wf_value_weight(value) > WF_INPUT_WEIGHT)
        return wf_fail(error, WFSM_LIMIT, "an input of more than %d bytes", WF_INPUT_WEIGHT);
    return status;
}

int32_t wf_instance_parse(wfsm_instance *instance, const char *text, size_t length,
                          wf_value *value, wfsm_error *error)
{
    return wf_input_parse(&instance->scratch->step.arena, text, length, value, error);
}
