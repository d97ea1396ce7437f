/* Graphviz. States with children are clusters; edges cannot end at a cluster, so each has a
 * dot of its own (where its initial arrow begins), and edges are cut at the border. */
#include "tools/export.h"

static void add_escaped(wf_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '"' || byte == '\\')
            wf_buffer_byte(out, '\\');
        wf_buffer_byte(out, byte < ' ' || byte == 0x7f ? ' ' : (char)byte);
    }
}

static void add_name(wf_buffer *out, const wf_name *name)
{
    add_escaped(out, name->text, name->length);
}

static bool is_leaf(const wfsm_machine *machine, uint32_t state)
{
    return machine->states[state].end == state + 1;
}

static void indent(wf_drawing *drawing, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        wf_buffer_text(&drawing->out, "    ");
}

static void add_line(wf_drawing *drawing)
{
    wf_buffer_text(&drawing->out, "\\n");
    add_escaped(&drawing->out, drawing->label.data, drawing->label.length);
}

/* Name, agents, and the transitions that go nowhere, one below the other. */
static void add_text(wf_drawing *drawing, uint32_t number)
{
    const wfsm_machine *machine = drawing->machine;
    const wf_state *state = &machine->states[number];
    add_name(&drawing->out, number == 0 ? &state->id : &state->key);
    for (uint32_t i = 0; i < state->invokes.count; i++) {
        wf_drawing_invoke(drawing, &machine->invokes[state->invokes.first + i]);
        add_line(drawing);
    }
    for (uint32_t i = drawing->first[number]; i != WF_NONE; i = drawing->next[i]) {
        if (machine->transitions[i].targets.count > 0)
            continue;
        wf_drawing_label(drawing, &machine->transitions[i]);
        add_line(drawing);
    }
}

static void add_leaf(wf_drawing *drawing, uint32_t number)
{
    uint8_t type = drawing->machine->states[number].type;
    wf_buffer_format(&drawing->out, "s%u [", (unsigned)number);
    if (type == WF_SHALLOW || type == WF_DEEP) {
        wf_buffer_format(&drawing->out, "shape=circle, label=\"%s\", tooltip=\"",
                         type == WF_DEEP ? "H*" : "H");
        add_name(&drawing->out, &drawing->machine->states[number].path);
    } else {
        wf_buffer_text(&drawing->out, type == WF_FINAL ? "peripheries=2, " : "");
        wf_buffer_text(&drawing->out, "label=\"");
        add_text(drawing, number);
    }
    wf_buffer_text(&drawing->out, "\"];\n");
}

static void open_cluster(wf_drawing *drawing, uint32_t number, uint32_t depth)
{
    const wfsm_machine *machine = drawing->machine;
    const wf_state *state = &machine->states[number];
    bool region = number > 0 && machine->states[state->parent].type == WF_PARALLEL;
    wf_buffer_format(&drawing->out, "subgraph cluster_%u {\n", (unsigned)number);
    indent(drawing, depth + 1);
    wf_buffer_format(&drawing->out, "style=\"rounded%s\"; label=\"",
                     region ? ",dashed" : "");
    add_text(drawing, number);
    wf_buffer_text(&drawing->out, "\";\n");
    indent(drawing, depth + 1);
    wf_buffer_format(&drawing->out, "i%u [shape=%s];\n", (unsigned)number,
                     state->type == WF_PARALLEL ? "box, label=\"\", width=0.3, height=0.04, "
                                                  "style=filled, fillcolor=black"
                                                : "point, width=0.12");
}

static void open_state(wf_drawing *drawing, uint32_t number)
{
    uint32_t depth = drawing->machine->states[number].depth + 1;
    indent(drawing, depth);
    if (is_leaf(drawing->machine, number))
        add_leaf(drawing, number);
    else
        open_cluster(drawing, number, depth);
}

