/* verify/schema_group.h: schemas that must all hold for the same value. */
#ifndef WF_VERIFY_SCHEMA_GROUP_H
#define WF_VERIFY_SCHEMA_GROUP_H

#include "logic/schema_tree.h"

enum { WF_SCHEMA_GROUP_MOST = 24, WF_ALL_TYPES = 0xFE };

typedef struct wf_schema_group {
    const wf_schema *list[WF_SCHEMA_GROUP_MOST];
    uint32_t count;
    uint32_t depth; /* of the value, from the outermost */
} wf_schema_group;

/* Of numbers, integers only. */
static inline bool wf_schema_is_whole(const wf_schema *schema)
{
    return schema->types >> WF_INTEGER_TYPE & 1 && !(schema->types >> WF_NUMBER & 1);
}

/* It says more than what each part of a value may be. Other schemas may be meant too: allOf, $ref. */
static inline bool wf_schema_has_alternatives(const wf_schema *schema)
{
    return schema->options || schema->constant || schema->negated || schema->any.set ||
           schema->one.set;
}

/* NULL adds nothing; what is beyond the most is left out. */
void wf_schema_group_add(wf_schema_group *group, const wf_schema *schema);
bool wf_schema_group_has(const wf_schema_group *group, const wf_schema *schema);
bool wf_schema_group_accepts(const wf_schema_group *group, const wf_value *value);
/* The types that all of them allow: a bit set of enum wf_type. */
uint32_t wf_schema_group_types(const wf_schema_group *group);
/* The greatest lower bound (`least`) or the least upper one; `offset` is that of a wf_bound in
 * wf_schema. `other` if none of the schemas has one that is stricter. */
double wf_schema_group_bound(const wf_schema_group *group, size_t offset, double other,
                             bool least);
bool wf_schema_group_requires(const wf_schema_group *group, const char *key, uint32_t length);
/* No number that fits is very large. `schema` may be NULL. */
bool wf_schema_bounds_number(const wf_schema *schema);
/* What they say about a member, and about the elements of an array. */
wf_schema_group wf_schema_group_member(const wf_schema_group *group, const char *key,
                                       uint32_t length);
wf_schema_group wf_schema_group_items(const wf_schema_group *group);
/* The same of every element, be it at the beginning or later. */
wf_schema_group wf_schema_group_every_item(const wf_schema_group *group);
#endif
