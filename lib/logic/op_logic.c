/* logic/op_logic.c: choice, truth and equality. */
#include "logic/expr_tree.h"

static int32_t eval_truth(const wf_expr *rule, uint32_t index, wf_run *run, bool *truth)
{
    wf_value temp;
    int32_t status = WFSM_OK;
    const wf_value *value = wf_peek(rule, index, run, &temp, &status);

    if (!status)
        *truth = wf_value_truth(value);
    return status;
}

int32_t wf_op_if(const wf_expr *rule, wf_run *run, wf_value *result)
{
    uint32_t i = 0;

    for (; i + 1 < rule->count; i += 2) {
        bool truth;
        int32_t status = eval_truth(rule, i, run, &truth);

        if (status)
            return status;
        if (truth)
            return wf_eval(&rule->as.list[i + 1], run, result);
    }
    if (i < rule->count)
        return wf_eval(&rule->as.list[i], run, result);
    *result = wf_null();
    return WFSM_OK;
}

/* The first operand whose truth is `until`, or the last. */
static int32_t first_operand(const wf_expr *rule, wf_run *run, bool until, wf_value *result)
{
    *result = wf_null();
    for (uint32_t i = 0; i < rule->count; i++) {
        int32_t status = wf_eval(&rule->as.list[i], run, result);

        if (status || wf_value_truth(result) == until)
            return status;
    }
    return WFSM_OK;
}

int32_t wf_op_and(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return first_operand(rule, run, false, result);
}

int32_t wf_op_or(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return first_operand(rule, run, true, result);
}

int32_t wf_op_truth(const wf_expr *rule, wf_run *run, wf_value *result)
{
    bool truth;
    int32_t status = eval_truth(rule, 0, run, &truth);

    if (!status)
        *result = wf_boolean(truth);
    return status;
}

int32_t wf_op_not(const wf_expr *rule, wf_run *run, wf_value *result)
{
    bool truth;
    int32_t status = eval_truth(rule, 0, run, &truth);

    if (!status)
        *result = wf_boolean(!truth);
    return status;
}

typedef int32_t comparison(wf_run *run, const wf_value *a, const wf_value *b, bool *equal);

static int32_t compare(const wf_expr *rule, wf_run *run, comparison *how, bool wanted,
                       wf_value *result)
{
    wf_value temp[2];
    const wf_value *a, *b = NULL;
    bool equal;
    int32_t status = WFSM_OK;

    a = wf_peek(rule, 0, run, &temp[0], &status);
    if (!status)
        b = wf_peek(rule, 1, run, &temp[1], &status);
    if (!status)
        status = how(run, a, b, &equal);
    if (!status)
        *result = wf_boolean(equal == wanted);
    return status;
}

int32_t wf_op_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, wf_loose_equal, true, result);
}

int32_t wf_op_not_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, wf_loose_equal, false, result);
}

int32_t wf_op_same(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, wf_strict_equal, true, result);
}

int32_t wf_op_not_same(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, wf_strict_equal, false, result);
}
