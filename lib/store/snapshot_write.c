/* store/snapshot_write.c: the full snapshot of an instance. */
#include "store/record_parts.h"

#include "base/memory.h"
#include "logic/json.h"

static void next(wf_buffer *out, size_t index)
{
    if (index > 0)
        wf_buffer_byte(out, ',');
}

static void write_lists(wf_buffer *out, const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    wf_write_key(out, "timers");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < snapshot->extras->timers.count; i++) {
        next(out, i);
        wf_write_timer(out, machine, &snapshot->extras->timers.list[i]);
    }
    wf_buffer_byte(out, ']');
    wf_write_key(out, "invocations");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < snapshot->extras->ledger.count; i++) {
        next(out, i);
        wf_write_invocation(out, machine, &snapshot->extras->ledger.list[i], false);
    }
    wf_buffer_byte(out, ']');
    wf_write_key(out, "effects");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < snapshot->extras->outbox.count; i++) {
        next(out, i);
        wf_write_effect(out, &snapshot->extras->outbox.list[i]);
    }
    wf_buffer_byte(out, ']');
}

static void write_checksum(wf_buffer *out, size_t from)
{
    char text[WF_CHECKSUM_BYTES + 1];
    if (out->failed)
        return;
    wf_checksum_text(out->data + from, out->length - from, text);
    wf_buffer_add(out, text, WF_CHECKSUM_BYTES);
}

static const char *status_of(const wf_snapshot *snapshot)
{
    if (snapshot->status != WFSM_DONE)
        return "running";
    return snapshot->extras->stopped ? "stopped" : "done";
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
    wf_write_string(out, "status", status_of(snapshot));
    if (snapshot->extras->parent.type == WF_OBJECT) {
        wf_write_key(out, "parent");
        wf_json_write(out, &snapshot->extras->parent);
    }
    wf_write_key(out, "configuration");
    wf_write_configuration(out, snapshot->machine, snapshot->active);
    wf_write_key(out, "histories");
    wf_write_histories(out, snapshot->machine, snapshot->extras->histories, NULL);
    wf_write_key(out, "context");
    wf_write_context(out, snapshot);
    wf_write_key(out, "timer_number");
    wf_json_write_int(out, (int64_t)snapshot->extras->timer_number);
    wf_write_key(out, "effect_number");
    wf_json_write_int(out, (int64_t)snapshot->extras->effect_number);
    write_lists(out, snapshot);
    if (snapshot->machine->budget_count > 0) {
        wf_write_key(out, "budgets");
        wf_write_budgets(out, snapshot->machine, snapshot->extras->budgets, NULL);
    }
    if (snapshot->extras->repeats.count > 0) {
        wf_write_key(out, "failures");
        wf_write_failures(out, snapshot->machine, &snapshot->extras->repeats);
    }
    wf_write_key(out, "output");
    wf_json_write(out, &snapshot->extras->output);
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
