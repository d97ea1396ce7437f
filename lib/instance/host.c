/* Calls the host's guards and actions within a step. */
#include "instance/inner.h"

#include "base/invariant.h"
#include "base/error.h"
#include "logic/json.h"

/* Sets *message to the host's message, if there is one. */
static int32_t failure(wfsm_instance *instance, const wfsm_call *call, const char **message)
{
    if (call->answer != WF_ANSWER_FAILED || call->text.length == 0)
        return WFSM_HOST;
    const char *words =
        wf_arena_text(&instance->scratch->step.arena, call->text.data, call->text.length);
    if (!words)
        return WFSM_NO_MEMORY;
    *message = words;
    return WFSM_HOST;
}

static int32_t call_host(wfsm_instance *instance, const wf_binding *binding, int kind,
                         const char *name, const wf_value *params, const char **message)
{
    wfsm_call *call = &instance->scratch->calls[kind];
    wf_step *step = &instance->scratch->step;
    wf_value context = wf_snapshot_context(&instance->snapshot, &step->arena);
    WF_INVARIANT(call->kind == kind); /* it decides which answers are allowed */
    if (context.type == WF_ABSENT)
        return WFSM_NO_MEMORY;
    wf_call_clear(call);
    call->name = name;
    call->instance = wf_instance_id(instance);
    call->now = instance->snapshot.now;
    call->params.value = params;
    call->context.value = &context;
    call->event.value = wf_step_event_seen(step);
    instance->busy = true;
    int32_t status = binding->call(binding->user, call);
    instance->busy = false;
    call->params.value = call->context.value = call->event.value = NULL;
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK || call->answer == WF_ANSWER_FAILED)
        return failure(instance, call, message);
    return WFSM_OK;
}

static int32_t ask_guard(void *user, const wf_guard *guard, const wf_value *params, bool *yes,
                         const char **message)
{
    wfsm_instance *instance = user;
    int32_t status =
        call_host(instance, &instance->attached->guards[guard->host], WF_CALL_GUARD,
                  instance->snapshot.machine->guards.list[guard->host].text, params, message);
    if (status == WFSM_OK && instance->scratch->calls[WF_CALL_GUARD].answer != WF_ANSWER_ALLOW)
        return WFSM_HOST;
    *yes = instance->scratch->calls[WF_CALL_GUARD].yes != 0;
    return status;
}

static int32_t read_patch(wfsm_instance *instance, wf_value *patch, const char **message)
{
    const wf_buffer *text = &instance->scratch->calls[WF_CALL_ACTION].text;
    int32_t status = wf_instance_parse(instance, text->data, text->length, patch, NULL);
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status == WFSM_OK && patch->type == WF_OBJECT)
        return WFSM_OK;
    *patch = wf_absent();
    *message = "the patch is not a JSON object";
    return WFSM_HOST;
}

static int32_t ask_action(void *user, uint32_t function, const wf_value *params,
                          wf_value *patch, const char **message)
{
    wfsm_instance *instance = user;
    int32_t status =
        call_host(instance, &instance->attached->actions[function], WF_CALL_ACTION,
                  instance->snapshot.machine->functions.list[function].text, params, message);
    if (status != WFSM_OK || instance->scratch->calls[WF_CALL_ACTION].answer != WF_ANSWER_PATCH)
        return status;
    return read_patch(instance, patch, message);
}

void wf_instance_bind_host(wfsm_instance *instance)
{
    instance->scratch->step.host = (wf_host){instance, ask_guard, ask_action};
}
