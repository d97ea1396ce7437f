/* verify/sum_domain.c: how large a sum over a list can be, or its greatest or least element, from how long the
 * list is and what its schema says of the elements. Rounding keeps the order, so that the largest sum is that of the largest summands, added
 * one after the other as the engine does. */
#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"
#include "verify/constraints.h"
#include "verify/schema_group.h"

enum { LONGEST = 10000 };

static const wf_interval anything = {-INFINITY, INFINITY, false, true};

/* ---- one summand ---- */

/* *always is set if the part is there in each element. */
static wf_value_domain domain_of(const wf_schema_group *elements, const wf_var *var,
                                 bool *always)
{
    wf_schema_group at = *elements;
    wf_value_domain domain = wf_domain_of_types(WF_TYPES);
    *always = true;
    for (uint32_t i = 0; i < var->count; i++) {
        *always &= (wf_schema_group_types(&at) & WF_TYPES) == WF_TYPE_OBJECT &&
                   wf_schema_group_requires(&at, var->parts[i].key, var->parts[i].length);
        at = wf_schema_group_member(&at, var->parts[i].key, var->parts[i].length);
    }
    for (uint32_t i = 0; i < at.count; i++) {
        const wf_value_domain one = wf_domain_of_schema(at.list[i]);
        wf_domain_meet(&domain, &one);
    }
    return domain;
}

static wf_interval of_element(const wf_schema_group *elements, const wf_var *var)
{
    bool always;
    const wf_value_domain domain = domain_of(elements, var, &always);
    return always ? wf_interval_of(&domain) : anything;
}

static bool is_named(const wf_expr *rule, const char *name)
{
    return rule->node == WF_NODE_RULE && rule->mode == WF_MODE_LISTED && rule->count == 2 &&
           strcmp(rule->op->name, name) == 0;
}

static bool reads(const wf_expr *expr, enum wf_origin origin)
{
    return expr->node == WF_NODE_VAR && expr->as.var->origin == origin &&
           expr->as.var->climb == 0 && !expr->as.var->fallback;
}

static wf_interval of_summand(const wf_schema_group *elements, const wf_expr *expr)
{
    if (reads(expr, WF_FROM_CURRENT))
        return of_element(elements, expr->as.var);
    if (expr->node == WF_NODE_CONSTANT && expr->as.constant.type == WF_NUMBER) {
        const wf_value_domain known = wf_domain_of_value(&expr->as.constant);
        return wf_interval_of(&known);
    }
    if (!is_named(expr, "*") && !is_named(expr, "+") && !is_named(expr, "-"))
        return anything;
    wf_interval one = of_summand(elements, &expr->as.list[0]),
                other = of_summand(elements, &expr->as.list[1]);
    if (one.nan || other.nan || one.least > one.most || other.least > other.most)
        return anything;
    return wf_interval_join(expr->op->name, one, other);
}

/* ---- the sum ---- */

/* The operand that is not the accumulator; NULL: it is no sum. */
static const wf_expr *summand_of(const wf_expr *body)
{
    if (!is_named(body, "+"))
        return NULL;
    for (uint32_t i = 0; i < 2; i++)
        if (reads(&body->as.list[i], WF_FROM_ACCUMULATOR) &&
            body->as.list[i].as.var->count == 0)
            return &body->as.list[1 - i];
    return NULL;
}

/* A list that was selected from another one has elements of that one. */
static bool elements_of(const wf_constraints *self, wf_term list, wf_schema_group *elements)
{
    wf_schema_group all = {.count = 0};
    const wf_term_node *node = wf_term_at(self->terms, list);
    while (node->kind == WF_TERM_OVER && strcmp(node->op->name, "filter") == 0) {
        list = node->operands[0];
        node = wf_term_at(self->terms, list);
    }
    if (!wf_chain_schemas(self->terms, list, &all))
        return false;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.list[i]->prefix.set)
            return false;
    *elements = wf_schema_group_every_item(&all);
    return elements->count > 0;
}

