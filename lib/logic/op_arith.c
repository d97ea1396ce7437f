/* logic/op_arith.c: + * parse their operands, - / % convert them. */
#include "logic/expr_tree.h"

#include <math.h>

static int32_t parsed_operand(const wf_expr *rule, uint32_t index, wf_run *run, double *number)
{
    wf_value temp;
    int32_t status = WFSM_OK;
    const wf_value *value = wf_peek(rule, index, run, &temp, &status);

    return status ? status : wf_to_parsed(run, value, number);
}

int32_t wf_op_plus(const wf_expr *rule, wf_run *run, wf_value *result)
{
    double sum = 0;

    for (uint32_t i = 0; i < rule->count; i++) {
        double number;
        int32_t status = parsed_operand(rule, i, run, &number);

        if (status)
            return status;
        sum += number;
    }
    *result = wf_number(sum);
    return WFSM_OK;
}

static int32_t multiply(const wf_expr *rule, wf_run *run, wf_value *result)
{
    double product = 1;

    for (uint32_t i = 0; i < rule->count; i++) {
        double number;
        int32_t status = parsed_operand(rule, i, run, &number);

        if (status)
            return status;
        product *= number;
    }
    *result = wf_number(product);
    return WFSM_OK;
}

/* One operand is returned as it is; of none there is no product. */
int32_t wf_op_times(const wf_expr *rule, wf_run *run, wf_value *result)
{
    if (rule->count > 1)
        return multiply(rule, run, result);
    if (rule->count == 1)
        return wf_eval(rule->as.list, run, result);
    *result = wf_null();
    return WFSM_OK;
}

static int32_t two_numbers(const wf_expr *rule, wf_run *run, double *a, double *b)
{
    wf_value first, second;
    int32_t status = wf_eval_operand(rule, 0, run, &first);

    if (!status)
        status = wf_eval_operand(rule, 1, run, &second);
    if (!status)
        status = wf_to_number(run, &first, a);
    return status ? status : wf_to_number(run, &second, b);
}

int32_t wf_op_minus(const wf_expr *rule, wf_run *run, wf_value *result)
{
    double a, b;
    int32_t status = two_numbers(rule, run, &a, &b);

    if (!status)
        *result = wf_number(rule->count > 1 ? a - b : -a);
    return status;
}

int32_t wf_op_divide(const wf_expr *rule, wf_run *run, wf_value *result)
{
    double a, b;
    int32_t status = two_numbers(rule, run, &a, &b);

    if (!status)
        *result = wf_number(a / b);
    return status;
}

int32_t wf_op_modulo(const wf_expr *rule, wf_run *run, wf_value *result)
{
    double a, b;
    int32_t status = two_numbers(rule, run, &a, &b);

    if (!status)
        *result = wf_number(fmod(a, b));
    return status;
}
