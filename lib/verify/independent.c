/* verify/independent.c: which regions of a document are independent (independent.h). */
#include "verify/independent.h"

#include <string.h>
#include "verify/footprint.h"

typedef struct finder {
    wf_explorer *explorer;
    const wfsm_machine *machine;
    bool strong; /* fairness is */
    uint32_t region;
    wf_footprint properties;
    wf_footprint inside, beside, outside; /* of the region; outside: anything else */
} finder;

/* ---- states ---- */

static bool is_inside(const finder *self, uint32_t state)
{
    return state == self->region || wf_is_descendant(self->machine, state, self->region);
}

static bool is_above(const finder *self, uint32_t state)
{
    return wf_is_descendant(self->machine, self->region, state);
}

/* True if it can be active together with the region. */
static bool is_beside(const finder *self, uint32_t state)
{
    uint32_t common = state;
    while (common != self->region && !is_above(self, common))
        common = self->machine->states[common].parent;
    return !is_inside(self, state) &&
           (common == state || self->machine->states[common].type == WF_PARALLEL);
}

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

/* It reacts to nothing by itself, and nothing works for it: once it is complete, it stays so, also
 * within a step. */
static bool is_plain(const wf_state *state)
{
    return state->exact.count == 0 && state->generic.count == 0 && state->always.count == 0 &&
           state->after.count == 0 && state->invokes.count == 0;
}

/* ---- what ends a region ---- */

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

static bool leaves(const finder *self, uint32_t transition)
{
    const wf_transition *of = &self->machine->transitions[transition];
    return of->targets.count > 0 && is_above(self, domain_of(self->machine, of));
}

/* The event comes only after all regions are complete. */
static bool ends_all(const finder *self, uint32_t event)
{
    uint32_t s = self->machine->states[self->region].parent;
    for (; s != WF_NONE; s = self->machine->states[s].parent)
        if (self->machine->states[s].done_event == event)
            return true;
    return false;
}

static bool any_leaves(const finder *self, wf_span candidates)
{
    for (uint32_t i = candidates.first; i < candidates.first + candidates.count; i++)
        if (leaves(self, self->machine->candidates[i].transition))
            return true;
    return false;
}

static bool always_leaves(const finder *self, wf_span always)
{
    for (uint32_t i = always.first; i < always.first + always.count; i++)
        if (leaves(self, self->machine->lists[i]))
            return true;
    return false;
}

/* A transition of the state ends the region before it is complete. */
static bool interrupts(const finder *self, const wf_state *state)
{
    for (uint32_t h = state->exact.first; h < state->exact.first + state->exact.count; h++)
        if (!ends_all(self, self->machine->handlers[h].event) &&
            any_leaves(self, self->machine->handlers[h].candidates))
            return true;
    return any_leaves(self, state->generic) || always_leaves(self, state->always);
}

static bool is_interrupted(const finder *self)
{
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (is_beside(self, s) && interrupts(self, &self->machine->states[s]))
            return true;
    return false;
}

/* A history above the region remembers in which of its states it was. */
static bool is_remembered(const finder *self)
{
    const wf_state *states = self->machine->states;
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (states[s].type == WF_DEEP && is_above(self, states[s].parent))
            return true;
    return false;
}

static bool has_exit_actions(const finder *self)
{
    for (uint32_t s = self->region; s < self->machine->states[self->region].end; s++)
        if (self->machine->states[s].exit.count > 0)
            return true;
    return false;
}

static bool changes_data(const finder *self)
{
    for (uint32_t k = 0; k < self->machine->keys.count; k++)
        if (self->explorer->cones.slots[k] && self->inside.changes[k])
            return true;
    return false;
}

/* Something that must come is pending in a run that leaves the region again and again. Whether agents of the
 * region act before that counts for strong fairness. */
static bool must_come(const wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->property_count; i++)
        if (wf_property_must_come(&machine->properties[i]))
            return true;
    return false;
}

/* Once the region is left, it makes no difference how far it had come. */
static bool leaves_traces(const finder *self)
{
    return has_exit_actions(self) || changes_data(self) || is_remembered(self) ||
           (self->strong && must_come(self->machine));
}

/* ---- events ---- */

static bool hears(const wfsm_machine *machine, const wf_state *state, uint32_t event)
{
    const wf_name *name = &machine->events.list[event];
    for (uint32_t h = state->exact.first; h < state->exact.first + state->exact.count; h++)
        if (machine->handlers[h].event == event)
            return true;
    for (uint32_t i = state->generic.first; i < state->generic.first + state->generic.count;
         i++) {
        uint32_t descriptor = machine->candidates[i].descriptor;
        if (descriptor == WF_NONE ||
            wf_prefix_matches(&machine->prefixes[descriptor], name->text, name->length))
            return true;
    }
    return false;
}

static bool is_heard_outside(const finder *self, uint32_t event)
{
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (!is_inside(self, s) && hears(self->machine, &self->machine->states[s], event))
            return true;
    return false;
}

