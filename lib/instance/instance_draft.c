/* How every input begins: checks that it is allowed, and makes its note for the record. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "logic/json.h"

int32_t wf_instance_ready(const wfsm_instance *instance, wfsm_error *error)
{
    if (!instance)
        return wf_fail(error, WFSM_INVALID, "the instance is NULL");
    if (instance->busy)
        return wf_fail(error, WFSM_BUSY, "called from inside a callback of the instance");
    if (instance->past)
        return wf_fail(error, WFSM_DENIED,
                       "this is a revision of the past, which only answers questions");
    if (instance->sealed)
        return wf_fail(error, WFSM_SEALED,
                       "the store may be ahead of this instance: load it again");
    return WFSM_OK;
}

/* A store may hand out anything; what is no origin says nothing. */
static void take_origin(wfsm_instance *instance)
{
    const wfsm_row *post = instance->attached->post;
    bool good =
        post->interface != 0 && wf_origin_check(post->interface, post->sender, NULL) == WFSM_OK;
    wf_step_origin(&instance->scratch->step, good ? post->interface : WFSM_INTERFACE_POST,
                   good ? post->sender : NULL);
}

int32_t wf_instance_begin(wfsm_instance *instance, int64_t now, wfsm_error *error)
{
    if (now < 0 || now > WF_NUMBER_MOST)
        return wf_fail(error, WFSM_INVALID, "a time is milliseconds from 0 to 2^53");
    int32_t status = wf_instance_take_scratch(instance, error);
    if (status != WFSM_OK)
        return status;
    wf_instance_bind_host(instance);
    instance->scratch->step.error = error;
    instance->scratch->step.owner = wf_instance_owner(instance);
    instance->scratch->step.grant =
        instance->attached ? instance->attached->grant : (wf_grant){0};
    instance->blocked = WF_NONE;
    status = wf_step_begin(&instance->scratch->step, now);
    if (status == WFSM_OK && instance->attached && instance->attached->limited)
        status = wf_draft_limits(&instance->scratch->step, &instance->attached->limits);
    if (status == WFSM_OK && instance->attached && instance->attached->post)
        take_origin(instance);
    if (status == WFSM_OK && wf_instance_store(instance) && instance->snapshot.revision > 0)
        wf_step_builds_on(&instance->scratch->step, instance->attached->digest);
    return status == WFSM_OK ? status : wf_instance_drop(instance, status);
}

wf_value wf_note_value(wf_arena *arena, const char *kind, const char *const *keys,
                       const wf_value *const *values, size_t count)
{
    size_t used = 1;
    wf_member *members = wf_arena_take(arena, (count + 1) * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "kind", 4, wf_string_z(kind));
    for (size_t i = 0; i < count; i++)
        if (values[i])
            wf_member_set(&members[used++], keys[i], strlen(keys[i]), *values[i]);
    WF_INVARIANT(used <= count + 1);
    return wf_object(members, used);
}

wf_value wf_migrate_note(wf_arena *arena, const wf_snapshot *old)
{
    const char *const keys[] = {"from"};
    wf_value from = wf_string_z(old->machine->fingerprint);
    const wf_value *values[] = {&from};
    return wf_note_value(arena, "migrate", keys, values, 1);
}

wf_value wf_event_note(wf_arena *arena, const wf_value *name, const wf_value *id,
                       const wf_value *data)
{
    const char *const keys[] = {"event", "id", "data"};
    const wf_value *values[] = {name, id->type == WF_NULL ? NULL : id,
                                data->type == WF_NULL ? NULL : data};
    return wf_note_value(arena, "event", keys, values, 3);
}

void wf_instance_invocation_id(const wfsm_instance *instance, const wf_invocation *invocation,
                               char out[WF_INVOCATION_ID_BYTES])
{
    const wf_work work = wf_invocation_work(invocation);
    wf_work_id(out, wf_instance_id(instance), &work);
}
