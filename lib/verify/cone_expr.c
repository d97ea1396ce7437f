/* verify/cone_expr.c: the cones of the values that an expression reads. It visits the compiled
 * form, so that nothing is missed that an evaluation would read. */
#include "verify/cone_find.h"

#include <string.h>
#include "logic/expr_tree.h"
#include "logic/schema_tree.h"

typedef const wf_cone_env *env_of;

/* ---- what `var` leads to ---- */

/* A rule may read anything: everything is in the cone. */
static void everything(wf_cones *all, env_of env)
{
    if (!all->everything)
        all->changed = true;
    all->everything = true;
    for (uint32_t slot = 0; slot < all->machine->keys.count; slot++)
        wf_cone_whole(all, wf_cone_slot(all, slot));
    wf_cone_whole(all, env->event);
    wf_cone_whole(all, &all->origin);
}

static wf_cone *down(wf_cones *all, wf_cone *cone, const wf_path_part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count && cone; i++) {
        bool element = parts[i].index != WF_NONE;
        if (element)
            wf_cone_order(all, cone);
        cone = element ? wf_cone_items(all, cone)
                       : wf_cone_part_of(all, cone, parts[i].key, parts[i].length);
    }
    return cone;
}

static bool is_part(const wf_path_part *part, const char *key)
{
    return part->length == strlen(key) && memcmp(part->key, key, part->length) == 0;
}

static void read_whole_event(wf_cones *all, env_of env)
{
    wf_cone_whole(all, env->event);
    wf_cone_whole(all, &all->origin);
}

static void read_event(wf_cones *all, const wf_var *var, const wf_cone *wanted, env_of env)
{
    if (var->count == 0)
        read_whole_event(all, env);
    else if (is_part(&var->parts[0], "origin"))
        wf_cone_add(all, down(all, &all->origin, var->parts + 1, var->count - 1), wanted);
    else if (is_part(&var->parts[0], "data"))
        wf_cone_add(all, down(all, env->event, var->parts + 1, var->count - 1), wanted);
}

static bool has_one_type(const wf_schema *schema)
{
    return schema->types != 0 && (schema->types & (schema->types - 1)) == 0;
}

/* A value of the context that has a schema of its own is assumed to fit where it is used. */
static void read_slot(wf_cones *all, uint32_t slot, const wf_path_part *parts, uint32_t count,
                      const wf_cone *wanted)
{
    const wf_schema *context = all->machine->context_schema;
    const wf_name *key = &all->machine->keys.list[slot];
    wf_cone bare = *wanted;
    bool forbidden = false;
    const wf_schema *own =
        context ? wf_schema_key(context, key->text, key->length, &forbidden) : NULL;
    if (own)
        bare.fits = NULL;
    if (own && count == 0 && has_one_type(own))
        bare.kind = false;
    if (bare.fits || wf_cone_is_relevant(&bare))
        wf_cone_add(all, down(all, wf_cone_slot(all, slot), parts, count), &bare);
}

/* Where a body stands that is so many bodies further out. */
static env_of outer_env(env_of env, uint32_t climb)
{
    for (; climb > 0 && env->outer; climb--)
        env = env->outer;
    return env;
}

/* The place of an element in its list, or the list as well. */
static void read_visit(wf_cones *all, const wf_var *var, env_of env)
{
    wf_cone_order(all, env->list);
    wf_cone_length(all, env->list);
    if (var->origin != WF_FROM_POSITION)
        wf_cone_whole(all, env->list);
}

static void read_var(wf_cones *all, const wf_var *var, const wf_cone *wanted, env_of here)
{
    env_of env = outer_env(here, var->climb);
    switch (var->origin) {
    case WF_FROM_SLOT:
        read_slot(all, var->slot, var->parts, var->count, wanted);
        break;
    case WF_FROM_EVENT:
        read_event(all, var, wanted, env);
        break;
    case WF_FROM_INSTANCE:
        all->clock = true;
        break;
    case WF_FROM_FAILURE:
        all->failure = true;
        break;
    case WF_FROM_DATA:
    case WF_FROM_CURRENT:
        wf_cone_add(all, down(all, env->element, var->parts, var->count), wanted);
        break;
    case WF_FROM_ROOT:
    case WF_FROM_CONTEXT:
        everything(all, env);
        break;
    case WF_FROM_PAIR:
        wf_cone_whole(all, env->element);
        break;
    case WF_FROM_POSITION:
    case WF_FROM_ITERATED:
    case WF_FROM_VISIT:
        read_visit(all, var, env);
        break;
    default:
        break;
    }
    if (var->fallback)
        wf_cone_of_expr(all, var->fallback, wanted, here);
}

