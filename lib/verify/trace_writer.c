#include "verify/trace_writer.h"

#include "base/memory.h"
#include "logic/json.h"

enum { SHOWN_BYTES = 120 };

void wf_trace_writer_begin(wf_trace_writer *writer, wf_explorer *explorer,
                           const wfsm_allocator *allocator)
{
    *writer = (wf_trace_writer){.explorer = explorer};
    wf_arena_init(&writer->arena, allocator, 0);
    wf_buffer_init(&writer->text, allocator);
    wf_buffer_init(&writer->script, allocator);
    writer->values =
        wf_arena_zero(&writer->arena, (explorer->tracked_count + 1u) * sizeof *writer->values);
    writer->failed = !writer->values;
}

void wf_trace_writer_end(wf_trace_writer *writer)
{
    wf_free(writer->arena.allocator, writer->lines);
    wf_buffer_fini(&writer->text);
    wf_buffer_fini(&writer->script);
    wf_arena_fini(&writer->arena);
}

/* ---- pieces ---- */

static void add_json(wf_buffer *out, const wf_value *value)
{
    wf_json_write(out, value);
}

/* Long values are cut at the beginning of a character. */
static void add_shown(wf_buffer *out, const wf_value *value)
{
    size_t before = out->length;
    wf_json_write(out, value);
    if (out->failed || out->length - before <= SHOWN_BYTES)
        return;
    size_t at = before + SHOWN_BYTES;
    while (at > before && ((unsigned char)out->data[at] & 0xC0) == 0x80)
        at--;
    out->length = at;
    wf_buffer_text(out, "…");
}

static void add_text(wf_buffer *out, const wf_value *text)
{
    wf_buffer_add(out, text->as.text, text->length);
}

static void add_invocation(wf_trace_writer *writer, const wf_step *step, const wf_input *input)
{
    static const char *const keys[] = {
        [WF_INPUT_RESULT] = "done", [WF_INPUT_FAILURE] = "failed", [WF_INPUT_CLAIM] = "claim"};
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, input->place);
    const wf_name *name = &step->machine->invokes[self->invoke].id;
    wf_buffer_add(&writer->text, name->text, name->length);
    wf_buffer_format(&writer->script, "{\"%s\":\"sim/%llu/%u\"", keys[input->kind],
                     (unsigned long long)self->revision, (unsigned)self->ordinal);
}

/* In the text after these words, and as this member of the script. */
static void tell_value(wf_trace_writer *writer, const wf_value *value, const char *words,
                       const char *member)
{
    wf_buffer_text(&writer->text, words);
    add_shown(&writer->text, value);
    wf_buffer_text(&writer->script, member);
    add_json(&writer->script, value);
}

static void tell_event(wf_trace_writer *writer, const wf_input *input)
{
    wf_buffer_text(&writer->text, "event ");
    add_text(&writer->text, &input->name);
    wf_buffer_text(&writer->script, "{\"event\":");
    add_json(&writer->script, &input->name);
    if (input->origin.type == WF_OBJECT)
        tell_value(writer, &input->origin, " from ", ",\"origin\":");
    if (input->id.type == WF_STRING)
        tell_value(writer, &input->id, " with the id ", ",\"id\":");
    if (input->data.type != WF_NULL)
        tell_value(writer, &input->data, " ", ",\"data\":");
}

static void tell_usage(wf_trace_writer *writer, const wf_input *input)
{
    if (input->usage.type == WF_OBJECT)
        tell_value(writer, &input->usage, ", used ", ",\"usage\":");
}

static void tell_signature(wf_trace_writer *writer, const wf_input *input)
{
    if (input->signature.type == WF_STRING)
        tell_value(writer, &input->signature, ", signature ", ",\"signature\":");
}

static void tell_start(wf_trace_writer *writer, const wf_input *input)
{
    wf_buffer_text(&writer->text, "start");
    wf_buffer_text(&writer->script, "{\"start\":");
    add_json(&writer->script, &input->data);
    if (input->data.type == WF_NULL)
        return;
    wf_buffer_text(&writer->text, " with ");
    add_shown(&writer->text, &input->data);
}

