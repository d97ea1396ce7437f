/* store/decode_record.c: a record as a whole: it is applied to the state that the records
 * before it made. */
#include "store/decode.h"

#include <inttypes.h>
#include <string.h>
#include "store/decode_parts.h"

enum {
    PREV = WF_HEAD_KEYS,
    INPUT,
    OUTCOME,
    FAILURE,
    FAILED,
    TRANSITIONS,
    FROM,
    CONFIGURATION,
    HISTORIES,
    SET,
    UNSET,
    CHANGED,
    TIMER_NUMBER,
    TIMERS_SET,
    TIMERS_CLEARED,
    INVOCATIONS_SET,
    INVOCATIONS_CLEARED,
    EFFECTS,
    BUDGETS,
    FAILURES,
    HOST,
    ERRORS,
    STATUS,
    OUTPUT
};
/* In the order in which they are written. */
static const char *const record_keys[] = {WF_HEAD,
                                          "prev",
                                          "input",
                                          "outcome",
                                          "failure",
                                          "failed",
                                          "transitions",
                                          "from",
                                          "configuration",
                                          "histories",
                                          "set",
                                          "unset",
                                          "changed",
                                          "timer_number",
                                          "timers_set",
                                          "timers_cleared",
                                          "invocations_set",
                                          "invocations_cleared",
                                          "effects",
                                          "budgets",
                                          "failures",
                                          "host",
                                          "errors",
                                          "status",
                                          "output",
                                          NULL};

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
    if (!is_outcome(wf_field(fields, OUTCOME, WF_STRING)))
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

static int32_t apply_timers(wf_decoder *decoder, const wf_fields *fields)
{
    wf_extras *extras = wf_own_extras(decoder->snapshot);
    decoder->timers_before = extras->timer_number;
    if (!fields->found[TIMER_NUMBER] && !fields->found[TIMERS_SET] &&
        !fields->found[TIMERS_CLEARED])
        return WFSM_OK;
    int32_t status = wf_decode_number(decoder, fields, TIMER_NUMBER,
                                      (int64_t)extras->timer_number, &extras->timer_number);
    if (status == WFSM_OK)
        status =
            wf_decode_part(decoder, fields, TIMERS_CLEARED, WF_ARRAY, true, wf_clear_timers);
    return status == WFSM_OK ? wf_decode_list(decoder, fields, TIMERS_SET, wf_decode_timer)
                             : status;
}

static int32_t apply_invocations(wf_decoder *decoder, const wf_fields *fields)
{
    if (!fields->found[INVOCATIONS_SET] && !fields->found[INVOCATIONS_CLEARED])
        return WFSM_OK;
    int32_t status = wf_decode_part(decoder, fields, INVOCATIONS_CLEARED, WF_ARRAY, true,
                                    wf_clear_invocations);
    return status == WFSM_OK
               ? wf_decode_list(decoder, fields, INVOCATIONS_SET, wf_decode_invocation)
               : status;
}

static int32_t apply_end(wf_decoder *decoder, const wf_fields *fields)
{
    const wf_value *output = fields->found[OUTPUT];
    bool done = fields->found[STATUS] != NULL;
    decoder->snapshot->status = done ? WFSM_DONE : WFSM_RUNNING;
    wf_own_extras(decoder->snapshot)->stopped = false;
    if (done != (output != NULL))
        return wf_corrupt(decoder, "\"status\" and \"output\" come together, at the end");
    if (!done)
        return WFSM_OK;
    const wf_value *word = wf_field(fields, STATUS, WF_STRING);
    bool stopped = word && strcmp(word->as.text, "stopped") == 0;
    wf_own_extras(decoder->snapshot)->stopped = stopped;
    int32_t status = stopped ? WFSM_OK : wf_need_text(decoder, fields, STATUS, "done");
    return status == WFSM_OK ? wf_decode_output(decoder, output) : status;
}

/* Removals are applied before additions, because a restore may remove and add the same keys. */
static int32_t apply_changes(wf_decoder *decoder, const wf_fields *fields)
{
    bool first = fields->found[WF_HEAD_FINGERPRINT] != NULL;
    int32_t status = wf_decode_part(decoder, fields, WF_HEAD_LIMITS, WF_OBJECT, first,
                                    wf_decode_step_limits);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, CONFIGURATION, WF_ARRAY, false,
                                wf_decode_configuration);
    if (status == WFSM_OK)
        status =
            wf_decode_part(decoder, fields, HISTORIES, WF_OBJECT, false, wf_decode_histories);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, UNSET, WF_OBJECT, false, wf_decode_unset);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, SET, WF_OBJECT, false, wf_decode_set);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, CHANGED, WF_OBJECT, false, wf_decode_changed);
    if (status == WFSM_OK)
        status = apply_timers(decoder, fields);
    if (status == WFSM_OK)
        status = apply_invocations(decoder, fields);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, BUDGETS, WF_OBJECT, false, wf_decode_budgets);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, fields, FAILURES, WF_ARRAY, false, wf_decode_failures);
    if (status == WFSM_OK && fields->found[EFFECTS])
        status = wf_decode_list(decoder, fields, EFFECTS, wf_decode_effect);
    return status == WFSM_OK ? apply_end(decoder, fields) : status;
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
    wf_fields fields;
    wf_decoder decoder = {.snapshot = snapshot,
                          .machine = snapshot->machine,
                          .stored = stored,
                          .record = snapshot->revision + 1,
                          .error = error};
    if (!wf_snapshot_extras(snapshot))
        return wf_no_memory(error);
    wf_decode_begin(&decoder);
    int32_t status = wf_decode_parse(&decoder, record_keys, &fields);
    if (status == WFSM_OK)
        status = check_record(&decoder, &fields, digest);
    if (status == WFSM_OK)
        status = apply_changes(&decoder, &fields);
    if (status == WFSM_OK)
        status = wf_check_whole(&decoder);
    if (status == WFSM_OK && stored->reader)
        status = wf_reader_sweep(stored->reader, snapshot, error);
    if (status == WFSM_OK) {
        if (fields.found[UNSET])
            wf_snapshot_settle(snapshot);
        snapshot->revision = decoder.record;
        wf_digest_text(stored->text, stored->length, digest);
    }
    wf_decode_end(&decoder);
    return status;
}
