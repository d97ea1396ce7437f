#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"
#include "logic/json.h"
#include "verify/schema_group.h"

enum { MOST = 160, MOST_DEPTH = 6, MOST_LENGTH = 4096 };

/* Most values differ here already; there are many comparisons. */
static bool is_other(const wf_value *a, const wf_value *b)
{
    return a->type != b->type || (a->type == WF_NUMBER && a->as.number != b->as.number) ||
           (a->type >= WF_STRING && a->length != b->length);
}

void wf_candidates_add(wf_candidates *self, const wf_value_domain *domain,
                       const wf_value *value)
{
    if (value->type == WF_ABSENT || self->count == MOST || !wf_domain_has(domain, value))
        return;
    for (uint32_t i = 0; i < self->count; i++)
        if (!is_other(&self->list[i], value) && wf_value_equal(&self->list[i], value))
            return;
    if (self->count == self->capacity) {
        uint32_t capacity = self->capacity == 0 ? 16 : self->capacity * 2;
        wf_value *list = wf_arena_take(self->arena, capacity * sizeof *list);
        if (!list)
            return;
        if (self->count > 0)
            memcpy(list, self->list, self->count * sizeof *list);
        self->list = list;
        self->capacity = capacity;
    }
    self->list[self->count++] = *value;
}

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

static wf_value text_with(wf_arena *arena, const wf_value *text, const char *before,
                          const char *after)
{
    size_t first = strlen(before), last = strlen(after), length = first + text->length + last;
    char *copy = wf_arena_take(arena, length + 1);
    if (!copy)
        return wf_absent();
    memcpy(copy, before, first);
    memcpy(copy + first, text->as.text, text->length);
    memcpy(copy + first + text->length, after, last + 1);
    return wf_string(copy, length);
}

static void add_text(wf_candidates *self, const wf_value_domain *domain, const wf_value *text)
{
    static const char *const around[][2] = {{"", "0"}, {"", "z"}, {"a", ""}, {" ", " "}};
    wf_candidates_add(self, domain, text);
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        wf_value other = text_with(self->arena, text, around[i][0], around[i][1]);
        wf_candidates_add(self, domain, &other);
    }
    if (text->length > 0) {
        wf_value shorter = wf_string_copy(self->arena, text->as.text, text->length - 1);
        wf_candidates_add(self, domain, &shorter);
    }
}

static void add_text_of_length(wf_candidates *self, const wf_value_domain *domain,
                               double length)
{
    if (!(length >= 0 && length <= MOST_LENGTH))
        return;
    char *text = wf_arena_take(self->arena, (size_t)length + 1);
    if (!text)
        return;
    memset(text, 'x', (size_t)length);
    text[(size_t)length] = '\0';
    wf_value value = wf_string(text, (size_t)length);
    wf_candidates_add(self, domain, &value);
}

/* A number as text: operators read it as one. */
static void add_number_text(wf_candidates *self, const wf_value_domain *domain, double number)
{
    char text[WF_NUMBER_BYTES];
    size_t length = wf_number_text(number, text);
    wf_value value = wf_string_copy(self->arena, text, length);
    wf_candidates_add(self, domain, &value);
}

/* Texts that are to be numbers in some range. */
static void add_numeric_texts(wf_candidates *self, const wf_value_domain *domain)
{
    const double least = domain->worth_least, most = domain->worth_most,
                 known = isfinite(least) ? least : most;
    add_number_text(self, domain, least);
    add_number_text(self, domain, most);
    if (isfinite(least) && isfinite(most))
        add_number_text(self, domain, least / 2 + most / 2);
    add_number_text(self, domain, floor(known) + 1);
    add_number_text(self, domain, ceil(known) - 1);
}

/* Constants, and the constants in them. */
static void add_known(wf_candidates *self, const wf_value_domain *domain, const wf_value *value,
                      uint32_t depth)
{
    wf_candidates_add(self, domain, value);
    if (value->type == WF_NUMBER) {
        add_around(self, domain, value->as.number);
        if (domain->types & WF_TYPE_STRING) {
            add_number_text(self, domain, value->as.number);
            add_text_of_length(self, domain, value->as.number);
            add_text_of_length(self, domain, value->as.number + 1);
        }
    }
    if (value->type == WF_STRING)
        add_text(self, domain, value);
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
        add_numeric_texts(self, domain);
    if (domain->types & WF_TYPE_STRING && domain->text_least.text)
        add_text(self, domain, domain->text_least.text);
    if (domain->types & WF_TYPE_STRING) {
        add_text_of_length(self, domain, domain->length_least);
        add_text_of_length(self, domain, domain->length_most);
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

/* ---- texts that are put together ---- */

static const wf_value *known_text(const wf_constraints *all, wf_term term)
{
    const wf_term_node *node = wf_term_at(all->terms, term);
    return node->kind == WF_TERM_KNOWN && node->value.type == WF_STRING ? &node->value : NULL;
}

/* Between the operands before and after it; false: one of them is not known. */
static bool find_middle(const wf_constraints *all, const wf_term_node *cat, wf_term term,
                        const wf_value *whole, uint32_t *first, uint32_t *last)
{
    uint32_t at = 0;
    while (at < cat->count && cat->operands[at] != term)
        at++;
    *first = *last = 0;
    for (uint32_t i = 0; i < cat->count; i++) {
        const wf_value *text = known_text(all, cat->operands[i]);
        if (i != at && !text)
            return false;
        if (i != at)
            *(i < at ? first : last) += text->length;
    }
    return at < cat->count && *first + *last <= whole->length;
}

/* What is left of a known text, if it is put together of this term and known ones. */
static void add_middle(wf_candidates *self, const wf_constraints *all, wf_term term,
                       const wf_value_domain *domain, wf_term of)
{
    const wf_term_node *cat = wf_term_at(all->terms, of);
    uint32_t first, last;
    wf_value whole;
    if (cat->kind != WF_TERM_APPLY || !wf_term_is(cat, "cat") ||
        !wf_domain_single(wf_constraints_domain(all, of), &whole) || whole.type != WF_STRING ||
        !find_middle(all, cat, term, &whole, &first, &last))
        return;
    const wf_value text =
        wf_string_copy(self->arena, whole.as.text + first, whole.length - first - last);
    wf_candidates_add(self, domain, &text);
}

void wf_candidates_find(wf_candidates *self, const wf_constraints *all, wf_term term)
{
    const wf_value_domain *domain = wf_constraints_domain(all, term);
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_term_node *node = wf_term_at(all->terms, all->list[i]);
        if (node->kind == WF_TERM_KNOWN)
            add_known(self, domain, &node->value, 0);
    }
    for (uint32_t i = 0; i < all->count && domain->types & WF_TYPE_STRING; i++)
        add_middle(self, all, term, domain, all->list[i]);
    add_scalars(self, domain);
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_term_node *node = wf_term_at(all->terms, all->list[i]);
        if (node->kind == WF_TERM_OVER)
            add_constants_of(self, domain, node->body);
    }
    if (domain->types & (WF_TYPE_ARRAY | WF_TYPE_OBJECT))
        add_containers(self, all, term, domain);
}
