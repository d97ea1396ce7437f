/* verify/linear_sum.c: numbers as sums of terms that are no sums, each times a factor in some range, and of a rest.
 * Rounding moves the number by an error at most. */
#include "verify/linear_sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_DEPTH = 16 };

#define EXACT_MOST 4503599627370496.0 /* 2^52: a size that is rounded is below 2^53 */
#define HALF_UNIT (DBL_EPSILON / 2)

/* ---- ranges ---- */

bool wf_is_exactly_whole(double a)
{
    return fabs(a) <= EXACT_MOST && a == rint(a);
}

static bool are_whole(wf_range a)
{
    return wf_is_exactly_whole(a.least) && wf_is_exactly_whole(a.most);
}

/* Sums and products of whole numbers are exact up to EXACT_MOST. Others are rounded: the range grows by that. */
static wf_range outward(double least, double most, bool whole)
{
    bool exact = whole && wf_is_exactly_whole(least) && wf_is_exactly_whole(most);
    return exact ? (wf_range){least, most}
                 : (wf_range){nextafter(least, -INFINITY), nextafter(most, INFINITY)};
}

static wf_range sum(wf_range a, wf_range b)
{
    return outward(a.least + b.least, a.most + b.most, are_whole(a) && are_whole(b));
}

static wf_range product(wf_range a, wf_range b)
{
    double all[4] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
    double least = all[0], most = all[0];
    for (int i = 0; i < 4; i++) {
        if (isnan(all[i]))
            return (wf_range){-INFINITY, INFINITY};
        least = fmin(least, all[i]);
        most = fmax(most, all[i]);
    }
    return outward(least, most, are_whole(a) && are_whole(b));
}

static wf_range range_of_term(const wf_constraints *all, wf_term term)
{
    const wf_value_domain *domain = wf_constraints_domain(all, term);
    return (wf_range){domain->least, domain->most};
}

wf_range wf_linear_range(const wf_constraints *all, const wf_linear_sum *self)
{
    wf_range made = self->rest;
    for (uint32_t i = 0; i < self->count; i++)
        made =
            sum(made, product(self->parts[i].times, range_of_term(all, self->parts[i].term)));
    return made;
}

/* ---- sums ---- */

static const wf_linear_sum lost = {.lost = true};

static void add_part(wf_linear_sum *self, const wf_linear_part *one)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->parts[i].term == one->term) {
            self->parts[i].times = sum(self->parts[i].times, one->times);
            return;
        }
    if (self->count == WF_LINEAR_PARTS)
        self->lost = true;
    else
        self->parts[self->count++] = *one;
}

static void multiply(wf_linear_sum *self, wf_range by)
{
    self->rest = product(self->rest, by);
    for (uint32_t i = 0; i < self->count; i++)
        self->parts[i].times = product(self->parts[i].times, by);
}

void wf_linear_add_times(wf_linear_sum *self, const wf_linear_sum *other, double by)
{
    wf_linear_sum multiple = *other;
    multiply(&multiple, (wf_range){by, by});
    self->rest = sum(self->rest, multiple.rest);
    for (uint32_t i = 0; i < multiple.count; i++)
        add_part(self, &multiple.parts[i]);
    self->lost |= other->lost;
}

/* A calculation whose result has this size is rounded. */
static void round_off(wf_linear_sum *self, double size, bool whole, double error)
{
    self->size = size;
    self->whole = whole;
    self->error = error;
    if (!whole || size > EXACT_MOST)
        self->error += size * HALF_UNIT + DBL_MIN;
    self->error *= 1 + 64 * DBL_EPSILON; /* it is calculated with rounding, too */
}

static void add(wf_linear_sum *self, const wf_linear_sum *other, double sign)
{
    wf_linear_add_times(self, other, sign);
    round_off(self, self->size + other->size, self->whole && other->whole,
              self->error + other->error);
}

/* One of them becomes a range. */
static void take_times(const wf_constraints *all, wf_linear_sum *self,
                       const wf_linear_sum *other)
{
    wf_range one = wf_linear_range(all, self), two = wf_linear_range(all, other);
    double a = self->size + self->error, b = other->size + other->error;
    double error = self->error * b + other->error * a;
    bool whole = self->whole && other->whole;
    bool swap = one.most - one.least < two.most - two.least;
    wf_linear_sum made = swap ? *other : *self;
    multiply(&made, swap ? one : two);
    made.lost = self->lost || other->lost;
    round_off(&made, a * b, whole, error);
    *self = made;
}

static void divide(wf_linear_sum *self, const wf_linear_sum *other)
{
    double by = other->rest.least;
    if (other->count > 0 || other->error > 0 || by == 0 || other->rest.most != by) {
        self->lost = true;
        return;
    }
    double part_of_one = 1 / by;
    wf_range times = {nextafter(part_of_one, -INFINITY), nextafter(part_of_one, INFINITY)};
    multiply(self, times);
    round_off(self, self->size / fabs(by) * (1 + 4 * DBL_EPSILON), false,
              self->error / fabs(by));
}

/* ---- terms ---- */

static bool sum_of(const wf_constraints *all, wf_term term, uint32_t depth,
                   wf_linear_sum *made);

bool wf_is_arithmetic(const wf_term_node *node)
{
    const char *name = wf_term_operator(node);
    return *name && name[1] == '\0' && strchr("+-*/", *name);
}

static void join(const wf_constraints *all, wf_linear_sum *self, const wf_linear_sum *next,
                 char sign)
{
    if (sign == '*')
        take_times(all, self, next);
    else if (sign == '/')
        divide(self, next);
    else
        add(self, next, sign == '-' ? -1 : 1);
}

static bool sum_of_arithmetic(const wf_constraints *all, const wf_term_node *node,
                              uint32_t depth, wf_linear_sum *made)
{
    char sign = *wf_term_operator(node);
    if (depth == MOST_DEPTH || node->count == 0 || (node->count == 1 && sign == '/') ||
        !sum_of(all, node->operands[0], depth + 1, made))
        return false;
    if (node->count == 1 && sign == '-')
        multiply(made, (wf_range){-1, -1});
    for (uint32_t i = 1; i < node->count; i++) {
        wf_linear_sum next;
        if (!sum_of(all, node->operands[i], depth + 1, &next))
            return false;
        join(all, made, &next, sign);
    }
    return !made->lost;
}

static bool sum_of(const wf_constraints *all, wf_term term, uint32_t depth, wf_linear_sum *made)
{
    const wf_term_node *node = wf_term_at(all->terms, term);
    const wf_value_domain *domain = wf_constraints_domain(all, term);
    *made = lost;
    if (domain->types != WF_TYPE_NUMBER)
        return false;
    double size = fmax(fabs(domain->least), fabs(domain->most));
    if (domain->least < domain->most && wf_is_arithmetic(node) &&
        sum_of_arithmetic(all, node, depth, made))
        return true;
    if (!(size < DBL_MAX))
        return false;
    *made = (wf_linear_sum){.size = size, .whole = domain->whole && size <= EXACT_MOST};
    if (domain->least == domain->most)
        made->rest = (wf_range){domain->least, domain->most};
    else
        add_part(made, &(wf_linear_part){term, {1, 1}});
    return true;
}

bool wf_linear_sum_of(const wf_constraints *all, wf_term term, wf_linear_sum *made)
{
    return sum_of(all, term, 0, made);
}
