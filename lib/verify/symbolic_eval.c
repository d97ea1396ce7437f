/* verify/symbolic_eval.c: evaluates an expression over values that may be terms. Operators that choose
 * evaluate what is chosen, after a decision. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "base/names.h"
#include "verify/explorer.h"
#include "verify/cone_find.h"

/* In the arena. */
static int32_t eval_all(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value **values)
{
    int32_t status = WFSM_OK;
    *values = wf_arena_take(run->scope->arena, (rule->count + 1u) * sizeof **values);
    if (!*values)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < rule->count && status == WFSM_OK; i++)
        status = wf_symbolic_eval(self, &rule->as.list[i], run, &(*values)[i]);
    return status;
}

/* `cat` of one operand: a text stays as it is, and null is empty. */
static int32_t as_text(wf_symbolic *self, const wf_expr *rule, const wf_value *value,
                       wf_run *run, wf_value *result)
{
    bool text = false, null = false;
    int32_t status = wf_decide_type(self, rule, 1, value, 1u << WF_STRING, &text);
    if (status == WFSM_OK && !text)
        status = wf_decide_type(self, rule, 2, value, 1u << WF_NULL, &null);
    *result = null ? wf_string_z("") : *value;
    return status == WFSM_OK && !text && !null
               ? wf_symbolic_apply(self, rule, value, 1, run, result)
               : status;
}

/* What can only be a list is seen, if it is short. A search that hides something would have a successor for
 * each length. */
static int32_t see(wf_symbolic *self, const wf_expr *rule, wf_value *value)
{
    wf_value list;
    wf_term term;
    bool is_list = false, seen = false;
    int32_t status = WFSM_OK;
    if (!self->hiding && wf_symbolic_term(value, &term) &&
        (wf_decide_types(self, term) & ~(1u << WF_ARRAY | 1u << WF_NULL)) == 0)
        status = wf_decide_type(self, rule, 1, value, 1u << WF_ARRAY, &is_list);
    if (is_list && status == WFSM_OK)
        status = wf_symbolic_elements(self, rule, value, &list, &seen);
    if (seen && status == WFSM_OK)
        *value = list;
    return status;
}

static int32_t apply_to(wf_symbolic *self, const wf_expr *rule, const wf_value *values,
                        uint32_t count, wf_run *run, wf_value *result)
{
    static const char *const with[] = {"with", NULL}, *const cat[] = {"cat", NULL};
    if (wf_expr_is_op(rule, with) && wf_symbolic_changes_part(values, count))
        return wf_symbolic_with(self, rule, values, run, result);
    if (count == 1 && wf_expr_is_op(rule, cat))
        return as_text(self, rule, values, run, result);
    return wf_symbolic_apply(self, rule, values, count, run, result);
}

/* The elements of the list that the only operand gives are the operands. */
static int32_t eval_spread(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                           wf_value *result)
{
    wf_value value, list;
    wf_term term;
    bool is_list = false, seen = true;
    int32_t status = wf_symbolic_eval(self, rule->as.list, run, &value);
    if (status == WFSM_OK)
        status = wf_decide_type(self, rule, 1, &value, 1u << WF_ARRAY, &is_list);
    if (status != WFSM_OK)
        return status;
    if (!is_list)
        return apply_to(self, rule, &value, 1, run, result);
    list = value;
    if (wf_symbolic_term(&value, &term))
        status = wf_symbolic_summands(self, rule, &value, &list, &seen);
    if (status != WFSM_OK)
        return status;
    return seen ? apply_to(self, rule, list.as.items, list.length, run, result)
                : wf_symbolic_join(self, rule, &value, run, result);
}

/* An element that is compared with each of a list. */
static int32_t find_in(wf_symbolic *self, const wf_expr *rule, const wf_value *needle,
                       const wf_value *list, wf_run *run, wf_value *result)
{
    bool found = false;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < list->length && !found && status == WFSM_OK; i++) {
        status = wf_symbolic_same(self, rule, needle, &list->as.items[i], run, result);
        if (status == WFSM_OK)
            status = wf_decide_truth(self, rule, 2, result, &found);
    }
    *result = wf_boolean(found);
    return status;
}

/* What takes lists apart, or puts them together. */
static int32_t see_lists(wf_symbolic *self, const wf_expr *rule, wf_value *values)
{
    static const char *const merge[] = {"merge", NULL}, *const slice[] = {"slice", NULL},
                             *const in[] = {"in", NULL};
    uint32_t first = 0, end = 0;
    int32_t status = WFSM_OK;
    if (wf_expr_is_op(rule, merge))
        end = rule->count;
    else if (wf_expr_is_op(rule, slice))
        end = 1;
    else if (wf_expr_is_op(rule, in))
        first = 1, end = 2;
    for (uint32_t i = first; i < end && i < rule->count && status == WFSM_OK; i++)
        status = see(self, &rule->as.list[i], &values[i]);
    return status;
}

