/* Changing the context: a top-level key, a place below one, or several keys by a patch. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"

static int32_t refuse(wf_step *step, const char *message)
{
    step->message = message;
    return WFSM_SEMANTIC;
}

/* Whether schemas.context allows the value of a top-level key. */
static int32_t check_key(wf_step *step, const char *key, size_t length, const wf_value *value)
{
    const wf_schema *schema = step->machine->context_schema;
    bool forbidden = false;
    if (value->depth > WF_KEPT_DEPTH)
        return refuse(step, "the value is nested too deeply, or too large, to be kept");
    if (!schema)
        return WFSM_OK;
    const wf_schema *of_key = wf_schema_key(schema, key, length, &forbidden);
    if (forbidden)
        return refuse(step, "schemas.context does not allow this key");
    if (!of_key)
        return WFSM_OK;
    int32_t status = step->evaluator
                         ? step->evaluator->fits(step->evaluator->user, of_key, value)
                         : wf_schema_check_within(of_key, value, &step->work);
    if (step->work == 0)
        return wf_fuel_work_out(step);
    if (status == WFSM_SEMANTIC || status == WFSM_LIMIT)
        return refuse(step, "the value does not fit schemas.context");
    return status;
}

static int32_t store(wf_step *step, uint32_t slot, const wf_value *value)
{
    const wf_name *name = &wf_snapshot_keys(step->snapshot)->list[slot];
    int32_t status = check_key(step, name->text, name->length, value);
    return status == WFSM_OK ? wf_draft_assign(step, slot, value) : status;
}

/* A copy of `object` in which the place below it has the value. ABSENT, with step->message, when a
 * parent is missing or is not an object. */
static wf_value with_below(wf_step *step, const wf_value *object, const wf_name *keys,
                           uint32_t depth, const wf_value *value)
{
    const wf_value *old =
        object->type == WF_OBJECT ? wf_value_get(object, keys[0].text, keys[0].length) : NULL;
    wf_value part = *value;
    if (object->type != WF_OBJECT || (depth > 1 && !old)) {
        step->message = "a parent of the key is not an object";
        return wf_absent();
    }
    if (depth > 1)
        part = with_below(step, old, keys + 1, depth - 1, value);
    if (part.type == WF_ABSENT)
        return part;
    size_t count = object->length;
    if (wf_fuel_work(step, count / 8) != WFSM_OK)
        return wf_absent();
    wf_member *members = wf_arena_take(&step->arena, (count + 1) * sizeof *members);
    if (!members)
        return wf_absent();
    memcpy(members, object->as.members, count * sizeof *members);
    if (old) {
        members[(const wf_member *)(const void *)((const char *)old -
                                                  offsetof(wf_member, value)) -
                object->as.members]
            .value = part;
        return wf_object(members, count);
    }
    wf_member_set(&members[count], keys[0].text, keys[0].length, part);
    return wf_object(members, count + 1);
}

/* In verification. */
static int32_t assign_within(wf_step *step, const wf_target *target, const wf_value *value)
{
    wf_value whole, old = wf_snapshot_get(step->snapshot, target->slot);
    int32_t status = step->evaluator->within(step->evaluator->user, &old, target->keys,
                                             target->depth, value, &whole);
    if (status == WFSM_SEMANTIC)
        return refuse(step, "a parent of the key is not an object");
    return status == WFSM_OK ? store(step, target->slot, &whole) : status;
}

int32_t wf_assign(wf_step *step, const wf_target *target, const wf_value *value)
{
    wf_value whole = *value;
    int32_t status = wf_fuel_work(step, 1);
    if (status != WFSM_OK)
        return status;
    if (step->evaluator && target->depth > 0)
        return assign_within(step, target, value);
    if (target->depth > 0) {
        wf_value old = wf_snapshot_get(step->snapshot, target->slot);
        step->message = "the value is nested too deeply";
        whole = with_below(step, &old, target->keys, target->depth, value);
        if (step->work == 0)
            return WFSM_LIMIT;
        if (step->arena.failed || step->arena.exceeded)
            return wf_step_arena(step);
        if (whole.type == WF_ABSENT)
            return WFSM_SEMANTIC;
    }
    return store(step, target->slot, &whole);
}

/* The value is checked before a new key gets its slot. */
static int32_t store_member(wf_step *step, const wf_member *member)
{
    int32_t status = wf_fuel_work(step, 1);
    if (status == WFSM_OK)
        status = check_key(step, member->key, member->length, &member->value);
    step->refused = member;
    if (status != WFSM_OK)
        return status;
    uint32_t slot = wf_snapshot_slot(step->snapshot, member->key, member->length);
    return slot == WF_NONE ? wf_no_memory(step->error)
                           : wf_draft_assign(step, slot, &member->value);
}

int32_t wf_assign_patch(wf_step *step, const wf_value *patch)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < patch->length && status == WFSM_OK; i++)
        status = store_member(step, &patch->as.members[i]);
    return status;
}

/* The schema of the refused member, if it says more than that the member is not allowed. */
static const wf_schema *schema_of_refused(const wf_step *step)
{
    const wf_schema *schema = step->machine->context_schema;
    bool forbidden = false;
    if (!schema || step->evaluator)
        return NULL;
    schema = wf_schema_key(schema, step->refused->key, step->refused->length, &forbidden);
    return forbidden ? NULL : schema;
}

int32_t wf_assign_refused(wf_step *step, const char *of)
{
    const wf_schema *schema = schema_of_refused(step);
    if (schema && wf_schema_explain(schema, step->refused, step->schema_error) == WFSM_SEMANTIC)
        return wf_fail(step->error, WFSM_SEMANTIC, "%s%s: %s", of, step->message,
                       wfsm_error_message(step->schema_error));
    return wf_fail(step->error, WFSM_SEMANTIC, "%s\"%.*s\": %s", of, (int)step->refused->length,
                   step->refused->key, step->message);
}

int32_t wf_step_patch(wf_step *step, const wf_value *patch, int32_t *outcome)
{
    int32_t status = wf_assign_patch(step, patch);
    *outcome = WFSM_TAKEN;
    if (status == WFSM_SEMANTIC)
        return wf_assign_refused(step, "");
    return status == WFSM_OK ? wf_step_weight(step) : status;
}
