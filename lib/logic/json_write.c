/* logic/json_write.c: values as JSON text. */
#include "logic/json.h"

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

static bool needs_escape(char byte)
{
    return (unsigned char)byte < 0x20 || byte == '"' || byte == '\\';
}

static void write_escape(wf_buffer *buffer, char byte)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', short_escape(byte), '0', '0', '0', '0'};

    if (text[1]) {
        wf_buffer_add(buffer, text, 2);
        return;
    }
    text[1] = 'u';
    text[4] = hex[(unsigned char)byte >> 4];
    text[5] = hex[byte & 15];
    wf_buffer_add(buffer, text, 6);
}

void wf_json_write_text(wf_buffer *buffer, const char *text, size_t length)
{
    size_t from = 0;

    wf_buffer_byte(buffer, '"');
    for (size_t i = 0; i < length; i++) {
        if (!needs_escape(text[i]))
            continue;
        wf_buffer_add(buffer, text + from, i - from);
        write_escape(buffer, text[i]);
        from = i + 1;
    }
    wf_buffer_add(buffer, text + from, length - from);
    wf_buffer_byte(buffer, '"');
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
