/* store/snapshot_write.c: the full snapshot of an instance. */
#include "store/record_parts.h"

#include "base/memory.h"
#include "logic/json.h"

static void write_checksum(wf_buffer *out, size_t from)
{
    char text[WF_CHECKSUM_BYTES + 1];
    if (out->failed)
        return;
    wf_checksum_text(out->data + from, out->length - from, text);
    wf_buffer_add(out, text, WF_CHECKSUM_BYTES);
}

void wf_snapshot_write(wf_buffer *out, const wf_snapshot *snapshot,
                       const wf_snapshot_note *note)
{
    size_t from = out->length;
    wf_write_head(out, snapshot, note->revision, true, true);
    wf_write_string(out, "instance", note->instance);
    if (note->checkpoint)
        wf_write_string(out, "checkpoint", note->checkpoint);
    wf_write_string(out, "digest", note->digest);
    wf_write_state(out, snapshot);
    write_checksum(out, from);
}

static void add_tags(const wf_snapshot *snapshot, uint64_t *set)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t s = wf_set_next(snapshot->active, machine->words, 0); s != WF_NONE;
         s = wf_set_next(snapshot->active, machine->words, s + 1)) {
        wf_span tags = machine->states[s].tags;
        for (uint32_t i = tags.first; i < tags.first + tags.count; i++)
            wf_set_add(set, machine->lists[i]);
    }
}

void wf_write_tags(wf_buffer *out, const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    uint32_t words = machine->tags.count / 64 + 1;
    wf_buffer_add(out, "", 0);
    if (machine->tags.count == 0)
        return;
    uint64_t *set = wf_new(out->allocator, words * sizeof *set);
    if (!set) {
        out->failed = true;
        return;
    }
    add_tags(snapshot, set);
    for (uint32_t tag = wf_set_next(set, words, 0); tag != WF_NONE;
         tag = wf_set_next(set, words, tag + 1)) {
        if (out->length > 0)
            wf_buffer_byte(out, ' ');
        wf_buffer_text(out, machine->tags.list[tag].text);
    }
    wf_free(out->allocator, set);
}
