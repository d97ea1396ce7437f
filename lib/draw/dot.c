/* Graphviz. States with children are clusters; edges cannot end at a cluster, so each has a
 * dot of its own (where its initial arrow begins), and edges are cut at the border. That
 * cannot be done with an edge that leads inside: it begins at a small "any state of" in the cluster. */
#include "draw/draw.h"

#include <string.h>
#include "base/escape.h"
#include "base/invariant.h"

/* Bytes after which a line of an edge's label ends at the next space, and how many must be
 * left for another. */
enum { LINE = 28, REST = 10 };

static void add_escaped(wf_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0, bytes; i < length; i += bytes) {
        unsigned code;
        bytes = wf_escape_read(text + i, length - i, &code);
        if (code == '"' || code == '\\')
            wf_buffer_byte(out, '\\');
        if (wf_escape_needed(code))
            wf_buffer_format(out, "\\\\u%04x", code);
        else
            wf_buffer_add(out, text + i, bytes);
    }
}

static bool ends_line(const wf_buffer *label, size_t start, size_t at)
{
    if (label->data[at] != ' ')
        return false;
    return (start == 0 && label->data[at + 1] == '[') ||
           (at - start >= LINE && label->length - at >= REST);
}

/* Event and guard below each other, long guards on several lines: labels that are broad
 * push states apart. */
