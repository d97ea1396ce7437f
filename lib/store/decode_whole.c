/* store/decode_whole.c: whether the parts together are a state that an instance can be in. */
#include "store/decode_parts.h"

static int32_t check_timers(const wf_decoder *decoder)
{
    const wf_snapshot *snapshot = decoder->snapshot;
    for (size_t i = 0; i < snapshot->extras->timers.count; i++) {
        uint32_t state = wf_timer_at(&snapshot->extras->timers, i)->state;
        if (state != WF_NONE && !wf_set_has(snapshot->active, state))
            return wf_corrupt(decoder, "a timer belongs to a state that is not active");
    }
    return WFSM_OK;
}

static int32_t check_ledger(const wf_decoder *decoder)
{
    const wf_snapshot *snapshot = decoder->snapshot;
    for (size_t i = 0; i < snapshot->extras->ledger.count; i++) {
        uint32_t state = wf_invocation_at(&snapshot->extras->ledger, i)->state;
        if (!wf_set_has(snapshot->active, state))
            return wf_corrupt(decoder, "an invocation belongs to a state that is not active");
    }
    return WFSM_OK;
}

/* An instance has ended if and only if its root is complete. Then no timer and no invocation is
 * left. */
static int32_t check_end(const wf_decoder *decoder)
{
    const wf_snapshot *snapshot = decoder->snapshot;
    bool done = snapshot->status == WFSM_DONE;
    if (snapshot->extras->singles.progress != WF_IS_STOPPED &&
        done != wf_snapshot_complete(snapshot, 0))
        return wf_corrupt(decoder, "\"status\" contradicts the configuration");
    if (done && (snapshot->extras->timers.count > 0 || snapshot->extras->ledger.count > 0))
        return wf_corrupt(decoder, "timers or invocations are left after the end");
    if (!done && snapshot->extras->singles.output.type != WF_NULL)
        return wf_corrupt(decoder, "there is an output before the end");
    return WFSM_OK;
}

int32_t wf_check_whole(const wf_decoder *decoder)
{
    const wf_list *outbox = &decoder->snapshot->extras->outbox;
    int32_t status = check_end(decoder);
    if (status == WFSM_OK)
        status = check_timers(decoder);
    if (status == WFSM_OK)
        status = check_ledger(decoder);
    if (status == WFSM_OK)
        status = wf_check_sets(decoder);
    if (status == WFSM_OK && outbox->count > 0 &&
        wf_effect_at(outbox, outbox->count - 1)->number !=
            decoder->snapshot->extras->singles.effect_number)
        return wf_corrupt(decoder, "the last of the \"effects\" is missing");
    return status;
}
