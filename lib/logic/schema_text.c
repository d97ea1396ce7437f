/* logic/schema_text.c: values, options and types as text for messages. */
#include "logic/schema_tree.h"

#include <string.h>
#include "base/utf8.h"
#include "logic/json.h"

typedef struct line {
    char *out;
    size_t size;
    size_t length;
} line;

/* All of it, or as much as fits; never a part of a character. */
static void put(line *to, const char *text, size_t length)
{
    size_t room = to->size - 1 - to->length;

    if (length > room) {
        length = room;
        while (length && !wf_utf8_valid(text, length))
            length--;
    }
    memcpy(to->out + to->length, text, length);
    to->length += length;
    to->out[to->length] = '\0';
}

static void put_z(line *to, const char *text)
{
    put(to, text, strlen(text));
}

/* In quotes, at most 60 bytes; control characters, which a terminal might obey, as '?'.
 */
static void put_string(line *to, const wf_value *value)
{
    char text[61];
    size_t length = value->length < 60 ? value->length : 60;

    memcpy(text, value->as.text, length);
    while (length && !wf_utf8_valid(text, length))
        length--;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
            text[i] = '?';
    put_z(to, "\"");
    put(to, text, length);
    put_z(to, length < value->length ? "…\"" : "\"");
}

static void put_number(line *to, double number)
{
    char text[WF_NUMBER_BYTES];

    put(to, text, wf_number_text(number, text));
}

static void put_count(line *to, const char *what, uint32_t count, const char *of)
{
    put_z(to, what);
    put_number(to, count);
    put_z(to, of);
    put_z(to, count == 1 ? "" : "s");
}

static void put_value(line *to, const wf_value *value)
{
    switch (value->type) {
    case WF_NULL:
        put_z(to, "null");
        break;
    case WF_BOOLEAN:
        put_z(to, value->as.boolean ? "true" : "false");
        break;
    case WF_NUMBER:
        put_number(to, value->as.number);
        break;
    case WF_STRING:
        put_string(to, value);
        break;
    case WF_ARRAY:
        put_count(to, "an array of ", value->length, " element");
        break;
    case WF_OBJECT:
        put_count(to, "an object of ", value->length, " member");
        break;
    default:
        put_z(to, "nothing");
    }
}

void wf_describe_value(const wf_value *value, char out[WF_FOUND_BYTES])
{
    line to = {out, WF_FOUND_BYTES, 0};

    put_value(&to, value);
}

void wf_describe_options(const wf_value *options, char out[WF_EXPECTED_BYTES])
{
    line to = {out, WF_EXPECTED_BYTES, 0};

    /* Of a container only its size would be told: no help when the sizes are the same. */
    if (options->length == 1 && options->as.items->type >= WF_ARRAY)
        put_z(&to, "exactly the value given there, ");
    put_z(&to, options->length == 1 ? "" : "one of ");
    for (uint32_t i = 0; i < options->length; i++) {
        if (i)
            put_z(&to, ", ");
        if (to.length > WF_EXPECTED_BYTES - 80) {
            put_z(&to, "…");
            return;
        }
        put_value(&to, &options->as.items[i]);
    }
}

void wf_describe_types(uint8_t types, char out[WF_EXPECTED_BYTES])
{
    static const char *const names[] = {[WF_NULL] = "null",
                                        [WF_BOOLEAN] = "a boolean",
                                        [WF_NUMBER] = "a number",
                                        [WF_STRING] = "a string",
                                        [WF_ARRAY] = "an array",
                                        [WF_OBJECT] = "an object",
                                        [WF_INTEGER_TYPE] = "an integer"};
    line to = {out, WF_EXPECTED_BYTES, 0};

    out[0] = '\0';
    for (unsigned type = WF_NULL; type <= WF_INTEGER_TYPE; type++) {
        if (!(types >> type & 1))
            continue;
        put_z(&to, to.length ? " or " : "");
        put_z(&to, names[type]);
    }
}
