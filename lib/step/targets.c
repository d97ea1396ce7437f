/* The domain of a transition and the states that it enters: appendix D's effective targets,
 * transition domain and entry set. */
#include "step/step.h"

#include "base/invariant.h"

static uint64_t *remembered(const wf_step *step, uint32_t history)
{
    return step->snapshot->extras->histories +
           (size_t)step->machine->states[history].history * step->machine->words;
}

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

static wf_span targets_of(const wf_step *step, uint32_t transition)
{
    return step->machine->transitions[transition].targets;
}

/* ---- domain ---- */

/* A range of states, as numbers. The least common ancestor of a set of states is that of its
 * first and last state in document order. */
typedef struct extent {
    uint32_t low, high;
} extent;

static void extend(extent *range, uint32_t state)
{
    if (range->low == WF_NONE || state < range->low)
        range->low = state;
    if (range->high == WF_NONE || state > range->high)
        range->high = state;
}

static void extend_by_targets(const wf_step *step, wf_span targets, extent *range)
{
    const wfsm_machine *machine = step->machine;
    for (uint32_t i = targets.first; i < targets.first + targets.count; i++) {
        uint32_t target = machine->lists[i];
        const wf_state *state = &machine->states[target];
        if (!is_history(state)) {
            extend(range, target);
            continue;
        }
        const uint64_t *set = remembered(step, target);
        uint32_t s = wf_set_next(set, machine->words, 0);
        if (s == WF_NONE)
            extend_by_targets(step, targets_of(step, state->initial), range);
        for (; s != WF_NONE; s = wf_set_next(set, machine->words, s + 1))
            extend(range, s);
    }
}

static bool holds(const wfsm_machine *machine, uint32_t ancestor, const extent *range)
{
    return range->low > ancestor && range->high < machine->states[ancestor].end;
}

uint32_t wf_domain(const wf_step *step, uint32_t transition)
{
    const wfsm_machine *machine = step->machine;
    const wf_transition *self = &machine->transitions[transition];
    extent range = {WF_NONE, WF_NONE};
    if (self->path)
        return self->domain;
    if (self->targets.count == 0)
        return WF_NONE;
    if (self->source == 0)
        return 0;
    extend_by_targets(step, self->targets, &range);
    bool within = range.low >= self->source && range.high < machine->states[self->source].end;
    if (within && !self->reenter)
        return self->source;
    uint32_t domain = machine->states[self->source].parent;
    while (domain != 0 &&
           (machine->states[domain].type != WF_COMPOUND || !holds(machine, domain, &range)))
        domain = machine->states[domain].parent;
    WF_INVARIANT(wf_is_descendant(machine, self->source, domain));
    return domain;
}

/* ---- entry set ---- */

/* The entry set of one transition. All its states lie strictly inside `domain`. */
typedef struct entry {
    wf_step *step;
    uint32_t domain; /* WF_NONE at the start, which enters the root, too */
    size_t looks; /* at states, each region of each ancestor of each target included */
} entry;

/* Four looks are one unit of work. False when it does not suffice; then the entry set is not
 * complete. */
static bool look(entry *pass)
{
    return pass->looks++ / 4 < pass->step->work;
}

static bool inside(const entry *pass, uint32_t state)
{
    return pass->domain == WF_NONE ||
           wf_is_descendant(pass->step->machine, state, pass->domain);
}

static void add_descendants(entry *pass, uint32_t state);

static bool entering_within(const entry *pass, uint32_t state)
{
    const wfsm_machine *machine = pass->step->machine;
    return wf_set_next(pass->step->entering, machine->words, state) <
           machine->states[state].end;
}

/* Regions that nothing else enters are entered by default. */
static void add_regions(entry *pass, uint32_t parallel)
{
    const wfsm_machine *machine = pass->step->machine;
    for (uint32_t child = parallel + 1; child < machine->states[parallel].end && look(pass);
         child = machine->states[child].end)
        if (!is_history(&machine->states[child]) && !entering_within(pass, child))
            add_descendants(pass, child);
}

/* Adds the ancestors of a state below `top`. */
static void add_ancestors(entry *pass, uint32_t state, uint32_t top)
{
    const wfsm_machine *machine = pass->step->machine;
    for (uint32_t s = machine->states[state].parent; s != WF_NONE && s != top;
         s = machine->states[s].parent) {
        if (!look(pass) || !inside(pass, s))
            return;
        wf_set_add(pass->step->entering, s);
        if (machine->states[s].type == WF_PARALLEL)
            add_regions(pass, s);
    }
}

/* Adds all targets before any ancestor, so that a region that a later target names is not
 * entered by default. */
static void add_targets(entry *pass, wf_span targets, uint32_t top)
{
    const uint32_t *list = pass->step->machine->lists;
    for (uint32_t i = targets.first; i < targets.first + targets.count; i++)
        add_descendants(pass, list[i]);
    for (uint32_t i = targets.first; i < targets.first + targets.count; i++)
        add_ancestors(pass, list[i], top);
}

static void add_history(entry *pass, uint32_t history)
{
    wf_step *step = pass->step;
    const wfsm_machine *machine = step->machine;
    const wf_state *state = &machine->states[history];
    const uint64_t *set = remembered(step, history);
    uint32_t first = wf_set_next(set, machine->words, 0);
    if (first == WF_NONE) {
        step->by_history[state->history / 64] |= (uint64_t)1 << (state->history % 64);
        add_targets(pass, targets_of(step, state->initial), state->parent);
        return;
    }
    for (uint32_t s = first; s != WF_NONE; s = wf_set_next(set, machine->words, s + 1))
        add_descendants(pass, s);
    for (uint32_t s = first; s != WF_NONE; s = wf_set_next(set, machine->words, s + 1))
        add_ancestors(pass, s, state->parent);
}

static void add_descendants(entry *pass, uint32_t state)
{
    wf_step *step = pass->step;
    const wf_state *self = &step->machine->states[state];
    if (!look(pass))
        return;
    if (is_history(self)) {
        add_history(pass, state);
        return;
    }
    if (inside(pass, state))
        wf_set_add(step->entering, state);
    else if (state != pass->domain)
        return;
    if (self->type == WF_COMPOUND) {
        wf_set_add(step->by_default, state);
        add_targets(pass, targets_of(step, self->initial), state);
    } else if (self->type == WF_PARALLEL) {
        add_regions(pass, state);
    }
}

int32_t wf_entry_set(wf_step *step, uint32_t transition, uint32_t domain)
{
    entry pass = {step, domain, 0};
    wf_span targets = targets_of(step, transition);
    if (targets.count == 0)
        return WFSM_OK;
    add_targets(&pass, targets, domain);
    if (step->machine->states[domain].type == WF_PARALLEL)
        add_regions(&pass, domain);
    return wf_fuel_work(step, pass.looks / 4);
}

int32_t wf_entry_set_of(wf_step *step, const uint32_t *targets, size_t count)
{
    entry pass = {step, WF_NONE, 0};
    for (size_t i = 0; i < count; i++)
        add_descendants(&pass, targets[i]);
    for (size_t i = 0; i < count; i++)
        add_ancestors(&pass, targets[i], WF_NONE);
    return wf_fuel_work(step, pass.looks / 4);
}

int32_t wf_entry_set_start(wf_step *step)
{
    entry pass = {step, WF_NONE, 0};
    add_descendants(&pass, 0);
    return wf_fuel_work(step, pass.looks / 4);
}
