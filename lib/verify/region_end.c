/* verify/region_end.c: whether a region may be left before it is complete, and which traces it leaves then. */
#include "verify/independence.h"

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

/* ---- leaving it ---- */

/* The least and the greatest state that a transition can lead to. */
static void find_reach(const wfsm_machine *machine, const wf_transition *self, uint32_t *low,
                       uint32_t *high)
{
    *low = WF_NONE, *high = 0;
    for (uint32_t i = self->targets.first; i < self->targets.first + self->targets.count; i++) {
        uint32_t first = machine->lists[i], last = first;
        if (is_history(&machine->states[first])) {
            uint32_t parent = machine->states[first].parent;
            first = parent + 1, last = machine->states[parent].end - 1;
        }
        *low = first < *low ? first : *low;
        *high = last > *high ? last : *high;
    }
}

/* The domain of a transition (step/targets.c), or an ancestor of it. */
static uint32_t domain_of(const wfsm_machine *machine, const wf_transition *self)
{
    const wf_state *states = machine->states;
    uint32_t low, high;
    find_reach(machine, self, &low, &high);
    if (self->source == 0 ||
        (!self->reenter && low >= self->source && high < states[self->source].end))
        return self->source;
    uint32_t domain = states[self->source].parent;
    while (domain != 0 &&
           (states[domain].type != WF_COMPOUND || low <= domain || high >= states[domain].end))
        domain = states[domain].parent;
    return domain;
}

bool wf_region_is_left_by(const wf_independence *self, uint32_t transition)
{
    const wf_transition *of = &self->machine->transitions[transition];
    return of->targets.count > 0 && wf_region_is_below(self, domain_of(self->machine, of));
}

/* The event comes only after all regions are complete. */
static bool ends_all(const wf_independence *self, uint32_t event)
{
    uint32_t s = self->machine->states[self->region].parent;
    for (; s != WF_NONE; s = self->machine->states[s].parent)
        if (self->machine->states[s].done_event == event)
            return true;
    return false;
}

static bool any_leaves(const wf_independence *self, wf_span candidates)
{
    for (uint32_t i = candidates.first; i < candidates.first + candidates.count; i++)
        if (wf_region_is_left_by(self, self->machine->candidates[i].transition))
            return true;
    return false;
}

static bool always_leaves(const wf_independence *self, wf_span always)
{
    for (uint32_t i = always.first; i < always.first + always.count; i++)
        if (wf_region_is_left_by(self, self->machine->lists[i]))
            return true;
    return false;
}

/* A transition of the state ends the region before it is complete. */
static bool interrupts(const wf_independence *self, const wf_state *state)
{
    for (uint32_t h = state->exact.first; h < state->exact.first + state->exact.count; h++)
        if (!ends_all(self, self->machine->handlers[h].event) &&
            any_leaves(self, self->machine->handlers[h].candidates))
            return true;
    return any_leaves(self, state->generic) || always_leaves(self, state->always);
}

bool wf_region_is_interrupted(const wf_independence *self)
{
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (wf_region_is_beside(self, s) && interrupts(self, &self->machine->states[s]))
            return true;
    return false;
}

/* ---- the traces that it leaves ---- */

/* Such a history remembers in which of its states the region was: any that is within it, and a deep one above. */
static bool remembers(const wf_independence *self, const wf_state *history)
{
    return wf_region_has(self, history->parent) ||
           (history->type == WF_DEEP && wf_region_is_below(self, history->parent));
}

static bool is_remembered(const wf_independence *self)
{
    const wf_state *states = self->machine->states;
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (is_history(&states[s]) && remembers(self, &states[s]))
            return true;
    return false;
}

static bool has_exit_actions(const wf_independence *self)
{
    for (uint32_t s = self->region; s < self->machine->states[self->region].end; s++)
        if (self->machine->states[s].exit.count > 0)
            return true;
    return false;
}

static bool changes_data(const wf_independence *self)
{
    for (uint32_t k = 0; k < self->machine->keys.count; k++)
        if (self->explorer->cones.slots[k] && self->inside.changes[k])
            return true;
    return false;
}

/* With strong fairness, and where something must come, it counts whether agents of the region have acted: a run may
 * leave the region again and again. */
bool wf_region_leaves_traces(const wf_independence *self)
{
    return has_exit_actions(self) || changes_data(self) || is_remembered(self) ||
           (self->strong && wf_machine_must_come(self->machine));
}
