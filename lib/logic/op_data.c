/* logic/op_data.c: operators that look things up, or make a copy with a
 * changed part. */
#include "logic/expr_tree.h"

#include <math.h>
#include <string.h>

#include "base/invariant.h"

/* Only paths that must be computed come here; the others are resolved before. */
static int32_t computed_var(const wf_expr *rule, wf_run *run, const wf_value *path,
                            wf_value *result)
{
    int32_t status = wf_var_lookup((enum wf_env)rule->env, run, path, result);

    if (status || result->type != WF_ABSENT)
        return status;
    if (rule->count > 1)
        return wf_eval(&rule->as.list[1], run, result);
    *result = wf_null();
    return WFSM_OK;
}

/* A list that the only operand gives is path and default, as if it stood there. */
int32_t wf_op_var(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value given, path;
    int32_t status = wf_eval_operand(rule, 0, run, &given);

    if (status || rule->mode != WF_MODE_SPREAD || given.type != WF_ARRAY)
        return status ? status : computed_var(rule, run, &given, result);
    if (given.length > 2)
        return wf_eval_wrong_count(run);
    path = given.length ? given.as.items[0] : wf_null();
    status = wf_var_lookup((enum wf_env)rule->env, run, &path, result);
    if (!status && result->type == WF_ABSENT)
        *result = given.length > 1 ? given.as.items[1] : wf_null();
    return status;
}

static bool is_missing(const wf_value *value)
{
    return value->type <= WF_NULL || (value->type == WF_STRING && value->length == 0);
}

/* Those of the keys that lead to nothing, null or "". */
static int32_t find_missing(const wf_expr *rule, wf_run *run, const wf_value *keys,
                            uint32_t count, wf_value *result)
{
    wf_value *missing = wf_arena_take(run->scope->arena, count * sizeof *missing);
    size_t found = 0;

    if (!missing)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < count; i++) {
        wf_value value;
        int32_t status = wf_spend(run, 1);

        if (!status)
            status = wf_var_lookup((enum wf_env)rule->env, run, &keys[i], &value);
        if (status)
            return status;
        if (is_missing(&value))
            missing[found++] = keys[i];
    }
    return wf_eval_built(run, wf_array(missing, found), result);
}

int32_t wf_op_missing(const wf_expr *rule, wf_run *run, wf_value *result)
{
    const wf_value *keys;
    uint32_t count = rule->count;
    int32_t status = wf_eval_operands(rule, run, &keys);

    if (status)
        return status;
    if (count && keys->type == WF_ARRAY) {
        count = keys->length;
        keys = keys->as.items;
    }
    return find_missing(rule, run, keys, count, result);
}

/* How many must be there at least. */
static int32_t eval_least(const wf_expr *rule, wf_run *run, double *least)
{
    wf_value need;
    int32_t status = wf_eval_operand(rule, 0, run, &need);

    if (!status)
        status = wf_to_operand(run, &need, least);
    if (!status && isnan(*least))
        return wf_eval_not_number(run, "the first operand is not a number");
    return status;
}

int32_t wf_op_missing_some(const wf_expr *rule, wf_run *run, wf_value *result)
{
    const wf_value *keys = NULL;
    wf_value options;
    double least;
    uint32_t count;
    int32_t status = eval_least(rule, run, &least);

    if (!status)
        status = wf_eval_operand(rule, 1, run, &options);
    if (status)
        return status;
    keys = options.type == WF_ARRAY ? options.as.items : &options;
    count = options.type == WF_ARRAY ? options.length : options.type != WF_ABSENT;
    status = find_missing(rule, run, keys, count, result);
    if (!status && count - result->length >= least)
        *result = wf_array(result->as.items, 0);
    return status;
}

uint32_t wf_known_keys(const wf_expr *rule, uint32_t *first)
{
    *first = rule->op->run == wf_op_known_missing_some;
    return *first || rule->op->run == wf_op_known_missing ? (rule->count - *first) / 2 : 0;
}

int32_t wf_op_known_missing(const wf_expr *rule, wf_run *run, wf_value *result)
{
    uint32_t first, count = wf_known_keys(rule, &first), found = 0;
    wf_value *missing = wf_arena_take(run->scope->arena, count * sizeof *missing);

    if (!missing)
        return wf_eval_full(run);
    for (uint32_t i = first; i < first + count; i++) {
        wf_value temp;
        int32_t status = WFSM_OK;
        const wf_value *value = wf_peek(rule, i + count, run, &temp, &status);

        if (status)
            return status;
        if (is_missing(value))
            missing[found++] = rule->as.list[i].as.constant;
    }
    return wf_eval_built(run, wf_array(missing, found), result);
}

int32_t wf_op_known_missing_some(const wf_expr *rule, wf_run *run, wf_value *result)
{
    uint32_t first;
    double least;
    int32_t status = eval_least(rule, run, &least);

    if (!status)
        status = wf_op_known_missing(rule, run, result);
    if (!status && wf_known_keys(rule, &first) - result->length >= least)
        *result = wf_array(result->as.items, 0);
    return status;
}