static void tell_message(wf_trace_writer *writer, const wf_input *input)
{
    if (*wf_input_message(input) == '\0')
        return;
    wf_buffer_byte(&writer->text, ' ');
    add_shown(&writer->text, &input->data);
    wf_buffer_text(&writer->script, ",\"message\":");
    add_json(&writer->script, &input->data);
}

void wf_trace_writer_before(wf_trace_writer *writer, const wf_step *step, const wf_input *input)
{
    wf_buffer_clear(&writer->text);
    wf_buffer_clear(&writer->script);
    switch (input->kind) {
    case WF_INPUT_START:
        tell_start(writer, input);
        break;
    case WF_INPUT_TIMER:
        wf_buffer_text(&writer->text, "timer ");
        add_text(&writer->text, &input->name);
        wf_buffer_text(&writer->script, "{\"fire\":true");
        break;
    case WF_INPUT_BUDGET:
        wf_buffer_format(&writer->text, "time is up for the budget \"%s\"",
                         step->machine->budgets[input->place].name.text);
        wf_buffer_text(&writer->script, "{\"fire\":true");
        break;
    case WF_INPUT_RESULT:
        add_invocation(writer, step, input);
        wf_buffer_text(&writer->text, " answers ");
        add_shown(&writer->text, &input->data);
        wf_buffer_text(&writer->script, ",\"output\":");
        add_json(&writer->script, &input->data);
        tell_usage(writer, input);
        tell_signature(writer, input);
        break;
    case WF_INPUT_FAILURE:
        add_invocation(writer, step, input);
        wf_buffer_format(&writer->text, " fails: %s", wf_class_name(input->failure));
        wf_buffer_format(&writer->script, ",\"class\":\"%s\"", wf_class_name(input->failure));
        tell_message(writer, input);
        tell_usage(writer, input);
        tell_signature(writer, input);
        break;
    case WF_INPUT_CLAIM:
        add_invocation(writer, step, input);
        wf_buffer_text(&writer->text, " is claimed");
        break;
    case WF_INPUT_CHECKPOINT:
        wf_buffer_text(&writer->text, "a checkpoint is kept");
        wf_buffer_text(&writer->script, "{\"checkpoint\":\"c\"");
        break;
    case WF_INPUT_RESTORE:
        wf_buffer_text(&writer->text, "back to the checkpoint");
        wf_buffer_text(&writer->script, "{\"restore\":\"c\"");
        break;
    default:
        tell_event(writer, input);
        break;
    }
}

void wf_trace_writer_vote(wf_trace_writer *writer, const wf_value *given)
{
    const wf_value *by = wf_value_get_z(given, "by"),
                   *decision = wf_value_get_z(given, "decision"),
                   *reason = wf_value_get_z(given, "reason");
    wf_buffer_text(&writer->text, writer->text.length > 0 ? ", " : "");
    add_text(&writer->text, by);
    wf_buffer_format(&writer->text, " %ss", decision->as.text);
    if (reason) {
        wf_buffer_byte(&writer->text, ' ');
        add_shown(&writer->text, reason);
    }
    wf_buffer_text(&writer->script, writer->script.length > 0 ? "}\n" : "");
    wf_buffer_text(&writer->script, "{\"approve\":");
    add_json(&writer->script, given);
}

/* ---- the result ---- */

static void add_answers(wf_trace_writer *writer, const wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    for (size_t i = 0; i < step->answer_count; i++) {
        const wf_answered *self = &step->answers[i];
        const wf_names *names = self->action ? &machine->functions : &machine->guards;
        wf_buffer_text(&writer->script, i == 0 ? ",\"host\":[" : ",");
        wf_buffer_format(&writer->text, "%s%s ", i == 0 ? " (" : ", ",
                         names->list[self->number].text);
        if (self->failed) {
            wf_buffer_text(&writer->script, "\"fail\"");
            wf_buffer_text(&writer->text, "fails");
            continue;
        }
        add_json(&writer->script, &self->value);
        add_shown(&writer->text, &self->value);
    }
    if (step->answer_count > 0) {
        wf_buffer_text(&writer->script, "]");
        wf_buffer_text(&writer->text, ")");
    }
}

static bool is_leaf(const wf_state *state)
{
    return state->type == WF_ATOMIC || state->type == WF_FINAL;
}

