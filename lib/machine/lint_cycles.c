/*
 * machine/lint_cycles.c: `always` transitions without guards that lead back to each
 * other. The search follows only what is certain to happen: a single target, its default entry
 * down to an atomic state, and then the innermost state with an `always`.
 */
#include "machine/lint.h"

#include "base/invariant.h"

static uint32_t first_always(const wfsm_machine *machine, uint32_t state)
{
    return machine->lists[machine->states[state].always.first];
}

static uint32_t innermost(const wfsm_machine *machine, uint32_t state)
{
    while (machine->states[state].initial != WF_NONE) {
        uint32_t number = machine->states[state].initial;

        state = machine->lists[machine->transitions[number].targets.first];
    }
    return state;
}

static bool ends_instance(const wfsm_machine *machine, uint32_t state)
{
    return machine->states[state].type == WF_FINAL && machine->states[state].parent == 0;
}

/* The state whose `always` is taken next, or WF_NONE if it depends. */
static uint32_t next(const wfsm_machine *machine, uint32_t state)
{
    const wf_transition *transition = &machine->transitions[first_always(machine, state)];

    WF_INVARIANT(transition->source == state);
    if (!transition->targets.count)
        return state;
    state = innermost(machine, machine->lists[transition->targets.first]);
    if (transition->targets.count > 1 || machine->states[state].type == WF_PARALLEL ||
        ends_instance(machine, state))
        return WF_NONE;
    while (state != WF_NONE && !machine->states[state].always.count)
        state = machine->states[state].parent;
    if (state == WF_NONE ||
        !wf_lint_always_enabled(&machine->transitions[first_always(machine, state)]))
        return WF_NONE;
    return state;
}

/* Walks from one state; `round` tells its steps from those of earlier walks. */
static uint32_t find_cycle(const wfsm_machine *machine, uint32_t state, uint32_t round,
                           uint32_t *seen)
{
    while (state != WF_NONE && !seen[state]) {
        seen[state] = round;
        state = next(machine, state);
    }
    return state != WF_NONE && seen[state] == round ? state : WF_NONE;
}

void wf_lint_cycles(wf_load *load)
{
    const wfsm_machine *machine = load->machine;
    uint32_t *seen = wf_arena_zero(&load->scratch, machine->state_count * sizeof *seen);

    for (uint32_t i = 0; seen && i < machine->state_count; i++) {
        uint32_t cycle;

        if (!machine->states[i].always.count ||
            !wf_lint_always_enabled(&machine->transitions[first_always(machine, i)]))
            continue;
        cycle = find_cycle(machine, i, i + 1, seen);
        if (cycle != WF_NONE)
            wf_load_warn_at(load,
                            wf_lint_transition_pointer(load, first_always(machine, cycle)),
                            "eventless-cycle",
                            "an endless loop: this transition has no guard and leads back to "
                            "itself without an event");
    }
}
