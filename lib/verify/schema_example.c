/* verify/schema_example.c: one value that fits a schema. */
#include "verify/constraints.h"

enum { MOST_DEPTH = 6, MOST_ITEMS = 64 };

static wf_value example_object(const wf_schema *schema, wf_arena *arena, uint32_t depth)
{
    uint32_t count = schema->required ? schema->required->length : 0;
    wf_member *members = wf_arena_take(arena, (count + 1u) * sizeof *members);
    if (!members)
        return wf_absent();
    for (uint32_t i = 0; i < count; i++) {
        const wf_value *key = &schema->required->as.items[i];
        const wf_schema *own = wf_schema_of_member(schema, key->as.text, key->length);
        wf_value value = wf_null();
        if (own)
            value = wf_value_of_schema(own, arena, depth + 1);
        if (value.type == WF_ABSENT)
            return value;
        wf_member_set(&members[i], key->as.text, key->length, value);
    }
    return wf_object(members, count);
}

static wf_value example_list(const wf_schema *schema, wf_arena *arena, uint32_t depth)
{
    double least = schema->min_items.set ? schema->min_items.value : 0;
    uint32_t count = least > MOST_ITEMS ? MOST_ITEMS : (uint32_t)least;
    wf_value *items = wf_arena_take(arena, (count + 1u) * sizeof *items);
    if (!items)
        return wf_absent();
    for (uint32_t i = 0; i < count; i++) {
        items[i] =
            schema->items ? wf_value_of_schema(schema->items, arena, depth + 1) : wf_null();
        if (items[i].type == WF_ABSENT)
            return items[i];
    }
    return wf_array(items, count);
}

static wf_value example_text(const wf_value_domain *domain, wf_arena *arena)
{
    size_t length = domain->length_least > 4096 ? 4096 : (size_t)domain->length_least;
    char *text = wf_arena_take(arena, length + 1);
    if (!text)
        return wf_absent();
    for (size_t i = 0; i < length; i++)
        text[i] = 'x';
    text[length] = '\0';
    return domain->others ? wf_string(text, length) : *domain->texts[0];
}

static wf_value example_scalar(const wf_value_domain *domain, wf_arena *arena)
{
    if (domain->types & WF_TYPE_NULL)
        return wf_null();
    if (domain->types & WF_TYPE_BOOLEAN)
        return wf_boolean(domain->truths == 2);
    if (domain->types & WF_TYPE_NUMBER)
        return wf_number(domain->least > 0  ? domain->least
                         : domain->most < 0 ? domain->most
                                            : 0);
    return domain->types & WF_TYPE_STRING ? example_text(domain, arena) : wf_absent();
}

wf_value wf_value_of_schema(const wf_schema *schema, wf_arena *arena, uint32_t depth)
{
    wf_value_domain domain = wf_domain_of_schema(schema);
    const wf_schema *shape = schema;
    for (uint32_t i = 0; shape->reference && i < MOST_DEPTH; i++)
        shape = shape->reference;
    if (depth > MOST_DEPTH || domain.types == 0)
        return wf_absent();
    if (domain.known)
        return *domain.known;
    if (domain.types & WF_TYPE_OBJECT && (shape->properties || shape->required))
        return example_object(shape, arena, depth);
    if (domain.types & WF_TYPE_ARRAY && shape->items)
        return example_list(shape, arena, depth);
    wf_value value = example_scalar(&domain, arena);
    if (value.type != WF_ABSENT)
        return value;
    return domain.types & WF_TYPE_OBJECT ? example_object(shape, arena, depth)
                                         : example_list(shape, arena, depth);
}
