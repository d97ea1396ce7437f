/* store/decode_values.c: where the values of the context are while records are applied. */
#include "store/decode_parts.h"

/* Unused values are freed when they take more memory than the used ones, and at least so many
 * bytes. */
enum { UNUSED_MOST = 1 << 20 };

static void forget(wf_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->slot_count; i++)
        snapshot->slots[i] = wf_absent();
}

int32_t wf_reader_begin(wf_reader *reader, wf_snapshot *snapshot, wfsm_error *error)
{
    wf_arena_init(&reader->scratch, snapshot->allocator, 0);
    wf_arena_init(&reader->values, snapshot->allocator, 0);
    for (uint32_t i = 0; i < snapshot->slot_count; i++) {
        wf_value *value = &snapshot->slots[i], clone = wf_value_clone(&reader->values, value);
        wf_snapshot_free_value(snapshot, i, value);
        *value = clone;
    }
    reader->used = reader->values.total;
    reader->fields.count = 0;
    if (!reader->values.failed)
        return WFSM_OK;
    return wf_reader_end(reader, snapshot, wf_no_memory(error), error);
}

/* Either each value has a block of its own, or the context is empty. */
static bool take_over(wf_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->slot_count; i++) {
        wf_value copy, *value = &snapshot->slots[i];
        if (!wf_snapshot_copy_value(snapshot, i, value, &copy)) {
            while (i-- > 0)
                wf_snapshot_free_value(snapshot, i, &snapshot->slots[i]);
            forget(snapshot);
            return false;
        }
        *value = copy;
    }
    return true;
}

int32_t wf_reader_end(wf_reader *reader, wf_snapshot *snapshot, int32_t status,
                      wfsm_error *error)
{
    if (status != WFSM_OK)
        forget(snapshot);
    else if (!take_over(snapshot))
        status = wf_no_memory(error);
    wf_arena_fini(&reader->scratch);
    wf_arena_fini(&reader->values);
    return status;
}

int32_t wf_reader_sweep(wf_reader *reader, wf_snapshot *snapshot, wfsm_error *error)
{
    wf_arena fresh;
    if (reader->values.total < 2 * reader->used + UNUSED_MOST)
        return WFSM_OK;
    wf_arena_init(&fresh, reader->values.allocator, 0);
    for (uint32_t i = 0; i < snapshot->slot_count; i++)
        snapshot->slots[i] = wf_value_clone(&fresh, &snapshot->slots[i]);
    wf_arena_fini(&reader->values);
    reader->values = fresh;
    reader->used = fresh.total;
    return fresh.failed ? wf_no_memory(error) : WFSM_OK;
}
