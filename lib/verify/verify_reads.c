/* What a machine wants: of guards, of names that are computed, and of all that leads there. */
#include "verify/verify_reads.h"

#include <string.h>
#include "logic/schema_tree.h"

static void read_blocks(wf_demands *all, wf_span blocks, const wf_reads_env *env);

static const wf_demand truth = {.truth = true};
static const wf_demand whole = {.whole = true};

static void read_guard(wf_demands *all, const wf_guard *guard, const wf_reads_env *env)
{
    if (guard->kind == WF_GUARD_RULE)
        wf_reads_of_expr(all, guard->rule, &truth, env);
}

/* ---- actions ---- */

/* A part of a key can only be set while everything above it is an object. */
static wf_demand *wanted_of_target(wf_demands *all, const wf_target *target)
{
    if (target->depth == 0)
        return all->slots[target->slot];
    wf_demand *demand = wf_demand_slot(all, target->slot);
    for (uint32_t i = 0; i + 1 < target->depth && demand; i++)
        demand = wf_demand_part_of(all, demand, target->keys[i].text, target->keys[i].length);
    if (!demand)
        return NULL;
    const wf_name *last = &target->keys[target->depth - 1];
    wf_demand *part = (wf_demand *)wf_demand_member(demand, last->text, last->length);
    return !part && demand->whole ? demand : part;
}

static const wf_schema *schema_of_target(const wfsm_machine *machine, const wf_target *target)
{
    const wf_name *key = &machine->keys.list[target->slot];
    bool forbidden = false;
    const wf_schema *schema =
        !machine->context_schema
            ? NULL
            : wf_schema_key(machine->context_schema, key->text, key->length, &forbidden);
    for (uint32_t i = 0; i < target->depth && schema; i++)
        schema = wf_schema_find(schema, target->keys[i].text, target->keys[i].length,
                                wf_hash(target->keys[i].text, target->keys[i].length));
    return schema;
}

/* What is assigned has to fit the context's schema, or the assignment fails. */
static wf_demand *wanted_of_assigned(wf_demands *all, const wf_target *target)
{
    wf_demand *wanted = wanted_of_target(all, target);
    const wf_schema *schema = schema_of_target(all->machine, target);
    wf_demand *both = schema ? wf_demand_new(all, 0) : NULL;
    if (!both)
        return wanted;
    both->passing = true;
    wf_demand_add(all, both, wanted);
    wf_demand_fitting(all, both, schema);
    return both;
}

static void read_assign(wf_demands *all, wf_span span, const wf_reads_env *env)
{
    for (uint32_t i = span.first; i < span.first + span.count; i++) {
        const wf_assignment *self = &all->machine->assignments[i];
        wf_reads_of_expr(all, self->value, wanted_of_assigned(all, &self->target), env);
    }
}

/* Data that an event carries is wanted by those who react to it. A name that is computed may
 * be that of any event. */
static void read_data(wf_demands *all, const wf_expr *event, const wf_expr *data,
                      const wf_reads_env *env)
{
    wf_value name = wf_absent();
    bool known = wf_expr_constant(event, &name) && name.type == WF_STRING;
    wf_reads_of_expr(all, data, &all->any, env);
    for (uint32_t i = 0; i < all->descriptor_count; i++)
        if (all->descriptors[i] &&
            (!known || wf_demands_match(all, i, name.as.text, name.length)))
            wf_reads_of_expr(all, data, all->descriptors[i], env);
}

static void note_raised(wf_demands *all, const wf_expr *event)
{
    for (const wf_raised *self = all->raised; self; self = self->next)
        if (self->event == event)
            return;
    wf_raised *made = wf_arena_take(all->arena, sizeof *made);
    all->failed |= !made;
    if (!made)
        return;
    *made = (wf_raised){event, all->raised};
    all->raised = made;
}

bool wf_demands_raise(const wf_demands *demands, const char *name, size_t length)
{
    for (const wf_raised *self = demands->raised; self; self = self->next)
        if (wf_reads_mention(self->event, name, length))
            return true;
    return false;
}

static void read_each(wf_demands *all, const wf_action *action, const wf_reads_env *env)
{
    wf_demand *list = wf_demand_new(all, 0);
    if (!list)
        return;
    list->passing = list->length = true;
    list->items = wanted_of_assigned(all, &action->as.each.as);
    wf_reads_of_expr(all, action->as.each.in, list, env);
    read_blocks(all, action->as.each.blocks, env);
}

static void read_choose(wf_demands *all, wf_span branches, const wf_reads_env *env)
{
    for (uint32_t i = branches.first; i < branches.first + branches.count; i++) {
        read_guard(all, &all->machine->branches[i].guard, env);
        read_blocks(all, all->machine->branches[i].blocks, env);
    }
}

static void read_reset(wf_demands *all, wf_span budgets)
{
    const wfsm_machine *machine = all->machine;
    for (uint32_t i = budgets.first; i < budgets.first + budgets.count; i++)
        all->resets_time |= machine->budgets[machine->lists[i]].counts == WF_COUNT_TIME;
}

