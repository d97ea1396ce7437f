/* verify/independent.c: which regions of a document are independent (independent.h). */
#include <string.h>
#include "verify/cone_find.h"
#include "verify/independence.h"

/* ---- states ---- */

/* It reacts to nothing by itself, and nothing works for it: once it is complete, it stays so, also
 * within a step. */
static bool is_plain(const wf_state *state)
{
    return state->exact.count == 0 && state->generic.count == 0 && state->always.count == 0 &&
           state->after.count == 0 && state->invokes.count == 0;
}

/* ---- data ---- */

/* What nothing depends on is no part of a state. */
static bool shares_data(const wf_independence *self)
{
    const wf_footprint *in = &self->inside, *by = &self->beside, *said = &self->properties;
    for (uint32_t k = 0; k < self->machine->keys.count; k++) {
        bool read = by->context || by->reads[k] || said->context || said->reads[k];
        bool reads = in->context || in->reads[k];
        if (self->explorer->cones.slots[k] &&
            ((in->changes[k] && (read || by->changes[k])) || (by->changes[k] && reads)))
            return true;
    }
    return false;
}

static bool asks_states(const wf_independence *self)
{
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (wf_region_has(self, s) ? self->beside.asks[s] || self->properties.asks[s]
                                   : self->inside.asks[s])
            return true;
    return false;
}

static bool does_more(const wf_independence *self)
{
    const wf_footprint *in = &self->inside, *by = &self->beside;
    return in->always || by->always || in->timers || by->timers || in->host || by->host;
}

/* ---- who acts ---- */

static bool has_tag(const wfsm_machine *machine, uint32_t state, const char *name)
{
    uint32_t tag = wf_names_find(&machine->tags, name, strlen(name));
    wf_span tags = machine->states[state].tags;
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++)
        if (machine->lists[i] == tag)
            return true;
    return false;
}

/* Ends and people count for the whole of a state. */
static bool is_marked(const wf_independence *self)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t s = self->region; s < machine->states[self->region].end; s++)
        if (has_tag(machine, s, "terminal") || has_tag(machine, s, "awaiting_input"))
            return true;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (wf_region_has(self, machine->invokes[i].state) &&
            wf_may_ask_person(machine, &machine->invokes[i]))
            return true;
    return false;
}

/* ---- one region ---- */

static bool find_footprints(wf_independence *self)
{
    const wfsm_machine *machine = self->machine;
    wf_arena *arena = &self->explorer->arena;
    if (!wf_footprint_init(&self->inside, machine, arena) ||
        !wf_footprint_init(&self->beside, machine, arena) ||
        !wf_footprint_init(&self->outside, machine, arena))
        return false;
    for (uint32_t s = 0; s < machine->state_count; s++) {
        wf_footprint_add_state(wf_region_has(self, s) ? &self->inside : &self->outside, s);
        if (wf_region_is_beside(self, s))
            wf_footprint_add_state(&self->beside, s);
    }
    return true;
}

static bool is_independent(const wf_independence *self)
{
    return !self->inside.names && !self->outside.names && !does_more(self) &&
           !(wf_region_is_interrupted(self) && wf_region_leaves_traces(self)) &&
           !wf_region_hears_others(self) && !wf_region_is_heard(self) && !shares_data(self) &&
           !asks_states(self) && !is_marked(self);
}

static bool may_be(const wfsm_machine *machine, uint32_t state)
{
    uint32_t parent = machine->states[state].parent;
    return machine->states[parent].type == WF_PARALLEL &&
           machine->states[state].type == WF_COMPOUND && is_plain(&machine->states[state]);
}

static bool describe(wf_region *region, const wf_independence *self)
{
    const wfsm_machine *machine = self->machine;
    wf_arena *arena = &self->explorer->arena;
    region->state = self->region;
    region->others = wf_arena_zero(arena, machine->words * sizeof *region->others);
    region->left_by = wf_arena_zero(arena, machine->transition_count + 1u);
    if (!region->others || !region->left_by)
        return false;
    for (uint32_t s = 0; s < machine->state_count; s++)
        if (!wf_region_has(self, s))
            wf_set_add(region->others, s);
    for (uint32_t t = 0; t < machine->transition_count; t++)
        region->left_by[t] = wf_region_is_left_by(self, t);
    return true;
}

static bool add(wf_regions *regions, const wf_independence *self)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t s = self->region; s < machine->states[self->region].end; s++)
        wf_set_add(regions->all, s);
    return describe(&regions->list[regions->count++], self) &&
           wf_region_order(regions, machine, self->region, &self->explorer->arena);
}

/* ---- the document ---- */

/* A step after which its rules are as true as before may change what it remembers, or it is not of
 * this instance alone. */
static bool counts_steps(const wf_property *property)
{
    bool counts = property->kind == WF_AT_MOST || property->kind == WF_AT_LEAST ||
                  property->kind == WF_EXACTLY;
    return property->kind == WF_INSTANCES || (counts && property->since.rule);
}

static void read_property(wf_footprint *said, const wf_property *property)
{
    wf_footprint_add_rule(said, property->of.rule);
    wf_footprint_add_rule(said, property->before.rule);
    wf_footprint_add_rule(said, property->since.rule);
    wf_footprint_add_rule(said, property->to.rule);
    wf_footprint_add_rule(said, property->times);
    for (uint32_t i = 0; i < property->trigger_count; i++)
        wf_footprint_add_rule(said, property->triggers[i]);
}

/* A step that changes nothing for a property must not count for it. */
static bool are_blind(wf_independence *self)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t i = 0; i < machine->property_count; i++) {
        if (counts_steps(&machine->properties[i]))
            return false;
        read_property(&self->properties, &machine->properties[i]);
    }
    return !self->properties.event;
}

/* Each region could make it come. */
static bool hears_failures(const wfsm_machine *machine)
{
    for (uint32_t s = 0; s < machine->state_count; s++)
        if (wf_state_hears(machine, &machine->states[s], WF_EVENT_ERROR_EXECUTION))
            return true;
    return false;
}

/* Times, budgets, checkpoints and counts of failures belong to the document as a whole. */
static bool may_have_any(wf_independence *self)
{
    const wf_explorer *explorer = self->explorer;
    return self->machine->has_regions && !explorer->restores && !explorer->limits &&
           !explorer->ends && self->machine->budget_count == 0 && !explorer->cones.failure &&
           !hears_failures(self->machine) && are_blind(self);
}

bool wf_regions_find(wf_regions *regions, wf_explorer *explorer, int32_t fairness)
{
    const wfsm_machine *machine = explorer->machine;
    wf_independence self = {
        .explorer = explorer, .machine = machine, .strong = fairness == WFSM_FAIRNESS_STRONG};
    *regions = (wf_regions){0};
    regions->list =
        wf_arena_zero(&explorer->arena, machine->state_count * sizeof *regions->list);
    regions->all = wf_arena_zero(&explorer->arena, machine->words * sizeof *regions->all);
    regions->ranks =
        wf_arena_zero(&explorer->arena, machine->state_count * sizeof *regions->ranks);
    if (!regions->list || !regions->all || !regions->ranks ||
        !wf_footprint_init(&self.properties, machine, &explorer->arena))
        return false;
    if (!may_have_any(&self))
        return true;
    for (uint32_t s = 1; s < machine->state_count; s++) {
        self.region = s;
        if (!may_be(machine, s))
            continue;
        if (!find_footprints(&self))
            return false;
        if (!is_independent(&self))
            continue;
        if (!add(regions, &self))
            return false;
        s = machine->states[s].end - 1; /* regions of its own belong to it */
    }
    return true;
}
