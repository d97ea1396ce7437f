/* verify/cone_expr.c: the cones of the values that an expression reads. It visits the compiled
 * form, so that nothing is missed that an evaluation would read. What is wanted of an operand, other
 * files say. */
#include "verify/cone_expr.h"

#include <string.h>
#include "verify/exactness.h"

typedef const wf_cone_env *env_of;

static void read_operands(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    for (uint32_t i = 0; wanted && i < rule->count; i++)
        wf_cone_of_expr(all, &rule->as.list[i], wanted, env);
}

static void read_vaguely(wf_cones *all, const wf_expr *rule, env_of env)
{
    wf_cone *wanted = wf_want_operand(all, rule);
    read_operands(all, rule, wanted, env);
}

/* What is wanted of each operand depends on its place. */
static void read_each(wf_cones *all, const wf_expr *rule, wf_want_function *want,
                      const wf_cone *wanted, env_of env)
{
    for (uint32_t i = 0; i < rule->count; i++)
        wf_cone_of_expr(all, &rule->as.list[i], want(all, rule, i, wanted), env);
}

/* ---- comparisons ---- */

static void read_compared(wf_cones *all, const wf_expr *operand, const wf_cone *wanted,
                          env_of env)
{
    all->direct = wf_cone_is_direct(all, operand);
    wf_cone_of_expr(all, operand, wanted, env);
    all->direct = false;
}

static void read_comparison(wf_cones *all, const wf_expr *rule, env_of env)
{
    const wf_expr *text = wf_tested_text(rule);
    if (text) {
        wf_cone *wanted = wf_want(all, false, false);
        wf_cone_text(all, wanted);
        wf_cone_of_expr(all, text, wanted, env);
        return;
    }
    for (uint32_t i = 0; i < rule->count; i++)
        read_compared(all, &rule->as.list[i], wf_want_compared(all, rule, i, env), env);
}

static void read_in(wf_cones *all, const wf_expr *rule, env_of env)
{
    if (rule->count < 2)
        return;
    const wf_cone *needle = wf_want_needle(all, rule);
    const wf_cone *list = wf_want_haystack(all, rule, env);
    read_compared(all, &rule->as.list[0], needle, env);
    wf_cone_of_expr(all, &rule->as.list[1], list, env);
}

/* ---- conditions ---- */

/* The last operand, and every second one before it, is the value of an `if`. */
static void read_if(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone *truth = wf_want(all, false, true);
    for (uint32_t i = 0; truth && i < rule->count; i++) {
        bool condition = i % 2 == 0 && i + 1 < rule->count;
        wf_cone_of_expr(all, &rule->as.list[i], condition ? truth : wanted, env);
    }
}

static bool is_of_truth(const wf_cone *wanted)
{
    wf_cone bare = *wanted;
    bare.truth = false;
    return !wf_cone_is_relevant(&bare);
}

/* The operands from `first` on, before `end`. */
static void read_conditions(wf_cones *all, const wf_expr *rule, uint32_t first, uint32_t end,
                            const wf_cone *wanted, env_of env)
{
    wf_cone *truth = wf_want(all, false, true);
    wf_cone_env inner = *env;
    bool both = strcmp(rule->op->name, "and") == 0;
    for (uint32_t i = first; truth && i < end; i++) {
        const wf_expr *operand = &rule->as.list[i];
        wf_cone_of_expr(all, operand, truth, &inner);
        if (!is_of_truth(wanted))
            wf_cone_of_expr(all, operand, wanted, &inner);
        if (both && !inner.pinned)
            inner.pinned = wf_pinned_by(operand);
    }
}

/* The operands before the test of the name are evaluated for every event. For other events they make no difference if
 * none of them can fail, and if only the truth of the whole rule counts. */
static bool are_conditions_alike(const wf_expr *rule, uint32_t count, const wf_cone *wanted)
{
    bool alike = is_of_truth(wanted);
    for (uint32_t i = 0; i < count && alike; i++)
        alike = !wf_expr_may_fail(&rule->as.list[i]);
    return alike;
}

/* `and` with a test of the event's name: the operands behind it read the data of that event only. */
static bool read_of_named(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    uint32_t place = 0;
    const wf_value *names = env->named ? NULL : wf_names_asked(rule, &place);
    if (!names)
        return false;
    uint32_t count = names->type == WF_STRING ? 1 : names->length;
    if (are_conditions_alike(rule, place, wanted))
        place = 0;
    read_conditions(all, rule, 0, place, wanted, env);
    for (uint32_t i = 0; i < count; i++) {
        const wf_value *name = names->type == WF_STRING ? names : &names->as.items[i];
        wf_cone_env inner = *env;
        if (name->type != WF_STRING)
            continue;
        inner.event = wf_cone_named(all, name->as.text, name->length);
        inner.named = true;
        read_conditions(all, rule, place, rule->count, wanted, &inner);
    }
    return true;
}

