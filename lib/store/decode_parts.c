#include "store/decode_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"

int32_t wf_corrupt(const wf_decoder *decoder, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return wf_fail(decoder->error, WFSM_CORRUPT, "stored bytes: %s", text);
}

const wf_value *wf_member_of(const wf_value *object, const char *key, enum wf_type type)
{
    const wf_value *found =
        object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
    return found != NULL && found->type == type ? found : NULL;
}

bool wf_number_of(const wf_value *object, const char *key, int64_t *number)
{
    const wf_value *found = wf_member_of(object, key, WF_NUMBER);
    if (found == NULL || !(found->as.number >= 0) || found->as.number > 9007199254740992.0 ||
        floor(found->as.number) < found->as.number)
        return false;
    *number = (int64_t)found->as.number;
    return true;
}

int32_t wf_decode_head(const wf_decoder *decoder, const wf_value *object, uint64_t *revision)
{
    const wf_value *fingerprint = wf_member_of(object, "fingerprint", WF_STRING);
    int64_t format, number, now;
    if (!wf_number_of(object, "format", &format))
        return wf_corrupt(decoder, "no format version");
    if (format > WF_FORMAT)
        return wf_fail(decoder->error, WFSM_VERSION,
                       "stored in format %d, this library knows up to %d", (int)format,
                       WF_FORMAT);
    if (fingerprint == NULL ||
        strcmp(fingerprint->as.text, decoder->machine->fingerprint) != 0)
        return wf_corrupt(decoder, "the fingerprint is that of another machine");
    if (!wf_number_of(object, "revision", &number) || number == 0)
        return wf_corrupt(decoder, "no revision");
    if (!wf_number_of(object, "now", &now) || now < decoder->snapshot->now)
        return wf_corrupt(decoder, "time is missing or runs back");
    decoder->snapshot->now = now;
    *revision = (uint64_t)number;
    return WFSM_OK;
}

static uint32_t state_of(const wf_decoder *decoder, const wf_value *path)
{
    if (path == NULL || path->type != WF_STRING)
        return WF_NONE;
    return wf_names_find(&decoder->machine->paths, path->as.text, path->length);
}

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

/* Every active compound state has one active child, every parallel one all of them. */
static bool is_legal(const wf_decoder *decoder)
{
    const wfsm_machine *machine = decoder->machine;
    const uint64_t *active = decoder->snapshot->active;
    for (uint32_t s = wf_set_next(active, machine->words, 0); s != WF_NONE;
         s = wf_set_next(active, machine->words, s + 1)) {
        const wf_state *state = &machine->states[s];
        uint32_t on = 0, off = 0;
        for (uint32_t c = s + 1; c < state->end; c = machine->states[c].end)
            if (!is_history(&machine->states[c]))
                *(wf_set_has(active, c) ? &on : &off) += 1;
        if (is_history(state) || (state->type == WF_COMPOUND && on != 1) ||
            (state->type == WF_PARALLEL && off != 0))
            return false;
    }
    return wf_set_has(active, 0);
}

int32_t wf_decode_configuration(const wf_decoder *decoder, const wf_value *leaves)
{
    const wfsm_machine *machine = decoder->machine;
    memset(decoder->snapshot->active, 0, machine->words * sizeof(uint64_t));
    for (uint32_t i = 0; i < leaves->length; i++) {
        uint32_t state = state_of(decoder, &leaves->as.items[i]);
        if (state == WF_NONE)
            return wf_corrupt(decoder, "the configuration names an unknown state");
        for (uint32_t s = state; s != WF_NONE; s = machine->states[s].parent)
            wf_set_add(decoder->snapshot->active, s);
    }
    if (!is_legal(decoder))
        return wf_corrupt(decoder, "the configuration is not a legal one");
    return WFSM_OK;
}

static int32_t decode_history(const wf_decoder *decoder, const wf_member *member)
{
    const wfsm_machine *machine = decoder->machine;
    uint32_t history = wf_names_find(&machine->paths, member->key, member->length);
    if (history == WF_NONE || !is_history(&machine->states[history]) ||
        member->value.type != WF_ARRAY)
        return wf_corrupt(decoder, "\"%s\" is no history state", member->key);
    uint64_t *set = decoder->snapshot->histories +
                    (size_t)machine->states[history].history * machine->words;
    memset(set, 0, machine->words * sizeof *set);
    for (uint32_t i = 0; i < member->value.length; i++) {
        uint32_t state = state_of(decoder, &member->value.as.items[i]);
        if (state == WF_NONE ||
            !wf_is_descendant(machine, state, machine->states[history].parent))
            return wf_corrupt(decoder, "\"%s\" remembers a state that is not there",
                              member->key);
        wf_set_add(set, state);
    }
    return WFSM_OK;
}