/* ---- rules ---- */

/* A temporary cone. */
static wf_cone *want(wf_cones *all, bool whole, bool truth)
{
    wf_cone *made = wf_cone_new(all, 0);
    if (made) {
        made->passing = true;
        made->whole = whole;
        made->truth = truth;
    }
    return made;
}

/* All of an operand, and whether the operator takes it. */
static wf_cone *want_operand(wf_cones *all, const wf_expr *rule)
{
    wf_cone *made = want(all, true, false);
    if (made)
        made->kind = wf_op_may_fail(rule);
    return made;
}

static void read_operands(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    for (uint32_t i = 0; wanted && i < rule->count; i++)
        wf_cone_of_expr(all, &rule->as.list[i], wanted, env);
}

/* Values that are compared: the cone of each contains the others. */
static void read_compared(wf_cones *all, const wf_expr *rule, uint32_t self, env_of env)
{
    wf_cone *wanted = want_operand(all, rule);
    for (uint32_t i = 0; wanted && i < rule->count; i++) {
        const wf_expr *other = &rule->as.list[i];
        if (i != self && other->node == WF_NODE_CONSTANT)
            wf_cone_constant(all, wanted, &other->as.constant);
        else if (i != self && wf_cone_is_of_context(other))
            wf_cone_link_to(all, wanted, other, false);
    }
    wf_cone_of_expr(all, &rule->as.list[self], wanted, env);
}

static void read_comparison(wf_cones *all, const wf_expr *rule, env_of env)
{
    for (uint32_t i = 0; i < rule->count; i++)
        read_compared(all, rule, i, env);
}

static void read_in(wf_cones *all, const wf_expr *rule, env_of env)
{
    if (rule->count < 2)
        return;
    const wf_expr *needle = &rule->as.list[0], *list = &rule->as.list[1];
    wf_cone *wanted = want(all, true, false), *of_list = want(all, true, true);
    if (!wanted || !of_list)
        return;
    of_list->items = want(all, true, false);
    of_list->kind = true;
    if (list->node == WF_NODE_CONSTANT && list->as.constant.type == WF_ARRAY)
        for (uint32_t i = 0; i < list->as.constant.length; i++)
            wf_cone_constant(all, wanted, &list->as.constant.as.items[i]);
    else if (list->node == WF_NODE_CONSTANT)
        wf_cone_constant(all, wanted, &list->as.constant);
    if (list->node != WF_NODE_CONSTANT && wf_cone_is_of_context(list))
        wf_cone_link_to(all, wanted, list, true);
    if (needle->node != WF_NODE_CONSTANT && wf_cone_is_of_context(needle) && of_list->items)
        wf_cone_link_to(all, of_list->items, needle, false);
    if (needle->node == WF_NODE_CONSTANT && of_list->items)
        wf_cone_constant(all, of_list->items, &needle->as.constant);
    wf_cone_of_expr(all, needle, wanted, env);
    wf_cone_of_expr(all, list, of_list, env);
}

/* The last operand, and every second one before it, is the value of an `if`. */
static void read_if(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone *truth = want(all, false, true);
    for (uint32_t i = 0; truth && i < rule->count; i++) {
        bool condition = i % 2 == 0 && i + 1 < rule->count;
        if (!condition || !wanted->fits || wf_cone_is_relevant(wanted))
            wf_cone_of_expr(all, &rule->as.list[i], condition ? truth : wanted, env);
    }
}

static bool is_event_type(const wf_expr *expr)
{
    return expr->node == WF_NODE_VAR && expr->as.var->origin == WF_FROM_EVENT &&
           expr->as.var->count == 1 && is_part(&expr->as.var->parts[0], "type");
}

