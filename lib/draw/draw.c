#include "draw/draw.h"

#include <wfsm/tools.h>
#include "base/memory.h"
#include "verify/promela.h"
#include "verify/release.h"
#include "base/invariant.h"

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
        WF_INVARIANT(drawing->first[source] == WF_NONE || drawing->first[source] > i);
        drawing->next[i] = drawing->first[source];
        drawing->first[source] = i;
    }
    return true;
}

static int32_t draw(wf_drawing *drawing, int32_t format, wfsm_error *error)
{
    if (format == WFSM_PROMELA) {
        int32_t status = wf_promela(&drawing->out, drawing->machine, error);
        return status == WFSM_NO_MEMORY ? wf_no_memory(error) : status;
    }
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
    if (wf_check_release(error) != WFSM_OK)
        return WFSM_VERSION;
    if (!machine || !text || !length)
        return wf_fail(error, WFSM_INVALID, "machine, text and length must not be NULL");
    if (format < WFSM_MERMAID || format > WFSM_PROMELA)
        return wf_fail(error, WFSM_INVALID, "format %d is none of Mermaid, DOT and Promela",
                       (int)format);
    wf_drawing drawing = {.machine = machine};
    wf_buffer_init(&drawing.out, &machine->allocator);
    wf_buffer_init(&drawing.label, &machine->allocator);
    wf_arena_init(&drawing.scratch, &machine->allocator, 0);
    int32_t status = draw(&drawing, format, error);
    if (status == WFSM_OK) {
        *text = drawing.out.data;
        *length = drawing.out.length;
    } else {
        wf_buffer_fini(&drawing.out);
    }
    wf_buffer_fini(&drawing.label);
    wf_arena_fini(&drawing.scratch);
    wf_free(&machine->allocator, drawing.first);
    wf_free(&machine->allocator, drawing.next);
    return status;
}

void wfsm_text_free(const wfsm_machine *machine, char *text)
{
    if (machine)
        wf_free(&machine->allocator, text);
}