int32_t wf_decode_histories(const wf_decoder *decoder, const wf_value *histories)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < histories->length && status == WFSM_OK; i++)
        status = decode_history(decoder, &histories->as.members[i]);
    return status;
}

static int32_t put_slot(const wf_decoder *decoder, const wf_member *member,
                        const wf_value *value)
{
    wf_snapshot *snapshot = decoder->snapshot;
    uint32_t slot = wf_snapshot_slot(snapshot, member->key, member->length);
    wf_value copy;
    void *block = NULL;
    if (slot == WF_NONE || !wf_value_copy(snapshot->allocator, value, &copy, &block))
        return wf_no_memory(decoder->error);
    wf_free(snapshot->allocator, snapshot->blocks[slot]);
    snapshot->slots[slot] = copy;
    snapshot->blocks[slot] = block;
    return WFSM_OK;
}

int32_t wf_decode_set(const wf_decoder *decoder, const wf_value *context)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < context->length && status == WFSM_OK; i++)
        status = put_slot(decoder, &context->as.members[i], &context->as.members[i].value);
    return status;
}

int32_t wf_decode_unset(const wf_decoder *decoder, const wf_value *keys)
{
    const wf_value absent = wf_absent();
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < keys->length && status == WFSM_OK; i++)
        status = put_slot(decoder, &keys->as.members[i], &absent);
    return status;
}

static int32_t keep(const wf_decoder *decoder, const wf_value *value, wf_value *copy,
                    void **block)
{
    if (wf_value_copy(decoder->snapshot->allocator, value, copy, block))
        return WFSM_OK;
    return wf_no_memory(decoder->error);
}

int32_t wf_decode_timer(const wf_decoder *decoder, const wf_value *timer)
{
    wf_timers *timers = &decoder->snapshot->timers;
    const wf_value *raised = wf_member_of(timer, "raised", WF_OBJECT);
    const wf_value *path = wf_member_of(timer, "state", WF_STRING);
    int64_t number;
    wf_timer made = {.state = WF_NONE};
    if (raised == NULL || wf_member_of(raised, "event", WF_STRING) == NULL ||
        !wf_number_of(timer, "number", &number) || !wf_number_of(timer, "due", &made.due))
        return wf_corrupt(decoder, "a timer is malformed");
    made.number = (uint64_t)number;
    if (path != NULL) {
        made.state = state_of(decoder, path);
        if (made.state == WF_NONE)
            return wf_corrupt(decoder, "a timer belongs to an unknown state");
    }
    wf_timer *list = wf_grow(decoder->snapshot->allocator, timers->list, &timers->capacity,
                             timers->count + 1, sizeof *list);
    if (list == NULL)
        return wf_no_memory(decoder->error);
    timers->list = list;
    int32_t status = keep(decoder, raised, &made.raised, &made.block);
    if (status == WFSM_OK)
        list[timers->count++] = made;
    return status;
}

static uint32_t invoke_of(const wf_decoder *decoder, const wf_value *object)
{
    const wf_value *id = wf_member_of(object, "invoke", WF_STRING);
    for (uint32_t i = 0; id != NULL && i < decoder->machine->invoke_count; i++)
        if (strcmp(decoder->machine->invokes[i].id.text, id->as.text) == 0)
            return i;
    return WF_NONE;
}

static uint32_t agent_of(const wf_decoder *decoder, const wf_value *object)
{
    const wf_value *agent = wf_member_of(object, "agent", WF_STRING);
    if (agent == NULL)
        return WF_NONE;
    return wf_names_find(&decoder->machine->agents, agent->as.text, agent->length);
}

static uint32_t reason_of(const wf_value *object)
{
    const wf_value *reason = wf_member_of(object, "retry_reason", WF_STRING);
    return reason == NULL ? WF_CLASSES : wf_class_find(reason->as.text, reason->length);
}

static int32_t read_invocation(const wf_decoder *decoder, const wf_value *object,
                               wf_invocation *made)
{
    const wf_value *status = wf_member_of(object, "status", WF_STRING);
    int64_t revision, ordinal, attempt;
    made->invoke = invoke_of(decoder, object);
    made->agent = agent_of(decoder, object);
    if (made->invoke == WF_NONE || made->agent == WF_NONE || status == NULL ||
        !wf_number_of(object, "revision", &revision) ||
        !wf_number_of(object, "ordinal", &ordinal) ||
        !wf_number_of(object, "attempt", &attempt) || ordinal > UINT32_MAX ||
        attempt > UINT32_MAX)
        return wf_corrupt(decoder, "an invocation is malformed");
    made->revision = (uint64_t)revision;
    made->ordinal = (uint32_t)ordinal;
    made->attempt = (uint32_t)attempt;
    made->reason = reason_of(object);
    made->status = strcmp(status->as.text, "running") == 0 ? WF_RUNNING : WF_PENDING;
    made->due = WFSM_NEVER;
    wf_number_of(object, "due", &made->due);
    wf_number_of(object, "claimed", &made->claimed);
    return WFSM_OK;
}

