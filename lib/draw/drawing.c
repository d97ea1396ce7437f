/* What both drawings say of a state and of a transition. */
#include "draw/draw.h"

#include <string.h>
#include "base/utf8.h"
#include "logic/json.h"
#include "draw/rule_text.h"
#include "base/invariant.h"

uint32_t wf_drawing_child(const wfsm_machine *machine, uint32_t state, uint32_t target)
{
    WF_INVARIANT(wf_is_descendant(machine, target, state));
    while (machine->states[target].parent != state)
        target = machine->states[target].parent;
    return target;
}

/* Cuts the label so that at most WF_GUARD_LABEL code points follow `start`. */
static void clip(wf_buffer *label, size_t start)
{
    if (label->failed)
        return;
    WF_INVARIANT(start <= label->length);
    size_t length = label->length - start;
    size_t end = wf_utf8_offset(label->data + start, length, WF_GUARD_LABEL);
    if (end == length)
        return;
    label->length = start + end;
    wf_buffer_text(label, "…");
}

static void add_rule(wf_drawing *drawing, const char *json)
{
    wf_value rule;
    wf_arena_reset(&drawing->scratch);
    int32_t status = wf_json_parse(&drawing->scratch, json, strlen(json), &rule, NULL);
    if (status == WFSM_OK)
        wf_rule_text(&drawing->label, &rule);
    else
        drawing->label.failed = true;
}

static void add_guard(wf_drawing *drawing, const wf_guard *guard)
{
    wf_buffer *label = &drawing->label;
    wf_buffer_text(label, " [");
    size_t start = label->length;
    if (guard->kind == WF_GUARD_RULE)
        add_rule(drawing, guard->text);
    else
        wf_buffer_text(label, guard->text);
    clip(label, start);
    wf_buffer_byte(label, ']');
}

/* The name of an event that a state raises about itself: `before` NUMBER `.` ID. */
static bool is_own(const wf_name *event, const char *before, const wf_name *id)
{
    size_t start = strlen(before);
    return strncmp(event->text, before, start) == 0 && event->length > start + id->length &&
           event->text[event->length - id->length - 1] == '.' &&
           strcmp(event->text + event->length - id->length, id->text) == 0;
}

/* after.500.ID and done.state.ID without the ID, which the drawing shows. */
static void add_event(wf_buffer *label, const wf_name *event, const wf_name *id)
{
    if (is_own(event, "after.", id)) {
        wf_buffer_text(label, "after ");
        wf_buffer_add(label, event->text + 6, event->length - id->length - 7);
        wf_buffer_text(label, " ms");
    } else if (is_own(event, "done.state", id)) {
        wf_buffer_text(label, "done");
    } else {
        wf_buffer_add(label, event->text, event->length);
    }
}

void wf_drawing_label(wf_drawing *drawing, const wf_transition *transition)
{
    const wfsm_machine *machine = drawing->machine;
    wf_buffer *label = &drawing->label;
    wf_buffer_clear(label);
    if (transition->event == WF_NONE)
        wf_buffer_text(label, "always");
    else
        add_event(label, &machine->descriptors[transition->event],
                  &machine->states[transition->source].id);
    if (transition->guard.kind != WF_GUARD_NONE)
        add_guard(drawing, &transition->guard);
}

void wf_drawing_invoke(wf_drawing *drawing, const wf_invoke *invoke)
{
    const wfsm_machine *machine = drawing->machine;
    wf_buffer_clear(&drawing->label);
    wf_buffer_text(&drawing->label, "invoke ");
    for (uint32_t i = 0; i < invoke->srcs.count; i++) {
        uint32_t agent = machine->lists[invoke->srcs.first + i];
        wf_buffer_text(&drawing->label, i > 0 ? " | " : "");
        wf_buffer_text(&drawing->label, machine->agents.list[agent].text);
    }
}
