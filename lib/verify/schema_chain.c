/* verify/schema_chain.c: what the schemas of a symbol say about its parts. */
#include "verify/constraints.h"

#include "logic/expr_tree.h"
#include "verify/exactness.h"
#include "verify/schema_group.h"

enum { MOST_REFERENCES = 8 };

/* A schema with those that it refers to, and with all that must hold, too. */
static void add_all(wf_schema_group *group, const wf_schema *schema, uint32_t depth)
{
    if (!schema || depth > MOST_REFERENCES || wf_schema_group_has(group, schema))
        return;
    wf_schema_group_add(group, schema);
    add_all(group, schema->reference, depth + 1);
    for (uint32_t i = 0; i < schema->all.count; i++)
        add_all(group, schema->all.list[i], depth + 1);
}

uint32_t wf_part_index(const wf_term_node *node)
{
    wf_path_part part = {.index = node->index};
    if (node->kind == WF_TERM_MEMBER)
        wf_path_part_fill(&part, node->key, node->key_length);
    return part.index;
}

/* If it is not known whether the whole is an object or a list, its schemas say nothing. */
static bool group_of(const wf_terms *terms, wf_term term, wf_schema_group *group, bool *always)
{
    const wf_term_node *node = wf_term_at(terms, term);
    wf_schema_group whole = {.count = 0};
    bool whole_always = true;
    *always = true;
    if (node->kind == WF_TERM_SYMBOL) {
        for (uint32_t i = 0; i < node->schema_count; i++)
            add_all(group, node->schemas[i], 0);
        return true;
    }
    if ((node->kind != WF_TERM_MEMBER && node->kind != WF_TERM_ELEMENT) ||
        !group_of(terms, node->operands[0], &whole, &whole_always))
        return false;
    uint32_t types = wf_schema_group_types(&whole);
    bool lists = types & WF_TYPE_ARRAY, objects = types & WF_TYPE_OBJECT;
    uint32_t index = wf_part_index(node);
    bool member = node->kind == WF_TERM_MEMBER && !lists;
    if (lists && objects && node->kind == WF_TERM_MEMBER)
        return false;
    for (uint32_t i = 0; i < whole.count; i++)
        add_all(group,
                member ? wf_schema_of_member(whole.list[i], node->key, node->key_length)
                       : wf_schema_of_element(whole.list[i], index),
                0);
    *always = member && whole_always && (types & WF_TYPES) == WF_TYPE_OBJECT &&
              wf_schema_group_requires(&whole, node->key, node->key_length);
    return true;
}

static wf_value_domain domain_of(const wf_schema_group *group)
{
    wf_value_domain domain = wf_domain_of_types(WF_TYPES);
    for (uint32_t i = 0; i < group->count; i++) {
        wf_value_domain one = wf_domain_of_schema(group->list[i]);
        wf_domain_meet(&domain, &one);
    }
    return domain;
}

wf_value_domain wf_chain_domain(const wf_terms *terms, wf_term term)
{
    static const wf_value null = {.type = WF_NULL};
    wf_value_domain missing = wf_domain_of_value(&null), domain;
    wf_schema_group group = {.count = 0};
    bool always = false;
    if (!group_of(terms, term, &group, &always))
        return wf_domain_of_types(WF_TYPES);
    domain = domain_of(&group);
    return always ? domain : wf_domain_join(&domain, &missing);
}

wf_value_domain wf_chain_present(const wf_terms *terms, wf_term term)
{
    wf_schema_group group = {.count = 0};
    bool always = false;
    return group_of(terms, term, &group, &always) ? domain_of(&group)
                                                  : wf_domain_of_types(WF_TYPES);
}

bool wf_chain_requires(const wf_terms *terms, wf_term term)
{
    const wf_term_node *node = wf_term_at(terms, term);
    wf_schema_group whole = {.count = 0};
    bool always = false;
    return node->kind == WF_TERM_MEMBER &&
           group_of(terms, node->operands[0], &whole, &always) &&
           wf_schema_group_requires(&whole, node->key, node->key_length);
}

bool wf_chain_schemas(const wf_terms *terms, wf_term term, wf_schema_group *group)
{
    bool always;
    return group_of(terms, term, group, &always);
}

bool wf_chain_fits(const wf_terms *terms, wf_term term, const wf_schema *schema)
{
    const wf_value null = wf_null();
    wf_schema_group group = {.count = 0};
    bool always = false;
    return group_of(terms, term, &group, &always) && group.count > 0 &&
           wf_schema_group_implies(&group, schema) &&
           (always || wf_schema_check(schema, &null, NULL) == WFSM_OK);
}
