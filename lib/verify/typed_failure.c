/* verify/typed_failure.c: whether an expression can fail, where the schemas of the context say of what types
 * the values are that it reads. */
#include <string.h>
#include "logic/expr_tree.h"
#include "verify/cone_find.h"
#include "verify/domain.h"
#include "verify/hiding.h"

static bool is_one_of(const wf_expr *rule, const char *const *names)
{
    return wf_expr_is_op(rule, names);
}

/* ---- types ---- */

/* A key that is not there at first is null until it is assigned. */
static uint8_t types_of_slot(const wfsm_machine *machine, uint32_t slot)
{
    const wf_schema *schema = wf_key_schema(machine, slot);
    const uint8_t types = schema ? wf_domain_of_schema(schema).types : WF_TYPES;
    return machine->initial[slot].type == WF_ABSENT ? types | WF_TYPE_NULL : types;
}

static uint8_t types_of_var(const wfsm_machine *machine, const wf_var *var)
{
    if (var->origin == WF_FROM_SLOT && var->count == 0 && !var->fallback && var->climb == 0)
        return types_of_slot(machine, var->slot);
    return WF_TYPES;
}

static uint8_t types_of(const wfsm_machine *machine, const wf_expr *expr);

static uint8_t types_of_choice(const wfsm_machine *machine, const wf_expr *rule)
{
    uint8_t types = rule->count % 2 == 0 ? WF_TYPE_NULL : 0;
    for (uint32_t i = 0; i < rule->count; i++)
        if (i % 2 == 1 || i + 1 == rule->count)
            types |= types_of(machine, &rule->as.list[i]);
    return types;
}

static uint8_t types_of(const wfsm_machine *machine, const wf_expr *expr)
{
    static const char *const choices[] = {"if", "?:", NULL};
    enum wf_type type = wf_expr_type(expr);
    if (type != WF_ABSENT)
        return (uint8_t)(1u << type);
    if (expr->node == WF_NODE_SLOT)
        return types_of_slot(machine, expr->count);
    if (expr->node == WF_NODE_VAR)
        return types_of_var(machine, expr->as.var);
    return expr->node == WF_NODE_RULE && is_one_of(expr, choices)
               ? types_of_choice(machine, expr)
               : WF_TYPES;
}

static bool is_of(const wfsm_machine *machine, const wf_expr *expr, uint8_t types)
{
    return (types_of(machine, expr) & ~types) == 0;
}

static bool are_of(const wfsm_machine *machine, const wf_expr *rule, uint8_t types)
{
    for (uint32_t i = 0; i < rule->count; i++)
        if (!is_of(machine, &rule->as.list[i], types))
            return false;
    return true;
}

/* ---- operators ---- */

/* A sum of finite numbers may be too large; the least or the greatest of them is not. */
static bool takes_operands(const wfsm_machine *machine, const wf_expr *rule)
{
    static const char *const orders[] = {"<", "<=", ">", ">=", "==", "!=", "min", "max", NULL},
                             *const length[] = {"length", NULL}, *const in[] = {"in", NULL};
    bool spreads = rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_SPREADS;
    if (is_one_of(rule, orders))
        return !spreads && are_of(machine, rule, WF_TYPE_NUMBER);
    if (is_one_of(rule, length))
        return rule->count == 1 && is_of(machine, &rule->as.list[0],
                                         WF_TYPE_ARRAY | WF_TYPE_OBJECT | WF_TYPE_STRING);
    if (is_one_of(rule, in))
        return !spreads && rule->count == 2 &&
               is_of(machine, &rule->as.list[1], WF_TYPE_ARRAY | WF_TYPE_STRING | WF_TYPE_NULL);
    return rule->op->shape == WF_SHAPE_BODY &&
           is_of(machine, &rule->as.list[0], WF_TYPE_ARRAY | WF_TYPE_NULL);
}

static bool rule_may_fail(const wfsm_machine *machine, const wf_expr *rule)
{
    if (rule->op->shape == WF_SHAPE_TRY)
        return wf_typed_may_fail(machine, &rule->as.list[rule->count - 1]);
    if (wf_op_may_fail(rule) && !takes_operands(machine, rule))
        return true;
    for (uint32_t i = 0; i < rule->count; i++)
        if (wf_typed_may_fail(machine, &rule->as.list[i]))
            return true;
    return false;
}

bool wf_typed_may_fail(const wfsm_machine *machine, const wf_expr *expr)
{
    const wf_expr *list = expr->node == WF_NODE_OBJECT ? expr->as.object.list : expr->as.list;
    bool listed = expr->node == WF_NODE_OBJECT || expr->node == WF_NODE_ARRAY;
    for (uint32_t i = 0; listed && i < expr->count; i++)
        if (wf_typed_may_fail(machine, &list[i]))
            return true;
    if (expr->node == WF_NODE_VAR)
        return expr->as.var->fallback && wf_typed_may_fail(machine, expr->as.var->fallback);
    return expr->node == WF_NODE_RULE && rule_may_fail(machine, expr);
}