static int32_t eval_strict(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                           wf_value *result)
{
    static const char *const in[] = {"in", NULL};
    wf_value *values;
    if (rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_SPREADS)
        return eval_spread(self, rule, run, result);
    int32_t status = eval_all(self, rule, run, &values);
    if (status != WFSM_OK || (rule->count == 2 && wf_expr_is_op(rule, in) &&
                              wf_symbolic_is_member(self, rule, values, run, result, &status)))
        return status;
    status = see_lists(self, rule, values);
    if (status != WFSM_OK)
        return status;
    if (rule->count == 2 && wf_expr_is_op(rule, in) && values[1].type == WF_ARRAY &&
        wf_symbolic_within(&values[1]))
        return find_in(self, rule, &values[0], &values[1], run, result);
    return apply_to(self, rule, values, rule->count, run, result);
}

/* Each operand with the next one; the first pair that does not fit ends it. */
static int32_t eval_comparison(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                               wf_value *result)
{
    wf_value pair[2];
    bool fits = true;
    int32_t status = wf_symbolic_eval(self, &rule->as.list[0], run, &pair[0]);
    for (uint32_t i = 1; i < rule->count && fits && status == WFSM_OK; i++) {
        status = wf_symbolic_eval(self, &rule->as.list[i], run, &pair[1]);
        if (status == WFSM_OK)
            status = wf_symbolic_apply(self, rule, pair, 2, run, result);
        if (rule->count == 2 || status != WFSM_OK)
            return status;
        status = wf_decide_truth(self, rule, i, result, &fits);
        pair[0] = pair[1];
    }
    *result = wf_boolean(fits);
    return status;
}

/* ---- operators that choose ---- */

static int32_t eval_truth(wf_symbolic *self, const wf_expr *expr, wf_run *run, bool *truth)
{
    wf_value value;
    int32_t status = wf_symbolic_eval(self, expr, run, &value);
    return status == WFSM_OK ? wf_decide_truth(self, expr, 3, &value, truth) : status;
}

static int32_t eval_if(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    uint32_t i = 0;
    *result = wf_null();
    for (; i + 1 < rule->count; i += 2) {
        bool truth = false;
        int32_t status = eval_truth(self, &rule->as.list[i], run, &truth);
        if (status != WFSM_OK)
            return status;
        if (truth)
            return wf_symbolic_eval(self, &rule->as.list[i + 1], run, result);
    }
    return i < rule->count ? wf_symbolic_eval(self, &rule->as.list[i], run, result) : WFSM_OK;
}

/* The first operand whose truth is `until`, or the last. */
static int32_t eval_first(wf_symbolic *self, const wf_expr *rule, wf_run *run, bool until,
                          wf_value *result)
{
    *result = wf_null();
    for (uint32_t i = 0; i < rule->count; i++) {
        bool truth = false;
        int32_t status = wf_symbolic_eval(self, &rule->as.list[i], run, result);
        if (status != WFSM_OK || i + 1 == rule->count)
            return status;
        status = wf_decide_truth(self, &rule->as.list[i], 3, result, &truth);
        if (status != WFSM_OK || truth == until)
            return status;
    }
    return WFSM_OK;
}

static int32_t eval_coalesce(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                             wf_value *result)
{
    *result = wf_null();
    for (uint32_t i = 0; i < rule->count; i++) {
        bool null = false;
        int32_t status = wf_symbolic_eval(self, &rule->as.list[i], run, result);
        if (status == WFSM_OK && i + 1 < rule->count)
            status = wf_decide_type(self, rule, i, result, 1u << WF_NULL, &null);
        if (status != WFSM_OK || !null)
            return status;
    }
    return WFSM_OK;
}

static int32_t eval_throw(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    *result = wf_absent();
    int32_t status =
        rule->count > 0 ? wf_symbolic_eval(self, &rule->as.list[0], run, result) : WFSM_OK;
    if (status != WFSM_OK)
        return status;
    wf_symbolic_fails(run);
    run->scope->failure = "throw";
    run->scope->thrown = result->type == WF_ABSENT ? wf_null() : *result;
    return WFSM_SEMANTIC;
}

/* What `try` tells of an error. */
static int32_t error_value(wf_symbolic *self, wf_run *run, wf_value *error)
{
    wf_value type = run->scope->thrown;
    wf_term term;
    wf_member *member = wf_arena_take(run->scope->arena, sizeof *member);
    *error = type;
    if (type.type == WF_OBJECT)
        return WFSM_OK;
    if (wf_symbolic_term(&type, &term)) /* it may be an object */
        *error = wf_symbolic_fresh(self, NULL);
    if (wf_symbolic_term(&type, &term) || !member)
        return member ? WFSM_OK : WFSM_NO_MEMORY;
    if (type.type == WF_ABSENT && run->scope->error_type)
        type = wf_string_z(run->scope->error_type);
    else if (type.type == WF_ABSENT)
        type = wf_symbolic_fresh(self, NULL);
    wf_member_set(member, "type", 4, type);
    *error = wf_object(member, 1);
    return WFSM_OK;
}

