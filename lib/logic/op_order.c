/* logic/op_order.c: comparisons. Each operand is compared with the next one, and the first pair
 * that does not fit ends it. */
#include "logic/expr_tree.h"

#include <math.h>
#include <string.h>

/* What holds of a pair: bits, for "less", "equal" and "greater". NaN is none of them. */
enum { LESS = 1, EQUAL = 2, GREATER = 4 };

static bool is_text_or_null(const wf_value *value)
{
    return value->type == WF_STRING || value->type == WF_NULL;
}

static unsigned order_of(double a, double b)
{
    return (a < b ? LESS : 0u) | (a == b ? EQUAL : 0u) | (a > b ? GREATER : 0u);
}

/* By code points, which is the order of UTF-8's bytes. */
static int32_t order_texts(wf_run *run, const wf_value *a, const wf_value *b, unsigned *order)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int found = memcmp(a->as.text, b->as.text, shorter);

    if (!found)
        found = (a->length > b->length) - (a->length < b->length);
    *order = order_of(found, 0);
    return wf_spend(run, shorter / 64);
}

/* Null equals null alone, but is ordered as 0; other text than that of a number is not. */
static int32_t order_null(wf_run *run, const wf_value *a, const wf_value *b, bool equality,
                          unsigned *order)
{
    double x = 0, y = 0;
    int32_t status = WFSM_OK;

    if (equality || a->type == b->type) {
        *order = a->type == b->type ? EQUAL : 0;
        return WFSM_OK;
    }
    status = wf_to_operand(run, a, &x);
    if (!status)
        status = wf_to_operand(run, b, &y);
    *order = order_of(x, y);
    return status;
}

static int32_t order_numbers(wf_run *run, const wf_value *a, const wf_value *b, unsigned *order)
{
    double x, y;
    int32_t status = wf_to_operand(run, a, &x);

    if (!status)
        status = wf_to_operand(run, b, &y);
    if (status)
        return status;
    if (isnan(x) || isnan(y))
        return wf_eval_not_number(run, "a compared value is not a number");
    *order = order_of(x, y);
    return WFSM_OK;
}

/* Of everything but two numbers. */
static int32_t order_others(wf_run *run, const wf_value *a, const wf_value *b, bool equality,
                            unsigned *order)
{
    if (a->type == WF_STRING && b->type == WF_STRING)
        return order_texts(run, a, b, order);
    if (is_text_or_null(a) && is_text_or_null(b))
        return order_null(run, a, b, equality, order);
    return order_numbers(run, a, b, order);
}

static int32_t order_pair(wf_run *run, const wf_value *a, const wf_value *b, bool equality,
                          unsigned *order)
{
    if (a->type != WF_NUMBER || b->type != WF_NUMBER)
        return order_others(run, a, b, equality, order);
    *order = order_of(a->as.number, b->as.number);
    return WFSM_OK;
}

typedef int32_t comparison(wf_run *run, const wf_value *a, const wf_value *b, unsigned wanted,
                           bool *fits);

static int32_t compare_order(wf_run *run, const wf_value *a, const wf_value *b, unsigned wanted,
                             bool *fits)
{
    unsigned order;
    int32_t status = order_pair(run, a, b, false, &order);

    if (!status)
        *fits = (order & wanted) != 0;
    return status;
}

/* wanted: EQUAL, or not. */
static int32_t compare_loose(wf_run *run, const wf_value *a, const wf_value *b, unsigned wanted,
                             bool *fits)
{
    unsigned order;
    int32_t status = order_pair(run, a, b, true, &order);

    if (!status)
        *fits = (order & EQUAL) == wanted;
    return status;
}

static int32_t compare_strict(wf_run *run, const wf_value *a, const wf_value *b,
                              unsigned wanted, bool *fits)
{
    bool equal;
    int32_t status = wf_strict_equal(run, a, b, &equal);

    if (!status)
        *fits = equal == (wanted != 0);
    return status;
}

static int32_t compare(const wf_expr *rule, wf_run *run, comparison *how, unsigned wanted,
                       wf_value *result)
{
    wf_value temp[2];
    int32_t status = WFSM_OK;
    const wf_value *before = wf_peek(rule, 0, run, &temp[0], &status);
    bool fits = true;

    for (uint32_t i = 1; i < rule->count && fits && !status; i++) {
        const wf_value *next = wf_peek(rule, i, run, &temp[i % 2], &status);

        if (!status)
            status = how(run, before, next, wanted, &fits);
        before = next;
    }
    if (!status)
        *result = wf_boolean(fits);
    return status;
}

int32_t wf_op_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_loose, EQUAL, result);
}

int32_t wf_op_not_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_loose, 0, result);
}

int32_t wf_op_same(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_strict, EQUAL, result);
}

int32_t wf_op_not_same(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_strict, 0, result);
}

int32_t wf_op_less(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_order, LESS, result);
}

int32_t wf_op_less_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_order, LESS | EQUAL, result);
}

int32_t wf_op_greater(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_order, GREATER, result);
}

int32_t wf_op_greater_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return compare(rule, run, compare_order, GREATER | EQUAL, result);
}
