/* logic/schema_compile.c: JSON Schema, keyword by keyword. */
#include "logic/schema_compile.h"

#include <string.h>

static int32_t read_schema(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                           const wf_place *at, size_t offset)
{
    const wf_schema **place = wf_schema_at(out, offset);

    return wf_schema_read(c, value, at, place);
}

static int32_t read_schemas(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                            const wf_place *at, size_t offset)
{
    wf_schema_list *into = wf_schema_at(out, offset);
    const wf_schema **list;
    int32_t status = WFSM_OK;

    if (value->type != WF_ARRAY || !value->length)
        return wf_schema_expected(c, at, "an array of one or more schemas");
    list = wf_arena_zero(c->arena, value->length * sizeof *list);
    if (!list)
        return wf_schema_full(c);
    for (uint32_t i = 0; i < value->length && !status; i++) {
        const wf_place *item = wf_schema_below(c, at, NULL, 0, i);

        status =
            item ? wf_schema_read(c, &value->as.items[i], item, &list[i]) : wf_schema_full(c);
    }
    *into = (wf_schema_list){list, value->length, true};
    return status;
}

enum { FEW_PROPERTIES = 16 };

/* A context may have thousands of keys. */
static int32_t make_table(wf_schema_compiler *c, wf_schema *schema)
{
    uint32_t size = 2 * FEW_PROPERTIES, *table;

    if (schema->property_count <= FEW_PROPERTIES)
        return WFSM_OK;
    while (size / 2 < schema->property_count)
        size *= 2;
    table = wf_arena_zero(c->arena, size * sizeof *table);
    if (!table)
        return wf_schema_full(c);
    for (uint32_t i = 0; i < schema->property_count; i++) {
        uint32_t at = schema->properties[i].source->hash & (size - 1);

        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    schema->property_table = table;
    schema->property_mask = size - 1;
    return WFSM_OK;
}

static int32_t read_properties(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                               const wf_place *at, size_t offset)
{
    wf_schema_property *list;
    int32_t status = WFSM_OK;

    (void)offset;
    if (value->type != WF_OBJECT)
        return wf_schema_expected(c, at, "an object whose members are schemas");
    list = wf_arena_zero(c->arena, value->length * sizeof *list);
    if (!list)
        return wf_schema_full(c);
    for (uint32_t i = 0; i < value->length && !status; i++) {
        const wf_member *member = &value->as.members[i];
        const wf_place *item = wf_schema_below(c, at, member->key, member->length, 0);

        list[i].source = member;
        status =
            item ? wf_schema_read(c, &member->value, item, &list[i].schema) : wf_schema_full(c);
    }
    out->properties = list;
    out->property_count = value->length;
    return status ? status : make_table(c, out);
}

/* Only a $ref leads to them. */
static int32_t read_definitions(wf_schema_compiler *c, wf_schema *out, const wf_value *value,
                                const wf_place *at, size_t offset)
{
    wf_schema unused = {0};

    (void)out;
    return read_properties(c, &unused, value, at, offset);
}

#define AT(member) offsetof(wf_schema, member)
static const wf_schema_keyword keywords[] = {
    {"type", wf_read_type, 0},
    {"enum", wf_read_options, AT(options)},
    {"const", wf_read_value, AT(constant)},
    {"properties", read_properties, 0},
    {"required", wf_read_required, AT(required)},
    {"additionalProperties", read_schema, AT(additional)},
    {"items", read_schema, AT(items)},
    {"prefixItems", read_schemas, AT(prefix)},
    {"minItems", wf_read_count, AT(min_items)},
    {"maxItems", wf_read_count, AT(max_items)},
    {"uniqueItems", wf_read_boolean, AT(unique)},
    {"minLength", wf_read_count, AT(min_length)},
    {"maxLength", wf_read_count, AT(max_length)},
    {"minimum", wf_read_number, AT(minimum)},
    {"maximum", wf_read_number, AT(maximum)},
    {"exclusiveMinimum", wf_read_number, AT(above)},
    {"exclusiveMaximum", wf_read_number, AT(below)},
    {"multipleOf", wf_read_multiple, AT(multiple)},
    {"minProperties", wf_read_count, AT(min_members)},
    {"maxProperties", wf_read_count, AT(max_members)},
    {"anyOf", read_schemas, AT(any)},
    {"oneOf", read_schemas, AT(one)},
    {"allOf", read_schemas, AT(all)},
    {"not", read_schema, AT(negated)},
    {"$defs", read_definitions, 0},
    {"$ref", wf_read_reference, AT(reference_text)},
    {"title", NULL, 0},
    {"description", NULL, 0},
    {"default", NULL, 0},
    {"examples", NULL, 0},
    {"$comment", NULL, 0},
    {"$schema", NULL, 0},
    {"$id", NULL, 0},
    {"format", NULL, 0},
    {"deprecated", NULL, 0},
    {"readOnly", NULL, 0},
    {"writeOnly", NULL, 0},
};
#undef AT

static const wf_schema_keyword *find_keyword(const wf_member *member)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i].name, member->key) == 0)
            return &keywords[i];
    return NULL;
}

static int32_t read_keyword(wf_schema_compiler *c, wf_schema *out, const wf_member *member,
                            const wf_place *place)
{
    const wf_schema_keyword *keyword = find_keyword(member);
    const wf_place *at;

    if (!keyword) {
        wf_place here = {place, member->key, member->length, 0};

        return wf_fail_at(c->error, &here, WFSM_SEMANTIC,
                          "unsupported keyword \"%.100s\" of JSON Schema", member->key);
    }
    if (!keyword->read)
        return WFSM_OK;
    at = wf_schema_below(c, place, keyword->name, strlen(keyword->name), 0);
    return at ? keyword->read(c, out, &member->value, at, keyword->offset) : wf_schema_full(c);
}

int32_t wf_schema_read(wf_schema_compiler *c, const wf_value *source, const wf_place *place,
                       const wf_schema **out)
{
    wf_schema *schema = wf_arena_zero(c->arena, sizeof *schema);
    int32_t status = WFSM_OK;

    *out = schema;
    if (!schema)
        return wf_schema_full(c);
    schema->source = source;
    schema->place = place;
    schema->before = c->last;
    c->last = schema;
    if (source->type == WF_BOOLEAN) {
        schema->never = !source->as.boolean;
        return WFSM_OK;
    }
    if (source->type != WF_OBJECT)
        return wf_schema_expected(c, place, "a JSON Schema: an object, true or false");
    for (uint32_t i = 0; i < source->length && !status; i++)
        status = read_keyword(c, schema, &source->as.members[i], place);
    return status;
}

int32_t wf_schema_compile(const wf_schema **out, const wf_value *source, wf_arena *arena,
                          const wf_place *place, wfsm_error *error)
{
    wf_schema_compiler c = {arena, error, NULL};
    wf_place *root = wf_arena_zero(arena, sizeof *root);
    wf_value *own = wf_arena_take(arena, sizeof *own);
    int32_t status;

    if (!root || !own)
        return wf_schema_full(&c);
    *own = *source;
    /* While it is compiled, places lead into the document around it; for messages of
     * the checker the schema is the root. */
    if (place)
        *root = *place;
    status = wf_schema_read(&c, own, root, out);
    if (!status)
        status = wf_schema_link(*out, c.last, error);
    *root = (wf_place){0};
    return status;
}
