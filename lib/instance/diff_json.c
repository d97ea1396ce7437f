/* What changed from one JSON value to another. */
#include "instance/diff.h"

#include "logic/json.h"
#include "store/record_parts.h"

void wf_diff_cut(wf_buffer *out, size_t length)
{
    if (out->failed || length == out->length)
        return;
    out->length = length;
    out->data[length] = '\0';
}

/* ---- changes with their paths ---- */

typedef struct comparing {
    wf_buffer *out, *path;
} comparing;

/* A key of a JSON pointer: "~" is "~0" and "/" is "~1". */
static void add_key(wf_buffer *path, const char *key, size_t length)
{
    wf_buffer_byte(path, '/');
    for (size_t i = 0; i < length; i++) {
        if (key[i] == '~' || key[i] == '/')
            wf_buffer_text(path, key[i] == '~' ? "~0" : "~1");
        else
            wf_buffer_byte(path, key[i]);
    }
}

static void write_change(comparing *self, const wf_value *before, const wf_value *after)
{
    wf_buffer *out = self->out;
    out->failed |= self->path->failed;
    wf_write_comma(out);
    wf_buffer_byte(out, '{');
    wf_write_key(out, "path");
    wf_json_write_text(out, self->path->length > 0 ? self->path->data : "", self->path->length);
    if (before) {
        wf_write_key(out, "from");
        wf_json_write(out, before);
    }
    if (after) {
        wf_write_key(out, "to");
        wf_json_write(out, after);
    }
    wf_buffer_byte(out, '}');
}

static void compare(comparing *self, const wf_value *before, const wf_value *after);

static void compare_at(comparing *self, const char *key, size_t length, const wf_value *before,
                       const wf_value *after)
{
    size_t mark = self->path->length;
    add_key(self->path, key, length);
    compare(self, before, after);
    wf_diff_cut(self->path, mark);
}

/* In the order of the new one; what was removed comes last. */
static void compare_objects(comparing *self, const wf_value *before, const wf_value *after)
{
    for (uint32_t i = 0; i < after->length; i++) {
        const wf_member *member = &after->as.members[i];
        compare_at(self, member->key, member->length,
                   wf_value_get(before, member->key, member->length), &member->value);
    }
    for (uint32_t i = 0; i < before->length; i++) {
        const wf_member *member = &before->as.members[i];
        if (!wf_value_get(after, member->key, member->length))
            compare_at(self, member->key, member->length, &member->value, NULL);
    }
}

static void compare_arrays(comparing *self, const wf_value *before, const wf_value *after)
{
    uint32_t most = before->length > after->length ? before->length : after->length;
    char index[WF_NUMBER_BYTES];
    for (uint32_t i = 0; i < most; i++)
        compare_at(self, index, wf_number_text(i, index),
                   i < before->length ? &before->as.items[i] : NULL,
                   i < after->length ? &after->as.items[i] : NULL);
}

/* The depth is that of JSON that was read, so it is bounded. */
static void compare(comparing *self, const wf_value *before, const wf_value *after)
{
    if (!before || !after) {
        write_change(self, before, after);
        return;
    }
    if (wf_value_equal(before, after))
        return;
    if (before->type == WF_OBJECT && after->type == WF_OBJECT)
        compare_objects(self, before, after);
    else if (before->type == WF_ARRAY && after->type == WF_ARRAY)
        compare_arrays(self, before, after);
    else
        write_change(self, before, after);
}

void wf_diff_changes(wf_buffer *out, wf_buffer *path, const char *key, const wf_value *before,
                     const wf_value *after)
{
    const wf_value none = wf_object(NULL, 0);
    comparing self = {out, path};
    before = before ? before : &none;
    after = after ? after : &none;
    if (wf_value_equal(before, after))
        return;
    wf_buffer_clear(path);
    wf_write_key(out, key);
    wf_buffer_byte(out, '[');
    compare(&self, before, after);
    wf_buffer_byte(out, ']');
}

/* ---- whole values ---- */

void wf_diff_pair(wf_buffer *out, const char *key, const wf_value *before,
                  const wf_value *after)
{
    const wf_value null = wf_null();
    before = before ? before : &null;
    after = after ? after : &null;
    if (wf_value_equal(before, after))
        return;
    wf_write_key(out, key);
    wf_buffer_byte(out, '{');
    wf_write_key(out, "from");
    wf_json_write(out, before);
    wf_write_key(out, "to");
    wf_json_write(out, after);
    wf_buffer_byte(out, '}');
}

static bool has(const wf_value *list, const wf_value *item)
{
    for (uint32_t i = 0; i < list->length; i++)
        if (wf_value_equal(&list->as.items[i], item))
            return true;
    return false;
}

void wf_diff_missing(wf_buffer *out, const char *key, const wf_value *list,
                     const wf_value *other)
{
    size_t mark = out->length, start;
    wf_write_key(out, key);
    wf_buffer_byte(out, '[');
    start = out->length;
    for (uint32_t i = 0; i < list->length; i++) {
        if (has(other, &list->as.items[i]))
            continue;
        wf_write_comma(out);
        wf_json_write(out, &list->as.items[i]);
    }
    if (out->length == start)
        wf_diff_cut(out, mark);
    else
        wf_buffer_byte(out, ']');
}