/* The name, or the list of names, that an operand compares the event's name with; NULL: none. */
static const wf_value *names_asked(const wf_expr *operand)
{
    static const char *const same[] = {"===", "==", NULL}, *const in[] = {"in", NULL};
    if (operand->node != WF_NODE_RULE || operand->count != 2)
        return NULL;
    const wf_expr *a = &operand->as.list[0], *b = &operand->as.list[1];
    if (wf_expr_is_op(operand, same) && is_event_type(b)) {
        const wf_expr *swap = a;
        a = b;
        b = swap;
    }
    if (!is_event_type(a) || b->node != WF_NODE_CONSTANT)
        return NULL;
    bool fits = wf_expr_is_op(operand, same)
                    ? b->as.constant.type == WF_STRING
                    : wf_expr_is_op(operand, in) && b->as.constant.type == WF_ARRAY;
    return fits ? &b->as.constant : NULL;
}

static void read_logic(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env);

/* `and` with a test of the event's name: the other operands read the data of that event only. */
static bool read_of_named(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    const wf_value *names = NULL;
    if (strcmp(rule->op->name, "and") != 0 || env->named)
        return false;
    for (uint32_t i = 0; i < rule->count && !names; i++)
        names = names_asked(&rule->as.list[i]);
    if (!names)
        return false;
    uint32_t count = names->type == WF_STRING ? 1 : names->length;
    for (uint32_t i = 0; i < count; i++) {
        const wf_value *name = names->type == WF_STRING ? names : &names->as.items[i];
        wf_cone_env inner = *env;
        if (name->type != WF_STRING)
            continue;
        inner.event = wf_cone_named(all, name->as.text, name->length);
        inner.named = true;
        read_logic(all, rule, wanted, &inner);
    }
    return true;
}

static void read_logic(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    if (read_of_named(all, rule, wanted, env))
        return;
    wf_cone *truth = want(all, false, true);
    read_operands(all, rule, truth, env);
    if (wanted->whole || wanted->constant_count > 0 || wanted->parts)
        read_operands(all, rule, wanted, env);
}

static void read_length(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone *length = want(all, false, false);
    if (!length || rule->count == 0)
        return;
    length->length = length->kind = true;
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        wf_cone_constant(all, length, &wanted->constants[i]);
    wf_cone_of_expr(all, &rule->as.list[0], length, env);
}

/* map, filter, all, some, none, reduce: a body that is evaluated for each element. */
static void read_body(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    static const char *const maps[] = {"map", NULL}, *const filters[] = {"filter", NULL},
                             *const reduces[] = {"reduce", NULL};
    bool map = wf_expr_is_op(rule, maps), filter = wf_expr_is_op(rule, filters);
    wf_cone *list = want(all, false, false), *element = want(all, false, false),
            *body = want(all, false, false);
    if (rule->count < 2 || !list || !element || !body)
        return;
    wf_cone_env inner = {env->event, element, env->named, list, env};
    list->length = list->kind = true;
    list->order = wf_expr_is_op(rule, reduces) || map;
    list->items = element;
    if (map && wanted->items)
        wf_cone_add(all, body, wanted->items);
    body->whole |= map ? wanted->whole : wf_expr_is_op(rule, reduces);
    body->truth |= !map || wf_expr_may_fail(&rule->as.list[1]);
    if (filter)
        wf_cone_add(all, list, wanted);
    if (body->whole || body->truth || body->constant_count > 0 || body->parts)
        wf_cone_of_expr(all, &rule->as.list[1], body, &inner);
    wf_cone_of_expr(all, &rule->as.list[0], list, env);
    for (uint32_t i = 2; i < rule->count; i++)
        wf_cone_of_expr(all, &rule->as.list[i], body, env);
}

/* `missing`, and what is read by a computed path. */
static void read_paths(wf_cones *all, const wf_expr *rule, env_of env)
{
    uint32_t climb = rule->mode > WF_MODE_SCOPED ? rule->mode - (uint32_t)WF_MODE_SCOPED : 0;
    if (rule->env == WF_ENV_ROOT)
        everything(all, env);
    else
        wf_cone_whole(all, outer_env(env, climb)->element);
    read_operands(all, rule, want(all, true, false), env);
}

