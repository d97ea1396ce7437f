/* logic/schema_values.c: keywords whose values are not schemas. */
#include "logic/schema_compile.h"

#include <math.h>
#include <string.h>

int32_t wf_read_number(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                       const wf_place *at, size_t offset)
{
    wf_bound *bound = wf_schema_at(out, offset);

    if (value->type != WF_NUMBER)
        return wf_schema_expected(c, at, "a number");
    *bound = (wf_bound){true, value->as.number};
    return WFSM_OK;
}

int32_t wf_read_multiple(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                         const wf_place *at, size_t offset)
{
    if (value->type != WF_NUMBER || value->as.number <= 0)
        return wf_schema_expected(c, at, "a number greater than 0");
    return wf_read_number(c, out, value, at, offset);
}

int32_t wf_read_count(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                      const wf_place *at, size_t offset)
{
    if (value->type != WF_NUMBER || value->as.number < 0 ||
        value->as.number != floor(value->as.number))
        return wf_schema_expected(c, at, "an integer of 0 or more");
    return wf_read_number(c, out, value, at, offset);
}

int32_t wf_read_boolean(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                        const wf_place *at, size_t offset)
{
    bool *flag = wf_schema_at(out, offset);

    if (value->type != WF_BOOLEAN)
        return wf_schema_expected(c, at, "true or false");
    *flag = value->as.boolean;
    return WFSM_OK;
}

int32_t wf_read_value(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                      const wf_place *at, size_t offset)
{
    const wf_value **place = wf_schema_at(out, offset);

    (void)c;
    (void)at;
    *place = value;
    return WFSM_OK;
}

int32_t wf_read_options(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                        const wf_place *at, size_t offset)
{
    if (value->type != WF_ARRAY || value->length == 0)
        return wf_schema_expected(c, at, "an array of one or more values");
    return wf_read_value(c, out, value, at, offset);
}

int32_t wf_read_required(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                         const wf_place *at, size_t offset)
{
    if (value->type != WF_ARRAY)
        return wf_schema_expected(c, at, "an array of strings");
    for (uint32_t i = 0; i < value->length; i++) {
        wf_place item = {at, NULL, 0, i};

        if (value->as.items[i].type != WF_STRING)
            return wf_schema_expected(c, &item, "a string");
    }
    return wf_read_value(c, out, value, at, offset);
}

static int32_t add_type(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                        const wf_place *at)
{
    static const char *const names[] = {
        [WF_NULL] = "null",           [WF_BOOLEAN] = "boolean", [WF_NUMBER] = "number",
        [WF_STRING] = "string",       [WF_ARRAY] = "array",     [WF_OBJECT] = "object",
        [WF_INTEGER_TYPE] = "integer"};

    for (unsigned type = WF_NULL; type <= WF_INTEGER_TYPE; type++) {
        if (value->type == WF_STRING && strcmp(value->as.text, names[type]) == 0) {
            out->types = (uint8_t)(out->types | 1u << type);
            return WFSM_OK;
        }
    }
    return wf_schema_expected(c, at,
                              "\"null\", \"boolean\", \"number\", \"integer\", \"string\", "
                              "\"array\" or \"object\"");
}

int32_t wf_read_type(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                     const wf_place *at, size_t offset)
{
    int32_t status = WFSM_OK;

    (void)offset;
    if (value->type != WF_ARRAY)
        return add_type(c, out, value, at);
    if (!value->length)
        return wf_schema_expected(c, at, "one or more types");
    for (uint32_t i = 0; i < value->length && !status; i++) {
        wf_place item = {at, NULL, 0, i};

        status = add_type(c, out, &value->as.items[i], &item);
    }
    return status;
}

int32_t wf_read_reference(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                          const wf_place *at, size_t offset)
{
    if (value->type != WF_STRING || value->as.text[0] != '#')
        return wf_schema_expected(c, at, "a reference into this schema, as \"#/$defs/NAME\"");
    return wf_read_value(c, out, value, at, offset);
}
