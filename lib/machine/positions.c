/* machine/positions.c */
#include "machine/positions.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

typedef struct walker {
    const char *text;
    size_t length;
    size_t at;
    size_t line_start;
    int32_t line;
    wf_diagnostic *diagnostics; /* sorted by value */
    size_t count;
} walker;

typedef struct spot {
    int32_t line, column;
} spot;

static size_t unescape(const char *from, size_t length, char *to)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        if (from[i] == '~' && i + 1 < length)
            to[used++] = from[++i] == '0' ? '~' : '/';
        else
            to[used++] = from[i];
    }
    return used;
}

static const wf_value *item(const wf_value *array, const char *token)
{
    char *end;
    unsigned long index = (unsigned long)strtol(token, &end, 10);

    if (end == token || (*end && *end != '/') || index >= array->length)
        return NULL;
    return &array->as.items[index];
}

static const wf_value *member(const wf_value *object, const char *token, size_t length)
{
    char key[512];

    if (length <= sizeof key)
        return wf_value_get(object, key, unescape(token, length, key));
    /* Longer ones are looked for the slow way rather than copied. */
    for (uint32_t i = 0; i < object->length; i++) {
        char text[2048];
        wf_place up = {NULL, NULL, 0, 0};
        wf_place place = {&up, object->as.members[i].key, object->as.members[i].length, 0};
        size_t full = wf_place_pointer(&place, text, sizeof text);

        if (full == length + 1 && full < sizeof text && !memcmp(text + 1, token, length))
            return &object->as.members[i].value;
    }
    return NULL;
}

static const wf_value *lookup(const wf_value *value, const char *pointer)
{
    while (*pointer == '/') {
        const char *token = pointer + 1;
        size_t length = strcspn(token, "/");
        const wf_value *next = NULL;

        if (value->type == WF_ARRAY)
            next = item(value, token);
        else if (value->type == WF_OBJECT)
            next = member(value, token, length);
        if (!next)
            return value;
        value = next;
        pointer = token + length;
    }
    return value;
}

static int by_value(const void *left, const void *right)
{
    uintptr_t a = (uintptr_t)((const wf_diagnostic *)left)->value;
    uintptr_t b = (uintptr_t)((const wf_diagnostic *)right)->value;

    return a < b ? -1 : a > b;
}

/* The first diagnostic about this value or a later one. */
static size_t first_for(const walker *walk, const wf_value *value)
{
    size_t low = 0, high = walk->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((uintptr_t)walk->diagnostics[middle].value < (uintptr_t)value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void mark(walker *walk, const wf_value *value, spot key, spot here)
{
    for (size_t i = first_for(walk, value); i < walk->count; i++) {
        wf_diagnostic *diagnostic = &walk->diagnostics[i];
        spot at = diagnostic->on_key ? key : here;

        if (diagnostic->value != value)
            return;
        diagnostic->line = at.line;
        diagnostic->column = at.column;
    }
}

static char peek(const walker *walk)
{
    return walk->at < walk->length ? walk->text[walk->at] : '\0';
}

static void skip_space(walker *walk)
{
    for (; walk->at < walk->length; walk->at++) {
        char byte = walk->text[walk->at];

        if (byte == '\n') {
            walk->line++;
            walk->line_start = walk->at + 1;
        } else if (byte != ' ' && byte != '\t' && byte != '\r') {
            return;
        }
    }
}

static spot here(const walker *walk)
{
    return (spot){walk->line, (int32_t)(walk->at - walk->line_start + 1)};
}

static void skip_string(walker *walk)
{
    for (walk->at++; walk->at < walk->length; walk->at++) {
        char byte = walk->text[walk->at];

        if (byte == '\\')
            walk->at++;
        else if (byte == '"') {
            walk->at++;
            return;
        }
    }
}

static void skip_scalar(walker *walk)
{
    if (peek(walk) == '"') {
        skip_string(walk);
        return;
    }
    while (walk->at < walk->length && !strchr(",]} \t\r\n", walk->text[walk->at]))
        walk->at++;
}

static void step_over(walker *walk, char byte)
{
    skip_space(walk);
    if (peek(walk) == byte)
        walk->at++;
}

static void walk_value(walker *walk, const wf_value *value, const spot *key);

static void walk_items(walker *walk, const wf_value *array)
{
    step_over(walk, '[');
    for (uint32_t i = 0; i < array->length; i++) {
        walk_value(walk, &array->as.items[i], NULL);
        step_over(walk, ',');
    }
    step_over(walk, ']');
}

static void walk_members(walker *walk, const wf_value *object)
{
    step_over(walk, '{');
    for (uint32_t i = 0; i < object->length; i++) {
        spot key;

        skip_space(walk);
        key = here(walk);
        skip_string(walk);
        step_over(walk, ':');
        walk_value(walk, &object->as.members[i].value, &key);
        step_over(walk, ',');
    }
    step_over(walk, '}');
}

/* Text and values were made from each other, so they are walked side by side. */
static void walk_value(walker *walk, const wf_value *value, const spot *key)
{
    spot start;

    skip_space(walk);
    start = here(walk);
    mark(walk, value, key ? *key : start, start);
    if (value->type == WF_ARRAY)
        walk_items(walk, value);
    else if (value->type == WF_OBJECT)
        walk_members(walk, value);
    else
        skip_scalar(walk);
}

void wf_positions_find(wf_diagnostic *diagnostics, size_t count, const char *text,
                       size_t length, const wf_value *root)
{
    walker walk = {text, length, 0, 0, 1, diagnostics, count};

    for (size_t i = 0; i < count; i++)
        diagnostics[i].value = lookup(root, diagnostics[i].pointer);
    qsort(diagnostics, count, sizeof *diagnostics, by_value);
    walk_value(&walk, root, NULL);
    WF_INVARIANT(walk.at <= length && walk.line_start <= walk.at);
}
