/* verify/cone_find.c: the cones of a machine. It begins with guards, properties and computed names,
 * and follows assignments backwards until nothing changes any more. */
#include "verify/cone_expr.h"

#include <string.h>
#include "logic/expr_tree.h"

static void read_blocks(wf_cones *all, wf_span blocks, const wf_cone_env *env);

static const wf_cone truth = {.truth = true};

/* All of a value, in a way that no constants decide. */
static void read_whole(wf_cones *all, const wf_expr *expr, const wf_cone_env *env)
{
    wf_cone wanted = {.whole = true, .vague = {expr, all->reading.number, all->reading.owner}};
    wf_cone_of_expr(all, expr, &wanted, env);
}

static void stand_at(wf_cones *all, enum wf_rule_owner owner, uint32_t number)
{
    all->reading = (wf_reading){.number = number, .owner = (uint8_t)owner};
}

/* The host may answer anything. But it is not asked if its params fail. */
static void read_guard(wf_cones *all, const wf_guard *guard, const wf_cone_env *env)
{
    if (guard->kind == WF_GUARD_RULE)
        wf_cone_of_expr(all, guard->rule, &truth, env);
    else if (guard->kind == WF_GUARD_HOST)
        wf_cone_of_failure(all, guard->params, env);
}

/* ---- actions ---- */

static void read_assign(wf_cones *all, wf_span span, const wf_cone_env *env)
{
    for (uint32_t i = span.first; i < span.first + span.count; i++) {
        const wf_assignment *self = &all->machine->assignments[i];
        wf_cone_of_expr(all, self->value, wf_want_assigned(all, &self->target, self->value),
                        env);
        wf_cone_of_failure(all, self->value, env);
        wf_cone_of_growth(all, &self->target, self->value, env);
    }
}

/* The cones of what the event of this name carries; NULL: the name is not known. */
static void read_sent(wf_cones *all, const wf_expr *data, const char *name, size_t length,
                      const wf_cone_env *env)
{
    wf_cone_of_expr(all, data, &all->any, env);
    for (uint32_t i = 0; i < all->descriptor_count; i++)
        if (all->descriptors[i] && (!name || wf_cones_match(all, i, name, length)))
            wf_cone_of_expr(all, data, all->descriptors[i], env);
    for (wf_named_cone *self = all->named; self; self = self->next)
        if (!name || (self->length == length && memcmp(self->name, name, length) == 0))
            wf_cone_of_expr(all, data, &self->cone, env);
}

/* The cone of an event's data is that of the transitions that react to it. A computed name may be
 * that of any event. */
static void read_data(wf_cones *all, const wf_expr *event, const wf_expr *data,
                      const wf_cone_env *env)
{
    wf_value name = wf_absent();
    bool known = wf_expr_constant(event, &name) && name.type == WF_STRING;
    wf_cone_of_failure(all, data, env);
    read_sent(all, data, known ? name.as.text : NULL, name.length, env);
}

static void note_raised(wf_cones *all, const wf_expr *event)
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

bool wf_cones_raise(const wf_cones *cones, const char *name, size_t length)
{
    for (const wf_raised *self = cones->raised; self; self = self->next)
        if (wf_expr_mentions(self->event, name, length))
            return true;
    return false;
}

static void read_each(wf_cones *all, const wf_action *action, const wf_cone_env *env)
{
    wf_cone *list = wf_cone_new(all, 0);
    if (!list)
        return;
    list->passing = list->length = true;
    list->items = wf_want_assigned(all, &action->as.each.as, action->as.each.in);
    list->vague = (wf_reading){action->as.each.in, all->reading.number, all->reading.owner};
    wf_cone_of_expr(all, action->as.each.in, list, env);
    wf_cone_of_failure(all, action->as.each.in, env);
    read_blocks(all, action->as.each.blocks, env);
}

static void read_choose(wf_cones *all, wf_span branches, const wf_cone_env *env)
{
    for (uint32_t i = branches.first; i < branches.first + branches.count; i++) {
        read_guard(all, &all->machine->branches[i].guard, env);
        read_blocks(all, all->machine->branches[i].blocks, env);
    }
}

