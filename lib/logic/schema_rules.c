/* logic/schema_rules.c: numbers, strings, arrays and objects against their keywords. */
#include "logic/schema_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/utf8.h"

/* Division of decimals is not exact in binary: 0.3 is a multiple of 0.1 to any reader.
 */
static bool is_multiple(double number, double of)
{
    double quotient = number / of;

    return fmod(number, of) == 0 || fabs(quotient - round(quotient)) < 1e-9;
}

static int32_t check_number(wf_checker *c, const wf_schema *s, const wf_value *value,
                            const wf_place *at)
{
    double number = value->as.number;

    if (s->minimum.set && number < s->minimum.value)
        return wf_mismatch_number(c, s, "minimum", at, value, "a number of at least ",
                                  s->minimum.value, "");
    if (s->maximum.set && number > s->maximum.value)
        return wf_mismatch_number(c, s, "maximum", at, value, "a number of at most ",
                                  s->maximum.value, "");
    if (s->above.set && number <= s->above.value)
        return wf_mismatch_number(c, s, "exclusiveMinimum", at, value, "a number greater than ",
                                  s->above.value, "");
    if (s->below.set && number >= s->below.value)
        return wf_mismatch_number(c, s, "exclusiveMaximum", at, value, "a number less than ",
                                  s->below.value, "");
    if (s->multiple.set && !is_multiple(number, s->multiple.value))
        return wf_mismatch_number(c, s, "multipleOf", at, value, "a multiple of ",
                                  s->multiple.value, "");
    return WFSM_OK;
}

typedef struct count_rule {
    const char *least_keyword, *most_keyword, *what;
    const wf_bound *least, *most;
} count_rule;

static int32_t check_count(wf_checker *c, const wf_schema *schema, const wf_value *value,
                           const wf_place *at, double count, const count_rule *rule)
{
    if (rule->least->set && count < rule->least->value)
        return wf_mismatch_number(c, schema, rule->least_keyword, at, value, "at least ",
                                  rule->least->value, rule->what);
    if (rule->most->set && count > rule->most->value)
        return wf_mismatch_number(c, schema, rule->most_keyword, at, value, "at most ",
                                  rule->most->value, rule->what);
    return WFSM_OK;
}

static int32_t check_text(wf_checker *c, const wf_schema *s, const wf_value *value,
                          const wf_place *at)
{
    count_rule rule = {"minLength", "maxLength", " characters", &s->min_length, &s->max_length};

    if (!s->min_length.set && !s->max_length.set)
        return WFSM_OK;
    if (wf_check_spend(c, value->length / 64))
        return WFSM_LIMIT;
    return check_count(c, s, value, at, (double)wf_utf8_count(value->as.text, value->length),
                       &rule);
}

static int32_t check_unique(wf_checker *c, const wf_schema *schema, const wf_value *value,
                            const wf_place *at)
{
    for (uint32_t i = 1; schema->unique && i < value->length; i++) {
        for (uint32_t j = 0; j < i; j++) {
            wf_place twice = {at, NULL, 0, i};
            const wf_value *item = &value->as.items[i];

            if (wf_check_spend(c, 1))
                return WFSM_LIMIT;
            if (wf_value_equal_within(item, &value->as.items[j], &c->steps))
                return wf_mismatch_number(c, schema, "uniqueItems", &twice, item,
                                          "another value than that of element ", j, "");
        }
    }
    return WFSM_OK;
}

static int32_t check_items(wf_checker *c, const wf_schema *s, const wf_value *value,
                           const wf_place *at)
{
    count_rule rule = {"minItems", "maxItems", " elements", &s->min_items, &s->max_items};
    int32_t status = check_count(c, s, value, at, value->length, &rule);

    for (uint32_t i = 0; i < value->length && !status; i++) {
        const wf_schema *schema = wf_schema_of_element(s, i);
        wf_place item = {at, NULL, 0, i};

        if (!schema)
            break;
        status = wf_check(c, schema, &value->as.items[i], &item);
    }
    return status ? status : check_unique(c, s, value, at);
}

static bool has_name(const wf_member *member, const wf_value *name)
{
    return member->length == name->length &&
           memcmp(member->key, name->as.text, name->length) == 0;
}

static int32_t check_required(wf_checker *c, const wf_schema *schema, const wf_value *value,
                              const wf_place *at)
{
    char expected[WF_EXPECTED_BYTES];

    uint32_t next = 0; /* members mostly come in the order of the schema */

    for (uint32_t i = 0; schema->required && i < schema->required->length; i++) {
        const wf_value *key = &schema->required->as.items[i];
        bool here = next < value->length && has_name(&value->as.members[next], key);

        if (wf_check_spend(c, here ? 1 : 1 + value->length / 16))
            return WFSM_LIMIT;
        next += here;
        if (here || wf_value_get(value, key->as.text, key->length))
            continue;
        snprintf(expected, sizeof expected, "a member \"%.200s\"", key->as.text);
        return wf_mismatch(c, schema, "required", at, value, expected);
    }
    return WFSM_OK;
}

static bool is_property(const wf_schema_property *property, const char *key, size_t length,
                        uint32_t hash)
{
    const wf_member *source = property->source;

    return source->hash == hash && source->length == length &&
           memcmp(source->key, key, length) == 0;
}

const wf_schema *wf_schema_find(const wf_schema *schema, const char *key, size_t length,
                                uint32_t hash)
{
    const uint32_t *table = schema->property_table;

    for (uint32_t i = 0; !table && i < schema->property_count; i++)
        if (is_property(&schema->properties[i], key, length, hash))
            return schema->properties[i].schema;
    for (uint32_t at = hash & schema->property_mask; table && table[at] != 0;
         at = (at + 1) & schema->property_mask)
        if (is_property(&schema->properties[table[at] - 1], key, length, hash))
            return schema->properties[table[at] - 1].schema;
    return NULL;
}

static int32_t check_member(wf_checker *c, const wf_schema *schema, const wf_member *member,
                            const wf_place *at)
{
    wf_place place = {at, member->key, member->length, 0};
    const wf_schema *inner = wf_schema_find(schema, member->key, member->length, member->hash);

    if (wf_check_spend(c, 1))
        return WFSM_LIMIT;
    if (!inner && schema->additional && schema->additional->never)
        return wf_mismatch(c, schema, "additionalProperties", &place, &member->value,
                           "no such member");
    if (!inner)
        inner = schema->additional;
    return inner ? wf_check(c, inner, &member->value, &place) : WFSM_OK;
}

static int32_t check_members(wf_checker *c, const wf_schema *s, const wf_value *value,
                             const wf_place *at)
{
    count_rule rule = {"minProperties", "maxProperties", " members", &s->min_members,
                       &s->max_members};
    int32_t status = check_count(c, s, value, at, value->length, &rule);

    if (!status)
        status = check_required(c, s, value, at);
    for (uint32_t i = 0; i < value->length && !status; i++)
        status = check_member(c, s, &value->as.members[i], at);
    return status;
}

int32_t wf_check_parts(wf_checker *c, const wf_schema *schema, const wf_value *value,
                       const wf_place *at)
{
    switch (value->type) {
    case WF_NUMBER:
        return check_number(c, schema, value, at);
    case WF_STRING:
        return check_text(c, schema, value, at);
    case WF_ARRAY:
        return check_items(c, schema, value, at);
    case WF_OBJECT:
        return check_members(c, schema, value, at);
    default:
        return WFSM_OK;
    }
}
