/* machine/load_builtins.c: the built-in actions. */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

/* A required key of params; reports when it is not there. */
static bool take(wf_load *load, wf_node *out, const wf_node *params, const char *key)
{
    if (wf_node_get(out, params, key))
        return true;
    wf_load_error(load, params, "missing-key", "expected \"%s\"", key);
    return false;
}

wf_span wf_load_assignments(wf_load *load, const wf_node *params)
{
    wf_span span = wf_load_reserve(load, &load->assignments, params->value->length);

    for (uint32_t i = 0; i < span.count && !load->failed; i++) {
        wf_node node = wf_node_member(params, i);
        wf_assignment assignment = {.value = NULL};

        wf_load_context_target(load, &node, node.place.key, node.place.key_length, true,
                               &assignment.target);
        assignment.value = wf_load_expr(load, &node);
        *(wf_assignment *)wf_vector_at(&load->assignments, span.first + i) = assignment;
    }
    return span;
}

static void load_assign(wf_load *load, const wf_node *params, wf_action *action)
{
    action->as.assign = wf_load_assignments(load, params);
}

static const wf_expr *load_event(wf_load *load, const wf_node *params, uint32_t *number)
{
    const wf_expr *event;
    wf_value name;
    wf_node node;

    *number = WF_NONE;
    if (!take(load, &node, params, "event"))
        return NULL;
    event = wf_load_expr(load, &node);
    if (!event || !wf_expr_constant(event, &name))
        return event;
    if (name.type != WF_STRING || !name.length)
        wf_load_error(load, &node, "bad-name",
                      "expected the name of an event: "
                      "what else XState puts into the event is \"data\"");
    else
        *number = wf_load_intern(load, &load->machine->events, name.as.text, name.length);
    return event;
}

static const wf_expr *load_delay(wf_load *load, const wf_node *params)
{
    const wf_expr *delay;
    wf_value value;
    wf_node node;

    if (!wf_node_get(&node, params, "delay"))
        return NULL;
    delay = wf_load_expr(load, &node);
    if (delay && wf_expr_constant(delay, &value) &&
        (value.type != WF_NUMBER || value.as.number < 0))
        wf_load_error(load, &node, "bad-value",
                      "expected a delay in milliseconds, a number from 0, or an expression; a "
                      "delay has no name");
    return delay;
}

static void check_raisable(wf_load *load, const wf_node *params, const wf_action *action)
{
    const char *name;
    wf_node node;

    if (action->as.raise.number == WF_NONE)
        return;
    name = load->machine->events.list[action->as.raise.number].text;
    wf_node_get(&node, params, "event");
    if (!wf_event_raisable(name))
        wf_load_error(load, &node, "reserved-name",
                      "only the step itself raises events named \"%s\"", name);
    else if (strncmp(name, "xstate.", 7) == 0)
        wf_load_error(load, &node, "bad-name", "\"%s\" is an event of XState: %s", name,
                      wf_foreign_event(name, strlen(name)));
}

static void load_raise(wf_load *load, const wf_node *params, wf_action *action)
{
    action->as.raise.event = load_event(load, params, &action->as.raise.number);
    check_raisable(load, params, action);
    action->as.raise.data = wf_load_expr_of(load, params, "data");
    action->as.raise.delay = load_delay(load, params);
    action->as.raise.id = wf_load_expr_of(load, params, "id");
}

static void load_cancel(wf_load *load, const wf_node *params, wf_action *action)
{
    wf_node node;

    if (take(load, &node, params, "id"))
        action->as.cancel = wf_load_expr(load, &node);
}

static void load_log(wf_load *load, const wf_node *params, wf_action *action)
{
    action->as.log.label = wf_load_expr_of(load, params, "label");
    action->as.log.value = wf_load_expr_of(load, params, "value");
}

static void load_emit(wf_load *load, const wf_node *params, wf_action *action)
{
    action->as.raise.event = load_event(load, params, &action->as.raise.number);
    action->as.raise.data = wf_load_expr_of(load, params, "data");
}