static void read_reset(wf_cones *all, wf_span budgets)
{
    const wfsm_machine *machine = all->machine;
    for (uint32_t i = budgets.first; i < budgets.first + budgets.count; i++) {
        uint8_t counts = machine->budgets[machine->lists[i]].counts;
        all->resets_time |= counts == WF_COUNT_TIME;
        all->resets_used |= counts != WF_COUNT_ROUNDS;
    }
}

static void read_action(wf_cones *all, const wf_action *action, const wf_cone_env *env)
{
    switch (action->kind) {
    case WF_ASSIGN:
        read_assign(all, action->as.assign, env);
        break;
    case WF_RAISE:
        note_raised(all, action->as.raise.event);
        read_whole(all, action->as.raise.event, env);
        read_whole(all, action->as.raise.delay, env);
        read_whole(all, action->as.raise.id, env);
        read_data(all, action->as.raise.event, action->as.raise.data, env);
        break;
    case WF_CANCEL:
        read_whole(all, action->as.cancel, env);
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
    case WF_LOG:
        wf_cone_of_failure(all, action->as.log.label, env);
        wf_cone_of_failure(all, action->as.log.value, env);
        break;
    case WF_EMIT:
        read_whole(all, action->as.raise.event, env);
        wf_cone_of_failure(all, action->as.raise.data, env);
        break;
    case WF_CALL:
        wf_cone_of_failure(all, action->as.call.params, env);
        break;
    default:
        break;
    }
}

static void read_blocks(wf_cones *all, wf_span blocks, const wf_cone_env *env)
{
    for (uint32_t i = blocks.first; i < blocks.first + blocks.count; i++) {
        wf_span actions = all->machine->blocks[i].actions;
        for (uint32_t a = actions.first; a < actions.first + actions.count; a++)
            read_action(all, &all->machine->actions[a], env);
    }
}

/* ---- states and transitions ---- */

static void read_transition(wf_cones *all, const wf_transition *transition)
{
    wf_cone_env env = {.event = &all->any};
    if (transition->event != WF_NONE) {
        wf_cone **of_event = &all->descriptors[transition->event];
        if (!*of_event)
            *of_event = wf_cone_new(all, 0);
        env.event = *of_event;
    }
    all->guarding = transition->event != WF_NONE;
    read_guard(all, &transition->guard, &env);
    all->guarding = false;
    if (transition->guard.kind == WF_GUARD_RULE)
        env.pinned = wf_pinned_by(transition->guard.rule);
    read_blocks(all, transition->blocks, &env);
}

static void read_output(wf_cones *all, const wf_state *state, const wf_cone_env *env)
{
    const wfsm_machine *machine = all->machine;
    if (!state->output || state->parent == WF_NONE)
        return;
    uint32_t number = machine->states[state->parent].done_event;
    if (number == WF_NONE)
        return;
    const wf_name *name = &machine->events.list[number];
    wf_cone_of_failure(all, state->output, env);
    read_sent(all, state->output, name->text, name->length, env);
}

bool wf_may_ask_person(const wfsm_machine *machine, const wf_invoke *invoke)
{
    for (uint32_t i = invoke->srcs.first; i < invoke->srcs.first + invoke->srcs.count; i++)
        if (wf_is_person(&machine->agents.list[machine->lists[i]]))
            return true;
    return false;
}

