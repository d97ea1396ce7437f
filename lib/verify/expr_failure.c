/* verify/expr_failure.c: whether some data makes an evaluation fail, and of what type a value is
 * whatever the data. */
#include "logic/expr_tree.h"
#include "verify/cone_find.h"

static bool any_fails(const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (wf_expr_may_fail(&list[i]))
            return true;
    return false;
}

/* `in` a list that is known. */
static bool has_constant_list(const wf_expr *rule)
{
    static const char *const in[] = {"in", NULL};
    return wf_expr_is_op(rule, in) && rule->count == 2 &&
           rule->as.list[1].node == WF_NODE_CONSTANT;
}

bool wf_op_may_fail(const wf_expr *rule)
{
    static const char *const safe[] = {
        "val", "exists", "var", "missing", "if",  "?:",  "and", "or",    "??",       "!",
        "!!",  "===",    "!==", "merge",   "cat", "log", "get", "slice", "in_state", NULL};
    return !wf_expr_is_op(rule, safe) && !has_constant_list(rule);
}

bool wf_op_is_by_path(const wf_expr *rule)
{
    return rule->op->shape == WF_SHAPE_VAR || rule->op->shape == WF_SHAPE_VAL ||
           rule->op->shape == WF_SHAPE_KEYS;
}

static bool rule_fails(const wf_expr *rule)
{
    if (rule->op->shape == WF_SHAPE_TRY)
        return wf_expr_may_fail(&rule->as.list[rule->count - 1]);
    return wf_op_may_fail(rule) || any_fails(rule->as.list, rule->count);
}

bool wf_expr_may_fail(const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_RULE:
        return rule_fails(expr);
    case WF_NODE_ARRAY:
        return any_fails(expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return any_fails(expr->as.object.list, expr->count);
    case WF_NODE_VAR:
        return expr->as.var->fallback && wf_expr_may_fail(expr->as.var->fallback);
    default:
        return false;
    }
}

typedef struct result_type {
    enum wf_type type;
    const char *const *operators;
} result_type;

static enum wf_type type_of_choice(const wf_expr *rule)
{
    enum wf_type type = WF_ABSENT;
    for (uint32_t i = 0; i < rule->count; i++) {
        bool condition = i % 2 == 0 && i + 1 < rule->count;
        enum wf_type own = condition ? type : wf_expr_type(&rule->as.list[i]);
        if (own == WF_ABSENT && !condition)
            return WF_ABSENT;
        if (type != WF_ABSENT && own != type)
            return WF_ABSENT;
        type = own;
    }
    return rule->count % 2 == 1 ? type : WF_ABSENT;
}

static enum wf_type type_of_rule(const wf_expr *rule)
{
    static const char *const numbers[] = {"+",   "-",   "*",      "/", "%",
                                          "max", "min", "length", NULL};
    static const char *const booleans[] = {
        "==", "===", "!=",     "!==", "<",    "<=",   ">",        ">=", "!",
        "!!", "in",  "exists", "all", "some", "none", "in_state", NULL};
    static const char *const strings[] = {"cat", "substr", NULL};
    static const char *const arrays[] = {"merge",   "map",          "filter",
                                         "missing", "missing_some", NULL};
    static const char *const choices[] = {"if", "?:", NULL};
    const result_type table[] = {
        {WF_NUMBER, numbers}, {WF_BOOLEAN, booleans}, {WF_STRING, strings}, {WF_ARRAY, arrays}};
    if (wf_expr_is_op(rule, choices))
        return type_of_choice(rule);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (wf_expr_is_op(rule, table[i].operators))
            return table[i].type;
    return WF_ABSENT;
}

enum wf_type wf_expr_type(const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_CONSTANT:
        return (enum wf_type)expr->as.constant.type;
    case WF_NODE_RULE:
        return type_of_rule(expr);
    case WF_NODE_ARRAY:
        return WF_ARRAY;
    case WF_NODE_OBJECT:
        return WF_OBJECT;
    case WF_NODE_STATE:
        return WF_BOOLEAN;
    case WF_NODE_CHILDREN:
        return WF_NUMBER;
    default:
        return WF_ABSENT;
    }
}
