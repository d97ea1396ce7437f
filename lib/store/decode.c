/* store/decode.c: a snapshot as a whole. decode_parts.h lists the files of its parts. */
#include "store/decode.h"

#include <string.h>
#include "store/decode_parts.h"

enum {
    INSTANCE = WF_HEAD_KEYS,
    CHECKPOINT,
    DIGEST,
    STATUS,
    PARENT,
    CONFIGURATION,
    HISTORIES,
    CONTEXT,
    TIMER_NUMBER,
    EFFECT_NUMBER,
    TIMERS,
    INVOCATIONS,
    EFFECTS,
    BUDGETS,
    FAILURES,
    OUTPUT,
    CHECKSUM
};
/* In the order in which they are written. */
static const char *const snapshot_keys[] = {
    WF_HEAD,         "instance",      "checkpoint",  "digest",  "status",
    "parent",        "configuration", "histories",   "context", "timer_number",
    "effect_number", "timers",        "invocations", "effects", "budgets",
    "failures",      "output",        "checksum",    NULL};

/* No record has the digest of a snapshot, so a snapshot has a checksum of its own. */
static int32_t check_sum(const wf_decoder *decoder)
{
    char sum[WF_CHECKSUM_BYTES + 1];
    const wf_stored *stored = decoder->stored;
    size_t covered = stored->length - WF_CHECKSUM_BYTES;
    if (stored->length > WF_CHECKSUM_BYTES) {
        wf_checksum_text(stored->text, covered, sum);
        if (memcmp(stored->text + covered, sum, WF_CHECKSUM_BYTES) == 0)
            return WFSM_OK;
    }
    return wf_corrupt(decoder, "the checksum at its end does not match its bytes");
}

/* A snapshot may be valid, and yet belong to another instance or checkpoint. */
static int32_t check_origin(const wf_decoder *decoder, const wf_fields *fields)
{
    const wf_stored *stored = decoder->stored;
    int32_t status = wf_need_text(decoder, fields, INSTANCE, stored->instance);
    if (status == WFSM_OK && stored->checkpoint)
        status = wf_need_text(decoder, fields, CHECKPOINT, stored->checkpoint);
    else if (status == WFSM_OK && fields->found[CHECKPOINT])
        status = wf_need(decoder, fields, CHECKPOINT, WF_STRING, &(const wf_value *){NULL});
    return status;
}

static int32_t read_numbers(wf_decoder *decoder, const wf_fields *fields)
{
    wf_snapshot *snapshot = decoder->snapshot;
    wf_extras *extras = wf_own_extras(snapshot);
    int32_t status =
        wf_decode_number(decoder, fields, WF_HEAD_REVISION, 1, &snapshot->revision);
    if (status == WFSM_OK)
        status = wf_decode_number(decoder, fields, TIMER_NUMBER, 0, &extras->timer_number);
    if (status == WFSM_OK)
        status = wf_decode_number(decoder, fields, EFFECT_NUMBER, 0, &extras->effect_number);
    return status;
}

static int32_t read_status(wf_decoder *decoder, const wf_fields *fields)
{
    const wf_value *status = wf_field(fields, STATUS, WF_STRING);
    const wf_value *output = fields->found[OUTPUT];
    bool stopped = status && strcmp(status->as.text, "stopped") == 0;
    bool done = stopped || (status && strcmp(status->as.text, "done") == 0);
    if (!done && (!status || strcmp(status->as.text, "running") != 0))
        return wf_corrupt(decoder,
                          "expected \"running\", \"done\" or \"stopped\" as \"status\"");
    wf_own_extras(decoder->snapshot)->stopped = stopped;
    if (!output)
        return wf_corrupt(decoder, "\"output\" is missing");
    decoder->snapshot->status = done ? WFSM_DONE : WFSM_RUNNING;
    return wf_decode_output(decoder, output);
}

static int32_t read_parent(wf_decoder *decoder, const wf_value *parent)
{
    wf_extras *extras = wf_own_extras(decoder->snapshot);
    if (!wf_is_parent(parent))
        return wf_corrupt(decoder, "\"parent\" does not name an attempt of an invocation");
    return wf_keep(decoder, parent, &extras->parent, &extras->parent_block);
}

static int32_t read_parts(wf_decoder *decoder, const wf_fields *fields)
{
    int32_t status =
        wf_decode_part(decoder, fields, CONFIGURATION, WF_ARRAY, true, wf_decode_configuration);
    if (status == WFSM_OK)
        status =
            wf_decode_part(decoder, fields, HISTORIES, WF_OBJECT, true, wf_decode_histories);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, CONTEXT, WF_OBJECT, true, wf_decode_set);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, fields, TIMERS, wf_decode_timer);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, fields, INVOCATIONS, wf_decode_invocation);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, fields, EFFECTS, wf_decode_effect);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, BUDGETS, WF_OBJECT,
                                decoder->machine->budget_count > 0, wf_decode_budgets);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, FAILURES, WF_ARRAY, false, wf_decode_failures);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, PARENT, WF_OBJECT, false, read_parent);
    return status;
}

static int32_t read_digest(const wf_decoder *decoder, const wf_fields *fields,
                           char digest[WF_DIGEST_HEX])
{
    const wf_value *text = wf_field(fields, DIGEST, WF_STRING);
    if (!text || text->length != WF_DIGEST_HEX - 1)
        return wf_corrupt(decoder, "expected the digest of a record as \"digest\"");
    memcpy(digest, text->as.text, WF_DIGEST_HEX);
    return WFSM_OK;
}

static int32_t read_snapshot(wf_decoder *decoder, const wf_fields *fields,
                             char digest[WF_DIGEST_HEX])
{
    int32_t status = wf_decode_document(decoder, fields);
    if (status == WFSM_OK)
        status = check_sum(decoder);
    if (status == WFSM_OK)
        status = wf_decode_now(decoder, fields);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, WF_HEAD_LIMITS, WF_OBJECT, true,
                                wf_decode_step_limits);
    if (status == WFSM_OK)
        status = check_origin(decoder, fields);
    if (status == WFSM_OK)
        status = read_numbers(decoder, fields);
    if (status == WFSM_OK)
        status = read_status(decoder, fields);
    if (status == WFSM_OK)
        status = read_parts(decoder, fields);
    if (status == WFSM_OK)
        status = wf_check_whole(decoder);
    return status == WFSM_OK ? read_digest(decoder, fields, digest) : status;
}

int32_t wf_snapshot_read(wf_snapshot *snapshot, const wf_stored *stored,
                         char digest[WF_DIGEST_HEX], wfsm_error *error)
{
    wf_fields fields;
    wf_decoder decoder = {
        .snapshot = snapshot, .machine = snapshot->machine, .stored = stored, .error = error};
    if (!wf_snapshot_extras(snapshot))
        return wf_no_memory(error);
    wf_decode_begin(&decoder);
    int32_t status = wf_decode_parse(&decoder, snapshot_keys, &fields);
    if (status == WFSM_OK)
        status = read_snapshot(&decoder, &fields, digest);
    wf_decode_end(&decoder);
    return status;
}
