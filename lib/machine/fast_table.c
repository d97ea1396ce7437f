/*
 * machine/fast_table.c: which events of which states step/fast_path.c can take. For each leaf
 * and event the table has a list of transitions, from the leaf outwards, whose guards are
 * tested in turn. Where it has none, the step is made in full. Reserved names have none, so that
 * a send of one is refused there.
 */
#include "machine/load.h"

#include "base/invariant.h"

enum {
    WF_FAST_STATES = 64,   /* a set of states is one word */
    WF_FAST_MOST = 1 << 13, /* leaves times events */
    WF_FAST_OFFERS = 16,   /* transitions for one event in one leaf */
    WF_FAST_STEPS = 4096,  /* of rules; with all else, less than any limit of a step's work */
    WF_FAST_KEYS = 64, /* of a context that a start need not weigh */
    WF_FAST_DEPTH = 64,
    WF_FAST_WEIGHT = 1 << 16 /* of each */
};

static uint64_t bit(uint32_t state)
{
    return (uint64_t)1 << state;
}

static bool is_quiet(const wfsm_machine *machine, const wf_state *state, bool by_default)
{
    return state->type != WF_FINAL && state->entry.count == 0 && state->after.count == 0 &&
           state->invokes.count == 0 &&
           (!by_default || state->type != WF_COMPOUND ||
            machine->transitions[state->initial].blocks.count == 0);
}

static bool enters_quietly(const wfsm_machine *machine, const wf_transition *self)
{
    for (uint32_t i = 0; i < self->path_count; i++)
        if (!is_quiet(machine, &machine->states[self->path[i]], i >= self->through))
            return false;
    return true;
}

static bool assigns_fast(const wfsm_machine *machine, wf_span span)
{
    for (uint32_t i = span.first; i < span.first + span.count; i++)
        if (machine->assignments[i].target.depth > 0 ||
            wf_expr_reads_beyond_context(machine->assignments[i].value))
            return false;
    return !machine->context_schema && span.count <= WF_FAST_VALUES;
}

/* The transition has no actions, or one list of assignments. */
static bool acts_fast(const wfsm_machine *machine, wf_transition *self)
{
    const wf_action *action;
    wf_span actions;

    if (self->blocks.count == 0)
        return true;
    actions = machine->blocks[self->blocks.first].actions;
    action = &machine->actions[actions.first];
    if (self->blocks.count != 1 || actions.count != 1 || action->kind != WF_ASSIGN)
        return false;
    self->assigns = action->as.assign;
    return assigns_fast(machine, action->as.assign);
}

static bool is_guard_fast(const wf_guard *guard)
{
    return guard->kind == WF_GUARD_NONE ||
           (guard->kind == WF_GUARD_RULE && !wf_expr_reads_beyond_context(guard->rule));
}

static void look_at_transition(const wfsm_machine *machine, wf_transition *self)
{
    self->keeps = ~(uint64_t)0;
    self->fast = (self->targets.count == 0 || self->path) && is_guard_fast(&self->guard) &&
                 enters_quietly(machine, self) && acts_fast(machine, self);
    if (!self->fast || !self->path)
        return;
    for (uint32_t s = self->domain + 1; s < machine->states[self->domain].end; s++)
        self->keeps &= ~bit(s);
    for (uint32_t i = 0; i < self->path_count; i++)
        self->enters |= bit(self->path[i]);
    WF_INVARIANT(!(self->keeps & self->enters)); /* only states that were left are entered */
}

static bool leaves_quietly(const wfsm_machine *machine, uint32_t leaf,
                           const wf_transition *transition)
{
    for (uint32_t s = leaf; transition->path && s != transition->domain;
         s = machine->states[s].parent)
        if (machine->states[s].exit.count > 0)
            return false;
    return true;
}

typedef struct offers {
    uint32_t list[WF_FAST_OFFERS + 1];
    uint32_t count;
    bool sure; /* the last one has no guard */
} offers;

