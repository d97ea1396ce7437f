/* store/context_write.c: the context in a snapshot, and what a record says of it.
 * decode_context.c reads both back. */
#include "store/record_parts.h"

#include "logic/json.h"

void wf_write_context(wf_buffer *out, const wf_snapshot *snapshot)
{
    wf_buffer_byte(out, '{');
    for (size_t i = 0; i < snapshot->slot_count; i++)
        if (snapshot->slots[i].type != WF_ABSENT) {
            wf_write_key(out, wf_snapshot_keys(snapshot)->list[i].text);
            wf_json_write(out, &snapshot->slots[i]);
        }
    wf_buffer_byte(out, '}');
}

static void write_keys(wf_buffer *out, const wf_step *step, bool set)
{
    const wf_snapshot *snapshot = step->snapshot;
    bool any = false;
    for (size_t i = 0; i < step->undo_count; i++) {
        uint32_t slot = step->undo[i].slot;
        const wf_value *value = &snapshot->slots[slot];
        if ((value->type != WF_ABSENT) != set)
            continue;
        if (!any) {
            wf_write_key(out, set ? "set" : "unset");
            wf_buffer_byte(out, '{');
        }
        any = true;
        wf_write_key(out, wf_snapshot_keys(snapshot)->list[slot].text);
        wf_json_write(out, value);
    }
    if (any)
        wf_buffer_byte(out, '}');
}

void wf_write_context_changes(wf_buffer *out, const wf_step *step)
{
    write_keys(out, step, true);
    write_keys(out, step, false);
}
