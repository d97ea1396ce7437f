/* Sets of active states: which are legal, which are complete, which tags they have. */
#include "step/snapshot.h"

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

/* The first child of `top` in the set, from `from` on, that is not a history; WF_NONE: there is
 * none. */
static uint32_t child_in(const wfsm_machine *machine, const uint64_t *set, uint32_t top,
                         uint32_t from)
{
    uint32_t child = wf_set_next(set, machine->words, from);
    while (child < machine->states[top].end &&
           (machine->states[child].parent != top || is_history(&machine->states[child])))
        child = wf_set_next(set, machine->words, child + 1);
    return child < machine->states[top].end ? child : WF_NONE;
}

bool wf_children_fit(const wfsm_machine *machine, const uint64_t *set, uint32_t top)
{
    const wf_state *states = machine->states, *state = &states[top];
    if (state->type == WF_COMPOUND) {
        uint32_t child = child_in(machine, set, top, top + 1);
        return child != WF_NONE && child_in(machine, set, top, states[child].end) == WF_NONE;
    }
    for (uint32_t c = top + 1; c < state->end && state->type == WF_PARALLEL; c = states[c].end)
        if (!is_history(&states[c]) && !wf_set_has(set, c))
            return false;
    return true;
}

bool wf_is_legal(const wfsm_machine *machine, const uint64_t *active, uint32_t top)
{
    if (!wf_set_has(active, top))
        return false;
    for (uint32_t s = top; s < machine->states[top].end;
         s = wf_set_next(active, machine->words, s + 1))
        if (is_history(&machine->states[s]) || !wf_children_fit(machine, active, s))
            return false;
    return true;
}

bool wf_snapshot_complete(const wf_snapshot *snapshot, uint32_t state)
{
    const wfsm_machine *machine = snapshot->machine;
    const wf_state *self = &machine->states[state];
    if (!wf_set_has(snapshot->active, state))
        return false;
    if (self->type == WF_FINAL)
        return true;
    if (self->type == WF_COMPOUND) {
        uint32_t child = child_in(machine, snapshot->active, state, state + 1);
        return child != WF_NONE && machine->states[child].type == WF_FINAL;
    }
    for (uint32_t c = state + 1; c < self->end; c = machine->states[c].end)
        if (!is_history(&machine->states[c]) && !wf_snapshot_complete(snapshot, c))
            return false;
    return self->type == WF_PARALLEL;
}

static bool has_tag(const wfsm_machine *machine, uint32_t state, uint32_t tag)
{
    wf_span tags = machine->states[state].tags;
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++)
        if (machine->lists[i] == tag)
            return true;
    return false;
}

bool wf_snapshot_has_tag(const wf_snapshot *snapshot, uint32_t tag)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t s = wf_set_next(snapshot->active, machine->words, 0); s != WF_NONE;
         s = wf_set_next(snapshot->active, machine->words, s + 1))
        if (has_tag(machine, s, tag))
            return true;
    return false;
}
