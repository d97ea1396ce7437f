#include "walk/data.h"

#include <stdlib.h>
#include <string.h>

static bool known(const wf_value *list, size_t count, const wf_value *value)
{
    for (size_t i = 0; i < count; i++)
        if (wf_value_equal(&list[i], value))
            return true;
    return false;
}

static void add_scalar(data_pool *pool, wf_value value)
{
    if (pool->scalar_count < POOL_MOST && !known(pool->scalars, pool->scalar_count, &value))
        pool->scalars[pool->scalar_count++] = value;
}

static void add_name(data_pool *pool, const char *text, size_t length)
{
    wf_value name = wf_string_copy(&pool->arena, text, length);

    if (length && pool->name_count < POOL_MOST && !known(pool->names, pool->name_count, &name))
        pool->names[pool->name_count++] = name;
}

/* "event.data.a.b" gives a and b; other paths, as of elements in a list, all their parts. */
static void add_path(data_pool *pool, const wf_value *path)
{
    const char *text = path->as.text;

    if (strncmp(text, "event.data.", 11) == 0)
        text += 11;
    else if (strchr(text, '.'))
        return;
    while (*text) {
        size_t length = strcspn(text, ".");

        add_name(pool, text, length);
        text += length + (text[length] == '.');
    }
}

static void collect(data_pool *pool, const wf_value *value);

static void collect_member(data_pool *pool, const wf_member *member)
{
    const wf_value *path = &member->value;

    if (path->type == WF_ARRAY && path->length)
        path = &path->as.items[0];
    if (strcmp(member->key, "var") == 0 && path->type == WF_STRING)
        add_path(pool, path);
    collect(pool, &member->value);
}

static void collect(data_pool *pool, const wf_value *value)
{
    if (value->type == WF_OBJECT)
        for (uint32_t i = 0; i < value->length; i++)
            collect_member(pool, &value->as.members[i]);
    else if (value->type == WF_ARRAY)
        for (uint32_t i = 0; i < value->length; i++)
            collect(pool, &value->as.items[i]);
    else
        add_scalar(pool, *value);
    if (value->type == WF_NUMBER) {
        add_scalar(pool, wf_number(value->as.number + 1));
        add_scalar(pool, wf_number(value->as.number - 1));
    }
}

/* What a document is made of, without its texts for people. */
static bool speaks(const wf_member *member)
{
    static const char *const mute[] = {"description", "meta",   "$schema",   "target",
                                       "src",         "states", "properties"};

    for (size_t i = 0; i < sizeof mute / sizeof *mute; i++)
        if (strcmp(member->key, mute[i]) == 0)
            return false;
    return true;
}

static void collect_document(data_pool *pool, const wf_value *value)
{
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length; i++) {
        const wf_member *member = &value->as.members[i];

        if (strcmp(member->key, "states") == 0)
            for (uint32_t j = 0; member->value.type == WF_OBJECT && j < member->value.length;
                 j++)
                collect_document(pool, &member->value.as.members[j].value);
        else if (speaks(member))
            collect(pool, &member->value);
    }
}

void data_pool_init(data_pool *pool, const wfsm_allocator *allocator, const wf_value *document)
{
    memset(pool, 0, sizeof *pool);
    wf_arena_init(&pool->arena, allocator, 0);
    add_scalar(pool, wf_null());
    add_scalar(pool, wf_boolean(true));
    add_scalar(pool, wf_boolean(false));
    add_scalar(pool, wf_number(0));
    add_scalar(pool, wf_string_z("text"));
    collect_document(pool, document);
}

void data_pool_fini(data_pool *pool)
{
    wf_arena_fini(&pool->arena);
}

static wf_value scalar(const data_pool *pool, chance *random)
{
    return pool->scalars[draw(random, (uint32_t)pool->scalar_count)];
}

static wf_value list_of(const data_pool *pool, chance *random, wf_arena *arena,
                        const wf_value *schema, uint32_t count, int depth)
{
    wf_value *items = wf_arena_take(arena, (count + 1) * sizeof *items);

    for (uint32_t i = 0; i < count; i++)
        items[i] = schema ? data_of_schema(pool, random, arena, schema, depth + 1)
                          : data_any(pool, random, arena, depth + 1);
    return wf_array(items, count);
}

static wf_value object_of_names(const data_pool *pool, chance *random, wf_arena *arena,
                                int depth)
{
    wf_member *members = wf_arena_take(arena, (pool->name_count + 1) * sizeof *members);
    uint32_t share = 20 + draw(random, 70);
    size_t count = 0;

    for (size_t i = 0; i < pool->name_count; i++)
        if (draw_percent(random, share))
            wf_member_set(&members[count++], pool->names[i].as.text, pool->names[i].length,
                          data_any(pool, random, arena, depth + 1));
    return wf_object(members, count);
}

