/*
 * verify/linear.c: finds contradictions between comparisons of sums. A number is written as a sum: of terms that
 * are no sums, each times a factor in some range, and of a rest. Rounding moves the number by an error at most.
 * Each comparison whose truth is known is examined alone, and together with each other one.
 */
#include "verify/constraints.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"

enum { MOST_PARTS = 12, MOST_FACTS = 12, MOST_DEPTH = 16 };

#define EXACT_MOST 4503599627370496.0 /* 2^52: a size that is rounded is below 2^53 */
#define HALF_UNIT (DBL_EPSILON / 2)

typedef struct range {
    double least, most;
} range;

typedef struct part {
    wf_term term;
    range times;
} part;

/* The number is the sum of the parts and the rest, but for `error`. */
typedef struct form {
    part parts[MOST_PARTS];
    uint32_t count;
    range rest;
    double error;
    double size; /* the number is not further from 0 */
    bool whole;
    bool lost; /* nothing is known of it */
} form;

/* A sum that is not more than `most`, or less. */
typedef struct fact {
    form sum;
    double most;
    bool less;
} fact;

/* ---- ranges ---- */

static bool is_whole(double a)
{
    return fabs(a) <= EXACT_MOST && a == rint(a);
}

static bool are_whole(range a)
{
    return is_whole(a.least) && is_whole(a.most);
}

/* What is calculated of whole numbers, and not too large, is not rounded. */
static range outward(double least, double most, bool whole)
{
    bool exact = whole && is_whole(least) && is_whole(most);
    return exact ? (range){least, most}
                 : (range){nextafter(least, -INFINITY), nextafter(most, INFINITY)};
}

static range sum(range a, range b)
{
    return outward(a.least + b.least, a.most + b.most, are_whole(a) && are_whole(b));
}

static range product(range a, range b)
{
    double all[4] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
    double least = all[0], most = all[0];
    for (int i = 0; i < 4; i++) {
        if (isnan(all[i]))
            return (range){-INFINITY, INFINITY};
        least = fmin(least, all[i]);
        most = fmax(most, all[i]);
    }
    return outward(least, most, are_whole(a) && are_whole(b));
}

static range range_of_term(const wf_constraints *all, wf_term term)
{
    const wf_value_domain *domain = wf_constraints_domain(all, term);
    return (range){domain->least, domain->most};
}

static range range_of(const wf_constraints *all, const form *self)
{
    range made = self->rest;
    for (uint32_t i = 0; i < self->count; i++)
        made =
            sum(made, product(self->parts[i].times, range_of_term(all, self->parts[i].term)));
    return made;
}

/* ---- sums ---- */

static const form lost = {.lost = true};

static void add_part(form *self, const part *one)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->parts[i].term == one->term) {
            self->parts[i].times = sum(self->parts[i].times, one->times);
            return;
        }
    if (self->count == MOST_PARTS)
        self->lost = true;
    else
        self->parts[self->count++] = *one;
}

static void multiply(form *self, range by)
{
    self->rest = product(self->rest, by);
    for (uint32_t i = 0; i < self->count; i++)
        self->parts[i].times = product(self->parts[i].times, by);
}

/* Adds a multiple, without rounding it. */
static void add_times(form *self, const form *other, double by)
{
    form multiple = *other;
    multiply(&multiple, (range){by, by});
    self->rest = sum(self->rest, multiple.rest);
    for (uint32_t i = 0; i < multiple.count; i++)
        add_part(self, &multiple.parts[i]);
    self->lost |= other->lost;
}

/* A calculation whose result has this size is rounded. */
static void round_off(form *self, double size, bool whole, double error)
{
    self->size = size;
    self->whole = whole;
    self->error = error;
    if (!whole || size > EXACT_MOST)
        self->error += size * HALF_UNIT + DBL_MIN;
    self->error *= 1 + 64 * DBL_EPSILON; /* it is calculated with rounding, too */
}

static void add(form *self, const form *other, double sign)
{
    add_times(self, other, sign);
    round_off(self, self->size + other->size, self->whole && other->whole,
              self->error + other->error);
}

/* One of them becomes a range. */
static void take_times(const wf_constraints *all, form *self, const form *other)
{
    range one = range_of(all, self), two = range_of(all, other);
    double a = self->size + self->error, b = other->size + other->error;
    double error = self->error * b + other->error * a;
    bool whole = self->whole && other->whole;
    bool swap = one.most - one.least < two.most - two.least;
    form made = swap ? *other : *self;
    multiply(&made, swap ? one : two);
    made.lost = self->lost || other->lost;
    round_off(&made, a * b, whole, error);
    *self = made;
}

static void divide(form *self, const form *other)
{
    double by = other->rest.least;
    if (other->count > 0 || other->error > 0 || by == 0 || other->rest.most != by) {
        self->lost = true;
        return;
    }
    double part_of_one = 1 / by;
    range times = {nextafter(part_of_one, -INFINITY), nextafter(part_of_one, INFINITY)};
    multiply(self, times);
    round_off(self, self->size / fabs(by) * (1 + 4 * DBL_EPSILON), false,
              self->error / fabs(by));
}

