/*
 * machine/lint_reach.c: states that nothing leads to. Guards count as free choices, so
 * that what is reported cannot be reached, while what is not reported may still not be.
 */
#include "machine/lint.h"

#include "base/invariant.h"

enum { ACTIVE = 1, ENTERED = 2 /* as a target, and so with its defaults */ };

typedef struct reach {
    const wfsm_machine *machine;
    uint8_t *marks;
    uint32_t *todo; /* states newly entered or active, to be looked at */
    uint32_t count;
} reach;

/* A state is put in the list at most once for each mark, so that two for each are
 * enough. */
static void mark(reach *at, uint32_t state, uint8_t marks)
{
    if ((at->marks[state] & marks) == marks)
        return;
    at->marks[state] |= marks;
    WF_INVARIANT(at->count < 2 * at->machine->state_count);
    at->todo[at->count++] = state;
}

static void enter_targets(reach *at, wf_span targets)
{
    for (uint32_t i = 0; i < targets.count; i++)
        mark(at, at->machine->lists[targets.first + i], ACTIVE | ENTERED);
}

static void enter_regions(reach *at, uint32_t parallel)
{
    uint32_t end = at->machine->states[parallel].end;

    for (uint32_t i = parallel + 1; i < end; i = at->machine->states[i].end)
        if (at->machine->states[i].type < WF_SHALLOW)
            mark(at, i, ACTIVE | ENTERED);
}

static void follow_candidates(reach *at, wf_span span)
{
    for (uint32_t i = 0; i < span.count; i++) {
        uint32_t number = at->machine->candidates[span.first + i].transition;

        enter_targets(at, at->machine->transitions[number].targets);
    }
}

static void follow(reach *at, const wf_state *state)
{
    for (uint32_t i = 0; i < state->always.count; i++) {
        uint32_t number = at->machine->lists[state->always.first + i];

        enter_targets(at, at->machine->transitions[number].targets);
    }
    for (uint32_t i = 0; i < state->exact.count; i++)
        follow_candidates(at, at->machine->handlers[state->exact.first + i].candidates);
    follow_candidates(at, state->generic);
}

static void look_at(reach *at, uint32_t number)
{
    const wf_state *state = &at->machine->states[number];

    if (state->parent != WF_NONE)
        mark(at, state->parent, ACTIVE);
    if (state->type == WF_PARALLEL)
        enter_regions(at, number);
    else if ((at->marks[number] & ENTERED) && state->initial != WF_NONE)
        enter_targets(at, at->machine->transitions[state->initial].targets);
    follow(at, state);
}

static void report(wf_load *load, const reach *at)
{
    for (uint32_t i = 0; i < at->machine->state_count; i++) {
        const wf_state *state = &at->machine->states[i];

        if (at->marks[i] || (i && !at->marks[state->parent]))
            continue;
        wf_load_warn(load, &wf_load_source(load, i)->node, "unreachable-state",
                     "nothing leads to the state \"%.*s\"", wf_shown(state->path.length),
                     state->path.text);
    }
}

void wf_lint_reach(wf_load *load)
{
    reach at = {.machine = load->machine};
    uint32_t count = load->machine->state_count;

    at.marks = wf_arena_zero(&load->scratch, count);
    at.todo = wf_arena_take(&load->scratch, 2 * (size_t)count * sizeof *at.todo);
    if (!at.marks || !at.todo)
        return;
    mark(&at, 0, ACTIVE | ENTERED);
    while (at.count)
        look_at(&at, at.todo[--at.count]);
    report(load, &at);
}
