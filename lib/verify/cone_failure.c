/* verify/cone_failure.c: what decides whether an expression can be evaluated. The types of operands
 * are enough, except that a divisor is 0 or not, and that conditions decide what is evaluated. */
#include <math.h>
#include "logic/expr_tree.h"
#include "logic/schema_tree.h"
#include "verify/cone_expr.h"

typedef const wf_cone_env *env_of;

static wf_cone *want(wf_cones *all, bool kind, bool truth)
{
    wf_cone *made = wf_cone_new(all, 0);
    if (made) {
        made->passing = true;
        made->kind = kind;
        made->truth = truth;
    }
    return made;
}

static void of_list(wf_cones *all, const wf_expr *list, uint32_t count, env_of env)
{
    for (uint32_t i = 0; i < count; i++)
        wf_cone_of_failure(all, &list[i], env);
}

static bool is_arithmetic(const wf_expr *rule)
{
    static const char *const names[] = {"+", "-", "*", "/", "%", "max", "min", NULL};
    return rule->node == WF_NODE_RULE && wf_expr_is_op(rule, names);
}

/* With a large constant, any number may make the result too large. */
static bool has_large_constant(const wf_expr *rule)
{
    for (uint32_t i = 0; i < rule->count; i++)
        if (wf_expr_is_number(&rule->as.list[i]) &&
            fabs(rule->as.list[i].as.constant.as.number) >= WF_LARGE)
            return true;
    return false;
}

/* A computed number has the right type; what it is computed of may not. */
static void of_operands(wf_cones *all, const wf_expr *rule, env_of env)
{
    static const char *const divisions[] = {"/", "%", NULL}, *const length[] = {"length", NULL};
    bool divides = wf_expr_is_op(rule, divisions);
    if (is_arithmetic(rule) && has_large_constant(rule))
        wf_cone_of_expr(all, rule, wf_want_vague(all), env);
    for (uint32_t i = 0; i < rule->count; i++) {
        bool divisor = divides && (i > 0 || rule->count == 1);
        wf_cone *wanted = want(all, true, divisor);
        if (!wf_expr_is_op(rule, length))
            wf_cone_number(all, wanted);
        if (wanted && (divisor || !is_arithmetic(&rule->as.list[i])))
            wf_cone_of_expr(all, &rule->as.list[i], wanted, env);
    }
    of_list(all, rule->as.list, rule->count, env);
}

/* An operand decides whether a later one is evaluated, which matters if that may fail. */
static void of_choice(wf_cones *all, const wf_expr *rule, env_of env)
{
    static const char *const all_decide[] = {"and", "or", NULL};
    wf_cone *truth = want(all, false, true);
    bool fails = false;
    for (uint32_t i = rule->count; truth && i-- > 0;) {
        bool decides = wf_expr_is_op(rule, all_decide) || i % 2 == 0;
        if (fails && decides)
            wf_cone_of_expr(all, &rule->as.list[i], truth, env);
        fails = fails || wf_expr_may_fail(&rule->as.list[i]);
    }
    of_list(all, rule->as.list, rule->count, env);
}

/* Whether a value is there, and is not null. */
static wf_cone *want_presence(wf_cones *all)
{
    const wf_value nothing = wf_null();
    wf_cone *made = want(all, false, true);
    wf_cone_constant(all, made, &nothing);
    return made;
}

/* ??: an operand that is null leads to the next one. */
static void of_first(wf_cones *all, const wf_expr *rule, env_of env)
{
    const wf_cone *presence = want_presence(all);
    bool fails = false;
    for (uint32_t i = rule->count; presence && i-- > 0;) {
        if (fails)
            wf_cone_of_expr(all, &rule->as.list[i], presence, env);
        fails = fails || wf_expr_may_fail(&rule->as.list[i]);
    }
    of_list(all, rule->as.list, rule->count, env);
}

/* get: the third operand is evaluated if there is no such member. */
static void of_member(wf_cones *all, const wf_expr *rule, env_of env)
{
    const wf_cone *presence = want_presence(all);
    if (presence && rule->count > 2 && wf_expr_may_fail(&rule->as.list[2])) {
        wf_cone_of_expr(all, &rule->as.list[0], wf_want_container(all, rule, presence), env);
        wf_cone_of_expr(all, &rule->as.list[1], wf_want_key(all, rule), env);
    }
    of_list(all, rule->as.list, rule->count, env);
}

/* The value of a variable that is not there is the fallback. */
static void of_fallback(wf_cones *all, const wf_var *var, env_of env)
{
    const wf_cone *presence = want_presence(all);
    if (presence)
        wf_cone_of_var(all, var, presence, env);
    wf_cone_of_failure(all, var->fallback, env);
}

/* A comparison ends with the first pair that does not fit. That matters if a later operand may fail, or may be one
 * that cannot be compared. */
