/* logic/schema_ref.c: what a local $ref leads to. */
#include "logic/schema_tree.h"

#include <string.h>

#include "base/invariant.h"

/* Each is looked for among all schemas of its document. */
enum { REFERENCES = 4096 };

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One byte of a fragment, its %XX undone; -1 at the end. */
static int fragment_byte(const char **at)
{
    int high, low, byte = (unsigned char)**at;

    if (!byte)
        return -1;
    if (byte == '%' && (high = hex_digit((*at)[1])) >= 0 && (low = hex_digit((*at)[2])) >= 0) {
        *at += 3;
        return high * 16 + low;
    }
    (*at)++;
    return byte;
}

/* The next token of a JSON pointer, without its escapes; false if it does not fit. */
static bool next_token(const char **at, char *out, size_t size, size_t *length)
{
    const char *next = *at;
    int byte;

    *length = 0;
    while ((byte = fragment_byte(&next)) >= 0 && byte != '/') {
        if (byte == '~') {
            byte = fragment_byte(&next);
            byte = byte == '0' ? '~' : byte == '1' ? '/' : 0;
        }
        if (!byte || *length + 1 >= size)
            return false;
        out[(*length)++] = (char)byte;
        *at = next;
    }
    out[*length] = '\0';
    *at = next - (byte == '/');
    return true;
}

static const wf_value *element(const wf_value *array, const char *token)
{
    size_t index = 0;

    for (; *token >= '0' && *token <= '9' && index <= UINT32_MAX; token++)
        index = index * 10 + (size_t)(*token - '0');
    return *token || index >= array->length ? NULL : &array->as.items[index];
}

static const wf_value *follow(const wf_value *at, const char *pointer)
{
    char token[256];
    size_t length;

    while (at && *pointer == '/') {
        pointer++;
        if (!next_token(&pointer, token, sizeof token, &length))
            return NULL;
        if (at->type == WF_ARRAY && length)
            at = element(at, token);
        else
            at = wf_value_get(at, token, length);
    }
    return *pointer ? NULL : at;
}

static const wf_schema *schema_of(const wf_schema *last, const wf_value *source)
{
    for (; last; last = last->before)
        if (last->source == source)
            return last;
    return NULL;
}

static int32_t link_one(const wf_schema *root, wf_schema *last, wf_schema *schema,
                        wfsm_error *error)
{
    wf_place at = {schema->place, "$ref", 4, 0};
    const char *text = schema->reference_text->as.text;
    const wf_value *target = follow(root->source, text + 1);

    WF_INVARIANT(text[0] == '#'); /* wf_read_reference() */
    schema->reference = target ? schema_of(last, target) : NULL;
    if (schema->reference)
        return WFSM_OK;
    return wf_fail_at(error, &at, WFSM_SEMANTIC,
                      "expected a reference to a schema in this one, found \"%.200s\"", text);
}

int32_t wf_schema_link(const wf_schema *root, wf_schema *last, wfsm_error *error)
{
    size_t count = 0;
    int32_t status = WFSM_OK;

    for (wf_schema *schema = last; schema && !status; schema = schema->before) {
        if (!schema->reference_text)
            continue;
        if (++count > REFERENCES)
            return wf_fail_at(error, schema->place, WFSM_LIMIT,
                              "expected at most %d references in one schema", REFERENCES);
        status = link_one(root, last, schema, error);
    }
    return status;
}
