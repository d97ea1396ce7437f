/* verify/schema_implies.c: whether the values that some schemas allow fit another schema. */
#include <math.h>
#include <string.h>
#include "base/names.h"
#include "verify/exactness.h"

#define AT_LEAST(group, member)                                                                \
    wf_schema_group_bound(group, offsetof(wf_schema, member), -INFINITY, true)
#define AT_MOST(group, member)                                                                 \
    wf_schema_group_bound(group, offsetof(wf_schema, member), INFINITY, false)

/* What the values of a list of options are; NULL: no schema has one. */
static const wf_value *options_of(const wf_schema_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->list[i]->options)
            return group->list[i]->options;
    return NULL;
}

static bool all_fit(const wf_value *options, const wf_schema *schema)
{
    for (uint32_t i = 0; i < options->length; i++)
        if (wf_schema_check(schema, &options->as.items[i], NULL) != WFSM_OK)
            return false;
    return true;
}

static const wf_value *constant_of(const wf_schema_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->list[i]->constant)
            return group->list[i]->constant;
    return NULL;
}

/* An integer is a number, too. */
static bool types_imply(const wf_schema_group *group, const wf_schema *schema)
{
    uint32_t own = wf_schema_group_types(group), allowed = schema->types;
    if (allowed == 0)
        return true;
    if (own == WF_ALL_TYPES)
        return false;
    if (allowed & 1u << WF_NUMBER)
        allowed |= 1u << WF_INTEGER_TYPE;
    return (own & ~allowed) == 0;
}

static bool bounds_imply(const wf_schema_group *group, const wf_schema *schema)
{
    double least = AT_LEAST(group, minimum), most = AT_MOST(group, maximum);
    bool fine = !schema->minimum.set || least >= schema->minimum.value;
    fine &= !schema->maximum.set || most <= schema->maximum.value;
    fine &= !schema->above.set || least > schema->above.value ||
            AT_LEAST(group, above) >= schema->above.value;
    fine &= !schema->below.set || most < schema->below.value ||
            AT_MOST(group, below) <= schema->below.value;
    fine &= !schema->multiple.set || AT_LEAST(group, multiple) == schema->multiple.value;
    fine &= !schema->min_length.set || AT_LEAST(group, min_length) >= schema->min_length.value;
    fine &= !schema->max_length.set || AT_MOST(group, max_length) <= schema->max_length.value;
    fine &= !schema->min_items.set || AT_LEAST(group, min_items) >= schema->min_items.value;
    return fine &&
           (!schema->max_items.set || AT_MOST(group, max_items) <= schema->max_items.value);
}

static bool required_imply(const wf_schema_group *group, const wf_schema *schema)
{
    for (uint32_t i = 0; schema->required && i < schema->required->length; i++) {
        const wf_value *key = &schema->required->as.items[i];
        if (!wf_schema_group_requires(group, key->as.text, key->length))
            return false;
    }
    return true;
}

static bool is_closed(const wf_schema_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->list[i]->additional && group->list[i]->additional->never)
            return true;
    return false;
}

/* Every member that may be there is one of those that the schema knows. */
static bool keys_imply(const wf_schema_group *group, const wf_schema *schema)
{
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t k = 0; k < group->list[i]->property_count; k++) {
            const wf_member *key = group->list[i]->properties[k].source;
            if (!wf_schema_find(schema, key->key, key->length, wf_hash(key->key, key->length)))
                return false;
        }
    return is_closed(group);
}

static bool members_imply(const wf_schema_group *group, const wf_schema *schema)
{
    for (uint32_t i = 0; i < schema->property_count; i++) {
        const wf_member *key = schema->properties[i].source;
        wf_schema_group member = wf_schema_group_member(group, key->key, key->length);
        if (!wf_schema_group_implies(&member, schema->properties[i].schema))
            return false;
    }
    return !schema->additional || keys_imply(group, schema);
}

static bool has_more(const wf_schema *schema)
{
    return schema->never || schema->unique || schema->min_members.set ||
           schema->max_members.set || schema->negated || schema->prefix.set ||
           schema->one.set || schema->constant;
}

static bool lists_imply(const wf_schema_group *group, const wf_schema *schema)
{
    bool any = !schema->any.set;
    for (uint32_t i = 0; i < schema->any.count && !any; i++)
        any = wf_schema_group_implies(group, schema->any.list[i]);
    for (uint32_t i = 0; i < schema->all.count && any; i++)
        any = wf_schema_group_implies(group, schema->all.list[i]);
    return any;
}

/* One of the group is known to be the same schema, or to forbid everything. */
static bool has_never(const wf_schema_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->list[i]->never)
            return true;
    return false;
}

bool wf_schema_group_implies(const wf_schema_group *group, const wf_schema *schema)
{
    if (wf_schema_group_has(group, schema) || has_never(group))
        return true;
    if (group->depth > 16)
        return false;
    if (options_of(group))
        return all_fit(options_of(group), schema);
    if (constant_of(group))
        return wf_schema_check(schema, constant_of(group), NULL) == WFSM_OK;
    if (has_more(schema) || schema->options || !types_imply(group, schema) ||
        !bounds_imply(group, schema) || !required_imply(group, schema) ||
        !members_imply(group, schema) || !lists_imply(group, schema))
        return false;
    const wf_schema_group items = wf_schema_group_every_item(group);
    if (schema->items && !wf_schema_group_implies(&items, schema->items))
        return false;
    return !schema->reference || wf_schema_group_implies(group, schema->reference);
}
