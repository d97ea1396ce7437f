/* logic/expr_reads.c: what an expression reads besides the context. */
#include "logic/expr_tree.h"

static unsigned reads_of_list(const wf_expr *list, uint32_t count)
{
    unsigned reads = 0;

    for (uint32_t i = 0; i < count; i++)
        reads |= wf_expr_reads(&list[i]);
    return reads;
}

static unsigned reads_of_origin(const wf_var *var)
{
    switch (var->origin) {
    case WF_FROM_EVENT:
        return WF_READS_EVENT;
    case WF_FROM_INSTANCE:
        return WF_READS_INSTANCE;
    case WF_FROM_BUDGETS:
        return WF_READS_BUDGETS;
    case WF_FROM_FAILURE:
        return WF_READS_FAILURE;
    case WF_FROM_ROOT:
        return WF_READS_ALL;
    default:
        return 0;
    }
}

static unsigned reads_of_var(const wf_var *var)
{
    return reads_of_origin(var) | (var->fallback ? wf_expr_reads(var->fallback) : 0);
}

/* `var` and `missing` with a path that is known only when they are evaluated, or paths that
 * were not kept apart: it may be any. */
static unsigned reads_of_rule(const wf_expr *rule)
{
    unsigned reads = reads_of_list(rule->as.list, rule->count);
    bool by_path = rule->op->shape == WF_SHAPE_VAR || rule->op->shape == WF_SHAPE_VAL ||
                   rule->op->shape == WF_SHAPE_KEYS;

    return by_path && rule->env == WF_ENV_ROOT ? reads | WF_READS_EVENT : reads;
}

unsigned wf_expr_reads(const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_VAR:
        return reads_of_var(expr->as.var);
    case WF_NODE_RULE:
        return reads_of_rule(expr);
    case WF_NODE_ARRAY:
        return reads_of_list(expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return reads_of_list(expr->as.object.list, expr->count);
    default:
        return 0;
    }
}
