/* Mermaid's stateDiagram-v2. Nested states come first and transitions last: a state belongs
 * to the block that names it last, so no block may name the inner states of another. */
#include "draw/draw.h"

#include <string.h>
#include "base/escape.h"

/* What stands for itself in a label. Everything else of ASCII is a character reference;
 * a colon or a semicolon would end the label, and a line break the statement. */
static bool is_plain(unsigned char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte >= 0x80 ||
           (byte != '\0' && strchr(" _.-/+*=,!?()[]@'|", byte));
}

static void add_escaped(wf_buffer *out, const wf_buffer *label)
{
    for (size_t i = 0, bytes; i < label->length; i += bytes) {
        unsigned code;
        bytes = wf_escape_read(label->data + i, label->length - i, &code);
        if (wf_escape_needed(code))
            wf_buffer_format(out, "#92;u%04x", code);
        else if (is_plain((unsigned char)label->data[i]))
            wf_buffer_add(out, label->data + i, bytes);
        else
            wf_buffer_format(out, "#%u;", code);
    }
}

static void indent(wf_drawing *drawing, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        wf_buffer_text(&drawing->out, "    ");
}

static bool is_leaf(const wfsm_machine *machine, uint32_t state)
{
    return machine->states[state].end == state + 1;
}

/* The root is drawn as a box only if there is something to say about it. */
static bool root_is_box(const wf_drawing *drawing)
{
    const wf_state *root = &drawing->machine->states[0];
    return root->type == WF_PARALLEL || root->invokes.count > 0 ||
           drawing->first[0] != WF_NONE || root->end == 1;
}

static void set_name(wf_drawing *drawing, uint32_t number)
{
    const wf_state *state = &drawing->machine->states[number];
    wf_buffer_clear(&drawing->label);
    if (state->type == WF_DEEP || state->type == WF_SHALLOW)
        wf_buffer_text(&drawing->label, state->type == WF_DEEP ? "H* " : "H ");
    wf_buffer_text(&drawing->label, number == 0 ? state->id.text : state->key.text);
}

static void add_line(wf_drawing *drawing)
{
    wf_buffer_text(&drawing->out, "<br>");
    add_escaped(&drawing->out, &drawing->label);
}

/* Mermaid draws arrows from a box to what is inside it on top of everything else: such
 * transitions, and those without a target, are written into the box. */
static bool stays_inside(const wfsm_machine *machine, const wf_transition *transition)
{
    for (uint32_t i = 0; i < transition->targets.count; i++)
        if (!wf_is_descendant(machine, machine->lists[transition->targets.first + i],
                              transition->source))
            return false;
    return true;
}

static void name_targets(wf_drawing *drawing, const wf_transition *transition)
{
    const wfsm_machine *machine = drawing->machine;
    for (uint32_t i = 0; i < transition->targets.count; i++) {
        uint32_t target = machine->lists[transition->targets.first + i];
        wf_buffer_text(&drawing->label, i > 0 ? ", " : " → ");
        wf_buffer_text(&drawing->label, machine->states[target].key.text);
    }
}

/* Name, agents, and the transitions that stay inside, one below the other. */
static void add_text(wf_drawing *drawing, uint32_t number)
{
    const wfsm_machine *machine = drawing->machine;
    const wf_state *state = &machine->states[number];
    set_name(drawing, number);
    add_escaped(&drawing->out, &drawing->label);
    for (uint32_t i = 0; i < state->invokes.count; i++) {
        wf_drawing_invoke(drawing, &machine->invokes[state->invokes.first + i]);
        add_line(drawing);
    }
    for (uint32_t i = drawing->first[number]; i != WF_NONE; i = drawing->next[i]) {
        if (!stays_inside(machine, &machine->transitions[i]))
            continue;
        wf_drawing_label(drawing, &machine->transitions[i]);
        name_targets(drawing, &machine->transitions[i]);
        add_line(drawing);
    }
}

