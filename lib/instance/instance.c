/* Making, starting and freeing an instance. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "base/utf8.h"
#include "logic/json.h"

void wfsm_instance_free(wfsm_instance *instance)
{
    if (instance == NULL)
        return;
    wfsm_allocator allocator = instance->allocator;
    wf_buffer *buffers[] = {&instance->record, &instance->log, &instance->full,
                            &instance->tags, &instance->answer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wf_buffer_fini(buffers[i]);
    wf_call_fini(&instance->calls[WF_CALL_GUARD]);
    wf_call_fini(&instance->calls[WF_CALL_ACTION]);
    wf_step_fini(&instance->step);
    wf_snapshot_fini(&instance->snapshot);
    wf_free(&allocator, instance->guards);
    wf_free(&allocator, instance->actions);
    wfsm_machine_unref(instance->machine);
    wf_free(&allocator, instance);
}

int32_t wf_instance_check(const void *out, const char *id, wfsm_error *error)
{
    if (out == NULL)
        return wf_fail(error, WFSM_INVALID, "there is no place for the instance");
    if (!wf_id_valid(id))
        return wf_fail(error, WFSM_INVALID, "an instance's id is 1 to 255 bytes of UTF-8");
    return WFSM_OK;
}

static void init_buffers(wfsm_instance *instance)
{
    wf_buffer *buffers[] = {&instance->record, &instance->log, &instance->full,
                            &instance->tags, &instance->answer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wf_buffer_init(buffers[i], &instance->allocator);
    wf_call_init(&instance->calls[WF_CALL_GUARD], WF_CALL_GUARD, &instance->allocator);
    wf_call_init(&instance->calls[WF_CALL_ACTION], WF_CALL_ACTION, &instance->allocator);
}

int32_t wf_instance_make(wfsm_instance **out, wfsm_machine *machine, wfsm_store *store,
                         const wfsm_functions *functions, const char *id, wfsm_error *error)
{
    wfsm_instance *made = wf_new(&machine->allocator, sizeof *made);
    if (made == NULL)
        return wf_no_memory(error);
    made->allocator = machine->allocator;
    made->machine = wfsm_machine_ref(machine);
    made->store = store;
    made->functions = functions;
    made->blocked = "";
    memcpy(made->id, id, strlen(id));
    init_buffers(made);
    int32_t status = wf_instance_bind(made, functions, error);
    if (status == WFSM_OK &&
        (!wf_snapshot_init(&made->snapshot, machine, &made->allocator) ||
         !wf_step_init(&made->step, &made->snapshot, made->id)))
        status = wf_no_memory(error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    wf_instance_bind_host(made);
    *out = made;
    return WFSM_OK;
}

/* ---- start ---- */

static int32_t run_start(wfsm_instance *instance, const char *text, size_t length,
                         int64_t now, wf_note *note, wfsm_error *error)
{
    static const char *const keys[] = {"input"};
    wf_value input = wf_absent();
    wf_arena *arena = &instance->step.arena;
    int32_t status = wf_instance_begin(instance, now, error);
    if (status == WFSM_OK && text != NULL)
        status = wf_instance_parse(instance, text, length, &input, error);
    if (status == WFSM_OK && text != NULL && input.type != WF_OBJECT)
        status = wf_fail(error, WFSM_SEMANTIC, "the input must be a JSON object");
    if (status == WFSM_OK)
        status = wf_step_start(&instance->step, &input, &note->outcome);
    if (status == WFSM_OK)
        status = wf_step_arena(&instance->step);
    const wf_value *values[] = {text != NULL ? &input : NULL};
    note->input = wf_note_value(arena, "start", keys, values, 1);
    return status;
}

int32_t wf_instance_start_owned(wfsm_instance **instance, wfsm_machine *machine,
                                wfsm_store *store, const wfsm_functions *functions,
                                const char *id, const char *input, size_t length,
                                const char *owner, const wf_grant *grant, int64_t now,
                                wfsm_error *error)
{
    wfsm_instance *made = NULL;
    wf_note note = {0};
    int32_t status = wf_instance_check(instance, id, error);
    if (status == WFSM_OK && machine == NULL)
        status = wf_fail(error, WFSM_INVALID, "the machine is NULL");
    if (status == WFSM_OK)
        status = wf_instance_make(&made, machine, store, functions, id, error);
    if (status != WFSM_OK)
        return status;
    made->grant = *grant;
    status = wf_instance_set_owner(made, owner, error);
    if (status == WFSM_OK)
        status = run_start(made, input, length, now, &note, error);
    if (status == WFSM_OK)
        status = wf_instance_commit(made, &note, error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    *instance = made;
    return WFSM_OK;
}

int32_t wfsm_instance_start(wfsm_instance **instance, wfsm_machine *machine,
                            wfsm_store *store, const wfsm_functions *functions,
                            const char *id, const char *input, size_t length, int64_t now,
                            wfsm_error *error)
{
    const wf_grant none = {0};
    return wf_instance_start_owned(instance, machine, store, functions, id, input, length,
                                   "", &none, now, error);
}

/* ---- for the engine ---- */

int32_t wf_instance_set_owner(wfsm_instance *instance, const char *owner, wfsm_error *error)
{
    size_t length = strlen(owner);
    if (length >= sizeof instance->owner)
        return wf_fail(error, WFSM_INVALID, "an owner's name has at most 255 bytes");
    memcpy(instance->owner, owner, length + 1);
    return WFSM_OK;
}

void wf_instance_set_grant(wfsm_instance *instance, const wf_grant *grant)
{
    instance->grant = *grant;
}

bool wf_instance_sealed(const wfsm_instance *instance)
{
    return instance->sealed;
}

int32_t wfsm_instance_observe(wfsm_instance *instance, wfsm_callback observer, void *user)
{
    if (instance == NULL)
        return WFSM_INVALID;
    instance->observer = (wf_binding){observer, user};
    return WFSM_OK;
}