/* A path that is known is an operand. */
static void read_exists(wf_cones *all, const wf_expr *rule, env_of env)
{
    if (rule->mode == WF_MODE_LISTED)
        read_operands(all, rule, want(all, false, true), env);
    else
        read_paths(all, rule, env);
}

/* Whether an operand fails may depend on all that it reads. The others see the error. */
static void read_try(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone *error = want(all, true, false), *whole = want(all, true, false);
    wf_cone_env inner = {env->event, error, env->named, NULL, env};
    for (uint32_t i = 0; error && whole && i < rule->count; i++) {
        env_of at = i == 0 ? env : &inner;
        wf_cone_of_expr(all, &rule->as.list[i], wanted, at);
        if (i + 1 < rule->count)
            wf_cone_of_expr(all, &rule->as.list[i], whole, at);
    }
}

/* A divisor may be 0. */
static void read_division(wf_cones *all, const wf_expr *rule, env_of env)
{
    const wf_value zero = wf_number(0);
    for (uint32_t i = 0; i < rule->count; i++) {
        wf_cone *operand = want_operand(all, rule);
        if (i > 0 || rule->count == 1)
            wf_cone_constant(all, operand, &zero);
        if (operand)
            wf_cone_of_expr(all, &rule->as.list[i], operand, env);
    }
}

/* get and with: a member by a key that may be computed. */
static void read_member(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    const wf_expr *key = rule->count > 1 ? &rule->as.list[1] : NULL;
    bool known = key && key->node == WF_NODE_CONSTANT && key->as.constant.type == WF_STRING &&
                 strcmp(rule->op->name, "get") == 0;
    wf_cone *container = want(all, !known, false);
    if (!container)
        return;
    container->kind = wf_op_may_fail(rule);
    if (known) {
        wf_cone_add(
            all,
            wf_cone_part_of(all, container, key->as.constant.as.text, key->as.constant.length),
            wanted);
    } else if (rule->as.list[0].node == WF_NODE_CONSTANT &&
               rule->as.list[0].as.constant.type == WF_OBJECT && key) {
        wf_cone *of_key = want(all, true, false);
        const wf_value *table = &rule->as.list[0].as.constant;
        for (uint32_t i = 0; of_key && i < table->length; i++) {
            wf_value name = wf_string(table->as.members[i].key, table->as.members[i].length);
            wf_cone_constant(all, of_key, &name);
        }
        if (of_key)
            wf_cone_of_expr(all, key, of_key, env);
    }
    read_operands(all, rule, container, env);
    if (rule->count > 2)
        wf_cone_of_expr(all, &rule->as.list[2], wanted, env);
}

/* merge, slice: the elements are those of the operands. */
static void read_lists(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone *list = want(all, wanted->whole, wanted->truth);
    if (!list)
        return;
    list->order = true;
    list->length = true;
    wf_cone_add(all, list, wanted);
    read_operands(all, rule, list, env);
}

/* The constants that a sum is compared with, minus its other operands, are those of an operand. */
static void read_sum(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    wf_cone *shifted = want_operand(all, rule);
    bool minus = strcmp(rule->op->name, "-") == 0;
    double others = 0;
    if (!shifted)
        return;
    for (uint32_t i = 0; i < rule->count; i++)
        if (rule->as.list[i].node == WF_NODE_CONSTANT &&
            rule->as.list[i].as.constant.type == WF_NUMBER)
            others += rule->as.list[i].as.constant.as.number;
    for (uint32_t i = 0; i < wanted->constant_count; i++) {
        wf_value value = wanted->constants[i];
        if (value.type == WF_NUMBER)
            value = wf_number(value.as.number + (minus ? others : -others));
        wf_cone_constant(all, shifted, &value);
    }
    for (uint32_t i = 0; i < rule->count; i++) {
        const wf_expr *operand = &rule->as.list[i];
        bool event = operand->node == WF_NODE_VAR && operand->as.var->origin == WF_FROM_EVENT;
        wf_cone *plain = want_operand(all, rule);
        if (plain)
            wf_cone_of_expr(all, operand, event ? shifted : plain, env);
    }
}

