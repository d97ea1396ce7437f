/* verify/hiding_live.c: which facts may still be asked (live variable analysis). A fact is live in a state of
 * the machine if a run from there may ask it before what it is about is assigned. The key of a state keeps
 * nothing of the others: less is known then, so that more runs are possible, never fewer. */
#include <string.h>
#include "base/memory.h"
#include "logic/expr_tree.h"
#include "verify/explorer.h"
#include "verify/hiding.h"

typedef struct liveness {
    const wfsm_machine *machine;
    wf_hiding *hiding;
    bool changed;
} liveness;

/* ---- what is asked ---- */

static uint32_t asked_by(const liveness *self, const wf_expr *expr);

static uint32_t asked_by_list(const liveness *self, const wf_expr *list, uint32_t count)
{
    uint32_t facts = 0;
    for (uint32_t i = 0; i < count; i++)
        facts |= asked_by(self, &list[i]);
    return facts;
}

/* The facts that are written like a part of it. */
static uint32_t asked_by(const liveness *self, const wf_expr *expr)
{
    uint32_t facts = expr ? wf_hiding_facts_like(self->hiding, expr) : 0;
    if (!expr)
        return 0;
    switch (expr->node) {
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
        return facts | asked_by_list(self, expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return facts | asked_by_list(self, expr->as.object.list, expr->count);
    default:
        return facts;
    }
}

/* ---- actions ---- */

typedef uint32_t facts_of(const liveness *self, const wf_action *action);

static uint32_t facts_of_blocks(const liveness *self, wf_span blocks, facts_of *of_action)
{
    uint32_t facts = 0;
    for (uint32_t i = blocks.first; i < blocks.first + blocks.count; i++) {
        wf_span actions = self->machine->blocks[i].actions;
        for (uint32_t a = actions.first; a < actions.first + actions.count; a++)
            facts |= of_action(self, &self->machine->actions[a]);
    }
    return facts;
}

static uint32_t asked_by_blocks(const liveness *self, wf_span blocks);

static uint32_t asked_by_branches(const liveness *self, wf_span branches)
{
    uint32_t facts = 0;
    for (uint32_t i = branches.first; i < branches.first + branches.count; i++) {
        const wf_branch *branch = &self->machine->branches[i];
        facts |= asked_by(self, branch->guard.rule) | asked_by_blocks(self, branch->blocks);
    }
    return facts;
}

static uint32_t asked_by_action(const liveness *self, const wf_action *action)
{
    uint32_t facts = 0;
    switch (action->kind) {
    case WF_ASSIGN:
        for (uint32_t i = 0; i < action->as.assign.count; i++)
            facts |=
                asked_by(self, self->machine->assignments[action->as.assign.first + i].value);
        return facts;
    case WF_RAISE:
    case WF_EMIT:
        return asked_by(self, action->as.raise.event) | asked_by(self, action->as.raise.delay) |
               asked_by(self, action->as.raise.id);
    case WF_CANCEL:
        return asked_by(self, action->as.cancel);
    case WF_CHOOSE:
        return asked_by_branches(self, action->as.choose);
    case WF_EACH:
        return asked_by(self, action->as.each.in) |
               asked_by_blocks(self, action->as.each.blocks);
    default:
        return 0;
    }
}

static uint32_t asked_by_blocks(const liveness *self, wf_span blocks)
{
    return facts_of_blocks(self, blocks, asked_by_action);
}

/* The facts about a key. */
static uint32_t about(const liveness *self, uint32_t slot)
{
    uint32_t facts = 0;
    for (uint32_t i = 0; i < self->hiding->fact_count; i++)
        if (wf_hiding_reads_key(self->hiding, self->hiding->facts[i], slot))
            facts |= 1u << i;
    return facts;
}

/* The facts about what it assigns. An assignment that reads the old value needs the facts about it. */
static uint32_t assigned_by_action(const liveness *self, const wf_action *action)
{
    uint32_t facts = 0;
    if (action->kind != WF_ASSIGN)
        return 0;
    for (uint32_t i = 0; i < action->as.assign.count; i++) {
        const wf_assignment *one = &self->machine->assignments[action->as.assign.first + i];
        const uint32_t slot = one->target.slot;
        if (one->target.depth == 0 && !wf_hiding_reads_key(self->hiding, one->value, slot))
            facts |= about(self, slot);
    }
    return facts;
}

/* ---- states ---- */

static uint32_t asked_by_invoke(const liveness *self, const wf_invoke *invoke)
{
    const wf_expr *const list[] = {invoke->src,     invoke->priority, invoke->phase,
                                   invoke->group,   invoke->items,    invoke->most,
                                   invoke->complete};
    uint32_t facts = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        facts |= asked_by(self, list[i]);
    return facts;
}

static uint32_t asked_in_state(const liveness *self, const wf_state *state)
{
    uint32_t facts = asked_by_blocks(self, state->entry) | asked_by_blocks(self, state->exit) |
                     asked_by(self, state->output);
    if (state->initial != WF_NONE)
        facts |= asked_by_blocks(self, self->machine->transitions[state->initial].blocks);
    for (uint32_t i = 0; i < state->invokes.count; i++)
        facts |= asked_by_invoke(self, &self->machine->invokes[state->invokes.first + i]);
    return facts;
}

/* The facts that are live in the states that a transition to this one may enter: its ancestors, its
 * descendants, all descendants of the outermost parallel state around it, and for a history state
 * those of its parent. */
static uint32_t live_in(const liveness *self, uint32_t target)
{
    const wf_state *states = self->machine->states;
    uint32_t top = target, facts = 0;
    if (states[target].type == WF_SHALLOW || states[target].type == WF_DEEP)
        top = states[target].parent;
    for (uint32_t s = states[target].parent; s != WF_NONE; s = states[s].parent) {
        facts |= self->hiding->live[s];
        if (states[s].type == WF_PARALLEL)
            top = s;
    }
    for (uint32_t s = top; s < states[top].end; s++)
        facts |= self->hiding->live[s];
    return facts;
}

/* It is taken only when its state is entered. */
static bool is_initial(const liveness *self, uint32_t transition)
{
    uint32_t source = self->machine->transitions[transition].source;
    return self->machine->states[source].initial == transition;
}

static void live_through(liveness *self, const wf_transition *transition)
{
    uint32_t after = 0, *live = &self->hiding->live[transition->source];
    for (uint32_t i = 0; i < transition->targets.count; i++)
        after |= live_in(self, self->machine->lists[transition->targets.first + i]);
    after &= ~facts_of_blocks(self, transition->blocks, assigned_by_action);
    after |= asked_by(self, transition->guard.rule) | asked_by_blocks(self, transition->blocks);
    self->changed |= (after & ~*live) != 0;
    *live |= after;
}

/* ---- a search ---- */

static uint32_t asked_by_property(const liveness *self, const wf_property *property)
{
    const wf_expr *const list[] = {property->of.rule, property->before.rule,
                                   property->since.rule, property->to.rule, property->times};
    uint32_t facts = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        facts |= asked_by(self, list[i]);
    return facts;
}

static uint32_t asked_always(const liveness *self)
{
    const wfsm_machine *machine = self->machine;
    uint32_t facts = 0;
    for (uint32_t i = 0; i < machine->property_count; i++)
        if (self->hiding->asked[i])
            facts |= asked_by_property(self, &machine->properties[i]);
    for (uint32_t i = 0; i < machine->budget_count; i++)
        facts |= asked_by(self, machine->budgets[i].limit);
    return facts;
}

bool wf_hiding_find_live(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    wf_hiding *hiding = explorer->symbolic->hiding;
    liveness self = {.machine = machine, .hiding = hiding, .changed = true};
    hiding->live = wf_arena_zero(&explorer->arena, machine->state_count * sizeof *hiding->live);
    if (!hiding->live)
        return false;
    for (uint32_t s = 0; s < machine->state_count; s++)
        hiding->live[s] = asked_in_state(&self, &machine->states[s]);
    hiding->live[0] |= asked_always(&self);
    while (self.changed) {
        self.changed = false;
        for (uint32_t t = 0; t < machine->transition_count; t++)
            if (!is_initial(&self, t))
                live_through(&self, &machine->transitions[t]);
    }
    return true;
}

bool wf_hiding_is_live(const wf_explorer *explorer, uint32_t fact)
{
    const wfsm_machine *machine = explorer->machine;
    for (uint32_t s = 0; s < machine->state_count; s++)
        if (wf_set_has(explorer->snapshot.active, s) &&
            explorer->symbolic->hiding->live[s] >> fact & 1)
            return true;
    return false;
}
