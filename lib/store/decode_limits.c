/* store/decode_limits.c: the limits of a step, budgets and repeated failures. */
#include "store/decode_parts.h"

#include <string.h>
#include "base/memory.h"

/* ---- limits of a step ---- */

bool wf_limits_read(wf_limits *limits, const wf_value *object)
{
    if (object->type != WF_OBJECT || object->length != WF_LIMITS)
        return false;
    for (uint32_t i = 0; i < WF_LIMITS; i++) {
        const wf_limit *self = wf_limit_at(i);
        int64_t number;
        if (!wf_is_number(wf_value_get_z(object, self->name), &number) ||
            number < self->least || number > self->host)
            return false;
        *wf_limit_in(limits, self) = (uint32_t)number;
    }
    return true;
}

int32_t wf_decode_step_limits(wf_decoder *decoder, const wf_value *value)
{
    wf_limits limits;
    if (!wf_limits_read(&limits, value))
        return wf_corrupt(decoder, "expected the limits of a step as \"limits\"");
    if (!wf_snapshot_set_limits(decoder->snapshot, &limits))
        return wf_no_memory(decoder->error);
    return WFSM_OK;
}

/* ---- budgets ---- */

enum { USED, LIMIT, RAISED };
static const char *const used_keys[] = {"used", "limit", "raised", NULL};
static const char *const time_keys[] = {"since", "limit", "raised", NULL};

static int32_t read_budget(const wf_decoder *decoder, uint32_t number, const wf_value *object)
{
    bool time = decoder->machine->budgets[number].counts == WF_COUNT_TIME;
    const wf_value *raised;
    wf_fields fields;
    wf_spent *spent = &decoder->snapshot->extras->budgets[number];
    int32_t status = wf_read_fields(decoder, object, time ? time_keys : used_keys, &fields);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, USED, 0, &spent->used);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, LIMIT, 0, &spent->limit);
    if (status != WFSM_OK)
        return status;
    if (time && spent->used > decoder->snapshot->now)
        return wf_corrupt(decoder, "a budget counts from a time in the future");
    raised = fields.found[RAISED];
    if (raised && (raised->type != WF_BOOLEAN || !raised->as.boolean))
        return wf_corrupt(decoder, "expected true, or nothing, as \"raised\"");
    spent->raised = raised != NULL;
    return WFSM_OK;
}

int32_t wf_decode_budgets(wf_decoder *decoder, const wf_value *value)
{
    const wfsm_machine *machine = decoder->machine;
    uint32_t next = 0;
    int32_t status = WFSM_OK;
    if (value->length == 0 || (decoder->record == 0 && value->length != machine->budget_count))
        return wf_corrupt(decoder, "expected all budgets of the document as \"budgets\"");
    for (uint32_t i = 0; i < value->length && status == WFSM_OK; i++) {
        const wf_member *member = &value->as.members[i];
        uint32_t number = wf_names_find(&machine->budget_names, member->key, member->length);
        if (number == WF_NONE || number < next)
            return wf_corrupt(decoder,
                              "expected budgets of the document, in its order, as \"budgets\"");
        next = number + 1;
        status = read_budget(decoder, number, &member->value);
    }
    return status;
}

/* Budgets never rewind, so they may be newer than the rest of a snapshot. */
bool wf_budgets_read(wf_snapshot *snapshot, const wf_value *budgets)
{
    static const wf_stored nowhere = {"", NULL, "", 0, NULL};
    wf_decoder decoder = {
        .snapshot = snapshot, .machine = snapshot->machine, .stored = &nowhere};
    int64_t now = snapshot->now;
    snapshot->now = WF_NUMBER_MOST;
    bool good = budgets->type == WF_OBJECT && wf_decode_budgets(&decoder, budgets) == WFSM_OK;
    snapshot->now = now;
    return good;
}

/* ---- failures ---- */

enum { INVOKE, SIGNATURE, COUNT };
static const char *const failure_keys[] = {"invoke", "signature", "count", NULL};

static uint32_t find_invoke(const wfsm_machine *machine, const wf_value *id)
{
    uint32_t i = 0;
    if (!id)
        return WF_NONE;
    while (i < machine->invoke_count && strcmp(machine->invokes[i].id.text, id->as.text) != 0)
        i++;
    return i < machine->invoke_count ? i : WF_NONE;
}

static bool is_there(const wf_repeats *repeats, uint32_t invoke)
{
    for (size_t i = 0; i < repeats->count; i++)
        if (repeats->list[i].invoke == invoke)
            return true;
    return false;
}

static int32_t read_failure(const wf_decoder *decoder, const wf_value *object,
                            wf_repeat *repeat)
{
    const wf_value *signature;
    int64_t count = 0;
    wf_fields fields;
    int32_t status = wf_read_fields(decoder, object, failure_keys, &fields);
    if (status == WFSM_OK)
        status = wf_need(decoder, &fields, SIGNATURE, WF_STRING, &signature);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, COUNT, 1, &count);
    if (status != WFSM_OK)
        return status;
    repeat->invoke = find_invoke(decoder->machine, wf_field(&fields, INVOKE, WF_STRING));
    if (repeat->invoke == WF_NONE ||
        is_there(&decoder->snapshot->extras->repeats, repeat->invoke))
        return wf_corrupt(decoder, "expected an \"invoke\" of the document, each once");
    if (signature->length >= WF_SIGNATURE_BYTES ||
        strlen(signature->as.text) != signature->length || count > UINT32_MAX)
        return wf_corrupt(decoder, "\"signature\" or \"count\" is too large");
    repeat->count = (uint32_t)count;
    memcpy(repeat->signature, signature->as.text, signature->length + 1);
    return WFSM_OK;
}

int32_t wf_decode_failures(wf_decoder *decoder, const wf_value *value)
{
    wf_repeats *repeats = &wf_own_extras(decoder->snapshot)->repeats;
    int32_t status = WFSM_OK;
    repeats->count = 0;
    if (decoder->record == 0 && value->length == 0)
        return wf_corrupt(decoder, "\"failures\" is empty");
    for (uint32_t i = 0; i < value->length && status == WFSM_OK; i++) {
        wf_repeat *list = wf_grow(decoder->snapshot->allocator, repeats->list,
                                  &repeats->capacity, repeats->count + 1, sizeof *list);
        if (!list)
            return wf_no_memory(decoder->error);
        repeats->list = list;
        memset(&list[repeats->count], 0, sizeof *list);
        status = read_failure(decoder, &value->as.items[i], &list[repeats->count]);
        if (status == WFSM_OK)
            repeats->count++;
    }
    return status;
}