static void add_wrapped(wf_buffer *out, const wf_buffer *label)
{
    size_t start = 0;
    for (size_t i = 0; i < label->length; i++) {
        WF_INVARIANT(start <= i);
        if (!ends_line(label, start, i))
            continue;
        add_escaped(out, label->data + start, i - start);
        wf_buffer_text(out, "\\n");
        start = i + 1;
    }
    if (start < label->length)
        add_escaped(out, label->data + start, label->length - start);
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

/* What a driver does at such a state, or NULL if it continues. */
static const char *fill_color(const wfsm_machine *machine, const wf_state *state)
{
    static const char *const colors[][2] = {
        {"error", "mistyrose"}, {"awaiting_input", "lightyellow"}, {"terminal", "gray95"}};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        for (uint32_t j = 0; j < state->tags.count; j++) {
            uint32_t tag = machine->lists[state->tags.first + j];
            if (strcmp(machine->tags.list[tag].text, colors[i][0]) == 0)
                return colors[i][1];
        }
    return state->type == WF_FINAL ? "gray95" : NULL;
}

static void add_leaf(wf_drawing *drawing, uint32_t number)
{
    const char *color = fill_color(drawing->machine, &drawing->machine->states[number]);
    uint8_t type = drawing->machine->states[number].type;
    wf_buffer_format(&drawing->out, "s%u [", (unsigned)number);
    if (type == WF_SHALLOW || type == WF_DEEP) {
        wf_buffer_format(&drawing->out, "shape=circle, label=\"%s\", tooltip=\"",
                         type == WF_DEEP ? "H*" : "H");
        add_name(&drawing->out, &drawing->machine->states[number].path);
    } else {
        wf_buffer_text(&drawing->out, type == WF_FINAL ? "peripheries=2, " : "");
        if (color)
            wf_buffer_format(&drawing->out, "style=\"rounded,filled\", fillcolor=%s, ", color);
        wf_buffer_text(&drawing->out, "label=\"");
        add_text(drawing, number);
    }
    wf_buffer_text(&drawing->out, "\"];\n");
}

static bool leads_inside(const wfsm_machine *machine, uint32_t source, uint32_t target)
{
    return target == source || wf_is_descendant(machine, target, source);
}

static bool has_inner_edges(const wf_drawing *drawing, uint32_t number)
{
    const wfsm_machine *machine = drawing->machine;
    for (uint32_t i = drawing->first[number]; i != WF_NONE; i = drawing->next[i]) {
        wf_span targets = machine->transitions[i].targets;
        for (uint32_t j = targets.first; j < targets.first + targets.count; j++)
            if (leads_inside(machine, number, machine->lists[j]))
                return true;
    }
    return false;
}

static void open_cluster(wf_drawing *drawing, uint32_t number, uint32_t depth)
{
    const wfsm_machine *machine = drawing->machine;
    const wf_state *state = &machine->states[number];
    const char *color = fill_color(machine, state);
    bool region = number > 0 && machine->states[state->parent].type == WF_PARALLEL;
    wf_buffer_format(&drawing->out, "subgraph cluster_%u {\n", (unsigned)number);
    indent(drawing, depth + 1);
    wf_buffer_format(&drawing->out, "style=\"rounded%s%s\"; ", region ? ",dashed" : "",
                     color ? ",filled" : "");
    if (color)
        wf_buffer_format(&drawing->out, "fillcolor=%s; ", color);
    wf_buffer_text(&drawing->out, "label=\"");
    add_text(drawing, number);
    wf_buffer_text(&drawing->out, "\";\n");
    indent(drawing, depth + 1);
    wf_buffer_format(&drawing->out, "i%u [shape=%s];\n", (unsigned)number,
                     state->type == WF_PARALLEL ? "box, label=\"\", width=0.3, height=0.04, "
                                                  "style=filled, fillcolor=black"
                                                : "point, width=0.12");
    if (!has_inner_edges(drawing, number))
        return;
    indent(drawing, depth + 1);
    wf_buffer_format(&drawing->out,
                     "a%u [shape=plaintext, style=\"\", fontsize=10, margin=0.03, height=0.2, "
                     "label=\"any state of ",
                     (unsigned)number);
    add_name(&drawing->out, number == 0 ? &state->id : &state->key);
    wf_buffer_text(&drawing->out, "\"];\n");
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
    wf_buffer_format(&drawing->out, "%c%u", is_leaf(drawing->machine, number) ? 's' : 'i',
                     (unsigned)number);
}

/* An edge is cut at the border of a cluster only if its other end is outside. */
static void add_border(wf_drawing *drawing, const char *side, uint32_t number, uint32_t other)
{
    const wfsm_machine *machine = drawing->machine;
    if (!is_leaf(machine, number) && other != number &&
        !wf_is_descendant(machine, other, number))
        wf_buffer_format(&drawing->out, ", %s=cluster_%u", side, (unsigned)number);
}

static void add_edge(wf_drawing *drawing, uint32_t source, uint32_t target, bool initial)
{
    bool inside = !initial && !is_leaf(drawing->machine, source) &&
                  leads_inside(drawing->machine, source, target);
    wf_buffer_text(&drawing->out, "    ");
    if (inside)
        wf_buffer_format(&drawing->out, "a%u", (unsigned)source);
    else
        add_end(drawing, source);
    wf_buffer_text(&drawing->out, " -> ");
    add_end(drawing, target);
    wf_buffer_text(&drawing->out, initial ? " [style=bold, label=\"" : " [label=\"");
    add_wrapped(&drawing->out, &drawing->label);
    wf_buffer_byte(&drawing->out, '"');
    /* Who reads the document from top to bottom shall find the drawing so. */
    if (target < source)
        wf_buffer_text(&drawing->out, ", constraint=false");
    add_border(drawing, "ltail", source, target);
    add_border(drawing, "lhead", target, source);
    wf_buffer_text(&drawing->out, "];\n");
}

static void add_edges(wf_drawing *drawing, const wf_transition *transition, bool initial)
{
    wf_span targets = transition->targets;
    for (uint32_t i = targets.first; i < targets.first + targets.count; i++)
        add_edge(drawing, transition->source, drawing->machine->lists[i], initial);
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
        add_edges(drawing, &machine->transitions[initial], true);
    }
    for (uint32_t i = drawing->first[number]; i != WF_NONE; i = drawing->next[i]) {
        wf_drawing_label(drawing, &machine->transitions[i]);
        add_edges(drawing, &machine->transitions[i], false);
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