static bool ends_early(const wf_expr *rule)
{
    static const char *const names[] = {"==", "!=", "<", "<=", ">", ">=", NULL},
                             *const strict[] = {"===", "!==", NULL};
    bool fails = false;
    for (uint32_t i = 2; i < rule->count; i++)
        fails |= wf_expr_is_op(rule, strict) ? wf_expr_may_fail(&rule->as.list[i])
                                             : !wf_expr_is_number(&rule->as.list[i]);
    return fails && (wf_expr_is_op(rule, strict) || wf_expr_is_op(rule, names));
}

/* What the first pairs answer decides, and then the types of all operands. */
static void of_chain(wf_cones *all, const wf_expr *rule, env_of env)
{
    wf_cone_of_expr(all, rule, want(all, false, true), env);
    of_list(all, rule->as.list, rule->count, env);
}

/* The only operand whose type decides; WF_NONE: more decides than that. */
static uint32_t deciding_operand(const wf_expr *rule)
{
    static const char *const in[] = {"in", NULL}, *const first[] = {"substr", NULL},
                             *const with[] = {"with", NULL};
    const wf_expr *second = rule->count > 1 ? &rule->as.list[1] : NULL;
    bool body = rule->op->shape == WF_SHAPE_BODY || rule->op->shape == WF_SHAPE_REDUCE;
    if (wf_expr_is_op(rule, in))
        return 1;
    if (wf_expr_is_op(rule, first))
        return 0;
    if (wf_expr_is_op(rule, with) && wf_expr_type(second) == WF_STRING)
        return 0;
    bool starts = rule->op->shape == WF_SHAPE_BODY || rule->count > 2;
    return body && starts && !wf_expr_may_fail(second) ? 0 : WF_NONE;
}

/* `in` fails for the number 5, but not for 0: a false second operand counts as an empty list. */
static void of_deciding(wf_cones *all, const wf_expr *rule, uint32_t deciding, env_of env)
{
    static const char *const in[] = {"in", NULL};
    wf_cone *kind = want(all, true, wf_expr_is_op(rule, in));
    if (kind)
        wf_cone_of_expr(all, &rule->as.list[deciding], kind, env);
    for (uint32_t i = 0; i < rule->count; i++)
        if (i != 1 || rule->op->shape == WF_SHAPE_PLAIN) /* a body cannot fail here */
            wf_cone_of_failure(all, &rule->as.list[i], env);
}

/* An object takes any text as key. Of a list the length would decide, too. */
static bool is_with_object(const wf_cones *all, const wf_expr *rule)
{
    static const char *const with[] = {"with", NULL};
    if (!wf_expr_is_op(rule, with) || rule->as.list[0].node != WF_NODE_SLOT)
        return false;
    const wf_schema *own = wf_schema_of_slot(all, rule->as.list[0].count);
    return own && own->types == 1u << WF_OBJECT;
}

static void of_rule(wf_cones *all, const wf_expr *rule, env_of env)
{
    static const char *const pairs[] = {"==", "!=", "<", "<=", ">", ">=", "length", NULL};
    static const char *const choices[] = {"if", "?:", "and", "or", NULL};
    static const char *const first[] = {"??", NULL}, *const get[] = {"get", NULL};
    bool spreads = rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_SPREADS;
    uint32_t deciding = spreads ? WF_NONE : deciding_operand(rule);
    if (!spreads && ends_early(rule))
        of_chain(all, rule, env);
    else if (!spreads && (is_arithmetic(rule) || wf_expr_is_op(rule, pairs)))
        of_operands(all, rule, env);
    else if (wf_expr_is_op(rule, choices))
        of_choice(all, rule, env);
    else if (wf_expr_is_op(rule, first))
        of_first(all, rule, env);
    else if (wf_expr_is_op(rule, get))
        of_member(all, rule, env);
    else if (is_with_object(all, rule))
        of_deciding(all, rule, 1, env);
    else if (deciding != WF_NONE)
        of_deciding(all, rule, deciding, env);
    else if (!wf_op_may_fail(rule) && rule->op->shape == WF_SHAPE_PLAIN)
        of_list(all, rule->as.list, rule->count, env);
    else
        wf_cone_of_expr(all, rule, want(all, false, true), env);
}

void wf_cone_of_failure(wf_cones *all, const wf_expr *expr, env_of env)
{
    if (!expr || all->failed || !wf_expr_may_fail(expr))
        return;
    const wf_expr *before = all->reading.rule;
    if (!before || expr->node == WF_NODE_RULE)
        all->reading.rule = expr;
    if (expr->node == WF_NODE_RULE)
        of_rule(all, expr, env);
    else if (expr->node == WF_NODE_VAR)
        of_fallback(all, expr->as.var, env);
    else if (expr->node == WF_NODE_ARRAY)
        of_list(all, expr->as.list, expr->count, env);
    else
        of_list(all, expr->as.object.list, expr->count, env);
    all->reading.rule = before;
}