static void add_states(wf_drawing *drawing)
{
    const wfsm_machine *machine = drawing->machine;
    for (uint32_t i = 0; i < machine->state_count; i++) {
        open_state(drawing, i);
        for (uint32_t s = i; s != WF_NONE && machine->states[s].end == i + 1;
             s = machine->states[s].parent) {
            if (is_leaf(machine, s))
                continue;
            indent(drawing, machine->states[s].depth + 1);
            wf_buffer_text(&drawing->out, "}\n");
        }
    }
}

static void add_end(wf_drawing *drawing, uint32_t number)
{
    wf_buffer_format(&drawing->out, "%c%u",
                     is_leaf(drawing->machine, number) ? 's' : 'i', (unsigned)number);
}

/* An edge is cut at the border of a cluster only if its other end is outside. */
static void add_border(wf_drawing *drawing, const char *side, uint32_t number,
                       uint32_t other)
{
    const wfsm_machine *machine = drawing->machine;
    if (!is_leaf(machine, number) && other != number &&
        !wf_is_descendant(machine, other, number))
        wf_buffer_format(&drawing->out, ", %s=cluster_%u", side, (unsigned)number);
}

/* One edge to each target; `style` begins its attributes. */
static void add_edges(wf_drawing *drawing, const wf_transition *transition,
                      const char *style)
{
    for (uint32_t i = 0; i < transition->targets.count; i++) {
        uint32_t target = drawing->machine->lists[transition->targets.first + i];
        wf_buffer_text(&drawing->out, "    ");
        add_end(drawing, transition->source);
        wf_buffer_text(&drawing->out, " -> ");
        add_end(drawing, target);
        wf_buffer_format(&drawing->out, " [%s, label=\"", style);
        if (drawing->label.length > 0)
            add_escaped(&drawing->out, drawing->label.data, drawing->label.length);
        wf_buffer_byte(&drawing->out, '"');
        add_border(drawing, "ltail", transition->source, target);
        add_border(drawing, "lhead", target, transition->source);
        wf_buffer_text(&drawing->out, "];\n");
    }
}

/* From the bar of a parallel state to each of its regions. */
static void add_forks(wf_drawing *drawing, uint32_t number)
{
    const wfsm_machine *machine = drawing->machine;
    uint32_t end = machine->states[number].end;
    for (uint32_t i = number + 1; i < end; i = machine->states[i].end) {
        uint8_t type = machine->states[i].type;
        if (type == WF_SHALLOW || type == WF_DEEP)
            continue;
        wf_buffer_format(&drawing->out, "    i%u -> ", (unsigned)number);
        add_end(drawing, i);
        wf_buffer_text(&drawing->out, " [style=bold");
        add_border(drawing, "lhead", i, number);
        wf_buffer_text(&drawing->out, "];\n");
    }
}

static void add_transitions(wf_drawing *drawing, uint32_t number)
{
    const wfsm_machine *machine = drawing->machine;
    uint32_t initial = machine->states[number].initial;
    if (machine->states[number].type == WF_PARALLEL)
        add_forks(drawing, number);
    if (initial != WF_NONE) {
        wf_buffer_clear(&drawing->label);
        add_edges(drawing, &machine->transitions[initial], "style=bold");
    }
    for (uint32_t i = drawing->first[number]; i != WF_NONE; i = drawing->next[i]) {
        wf_drawing_label(drawing, &machine->transitions[i]);
        add_edges(drawing, &machine->transitions[i], "style=solid");
    }
}

void wf_draw_dot(wf_drawing *drawing)
{
    wf_buffer_text(&drawing->out, "digraph \"");
    add_name(&drawing->out, &drawing->machine->id);
    wf_buffer_text(&drawing->out,
                   "\" {\n"
                   "    compound=true; fontname=\"Helvetica\"; fontsize=12;\n"
                   "    node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=12];\n"
                   "    edge [fontname=\"Helvetica\", fontsize=10];\n");
    add_states(drawing);
    for (uint32_t i = 0; i < drawing->machine->state_count; i++)
        add_transitions(drawing, i);
    wf_buffer_text(&drawing->out, "}\n");
}