static void read_logic(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    if (!read_of_named(all, rule, wanted, env))
        read_conditions(all, rule, 0, rule->count, wanted, env);
}

/* ---- bodies and parts ---- */

/* map, filter, all, some, none, reduce: a body that is evaluated for each element. */
static void read_body(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    if (rule->count < 2)
        return;
    wf_cone *element = wf_want(all, false, false), *body = wf_want_body(all, rule, wanted),
            *list = wf_want_list(all, rule, wanted, body, element);
    wf_cone_env inner = {env->event, element, env->named, NULL, list, env};
    wf_cone_of_expr(all, &rule->as.list[1], body, &inner);
    wf_cone_of_expr(all, &rule->as.list[0], list, env);
    for (uint32_t i = 2; i < rule->count; i++)
        wf_cone_of_expr(all, &rule->as.list[i], body, env);
}

/* A path that is computed may lead to anything. */
static void read_paths(wf_cones *all, const wf_expr *rule, env_of env)
{
    wf_cone_of_any_path(all, rule, env);
    read_operands(all, rule, wf_want_vague(all), env);
}

/* A path that is known is an operand. */
static void read_exists(wf_cones *all, const wf_expr *rule, env_of env)
{
    if (rule->mode == WF_MODE_LISTED)
        read_operands(all, rule, wf_want(all, false, true), env);
    else
        read_paths(all, rule, env);
}

/* Whether an operand fails may depend on all that it reads. The others see the error. */
static void read_try(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone *error = wf_want_vague(all), *whole = wf_want_vague(all);
    wf_cone_env inner = {env->event, error, env->named, NULL, NULL, env};
    for (uint32_t i = 0; error && whole && i < rule->count; i++) {
        env_of at = i == 0 ? env : &inner;
        wf_cone_of_expr(all, &rule->as.list[i], wanted, at);
        if (i + 1 < rule->count)
            wf_cone_of_expr(all, &rule->as.list[i], whole, at);
    }
}

static void read_get(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone_of_expr(all, &rule->as.list[0], wf_want_container(all, rule, wanted), env);
    if (rule->count > 1)
        wf_cone_of_expr(all, &rule->as.list[1], wf_want_key(all, rule), env);
    if (rule->count > 2)
        wf_cone_of_expr(all, &rule->as.list[2], wanted, env);
}

/* Only the type of its value is asked for, and its operator tells, or an operand. */
static bool read_kind(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    static const char *const same[] = {"with", "slice", "log", NULL};
    if (!wf_cone_is_of_kind(wanted))
        return false;
    if (wanted->number && wf_expr_type(rule) == WF_STRING) { /* is it a number? */
        read_vaguely(all, rule, env);
        return true;
    }
    if (wf_expr_is_op(rule, same))
        wf_cone_of_expr(all, &rule->as.list[0], wanted, env);
    return wf_expr_is_op(rule, same) || wf_expr_type(rule) != WF_ABSENT;
}

/* The operators whose operands are read one by one. */
static wf_want_function *wanted_by(const wf_expr *rule)
{
    static const struct {
        const char *name;
        wf_want_function *want;
    } list[] = {{"/", wf_want_divided},       {"%", wf_want_divided},
                {"+", wf_want_summed},        {"-", wf_want_summed},
                {"length", wf_want_length},   {"with", wf_want_extended},
                {"merge", wf_want_merged},    {"slice", wf_want_sliced},
                {"missing", wf_want_missing}, {"missing_some", wf_want_missing}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(rule->op->name, list[i].name) == 0)
            return list[i].want;
    return NULL;
}

static bool is_choice(const wf_expr *rule)
{
    static const char *const names[] = {"if", "?:", NULL};
    return wf_expr_is_op(rule, names);
}

/* By the name of the operator. */
static void read_operator(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    static const char *const comparisons[] = {"==", "===", "!=", "!==", ">",
                                              ">=", "<",   "<=", NULL};
    static const char *const logic[] = {"and", "or", NULL}, *const truths[] = {"!", "!!", NULL};
    static const char *const in[] = {"in", NULL}, *const get[] = {"get", NULL};
    wf_want_function *want = wanted_by(rule);
    if (want)
        read_each(all, rule, want, wanted, env);
    else if (wf_expr_is_op(rule, comparisons))
        read_comparison(all, rule, env);
    else if (is_choice(rule))
        read_if(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, logic))
        read_logic(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, truths))
        read_operands(all, rule, wf_want(all, false, true), env);
    else if (wf_expr_is_op(rule, in))
        read_in(all, rule, env);
    else if (wf_expr_is_op(rule, get))
        read_get(all, rule, wanted, env);
    else
        read_vaguely(all, rule, env);
}

