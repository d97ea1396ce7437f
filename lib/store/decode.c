#include "store/decode.h"

#include <inttypes.h>
#include <string.h>
#include "base/memory.h"
#include "logic/json.h"
#include "store/decode_parts.h"

static int32_t parse(const wf_decoder *decoder, const char *text, size_t length,
                     wf_value *value)
{
    int32_t status = wf_json_parse(decoder->arena, text, length, value, decoder->error);
    if (status == WFSM_OK && value->type != WF_OBJECT)
        return wf_corrupt(decoder, "no JSON object");
    if (status == WFSM_OK || status == WFSM_NO_MEMORY)
        return status;
    return wf_corrupt(decoder, "no JSON: %s",
                      decoder->error != NULL ? wfsm_error_message(decoder->error) : "");
}

/* The end of an instance is stored with its output. */
static int32_t decode_status(const wf_decoder *decoder, const wf_value *object)
{
    const wf_value *status = wf_member_of(object, "status", WF_STRING);
    const wf_value *output = wf_value_get_z(object, "output");
    decoder->snapshot->status =
        status != NULL && strcmp(status->as.text, "done") == 0 ? WFSM_DONE : WFSM_RUNNING;
    return output != NULL ? wf_decode_output(decoder, output) : WFSM_OK;
}

static int32_t decode_members(const wf_decoder *decoder, const wf_value *object,
                              const char *key, enum wf_type type, bool required,
                              int32_t (*decode)(const wf_decoder *, const wf_value *))
{
    const wf_value *found = wf_value_get_z(object, key);
    if (found == NULL && !required)
        return WFSM_OK;
    if (found == NULL || found->type != type)
        return wf_corrupt(decoder, "\"%s\" is missing or of a wrong type", key);
    return decode(decoder, found);
}

static void read_counter(const wf_value *object, const char *key, uint64_t *counter)
{
    int64_t number;
    if (wf_number_of(object, key, &number) && (uint64_t)number > *counter)
        *counter = (uint64_t)number;
}

static int32_t decode_snapshot(const wf_decoder *decoder, const wf_value *object,
                               char digest[WF_DIGEST_HEX])
{
    const wf_value *text = wf_member_of(object, "digest", WF_STRING);
    wf_snapshot *snapshot = decoder->snapshot;
    int32_t status = wf_decode_head(decoder, object, &snapshot->revision);
    if (status == WFSM_OK && (text == NULL || text->length != WF_DIGEST_HEX - 1))
        return wf_corrupt(decoder, "\"digest\" is missing or malformed");
    if (status == WFSM_OK)
        status = decode_members(decoder, object, "configuration", WF_ARRAY, true,
                                wf_decode_configuration);
    if (status == WFSM_OK)
        status = decode_members(decoder, object, "histories", WF_OBJECT, true,
                                wf_decode_histories);
    if (status == WFSM_OK)
        status = decode_members(decoder, object, "context", WF_OBJECT, true, wf_decode_set);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "timers", wf_decode_timer);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "invocations", wf_decode_invocation);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "effects", wf_decode_effect);
    if (status == WFSM_OK)
        status = decode_status(decoder, object);
    if (status != WFSM_OK)
        return status;
    read_counter(object, "timer_number", &snapshot->timer_number);
    read_counter(object, "effect_number", &snapshot->effect_number);
    memcpy(digest, text->as.text, WF_DIGEST_HEX);
    return WFSM_OK;
}

int32_t wf_snapshot_read(wf_snapshot *snapshot, const char *text, size_t length,
                         char digest[WF_DIGEST_HEX], wfsm_error *error)
{
    wf_arena arena;
    wf_value object;
    wf_arena_init(&arena, snapshot->allocator, 0);
    wf_decoder decoder = {snapshot, snapshot->machine, &arena, error};
    int32_t status = parse(&decoder, text, length, &object);
    if (status == WFSM_OK)
        status = decode_snapshot(&decoder, &object, digest);
    wf_arena_fini(&arena);
    return status;
}

/* ---- records ---- */

