/* Sets of active states: which are legal, which are complete, which tags they have. */
#include "step/snapshot.h"

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

bool wf_children_fit(const wfsm_machine *machine, const uint64_t *set, uint32_t top)
{
    const wf_state *state = &machine->states[top];
    uint32_t on = 0, off = 0;
    for (uint32_t c = top + 1; c < state->end; c = machine->states[c].end)
        if (!is_history(&machine->states[c]))
            *(wf_set_has(set, c) ? &on : &off) += 1;
    return state->type == WF_COMPOUND ? on == 1 : state->type != WF_PARALLEL || off == 0;
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
    if (self->type != WF_COMPOUND && self->type != WF_PARALLEL)
        return false;
    for (uint32_t child = state + 1; child < self->end; child = machine->states[child].end) {
        const wf_state *region = &machine->states[child];
        if (is_history(region))
            continue;
        bool done = self->type == WF_PARALLEL
                        ? wf_snapshot_complete(snapshot, child)
                        : region->type == WF_FINAL && wf_set_has(snapshot->active, child);
        if (done != (self->type == WF_PARALLEL))
            return done;
    }
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
