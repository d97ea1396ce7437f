/* Where a step was when its fuel was used up, in words: " in action 2/1 of the entry of "a.b"". It
 * is looked for only then, so that a step that has enough pays nothing for it. */
#include "step/step.h"

#include <stdarg.h>
#include <stdio.h>

/* The numbers of an action and of those around it, from the outermost. */
enum { WF_ACTIONS_DEPTH = 32 };
typedef struct route {
    uint32_t numbers[WF_ACTIONS_DEPTH];
    uint32_t depth;
} route;

typedef struct text {
    char *at;
    size_t room;
} text;

static void add(text *out, const char *format, ...) WF_PRINTF(2, 3);
static void add(text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out->at, out->room, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length < out->room ? (size_t)length : out->room - 1;
    out->at += used;
    out->room -= used;
}

static bool find_in_blocks(const wfsm_machine *machine, wf_span blocks, uint32_t wanted,
                           route *found);

static bool find_inside(const wfsm_machine *machine, const wf_action *action, uint32_t wanted,
                        route *found)
{
    if (action->kind == WF_EACH)
        return find_in_blocks(machine, action->as.each.blocks, wanted, found);
    if (action->kind != WF_CHOOSE)
        return false;
    wf_span branches = action->as.choose;
    for (uint32_t i = branches.first; i < branches.first + branches.count; i++)
        if (find_in_blocks(machine, machine->branches[i].blocks, wanted, found))
            return true;
    return false;
}

/* Actions are counted from 1, over all blocks. */
static bool find_in_blocks(const wfsm_machine *machine, wf_span blocks, uint32_t wanted,
                           route *found)
{
    uint32_t number = 0, depth = found->depth++;
    for (uint32_t b = blocks.first; depth < WF_ACTIONS_DEPTH && b < blocks.first + blocks.count;
         b++) {
        wf_span actions = machine->blocks[b].actions;
        for (uint32_t i = actions.first; i < actions.first + actions.count; i++) {
            found->numbers[depth] = ++number;
            if (i == wanted || find_inside(machine, &machine->actions[i], wanted, found))
                return true;
        }
    }
    found->depth = depth;
    return false;
}

static void add_transition(const wfsm_machine *machine, uint32_t number, text *out)
{
    const wf_transition *self = &machine->transitions[number];
    uint32_t place = 1;
    for (uint32_t i = 0; i < number; i++)
        place += machine->transitions[i].source == self->source &&
                 machine->transitions[i].event == self->event;
    add(out, "transition %lu of \"%s\"", (unsigned long)place,
        machine->states[self->source].path.text);
    if (self->event != WF_NONE)
        add(out, " on \"%s\"", machine->descriptors[self->event].text);
}

static void add_route(const route *found, text *out)
{
    add(out, " in action ");
    for (uint32_t i = 0; i < found->depth; i++)
        add(out, "%s%lu", i > 0 ? "/" : "", (unsigned long)found->numbers[i]);
    add(out, " of ");
}

static bool add_action_of_state(const wfsm_machine *machine, uint32_t state, uint32_t wanted,
                                text *out)
{
    const wf_state *self = &machine->states[state];
    route found = {.depth = 0};
    bool entry = find_in_blocks(machine, self->entry, wanted, &found);
    if (!entry && !find_in_blocks(machine, self->exit, wanted, &found))
        return false;
    add_route(&found, out);
    add(out, "the %s of \"%s\"", entry ? "entry" : "exit", self->path.text);
    return true;
}

static void add_action(const wfsm_machine *machine, uint32_t wanted, text *out)
{
    for (uint32_t s = 0; s < machine->state_count; s++)
        if (add_action_of_state(machine, s, wanted, out))
            return;
    for (uint32_t t = 0; t < machine->transition_count; t++) {
        route found = {.depth = 0};
        if (!find_in_blocks(machine, machine->transitions[t].blocks, wanted, &found))
            continue;
        add_route(&found, out);
        add_transition(machine, t, out);
        return;
    }
}

void wf_fuel_place(const wf_step *step, char *out, size_t room)
{
    const wfsm_machine *machine = step->machine;
    text to = {out, room};
    switch (step->at.kind) {
    case WF_AT_STATE:
        add(&to, ", in state \"%s\"", machine->states[step->at.number].path.text);
        break;
    case WF_AT_GUARD:
        add(&to, ", in the guard of ");
        add_transition(machine, step->at.number, &to);
        break;
    case WF_AT_ACTION:
        add(&to, ",");
        add_action(machine, step->at.number, &to);
        break;
    default:
        break;
    }
}
