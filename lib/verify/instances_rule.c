/* verify/instances_rule.c: what a rule of a property of instances counts, and what it says. */
#include <math.h>
#include "logic/expr_tree.h"
#include "verify/cone_find.h"
#include "verify/instances.h"

static bool asks_list(const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].node == WF_NODE_CHILDREN ||
            ((list[i].node == WF_NODE_RULE || list[i].node == WF_NODE_ARRAY) &&
             asks_list(list[i].as.list, list[i].count)) ||
            (list[i].node == WF_NODE_OBJECT &&
             asks_list(list[i].as.object.list, list[i].count)) ||
            (list[i].node == WF_NODE_VAR && list[i].as.var->fallback &&
             asks_list(list[i].as.var->fallback, 1)))
            return true;
    return false;
}

static bool asks(const wf_expr *expr)
{
    return asks_list(expr, 1);
}

static bool note(const wf_expr *expr, wf_child_mask *asked)
{
    if (expr->count >= WF_QUESTIONS_MOST)
        return false;
    *asked |= (wf_child_mask)1 << expr->count;
    return true;
}

/* A number of children, or a sum of such. */
static bool is_count(const wf_expr *expr, wf_child_mask *asked)
{
    static const char *const plus[] = {"+", NULL};
    if (expr->node == WF_NODE_CHILDREN)
        return note(expr, asked);
    if (expr->node != WF_NODE_RULE || !wf_expr_is_op(expr, plus))
        return false;
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->as.list[i].node != WF_NODE_CHILDREN || !note(&expr->as.list[i], asked))
            return false;
    return true;
}

static bool note_constant(const wf_expr *expr, uint32_t *most)
{
    if (expr->node != WF_NODE_CONSTANT || expr->as.constant.type != WF_NUMBER)
        return false;
    double number = ceil(expr->as.constant.as.number);
    if (number > WF_COUNT_MOST)
        return false;
    if (number > *most)
        *most = (uint32_t)number;
    return true;
}

/* One number of children, and otherwise constants. */
static bool compares(const wf_expr *rule, uint32_t *most, wf_child_mask *asked)
{
    uint32_t counts = 0;
    for (uint32_t i = 0; i < rule->count; i++) {
        if (note_constant(&rule->as.list[i], most))
            continue;
        if (!is_count(&rule->as.list[i], asked) || ++counts > 1)
            return false;
    }
    return true;
}

static bool counts(const wf_expr *expr, uint32_t *most, wf_child_mask *asked)
{
    static const char *const logic[] = {"and", "or", "!", "!!", "if", "?:", NULL};
    static const char *const comparisons[] = {
        "<", "<=", ">", ">=", "===", "!==", "==", "!=", NULL};
    if (!asks(expr))
        return true;
    if (expr->node == WF_NODE_CHILDREN)
        return note(expr, asked);
    if (expr->node != WF_NODE_RULE)
        return false;
    if (wf_expr_is_op(expr, comparisons))
        return compares(expr, most, asked);
    for (uint32_t i = 0; i < expr->count; i++)
        if (!counts(&expr->as.list[i], most, asked))
            return false;
    return wf_expr_is_op(expr, logic);
}

bool wf_rule_counts(const wf_expr *rule, uint32_t *most, wf_child_mask *asked)
{
    *most = 0;
    *asked = 0;
    return counts(rule, most, asked);
}

bool wf_rule_reads(const wf_expr *rule)
{
    const wf_expr *list = rule->node == WF_NODE_OBJECT ? rule->as.object.list : rule->as.list;
    switch (rule->node) {
    case WF_NODE_CONSTANT:
    case WF_NODE_STATE:
    case WF_NODE_CHILDREN:
        return false;
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
    case WF_NODE_OBJECT:
        break;
    default:
        return true;
    }
    if (rule->node == WF_NODE_RULE && rule->op->shape != WF_SHAPE_PLAIN)
        return true;
    for (uint32_t i = 0; i < rule->count; i++)
        if (wf_rule_reads(&list[i]))
            return true;
    return false;
}

/* What the property depends on that is true here. */
static int32_t note_triggers(const wf_property *property, const wf_scope *scope,
                             uint8_t *triggered)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < property->trigger_count && status != WFSM_NO_MEMORY; i++) {
        const uint8_t bit = (uint8_t)(1u << i);
        wf_scope own = *scope;
        bool yes = false;
        if (*triggered & bit)
            continue;
        status = wf_expr_test(property->triggers[i], &own, &yes);
        if (status == WFSM_OK && yes)
            *triggered |= bit;
    }
    return status == WFSM_NO_MEMORY ? status : WFSM_OK;
}

int32_t wf_instances_ask(const wf_property *property, const wf_snapshot *snapshot,
                         const uint32_t *counts_, wf_arena *arena, uint8_t *triggered,
                         bool *violated)
{
    const wf_value nothing = wf_null();
    const wf_scope scope = {.arena = arena,
                            .slots = snapshot->slots,
                            .keys = wf_snapshot_keys(snapshot),
                            .slot_count = snapshot->slot_count,
                            .event = &nothing,
                            .instance = &nothing,
                            .active = snapshot->active,
                            .children = counts_,
                            .steps = snapshot->machine->limits.rule_steps};
    wf_scope own = scope;
    bool yes = false;
    int32_t status = wf_expr_test(property->of.rule, &own, &yes);
    *violated = status != WFSM_OK || yes != property->always;
    if (status == WFSM_NO_MEMORY)
        return status;
    return triggered ? note_triggers(property, &scope, triggered) : WFSM_OK;
}
