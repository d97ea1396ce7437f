/* verify/cone_fits.c: what decides whether a value that is put together fits the schema of the key that
 * it is assigned to: the parts that it is made of. Where more decides, the whole expression is read. */
#include "verify/cone_expr.h"

#include <math.h>
#include <string.h>
#include "logic/schema_tree.h"
#include "verify/exactness.h"

/* The parts that are to be read. Nothing is read here: cone_expr.c visits them. */
typedef wf_fit_part **parts_of;

static bool of_schema(wf_cones *all, const wf_expr *expr, const wf_schema *schema,
                      parts_of out);

static void add(wf_cones *all, parts_of out, const wf_expr *expr, const wf_cone *wanted)
{
    wf_fit_part *made = wf_arena_take(all->arena, sizeof *made);
    all->failed |= !made;
    if (!made)
        return;
    *made = (wf_fit_part){expr, wanted, *out};
    *out = made;
}

/* ---- templates ---- */

static bool of_members(wf_cones *all, const wf_expr *expr, const wf_schema *schema,
                       parts_of out)
{
    bool known = true;
    for (uint32_t i = 0; i < expr->count; i++) {
        const wf_member *key = &expr->as.object.keys[i];
        known &= of_schema(all, &expr->as.object.list[i],
                           wf_schema_of_member(schema, key->key, key->length), out);
    }
    return known;
}

static bool of_elements(wf_cones *all, const wf_expr *expr, const wf_schema *schema,
                        parts_of out)
{
    bool known = !schema->unique || expr->count < 2;
    for (uint32_t i = 0; i < expr->count; i++)
        known &= of_schema(all, &expr->as.list[i], wf_schema_of_element(schema, i), out);
    return known;
}

/* ---- lists ---- */

/* What the schema of a key of the context says; of anything else, nothing. */
static wf_schema_group said_of(const wf_cones *all, const wf_expr *expr)
{
    wf_schema_group group = {.count = 0};
    if (expr->node == WF_NODE_SLOT)
        wf_schema_group_add(&group, wf_schema_of_slot(all, expr->count));
    return group;
}

static bool is_length_of(const wf_expr *expr, const wf_expr *list)
{
    static const char *const length[] = {"length", NULL};
    return wf_expr_is_op(expr, length) && expr->count == 1 &&
           expr->as.list[0].node == WF_NODE_SLOT && list->node == WF_NODE_SLOT &&
           expr->as.list[0].count == list->count;
}

/* max(0, length(list) - N), or -N: the beginning of the last N elements. 0: something else. The beginning is rounded
 * towards 0. */
static double last_of(const wf_expr *rule)
{
    static const char *const max[] = {"max", NULL}, *const minus[] = {"-", NULL};
    const wf_expr *from = &rule->as.list[1];
    if (rule->count == 2 && from->node == WF_NODE_CONSTANT &&
        from->as.constant.type == WF_NUMBER && from->as.constant.as.number < 0)
        return floor(-from->as.constant.as.number);
    const wf_expr *less =
        wf_expr_is_op(from, max) && from->count == 2 ? &from->as.list[1] : NULL;
    if (rule->count != 2 || !less || !wf_expr_is_op(less, minus) || less->count != 2 ||
        !is_length_of(&less->as.list[0], &rule->as.list[0]) ||
        less->as.list[1].node != WF_NODE_CONSTANT)
        return 0;
    return less->as.list[1].as.constant.type == WF_NUMBER
               ? ceil(less->as.list[1].as.constant.as.number)
               : 0;
}

/* No list that it gives has more elements. */
static double most_of(const wf_cones *all, const wf_expr *expr)
{
    static const char *const merge[] = {"merge", NULL}, *const slice[] = {"slice", NULL},
                             *const same[] = {"slice", "filter", "map", NULL};
    const wf_schema_group group = said_of(all, expr);
    double most = 0;
    if (expr->node == WF_NODE_CONSTANT)
        return expr->as.constant.type == WF_ARRAY ? expr->as.constant.length : 1;
    if (expr->node == WF_NODE_ARRAY)
        return expr->count;
    if (expr->node == WF_NODE_SLOT && wf_schema_group_types(&group) == 1u << WF_ARRAY)
        return wf_schema_group_bound(&group, offsetof(wf_schema, max_items), INFINITY, false);
    if (wf_expr_is_op(expr, slice) && expr->count > 1 && last_of(expr) > 0)
        return last_of(expr);
    if (wf_expr_is_op(expr, same) && expr->count > 0)
        return most_of(all, &expr->as.list[0]);
    if (!wf_expr_is_op(expr, merge) || expr->mode == WF_MODE_SPREAD)
        return INFINITY;
    for (uint32_t i = 0; i < expr->count; i++)
        most += most_of(all, &expr->as.list[i]);
    return most;
}

/* Where the schema limits the number of elements, the numbers of those it is made of decide. */
static void of_length(wf_cones *all, const wf_expr *rule, const wf_schema *schema, parts_of out)
{
    wf_cone *wanted = wf_want(all, false, false);
    bool few = !schema->max_items.set || most_of(all, rule) <= schema->max_items.value;
    if (!wanted || (few && !schema->min_items.set))
        return;
    wf_cone_length(all, wanted);
    add(all, out, rule, wanted);
}

