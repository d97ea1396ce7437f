/* logic/op_logic.c: choice and truth. */
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

/* The first operand that is not null, or null. */
int32_t wf_op_coalesce(const wf_expr *rule, wf_run *run, wf_value *result)
{
    *result = wf_null();
    for (uint32_t i = 0; i < rule->count && result->type == WF_NULL; i++) {
        int32_t status = wf_eval(&rule->as.list[i], run, result);

        if (status)
            return status;
    }
    return WFSM_OK;
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
