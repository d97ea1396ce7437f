#include "tools/export.h"

#include <string.h>
#include <wfsm/tools.h>
#include "base/memory.h"
#include "base/utf8.h"

uint32_t wf_drawing_child(const wfsm_machine *machine, uint32_t state, uint32_t target)
{
    while (machine->states[target].parent != state)
        target = machine->states[target].parent;
    return target;
}

static void add_clipped(wf_buffer *label, const char *text)
{
    size_t length = strlen(text);
    size_t end = wf_utf8_offset(text, length, WF_GUARD_LABEL);
    wf_buffer_add(label, text, end);
    if (end < length)
        wf_buffer_text(label, "…");
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
    if (transition->guard.kind == WF_GUARD_NONE)
        return;
    wf_buffer_text(label, " [");
    add_clipped(label, transition->guard.text);
    wf_buffer_byte(label, ']');
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

/* Initial transitions and defaults of histories are drawn with their state. */
static bool is_initial(const wfsm_machine *machine, uint32_t number)
{
    return machine->states[machine->transitions[number].source].initial == number;
}

static bool list_transitions(wf_drawing *drawing)
{
    const wfsm_machine *machine = drawing->machine;
    const wfsm_allocator *allocator = &machine->allocator;
    drawing->first = wf_new(allocator, machine->state_count * sizeof *drawing->first);
    drawing->next = wf_new(allocator, machine->transition_count * sizeof *drawing->next);
    if (!drawing->first || !drawing->next)
        return false;
    for (uint32_t i = 0; i < machine->state_count; i++)
        drawing->first[i] = WF_NONE;
    for (uint32_t i = machine->transition_count; i-- > 0;) {
        uint32_t source = machine->transitions[i].source;
        if (is_initial(machine, i))
            continue;
        drawing->next[i] = drawing->first[source];
        drawing->first[source] = i;
    }
    return true;
}

static int32_t draw(wf_drawing *drawing, int32_t format, wfsm_error *error)
{
    if (!list_transitions(drawing))
        return wf_no_memory(error);
    if (format == WFSM_MERMAID)
        wf_draw_mermaid(drawing);
    else
        wf_draw_dot(drawing);
    return drawing->out.failed || drawing->label.failed ? wf_no_memory(error) : WFSM_OK;
}

int32_t wfsm_machine_graph(const wfsm_machine *machine, int32_t format, char **text,
                           size_t *length, wfsm_error *error)
{
    if (!machine || !text || !length)
        return wf_fail(error, WFSM_INVALID, "machine, text and length must not be NULL");
    if (format != WFSM_MERMAID && format != WFSM_DOT)
        return wf_fail(error, WFSM_INVALID, "format %d is neither Mermaid nor DOT",
                       (int)format);
    wf_drawing drawing = {.machine = machine};
    wf_buffer_init(&drawing.out, &machine->allocator);
    wf_buffer_init(&drawing.label, &machine->allocator);
    int32_t status = draw(&drawing, format, error);
    if (status == WFSM_OK) {
        *text = drawing.out.data;
        *length = drawing.out.length;
    } else {
        wf_buffer_fini(&drawing.out);
    }
    wf_buffer_fini(&drawing.label);
    wf_free(&machine->allocator, drawing.first);
    wf_free(&machine->allocator, drawing.next);
    return status;
}

void wfsm_text_free(const wfsm_machine *machine, char *text)
{
    if (machine)
        wf_free(&machine->allocator, text);
}
