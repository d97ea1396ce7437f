/* Records as a whole: the next one, applied to what those before it made. */
#include "store/decode.h"

#include <inttypes.h>
#include <string.h>
#include "store/decode_parts.h"

static const char *const record_keys[] = {
    "format",     "machine",        "fingerprint", "revision",    "now",
    "prev",       "input",          "outcome",     "failure",     "failed",
    "transitions", "from",          "configuration", "histories", "set",
    "unset",      "timer_number",   "timers_set",  "timers_cleared", "invocations_set",
    "invocations_cleared", "budgets", "failures", "effects", "host",      "errors",      "status",
    "output",     NULL};

static bool is_outcome(const wf_value *text)
{
    for (int32_t i = WFSM_TAKEN; text != NULL && i <= WFSM_RETRY; i++)
        if (strcmp(text->as.text, wfsm_outcome_name(i)) == 0)
            return true;
    return false;
}

/* What people, and a replay, read. */
static int32_t check_story(const wf_decoder *decoder, const wf_value *object)
{
    const wf_value *input, *kind;
    int32_t status = wf_need(decoder, object, "input", WF_OBJECT, &input);
    if (status == WFSM_OK)
        status = wf_need(decoder, input, "kind", WF_STRING, &kind);
    if (status == WFSM_OK && !is_outcome(wf_member_of(object, "outcome", WF_STRING)))
        return wf_corrupt(decoder, "expected an outcome as \"outcome\"");
    return status;
}

/* The first record and a migration name their document; the others are tied to it by the
 * digests. */
static int32_t check_document(wf_decoder *decoder, const wf_value *object)
{
    const wf_value *kind = wf_value_get_z(wf_value_get_z(object, "input"), "kind");
    if (decoder->record == 1 || strcmp(kind->as.text, "migrate") == 0)
        return wf_decode_document(decoder, object);
    if (wf_value_get_z(object, "machine") != NULL ||
        wf_value_get_z(object, "fingerprint") != NULL)
        return wf_corrupt(decoder, "only the first record and a migration have \"machine\" "
                                   "and \"fingerprint\"");
    return WFSM_OK;
}

static int32_t apply_timers(wf_decoder *decoder, const wf_value *object)
{
    wf_more *more = wf_more_made(decoder->snapshot);
    decoder->timers_before = more->timer_number;
    if (wf_value_get_z(object, "timer_number") == NULL &&
        wf_value_get_z(object, "timers_set") == NULL &&
        wf_value_get_z(object, "timers_cleared") == NULL)
        return WFSM_OK;
    int32_t status = wf_decode_number(decoder, object, "timer_number",
                                      (int64_t)more->timer_number, &more->timer_number);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "timers_cleared", WF_ARRAY, true,
                             wf_clear_timers);
    return status == WFSM_OK
               ? wf_decode_list(decoder, object, "timers_set", wf_decode_timer)
               : status;
}

static int32_t apply_invocations(wf_decoder *decoder, const wf_value *object)
{
    if (wf_value_get_z(object, "invocations_set") == NULL &&
        wf_value_get_z(object, "invocations_cleared") == NULL)
        return WFSM_OK;
    int32_t status = wf_decode_part(decoder, object, "invocations_cleared", WF_ARRAY, true,
                                 wf_clear_invocations);
    return status == WFSM_OK
               ? wf_decode_list(decoder, object, "invocations_set", wf_decode_invocation)
               : status;
}

static int32_t apply_end(wf_decoder *decoder, const wf_value *object)
{
    const wf_value *output = wf_value_get_z(object, "output");
    bool done = wf_value_get_z(object, "status") != NULL;
    decoder->snapshot->status = done ? WFSM_DONE : WFSM_RUNNING;
    wf_more_made(decoder->snapshot)->stopped = false;
    if (done != (output != NULL))
        return wf_corrupt(decoder, "\"status\" and \"output\" come together, at the end");
    if (!done)
        return WFSM_OK;
    const wf_value *word = wf_member_of(object, "status", WF_STRING);
    bool stopped = word != NULL && strcmp(word->as.text, "stopped") == 0;
    wf_more_made(decoder->snapshot)->stopped = stopped;
    int32_t status =
        stopped ? WFSM_OK : wf_need_text(decoder, object, "status", "done");
    return status == WFSM_OK ? wf_decode_output(decoder, output) : status;
}

/* What a restore takes away stands before what it brings: cleared lists go first. */
static int32_t apply_changes(wf_decoder *decoder, const wf_value *object)
{
    int32_t status = wf_decode_part(decoder, object, "configuration", WF_ARRAY, false,
                                 wf_decode_configuration);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "histories", WF_OBJECT, false,
                             wf_decode_histories);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "unset", WF_OBJECT, false, wf_decode_unset);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "set", WF_OBJECT, false, wf_decode_set);
    if (status == WFSM_OK)
        status = apply_timers(decoder, object);
    if (status == WFSM_OK)
        status = apply_invocations(decoder, object);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "budgets", WF_OBJECT, false,
                                wf_decode_budgets);
    if (status == WFSM_OK)
        status = wf_decode_part(decoder, object, "failures", WF_ARRAY, false,
                                wf_decode_failures);
    if (status == WFSM_OK && wf_value_get_z(object, "effects") != NULL)
        status = wf_decode_list(decoder, object, "effects", wf_decode_effect);
    return status == WFSM_OK ? apply_end(decoder, object) : status;
}

static int32_t check_record(wf_decoder *decoder, const wf_value *object, const char *digest)
{
    int64_t revision;
    int32_t status = wf_decode_head(decoder, object);
    if (status == WFSM_OK)
        status = wf_only(decoder, object, record_keys);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, object, "revision", 1, &revision);
    if (status == WFSM_OK && (uint64_t)revision != decoder->record)
        return wf_corrupt(decoder, "it is record %" PRId64, revision);
    if (status == WFSM_OK)
        status = wf_need_text(decoder, object, "prev", digest);
    if (status == WFSM_OK)
        status = check_story(decoder, object);
    return status == WFSM_OK ? check_document(decoder, object) : status;
}

int32_t wf_record_apply(wf_snapshot *snapshot, const wf_stored *stored,
                        char digest[WF_DIGEST_HEX], wfsm_error *error)
{
    wf_value object;
    wf_decoder decoder = {.snapshot = snapshot,
                          .machine = snapshot->machine,
                          .stored = stored,
                          .record = snapshot->revision + 1,
                          .error = error};
    if (wf_snapshot_more(snapshot) == NULL)
        return wf_no_memory(error);
    wf_arena_init(&decoder.arena, snapshot->allocator, 0);
    int32_t status = wf_decode_parse(&decoder, &object);
    if (status == WFSM_OK)
        status = check_record(&decoder, &object, digest);
    if (status == WFSM_OK)
        status = apply_changes(&decoder, &object);
    if (status == WFSM_OK)
        status = wf_check_whole(&decoder);
    if (status == WFSM_OK) {
        wf_snapshot_settle(snapshot);
        snapshot->revision = decoder.record;
        wf_digest_text(stored->text, stored->length, digest);
    }
    wf_arena_fini(&decoder.arena);
    return status;
}
