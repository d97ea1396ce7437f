/* logic/op_order.c: < <= > >= and min, max. */
#include "logic/expr_tree.h"

#include <math.h>
#include <string.h>

/* What a comparison is of: text for strings and containers, else a number. */
typedef struct primitive {
    bool is_text;
    double number;
    wf_text text;
} primitive;

static int32_t to_primitive(wf_run *run, const wf_value *value, primitive *out)
{
    out->is_text = value->type >= WF_STRING;
    return out->is_text ? wf_to_text(run, value, &out->text)
                        : wf_to_number(run, value, &out->number);
}

/* By code points, which is the order of UTF-8's bytes. */
static int compare_text(wf_text a, wf_text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.text, b.text, shorter);

    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int32_t general_less(wf_run *run, const wf_value *a, const wf_value *b, bool or_equal,
                            bool *less)
{
    double x, y;
    primitive p, q;
    int32_t status = to_primitive(run, a, &p);

    if (!status)
        status = to_primitive(run, b, &q);
    if (!status && p.is_text && q.is_text) {
        int order = compare_text(p.text, q.text);

        *less = or_equal ? order <= 0 : order < 0;
        return wf_spend(run, (p.text.length < q.text.length ? p : q).text.length / 64);
    }
    if (!status)
        status = wf_to_number(run, a, &x);
    if (!status)
        status = wf_to_number(run, b, &y);
    if (!status)
        *less = or_equal ? x <= y : x < y;
    return status;
}

static inline int32_t is_less(wf_run *run, const wf_value *a, const wf_value *b, bool or_equal,
                              bool *less)
{
    if (a->type != WF_NUMBER || b->type != WF_NUMBER)
        return general_less(run, a, b, or_equal, less);
    *less = or_equal ? a->as.number <= b->as.number : a->as.number < b->as.number;
    return WFSM_OK;
}

/* With three operands: whether the second is between the others. */
static int32_t between(const wf_expr *rule, wf_run *run, bool or_equal, wf_value *result)
{
    wf_value a, b, c;
    bool less = false;
    int32_t status = wf_eval_operand(rule, 0, run, &a);

    if (!status)
        status = wf_eval_operand(rule, 1, run, &b);
    if (!status)
        status = wf_eval_operand(rule, 2, run, &c);
    if (!status)
        status = is_less(run, &a, &b, or_equal, &less);
    if (!status && less && c.type != WF_ABSENT)
        status = is_less(run, &b, &c, or_equal, &less);
    if (!status)
        *result = wf_boolean(less);
    return status;
}

int32_t wf_op_less(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return between(rule, run, false, result);
}

int32_t wf_op_less_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return between(rule, run, true, result);
}

static int32_t greater(const wf_expr *rule, wf_run *run, bool or_equal, wf_value *result)
{
    wf_value temp[2];
    const wf_value *a, *b = NULL;
    bool less;
    int32_t status = WFSM_OK;

    a = wf_peek(rule, 0, run, &temp[0], &status);
    if (!status)
        b = wf_peek(rule, 1, run, &temp[1], &status);
    if (!status)
        status = is_less(run, b, a, or_equal, &less);
    if (!status)
        *result = wf_boolean(less);
    return status;
}

int32_t wf_op_greater(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return greater(rule, run, false, result);
}

int32_t wf_op_greater_equal(const wf_expr *rule, wf_run *run, wf_value *result)
{
    return greater(rule, run, true, result);
}

static int32_t extreme(const wf_expr *rule, wf_run *run, bool greatest, wf_value *result)
{
    double most = greatest ? -INFINITY : INFINITY;

    for (uint32_t i = 0; i < rule->count; i++) {
        wf_value value;
        double number;
        int32_t status = wf_eval(&rule->as.list[i], run, &value);

        if (!status)
            status = wf_to_number(run, &value, &number);
        if (status)
            return status;
        /* NaN wins, and stays. */
        if (isnan(number) || (greatest ? number > most : number < most))
            most = number;
    }
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
