/* verify/symbolic_lists.c: map, filter, reduce, all, some, none over lists whose elements may be terms. Of
 * a list that is a term the length is decided. If it has few elements, they are seen one by one.
 * The value of the whole rule over a longer list is one term, if its body reads nothing else. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "verify/cone_find.h"
#include "verify/constraints.h"
#include "verify/explorer.h"

enum { ELEMENTS_MOST = 3, SUMMANDS_MOST = 8 };

static int32_t has_length(wf_symbolic *self, const void *origin, const wf_value *list,
                          uint32_t length, bool *yes)
{
    const struct wf_operator *same = wf_operator_find("===", 3),
                             *of = wf_operator_find("length", 6);
    const wf_value number = wf_number(length);
    wf_term term = wf_symbolic_of(self, list);
    const wf_term both[] = {wf_term_apply(&self->terms, of, &term, 1),
                            wf_term_known(&self->terms, &number)};
    return wf_decide(
        self, origin, 10 + length,
        &(wf_literal){.kind = WF_IS_TRUE, .term = wf_term_apply(&self->terms, same, both, 2)},
        yes);
}

static int32_t see(wf_symbolic *self, const void *origin, const wf_value *list,
                   wf_value *elements, uint32_t most, bool *seen)
{
    wf_term term;
    *seen = true;
    *elements = *list;
    if (!wf_symbolic_term(list, &term))
        return WFSM_OK;
    for (uint32_t length = 0; length <= most; length++) {
        bool yes = false;
        int32_t status = has_length(self, origin, list, length, &yes);
        if (status != WFSM_OK)
            return status;
        if (!yes)
            continue;
        wf_value *items = wf_arena_take(&self->scratch, (length + 1u) * sizeof *items);
        for (uint32_t i = 0; items && i < length; i++)
            items[i] = wf_symbolic_value(self, wf_term_element(&self->terms, term, i));
        *elements = items ? wf_array(items, length) : wf_absent();
        return items ? WFSM_OK : WFSM_NO_MEMORY;
    }
    *seen = false;
    return WFSM_OK;
}

int32_t wf_symbolic_elements(wf_symbolic *self, const void *origin, const wf_value *list,
                             wf_value *elements, bool *seen)
{
    return see(self, origin, list, elements, ELEMENTS_MOST, seen);
}

int32_t wf_symbolic_summands(wf_symbolic *self, const void *origin, const wf_value *list,
                             wf_value *elements, bool *seen)
{
    wf_term term;
    bool few = wf_symbolic_term(list, &term) &&
               wf_chain_domain(&self->terms, term).length_most <= SUMMANDS_MOST;
    return see(self, origin, list, elements, few ? SUMMANDS_MOST : ELEMENTS_MOST, seen);
}

/* ---- lists whose elements are seen ---- */

static int32_t eval_body(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                         const wf_value *list, uint32_t index, wf_value *result)
{
    wf_run inside = {.scope = run->scope,
                     .data = &list->as.items[index],
                     .outer = run,
                     .list = list,
                     .index = index};
    return self->recurse(self, &rule->as.list[1], &inside, result);
}

static int32_t test_body(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                         const wf_value *list, uint32_t index, bool *yes)
{
    wf_value value;
    int32_t status = eval_body(self, rule, run, list, index, &value);
    return status == WFSM_OK ? wf_decide_truth(self, rule, 3, &value, yes) : status;
}

static int32_t map_or_filter(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                             const wf_value *list, wf_value *result)
{
    bool map = rule->op->name[0] == 'm';
    wf_value *items = wf_arena_take(run->scope->arena, (list->length + 1u) * sizeof *items);
    uint32_t count = 0;
    int32_t status = items ? WFSM_OK : WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < list->length && status == WFSM_OK; i++) {
        bool keep = true;
        status = map ? eval_body(self, rule, run, list, i, &items[count])
                     : test_body(self, rule, run, list, i, &keep);
        if (!map)
            items[count] = list->as.items[i];
        count += keep;
    }
    if (status != WFSM_OK)
        return status;
    *result = wf_array(items, count);
    return result->type == WF_ABSENT ? WFSM_LIMIT : WFSM_OK;
}

/* True if the body is true (`wanted`), or false, for some element. */
static int32_t find(wf_symbolic *self, const wf_expr *rule, wf_run *run, const wf_value *list,
                    wf_value *result)
{
    bool all = rule->op->name[0] == 'a', none = rule->op->name[0] == 'n', found = false;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < list->length && !found && status == WFSM_OK; i++) {
        bool truth = false;
        status = test_body(self, rule, run, list, i, &truth);
        found = truth != all;
    }
    *result = wf_boolean(all ? list->length > 0 && !found : found != none);
    return status;
}

static int32_t reduce(wf_symbolic *self, const wf_expr *rule, wf_run *run, const wf_value *list,
                      wf_value *result)
{
    wf_member pair[2];
    wf_run inside = {.scope = run->scope, .pair = pair, .outer = run, .list = list};
    int32_t status = WFSM_OK;
    inside.index = rule->count > 2 ? 0 : 1;
    if (rule->count > 2)
        status = self->recurse(self, &rule->as.list[2], run, result);
    else if (list->length == 0)
        return wf_symbolic_fails(run);
    else
        *result = list->as.items[0];
    for (; inside.index < list->length && status == WFSM_OK; inside.index++) {
        wf_member_set(&pair[0], "current", 7, list->as.items[inside.index]);
        wf_member_set(&pair[1], "accumulator", 11, *result);
        status = self->recurse(self, &rule->as.list[1], &inside, result);
    }
    return status;
}