wf_value data_any(const data_pool *pool, chance *random, wf_arena *arena, int depth)
{
    uint32_t kind = draw(random, 10);

    if (depth < DEPTH_MOST && kind < (depth ? 1u : 6u))
        return object_of_names(pool, random, arena, depth);
    if (depth < DEPTH_MOST && kind == 6)
        return list_of(pool, random, arena, NULL, draw(random, ITEMS_MOST), depth);
    return scalar(pool, random);
}

/* ---- by a schema ---- */

static const wf_value *part(const wf_value *schema, const char *key, enum wf_type type)
{
    const wf_value *found = wf_value_get_z(schema, key);

    return found && found->type == type ? found : NULL;
}

static bool
    requires(const wf_value *schema, const wf_member *property)
{
    const wf_value *required = part(schema, "required", WF_ARRAY);

    for (uint32_t i = 0; required && i < required->length; i++)
        if (required->as.items[i].type == WF_STRING &&
            strcmp(required->as.items[i].as.text, property->key) == 0)
            return true;
    return false;
}

/* What is required, and said nothing else about. */
static size_t add_required(const data_pool *pool, chance *random, wf_arena *arena,
                           const wf_value *schema, wf_member *members, size_t count)
{
    const wf_value *required = part(schema, "required", WF_ARRAY);
    const wf_value *properties = part(schema, "properties", WF_OBJECT);

    for (uint32_t i = 0; required && i < required->length; i++) {
        const wf_value *name = &required->as.items[i];

        if (name->type == WF_STRING &&
            !(properties && wf_value_get(properties, name->as.text, name->length)))
            wf_member_set(&members[count++], name->as.text, name->length,
                          data_any(pool, random, arena, DEPTH_MOST));
    }
    return count;
}

static wf_value object_of_schema(const data_pool *pool, chance *random, wf_arena *arena,
                                 const wf_value *schema, int depth)
{
    const wf_value *properties = part(schema, "properties", WF_OBJECT);
    const wf_value *required = part(schema, "required", WF_ARRAY);
    uint32_t all = properties ? properties->length : 0;
    uint32_t most = all + (required ? required->length : 0);
    wf_member *members = wf_arena_take(arena, (most + 1) * sizeof *members);
    size_t count = 0;

    for (uint32_t i = 0; i < all; i++) {
        const wf_member *property = &properties->as.members[i];

        if (draw_percent(random, requires(schema, property) ? 98 : 60))
            wf_member_set(&members[count++], property->key, property->length,
                          data_of_schema(pool, random, arena, &property->value, depth + 1));
    }
    count = add_required(pool, random, arena, schema, members, count);
    return wf_object(members, count);
}

static bool fits(const char *type, const wf_value *value)
{
    switch (value->type) {
    case WF_NULL:
        return strcmp(type, "null") == 0;
    case WF_BOOLEAN:
        return strcmp(type, "boolean") == 0;
    case WF_NUMBER:
        return strcmp(type, "number") == 0 || strcmp(type, "integer") == 0;
    default:
        return strcmp(type, "string") == 0;
    }
}

static wf_value scalar_of_type(const data_pool *pool, chance *random, const char *type)
{
    for (int tries = 0; tries < 60; tries++) {
        wf_value value = scalar(pool, random);

        if (fits(type, &value))
            return value;
    }
    return wf_null();
}

static const char *type_of(chance *random, const wf_value *schema)
{
    const wf_value *type = wf_value_get_z(schema, "type");

    if (type && type->type == WF_ARRAY && type->length)
        type = &type->as.items[draw(random, type->length)];
    if (type && type->type == WF_STRING)
        return type->as.text;
    if (part(schema, "properties", WF_OBJECT) || part(schema, "required", WF_ARRAY))
        return "object";
    return "";
}

wf_value data_of_schema(const data_pool *pool, chance *random, wf_arena *arena,
                        const wf_value *schema, int depth)
{
    const wf_value *choices = part(schema, "enum", WF_ARRAY);
    const wf_value *only = wf_value_get_z(schema, "const");
    const wf_value *items = part(schema, "items", WF_OBJECT);
    const char *type;

    if (schema->type != WF_OBJECT || draw_percent(random, 2))
        return data_any(pool, random, arena, depth);
    if (only)
        return *only;
    if (choices && choices->length)
        return choices->as.items[draw(random, choices->length)];
    type = type_of(random, schema);
    if (strcmp(type, "object") == 0)
        return object_of_schema(pool, random, arena, schema, depth);
    if (strcmp(type, "array") == 0)
        return list_of(pool, random, arena, items, draw(random, ITEMS_MOST + 1), depth);
    return *type ? scalar_of_type(pool, random, type) : data_any(pool, random, arena, depth);
}
