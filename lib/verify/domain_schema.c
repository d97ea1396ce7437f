/* verify/domain_schema.c: the domain of the values that fit a schema, and domains all of whose values
 * fit one. */
#include "verify/domain.h"
#include "verify/exactness.h"

#include <math.h>

/* Schemas may refer to themselves. */
enum { MOST_DEPTH = 16 };

static wf_value_domain domain_of(const wf_schema *schema, uint32_t depth);

static wf_value_domain none(void)
{
    return wf_domain_of_types(0);
}

static uint8_t types_of(const wf_schema *schema)
{
    if (schema->types == 0)
        return WF_TYPES;
    uint8_t types = schema->types & WF_TYPES;
    return schema->types >> WF_INTEGER_TYPE & 1 ? types | WF_TYPE_NUMBER : types;
}

static double bound_or(wf_bound bound, double other)
{
    return bound.set ? bound.value : other;
}

static wf_value_domain domain_of_keywords(const wf_schema *schema)
{
    wf_value_domain domain = wf_domain_of_types(types_of(schema));
    double above = bound_or(schema->above, -INFINITY),
           below = bound_or(schema->below, INFINITY);
    domain.whole = wf_schema_is_whole(schema);
    domain.least = fmax(bound_or(schema->minimum, -INFINITY), nextafter(above, INFINITY));
    domain.most = fmin(bound_or(schema->maximum, INFINITY), nextafter(below, -INFINITY));
    if (!schema->above.set)
        domain.least = bound_or(schema->minimum, -INFINITY);
    if (!schema->below.set)
        domain.most = bound_or(schema->maximum, INFINITY);
    /* A length is of a text or of a list: only if one of them is possible it can be said here. */
    bool texts = domain.types & WF_TYPE_STRING, lists = domain.types & WF_TYPE_ARRAY;
    if (texts && !lists) {
        domain.length_least = bound_or(schema->min_length, 0);
        domain.length_most = bound_or(schema->max_length, INFINITY);
    } else if (lists && !texts) {
        domain.length_least = bound_or(schema->min_items, 0);
        domain.length_most = bound_or(schema->max_items, INFINITY);
    }
    wf_domain_tidy(&domain);
    return domain;
}

static wf_value_domain domain_of_values(const wf_value *list)
{
    wf_value_domain all = none();
    for (uint32_t i = 0; i < list->length; i++) {
        wf_value_domain one = wf_domain_of_value(&list->as.items[i]);
        all = i == 0 ? one : wf_domain_join(&all, &one);
    }
    return all;
}

static wf_value_domain domain_of_any(const wf_schema_list *list, uint32_t depth)
{
    wf_value_domain all = none();
    for (uint32_t i = 0; i < list->count; i++) {
        wf_value_domain one = domain_of(list->list[i], depth);
        all = i == 0 ? one : wf_domain_join(&all, &one);
    }
    return all;
}

static void meet(wf_value_domain *domain, wf_value_domain other)
{
    wf_domain_meet(domain, &other);
}

static wf_value_domain domain_of(const wf_schema *schema, uint32_t depth)
{
    if (schema->never)
        return none();
    wf_value_domain domain = domain_of_keywords(schema);
    if (schema->options)
        meet(&domain, domain_of_values(schema->options));
    if (schema->constant)
        meet(&domain, wf_domain_of_value(schema->constant));
    if (depth == MOST_DEPTH)
        return domain;
    if (schema->reference)
        meet(&domain, domain_of(schema->reference, depth + 1));
    for (uint32_t i = 0; i < schema->all.count; i++)
        meet(&domain, domain_of(schema->all.list[i], depth + 1));
    if (schema->any.set)
        meet(&domain, domain_of_any(&schema->any, depth + 1));
    if (schema->one.set)
        meet(&domain, domain_of_any(&schema->one, depth + 1));
    return domain;
}

wf_value_domain wf_domain_of_schema(const wf_schema *schema)
{
    return domain_of(schema, 0);
}

/* ---- domains that fit ---- */

static bool asks_for_bounds_only(const wf_schema *schema)
{
    return !schema->never && !schema->options && !schema->constant && !schema->multiple.set &&
           !schema->negated && !schema->reference && !schema->any.set && !schema->one.set &&
           !schema->all.set;
}

static bool takes_numbers(const wf_schema *schema, bool whole)
{
    return schema->types == 0 || schema->types & WF_TYPE_NUMBER ||
           (whole && schema->types >> WF_INTEGER_TYPE & 1);
}

/* The schema takes every value of these types. */
static bool takes_types(const wf_schema *schema, uint8_t types)
{
    for (uint32_t type = WF_NULL; type <= WF_OBJECT; type++)
        if (types >> type & 1 && !wf_schema_takes_all(schema, (enum wf_type)type))
            return false;
    return types != 0;
}

bool wf_domain_within(const wf_value_domain *domain, const wf_schema *schema)
{
    if (takes_types(schema, domain->types))
        return true;
    return domain->types == WF_TYPE_NUMBER && asks_for_bounds_only(schema) &&
           takes_numbers(schema, domain->whole) &&
           domain->least >= bound_or(schema->minimum, -INFINITY) &&
           domain->most <= bound_or(schema->maximum, INFINITY) &&
           (!schema->above.set || domain->least > schema->above.value) &&
           (!schema->below.set || domain->most < schema->below.value);
}