static size_t merged_length(const wf_value *value)
{
    return value->type == WF_ARRAY ? value->length : 1;
}

int32_t wf_op_merge(const wf_expr *rule, wf_run *run, wf_value *result)
{
    const wf_value *values;
    size_t count = 0, at = 0;
    wf_value *items;
    int32_t status = wf_eval_operands(rule, run, &values);

    for (uint32_t i = 0; i < rule->count && !status; i++)
        count += merged_length(&values[i]);
    if (!status)
        status = wf_spend(run, count / 4);
    if (status)
        return status;
    items = wf_arena_take(run->scope->arena, count * sizeof *items);
    if (!items)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < rule->count; i++) {
        const wf_value *from = values[i].type == WF_ARRAY ? values[i].as.items : &values[i];
        size_t length = merged_length(&values[i]);

        if (length)
            memcpy(items + at, from, length * sizeof *items);
        at += length;
    }
    WF_INVARIANT(at == count);
    return wf_eval_built(run, wf_array(items, count), result);
}

/* Observers of a machine have an action `log`; here it is its operand. */
int32_t wf_op_log(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return wf_eval_operand(rule, 0, run, result);
}

/* An index into an array of that length; false if it is none. */
static bool to_index(const wf_value *key, uint32_t length, uint32_t *index)
{
    if (key->type != WF_NUMBER || key->as.number < 0 || key->as.number >= length ||
        key->as.number != floor(key->as.number))
        return false;
    *index = (uint32_t)key->as.number;
    return true;
}

static const wf_value *element_at(const wf_value *container, const wf_value *key)
{
    uint32_t index;

    if (container->type == WF_OBJECT && key->type == WF_STRING)
        return wf_value_get(container, key->as.text, key->length);
    if (container->type == WF_ARRAY && to_index(key, container->length, &index))
        return &container->as.items[index];
    return NULL;
}

int32_t wf_op_get(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value container, key;
    const wf_value *found;
    int32_t status = wf_eval_operand(rule, 0, run, &container);

    if (!status)
        status = wf_eval_operand(rule, 1, run, &key);
    if (!status)
        status = wf_spend(run, container.type == WF_OBJECT ? container.length / 16 : 0);
    if (!status && key.type == WF_STRING)
        status = wf_spend(run, key.length / 16);
    if (status)
        return status;
    found = element_at(&container, &key);
    if (!found && rule->count > 2)
        return wf_eval(&rule->as.list[2], run, result);
    *result = found ? *found : wf_null();
    return WFSM_OK;
}

static int32_t with_member(wf_run *run, const wf_value *object, const wf_value *key,
                           const wf_value *value, wf_value *result)
{
    const wf_value *old = wf_value_get(object, key->as.text, key->length);
    size_t count = object->length + (old ? 0u : 1u);
    wf_member *members = wf_arena_take(run->scope->arena, count * sizeof *members);
    size_t at = object->length;

    if (!members)
        return wf_eval_full(run);
    if (object->length)
        memcpy(members, object->as.members, object->length * sizeof *members);
    for (size_t i = 0; old && i < object->length; i++)
        if (&object->as.members[i].value == old)
            at = i;
    WF_INVARIANT(at < count);
    if (old)
        members[at].value = *value;
    else
        wf_member_set(&members[at], key->as.text, key->length, *value);
    return wf_eval_built(run, wf_object(members, count), result);
}

static int32_t with_item(wf_run *run, const wf_value *array, uint32_t index,
                         const wf_value *value, wf_value *result)
{
    size_t count = array->length + (index == array->length);
    wf_value *items = wf_arena_take(run->scope->arena, count * sizeof *items);

    if (!items)
        return wf_eval_full(run);
    if (array->length)
        memcpy(items, array->as.items, array->length * sizeof *items);
    WF_INVARIANT(index < count);
    items[index] = *value;
    return wf_eval_built(run, wf_array(items, count), result);
}

int32_t wf_op_with(const wf_expr *rule, wf_run *run, wf_value *result)
{
    const wf_value *operands;
    uint32_t index;
    int32_t status = wf_eval_operands(rule, run, &operands);

    if (!status)
        status = wf_spend(run, operands[0].type >= WF_ARRAY ? operands[0].length / 2 : 0);
    if (!status && operands[1].type == WF_STRING)
        status = wf_spend(run, operands[1].length / 8);
    if (status)
        return status;
    if (operands[0].type == WF_OBJECT && operands[1].type == WF_STRING)
        return with_member(run, &operands[0], &operands[1], &operands[2], result);
    if (operands[0].type == WF_ARRAY && to_index(&operands[1], operands[0].length + 1, &index))
        return with_item(run, &operands[0], index, &operands[2], result);
    return wf_eval_fail(run, "expected an object and a string, or an array and an "
                             "index up to its length");
}