static bool is_invoke_event(const wf_invoke *invoke, uint32_t event)
{
    return invoke->done_event == event || invoke->error_event == event;
}

/* An invocation or a state of the region says this. */
static bool is_said(const finder *self, uint32_t event)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (is_inside(self, machine->invokes[i].state) &&
            is_invoke_event(&machine->invokes[i], event))
            return true;
    for (uint32_t s = self->region; s < machine->states[self->region].end; s++)
        if (machine->states[s].done_event == event)
            return true;
    return false;
}

/* The region hears it, but not the region alone, or something else says it. */
static bool is_shared(const finder *self, uint32_t event)
{
    bool own = is_said(self, event);
    return is_heard_outside(self, event) || self->outside.raises[event] ||
           (!own && wf_event_reserved(self->machine->events.list[event].text));
}

static bool hears_others(const finder *self)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t s = self->region; s < machine->states[self->region].end; s++) {
        wf_span exact = machine->states[s].exact;
        if (machine->states[s].generic.count > 0)
            return true;
        for (uint32_t h = exact.first; h < exact.first + exact.count; h++)
            if (is_shared(self, machine->handlers[h].event))
                return true;
    }
    return false;
}

static bool is_heard_by_others(const finder *self)
{
    for (uint32_t e = 0; e < self->machine->events.count; e++)
        if ((self->inside.raises[e] || is_said(self, e)) && is_heard_outside(self, e))
            return true;
    return false;
}

/* ---- data ---- */

/* What nothing depends on is no part of a state. */
static bool shares_data(const finder *self)
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

static bool asks_states(const finder *self)
{
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (is_inside(self, s) ? self->beside.asks[s] || self->properties.asks[s]
                               : self->inside.asks[s])
            return true;
    return false;
}

static bool does_more(const finder *self)
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

static bool asks_person(const wfsm_machine *machine, const wf_invoke *invoke)
{
    for (uint32_t i = invoke->srcs.first; i < invoke->srcs.first + invoke->srcs.count; i++)
        if (wf_is_person(&machine->agents.list[machine->lists[i]]))
            return true;
    return false;
}

/* Ends and people count for the whole of a state. */
static bool is_marked(const finder *self)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t s = self->region; s < machine->states[self->region].end; s++)
        if (has_tag(machine, s, "terminal") || has_tag(machine, s, "awaiting_input"))
            return true;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (is_inside(self, machine->invokes[i].state) &&
            asks_person(machine, &machine->invokes[i]))
            return true;
    return false;
}

/* ---- one region ---- */

static bool find_footprints(finder *self)
{
    const wfsm_machine *machine = self->machine;
    wf_arena *arena = &self->explorer->arena;
    if (!wf_footprint_init(&self->inside, machine, arena) ||
        !wf_footprint_init(&self->beside, machine, arena) ||
        !wf_footprint_init(&self->outside, machine, arena))
        return false;
    for (uint32_t s = 0; s < machine->state_count; s++) {
        wf_footprint_add_state(is_inside(self, s) ? &self->inside : &self->outside, s);
        if (is_beside(self, s))
            wf_footprint_add_state(&self->beside, s);
    }
    return true;
}

static bool is_independent(const finder *self)
{
    return !self->inside.names && !self->outside.names && !does_more(self) &&
           !(is_interrupted(self) && leaves_traces(self)) && !hears_others(self) &&
           !is_heard_by_others(self) && !shares_data(self) && !asks_states(self) &&
           !is_marked(self);
}

static bool may_be(const wfsm_machine *machine, uint32_t state)
{
    uint32_t parent = machine->states[state].parent;
    return machine->states[parent].type == WF_PARALLEL &&
           machine->states[state].type == WF_COMPOUND && is_plain(&machine->states[state]);
}

static bool add(wf_regions *regions, const finder *self)
{
    const wfsm_machine *machine = self->machine;
    uint64_t *others = wf_arena_zero(&self->explorer->arena, machine->words * sizeof(uint64_t));
    for (uint32_t s = 0; others && s < machine->state_count; s++)
        wf_set_add(is_inside(self, s) ? regions->all : others, s);
    regions->list[regions->count++] = (wf_region){.state = self->region, .others = others};
    return others && wf_region_order(regions, machine, self->region, &self->explorer->arena);
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
static bool are_blind(finder *self)
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
        if (hears(machine, &machine->states[s], WF_EVENT_ERROR_EXECUTION))
            return true;
    return false;
}

/* Times, budgets, checkpoints and counts of failures belong to the document as a whole. */
static bool may_have_any(finder *self)
{
    const wf_explorer *explorer = self->explorer;
    return self->machine->has_regions && !explorer->restores && !explorer->limits &&
           !explorer->ends && self->machine->budget_count == 0 && !explorer->cones.failure &&
           !hears_failures(self->machine) && are_blind(self);
}

bool wf_regions_find(wf_regions *regions, wf_explorer *explorer, int32_t fairness)
{
    const wfsm_machine *machine = explorer->machine;
    finder self = {
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
