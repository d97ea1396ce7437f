/* store/record_write.c: the record of one commit: the input, its outcome, and what changed. */
#include "store/record_parts.h"

#include <inttypes.h>
#include <string.h>
#include "logic/json.h"

static void write_transition(wf_buffer *out, const wfsm_machine *machine, uint32_t number)
{
    const wf_transition *self = &machine->transitions[number];
    wf_buffer_byte(out, '{');
    wf_write_key(out, "from");
    wf_write_state_path(out, &machine->states[self->source]);
    if (self->event != WF_NONE)
        wf_write_string(out, "event", machine->descriptors[self->event].text);
    wf_write_key(out, "to");
    wf_buffer_byte(out, '[');
    for (uint32_t i = 0; i < self->targets.count; i++) {
        if (i > 0)
            wf_buffer_byte(out, ',');
        wf_write_state_path(out, &machine->states[machine->lists[self->targets.first + i]]);
    }
    wf_buffer_text(out, "]}");
}

static void write_transitions(wf_buffer *out, const wf_step *step)
{
    if (step->taken_count == 0)
        return;
    wf_write_key(out, "transitions");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < step->taken_count; i++) {
        if (i > 0)
            wf_buffer_byte(out, ',');
        write_transition(out, step->machine, step->taken[i]);
    }
    wf_buffer_byte(out, ']');
}

/* The answers of host functions. A replay reads them instead of calling the functions. */
static void write_answers(wf_buffer *out, const wf_step *step)
{
    if (step->answer_count == 0)
        return;
    wf_write_key(out, "host");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < step->answer_count; i++) {
        const wf_answered *answer = &step->answers[i];
        const wf_names *names =
            answer->action ? &step->machine->functions : &step->machine->guards;
        wf_write_comma(out);
        wf_buffer_byte(out, '{');
        wf_write_string(out, answer->action ? "action" : "guard",
                        names->list[answer->number].text);
        wf_write_key(out, "answer");
        wf_json_write(out, &answer->value);
        if (answer->failed) {
            wf_write_key(out, "failed");
            wf_buffer_text(out, "true");
        }
        if (answer->message)
            wf_write_string(out, "message", answer->message);
        wf_buffer_byte(out, '}');
    }
    wf_buffer_byte(out, ']');
}

/* An invocation that failed by its schema or its time limit, of which the input says
 * nothing. */
static void write_failed_invocation(wf_buffer *out, const wf_step *step)
{
    if (step->failed_class == WF_CLASSES)
        return;
    wf_write_key(out, "failed");
    wf_buffer_byte(out, '{');
    wf_write_key(out, "invocation");
    wf_buffer_format(out, "[%" PRIu64 ",%" PRIu32 "]", step->failed_revision,
                     step->failed_ordinal);
    wf_write_string(out, "class", wf_class_name(step->failed_class));
    wf_write_string(out, "message", step->failed_message ? step->failed_message : "");
    wf_buffer_byte(out, '}');
}

static void write_failure(wf_buffer *out, const wf_step *step)
{
    if (step->failure == WFSM_OK)
        return;
    wf_write_key(out, "failure");
    wf_buffer_byte(out, '{');
    wf_write_string(out, "status", wfsm_status_name(step->failure));
    wf_write_string(out, "message", step->message ? step->message : "");
    wf_buffer_byte(out, '}');
}

static void write_errors(wf_buffer *out, const wf_step *step)
{
    if (step->error_count == 0)
        return;
    wf_write_key(out, "errors");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < step->error_count; i++) {
        wf_write_comma(out);
        wf_json_write_text(out, step->errors[i], strlen(step->errors[i]));
    }
    wf_buffer_byte(out, ']');
}

void wf_record_write(wf_buffer *out, const wf_step *step, const wf_record *record)
{
    uint64_t before = step->snapshot->revision;
    wf_write_head(out, step->snapshot, before + 1, before == 0 || record->migrates,
                  wf_draft_changes_limits(step));
    wf_write_string(out, "prev", record->previous);
    wf_write_key(out, "input");
    wf_json_write(out, record->input);
    wf_write_string(out, "outcome", wfsm_outcome_name(record->outcome));
    if (step->origin.type == WF_OBJECT) {
        wf_write_key(out, "origin");
        wf_json_write(out, &step->origin);
    }
    write_failure(out, step);
    write_failed_invocation(out, step);
    write_transitions(out, step);
    wf_write_changes(out, step);
    write_answers(out, step);
    write_errors(out, step);
    wf_buffer_byte(out, '}');
}