static bool add_offer(const wfsm_machine *machine, uint32_t leaf, const wf_candidate *candidate,
                      offers *out)
{
    const wf_transition *self = &machine->transitions[candidate->transition];

    if (candidate->descriptor != WF_NONE || !self->fast ||
        !leaves_quietly(machine, leaf, self) || out->count == WF_FAST_OFFERS)
        return false;
    out->list[out->count++] = candidate->transition;
    out->sure = self->guard.kind == WF_GUARD_NONE;
    return true;
}

static wf_span candidates_of(const wfsm_machine *machine, const wf_state *state, uint32_t event)
{
    for (uint32_t i = 0; i < state->exact.count; i++)
        if (machine->handlers[state->exact.first + i].event == event)
            return machine->handlers[state->exact.first + i].candidates;
    return state->generic;
}

static bool collect(const wfsm_machine *machine, uint32_t leaf, uint32_t event, offers *out)
{
    out->count = 0;
    out->sure = false;
    for (uint32_t s = leaf; s != WF_NONE && !out->sure; s = machine->states[s].parent) {
        wf_span span = candidates_of(machine, &machine->states[s], event);

        for (uint32_t i = span.first; i < span.first + span.count && !out->sure; i++)
            if (!add_offer(machine, leaf, &machine->candidates[i], out))
                return false;
    }
    out->list[out->count] = WF_NONE;
    return out->count > 0;
}

static void fill(wfsm_machine *machine, const uint32_t **table)
{
    offers found;
    uint32_t events = machine->events.count;

    for (uint32_t i = 0; i < machine->state_count * events; i++) {
        uint32_t leaf = i / events, *list;

        if (machine->states[leaf].type != WF_ATOMIC ||
            wf_event_reserved(machine->events.list[i % events].text) ||
            !collect(machine, leaf, i % events, &found))
            continue;
        list = wf_arena_take(&machine->arena, (found.count + 1) * sizeof *list);
        for (uint32_t k = 0; list && k <= found.count; k++)
            list[k] = found.list[k];
        table[i] = list;
    }
}

/* ---- the start ---- */

/* A value that no limit of a step can refuse. */
static bool is_modest(const wf_value *value)
{
    return value->depth <= WF_FAST_DEPTH && wf_value_weight(value) <= WF_FAST_WEIGHT;
}

static uint64_t look_at_start(const wfsm_machine *machine)
{
    uint64_t entered = 0;
    uint32_t s = 0;

    for (uint32_t i = 0; i < machine->keys.count; i++)
        if (!is_modest(&machine->initial[i]))
            return 0;
    for (;;) {
        const wf_state *state = &machine->states[s];
        wf_span targets;

        if (!is_quiet(machine, state, true))
            return 0;
        entered |= bit(s);
        if (state->type != WF_COMPOUND)
            return entered;
        targets = machine->transitions[state->initial].targets;
        if (targets.count != 1 || machine->states[machine->lists[targets.first]].parent != s)
            return 0;
        s = machine->lists[targets.first];
    }
}

/* Everything else that a machine can make its steps do must be excluded here or in
 * is_quiet(). A step of one transition makes two selections. */
static bool may_be_fast(const wfsm_machine *machine)
{
    return machine->state_count <= WF_FAST_STATES && !machine->has_always &&
           !machine->has_regions && machine->history_count == 0 && machine->budget_count == 0 &&
           machine->limits.selections >= 2 && machine->events.count <= WF_FAST_MOST &&
           machine->state_count * machine->events.count <= WF_FAST_MOST;
}

void wf_machine_fast_table(wfsm_machine *machine)
{
    const uint32_t **table;

    if (!may_be_fast(machine))
        return;
    for (uint32_t i = 0; i < machine->transition_count; i++)
        look_at_transition(machine, &machine->transitions[i]);
    table = wf_arena_zero(&machine->arena,
                          (size_t)machine->state_count * machine->events.count * sizeof *table);
    if (!table)
        return;
    fill(machine, table);
    machine->fast_steps =
        machine->limits.rule_steps < WF_FAST_STEPS ? machine->limits.rule_steps : WF_FAST_STEPS;
    machine->fast_start = machine->keys.count <= WF_FAST_KEYS ? look_at_start(machine) : 0;
    machine->fast_table = table;
}
