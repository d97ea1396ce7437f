/* store/context_write.c: the context in a snapshot, and what a record says of it.
 * decode_context.c reads both back. */
#include "store/record_parts.h"

#include "logic/json.h"
#include "store/context_change.h"

void wf_write_context(wf_buffer *out, const wf_snapshot *snapshot)
{
    wf_buffer_byte(out, '{');
    for (size_t i = 0; i < snapshot->slot_count; i++)
        if (snapshot->slots[i].type != WF_ABSENT) {
            wf_write_name(out, wf_snapshot_keys(snapshot)->list[i].text);
            wf_json_write(out, &snapshot->slots[i]);
        }
    wf_buffer_byte(out, '}');
}

static void write_members(wf_buffer *out, const char *name, const wf_members *members)
{
    if (members->count == 0)
        return;
    wf_write_key(out, name);
    wf_buffer_byte(out, '{');
    for (size_t i = 0; i < members->count; i++) {
        wf_write_name(out, members->list[i].key);
        wf_json_write(out, &members->list[i].value);
    }
    wf_buffer_byte(out, '}');
}

void wf_write_context_changes(wf_buffer *out, const wf_step *step)
{
    wf_arena arena;
    wf_object_change change;
    wf_arena_init(&arena, step->allocator, 0);
    wf_context_change(&arena, step, &change);
    write_members(out, "set", &change.set);
    write_members(out, "unset", &change.unset);
    write_members(out, "changed", &change.changed);
    out->failed |= arena.failed;
    wf_arena_fini(&arena);
}