static void read_rule(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    static const char *const exists[] = {"exists", NULL};
    enum wf_shape shape = rule->op->shape;
    if (read_kind(all, rule, wanted, env))
        return;
    const bool spreads = rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_SPREADS;
    all->joins |= spreads || shape == WF_SHAPE_REDUCE;
    if (spreads)
        read_vaguely(all, rule, env); /* its operands are the elements of one */
    else if (wf_expr_is_op(rule, exists))
        read_exists(all, rule, env);
    else if (shape == WF_SHAPE_VAR || shape == WF_SHAPE_VAL || shape == WF_SHAPE_KEYS)
        read_paths(all, rule, env);
    else if (shape == WF_SHAPE_TRY)
        read_try(all, rule, wanted, env);
    else if (shape == WF_SHAPE_BODY || shape == WF_SHAPE_REDUCE)
        read_body(all, rule, wanted, env);
    else
        read_operator(all, rule, wanted, env);
}

/* ---- templates ---- */

static void read_object(wf_cones *all, const wf_expr *expr, const wf_cone *wanted, env_of env)
{
    wf_cone *whole = wf_want_part(all, wanted);
    for (uint32_t i = 0; i < expr->count; i++) {
        const wf_member *key = &expr->as.object.keys[i];
        const wf_cone *part = wf_cone_member(wanted, key->key, key->length);
        if (part)
            wf_cone_of_expr(all, &expr->as.object.list[i], part, env);
        if (whole)
            wf_cone_of_expr(all, &expr->as.object.list[i], whole, env);
    }
}

static void read_array(wf_cones *all, const wf_expr *expr, const wf_cone *wanted, env_of env)
{
    wf_cone *whole = wf_want_part(all, wanted);
    for (uint32_t i = 0; i < expr->count; i++) {
        if (wanted->items)
            wf_cone_of_expr(all, &expr->as.list[i], wanted->items, env);
        if (whole)
            wf_cone_of_expr(all, &expr->as.list[i], whole, env);
    }
}

/* ---- nodes ---- */

static void read_node(wf_cones *all, const wf_expr *expr, const wf_cone *wanted, env_of env)
{
    switch (expr->node) {
    case WF_NODE_SLOT:
        wf_cone_of_slot(all, expr->count, NULL, 0, wanted);
        break;
    case WF_NODE_VAR:
        wf_cone_of_var(all, expr->as.var, wanted, env);
        wf_cone_of_expr(all, expr->as.var->fallback, wanted, env);
        break;
    case WF_NODE_RULE:
        read_rule(all, expr, wanted, env);
        break;
    case WF_NODE_ARRAY:
        read_array(all, expr, wanted, env);
        break;
    case WF_NODE_OBJECT:
        read_object(all, expr, wanted, env);
        break;
    default:
        break;
    }
}

/* ---- schemas ---- */

/* A computed text or number may not fit a schema that asks for more than its type. */
static void read_scalar(wf_cones *all, const wf_expr *rule, const wf_schema *schema, env_of env)
{
    if (!wf_schema_takes_all(schema, wf_expr_type(rule)) && !wf_always_fits(all, rule, schema))
        read_vaguely(all, rule, env);
}

/* Where more decides than some of its parts, all of it is read, in a way that no constants decide. */
static void read_fitting(wf_cones *all, const wf_expr *expr, const wf_schema *schema,
                         env_of env)
{
    const wf_fit_part *part;
    wf_fit_part *parts;
    if (!wf_find_fit_parts(all, expr, schema, &parts)) {
        wf_cone_of_expr(all, expr, wf_want_vague(all), env);
        return;
    }
    for (part = parts; part; part = part->next)
        wf_cone_of_expr(all, part->expr, part->wanted, env);
}

/* Reads what decides whether the value fits its schemas. Returns the cone without them. */
static wf_cone read_fits(wf_cones *all, const wf_expr *expr, const wf_cone *wanted, env_of env)
{
    enum wf_type type = expr->node == WF_NODE_RULE ? wf_expr_type(expr) : WF_ABSENT;
    wf_cone bare = *wanted;
    for (const wf_cone_schema *fit = wanted->fits; fit; fit = fit->next)
        if (type == WF_ABSENT || type >= WF_ARRAY)
            read_fitting(all, expr, fit->schema, env);
        else
            read_scalar(all, expr, fit->schema, env);
    bare.fits = NULL;
    return bare;
}

/* ---- any expression ---- */

void wf_cone_of_expr(wf_cones *all, const wf_expr *expr, const wf_cone *wanted,
                     const wf_cone_env *env)
{
    if (!expr || !wanted || all->failed || !wf_cone_is_wanted(wanted))
        return;
    const wf_expr *before = all->reading.rule;
    const bool source = expr->node == WF_NODE_SLOT || expr->node == WF_NODE_VAR;
    if (!before || expr->node == WF_NODE_RULE)
        all->reading.rule = expr;
    if (source || !wanted->fits) {
        read_node(all, expr, wanted, env);
    } else {
        const wf_cone bare = read_fits(all, expr, wanted, env);
        if (wf_cone_is_relevant(&bare))
            read_node(all, expr, &bare, env);
    }
    all->reading.rule = before;
}