static void open_state(wf_drawing *drawing, uint32_t number, uint32_t depth)
{
    const wfsm_machine *machine = drawing->machine;
    const wf_state *state = &machine->states[number];
    bool region = number > 0 && machine->states[state->parent].type == WF_PARALLEL;
    if (region && number != state->parent + 1) {
        indent(drawing, depth);
        wf_buffer_text(&drawing->out, "--\n");
    }
    indent(drawing, depth);
    wf_buffer_text(&drawing->out, "state \"");
    add_text(drawing, number);
    wf_buffer_format(&drawing->out, "\" as s%u%s\n", (unsigned)number,
                     is_leaf(machine, number) ? "" : " {");
    if (state->type == WF_FINAL) {
        indent(drawing, depth);
        wf_buffer_format(&drawing->out, "s%u --> [*]\n", (unsigned)number);
    }
}

/* From the dot to the child that leads to the target; a deeper one is named. */
static void add_initial(wf_drawing *drawing, uint32_t number, uint32_t depth)
{
    const wfsm_machine *machine = drawing->machine;
    const wf_state *state = &machine->states[number];
    if (state->type != WF_COMPOUND || state->initial == WF_NONE)
        return;
    wf_span targets = machine->transitions[state->initial].targets;
    for (uint32_t i = 0; i < targets.count; i++) {
        uint32_t target = machine->lists[targets.first + i];
        uint32_t child = wf_drawing_child(machine, number, target);
        indent(drawing, depth);
        wf_buffer_format(&drawing->out, "[*] --> s%u", (unsigned)child);
        if (child != target) {
            wf_buffer_text(&drawing->out, " : to ");
            wf_buffer_clear(&drawing->label);
            wf_buffer_text(&drawing->label, machine->states[target].path.text);
            add_escaped(&drawing->out, &drawing->label);
        }
        wf_buffer_byte(&drawing->out, '\n');
    }
}

static void close_state(wf_drawing *drawing, uint32_t number, uint32_t depth)
{
    add_initial(drawing, number, depth + 1);
    indent(drawing, depth);
    wf_buffer_text(&drawing->out, "}\n");
}

static void add_states(wf_drawing *drawing, bool box)
{
    const wfsm_machine *machine = drawing->machine;
    uint32_t shift = box ? 1 : 0; /* the root's children stand at depth 1 without a box */
    if (box)
        open_state(drawing, 0, 1);
    for (uint32_t i = 1; i < machine->state_count; i++) {
        open_state(drawing, i, machine->states[i].depth + shift);
        for (uint32_t s = i; s != 0 && machine->states[s].end == i + 1;
             s = machine->states[s].parent)
            if (!is_leaf(machine, s))
                close_state(drawing, s, machine->states[s].depth + shift);
    }
    if (box && !is_leaf(machine, 0))
        close_state(drawing, 0, 1);
    if (!box)
        add_initial(drawing, 0, 1);
}

static void add_arrows(wf_drawing *drawing, const wf_transition *transition, bool labelled)
{
    for (uint32_t i = 0; i < transition->targets.count; i++) {
        uint32_t target = drawing->machine->lists[transition->targets.first + i];
        wf_buffer_format(&drawing->out, "    s%u --> s%u", (unsigned)transition->source,
                         (unsigned)target);
        if (labelled) {
            wf_buffer_text(&drawing->out, " : ");
            add_escaped(&drawing->out, &drawing->label);
        }
        wf_buffer_byte(&drawing->out, '\n');
    }
}

static void add_transitions(wf_drawing *drawing, uint32_t number)
{
    const wfsm_machine *machine = drawing->machine;
    const wf_state *state = &machine->states[number];
    bool history = state->type == WF_SHALLOW || state->type == WF_DEEP;
    if (history && state->initial != WF_NONE)
        add_arrows(drawing, &machine->transitions[state->initial], false);
    for (uint32_t i = drawing->first[number]; i != WF_NONE; i = drawing->next[i]) {
        if (stays_inside(machine, &machine->transitions[i]))
            continue;
        wf_drawing_label(drawing, &machine->transitions[i]);
        add_arrows(drawing, &machine->transitions[i], true);
    }
}

void wf_draw_mermaid(wf_drawing *drawing)
{
    wf_buffer_text(&drawing->out, "stateDiagram-v2\n");
    add_states(drawing, root_is_box(drawing));
    for (uint32_t i = 0; i < drawing->machine->state_count; i++)
        add_transitions(drawing, i);
}