/* Only the type of its value is asked for, and its operator tells, or an operand. */
static bool read_kind(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    static const char *const same[] = {"with", "slice", "log", NULL};
    wf_cone bare = *wanted;
    bare.fits = NULL; /* a computed value is assumed to fit */
    if (!wf_cone_is_of_kind(&bare))
        return false;
    if (wf_expr_is_op(rule, same))
        wf_cone_of_expr(all, &rule->as.list[0], &bare, env);
    return wf_expr_is_op(rule, same) || wf_expr_type(rule) != WF_ABSENT;
}

static void read_rule(wf_cones *all, const wf_expr *rule, const wf_cone *wanted, env_of env)
{
    static const char *const comparisons[] = {"==", "===", "!=", "!==", ">",
                                              ">=", "<",   "<=", NULL};
    static const char *const conditions[] = {"if", "?:", NULL};
    static const char *const logic[] = {"and", "or", NULL};
    static const char *const truths[] = {"!", "!!", NULL};
    static const char *const sums[] = {"+", "-", NULL};
    static const char *const lists[] = {"merge", "slice", NULL};
    static const char *const members[] = {"get", "with", NULL};
    static const char *const in[] = {"in", NULL}, *const length[] = {"length", NULL};
    static const char *const divisions[] = {"/", "%", NULL}, *const exists[] = {"exists", NULL};
    bool spreads = rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_SPREADS;

    if (wanted->fits && !wf_cone_is_relevant(wanted) && !wf_expr_is_op(rule, conditions))
        return; /* a computed value is assumed to fit */
    if (read_kind(all, rule, wanted, env))
        return;
    if (spreads) /* its operands are the elements of one */
        read_operands(all, rule, want_operand(all, rule), env);
    else if (wf_expr_is_op(rule, exists))
        read_exists(all, rule, env);
    else if (rule->op->shape == WF_SHAPE_VAR || rule->op->shape == WF_SHAPE_VAL ||
             rule->op->shape == WF_SHAPE_KEYS) /* by a computed path */
        read_paths(all, rule, env);
    else if (rule->op->shape == WF_SHAPE_TRY)
        read_try(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, divisions))
        read_division(all, rule, env);
    else if (rule->op->shape == WF_SHAPE_BODY || rule->op->shape == WF_SHAPE_REDUCE)
        read_body(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, comparisons))
        read_comparison(all, rule, env);
    else if (wf_expr_is_op(rule, conditions))
        read_if(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, logic))
        read_logic(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, truths))
        read_operands(all, rule, want(all, false, true), env);
    else if (wf_expr_is_op(rule, in))
        read_in(all, rule, env);
    else if (wf_expr_is_op(rule, length))
        read_length(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, members))
        read_member(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, lists))
        read_lists(all, rule, wanted, env);
    else if (wf_expr_is_op(rule, sums))
        read_sum(all, rule, wanted, env);
    else
        read_operands(all, rule, want_operand(all, rule), env);
}

/* ---- templates ---- */

static void read_object(wf_cones *all, const wf_expr *expr, const wf_cone *wanted, env_of env)
{
    wf_cone *whole = wanted->whole ? want(all, true, false) : NULL;
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
    wf_cone *whole = wanted->whole ? want(all, true, false) : NULL;
    for (uint32_t i = 0; i < expr->count; i++) {
        if (wanted->items)
            wf_cone_of_expr(all, &expr->as.list[i], wanted->items, env);
        if (whole)
            wf_cone_of_expr(all, &expr->as.list[i], whole, env);
    }
}

void wf_cone_of_expr(wf_cones *all, const wf_expr *expr, const wf_cone *wanted,
                     const wf_cone_env *env)
{
    if (!expr || !wanted || all->failed)
        return;
    switch (expr->node) {
    case WF_NODE_SLOT:
        read_slot(all, expr->count, NULL, 0, wanted);
        break;
    case WF_NODE_VAR:
        read_var(all, expr->as.var, wanted, env);
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
