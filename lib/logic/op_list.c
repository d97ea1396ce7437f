/* logic/op_list.c: map, filter, reduce, all, some, none: a body is evaluated for every
 * element. */
#include "logic/expr_tree.h"

/* The elements of the first operand. Null has none. */
static int32_t eval_elements(const wf_expr *rule, wf_run *run, wf_value *elements)
{
    int32_t status = wf_eval_operand(rule, 0, run, elements);

    if (status || elements->type == WF_ARRAY)
        return status;
    elements->length = 0;
    return elements->type == WF_NULL ? WFSM_OK
                                     : wf_eval_fail(run, "the first operand is not a list");
}

static int32_t eval_body(const wf_expr *rule, wf_run *run, const wf_value *elements,
                         uint32_t index, wf_value *result)
{
    wf_run inside = {.scope = run->scope,
                     .data = &elements->as.items[index],
                     .outer = run,
                     .list = elements,
                     .index = index};

    return wf_eval(&rule->as.list[1], &inside, result);
}

static int32_t test_body(const wf_expr *rule, wf_run *run, const wf_value *elements,
                         uint32_t index, bool *truth)
{
    wf_value value;
    int32_t status = eval_body(rule, run, elements, index, &value);

    if (!status)
        *truth = wf_value_truth(&value);
    return status;
}

static int32_t take_results(const wf_expr *rule, wf_run *run, wf_value *elements,
                            wf_value **results)
{
    int32_t status = eval_elements(rule, run, elements);

    if (status)
        return status;
    if (wf_spend(run, elements->length / 4))
        return WFSM_LIMIT;
    *results = wf_arena_take(run->scope->arena, elements->length * sizeof **results);
    return *results ? WFSM_OK : wf_eval_full(run);
}

int32_t wf_op_map(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value elements, *results;
    int32_t status = take_results(rule, run, &elements, &results);

    if (status)
        return status;
    for (uint32_t i = 0; i < elements.length; i++) {
        status = eval_body(rule, run, &elements, i, &results[i]);
        if (status)
            return status;
    }
    return wf_eval_built(run, wf_array(results, elements.length), result);
}

int32_t wf_op_filter(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value elements, *results;
    size_t count = 0;
    int32_t status = take_results(rule, run, &elements, &results);

    if (status)
        return status;
    for (uint32_t i = 0; i < elements.length; i++) {
        bool keep;

        status = test_body(rule, run, &elements, i, &keep);
        if (status)
            return status;
        if (keep)
            results[count++] = elements.as.items[i];
    }
    return wf_eval_built(run, wf_array(results, count), result);
}

/* Without a third operand the first element is what it starts with. */
static int32_t reduce_start(const wf_expr *rule, wf_run *run, const wf_value *elements,
                            wf_value *accumulator)
{
    if (rule->count > 2)
        return wf_eval(&rule->as.list[2], run, accumulator);
    if (elements->length == 0)
        return wf_eval_fail(run, "a list without elements needs a third operand");
    *accumulator = elements->as.items[0];
    return WFSM_OK;
}

int32_t wf_op_reduce(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_member pair[2];
    wf_value elements, accumulator;
    wf_run inside = {.scope = run->scope, .pair = pair, .outer = run, .list = &elements};
    int32_t status = eval_elements(rule, run, &elements);

    if (!status)
        status = reduce_start(rule, run, &elements, &accumulator);
    if (status)
        return status;
    inside.index = rule->count > 2 ? 0 : 1;
    for (; inside.index < elements.length && !status; inside.index++) {
        wf_member_set(&pair[0], "current", 7, elements.as.items[inside.index]);
        wf_member_set(&pair[1], "accumulator", 11, accumulator);
        status = wf_eval(&rule->as.list[1], &inside, &accumulator);
    }
    *result = accumulator;
    return status;
}

/* True if the body is true for some element (`wanted`), or false for some (not `wanted`). */
static int32_t find_element(const wf_expr *rule, wf_run *run, bool wanted, bool *found,
                            uint32_t *count)
{
    wf_value elements;
    int32_t status = eval_elements(rule, run, &elements);

    *found = false;
    *count = elements.length;
    for (uint32_t i = 0; !status && !*found && i < elements.length; i++) {
        bool truth;

        status = test_body(rule, run, &elements, i, &truth);
        *found = !status && truth == wanted;
    }
    return status;
}

int32_t wf_op_all(const wf_expr *rule, wf_run *run, wf_value *result)
{
    bool found;
    uint32_t count;
    int32_t status = find_element(rule, run, false, &found, &count);

    if (!status)
        *result = wf_boolean(count && !found);
    return status;
}

int32_t wf_op_some(const wf_expr *rule, wf_run *run, wf_value *result)
{
    bool found;
    uint32_t count;
    int32_t status = find_element(rule, run, true, &found, &count);

    if (!status)
        *result = wf_boolean(found);
    return status;
}

int32_t wf_op_none(const wf_expr *rule, wf_run *run, wf_value *result)
{
    bool found;
    uint32_t count;
    int32_t status = find_element(rule, run, true, &found, &count);

    if (!status)
        *result = wf_boolean(!found);
    return status;
}