/* ---- terms ---- */

static bool form_of(const wf_constraints *all, wf_term term, uint32_t depth, form *made);

static bool is_arithmetic(const wf_term_node *node)
{
    const char *name = wf_term_operator(node);
    return *name && name[1] == '\0' && strchr("+-*/", *name);
}

static void join(const wf_constraints *all, form *self, const form *next, char sign)
{
    if (sign == '*')
        take_times(all, self, next);
    else if (sign == '/')
        divide(self, next);
    else
        add(self, next, sign == '-' ? -1 : 1);
}

static bool form_of_arithmetic(const wf_constraints *all, const wf_term_node *node,
                               uint32_t depth, form *made)
{
    char sign = *wf_term_operator(node);
    if (depth == MOST_DEPTH || node->count == 0 || (node->count == 1 && sign == '/') ||
        !form_of(all, node->operands[0], depth + 1, made))
        return false;
    if (node->count == 1 && sign == '-')
        multiply(made, (range){-1, -1});
    for (uint32_t i = 1; i < node->count; i++) {
        form next;
        if (!form_of(all, node->operands[i], depth + 1, &next))
            return false;
        join(all, made, &next, sign);
    }
    return !made->lost;
}

/* False: it is no number, or nothing is known of it. */
static bool form_of(const wf_constraints *all, wf_term term, uint32_t depth, form *made)
{
    const wf_term_node *node = wf_term_at(all->terms, term);
    const wf_value_domain *domain = wf_constraints_domain(all, term);
    *made = lost;
    if (domain->types != WF_TYPE_NUMBER)
        return false;
    double size = fmax(fabs(domain->least), fabs(domain->most));
    if (domain->least < domain->most && is_arithmetic(node) &&
        form_of_arithmetic(all, node, depth, made))
        return true;
    if (!(size < DBL_MAX))
        return false;
    *made = (form){.size = size, .whole = domain->whole && size <= EXACT_MOST};
    if (domain->least == domain->most)
        made->rest = (range){domain->least, domain->most};
    else
        add_part(made, &(part){term, {1, 1}});
    return true;
}

/* ---- facts ---- */

typedef struct facts {
    const wf_constraints *all;
    fact list[MOST_FACTS];
    uint32_t count;
    bool any; /* one of them is about a sum */
} facts;

/* Of whole numbers, less than 0 is not more than -1. */
static void sharpen(fact *self)
{
    bool whole = self->less && self->most == 0 && are_whole(self->sum.rest);
    for (uint32_t i = 0; i < self->sum.count && whole; i++)
        whole = self->sum.parts[i].times.least == self->sum.parts[i].times.most &&
                is_whole(self->sum.parts[i].times.least) && self->sum.whole;
    if (whole) {
        self->most = -1;
        self->less = false;
    }
}

/* The first is not greater than the second, or less. */
static void add_order(facts *self, const form *first, const form *second, bool less)
{
    fact made = {.sum = *first, .less = less};
    if (self->count == MOST_FACTS)
        return;
    add_times(&made.sum, second, -1);
    made.sum.whole = first->whole && second->whole;
    made.most = first->error + second->error;
    sharpen(&made);
    if (!made.sum.lost)
        self->list[self->count++] = made;
}

static void add_comparison(facts *self, const wf_term_node *node, bool truth)
{
    form a, b;
    bool equal = node->op->name[0] == '=';
    if ((equal && !truth) || !form_of(self->all, node->operands[0], 0, &a) ||
        !form_of(self->all, node->operands[1], 0, &b))
        return;
    self->any |= is_arithmetic(wf_term_at(self->all->terms, node->operands[0])) ||
                 is_arithmetic(wf_term_at(self->all->terms, node->operands[1]));
    if (equal || truth)
        add_order(self, &a, &b, !equal);
    if (equal || !truth)
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
    double least = range_of(all, &self->sum).least;
    return self->less ? least >= self->most : least > self->most;
}

/* What follows of both, without one of the terms that both have. */
static bool eliminate(const fact *a, const fact *b, const part *one, const part *other,
                      fact *made)
{
    double first = one->times.least, second = other->times.least;
    if (one->term != other->term || first == 0 || second == 0 || (first < 0) == (second < 0))
        return false;
    double by = fabs(first / second);
    if (!(by > 0 && by < DBL_MAX))
        return false;
    *made = *a;
    add_times(&made->sum, &b->sum, by);
    made->most = (a->most + b->most * by);
    made->most += fabs(made->most) * 8 * DBL_EPSILON +
                  (fabs(a->most) + fabs(b->most * by)) * 8 * DBL_EPSILON;
    made->less = false;
    if (is_whole(a->most) && is_whole(b->most) && by == 1) {
        made->most = a->most + b->most;
        made->less = a->less || b->less;
    }
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
