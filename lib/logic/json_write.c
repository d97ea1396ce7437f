/* logic/json_write.c: values as JSON text. */
#include "logic/json.h"

#include <string.h>
#include "base/invariant.h"
#include "base/plain.h"

/* The letter behind the backslash, 0 for none. */
static char short_escape(char byte)
{
    switch (byte) {
    case '"':
        return '"';
    case '\\':
        return '\\';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static void write_escape(wf_buffer *buffer, char byte)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', short_escape(byte), '0', '0', '0', '0'};

    if (text[1]) {
        wf_buffer_add(buffer, text, 2);
        return;
    }
    WF_INVARIANT((unsigned char)byte < 0x20); /* UTF-8 is written as it is */
    text[1] = 'u';
    text[4] = hex[(unsigned char)byte >> 4];
    text[5] = hex[byte & 15];
    wf_buffer_add(buffer, text, 6);
}

/* From `at`, the next that has to be escaped, or length. */
static size_t find_escape(const char *text, size_t at, size_t length)
{
    at = wf_skip_plain(text, at, length);
    while (at < length && (unsigned char)text[at] >= 0x80)
        at = wf_skip_plain(text, at + 1, length);
    return at;
}

static void write_escaped(wf_buffer *buffer, const char *text, size_t length, size_t at)
{
    size_t from = 0;

    wf_buffer_byte(buffer, '"');
    for (; at < length; at = find_escape(text, from, length)) {
        wf_buffer_add(buffer, text + from, at - from);
        write_escape(buffer, text[at]);
        from = at + 1;
    }
    wf_buffer_add(buffer, text + from, length - from);
    wf_buffer_byte(buffer, '"');
}

void wf_json_write_text(wf_buffer *buffer, const char *text, size_t length)
{
    size_t at = find_escape(text, 0, length);
    char *out = at == length ? wf_buffer_room(buffer, length + 2) : NULL;

    if (at < length) {
        write_escaped(buffer, text, length, at);
    } else if (out) {
        out[0] = '"';
        memcpy(out + 1, text, length);
        out[length + 1] = '"';
        out[length + 2] = '\0';
        buffer->length += length + 2;
    }
}

static void write_array(wf_buffer *buffer, const wf_value *value)
{
    wf_buffer_byte(buffer, '[');
    for (uint32_t i = 0; i < value->length; i++) {
        if (i)
            wf_buffer_byte(buffer, ',');
        wf_json_write(buffer, &value->as.items[i]);
    }
    wf_buffer_byte(buffer, ']');
}

static void write_object(wf_buffer *buffer, const wf_value *value)
{
    wf_buffer_byte(buffer, '{');
    for (uint32_t i = 0; i < value->length; i++) {
        const wf_member *member = &value->as.members[i];

        if (i)
            wf_buffer_byte(buffer, ',');
        wf_json_write_text(buffer, member->key, member->length);
        wf_buffer_byte(buffer, ':');
        wf_json_write(buffer, &member->value);
    }
    wf_buffer_byte(buffer, '}');
}

void wf_json_write(wf_buffer *buffer, const wf_value *value)
{
    switch (value->type) {
    case WF_BOOLEAN:
        wf_buffer_text(buffer, value->as.boolean ? "true" : "false");
        break;
    case WF_NUMBER:
        wf_json_write_number(buffer, value->as.number);
        break;
    case WF_STRING:
        wf_json_write_text(buffer, value->as.text, value->length);
        break;
    case WF_ARRAY:
        write_array(buffer, value);
        break;
    case WF_OBJECT:
        write_object(buffer, value);
        break;
    default:
        wf_buffer_text(buffer, "null");
    }
}
