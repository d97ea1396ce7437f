/* logic/json_length.c: how long the JSON text of a value is, without writing it. */
#include "logic/json.h"

#include "base/plain.h"

/* Bytes by which the byte of a text becomes longer. */
static size_t escape_length(unsigned char byte)
{
    if (byte >= 0x20)
        return byte == '"' || byte == '\\';
    return byte >= '\b' && byte <= '\r' && byte != '\v' ? 1 : 5;
}

/* Eight plain bytes are passed over at once. */
size_t wf_json_text_length(const char *text, size_t length)
{
    size_t bytes = length + 2, at = 0;

    while (at < length) {
        size_t end = at + 8 < length ? at + 8 : length;
        bool plain = at + 8 <= length && !wf_not_plain(text + at);

        for (; !plain && at < end; at++)
            bytes += escape_length((unsigned char)text[at]);
        at = end;
    }
    return bytes;
}

/* ---- at most ---- */

enum { SMALL_BYTES = 11, WHOLE_BYTES = 17, FRACTION_BYTES = 24 };

static size_t number_bound(double number, size_t *work)
{
    size_t steps = wf_number_steps(number);

    *work += steps - 1;
    if (steps > 1)
        return FRACTION_BYTES;
    return number > -1e9 && number < 1e9 ? SMALL_BYTES : WHOLE_BYTES;
}

static size_t items_bound(const wf_value *value, size_t *work)
{
    size_t bytes = 2;

    for (uint32_t i = 0; i < value->length; i++)
        bytes += 1 + wf_json_bound(&value->as.items[i], work);
    return bytes;
}

static size_t members_bound(const wf_value *value, size_t *work)
{
    size_t bytes = 2;

    for (uint32_t i = 0; i < value->length; i++) {
        const wf_member *member = &value->as.members[i];

        bytes += 2 + wf_json_text_length(member->key, member->length) +
                 wf_json_bound(&member->value, work);
    }
    return bytes;
}

size_t wf_json_bound(const wf_value *value, size_t *work)
{
    switch (value->type) {
    case WF_NUMBER:
        return number_bound(value->as.number, work);
    case WF_STRING:
        return wf_json_text_length(value->as.text, value->length);
    case WF_ARRAY:
        return items_bound(value, work);
    case WF_OBJECT:
        return members_bound(value, work);
    default:
        return 5; /* false */
    }
}

/* ---- exactly ---- */

static size_t array_length(const wf_value *value, size_t most)
{
    size_t bytes = 2 + (value->length ? value->length - 1u : 0u);

    for (uint32_t i = 0; i < value->length && bytes <= most; i++)
        bytes += wf_json_length(&value->as.items[i], most - bytes);
    return bytes;
}

static size_t object_length(const wf_value *value, size_t most)
{
    /* Each member has a colon, and all but one a comma. */
    size_t bytes = 2 + (value->length ? 2 * (size_t)value->length - 1 : 0);

    for (uint32_t i = 0; i < value->length && bytes <= most; i++) {
        const wf_member *member = &value->as.members[i];

        bytes += wf_json_text_length(member->key, member->length);
        if (bytes <= most)
            bytes += wf_json_length(&member->value, most - bytes);
    }
    return bytes;
}

size_t wf_json_length(const wf_value *value, size_t most)
{
    char number[WF_NUMBER_BYTES];

    switch (value->type) {
    case WF_BOOLEAN:
        return value->as.boolean ? 4 : 5;
    case WF_NUMBER:
        return wf_number_text(value->as.number, number);
    case WF_STRING:
        return wf_json_text_length(value->as.text, value->length);
    case WF_ARRAY:
        return array_length(value, most);
    case WF_OBJECT:
        return object_length(value, most);
    default:
        return 4;
    }
}