static void read_action(wf_demands *all, const wf_action *action, const wf_reads_env *env)
{
    switch (action->kind) {
    case WF_ASSIGN:
        read_assign(all, action->as.assign, env);
        break;
    case WF_RAISE:
        note_raised(all, action->as.raise.event);
        wf_reads_of_expr(all, action->as.raise.event, &whole, env);
        wf_reads_of_expr(all, action->as.raise.delay, &whole, env);
        wf_reads_of_expr(all, action->as.raise.id, &whole, env);
        read_data(all, action->as.raise.event, action->as.raise.data, env);
        break;
    case WF_CANCEL:
        wf_reads_of_expr(all, action->as.cancel, &whole, env);
        break;
    case WF_CHOOSE:
        read_choose(all, action->as.choose, env);
        break;
    case WF_EACH:
        read_each(all, action, env);
        break;
    case WF_RESET:
        read_reset(all, action->as.reset.budgets);
        break;
    default:
        break;
    }
}

static void read_blocks(wf_demands *all, wf_span blocks, const wf_reads_env *env)
{
    for (uint32_t i = blocks.first; i < blocks.first + blocks.count; i++) {
        wf_span actions = all->machine->blocks[i].actions;
        for (uint32_t a = actions.first; a < actions.first + actions.count; a++)
            read_action(all, &all->machine->actions[a], env);
    }
}

/* ---- states and transitions ---- */

static void read_transition(wf_demands *all, const wf_transition *transition)
{
    wf_reads_env env = {&all->any, NULL, false};
    if (transition->event != WF_NONE) {
        wf_demand **of_event = &all->descriptors[transition->event];
        if (!*of_event)
            *of_event = wf_demand_new(all, 0);
        env.event = *of_event;
    }
    read_guard(all, &transition->guard, &env);
    read_blocks(all, transition->blocks, &env);
}

static void read_output(wf_demands *all, const wf_state *state, const wf_reads_env *env)
{
    const wfsm_machine *machine = all->machine;
    if (!state->output || state->parent == WF_NONE)
        return;
    uint32_t number = machine->states[state->parent].done_event;
    if (number == WF_NONE)
        return;
    const wf_name *name = &machine->events.list[number];
    wf_reads_of_expr(all, state->output, &all->any, env);
    for (uint32_t i = 0; i < all->descriptor_count; i++)
        if (all->descriptors[i] && wf_demands_match(all, i, name->text, name->length))
            wf_reads_of_expr(all, state->output, all->descriptors[i], env);
}

/* How many items there are counts, and whom they may go to. */
static void read_invoke(wf_demands *all, const wf_invoke *invoke, const wf_reads_env *env)
{
    wf_demand *list = wf_demand_new(all, 0), *item = wf_demand_new(all, 0);
    if (!list || !item)
        return;
    list->passing = list->length = item->passing = item->whole = true;
    if (invoke->src && invoke->items && !wf_expr_constant(invoke->src, &(wf_value){0}))
        list->items = item;
    wf_reads_of_expr(all, invoke->src, &whole, env);
    wf_reads_of_expr(all, invoke->items, list, env);
    wf_reads_of_expr(all, invoke->complete, &whole, env);
}

static void read_state(wf_demands *all, const wf_state *state)
{
    const wf_reads_env env = {&all->any, NULL, false};
    read_blocks(all, state->entry, &env);
    read_blocks(all, state->exit, &env);
    read_output(all, state, &env);
    for (uint32_t i = state->invokes.first; i < state->invokes.first + state->invokes.count;
         i++)
        read_invoke(all, &all->machine->invokes[i], &env);
}

/* Properties see the event of every step. */
static void read_properties(wf_demands *all)
{
    const wf_reads_env env = {&all->any, NULL, false};
    for (uint32_t i = 0; i < all->machine->property_count; i++) {
        const wf_property *self = &all->machine->properties[i];
        wf_reads_of_expr(all, self->of.rule, &truth, &env);
        wf_reads_of_expr(all, self->before.rule, &truth, &env);
        wf_reads_of_expr(all, self->since.rule, &truth, &env);
        wf_reads_of_expr(all, self->times, &whole, &env);
    }
}

static void read_machine(wf_demands *all)
{
    const wfsm_machine *machine = all->machine;
    for (uint32_t i = 0; i < machine->transition_count; i++)
        read_transition(all, &machine->transitions[i]);
    for (uint32_t i = 0; i < machine->state_count; i++)
        read_state(all, &machine->states[i]);
    for (uint32_t i = 0; i < machine->budget_count; i++)
        wf_reads_of_expr(all, machine->budgets[i].limit, &whole,
                         &(wf_reads_env){&all->any, NULL, false});
    read_properties(all);
}

/* ---- all of it ---- */

static bool begin(wf_demands *all)
{
    const wfsm_machine *machine = all->machine;
    for (uint32_t i = 0; i < machine->transition_count; i++)
        if (machine->transitions[i].event != WF_NONE &&
            machine->transitions[i].event >= all->descriptor_count)
            all->descriptor_count = machine->transitions[i].event + 1;
    all->slots = wf_arena_zero(all->arena, machine->keys.count * sizeof *all->slots);
    all->descriptors =
        wf_arena_zero(all->arena, all->descriptor_count * sizeof *all->descriptors);
    return all->slots && all->descriptors;
}

bool wf_demands_find(wf_demands *demands, const wfsm_machine *machine, wf_arena *arena)
{
    *demands = (wf_demands){.machine = machine, .arena = arena};
    if (!begin(demands))
        return false;
    do {
        demands->changed = false;
        read_machine(demands);
    } while (demands->changed && !demands->failed && !arena->failed);
    return !demands->failed && !arena->failed;
}