/* After up to so many summands, none of which is greater. The least sum is that of the negatives. */
static double greatest(double start, double summand, double count)
{
    if (summand <= 0)
        return start;
    if (!(count <= LONGEST))
        return INFINITY;
    for (double i = 0; i < count; i++)
        start += summand;
    return start;
}

/* What the accumulator is at first. Without a start it is the first element, and fewer are left. False: it may
 * be no number. */
static bool find_start(const wf_constraints *self, const wf_term_node *node,
                       const wf_schema_group *elements, wf_value_domain *start)
{
    const wf_value_domain *list = wf_constraints_domain(self, node->operands[0]);
    const wf_var whole = {.count = 0};
    bool always;
    if (node->count > 1)
        *start = *wf_constraints_domain(self, node->operands[1]);
    else
        *start = domain_of(elements, &whole, &always);
    if (node->count == 1)
        start->fails = list->types != WF_TYPE_ARRAY || list->length_least < 1;
    return start->types == WF_TYPE_NUMBER;
}

bool wf_sum_domain(const wf_constraints *self, const wf_term_node *node, wf_value_domain *sum)
{
    const wf_value_domain *list = wf_constraints_domain(self, node->operands[0]);
    const wf_expr *summand = summand_of(node->body);
    wf_value_domain start;
    wf_schema_group elements = {.count = 0};
    if (!summand || !elements_of(self, node->operands[0], &elements) ||
        !find_start(self, node, &elements, &start))
        return false;
    wf_interval one = of_summand(&elements, summand);
    if (one.nan || isnan(one.least) || isnan(one.most) || one.least > one.most)
        return false;
    double count = list->types & WF_TYPE_ARRAY ? list->length_most - (node->count == 1) : 0;
    *sum = wf_domain_of_types(WF_TYPE_NUMBER);
    sum->most = greatest(start.most, one.most, count);
    sum->least = -greatest(-start.least, -one.least, count);
    sum->whole = start.whole && one.whole;
    sum->fails = list->fails || start.fails || isinf(sum->most) || isinf(sum->least) ||
                 !wf_domain_only(list, WF_TYPE_ARRAY | WF_TYPE_NULL);
    wf_domain_tidy(sum);
    return true;
}

/* ---- the greatest and the least ---- */

/* The element, or its part, that is compared with the accumulator; NULL: it is no such rule. */
static const wf_var *compared_by(const wf_expr *body)
{
    if (!is_named(body, "max") && !is_named(body, "min"))
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const wf_expr *one = &body->as.list[i], *other = &body->as.list[1 - i];
        if (reads(one, WF_FROM_ACCUMULATOR) && one->as.var->count == 0 &&
            reads(other, WF_FROM_CURRENT))
            return other->as.var;
    }
    return NULL;
}

/* It is the start or an element, and no element is greater. */
bool wf_extreme_domain(const wf_constraints *self, const wf_term_node *node,
                       wf_value_domain *extreme)
{
    const wf_value_domain *list = wf_constraints_domain(self, node->operands[0]);
    const wf_var *compared = compared_by(node->body);
    wf_value_domain start;
    wf_schema_group elements = {.count = 0};
    bool always;
    if (!compared || !elements_of(self, node->operands[0], &elements) ||
        !find_start(self, node, &elements, &start))
        return false;
    const wf_value_domain one = domain_of(&elements, compared, &always);
    if (!always || one.types != WF_TYPE_NUMBER)
        return false;
    bool greatest_one = is_named(node->body, "max"),
         some = list->types == WF_TYPE_ARRAY && list->length_least > 0;
    *extreme = wf_domain_of_types(WF_TYPE_NUMBER);
    extreme->least = greatest_one ? start.least : fmin(start.least, one.least);
    extreme->most = greatest_one ? fmax(start.most, one.most) : start.most;
    if (some && greatest_one)
        extreme->least = fmax(start.least, one.least);
    else if (some)
        extreme->most = fmin(start.most, one.most);
    extreme->whole = start.whole && one.whole;
    extreme->fails =
        list->fails || start.fails || !wf_domain_only(list, WF_TYPE_ARRAY | WF_TYPE_NULL);
    wf_domain_tidy(extreme);
    return true;
}