/* With the schemas that are meant, too. False: there are more than are kept. */
static bool resolve(wf_schema_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const wf_schema *self = group->list[i];
        wf_schema_group_add(group, self->reference);
        for (uint32_t k = 0; k < self->all.count; k++)
            wf_schema_group_add(group, self->all.list[k]);
    }
    return group->count < WF_SCHEMA_GROUP_MOST;
}

/* A part of a list, or of a text, that fits does so, too. */
static bool takes_parts(const wf_schema *schema)
{
    wf_schema_group group = {.count = 0};
    wf_schema_group_add(&group, schema);
    bool takes = resolve(&group);
    for (uint32_t i = 0; i < group.count && takes; i++)
        takes = !wf_schema_has_alternatives(group.list[i]) && !group.list[i]->min_items.set &&
                !group.list[i]->min_length.set && !group.list[i]->prefix.set;
    return takes;
}

/* `filter` keeps a part of a list, `slice` a part of a list or a text. `slice` of anything else is null. */
static bool of_part(const wf_cones *all, const wf_expr *rule, const wf_schema *schema)
{
    static const char *const slice[] = {"slice", NULL};
    const wf_value nothing = wf_null();
    wf_schema_group list = said_of(all, &rule->as.list[0]);
    if (!wf_schema_group_implies(&list, schema) || !takes_parts(schema) || !resolve(&list))
        return false;
    if (wf_expr_is_op(rule, slice) && wf_schema_check(schema, &nothing, NULL) == WFSM_OK)
        return true;
    const uint32_t texts = wf_expr_is_op(rule, slice) ? 1u << WF_STRING : 0;
    return !(wf_schema_group_types(&list) & ~(1u << WF_ARRAY | texts));
}

/* Whether the elements of an operand fit; of one that is no list, it itself. */
static bool of_one_merged(wf_cones *all, const wf_expr *operand, const wf_schema *schema,
                          parts_of out)
{
    static const char *const parts[] = {"slice", "filter", NULL};
    bool part = wf_expr_is_op(operand, parts) && operand->count > 0;
    const wf_schema_group list = said_of(all, part ? &operand->as.list[0] : operand),
                          items = wf_schema_group_every_item(&list);
    if (operand->node != WF_NODE_ARRAY)
        return wf_schema_group_types(&list) == 1u << WF_ARRAY &&
               (!schema->items || wf_schema_group_implies(&items, schema->items));
    return of_elements(all, operand, schema, out);
}

static bool of_merged(wf_cones *all, const wf_expr *rule, const wf_schema *schema, parts_of out)
{
    bool known = !schema->unique && !schema->prefix.set && rule->mode != WF_MODE_SPREAD;
    for (uint32_t i = 0; i < rule->count && known; i++)
        known = of_one_merged(all, &rule->as.list[i], schema, out);
    if (known)
        of_length(all, rule, schema, out);
    return known;
}

/* Of elements that may be anything. */
static bool of_mapped(wf_cones *all, const wf_expr *rule, const wf_schema *schema, parts_of out)
{
    bool known = !schema->unique && !schema->prefix.set && !schema->items;
    if (known)
        of_length(all, rule, schema, out);
    return known;
}

/* ---- objects ---- */

static bool of_changed(wf_cones *all, const wf_expr *rule, const wf_schema *schema,
                       parts_of out)
{
    wf_value key = wf_absent();
    const wf_schema_group own = said_of(all, &rule->as.list[0]);
    if (rule->count != 3 || wf_schema_group_types(&own) != 1u << WF_OBJECT ||
        !wf_schema_group_implies(&own, schema))
        return false;
    bool known = wf_expr_constant(&rule->as.list[1], &key) && key.type == WF_STRING;
    const wf_schema *member =
        known ? wf_schema_of_member(schema, key.as.text, key.length) : schema->additional;
    if (schema->max_members.set &&
        wf_members_most(all, rule->as.list[0].count, &rule->as.list[1]) >
            schema->max_members.value)
        return false;
    return (known || schema->property_count == 0) &&
           of_schema(all, &rule->as.list[2], member, out);
}

/* ---- other rules ---- */

/* It is read where it comes from. */
static bool of_source(wf_cones *all, const wf_expr *expr, const wf_schema *schema, parts_of out)
{
    wf_cone *wanted = wf_want(all, false, false);
    wf_cone_fitting(all, wanted, schema);
    add(all, out, expr, wanted);
    return true;
}

/* True if no value of the expression can be one that does not fit. */
static bool always_fits(const wf_cones *all, const wf_expr *expr, const wf_schema *schema)
{
    const wf_schema_group own = said_of(all, expr);
    if (expr->node == WF_NODE_CONSTANT)
        return wf_schema_check(schema, &expr->as.constant, NULL) == WFSM_OK;
    return expr->node == WF_NODE_SLOT && wf_schema_group_implies(&own, schema);
}