static void load_branch(wf_load *load, const wf_node *node, wf_branch *branch)
{
    wf_node guard, actions;

    if (!wf_expect(load, node, WF_OBJECT, "a branch, an object"))
        return;
    wf_check_keys(load, node, WF_BRANCH_KEYS, 0);
    if (wf_node_get(&guard, node, "guard"))
        wf_load_guard(load, &guard, &branch->guard);
    if (take(load, &actions, node, "actions"))
        branch->blocks = wf_load_blocks(load, &actions);
}

static void load_choose(wf_load *load, const wf_node *params, wf_action *action)
{
    wf_node branches;
    wf_span span;

    if (!take(load, &branches, params, "branches") ||
        !wf_expect(load, &branches, WF_ARRAY, "a list of branches"))
        return;
    span = wf_load_reserve(load, &load->branches, branches.value->length);
    for (uint32_t i = 0; i < span.count && !load->failed; i++) {
        wf_node node = wf_node_item(&branches, i);
        wf_branch branch = {.guard = {.kind = WF_GUARD_NONE}};

        load_branch(load, &node, &branch);
        if (!load->failed)
            *(wf_branch *)wf_vector_at(&load->branches, span.first + i) = branch;
    }
    action->as.choose = span;
}

static void load_variable(wf_load *load, const wf_node *node, wf_target *target)
{
    if (wf_expect_name(load, node, "a context key"))
        wf_load_context_target(load, node, node->value->as.text, node->value->length, false,
                               target);
}

static void load_each(wf_load *load, const wf_node *params, wf_action *action)
{
    wf_node node;

    action->as.each.as.slot = WF_NONE;
    action->as.each.index.slot = WF_NONE;
    if (take(load, &node, params, "in"))
        action->as.each.in = wf_load_expr(load, &node);
    if (take(load, &node, params, "as"))
        load_variable(load, &node, &action->as.each.as);
    if (wf_node_get(&node, params, "index"))
        load_variable(load, &node, &action->as.each.index);
    if (take(load, &node, params, "actions"))
        action->as.each.blocks = wf_load_blocks(load, &node);
}

static void load_reset(wf_load *load, const wf_node *params, wf_action *action)
{
    wf_node node;
    bool any = wf_node_get(&node, params, "budgets");

    if (any)
        action->as.reset.budgets = wf_load_budget_list(load, &node);
    if (wf_node_get(&node, params, "failures")) {
        any = true;
        if (wf_expect(load, &node, WF_BOOLEAN, "true or false"))
            action->as.reset.failures = node.value->as.boolean;
    }
    if (!any)
        wf_load_error(load, params, "missing-key", "expected \"budgets\" or \"failures\"");
}

typedef struct builtin {
    const char *name;
    uint8_t kind;
    enum wf_key_set keys;
    void (*load)(wf_load *load, const wf_node *params, wf_action *action);
} builtin;

static const builtin builtins[] = {
    {"assign", WF_ASSIGN, WF_STATE_KEYS /* any key */, load_assign},
    {"raise", WF_RAISE, WF_RAISE_KEYS, load_raise},
    {"cancel", WF_CANCEL, WF_CANCEL_KEYS, load_cancel},
    {"log", WF_LOG, WF_LOG_KEYS, load_log},
    {"emit", WF_EMIT, WF_EMIT_KEYS, load_emit},
    {"choose", WF_CHOOSE, WF_CHOOSE_KEYS, load_choose},
    {"each", WF_EACH, WF_EACH_KEYS, load_each},
    {"reset", WF_RESET, WF_RESET_KEYS, load_reset},
};

static const builtin *find(const wf_value *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name->as.text) == 0)
            return &builtins[i];
    return NULL;
}

bool wf_is_builtin(const wf_value *name)
{
    return find(name) != NULL;
}

void wf_load_builtin(wf_load *load, const wf_node *name, const wf_node *params,
                     wf_action *action)
{
    const builtin *known = find(name->value);

    WF_INVARIANT(known); /* wf_is_builtin() */
    if (!wf_expect(load, params, WF_OBJECT, "params, an object"))
        return;
    if (known->kind != WF_ASSIGN)
        wf_check_keys(load, params, known->keys, 0);
    action->kind = known->kind;
    known->load(load, params, action);
}
