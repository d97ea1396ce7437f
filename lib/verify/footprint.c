#include "verify/footprint.h"

#include "logic/expr_tree.h"
#include "verify/cone_find.h"

bool wf_footprint_init(wf_footprint *self, const wfsm_machine *machine, wf_arena *arena)
{
    *self = (wf_footprint){.machine = machine};
    self->reads = wf_arena_zero(arena, machine->keys.count + 1u);
    self->changes = wf_arena_zero(arena, machine->keys.count + 1u);
    self->asks = wf_arena_zero(arena, machine->state_count);
    self->raises = wf_arena_zero(arena, machine->events.count + 1u);
    return self->reads && self->changes && self->asks && self->raises;
}

/* ---- expressions ---- */

static void add_rules(wf_footprint *self, const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        wf_footprint_add_rule(self, &list[i]);
}

static void read_anything(wf_footprint *self)
{
    self->context = self->event = true;
}

static void add_var(wf_footprint *self, const wf_var *var)
{
    wf_footprint_add_rule(self, var->fallback);
    switch (var->origin) {
    case WF_FROM_ROOT:
        read_anything(self);
        break;
    case WF_FROM_CONTEXT:
        self->context = true;
        break;
    case WF_FROM_SLOT:
        self->reads[var->slot] = 1;
        break;
    case WF_FROM_EVENT:
        self->event = true;
        break;
    default: /* of a body, or of items; or of the instance as a whole */
        break;
    }
}

static void add_operation(wf_footprint *self, const wf_expr *rule)
{
    if (wf_op_is_by_path(rule))
        read_anything(self);
    add_rules(self, rule->as.list, rule->count);
}

void wf_footprint_add_rule(wf_footprint *self, const wf_expr *expr)
{
    if (!expr)
        return;
    switch (expr->node) {
    case WF_NODE_SLOT:
        self->reads[expr->count] = 1;
        break;
    case WF_NODE_VAR:
        add_var(self, expr->as.var);
        break;
    case WF_NODE_STATE:
        self->asks[expr->count] = 1;
        break;
    case WF_NODE_RULE:
        add_operation(self, expr);
        break;
    case WF_NODE_ARRAY:
        add_rules(self, expr->as.list, expr->count);
        break;
    case WF_NODE_OBJECT:
        add_rules(self, expr->as.object.list, expr->count);
        break;
    default:
        break;
    }
}

/* ---- actions ---- */

static void add_blocks(wf_footprint *self, wf_span blocks);

static void add_guard(wf_footprint *self, const wf_guard *guard)
{
    wf_footprint_add_rule(self, guard->kind == WF_GUARD_HOST ? guard->params : guard->rule);
}

static void add_target(wf_footprint *self, const wf_target *target)
{
    if (target->slot != WF_NONE)
        self->changes[target->slot] = 1;
}

static void add_assign(wf_footprint *self, wf_span span)
{
    for (uint32_t i = span.first; i < span.first + span.count; i++) {
        add_target(self, &self->machine->assignments[i].target);
        wf_footprint_add_rule(self, self->machine->assignments[i].value);
    }
}

/* An event that is emitted goes to the outside. */
static void add_raise(wf_footprint *self, const wf_action *action)
{
    const bool raises = action->kind == WF_RAISE;
    wf_footprint_add_rule(self, action->as.raise.event);
    wf_footprint_add_rule(self, action->as.raise.data);
    if (!raises)
        return;
    wf_footprint_add_rule(self, action->as.raise.delay);
    wf_footprint_add_rule(self, action->as.raise.id);
    self->timers |= action->as.raise.delay != NULL;
    if (action->as.raise.number == WF_NONE)
        self->names = true;
    else
        self->raises[action->as.raise.number] = 1;
}

static void add_choose(wf_footprint *self, wf_span branches)
{
    for (uint32_t i = branches.first; i < branches.first + branches.count; i++) {
        add_guard(self, &self->machine->branches[i].guard);
        add_blocks(self, self->machine->branches[i].blocks);
    }
}

static void add_action(wf_footprint *self, const wf_action *action)
{
    switch (action->kind) {
    case WF_ASSIGN:
        add_assign(self, action->as.assign);
        break;
    case WF_RAISE:
    case WF_EMIT:
        add_raise(self, action);
        break;
    case WF_CANCEL:
        wf_footprint_add_rule(self, action->as.cancel);
        break;
    case WF_LOG:
        wf_footprint_add_rule(self, action->as.log.label);
        wf_footprint_add_rule(self, action->as.log.value);
        break;
    case WF_CHOOSE:
        add_choose(self, action->as.choose);
        break;
    case WF_EACH:
        wf_footprint_add_rule(self, action->as.each.in);
        add_target(self, &action->as.each.as);
        add_target(self, &action->as.each.index);
        add_blocks(self, action->as.each.blocks);
        break;
    case WF_CALL:
        self->host = true;
        break;
    default:
        break;
    }
}

static void add_blocks(wf_footprint *self, wf_span blocks)
{
    for (uint32_t i = blocks.first; i < blocks.first + blocks.count; i++) {
        wf_span actions = self->machine->blocks[i].actions;
        for (uint32_t a = actions.first; a < actions.first + actions.count; a++)
            add_action(self, &self->machine->actions[a]);
    }
}

/* ---- states ---- */

static void add_invoke(wf_footprint *self, const wf_invoke *invoke)
{
    const wf_expr *const parts[] = {invoke->src,   invoke->input,   invoke->priority,
                                    invoke->phase, invoke->group,   invoke->items,
                                    invoke->most,  invoke->complete};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        wf_footprint_add_rule(self, parts[i]);
}

static bool reads_event(wf_footprint *self, const wf_expr *rule)
{
    const bool event = self->event;
    self->event = false;
    wf_footprint_add_rule(self, rule);
    const bool reads = self->event;
    self->event |= event;
    return reads;
}

/* The guards of eventless transitions are asked in every step, whatever its event is. */
static void add_always(wf_footprint *self, wf_span always)
{
    for (uint32_t i = always.first; i < always.first + always.count; i++) {
        const wf_guard *guard = &self->machine->transitions[self->machine->lists[i]].guard;
        self->always |= guard->kind == WF_GUARD_HOST ||
                        (guard->kind == WF_GUARD_RULE && reads_event(self, guard->rule));
    }
}

void wf_footprint_add_state(wf_footprint *self, uint32_t state)
{
    const wfsm_machine *machine = self->machine;
    const wf_state *of = &machine->states[state];
    add_blocks(self, of->entry);
    add_blocks(self, of->exit);
    wf_footprint_add_rule(self, of->output);
    self->timers |= of->after.count > 0;
    add_always(self, of->always);
    for (uint32_t i = of->invokes.first; i < of->invokes.first + of->invokes.count; i++)
        add_invoke(self, &machine->invokes[i]);
    for (uint32_t t = 0; t < machine->transition_count; t++) {
        if (machine->transitions[t].source != state)
            continue;
        add_guard(self, &machine->transitions[t].guard);
        add_blocks(self, machine->transitions[t].blocks);
    }
}