/* Whether it is null, or true, decides which operand is the value. */
static bool of_deciding(wf_cones *all, const wf_expr *rule, uint32_t place, parts_of out)
{
    static const char *const first[] = {"??", NULL};
    const wf_value nothing = wf_null();
    wf_cone *wanted = wf_want(all, false, !wf_expr_is_op(rule, first));
    if (wf_expr_is_op(rule, first))
        wf_cone_constant(all, wanted, &nothing);
    add(all, out, &rule->as.list[place], wanted);
    return true;
}

/* The value is that of an operand. Which one it is, is known only if a constant makes no difference. */
static bool of_operands(wf_cones *all, const wf_expr *rule, const wf_schema *schema,
                        parts_of out)
{
    bool known = rule->count > 0 && rule->mode != WF_MODE_SPREAD;
    for (uint32_t i = 0; i < rule->count && known; i++)
        known = rule->as.list[i].node == WF_NODE_CONSTANT
                    ? always_fits(all, &rule->as.list[i], schema)
                    : of_schema(all, &rule->as.list[i], schema, out);
    for (uint32_t i = 0; i + 1 < rule->count && known; i++)
        known = of_deciding(all, rule, i, out);
    return known;
}

/* The last operand of an `if`, and every second one before it, is a value. */
static bool of_choice(wf_cones *all, const wf_expr *rule, const wf_schema *schema, parts_of out)
{
    bool known = true, all_fit = rule->count % 2 == 1;
    for (uint32_t i = 0; i < rule->count; i++) {
        bool condition = i % 2 == 0 && i + 1 < rule->count;
        if (condition)
            continue;
        all_fit &= always_fits(all, &rule->as.list[i], schema);
        known = known && of_schema(all, &rule->as.list[i], schema, out);
    }
    for (uint32_t i = 0; i + 1 < rule->count && !all_fit; i += 2)
        add(all, out, &rule->as.list[i], wf_want(all, false, true));
    return known;
}

/* A key of a constant table. Which one it is makes no difference. */
static bool of_table(const wf_cones *all, const wf_expr *rule, const wf_schema *schema)
{
    const wf_value nothing = wf_null(), *table = &rule->as.list[0].as.constant;
    bool known = rule->as.list[0].node == WF_NODE_CONSTANT && table->type == WF_OBJECT &&
                 rule->count > 1;
    for (uint32_t i = 0; known && i < table->length; i++)
        known = wf_schema_check(schema, &table->as.members[i].value, NULL) == WFSM_OK;
    if (!known)
        return false;
    return rule->count > 2 ? always_fits(all, &rule->as.list[2], schema)
                           : wf_schema_check(schema, &nothing, NULL) == WFSM_OK;
}

static bool of_rule(wf_cones *all, const wf_expr *rule, const wf_schema *schema, parts_of out)
{
    static const char
        *const parts[] = {"filter", "slice", NULL},
               *const merge[] = {"merge", NULL}, *const chosen[] = {"??", "and", "or", NULL},
               *const get[] = {"get", NULL}, *const choices[] = {"if", "?:", NULL},
               *const map[] = {"map", NULL}, *const with[] = {"with", NULL};
    enum wf_type type = wf_expr_type(rule);
    bool reference = schema->reference || schema->all.set || wf_schema_has_alternatives(schema);
    if (wf_expr_is_op(rule, parts))
        return of_part(all, rule, schema);
    if (!reference && wf_expr_is_op(rule, map))
        return of_mapped(all, rule, schema, out);
    if (!reference && wf_expr_is_op(rule, with))
        return of_changed(all, rule, schema, out);
    if (!reference && wf_expr_is_op(rule, merge))
        return of_merged(all, rule, schema, out);
    if (wf_expr_is_op(rule, chosen))
        return of_operands(all, rule, schema, out);
    if (wf_expr_is_op(rule, choices))
        return of_choice(all, rule, schema, out);
    if (wf_expr_is_op(rule, get))
        return of_table(all, rule, schema);
    return type != WF_ABSENT && type < WF_ARRAY && of_source(all, rule, schema, out);
}

/* ---- any expression ---- */

static bool of_schema(wf_cones *all, const wf_expr *expr, const wf_schema *schema, parts_of out)
{
    bool known = true;
    if (!schema || expr->node == WF_NODE_CONSTANT)
        return true;
    if (expr->node == WF_NODE_SLOT || expr->node == WF_NODE_VAR)
        return of_source(all, expr, schema, out);
    if (expr->node == WF_NODE_RULE)
        return of_rule(all, expr, schema, out);
    if (wf_schema_has_alternatives(schema))
        return false;
    for (uint32_t i = 0; i < schema->all.count && known; i++)
        known = of_schema(all, expr, schema->all.list[i], out);
    if (schema->reference)
        known = known && of_schema(all, expr, schema->reference, out);
    return known && (expr->node == WF_NODE_OBJECT ? of_members(all, expr, schema, out)
                                                  : of_elements(all, expr, schema, out));
}

bool wf_find_fit_parts(wf_cones *all, const wf_expr *expr, const wf_schema *schema,
                       wf_fit_part **parts)
{
    *parts = NULL;
    return of_schema(all, expr, schema, parts);
}
