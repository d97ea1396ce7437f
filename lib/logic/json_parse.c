/* logic/json_parse.c: JSON text to values. The only file that knows jansson. */
#include "logic/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "logic/json_scan.h"

enum { TEXT_MOST = INT32_MAX - 1 };

typedef struct reader {
    wf_arena *arena;
    const char *text;
    size_t length;
    wfsm_error *error;
} reader;

static int32_t fail_at_offset(const reader *in, size_t offset, int32_t status)
{
    int32_t line, column;

    wf_json_position(in->text, in->length, offset, &line, &column);
    wf_error_set_position(in->error, line, column);
    return status;
}

/* What stands at a place of the text, for a message. */
static void describe(const reader *in, size_t at, char *out, size_t size)
{
    unsigned char byte = at < in->length ? (unsigned char)in->text[at] : 0;
    char sequence[4];

    if (at >= in->length)
        snprintf(out, size, "the end of the text");
    else if (byte > 0x20 && byte < 0x7F)
        snprintf(out, size, "'%c'", byte);
    else if (byte >= 0x80 &&
             wf_json_character(in->text, in->length, &(size_t){at}, sequence) > 0)
        snprintf(out, size, "a character that is not ASCII");
    else
        snprintf(out, size, "the byte 0x%02X", byte);
}

static int32_t fail_expected(const reader *in, const wf_json_scan *scan)
{
    char found[40], pointer[512];

    wf_json_scan_pointer(scan, pointer, sizeof pointer);
    if (scan->too_deep) {
        wf_fail(in->error, WFSM_LIMIT, "nested deeper than %d levels", WF_MAX_DEPTH);
    } else if (in->length >= 3 && memcmp(in->text, "\xEF\xBB\xBF", 3) == 0) {
        wf_fail(in->error, WFSM_SYNTAX,
                "expected a JSON value, found a byte order mark");
    } else {
        describe(in, scan->at, found, sizeof found);
        wf_fail(in->error, WFSM_SYNTAX, "expected %s, found %s", scan->expected, found);
    }
    wf_error_set_pointer(in->error, pointer);
    return fail_at_offset(in, scan->at, scan->too_deep ? WFSM_LIMIT : WFSM_SYNTAX);
}

/* Of things that only jansson has seen: it stopped just behind them. */
static int32_t fail_behind(const reader *in, wf_json_scan *scan,
                           const json_error_t *why, int32_t status, const char *message)
{
    char pointer[512];
    size_t offset = why->position > 0 ? (size_t)why->position - 1 : 0;
    int32_t line = 0, column = 0;
    bool duplicate = json_error_code(why) == json_error_duplicate_key;

    wf_json_scan_text(scan, in->text, in->length, offset);
    wf_json_scan_pointer(scan, pointer, sizeof pointer);
    wf_fail(in->error, status, "%s", message);
    wf_error_set_pointer(in->error, pointer);
    if (duplicate && scan->depth)
        return fail_at_offset(in, scan->frames[scan->depth - 1].key, status);
    wf_json_locate(in->text, in->length, pointer, false, &line, &column);
    wf_error_set_position(in->error, line, column);
    return status;
}

/* Where our own reader stops in text that is not to be had. */
static int32_t fail_scanned(const reader *in)
{
    wf_json_scan scan;

    wf_json_scan_text(&scan, in->text, in->length, SIZE_MAX);
    /* jansson calls some failed allocations a syntax error: text that is right is not
     * to blame. */
    return scan.expected ? fail_expected(in, &scan) : wf_no_memory(in->error);
}

static int32_t fail_parse(const reader *in, const json_error_t *why)
{
    wf_json_scan scan;

    switch (json_error_code(why)) {
    case json_error_out_of_memory:
        return wf_no_memory(in->error);
    case json_error_numeric_overflow:
        return fail_behind(in, &scan, why, WFSM_SEMANTIC,
                           "expected an integer within ±2^53 or a finite number, found "
                           "a larger one");
    case json_error_duplicate_key:
        return fail_behind(in, &scan, why, WFSM_SYNTAX,
                           "expected every key once, found this one again");
    default:
        return fail_scanned(in);
    }
}

static int32_t fail_value(const reader *in, const wf_place *place, int32_t status,
                          const char *message)
{
    int32_t line, column;

    wf_fail_at(in->error, place, status, "%s", message);
    if (in->error && wf_json_locate(in->text, in->length, wfsm_error_pointer(in->error),
                                    false, &line, &column))
        wf_error_set_position(in->error, line, column);
    return status;
}

