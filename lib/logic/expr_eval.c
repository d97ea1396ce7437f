/* logic/expr_eval.c: walking a compiled expression. */
#include "logic/expr_tree.h"

#include "base/invariant.h"

_Static_assert((int)WF_MAX_DEPTH <= (int)WF_EVAL_DEPTH,
               "expressions are values first, so their depth bounds the recursion");

static int32_t eval_array(const wf_expr *expr, wf_run *run, wf_value *result)
{
    wf_value *items = wf_arena_take(run->scope->arena, expr->count * sizeof *items);

    if (!items)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < expr->count; i++) {
        int32_t status = wf_eval(&expr->as.list[i], run, &items[i]);

        if (status)
            return status;
    }
    return wf_eval_built(run, wf_array(items, expr->count), result);
}

static int32_t eval_object(const wf_expr *expr, wf_run *run, wf_value *result)
{
    wf_member *members = wf_arena_take(run->scope->arena, expr->count * sizeof *members);

    if (!members)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < expr->count; i++) {
        int32_t status;

        members[i] = expr->as.object.keys[i];
        status = wf_eval(&expr->as.object.list[i], run, &members[i].value);
        if (status)
            return status;
    }
    return wf_eval_built(run, wf_object(members, expr->count), result);
}

static wf_value slot_value(const wf_scope *scope, uint32_t slot)
{
    if (slot >= scope->slot_count || scope->slots[slot].type == WF_ABSENT)
        return wf_null();
    return scope->slots[slot];
}

static bool state_active(const wf_scope *scope, uint32_t state)
{
    return scope->active && (scope->active[state / 64] >> (state % 64) & 1);
}

/* A `var` that leads to nothing is its default, or null. */
static int32_t eval_var(const wf_var *var, wf_run *run, wf_value *result)
{
    int32_t status = wf_var_read(var, run, result);

    if (status || result->type != WF_ABSENT)
        return status;
    if (var->fallback)
        return wf_eval(var->fallback, run, result);
    *result = wf_null();
    return WFSM_OK;
}

/* Operands that need no memory. */
enum { FEW = 8 };

static void fill(wf_expr *list, const wf_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        list[i] = (wf_expr){.node = WF_NODE_CONSTANT, .as.constant = values[i]};
}

/* The elements of the list that the only operand gives are the operands. */
static int32_t eval_spread(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_expr few[FEW], known = *rule;
    wf_value value;
    int32_t status = wf_eval(rule->as.list, run, &value);
    const wf_value *values = value.type == WF_ARRAY ? value.as.items : &value;
    wf_expr *list = few;

    if (status)
        return status;
    known.mode = WF_MODE_LISTED;
    known.count = value.type == WF_ARRAY ? value.length : 1;
    if (!wf_operator_takes(rule->op, known.count))
        return wf_eval_wrong_count(run);
    if (wf_spend(run, known.count))
        return WFSM_LIMIT;
    if (known.count > FEW)
        list = wf_arena_take(run->scope->arena, known.count * sizeof *list);
    if (!list)
        return wf_eval_full(run);
    fill(list, values, known.count);
    known.as.list = list;
    return rule->op->run(&known, run, result);
}

static inline int32_t eval_rule(const wf_expr *rule, wf_run *run, wf_value *result)
{
    if (rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_SPREADS)
        return eval_spread(rule, run, result);
    return rule->op->run(rule, run, result);
}

int32_t wf_eval(const wf_expr *expr, wf_run *run, wf_value *result)
{
    if (run->scope->steps <= 1)
        return wf_spend(run, 1);
    run->scope->steps--;
    switch (expr->node) {
    case WF_NODE_CONSTANT:
        *result = expr->as.constant;
        return WFSM_OK;
    case WF_NODE_SLOT:
        *result = slot_value(run->scope, expr->count);
        return WFSM_OK;
    case WF_NODE_VAR:
        return eval_var(expr->as.var, run, result);
    case WF_NODE_STATE:
        *result = wf_boolean(state_active(run->scope, expr->count));
        return WFSM_OK;
    case WF_NODE_CHILDREN:
        *result = wf_number(run->scope->children ? run->scope->children[expr->count] : 0);
        return WFSM_OK;
    case WF_NODE_RULE:
        return eval_rule(expr, run, result);
    case WF_NODE_ARRAY:
        return eval_array(expr, run, result);
    default:
        return eval_object(expr, run, result);
    }
}

int32_t wf_eval_operand(const wf_expr *rule, uint32_t index, wf_run *run, wf_value *result)
{
    if (index < rule->count)
        return wf_eval(&rule->as.list[index], run, result);
    *result = wf_absent();
    return WFSM_OK;
}

int32_t wf_eval_operands(const wf_expr *rule, wf_run *run, const wf_value **values)
{
    wf_value *list = wf_arena_take(run->scope->arena, rule->count * sizeof *list);

    *values = list;
    if (!list)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < rule->count; i++) {
        int32_t status = wf_eval(&rule->as.list[i], run, &list[i]);

        if (status)
            return status;
    }
    return WFSM_OK;
}

int32_t wf_expr_eval(const wf_expr *expr, wf_scope *scope, wf_value *result)
{
    wf_run run = {.scope = scope, .data = scope->data};
    int32_t status = wf_eval(expr, &run, result);

    WF_INVARIANT(status || result->type != WF_ABSENT);
    return status;
}

int32_t wf_expr_test(const wf_expr *expr, wf_scope *scope, bool *result)
{
    wf_run run = {.scope = scope, .data = scope->data};
    wf_value value;
    int32_t status = wf_eval(expr, &run, &value);

    if (!status)
        *result = wf_value_truth(&value);
    return status;
}

bool wf_expr_reads_beyond_context(const wf_expr *expr)
{
    return (expr->flags & (WF_MORE | WF_CLIMBS)) != 0;
}

bool wf_expr_reads_beyond_event(const wf_expr *expr)
{
    return (expr->flags & (WF_BEYOND | WF_CLIMBS)) != 0;
}

bool wf_expr_constant(const wf_expr *expr, wf_value *value)
{
    if (expr->node != WF_NODE_CONSTANT)
        return false;
    *value = expr->as.constant;
    return true;
}