static int32_t over_elements(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                             const wf_value *list, wf_value *result)
{
    if (rule->op->shape == WF_SHAPE_REDUCE)
        return reduce(self, rule, run, list, result);
    if (strcmp(rule->op->name, "map") == 0 || strcmp(rule->op->name, "filter") == 0)
        return map_or_filter(self, rule, run, list, result);
    return find(self, rule, run, list, result);
}

/* ---- longer lists ---- */

/* none is the opposite of some. */
static wf_term term_over(wf_symbolic *self, const wf_expr *rule, const wf_term *operands,
                         uint32_t count)
{
    const wf_expr *body = &rule->as.list[1];
    if (strcmp(rule->op->name, "none") != 0)
        return wf_term_over(&self->terms, rule->op, body, operands, count);
    wf_term some =
        wf_term_over(&self->terms, wf_operator_find("some", 4), body, operands, count);
    return wf_term_apply(&self->terms, wf_operator_find("!", 1), &some, 1);
}

static int32_t over_all(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                        const wf_value *list, wf_value *result)
{
    wf_term operands[2] = {wf_symbolic_of(self, list)};
    uint32_t count = 1;
    int32_t status = WFSM_OK;
    if (rule->as.list[1].flags & (WF_LIVE | WF_CLIMBS))
        return wf_symbolic_anything(self, rule, run, result);
    if (rule->op->shape == WF_SHAPE_REDUCE && rule->count > 2) {
        status = self->recurse(self, &rule->as.list[2], run, result);
        operands[count++] = wf_symbolic_of(self, result);
    }
    if (status != WFSM_OK)
        return status;
    wf_term term = term_over(self, rule, operands, count);
    bool fails = rule->op->shape == WF_SHAPE_REDUCE || wf_expr_may_fail(&rule->as.list[1]);
    if (fails)
        return wf_symbolic_result(self, rule, term, run, result);
    *result = wf_symbolic_value(self, term);
    return result->type == WF_ABSENT ? WFSM_NO_MEMORY : WFSM_OK;
}

/* What a rule does that joins the next element to what there is. NULL when out of memory. */
static const wf_expr *join_by(wf_symbolic *self, const struct wf_operator *op)
{
    static const wf_var all = {.origin = WF_FROM_ACCUMULATOR},
                        next = {.origin = WF_FROM_CURRENT};
    static const wf_expr pair[] = {{.node = WF_NODE_VAR, .env = WF_ENV_PAIR, .as.var = &all},
                                   {.node = WF_NODE_VAR, .env = WF_ENV_PAIR, .as.var = &next}};
    uint32_t i = 0;
    while (i < self->joins_count && self->joins[i]->op != op)
        i++;
    if (i < self->joins_count)
        return self->joins[i];
    wf_expr *made = wf_arena_take(&self->arena, sizeof *made);
    if (!made || self->joins_count == WF_JOINS_MOST)
        return NULL;
    *made = (wf_expr){
        .node = WF_NODE_RULE, .env = WF_ENV_PAIR, .mode = WF_MODE_LISTED, .count = 2, .op = op};
    made->as.list = pair;
    return self->joins[self->joins_count++] = made;
}

int32_t wf_symbolic_join(wf_symbolic *self, const wf_expr *rule, const wf_value *list,
                         wf_run *run, wf_value *result)
{
    static const char *const joins[] = {"+", "-", "*", "min", "max", NULL};
    if (!wf_expr_is_op(rule, joins))
        return wf_symbolic_anything(self, rule, run, result);
    const wf_term operand = wf_symbolic_of(self, list);
    const wf_expr *body = join_by(self, rule->op);
    if (!body)
        return WFSM_NO_MEMORY;
    const wf_term term =
        wf_term_over(&self->terms, wf_operator_find("reduce", 6), body, &operand, 1);
    return wf_symbolic_result(self, rule, term, run, result);
}

/* A search that hides something does not ask for the length of a list, if it can do without: it would
 * have a successor for each. */
static bool is_hidden(const wf_symbolic *self, const wf_expr *rule, const wf_value *list)
{
    wf_term term;
    return self->hiding && wf_symbolic_term(list, &term) &&
           rule->op->shape != WF_SHAPE_REDUCE &&
           !(rule->as.list[1].flags & (WF_LIVE | WF_CLIMBS));
}

/* If elements are added up, or the least of them is taken, the result depends on what is said of all of them, too. */
static bool is_seen_whole(const wf_symbolic *self, const wf_expr *rule)
{
    static const char *const filter[] = {"filter", NULL};
    return rule->op->shape == WF_SHAPE_REDUCE ||
           (self->explorer->cones.joins && !wf_expr_is_op(rule, filter));
}

int32_t wf_symbolic_list(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value list, elements;
    bool fine = true, null = false, seen = true;
    int32_t status = self->recurse(self, &rule->as.list[0], run, &list);
    if (status == WFSM_OK)
        status = wf_decide_type(self, rule, 0, &list, 1u << WF_ARRAY | 1u << WF_NULL, &fine);
    if (status == WFSM_OK && fine)
        status = wf_decide_type(self, rule, 1, &list, 1u << WF_NULL, &null);
    if (status != WFSM_OK)
        return status;
    if (!fine)
        return wf_symbolic_fails(run);
    elements = wf_array(NULL, 0);
    seen = null || !is_hidden(self, rule, &list);
    if (!null && seen)
        status = is_seen_whole(self, rule)
                     ? wf_symbolic_summands(self, rule, &list, &elements, &seen)
                     : wf_symbolic_elements(self, rule, &list, &elements, &seen);
    if (status != WFSM_OK)
        return status;
    return seen ? over_elements(self, rule, run, &elements, result)
                : over_all(self, rule, run, &list, result);
}