static int32_t convert(const reader *in, json_t *from, const wf_place *place,
                       unsigned depth, wf_value *value);

static int32_t convert_array(const reader *in, json_t *from, const wf_place *place,
                             unsigned depth, wf_value *value)
{
    size_t count = json_array_size(from);
    wf_value *items = wf_arena_take(in->arena, count * sizeof *items);

    if (!items)
        return wf_arena_error(in->arena, in->error);
    for (size_t i = 0; i < count; i++) {
        wf_place at = {place, NULL, 0, i};
        int32_t status =
            convert(in, json_array_get(from, i), &at, depth + 1, &items[i]);

        if (status)
            return status;
    }
    *value = wf_array(items, count);
    return WFSM_OK;
}

static int32_t convert_object(const reader *in, json_t *from, const wf_place *place,
                              unsigned depth, wf_value *value)
{
    size_t count = json_object_size(from), i = 0;
    wf_member *members = wf_arena_take(in->arena, count * sizeof *members);

    if (!members)
        return wf_arena_error(in->arena, in->error);
    for (void *at = json_object_iter(from); at; at = json_object_iter_next(from, at)) {
        const char *key = json_object_iter_key(at);
        size_t length = strlen(key);
        wf_place below = {place, key, length, 0};
        char *copy = wf_arena_text(in->arena, key, length);
        wf_value part;
        int32_t status;

        if (!copy)
            return wf_arena_error(in->arena, in->error);
        status = convert(in, json_object_iter_value(at), &below, depth + 1, &part);
        if (status)
            return status;
        wf_member_set(&members[i++], copy, length, part);
    }
    *value = wf_object(members, count);
    return WFSM_OK;
}

static int32_t convert_integer(const reader *in, json_int_t from, const wf_place *place,
                               wf_value *value)
{
    if (from > 9007199254740992 || from < -9007199254740992)
        return fail_value(in, place, WFSM_SEMANTIC,
                          "expected an integer within ±2^53, found a larger one");
    *value = wf_number((double)from);
    return WFSM_OK;
}

static int32_t convert_string(const reader *in, json_t *from, wf_value *value)
{
    *value =
        wf_string_copy(in->arena, json_string_value(from), json_string_length(from));
    if (value->type != WF_ABSENT || !(in->arena->failed || in->arena->exceeded))
        return WFSM_OK;
    return wf_arena_error(in->arena, in->error);
}

static int32_t convert_part(const reader *in, json_t *from, const wf_place *place,
                            unsigned depth, wf_value *value)
{
    switch (json_typeof(from)) {
    case JSON_OBJECT:
        return convert_object(in, from, place, depth, value);
    case JSON_ARRAY:
        return convert_array(in, from, place, depth, value);
    case JSON_STRING:
        return convert_string(in, from, value);
    case JSON_INTEGER:
        return convert_integer(in, json_integer_value(from), place, value);
    case JSON_REAL:
        *value = wf_number(json_real_value(from));
        return WFSM_OK;
    case JSON_NULL:
        *value = wf_null();
        return WFSM_OK;
    default:
        *value = wf_boolean(json_is_true(from));
        return WFSM_OK;
    }
}

static int32_t convert(const reader *in, json_t *from, const wf_place *place,
                       unsigned depth, wf_value *value)
{
    int32_t status;

    if (depth > WF_MAX_DEPTH || (depth == WF_MAX_DEPTH && json_is_object(from)) ||
        (depth == WF_MAX_DEPTH && json_is_array(from)))
        return fail_scanned(in);
    status = convert_part(in, from, place, depth, value);
    if (!status && value->type == WF_ABSENT)
        return wf_fail_at(in->error, place, WFSM_LIMIT, "larger than %d bytes",
                          WF_MAX_WEIGHT);
    return status;
}

int32_t wf_json_parse(wf_arena *arena, const char *text, size_t length, wf_value *value,
                      wfsm_error *error)
{
    reader in = {arena, text, length, error};
    wf_place root = {0};
    json_error_t why = {.line = 0}; /* not always filled in when out of memory */
    json_t *parsed;
    int32_t status;

    if (length > TEXT_MOST)
        return wf_fail(error, WFSM_LIMIT, "expected at most %d bytes of text",
                       TEXT_MOST);
    /* jansson takes no notice of some NUL bytes. */
    if (!length || memchr(text, '\0', length))
        return fail_scanned(&in);
    parsed = json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
    if (!parsed)
        return fail_parse(&in, &why);
    status = convert(&in, parsed, &root, 0, value);
    json_decref(parsed);
    return status;
}
