/* logic/op_text.c: cat, substr, slice, length, in: strings, counted in code points. */
#include "logic/expr_tree.h"

#include <math.h>
#include <string.h>
#include "base/invariant.h"
#include "base/utf8.h"

int32_t wf_op_cat(const wf_expr *rule, wf_run *run, wf_value *result)
{
    const wf_value *values;
    size_t bytes = 0;
    char *text, *end;
    int32_t status = wf_eval_operands(rule, run, &values);

    for (uint32_t i = 0; i < rule->count && !status; i++)
        status = wf_text_measure(run, &values[i], true, &bytes);
    if (status)
        return status;
    text = end = wf_arena_take(run->scope->arena, bytes + 1);
    if (!text)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < rule->count; i++)
        end = wf_text_write(&values[i], true, end);
    WF_INVARIANT(end == text + bytes); /* as measured */
    *end = '\0';
    return wf_eval_built(run, wf_string(text, bytes), result);
}

/* NaN is 0. */
static int32_t number_operand(const wf_expr *rule, uint32_t index, wf_run *run, double absent,
                              double *number)
{
    wf_value value;
    int32_t status = wf_eval_operand(rule, index, run, &value);

    *number = absent;
    if (status || value.type == WF_ABSENT)
        return status;
    status = wf_to_number(run, &value, number);
    if (!status && isnan(*number))
        *number = 0;
    return status;
}

/* JavaScript's ToIntegerOrInfinity. */
static int32_t integer_operand(const wf_expr *rule, uint32_t index, wf_run *run, double absent,
                               double *number)
{
    int32_t status = number_operand(rule, index, run, absent, number);

    if (!status)
        *number = trunc(*number);
    return status;
}

/* Counted from the end when negative, and kept within the length. */
static size_t clamp_index(double index, size_t length)
{
    if (index < 0)
        index += (double)length;
    if (index < 0)
        return 0;
    return index < (double)length ? (size_t)index : length;
}

/* The code points from..to of valid UTF-8. */
static int32_t cut_text(wf_run *run, wf_text text, size_t from, size_t to, wf_value *result)
{
    size_t start = wf_utf8_offset(text.text, text.length, from);
    size_t stop = start;

    if (to > from)
        stop += wf_utf8_offset(text.text + start, text.length - start, to - from);
    *result = wf_string_copy(run->scope->arena, text.text + start, stop - start);
    return result->type == WF_ABSENT ? wf_eval_full(run) : WFSM_OK;
}

int32_t wf_op_substr(const wf_expr *rule, wf_run *run, wf_value *result)
{
    double start, span;
    size_t length, from, left;
    wf_value source;
    wf_text text;
    int32_t status = wf_eval_operand(rule, 0, run, &source);

    if (!status)
        status = integer_operand(rule, 1, run, 0, &start);
    if (!status)
        status = number_operand(rule, 2, run, INFINITY, &span);
    if (!status && source.type != WF_STRING)
        return wf_eval_fail(run, "the first operand is not a text");
    if (!status)
        status = wf_spend(run, source.length / 64);
    if (status)
        return status;
    text = (wf_text){source.as.text, source.length};
    length = wf_utf8_count(text.text, text.length);
    from = clamp_index(start, length);
    WF_INVARIANT(from <= length);
    left = length - from;
    /* A negative length leaves that many off the end; what is left is rounded, not the length. */
    if (span < 0)
        span = span + (double)left > 0 ? span + (double)left : 0;
    return cut_text(run, text, from, from + (span < (double)left ? (size_t)span : left),
                    result);
}

int32_t wf_op_length(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value value;
    int32_t status = wf_eval_operand(rule, 0, run, &value);

    if (status)
        return status;
    if (value.type < WF_STRING)
        return wf_eval_fail(run, "only lists, objects and texts have a length");
    *result = wf_number(value.length);
    if (value.type != WF_STRING)
        return WFSM_OK;
    *result = wf_number((double)wf_utf8_count(value.as.text, value.length));
    return wf_spend(run, value.length / 64);
}

int32_t wf_op_slice(const wf_expr *rule, wf_run *run, wf_value *result)
{
    double start, end;
    size_t length, from, to;
    wf_value value;
    int32_t status = wf_eval_operand(rule, 0, run, &value);

    if (!status)
        status = integer_operand(rule, 1, run, 0, &start);
    if (!status)
        status = integer_operand(rule, 2, run, INFINITY, &end);
    if (!status && value.type >= WF_STRING)
        status = wf_spend(run, value.length / (value.type == WF_STRING ? 64 : 16));
    if (status)
        return status;
    *result = wf_null();
    if (value.type != WF_ARRAY && value.type != WF_STRING)
        return WFSM_OK;
    length = value.type == WF_ARRAY ? value.length : wf_utf8_count(value.as.text, value.length);
    from = clamp_index(start, length);
    to = clamp_index(end, length);
    if (value.type == WF_STRING)
        return cut_text(run, (wf_text){value.as.text, value.length}, from, to, result);
    /* Values never change, so a part of an array can lie inside it. */
    return wf_eval_built(run,
                         to > from ? wf_array(value.as.items + from, to - from)
                                   : wf_array(value.as.items, 0),
                         result);
}

/* Costs a step for each place that is compared, and more for a long part. */
static int32_t contains(wf_run *run, wf_text text, wf_text part, bool *found)
{
    *found = part.length == 0;
    for (size_t i = 0; !*found && i + part.length <= text.length; i++) {
        const char *hit = memchr(text.text + i, part.text[0], text.length - i);

        if (!hit || (size_t)(text.text + text.length - hit) < part.length)
            return WFSM_OK;
        if (wf_spend(run, 1 + part.length / 256))
            return WFSM_LIMIT;
        i = (size_t)(hit - text.text);
        *found = memcmp(hit, part.text, part.length) == 0;
    }
    return WFSM_OK;
}

static int32_t in_text(wf_run *run, const wf_value *needle, const wf_value *haystack,
                       bool *found)
{
    wf_text text = {haystack->as.text, haystack->length}, part;
    int32_t status = wf_to_text(run, needle, &part);

    if (!status)
        status = wf_spend(run, text.length / 256);
    /* In the reference the empty string is no haystack at all. */
    return status || !text.length ? status : contains(run, text, part, found);
}

static int32_t in_array(wf_run *run, const wf_value *needle, const wf_value *haystack,
                        bool *found)
{
    int32_t status = wf_spend(run, haystack->length / 16);

    for (uint32_t i = 0; i < haystack->length && !*found && !status; i++)
        status = wf_strict_equal(run, needle, &haystack->as.items[i], found);
    return status;
}

int32_t wf_op_in(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value needle, haystack;
    bool found = false;
    int32_t status = wf_eval_operand(rule, 0, run, &needle);

    if (!status)
        status = wf_eval_operand(rule, 1, run, &haystack);
    if (!status && haystack.type == WF_ARRAY)
        status = in_array(run, &needle, &haystack, &found);
    else if (!status && haystack.type == WF_STRING)
        status = in_text(run, &needle, &haystack, &found);
    else if (!status && (haystack.type == WF_OBJECT || wf_value_truth(&haystack)))
        status = wf_eval_fail(run, "the second operand is neither a list nor a text");
    if (!status)
        *result = wf_boolean(found);
    return status;
}