/* A known invocation keeps its input; only what changed was stored. */
static wf_invocation *known_invocation(const wf_decoder *decoder, const wf_invocation *made)
{
    wf_ledger *ledger = &decoder->snapshot->ledger;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->list[i].revision == made->revision &&
            ledger->list[i].ordinal == made->ordinal)
            return &ledger->list[i];
    return NULL;
}

static int32_t update_invocation(const wf_decoder *decoder, wf_invocation *known,
                                 wf_invocation *made)
{
    wf_free(decoder->snapshot->allocator, known->owner_block);
    made->input = known->input;
    made->input_block = known->input_block;
    *known = *made;
    return WFSM_OK;
}

static int32_t append_invocation(const wf_decoder *decoder, const wf_value *object,
                                 wf_invocation *made)
{
    wf_ledger *ledger = &decoder->snapshot->ledger;
    const wf_value *input = wf_value_get_z(object, "input");
    if (input == NULL) {
        wf_free(decoder->snapshot->allocator, made->owner_block);
        return wf_corrupt(decoder, "an invocation has no input");
    }
    wf_invocation *list = wf_grow(decoder->snapshot->allocator, ledger->list,
                                  &ledger->capacity, ledger->count + 1, sizeof *list);
    if (list != NULL)
        ledger->list = list;
    if (list == NULL ||
        keep(decoder, input, &made->input, &made->input_block) != WFSM_OK) {
        wf_free(decoder->snapshot->allocator, made->owner_block);
        return wf_no_memory(decoder->error);
    }
    list[ledger->count++] = *made;
    return WFSM_OK;
}

int32_t wf_decode_invocation(const wf_decoder *decoder, const wf_value *object)
{
    wf_invocation made = {0};
    const wf_value *owner = wf_member_of(object, "owner", WF_STRING);
    int32_t status = read_invocation(decoder, object, &made);
    if (status == WFSM_OK && owner != NULL)
        status = keep(decoder, owner, &made.owner, &made.owner_block);
    if (status != WFSM_OK)
        return status;
    wf_invocation *known = known_invocation(decoder, &made);
    return known != NULL ? update_invocation(decoder, known, &made)
                         : append_invocation(decoder, object, &made);
}

int32_t wf_decode_effect(const wf_decoder *decoder, const wf_value *object)
{
    wf_outbox *outbox = &decoder->snapshot->outbox;
    const wf_value *emit = wf_member_of(object, "emit", WF_OBJECT);
    int64_t number, revision, ordinal;
    if (emit == NULL || !wf_number_of(object, "number", &number) ||
        !wf_number_of(object, "revision", &revision) ||
        !wf_number_of(object, "ordinal", &ordinal) || ordinal > UINT32_MAX)
        return wf_corrupt(decoder, "an effect is malformed");
    wf_effect made = {.number = (uint64_t)number,
                      .revision = (uint64_t)revision,
                      .ordinal = (uint32_t)ordinal};
    wf_effect *list = wf_grow(decoder->snapshot->allocator, outbox->list, &outbox->capacity,
                              outbox->count + 1, sizeof *list);
    if (list == NULL)
        return wf_no_memory(decoder->error);
    outbox->list = list;
    int32_t status = keep(decoder, emit, &made.value, &made.block);
    if (status != WFSM_OK)
        return status;
    list[outbox->count++] = made;
    if (made.number > decoder->snapshot->effect_number)
        decoder->snapshot->effect_number = made.number;
    return WFSM_OK;
}

int32_t wf_decode_output(const wf_decoder *decoder, const wf_value *output)
{
    wf_snapshot *snapshot = decoder->snapshot;
    wf_free(snapshot->allocator, snapshot->output_block);
    snapshot->output_block = NULL;
    snapshot->output = wf_null();
    return keep(decoder, output, &snapshot->output, &snapshot->output_block);
}

int32_t wf_decode_list(const wf_decoder *decoder, const wf_value *object, const char *key,
                       int32_t (*each)(const wf_decoder *, const wf_value *))
{
    const wf_value *list = wf_value_get_z(object, key);
    int32_t status = WFSM_OK;
    if (list == NULL)
        return WFSM_OK;
    if (list->type != WF_ARRAY)
        return wf_corrupt(decoder, "\"%s\" is no list", key);
    for (uint32_t i = 0; i < list->length && status == WFSM_OK; i++)
        status = each(decoder, &list->as.items[i]);
    return status;
}
