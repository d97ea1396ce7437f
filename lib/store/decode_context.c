/* store/decode_context.c: the context and the output. */
#include "store/decode_parts.h"

#include "base/memory.h"

static int32_t put_slot(const wf_decoder *decoder, const wf_member *member,
                        const wf_value *value)
{
    wf_snapshot *snapshot = decoder->snapshot;
    uint32_t slot = wf_snapshot_slot(snapshot, member->key, member->length);
    wf_value copy;
    if (slot == WF_NONE || !wf_snapshot_copy_value(snapshot, slot, value, &copy))
        return wf_no_memory(decoder->error);
    wf_snapshot_free_value(snapshot, slot, &snapshot->slots[slot]);
    snapshot->slots[slot] = copy;
    return WFSM_OK;
}

int32_t wf_decode_set(wf_decoder *decoder, const wf_value *context)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < context->length && status == WFSM_OK; i++)
        status = put_slot(decoder, &context->as.members[i], &context->as.members[i].value);
    return status;
}

static bool is_set(const wf_snapshot *snapshot, const wf_member *member)
{
    uint32_t slot = wf_names_find(wf_snapshot_keys(snapshot), member->key, member->length);
    return slot != WF_NONE && wf_snapshot_get(snapshot, slot).type != WF_ABSENT;
}

int32_t wf_decode_unset(wf_decoder *decoder, const wf_value *keys)
{
    const wf_value absent = wf_absent();
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < keys->length && status == WFSM_OK; i++) {
        const wf_member *member = &keys->as.members[i];
        if (member->value.type != WF_NULL || !is_set(decoder->snapshot, member))
            return wf_corrupt(decoder,
                              "expected a key of the context and null in "
                              "\"unset\", found \"%s\"",
                              member->key);
        status = put_slot(decoder, member, &absent);
    }
    return status;
}

int32_t wf_decode_output(wf_decoder *decoder, const wf_value *output)
{
    wf_extras *extras = wf_own_extras(decoder->snapshot);
    wf_free(decoder->snapshot->allocator, extras->output_block);
    extras->output_block = NULL;
    extras->output = wf_null();
    return wf_keep(decoder, output, &extras->output, &extras->output_block);
}
