/* logic/coerce_text.c: JavaScript's String(). The text is measured first, and then written. */
#include "logic/expr_tree.h"

#include <string.h>

#include "base/invariant.h"

static const char object_text[] = "[object Object]";

static size_t items_separators(const wf_value *array)
{
    return array->length ? array->length - 1 : 0;
}

static int32_t measure_items(wf_run *run, const wf_value *array, size_t *bytes)
{
    *bytes += items_separators(array);
    for (uint32_t i = 0; i < array->length; i++) {
        int32_t status = wf_text_measure(run, &array->as.items[i], true, bytes);

        if (status)
            return status;
    }
    return WFSM_OK;
}

/* The word for what is neither number, string nor array. */
static const char *word(const wf_value *value, bool element)
{
    switch (value->type) {
    case WF_BOOLEAN:
        return value->as.boolean ? "true" : "false";
    case WF_NULL:
        return element ? "" : "null";
    case WF_OBJECT:
        return object_text;
    default:
        return element ? "" : "undefined";
    }
}

int32_t wf_text_measure(wf_run *run, const wf_value *value, bool element, size_t *bytes)
{
    char number[WF_NUMBER_BYTES];

    switch (value->type) {
    case WF_STRING:
        *bytes += value->length;
        return wf_spend(run, 1 + value->length / 64);
    case WF_NUMBER:
        *bytes += wf_number_text(value->as.number, number);
        return wf_spend(run, 2 * wf_number_steps(value->as.number));
    case WF_ARRAY:
        return wf_spend(run, 1) ? WFSM_LIMIT : measure_items(run, value, bytes);
    default:
        *bytes += strlen(word(value, element));
        return wf_spend(run, 1);
    }
}

static char *write_bytes(char *out, const char *bytes, size_t count)
{
    memcpy(out, bytes, count);
    return out + count;
}

static char *write_items(const wf_value *array, char *out)
{
    for (uint32_t i = 0; i < array->length; i++) {
        if (i)
            *out++ = ',';
        out = wf_text_write(&array->as.items[i], true, out);
    }
    return out;
}

char *wf_text_write(const wf_value *value, bool element, char *out)
{
    char number[WF_NUMBER_BYTES];
    const char *text;

    switch (value->type) {
    case WF_STRING:
        return write_bytes(out, value->as.text, value->length);
    case WF_NUMBER:
        return write_bytes(out, number, wf_number_text(value->as.number, number));
    case WF_ARRAY:
        return write_items(value, out);
    default:
        text = word(value, element);
        return write_bytes(out, text, strlen(text));
    }
}

int32_t wf_to_text(wf_run *run, const wf_value *value, wf_text *text)
{
    size_t bytes = 0;
    char *out, *end;
    int32_t status;

    if (value->type == WF_STRING) {
        *text = (wf_text){value->as.text, value->length};
        return WFSM_OK;
    }
    status = wf_text_measure(run, value, false, &bytes);
    if (status)
        return status;
    out = wf_arena_take(run->scope->arena, bytes + 1);
    if (!out)
        return wf_eval_full(run);
    end = wf_text_write(value, false, out);
    WF_INVARIANT(end == out + bytes); /* as measured */
    *end = '\0';
    *text = (wf_text){out, bytes};
    return WFSM_OK;
}
