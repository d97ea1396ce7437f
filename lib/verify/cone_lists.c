/* verify/cone_lists.c: what is wanted of lists, and of bodies that are evaluated for each element. */
#include "verify/cone_expr.h"

#include "logic/schema_tree.h"

/* ---- the length ---- */

/* Its length is compared with the same constants. */
static void want_same_number(wf_cones *all, wf_cone *list, const wf_cone *wanted)
{
    list->vague = wanted->vague;
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        wf_cone_constant(all, list, &wanted->constants[i]);
}

wf_cone *wf_want_length(wf_cones *all, const wf_expr *rule, uint32_t place,
                        const wf_cone *wanted)
{
    wf_cone *list = place == 0 && rule->count > 0 ? wf_want(all, false, false) : NULL;
    if (!list)
        return NULL;
    list->length = list->kind = true;
    want_same_number(all, list, wanted);
    return list;
}

/* ---- bodies ---- */

wf_cone *wf_want_body(wf_cones *all, const wf_expr *rule, const wf_cone *wanted)
{
    static const char *const maps[] = {"map", NULL}, *const reduces[] = {"reduce", NULL};
    bool map = wf_expr_is_op(rule, maps), reduce = wf_expr_is_op(rule, reduces);
    wf_cone *body = wf_want(all, false, false);
    if (!body)
        return NULL;
    if (map && wanted->items)
        wf_cone_add(all, body, wanted->items);
    body->whole |= map ? wanted->whole : reduce;
    if (map && wanted->whole && wanted->vague.rule)
        body->vague = wanted->vague;
    if (reduce)
        wf_cone_vague(all, body);
    body->truth |= !map || wf_expr_may_fail(&rule->as.list[1]);
    return body;
}

/* How a list is looked at: map keeps its length, filter counts. */
wf_cone *wf_want_list(wf_cones *all, const wf_expr *rule, const wf_cone *wanted,
                      const wf_cone *body, wf_cone *element)
{
    static const char *const maps[] = {"map", NULL}, *const filters[] = {"filter", NULL},
                             *const reduces[] = {"reduce", NULL};
    bool map = wf_expr_is_op(rule, maps), reduce = wf_expr_is_op(rule, reduces);
    wf_cone *list = wf_want(all, false, false);
    if (!list || !body)
        return NULL;
    list->items = element;
    list->length = list->kind = true;
    list->order = reduce || (map && wanted->order);
    if (reduce)
        wf_cone_vague(all, list);
    else if (!map || wf_cone_is_relevant(body))
        wf_cone_over(all, list);
    if (wf_expr_is_op(rule, filters)) {
        wf_cone_add(all, list, wanted);
        wf_cone_counted(all, list);
    }
    if (map)
        want_same_number(all, list, wanted);
    return list;
}

/* ---- merge and slice ---- */

static bool is_list(const wf_cones *all, const wf_expr *expr)
{
    const wf_schema *own =
        expr->node == WF_NODE_SLOT ? wf_schema_of_slot(all, expr->count) : NULL;
    return wf_expr_type(expr) == WF_ARRAY || (own && own->types == 1u << WF_ARRAY);
}

/* The elements are among those that are wanted, at other places. */
static wf_cone *want_elements(wf_cones *all, const wf_cone *wanted)
{
    wf_cone *list = wf_want(all, wanted->whole, wanted->truth);
    if (!list)
        return NULL;
    wf_cone_add(all, list, wanted);
    list->order = list->length = true;
    return list;
}

/* merge: the elements are those of the operands, and the operands that are no lists. */
wf_cone *wf_want_merged(wf_cones *all, const wf_expr *rule, uint32_t place,
                        const wf_cone *wanted)
{
    const wf_expr *operand = &rule->as.list[place];
    wf_cone *list = want_elements(all, wanted);
    if (!is_list(all, operand))
        wf_cone_vague(all, list);
    if (operand->node == WF_NODE_VAR && wanted->items) /* it may be an element */
        wf_cone_add(all, list, wanted->items);
    return list;
}

static bool is_zero(const wf_expr *expr)
{
    return wf_expr_is_number(expr) && expr->as.constant.as.number == 0;
}

/* slice: the elements are those of the first operand. */
wf_cone *wf_want_sliced(wf_cones *all, const wf_expr *rule, uint32_t place,
                        const wf_cone *wanted)
{
    if (place > 0)
        return wf_want_vague(all);
    bool begins = rule->count > 1 && is_zero(&rule->as.list[1]) &&
                  (rule->count < 3 || rule->as.list[2].node == WF_NODE_CONSTANT);
    wf_cone *list = want_elements(all, wanted);
    if (!begins)
        wf_cone_vague(all, list);
    return list;
}
