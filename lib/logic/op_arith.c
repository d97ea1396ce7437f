/* logic/op_arith.c: + - * / % min max, over any number of operands. */
#include "logic/expr_tree.h"

#include <math.h>

/* Joins the next operand to what there is; false: it divides by zero. */
typedef bool join(double *sum, double operand);

static bool add(double *sum, double operand)
{
    *sum += operand;
    return true;
}

static bool subtract(double *sum, double operand)
{
    *sum -= operand;
    return true;
}

static bool multiply(double *sum, double operand)
{
    *sum *= operand;
    return true;
}

static bool divide(double *sum, double operand)
{
    *sum /= operand;
    return operand != 0;
}

static bool remain(double *sum, double operand)
{
    *sum = fmod(*sum, operand);
    return operand != 0;
}

static int32_t number_at(const wf_expr *rule, uint32_t index, wf_run *run, double *number)
{
    wf_value temp;
    int32_t status = WFSM_OK;
    const wf_value *value = wf_peek(rule, index, run, &temp, &status);

    if (!status && value->type == WF_NUMBER) {
        *number = value->as.number;
        return WFSM_OK;
    }
    return status ? status : wf_to_operand(run, value, number);
}

/* All operands are evaluated before any is found wrong: an error of their own comes first. */
static int32_t calculate(const wf_expr *rule, wf_run *run, double start, join *with,
                         wf_value *result)
{
    double sum = start, number = 0;
    bool numbers = true, divides = true;

    for (uint32_t i = 0; i < rule->count; i++) {
        int32_t status = number_at(rule, i, run, &number);

        if (status)
            return status;
        numbers &= !isnan(number);
        if (i == 0 && rule->count > 1)
            sum = number;
        else
            divides &= with(&sum, number);
    }
    if (!numbers)
        return wf_eval_not_number(run, "an operand is not a number");
    if (!divides)
        return wf_eval_not_number(run, "division by zero");
    if (!isfinite(sum))
        return wf_eval_not_number(run, "the result is not a finite number");
    *result = wf_number(sum);
    return WFSM_OK;
}

int32_t wf_op_plus(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return calculate(rule, run, 0, add, result);
}

int32_t wf_op_minus(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return calculate(rule, run, 0, subtract, result);
}

int32_t wf_op_times(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return calculate(rule, run, 1, multiply, result);
}

int32_t wf_op_divide(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return calculate(rule, run, 1, divide, result);
}

int32_t wf_op_modulo(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return calculate(rule, run, 0, remain, result);
}

/* Nothing is converted here: an order of mixed types would mean nothing. */
static int32_t extreme(const wf_expr *rule, wf_run *run, bool greatest, wf_value *result)
{
    double most = greatest ? -INFINITY : INFINITY;
    bool numbers = true;

    for (uint32_t i = 0; i < rule->count; i++) {
        wf_value temp;
        int32_t status = WFSM_OK;
        const wf_value *value = wf_peek(rule, i, run, &temp, &status);

        if (status)
            return status;
        numbers &= value->type == WF_NUMBER;
        if (numbers && (greatest ? value->as.number > most : value->as.number < most))
            most = value->as.number;
    }
    if (!numbers)
        return wf_eval_fail(run, "an operand is not a number");
    *result = wf_number(most);
    return WFSM_OK;
}

int32_t wf_op_min(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return extreme(rule, run, false, result);
}

int32_t wf_op_max(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return extreme(rule, run, true, result);
}
