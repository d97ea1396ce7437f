#include "verify/constraints.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 24 };

static void mark(const wf_terms *terms, wf_term term, uint8_t *seen)
{
    const wf_term_node *node = wf_term_at(terms, term);
    if (seen[term])
        return;
    seen[term] = 1;
    for (uint32_t i = 0; i < node->count; i++)
        mark(terms, node->operands[i], seen);
}

static bool list_terms(wf_constraints *self)
{
    uint8_t *seen = wf_arena_take(self->arena, self->terms->count + 1);
    if (!seen)
        return false;
    memset(seen, 0, self->terms->count + 1);
    for (uint32_t i = 0; i < self->literal_count; i++)
        mark(self->terms, self->literals[i].term, seen);
    for (wf_term term = 0; term < self->terms->count; term++)
        self->count += seen[term];
    self->list = wf_arena_take(self->arena, (self->count + 1) * sizeof *self->list);
    self->domains = wf_arena_take(self->arena, (self->count + 1) * sizeof *self->domains);
    if (!self->list || !self->domains)
        return false;
    uint32_t at = 0;
    for (wf_term term = 0; term < self->terms->count; term++)
        if (seen[term])
            self->list[at++] = term;
    return true;
}

bool wf_constraints_init(wf_constraints *self, const wf_terms *terms,
                         const wf_literal *literals, uint32_t count, wf_arena *arena)
{
    *self = (wf_constraints){
        .terms = terms, .literals = literals, .literal_count = count, .arena = arena};
    if (!list_terms(self))
        return false;
    for (uint32_t i = 0; i < self->count; i++)
        self->domains[i] = wf_narrow_up(self, self->list[i]);
    return !arena->failed;
}

/* ---- narrowing ---- */

static void note(wf_constraints *self, const wf_value_domain *domain, bool changed)
{
    self->changed |= changed;
    self->conflict |= domain->types == 0 && !domain->fails;
}

/* Only those that describe all of a schema can be turned around. */
static void assert_literal(wf_constraints *self, const wf_literal *literal)
{
    wf_value_domain *domain = wf_constraints_domain(self, literal->term);
    bool failed = domain->fails;
    if (literal->kind == WF_FAILS) {
        note(self, domain, wf_domain_keep_types(domain, 0));
        return;
    }
    domain->fails = false;
    note(self, domain, failed);
    if (literal->kind == WF_IS_TRUE || literal->kind == WF_IS_FALSE) {
        note(self, domain, wf_domain_keep_truth(domain, literal->kind == WF_IS_TRUE));
    } else if (literal->kind == WF_FITS) {
        wf_value_domain fits = wf_domain_of_schema(literal->schema);
        note(self, domain, wf_domain_meet(domain, &fits));
    } else if (literal->kind == WF_FITS_NOT) {
        if (wf_domain_within(domain, literal->schema))
            note(self, domain, wf_domain_keep_types(domain, 0));
    } else if (literal->kind == WF_HAS_TYPE) {
        note(self, domain, wf_domain_keep_types(domain, literal->types));
    }
}

static void narrow_once(wf_constraints *self)
{
    for (uint32_t i = 0; i < self->literal_count && !self->conflict; i++)
        assert_literal(self, &self->literals[i]);
    for (uint32_t i = 0; i < self->count && !self->conflict; i++) {
        wf_value_domain up = wf_narrow_up(self, self->list[i]);
        note(self, &self->domains[i], wf_domain_meet(&self->domains[i], &up));
    }
    for (uint32_t i = self->count; i-- > 0 && !self->conflict;)
        wf_narrow_down(self, i);
    if (!self->conflict)
        wf_congruence_narrow(self);
}

bool wf_constraints_narrow(wf_constraints *self)
{
    self->changed = true;
    for (int round = 0; round < MOST_ROUNDS && self->changed && !self->conflict; round++) {
        self->changed = false;
        narrow_once(self);
    }
    return !self->conflict && !wf_order_contradicts(self) && !wf_linear_contradicts(self);
}
