/* store/decode_context.c: the context. */
#include "store/decode_parts.h"

#include "base/invariant.h"
#include "base/memory.h"

/* Puts a value that is in the reader's arena, or only for now in that of the decoder. */
static int32_t put_value(const wf_decoder *decoder, uint32_t slot, const wf_value *value)
{
    wf_snapshot *snapshot = decoder->snapshot;
    wf_value copy = *value;
    WF_INVARIANT(slot < snapshot->slot_count);
    if (!decoder->stored->reader) {
        if (!wf_snapshot_copy_value(snapshot, slot, value, &copy))
            return wf_no_memory(decoder->error);
        wf_snapshot_free_value(snapshot, slot, &snapshot->slots[slot]);
    }
    snapshot->slots[slot] = copy;
    return WFSM_OK;
}

static int32_t set_key(const wf_decoder *decoder, const wf_member *member)
{
    wf_reader *reader = decoder->stored->reader;
    uint32_t slot = wf_snapshot_slot(decoder->snapshot, member->key, member->length);
    if (slot == WF_NONE)
        return wf_no_memory(decoder->error);
    if (!reader)
        return put_value(decoder, slot, &member->value);
    wf_value clone = wf_value_clone(&reader->values, &member->value);
    return reader->values.failed ? wf_no_memory(decoder->error)
                                 : put_value(decoder, slot, &clone);
}

int32_t wf_decode_set(wf_decoder *decoder, const wf_value *context)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < context->length && status == WFSM_OK; i++)
        status = set_key(decoder, &context->as.members[i]);
    return status;
}

/* The slot of a key that is set, or WF_NONE. */
static uint32_t find_key(const wf_snapshot *snapshot, const wf_member *member)
{
    uint32_t slot = wf_names_find(wf_snapshot_keys(snapshot), member->key, member->length);
    return slot != WF_NONE && wf_snapshot_get(snapshot, slot).type != WF_ABSENT ? slot
                                                                                : WF_NONE;
}

int32_t wf_decode_unset(wf_decoder *decoder, const wf_value *keys)
{
    const wf_value absent = wf_absent();
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < keys->length && status == WFSM_OK; i++) {
        const wf_member *member = &keys->as.members[i];
        uint32_t slot = find_key(decoder->snapshot, member);
        if (member->value.type != WF_NULL || slot == WF_NONE)
            return wf_corrupt(decoder,
                              "expected a key of the context and null in "
                              "\"unset\", found \"%s\"",
                              member->key);
        status = put_value(decoder, slot, &absent);
    }
    return status;
}

int32_t wf_decode_changed(wf_decoder *decoder, const wf_value *keys)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < keys->length && status == WFSM_OK; i++) {
        const wf_member *member = &keys->as.members[i];
        uint32_t slot = find_key(decoder->snapshot, member);
        wf_value old = wf_snapshot_get(decoder->snapshot, slot), value;
        if (slot == WF_NONE)
            return wf_corrupt(decoder,
                              "expected a key of the context in \"changed\", found \"%s\"",
                              member->key);
        status = wf_decode_change(decoder, &old, &member->value, &value);
        if (status == WFSM_OK)
            status = put_value(decoder, slot, &value);
    }
    return status;
}