static int32_t clear_timer(const wf_decoder *decoder, const wf_value *number)
{
    wf_timers *timers = &decoder->snapshot->timers;
    for (size_t i = 0; i < timers->count; i++) {
        if (number->type != WF_NUMBER ||
            (double)timers->list[i].number < number->as.number ||
            (double)timers->list[i].number > number->as.number)
            continue;
        wf_free(decoder->snapshot->allocator, timers->list[i].block);
        timers->count--;
        memmove(&timers->list[i], &timers->list[i + 1],
                (timers->count - i) * sizeof *timers->list);
        return WFSM_OK;
    }
    return wf_corrupt(decoder, "a record clears a timer that is not there");
}

static bool names(const wf_invocation *self, const wf_value *id)
{
    return id->type == WF_ARRAY && id->length == 2 && id->as.items[0].type == WF_NUMBER &&
           id->as.items[1].type == WF_NUMBER &&
           !((double)self->revision < id->as.items[0].as.number) &&
           !((double)self->revision > id->as.items[0].as.number) &&
           !((double)self->ordinal < id->as.items[1].as.number) &&
           !((double)self->ordinal > id->as.items[1].as.number);
}

static int32_t clear_invocation(const wf_decoder *decoder, const wf_value *id)
{
    wf_ledger *ledger = &decoder->snapshot->ledger;
    for (size_t i = 0; i < ledger->count; i++) {
        if (!names(&ledger->list[i], id))
            continue;
        wf_free(decoder->snapshot->allocator, ledger->list[i].input_block);
        wf_free(decoder->snapshot->allocator, ledger->list[i].owner_block);
        ledger->count--;
        memmove(&ledger->list[i], &ledger->list[i + 1],
                (ledger->count - i) * sizeof *ledger->list);
        return WFSM_OK;
    }
    return wf_corrupt(decoder, "a record clears an invocation that is not there");
}

/* What a restore takes away stands before what it brings: cleared lists go first. */
static int32_t apply_changes(const wf_decoder *decoder, const wf_value *object)
{
    int32_t status = wf_decode_list(decoder, object, "timers_cleared", clear_timer);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "invocations_cleared", clear_invocation);
    if (status == WFSM_OK)
        status = decode_members(decoder, object, "configuration", WF_ARRAY, false,
                                wf_decode_configuration);
    if (status == WFSM_OK)
        status = decode_members(decoder, object, "histories", WF_OBJECT, false,
                                wf_decode_histories);
    if (status == WFSM_OK)
        status = decode_members(decoder, object, "set", WF_OBJECT, false, wf_decode_set);
    if (status == WFSM_OK)
        status =
            decode_members(decoder, object, "unset", WF_OBJECT, false, wf_decode_unset);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "timers_set", wf_decode_timer);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "invocations_set", wf_decode_invocation);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "effects", wf_decode_effect);
    if (status == WFSM_OK)
        status = decode_status(decoder, object);
    read_counter(object, "timer_number", &decoder->snapshot->timer_number);
    return status;
}

static int32_t apply(const wf_decoder *decoder, const wf_value *object, const char *digest)
{
    const wf_value *previous = wf_member_of(object, "prev", WF_STRING);
    uint64_t revision = 0;
    int32_t status = wf_decode_head(decoder, object, &revision);
    if (status != WFSM_OK)
        return status;
    if (revision != decoder->snapshot->revision + 1)
        return wf_corrupt(decoder, "record %" PRIu64 " follows record %" PRIu64, revision,
                          decoder->snapshot->revision);
    if (previous == NULL || strcmp(previous->as.text, digest) != 0)
        return wf_corrupt(decoder, "record %" PRIu64 " does not belong to the one before it",
                          revision);
    status = apply_changes(decoder, object);
    if (status == WFSM_OK)
        decoder->snapshot->revision = revision;
    return status;
}

int32_t wf_record_apply(wf_snapshot *snapshot, const char *text, size_t length,
                        char digest[WF_DIGEST_HEX], wfsm_error *error)
{
    wf_arena arena;
    wf_value object;
    wf_arena_init(&arena, snapshot->allocator, 0);
    wf_decoder decoder = {snapshot, snapshot->machine, &arena, error};
    int32_t status = parse(&decoder, text, length, &object);
    if (status == WFSM_OK)
        status = apply(&decoder, &object, digest);
    if (status == WFSM_OK)
        wf_digest_text(text, length, digest);
    wf_arena_fini(&arena);
    return status;
}