static int32_t eval_try(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value error = wf_null();
    wf_run inside = {.scope = run->scope, .data = &error, .outer = run};
    int32_t status = wf_symbolic_eval(self, &rule->as.list[0], run, result);
    for (uint32_t i = 1; i < rule->count && status == WFSM_SEMANTIC; i++) {
        status = error_value(self, run, &error);
        if (status == WFSM_OK)
            status = wf_symbolic_eval(self, &rule->as.list[i], &inside, result);
    }
    return status;
}

static int32_t eval_exists(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                           wf_value *result)
{
    if (rule->mode != WF_MODE_LISTED)
        return wf_symbolic_lookup(self, rule, run, result);
    int32_t status = wf_symbolic_read(self, rule, rule->as.list[0].as.var, run, true, result);
    *result = wf_boolean(result->type != WF_ABSENT);
    return status;
}

/* ---- any expression ---- */

typedef int32_t evaluation(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                           wf_value *result);

static int32_t eval_and(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    return eval_first(self, rule, run, false, result);
}

static int32_t eval_or(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    return eval_first(self, rule, run, true, result);
}

static int32_t eval_log(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    return wf_symbolic_eval(self, &rule->as.list[0], run, result);
}

typedef struct special {
    const char *name;
    evaluation *eval;
} special;

static int32_t eval_rule(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    static const special specials[] = {{"if", eval_if},
                                       {"?:", eval_if},
                                       {"and", eval_and},
                                       {"or", eval_or},
                                       {"??", eval_coalesce},
                                       {"try", eval_try},
                                       {"throw", eval_throw},
                                       {"log", eval_log},
                                       {"exists", eval_exists},
                                       {"var", wf_symbolic_lookup},
                                       {"val", wf_symbolic_lookup},
                                       {"get", wf_symbolic_get},
                                       {"missing", wf_symbolic_missing},
                                       {"missing_some", wf_symbolic_missing},
                                       {"map", wf_symbolic_list},
                                       {"filter", wf_symbolic_list},
                                       {"reduce", wf_symbolic_list},
                                       {"all", wf_symbolic_list},
                                       {"some", wf_symbolic_list},
                                       {"none", wf_symbolic_list},
                                       {"==", eval_comparison},
                                       {"===", eval_comparison},
                                       {"!=", eval_comparison},
                                       {"!==", eval_comparison},
                                       {"<", eval_comparison},
                                       {"<=", eval_comparison},
                                       {">", eval_comparison},
                                       {">=", eval_comparison}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (wf_operator_is(rule->op, specials[i].name))
            return specials[i].eval(self, rule, run, result);
    return eval_strict(self, rule, run, result);
}

static int32_t eval_var(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *result)
{
    const wf_var *var = expr->as.var;
    int32_t status = wf_symbolic_read(self, expr, var, run, var->fallback != NULL, result);
    if (status != WFSM_OK || result->type != WF_ABSENT)
        return status;
    if (var->fallback)
        return wf_symbolic_eval(self, var->fallback, run, result);
    *result = wf_null();
    return WFSM_OK;
}

static int32_t eval_array(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *result)
{
    wf_value *items;
    int32_t status = eval_all(self, expr, run, &items);
    if (status != WFSM_OK)
        return status;
    *result = wf_array(items, expr->count);
    return result->type == WF_ABSENT ? WFSM_LIMIT : WFSM_OK;
}

static int32_t eval_object(wf_symbolic *self, const wf_expr *expr, wf_run *run,
                           wf_value *result)
{
    wf_member *members = wf_arena_take(run->scope->arena, (expr->count + 1u) * sizeof *members);
    int32_t status = members ? WFSM_OK : WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < expr->count && status == WFSM_OK; i++) {
        members[i] = expr->as.object.keys[i];
        status = wf_symbolic_eval(self, &expr->as.object.list[i], run, &members[i].value);
    }
    if (status != WFSM_OK)
        return status;
    *result = wf_object(members, expr->count);
    return result->type == WF_ABSENT ? WFSM_LIMIT : WFSM_OK;
}

static wf_value slot_value(const wf_scope *scope, uint32_t slot)
{
    bool there = slot < scope->slot_count && scope->slots[slot].type != WF_ABSENT;
    return there ? scope->slots[slot] : wf_null();
}

int32_t wf_symbolic_eval(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *result)
{
    const wf_scope *scope = run->scope;
    if (scope->steps <= 1)
        return WFSM_LIMIT;
    run->scope->steps--;
    switch (expr->node) {
    case WF_NODE_CONSTANT:
        *result = expr->as.constant;
        return WFSM_OK;
    case WF_NODE_SLOT:
        *result = slot_value(scope, expr->count);
        return WFSM_OK;
    case WF_NODE_VAR:
        return eval_var(self, expr, run, result);
    case WF_NODE_STATE:
        *result = wf_boolean(scope->active && wf_set_has(scope->active, expr->count));
        return WFSM_OK;
    case WF_NODE_RULE:
        return eval_rule(self, expr, run, result);
    case WF_NODE_ARRAY:
        return eval_array(self, expr, run, result);
    default:
        return eval_object(self, expr, run, result);
    }
}
