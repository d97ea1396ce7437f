/* machine/lint_ends.c: states without a way out. */
#include <string.h>
#include "machine/lint.h"

static bool has_tag(const wfsm_machine *machine, const wf_state *state, const char *word)
{
    for (uint32_t i = 0; i < state->tags.count; i++) {
        uint32_t tag = machine->lists[state->tags.first + i];

        if (strcmp(machine->tags.list[tag].text, word) == 0)
            return true;
    }
    return false;
}

static bool rests(const wfsm_machine *machine, const wf_state *state)
{
    return has_tag(machine, state, "terminal") || has_tag(machine, state, "awaiting_input");
}

static bool leads_out_of(const wfsm_machine *machine, const wf_transition *transition,
                         uint32_t state)
{
    for (uint32_t i = 0; i < transition->targets.count; i++) {
        uint32_t target = machine->lists[transition->targets.first + i];

        if (!wf_is_descendant(machine, target, state))
            return true;
    }
    return false;
}

/* A way out of a state is a transition with a target; out of a parallel state, and so
 * out of each of its regions, also one of any state inside that leads outside. */
static void mark_ways(const wfsm_machine *machine, const wf_transition *transition,
                      uint8_t *ways)
{
    uint32_t state = transition->source;

    if (!transition->targets.count)
        return;
    ways[state] = 1;
    for (; state != WF_NONE; state = machine->states[state].parent)
        if (machine->states[state].type == WF_PARALLEL && !ways[state] &&
            leads_out_of(machine, transition, state))
            ways[state] = 1;
}

static bool is_default(const wfsm_machine *machine, uint32_t number)
{
    return machine->states[machine->transitions[number].source].initial == number;
}

void wf_lint_ends(wf_load *load)
{
    const wfsm_machine *machine = load->machine;
    uint8_t *ways = wf_arena_zero(&load->scratch, machine->state_count);

    if (!ways)
        return;
    for (uint32_t i = 0; i < machine->transition_count; i++)
        if (!is_default(machine, i))
            mark_ways(machine, &machine->transitions[i], ways);
    for (uint32_t i = 0; i < machine->state_count; i++) {
        const wf_state *state = &machine->states[i];

        /* Parents come first: what holds for them holds for the children. */
        if ((i && ways[state->parent]) || rests(machine, state))
            ways[i] = 1;
        if (state->type == WF_ATOMIC && !ways[i])
            wf_load_warn(
                load, &wf_load_source(load, i)->node, "dead-end",
                "no transition leads out of the state \"%.*s\"; if this is intended, make it "
                "final or tag it \"terminal\" or \"awaiting_input\"",
                wf_shown(state->path.length), state->path.text);
    }
}
