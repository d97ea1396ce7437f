/* store/decode_record.c: a record as a whole: it is applied to the state that the records
 * before it made. */
#include "store/decode.h"

#include <inttypes.h>
#include <string.h>
#include "store/decode_parts.h"

enum { PREV = WF_HEAD_KEYS, INPUT, OUTCOME };
static const char *const record_keys[] = {WF_HEAD,   "prev",   "input",       "outcome",
                                          "failure", "failed", "transitions", "host",
                                          "errors",  "origin", NULL};

static bool is_outcome(const wf_value *text)
{
    for (int32_t i = WFSM_TAKEN; text && i <= WFSM_RETRY; i++)
        if (strcmp(text->as.text, wfsm_outcome_name(i)) == 0)
            return true;
    return false;
}

/* The input and the outcome, for replay and for people. */
static int32_t check_input(const wf_decoder *decoder, const wf_fields *fields,
                           const char **kind)
{
    const wf_value *input;
    int32_t status = wf_need(decoder, fields, INPUT, WF_OBJECT, &input);
    if (status != WFSM_OK)
        return status;
    const wf_value *word = wf_value_get_z(input, "kind");
    if (!word || word->type != WF_STRING)
        return wf_corrupt(decoder, "expected a string as \"kind\"");
    if (!is_outcome(wf_found(fields, OUTCOME, WF_STRING)))
        return wf_corrupt(decoder, "expected an outcome as \"outcome\"");
    *kind = word->as.text;
    return WFSM_OK;
}

/* The first record and a migration name their document. The digests bind the others to it. */
static int32_t check_document(const wf_decoder *decoder, const wf_fields *fields,
                              const char *kind)
{
    if (decoder->record == 1 || strcmp(kind, "migrate") == 0)
        return wf_decode_document(decoder, fields);
    if (fields->found[WF_HEAD_MACHINE] || fields->found[WF_HEAD_FINGERPRINT])
        return wf_corrupt(decoder, "only the first record and a migration have \"machine\" "
                                   "and \"fingerprint\"");
    return WFSM_OK;
}

/* Numbers never go back, and an instance that has ended stays so. */
static int32_t check_singles(const wf_decoder *decoder, const wf_singles *before)
{
    const wf_singles *now = &decoder->snapshot->extras->singles;
    if (now->timer_number < before->timer_number)
        return wf_corrupt(decoder, "\"timer_number\" goes back");
    if (now->effect_number != decoder->effects_before)
        return wf_corrupt(decoder, "\"effect_number\" is not that of the last effect");
    if (before->progress != WF_GOES_ON && now->progress == WF_GOES_ON)
        return wf_corrupt(decoder, "an instance that has ended continues");
    return WFSM_OK;
}

static int32_t apply_changes(wf_decoder *decoder, const wf_fields *fields)
{
    bool first = fields->found[WF_HEAD_FINGERPRINT] != NULL;
    const wf_singles before = decoder->snapshot->extras->singles;
    int32_t status = wf_decode_part(decoder, fields, WF_HEAD_LIMITS, WF_OBJECT, first,
                                    wf_decode_step_limits);
    if (status == WFSM_OK)
        status = wf_decode_state(decoder, fields);
    return status == WFSM_OK ? check_singles(decoder, &before) : status;
}

static int32_t check_record(wf_decoder *decoder, const wf_fields *fields, const char *digest)
{
    const char *kind = "";
    int64_t revision = 0;
    int32_t status = wf_decode_now(decoder, fields);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, fields, WF_HEAD_REVISION, 1, &revision);
    if (status == WFSM_OK && (uint64_t)revision != decoder->record)
        return wf_corrupt(decoder, "it is record %" PRId64, revision);
    if (status == WFSM_OK)
        status = wf_need_text(decoder, fields, PREV, digest);
    if (status == WFSM_OK)
        status = check_input(decoder, fields, &kind);
    return status == WFSM_OK ? check_document(decoder, fields, kind) : status;
}

int32_t wf_record_apply(wf_snapshot *snapshot, const wf_stored *stored,
                        char digest[WF_DIGEST_HEX], wfsm_error *error)
{
    wf_fields own;
    wf_fields *fields = stored->reader ? &stored->reader->fields : &own;
    wf_decoder decoder = {.snapshot = snapshot,
                          .machine = snapshot->machine,
                          .stored = stored,
                          .record = snapshot->revision + 1,
                          .error = error};
    if (!wf_snapshot_extras(snapshot))
        return wf_no_memory(error);
    own.count = 0;
    wf_decode_begin(&decoder);
    int32_t status = wf_decode_parse(&decoder, record_keys, fields);
    if (status == WFSM_OK)
        status = check_record(&decoder, fields, digest);
    if (status == WFSM_OK)
        status = apply_changes(&decoder, fields);
    if (status == WFSM_OK)
        status = wf_check_whole(&decoder);
    if (status == WFSM_OK && stored->reader)
        status = wf_reader_sweep(stored->reader, snapshot, error);
    if (status == WFSM_OK) {
        if (fields->found[fields->state + WF_STATE_UNSET])
            wf_snapshot_settle(snapshot);
        snapshot->revision = decoder.record;
        wf_digest_text(stored->text, stored->length, digest);
    }
    wf_decode_end(&decoder);
    return status;
}
