/* verify/data_fits.c: whether data that is built of terms fits a schema. */
#include "verify/data_parts.h"

#include <string.h>
#include "verify/constraints.h"
#include "verify/schema_group.h"

/* It says nothing of an object but what its members are. */
static bool is_plain(const wf_schema *schema)
{
    const uint8_t objects = 1u << WF_OBJECT;
    return !schema->never && (schema->types == 0 || schema->types & objects) &&
           !wf_schema_has_alternatives(schema) && !schema->reference && !schema->all.set &&
           !schema->min_members.set && !schema->max_members.set;
}

static bool has_required(const wf_term_node *object, const wf_schema *schema)
{
    for (uint32_t i = 0; schema->required && i < schema->required->length; i++) {
        bool found = false;
        for (uint32_t k = 0; k < object->count && !found; k++)
            found = object->keys[k].length == schema->required->as.items[i].length &&
                    strcmp(object->keys[k].key, schema->required->as.items[i].as.text) == 0;
        if (!found)
            return false;
    }
    return true;
}

static bool members_fit(const wf_terms *terms, const wf_term_node *object,
                        const wf_schema *schema, wf_literal *list, uint32_t *count,
                        uint32_t most)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const wf_member *key = &object->keys[i];
        const wf_schema *own = wf_schema_of_member(schema, key->key, key->length);
        if (own && !wf_data_fits(terms, object->operands[i], own, list, count, most))
            return false;
    }
    return has_required(object, schema);
}

bool wf_data_fits(const wf_terms *terms, wf_term data, const wf_schema *schema,
                  wf_literal *list, uint32_t *count, uint32_t most)
{
    const wf_term_node *node = wf_term_at(terms, data);
    if (node->kind == WF_TERM_KNOWN)
        return wf_schema_check(schema, &node->value, NULL) == WFSM_OK;
    if (wf_chain_fits(terms, data, schema))
        return true;
    if (node->kind == WF_TERM_OBJECT && is_plain(schema))
        return members_fit(terms, node, schema, list, count, most);
    if (*count == most)
        return false;
    list[(*count)++] = (wf_literal){.kind = WF_FITS, .term = data, .schema = schema};
    return true;
}
