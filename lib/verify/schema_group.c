#include "verify/schema_group.h"

#include <string.h>
#include "base/invariant.h"

void wf_schema_group_add(wf_schema_group *group, const wf_schema *schema)
{
    if (schema && group->count < WF_SCHEMA_GROUP_MOST)
        group->list[group->count++] = schema;
    WF_INVARIANT(group->count <= WF_SCHEMA_GROUP_MOST);
}

bool wf_schema_group_has(const wf_schema_group *group, const wf_schema *schema)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->list[i] == schema)
            return true;
    return false;
}

uint32_t wf_schema_group_types(const wf_schema_group *group)
{
    uint32_t types = WF_ALL_TYPES;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t own = group->list[i]->types;
        if (own == 0)
            continue;
        if (own & 1u << WF_NUMBER)
            own |= 1u << WF_INTEGER_TYPE;
        types &= own;
    }
    return types;
}

bool wf_schema_group_accepts(const wf_schema_group *group, const wf_value *value)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (wf_schema_check(group->list[i], value, NULL) != WFSM_OK)
            return false;
    return true;
}

double wf_schema_group_bound(const wf_schema_group *group, size_t offset, double other,
                             bool least)
{
    double found = other;
    for (uint32_t i = 0; i < group->count; i++) {
        const wf_bound *self = (const void *)((const char *)group->list[i] + offset);
        if (self->set && (least ? self->value > found : self->value < found))
            found = self->value;
    }
    return found;
}

bool wf_schema_group_requires(const wf_schema_group *group, const char *key, uint32_t length)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const wf_value *list = group->list[i]->required;
        for (uint32_t k = 0; list && k < list->length; k++)
            if (list->as.items[k].length == length &&
                memcmp(list->as.items[k].as.text, key, length) == 0)
                return true;
    }
    return false;
}

wf_schema_group wf_schema_group_member(const wf_schema_group *group, const char *key,
                                       uint32_t length)
{
    wf_schema_group of = {.depth = group->depth + 1};
    for (uint32_t i = 0; i < group->count; i++)
        wf_schema_group_add(&of, wf_schema_of_member(group->list[i], key, length));
    return of;
}

wf_schema_group wf_schema_group_items(const wf_schema_group *group)
{
    wf_schema_group of = {.depth = group->depth + 1};
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->list[i]->prefix.set && group->list[i]->prefix.count > 0)
            wf_schema_group_add(&of, group->list[i]->prefix.list[0]);
        else
            wf_schema_group_add(&of, group->list[i]->items);
    }
    return of;
}

wf_schema_group wf_schema_group_every_item(const wf_schema_group *group)
{
    wf_schema_group of = {.depth = group->depth + 1};
    for (uint32_t i = 0; i < group->count; i++)
        if (!group->list[i]->prefix.set)
            wf_schema_group_add(&of, group->list[i]->items);
    return of;
}

bool wf_schema_bounds_number(const wf_schema *schema)
{
    return schema && schema->minimum.set && schema->maximum.set;
}