static void add_configuration(wf_trace_writer *writer, const wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    bool first = true;
    for (uint32_t s = wf_set_next(step->snapshot->active, machine->words, 0); s != WF_NONE;
         s = wf_set_next(step->snapshot->active, machine->words, s + 1)) {
        if (!is_leaf(&machine->states[s]))
            continue;
        wf_buffer_text(&writer->text, first ? " → " : " + ");
        wf_buffer_add(&writer->text, machine->states[s].path.text,
                      machine->states[s].path.length);
        first = false;
    }
}

static void add_changes(wf_trace_writer *writer, const wf_step *step)
{
    const wf_explorer *explorer = writer->explorer;
    const char *between = "; ";
    for (uint32_t i = 0; i < explorer->tracked_count && writer->values; i++) {
        const wf_value *now = &step->snapshot->slots[explorer->tracked[i].slot];
        wf_value *told = &writer->values[i];
        if (wf_value_equal(now, told))
            continue;
        wf_buffer_format(&writer->text, "%s%s = ", between,
                         explorer->machine->keys.list[explorer->tracked[i].slot].text);
        add_shown(&writer->text, now);
        between = ", ";
        *told = now->type == WF_ABSENT ? *now : wf_value_clone(&writer->arena, now);
    }
}

static void add_line(wf_trace_writer *writer)
{
    const wfsm_allocator *allocator = writer->arena.allocator;
    wf_trace_line *lines =
        wf_grow(allocator, writer->lines, &writer->capacity, writer->count + 1, sizeof *lines);
    if (!lines || writer->text.failed || writer->script.failed) {
        writer->failed = true;
        return;
    }
    writer->lines = lines;
    lines[writer->count++] = (wf_trace_line){
        wf_arena_text(&writer->arena, writer->text.data, writer->text.length),
        wf_arena_text(&writer->arena, writer->script.data, writer->script.length),
        writer->cycle};
    writer->failed |= writer->arena.failed;
}

void wf_trace_writer_after(wf_trace_writer *writer, const wf_step *step, const wf_input *input,
                           int32_t outcome, int32_t status)
{
    (void)input;
    add_answers(writer, step);
    wf_buffer_byte(&writer->script, '}');
    if (status != WFSM_OK) {
        wf_buffer_text(&writer->text, ": it fails");
        add_line(writer);
        return;
    }
    if (outcome == WFSM_RETRY)
        wf_buffer_text(&writer->text, ", and is tried again");
    if (outcome == WFSM_FAILED)
        wf_buffer_text(&writer->text, ": the step fails");
    if (outcome == WFSM_NO_TRANSITION || outcome == WFSM_BLOCKED)
        wf_buffer_text(&writer->text, ": nothing reacts");
    for (size_t i = 0; i < step->error_count; i++)
        wf_buffer_format(&writer->text, " (error.execution: %.300s)", step->errors[i]);
    add_configuration(writer, step);
    add_changes(writer, step);
    if (step->snapshot->status == WFSM_DONE)
        wf_buffer_text(&writer->text, "; the instance has ended");
    add_line(writer);
}

void wf_trace_writer_move(wf_trace_writer *writer, size_t number, size_t cycle)
{
    writer->cycle = number == cycle;
}

void wf_trace_writer_wait(int64_t ms, wf_buffer *text, wf_buffer *script)
{
    wf_buffer_format(text, "    then %lld ms pass, and nothing happens\n", (long long)ms);
    wf_buffer_format(script, "{\"advance\":%lld}\n", (long long)ms);
}

void wf_trace_writer_finish(const wf_trace_writer *writer, const int64_t *times,
                            wf_buffer *text, wf_buffer *script)
{
    for (size_t i = 0; i < writer->count; i++) {
        int64_t passed = i == 0 ? 0 : times[i] - times[i - 1];
        if (passed > 0 && (writer->explorer->limits || writer->explorer->ends))
            wf_buffer_format(text, "    %lld ms later:\n", (long long)passed);
        if (writer->lines[i].cycle)
            wf_buffer_text(text, "    from here the following repeats for ever:\n");
        wf_buffer_format(text, "%3u. %s\n", (unsigned)i, writer->lines[i].text);
        if (passed > 0)
            wf_buffer_format(script, "{\"advance\":%lld}\n", (long long)passed);
        wf_buffer_format(script, "%s\n", writer->lines[i].script);
    }
}
