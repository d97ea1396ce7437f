/*
 * verify/congruence.c: terms that are equal because their operands are. If a === b, then f(a) and f(b) are equal,
 * too. Equal terms have one value, so each may have only the values that the other may have.
 */
#include "verify/constraints.h"

#include <string.h>
#include "logic/expr_tree.h"

enum { MOST_ROUNDS = 4, MOST_TERMS = 400 };

typedef struct classes {
    wf_constraints *all;
    uint32_t *of; /* by place in the list: the first place of its class */
    bool changed;
} classes;

static const wf_term_node *node_at(const classes *self, uint32_t place)
{
    return wf_term_at(self->all->terms, self->all->list[place]);
}

static uint32_t class_of(const classes *self, wf_term term)
{
    return self->of[wf_constraints_place(self->all, term)];
}

/* The term is a === b, it is true, and neither a nor b is a constant. */
static bool is_equality(const wf_constraints *all, uint32_t place)
{
    const wf_term_node *node = wf_term_at(all->terms, all->list[place]);
    const wf_value_domain *domain = &all->domains[place];
    return node->count == 2 && wf_term_is(node, "===") && !domain->fails &&
           domain->types == WF_TYPE_BOOLEAN && domain->truths == 2 &&
           wf_term_at(all->terms, node->operands[0])->kind != WF_TERM_KNOWN &&
           wf_term_at(all->terms, node->operands[1])->kind != WF_TERM_KNOWN;
}

static void join(classes *self, uint32_t a, uint32_t b)
{
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    if (a == b)
        return;
    for (uint32_t i = 0; i < self->all->count; i++)
        if (self->of[i] == second)
            self->of[i] = first;
    self->changed = true;
}

/* Both apply the same operation, and their operands are equal. */
static bool are_made_alike(const classes *self, const wf_term_node *a, const wf_term_node *b)
{
    if (a->kind != b->kind || a->count != b->count || a->count == 0 || a->op != b->op ||
        a->body != b->body || a->index != b->index || a->key_length != b->key_length ||
        (a->key_length > 0 && memcmp(a->key, b->key, a->key_length) != 0) ||
        a->kind == WF_TERM_OBJECT)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (class_of(self, a->operands[i]) != class_of(self, b->operands[i]))
            return false;
    return true;
}

static void join_made_alike(classes *self)
{
    for (uint32_t i = 0; i < self->all->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (self->of[i] != self->of[k] &&
                are_made_alike(self, node_at(self, i), node_at(self, k)))
                join(self, self->of[i], self->of[k]);
}

static void find(classes *self)
{
    for (uint32_t i = 0; i < self->all->count; i++)
        self->of[i] = i;
    for (uint32_t i = 0; i < self->all->count; i++)
        if (is_equality(self->all, i))
            join(self, class_of(self, node_at(self, i)->operands[0]),
                 class_of(self, node_at(self, i)->operands[1]));
    for (int round = 0; round < MOST_ROUNDS && self->changed; round++) {
        self->changed = false;
        join_made_alike(self);
    }
}

static void share(classes *self)
{
    wf_constraints *all = self->all;
    for (uint32_t i = 0; i < all->count; i++) {
        wf_value_domain *first = &all->domains[self->of[i]], *one = &all->domains[i];
        if (self->of[i] == i)
            continue;
        wf_constraints_note(all, first, wf_domain_meet(first, one));
        wf_constraints_note(all, one, wf_domain_meet(one, first));
    }
}

/* Equal terms are neither different nor less than each other. */
static void compare(classes *self)
{
    for (uint32_t i = 0; i < self->all->count; i++) {
        const wf_term_node *node = node_at(self, i);
        wf_value_domain *domain = &self->all->domains[i];
        bool less = wf_term_is(node, "<");
        if (node->count == 2 && (less || wf_term_is(node, "===")) && !domain->fails &&
            class_of(self, node->operands[0]) == class_of(self, node->operands[1]))
            wf_constraints_note(self->all, domain, wf_domain_keep_truth(domain, !less));
    }
}

void wf_congruence_narrow(wf_constraints *self)
{
    classes found = {.all = self};
    bool any = false;
    for (uint32_t i = 0; i < self->count && !any; i++)
        any = is_equality(self, i);
    if (!any || self->count > MOST_TERMS)
        return;
    found.of = wf_arena_take(self->arena, self->count * sizeof *found.of);
    if (!found.of)
        return;
    find(&found);
    share(&found);
    compare(&found);
}
