/* Snapshots as a whole; decode_parts.h names the files of their parts. */
#include "store/decode.h"

#include <string.h>
#include "store/decode_parts.h"

static const char *const snapshot_keys[] = {
    "format",        "machine",       "fingerprint", "revision",    "now",
    "instance",      "checkpoint",    "digest",      "status",      "configuration",
    "histories",     "context",       "timer_number", "effect_number", "timers",
    "invocations",   "effects",       "budgets",     "failures",     "parent", "output",
    "checksum",      NULL};

/* No record has a digest of a snapshot, so it carries one of itself. */
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
    return wf_corrupt(decoder, "the checksum at its end is not that of its bytes");
}

/* A snapshot of another instance, or of another checkpoint, is right in itself. */
static int32_t check_origin(const wf_decoder *decoder, const wf_value *object)
{
    const wf_stored *stored = decoder->stored;
    int32_t status = wf_need_text(decoder, object, "instance", stored->instance);
    if (status == WFSM_OK && stored->checkpoint != NULL)
        status = wf_need_text(decoder, object, "checkpoint", stored->checkpoint);
    else if (status == WFSM_OK && wf_value_get_z(object, "checkpoint") != NULL)
        status = wf_need(decoder, object, "checkpoint", WF_STRING, &(const wf_value *){NULL});
    return status;
}

static int32_t read_numbers(wf_decoder *decoder, const wf_value *object)
{
    wf_snapshot *snapshot = decoder->snapshot;
    wf_more *more = wf_more_made(snapshot);
    int32_t status = wf_decode_number(decoder, object, "revision", 1, &snapshot->revision);
    if (status == WFSM_OK)
        status = wf_decode_number(decoder, object, "timer_number", 0, &more->timer_number);
    if (status == WFSM_OK)
        status = wf_decode_number(decoder, object, "effect_number", 0, &more->effect_number);
    return status;
}

static int32_t read_status(wf_decoder *decoder, const wf_value *object)
{
    const wf_value *status = wf_member_of(object, "status", WF_STRING);
    const wf_value *output = wf_value_get_z(object, "output");
    bool stopped = status != NULL && strcmp(status->as.text, "stopped") == 0;
    bool done = stopped || (status != NULL && strcmp(status->as.text, "done") == 0);
    if (!done && (status == NULL || strcmp(status->as.text, "running") != 0))
        return wf_corrupt(decoder,
                          "expected \"running\", \"done\" or \"stopped\" as \"status\"");
    wf_more_made(decoder->snapshot)->stopped = stopped;
    if (output == NULL)
        return wf_corrupt(decoder, "\"output\" is missing");
    decoder->snapshot->status = done ? WFSM_DONE : WFSM_RUNNING;
    return wf_decode_output(decoder, output);
}

static int32_t read_parent(wf_decoder *decoder, const wf_value *parent)
{
    wf_more *more = wf_more_made(decoder->snapshot);
    if (!wf_is_parent(parent))
        return wf_corrupt(decoder, "\"parent\" names no attempt of an invocation");
    return wf_keep(decoder, parent, &more->parent, &more->parent_block);
}

static int32_t read_parts(wf_decoder *decoder, const wf_value *object)
{
    int32_t status = wf_decode_part(decoder, object, "configuration", WF_ARRAY, true,
                                 wf_decode_configuration);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "histories", WF_OBJECT, true,
                             wf_decode_histories);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "context", WF_OBJECT, true, wf_decode_set);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "timers", wf_decode_timer);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "invocations", wf_decode_invocation);
    if (status == WFSM_OK)
        status = wf_decode_list(decoder, object, "effects", wf_decode_effect);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "budgets", WF_OBJECT,
                                decoder->machine->budget_count > 0, wf_decode_budgets);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "failures", WF_ARRAY, false,
                                wf_decode_failures);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "parent", WF_OBJECT, false, read_parent);
    return status;
}

static int32_t read_digest(const wf_decoder *decoder, const wf_value *object,
                           char digest[WF_DIGEST_HEX])
{
    const wf_value *text = wf_member_of(object, "digest", WF_STRING);
    if (text == NULL || text->length != WF_DIGEST_HEX - 1)
        return wf_corrupt(decoder, "expected the digest of a record as \"digest\"");
    memcpy(digest, text->as.text, WF_DIGEST_HEX);
    return WFSM_OK;
}

static int32_t read_snapshot(wf_decoder *decoder, const wf_value *object,
                             char digest[WF_DIGEST_HEX])
{
    /* First, so that a newer format is called that, whatever else has changed. */
    int32_t status = wf_decode_head(decoder, object);
    if (status == WFSM_OK)
        status = wf_decode_document(decoder, object);
    if (status == WFSM_OK)
        status = check_sum(decoder);
    if (status == WFSM_OK)
        status = wf_only(decoder, object, snapshot_keys);
    if (status == WFSM_OK)
        status = check_origin(decoder, object);
    if (status == WFSM_OK)
        status = read_numbers(decoder, object);
    if (status == WFSM_OK)
        status = read_status(decoder, object);
    if (status == WFSM_OK)
        status = read_parts(decoder, object);
    if (status == WFSM_OK)
        status = wf_check_whole(decoder);
    return status == WFSM_OK ? read_digest(decoder, object, digest) : status;
}

int32_t wf_snapshot_read(wf_snapshot *snapshot, const wf_stored *stored,
                         char digest[WF_DIGEST_HEX], wfsm_error *error)
{
    wf_value object;
    wf_decoder decoder = {
        .snapshot = snapshot, .machine = snapshot->machine, .stored = stored, .error = error};
    if (wf_snapshot_more(snapshot) == NULL)
        return wf_no_memory(error);
    wf_arena_init(&decoder.arena, snapshot->allocator, 0);
    int32_t status = wf_decode_parse(&decoder, &object);
    if (status == WFSM_OK)
        status = read_snapshot(&decoder, &object, digest);
    wf_arena_fini(&decoder.arena);
    return status;
}