/* Who is asked, and how many it takes, must be valid. */
static void read_asked(wf_cones *all, const wf_expr *input, const wf_cone_env *env)
{
    static const char *const keys[] = {"people", "quorum", "rejections"};
    if (input->node != WF_NODE_OBJECT) {
        read_whole(all, input, env);
        return;
    }
    for (uint32_t i = 0; i < input->count; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (strcmp(input->as.object.keys[i].key, keys[k]) == 0)
                read_whole(all, &input->as.object.list[i], env);
}

/* What is no name, or no number, is an error, too. */
static void read_failures(wf_cones *all, const wf_invoke *invoke, const wf_cone_env *env)
{
    const wf_expr *const list[] = {invoke->priority, invoke->phase, invoke->group,
                                   invoke->most};
    wf_cone_of_failure(all, invoke->input, env);
    if (invoke->input && wf_may_ask_person(all->machine, invoke))
        read_asked(all, invoke->input, env);
    wf_cone_of_failure(all, invoke->items, env);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        read_whole(all, list[i], env);
}

bool wf_is_computed(const wf_expr *expr)
{
    return expr && !wf_expr_constant(expr, &(wf_value){0});
}

/* Whether the value of an item may decide which agent gets it, or whether its invocation fails to start. */
static bool item_decides(const wf_cones *all, const wf_invoke *invoke)
{
    return wf_is_computed(invoke->src) || wf_is_computed(invoke->priority) ||
           wf_is_computed(invoke->phase) || wf_is_computed(invoke->group) ||
           (invoke->input && wf_expr_may_fail(invoke->input)) ||
           wf_may_ask_person(all->machine, invoke);
}

/* The number of items is in the cone, and their values where they decide something. */
static void read_invoke(wf_cones *all, const wf_invoke *invoke, const wf_cone_env *env)
{
    wf_cone *list = wf_cone_new(all, 0), *item = wf_cone_new(all, 0);
    if (!list || !item)
        return;
    list->passing = list->length = list->kind = item->passing = item->whole = true;
    if (invoke->items)
        list->vague = (wf_reading){invoke->items, all->reading.number, all->reading.owner};
    if (invoke->items && item_decides(all, invoke))
        list->items = item;
    item->vague = list->vague;
    read_whole(all, invoke->src, env);
    wf_cone_of_expr(all, invoke->items, list, env);
    read_whole(all, invoke->complete, env);
    read_failures(all, invoke, env);
}

static void read_state(wf_cones *all, const wf_state *state)
{
    const wf_cone_env env = {.event = &all->any};
    read_blocks(all, state->entry, &env);
    read_blocks(all, state->exit, &env);
    read_output(all, state, &env);
    for (uint32_t i = state->invokes.first; i < state->invokes.first + state->invokes.count;
         i++)
        read_invoke(all, &all->machine->invokes[i], &env);
}

/* Properties read the event of every step. */
static void read_properties(wf_cones *all)
{
    const wf_cone_env env = {.event = &all->any};
    for (uint32_t i = 0; i < all->machine->property_count; i++) {
        const wf_property *self = &all->machine->properties[i];
        stand_at(all, WF_OWNER_PROPERTY, i);
        wf_cone_of_expr(all, self->of.rule, &truth, &env);
        wf_cone_of_expr(all, self->before.rule, &truth, &env);
        wf_cone_of_expr(all, self->since.rule, &truth, &env);
        wf_cone_of_expr(all, self->to.rule, &truth, &env);
        read_whole(all, self->times, &env);
    }
}

/* Which value the context has matters where data is compared with it. */
static void read_links(wf_cones *all)
{
    const wf_cone_env env = {.event = &all->any};
    const wf_reading before = all->reading;
    for (uint32_t i = 0; i < all->link_count; i++) {
        all->reading = all->links[i].reading;
        if (all->links[i].is_used && !all->links[i].known)
            wf_cone_of_expr(all, all->links[i].expr, wf_want_vague(all), &env);
    }
    all->reading = before;
}

static void read_machine(wf_cones *all)
{
    const wfsm_machine *machine = all->machine;
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        stand_at(all, WF_OWNER_TRANSITION, i);
        read_transition(all, &machine->transitions[i]);
    }
    for (uint32_t i = 0; i < machine->state_count; i++) {
        stand_at(all, WF_OWNER_STATE, i);
        read_state(all, &machine->states[i]);
    }
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        stand_at(all, WF_OWNER_BUDGET, i);
        read_whole(all, machine->budgets[i].limit, &(wf_cone_env){.event = &all->any});
    }
    read_properties(all);
    read_links(all);
}

/* ---- all of it ---- */

static bool begin(wf_cones *all)
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

bool wf_cones_find(wf_cones *cones, const wfsm_machine *machine, const wf_value *inputs,
                   uint32_t input_count, wf_arena *arena)
{
    *cones = (wf_cones){
        .machine = machine, .arena = arena, .inputs = inputs, .input_count = input_count};
    if (!begin(cones))
        return false;
    do {
        cones->changed = false;
        read_machine(cones);
    } while (cones->changed && !cones->failed && !arena->failed);
    return !cones->failed && !arena->failed;
}
