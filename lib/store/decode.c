/* store/decode.c: a snapshot as a whole. decode_parts.h lists the files of its parts. */
#include "store/decode.h"

#include <string.h>
#include "store/decode_parts.h"

enum { INSTANCE = WF_HEAD_KEYS, CHECKPOINT, DIGEST, CHECKSUM };
static const char *const snapshot_keys[] = {WF_HEAD,  "instance", "checkpoint",
                                            "digest", "checksum", NULL};

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

static int32_t read_revision(const wf_decoder *decoder, const wf_fields *fields)
{
    int64_t revision = 0;
    int32_t status = wf_need_number(decoder, fields, WF_HEAD_REVISION, 1, &revision);
    if (status == WFSM_OK && revision > WF_NUMBER_MOST / 2)
        return wf_corrupt(decoder, "no instance can have reached this \"revision\"");
    decoder->snapshot->revision = (uint64_t)revision;
    return status;
}

static int32_t check_parent(const wf_decoder *decoder)
{
    const wf_value *parent = &decoder->snapshot->extras->singles.parent;
    if (parent->type == WF_NULL || wf_is_parent(parent))
        return WFSM_OK;
    return wf_corrupt(decoder, "\"parent\" does not name an attempt of an invocation");
}

static int32_t read_digest(const wf_decoder *decoder, const wf_fields *fields,
                           char digest[WF_DIGEST_HEX])
{
    const wf_value *text = wf_found(fields, DIGEST, WF_STRING);
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
        status = read_revision(decoder, fields);
    if (status == WFSM_OK)
        status = wf_decode_state(decoder, fields);
    if (status == WFSM_OK)
        status = check_parent(decoder);
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
    fields.count = 0;
    wf_decode_begin(&decoder);
    int32_t status = wf_decode_parse(&decoder, snapshot_keys, &fields);
    if (status == WFSM_OK)
        status = read_snapshot(&decoder, &fields, digest);
    wf_decode_end(&decoder);
    return status;
}
