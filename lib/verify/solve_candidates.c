#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"
#include "logic/json.h"
#include "verify/schema_group.h"

enum { MOST_DEPTH = 6 };

static void add_number(wf_candidates *self, const wf_value_domain *domain, double number)
{
    wf_value value = wf_number(number);
    if (value.type == WF_NUMBER)
        wf_candidates_add(self, domain, &value);
}

static void add_around(wf_candidates *self, const wf_value_domain *domain, double number)
{
    add_number(self, domain, number);
    add_number(self, domain, number + 1);
    add_number(self, domain, number - 1);
    add_number(self, domain, nextafter(number, INFINITY));
    add_number(self, domain, nextafter(number, -INFINITY));
}

/* Constants, and the constants in them. */
static void add_known(wf_candidates *self, const wf_value_domain *domain, const wf_value *value,
                      uint32_t depth)
{
    wf_candidates_add(self, domain, value);
    if (value->type == WF_NUMBER) {
        add_around(self, domain, value->as.number);
        if (domain->types & WF_TYPE_STRING) {
            wf_candidates_add_number_text(self, domain, value->as.number);
            wf_candidates_add_length(self, domain, value->as.number);
            wf_candidates_add_length(self, domain, value->as.number + 1);
        }
    }
    if (value->type == WF_STRING)
        wf_candidates_add_text(self, domain, value);
    for (uint32_t i = 0; value->type == WF_ARRAY && i < value->length && depth < MOST_DEPTH;
         i++)
        add_known(self, domain, &value->as.items[i], depth + 1);
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length && depth < MOST_DEPTH;
         i++)
        add_known(self, domain, &value->as.members[i].value, depth + 1);
}

static void add_constants_of(wf_candidates *self, const wf_value_domain *domain,
                             const wf_expr *rule)
{
    if (rule->node == WF_NODE_CONSTANT)
        add_known(self, domain, &rule->as.constant, 0);
    for (uint32_t i = 0;
         i < rule->count && (rule->node == WF_NODE_RULE || rule->node == WF_NODE_ARRAY); i++)
        add_constants_of(self, domain, &rule->as.list[i]);
    for (uint32_t i = 0; i < rule->count && rule->node == WF_NODE_OBJECT; i++)
        add_constants_of(self, domain, &rule->as.object.list[i]);
}

static void add_scalars(wf_candidates *self, const wf_value_domain *domain)
{
    static const wf_value scalars[] = {{.type = WF_NULL},
                                       {.type = WF_BOOLEAN, .as.boolean = false},
                                       {.type = WF_BOOLEAN, .as.boolean = true}};
    static const double numbers[] = {0, 1, -1, 2, 0.5, 100, 1e9, 1e17, 1.7e308, -1.7e308};
    static const char *const texts[] = {"", "other", "0", "1", "true", "zz", "Infinity"};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        wf_candidates_add(self, domain, &scalars[i]);
    if (domain->types & WF_TYPE_NUMBER) {
        add_number(self, domain, domain->least);
        add_number(self, domain, domain->most);
        add_number(self, domain, domain->least / 2 + domain->most / 2);
        add_number(self, domain, floor(domain->least / 2 + domain->most / 2));
        add_around(self, domain, isfinite(domain->least) ? domain->least : domain->most);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            add_number(self, domain, numbers[i]);
    }
    for (uint32_t i = 0; i < domain->text_count && !domain->others; i++)
        wf_candidates_add(self, domain, domain->texts[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        wf_value text = wf_string_z(texts[i]);
        wf_candidates_add(self, domain, &text);
    }
    if (domain->types & WF_TYPE_STRING && domain->numeric)
        wf_candidates_add_numeric(self, domain);
    if (domain->types & WF_TYPE_STRING && domain->text_least.text)
        wf_candidates_add_text(self, domain, domain->text_least.text);
    if (domain->types & WF_TYPE_STRING) {
        wf_candidates_add_length(self, domain, domain->length_least);
        wf_candidates_add_length(self, domain, domain->length_most);
    }
}

/* ---- lists and objects ---- */

static void add_list(wf_candidates *self, const wf_value_domain *domain, const wf_value *first,
                     const wf_value *rest, uint32_t length)
{
    wf_value *items = wf_arena_take(self->arena, (length + 1u) * sizeof *items);
    if (!items)
        return;
    for (uint32_t i = 0; i < length; i++)
        items[i] = i == 0 ? *first : *rest;
    wf_value list = wf_array(items, length);
    wf_candidates_add(self, domain, &list);
}

static const wf_schema *items_of(const wf_schema_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->list[i]->items)
            return group->list[i]->items;
    return NULL;
}

static void add_containers(wf_candidates *self, const wf_constraints *all, wf_term term,
                           const wf_value_domain *domain)
{
    wf_schema_group group = {.count = 0};
    wf_candidates parts = {.arena = self->arena};
    wf_value_domain any = wf_domain_of_types(WF_TYPES);
    wf_value null = wf_null(), object = wf_object(NULL, 0);
    wf_chain_schemas(all->terms, term, &group);
    for (uint32_t i = 0; i < group.count; i++) {
        wf_value value = wf_value_of_schema(group.list[i], self->arena, 0);
        wf_candidates_add(self, domain, &value);
    }
    wf_candidates_add(self, domain, &object);
    if (!(domain->types & WF_TYPE_ARRAY))
        return;
    const wf_schema *items = items_of(&group);
    wf_value_domain of_items = items ? wf_domain_of_schema(items) : any;
    if (items) {
        wf_value value = wf_value_of_schema(items, self->arena, 0);
        wf_candidates_add(&parts, &any, &value);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_term_node *node = wf_term_at(all->terms, all->list[i]);
        if (node->kind == WF_TERM_KNOWN)
            add_known(&parts, &of_items, &node->value, 0);
        else if (node->kind == WF_TERM_OVER)
            add_constants_of(&parts, &of_items, node->body);
    }
    add_scalars(&parts, &of_items);
    add_list(self, domain, &null, &null, 0);
    for (uint32_t length = 1; length <= 3; length++)
        for (uint32_t i = 0; i < parts.count && i < 12; i++)
            add_list(self, domain, &parts.list[i],
                     &parts.list[length > 1 ? (i + 1) % parts.count : 0], length);
    if (parts.count > 0 && domain->length_least <= 64)
        add_list(self, domain, &parts.list[0], &parts.list[0], (uint32_t)domain->length_least);
}

void wf_candidates_find(wf_candidates *self, const wf_constraints *all, wf_term term)
{
    const wf_value_domain *domain = wf_constraints_domain(all, term);
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_term_node *node = wf_term_at(all->terms, all->list[i]);
        if (node->kind == WF_TERM_KNOWN)
            add_known(self, domain, &node->value, 0);
    }
    for (uint32_t i = 0; i < all->count && domain->types & WF_TYPE_STRING; i++) {
        wf_candidates_add_middle(self, all, term, domain, all->list[i]);
        wf_candidates_add_listed(self, all, term, domain, all->list[i]);
    }
    add_scalars(self, domain);
    for (uint32_t i = 0; i < all->count && domain->types & WF_TYPE_STRING; i++)
        wf_candidates_add_with_part(self, all, term, domain, all->list[i]);
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_term_node *node = wf_term_at(all->terms, all->list[i]);
        if (node->kind == WF_TERM_OVER)
            add_constants_of(self, domain, node->body);
    }
    if (domain->types & (WF_TYPE_ARRAY | WF_TYPE_OBJECT))
        add_containers(self, all, term, domain);
}
