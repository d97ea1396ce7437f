/*
 * verify/linear.c: finds contradictions between comparisons of sums (linear_sum.h). Each comparison whose truth is
 * known is examined alone, and together with each other one.
 */
#include "verify/linear_sum.h"

#include <float.h>
#include <math.h>
#include "logic/expr_tree.h"

enum { MOST_FACTS = 12 };

/* ---- facts ---- */

/* The sum is not more than `most`; with `less`, it is less. */
typedef struct fact {
    wf_linear_sum sum;
    double most;
    bool less;
} fact;

typedef struct facts {
    const wf_constraints *all;
    fact list[MOST_FACTS];
    uint32_t count;
    bool any; /* one of them is about a sum */
} facts;

/* Of whole numbers, less than 0 is not more than -1. */
static void sharpen(fact *self)
{
    bool whole = self->less && self->most == 0 && wf_is_exactly_whole(self->sum.rest.least) &&
                 wf_is_exactly_whole(self->sum.rest.most);
    for (uint32_t i = 0; i < self->sum.count && whole; i++)
        whole = self->sum.parts[i].times.least == self->sum.parts[i].times.most &&
                wf_is_exactly_whole(self->sum.parts[i].times.least) && self->sum.whole;
    if (whole) {
        self->most = -1;
        self->less = false;
    }
}

/* The first is not greater than the second; with `less`, it is less. */
static void add_order(facts *self, const wf_linear_sum *first, const wf_linear_sum *second,
                      bool less)
{
    fact made = {.sum = *first, .less = less};
    if (self->count == MOST_FACTS)
        return;
    wf_linear_add_times(&made.sum, second, -1);
    made.sum.whole = first->whole && second->whole;
    made.most = first->error + second->error;
    sharpen(&made);
    if (!made.sum.lost)
        self->list[self->count++] = made;
}

static void add_comparison(facts *self, const wf_term_node *node, bool truth)
{
    wf_linear_sum a, b;
    wf_comparison order = {.first = node->operands[0], .second = node->operands[1]};
    bool equal = !wf_comparison_of(node, truth, &order);
    if ((equal && !truth) || !wf_linear_sum_of(self->all, order.first, &a) ||
        !wf_linear_sum_of(self->all, order.second, &b))
        return;
    self->any |= wf_is_arithmetic(wf_term_at(self->all->terms, node->operands[0])) ||
                 wf_is_arithmetic(wf_term_at(self->all->terms, node->operands[1]));
    add_order(self, &a, &b, order.strict);
    if (equal)
        add_order(self, &b, &a, false);
}

static void find(facts *self)
{
    for (uint32_t i = 0; i < self->all->count; i++) {
        const wf_term_node *node = wf_term_at(self->all->terms, self->all->list[i]);
        const wf_value_domain *domain = &self->all->domains[i];
        const char *name = wf_term_operator(node);
        if (node->count == 2 && (*name == '<' || *name == '=') && !domain->fails &&
            domain->types == WF_TYPE_BOOLEAN && domain->truths != 3)
            add_comparison(self, node, domain->truths == 2);
    }
}

/* ---- contradictions ---- */

static bool is_impossible(const wf_constraints *all, const fact *self)
{
    double least = wf_linear_range(all, &self->sum).least;
    return self->less ? least >= self->most : least > self->most;
}

/* What follows of both, without one of the terms that both have. */
static bool eliminate(const fact *a, const fact *b, const wf_linear_part *one,
                      const wf_linear_part *other, fact *made)
{
    double first = one->times.least, second = other->times.least;
    if (one->term != other->term || first == 0 || second == 0 || (first < 0) == (second < 0))
        return false;
    double by = fabs(first / second);
    if (!(by > 0 && by < DBL_MAX))
        return false;
    const bool exact = by == 1 && wf_is_exactly_whole(a->most) && wf_is_exactly_whole(b->most);
    const double most = a->most + b->most * by;
    const double error = (fabs(most) + fabs(a->most) + fabs(b->most * by)) * 8 * DBL_EPSILON;
    *made = *a;
    wf_linear_add_times(&made->sum, &b->sum, by);
    made->most = exact ? most : most + error;
    made->less = exact && (a->less || b->less);
    return !made->sum.lost;
}

static bool contradict(const wf_constraints *all, const fact *a, const fact *b)
{
    fact both;
    for (uint32_t i = 0; i < a->sum.count; i++)
        for (uint32_t k = 0; k < b->sum.count; k++)
            if (eliminate(a, b, &a->sum.parts[i], &b->sum.parts[k], &both) &&
                is_impossible(all, &both))
                return true;
    return false;
}

bool wf_linear_contradicts(const wf_constraints *self)
{
    facts known = {.all = self, .count = 0};
    find(&known);
    if (!known.any)
        return false;
    for (uint32_t i = 0; i < known.count; i++) {
        if (is_impossible(self, &known.list[i]))
            return true;
        for (uint32_t k = 0; k < i; k++)
            if (contradict(self, &known.list[i], &known.list[k]))
                return true;
    }
    return false;
}
