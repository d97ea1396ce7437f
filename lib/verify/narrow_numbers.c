/* verify/narrow_numbers.c: what the result of arithmetic says of its operands. */
#include "verify/constraints.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"

/* Two steps outwards cover the rounding of the sum and that of the difference. */
static double down(double number)
{
    return nextafter(nextafter(number, -INFINITY), -INFINITY);
}

static double up(double number)
{
    return nextafter(nextafter(number, INFINITY), INFINITY);
}

static void between(wf_constraints *self, wf_value_domain *domain, double least, double most)
{
    if (isnan(least) || isnan(most))
        return;
    if (domain->types == WF_TYPE_STRING)
        wf_constraints_note(self, domain, wf_domain_worth(domain, least, most));
    if (domain->types != WF_TYPE_NUMBER)
        return;
    wf_constraints_note(self, domain, wf_domain_at_least(domain, least));
    wf_constraints_note(self, domain, wf_domain_at_most(domain, most));
}

/* Sums of integers that a double has are not rounded. */
static bool is_exact(const wf_interval *a)
{
    const double most = 4503599627370496.0; /* 2^52 */
    return a->whole && a->least >= -most && a->most <= most;
}

/* The sum of the other operands, whose signs are those in the sum; and how large it may become on the way. */
static bool sum_of_others(wf_constraints *self, const wf_term_node *node, uint32_t one,
                          bool minus, wf_interval *others, double *size)
{
    *others = (wf_interval){0, 0, true, false};
    *size = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        const wf_interval next = wf_interval_of(wf_constraints_operand(self, node, i));
        if (i == one)
            continue;
        if (next.nan || next.least > next.most)
            return false;
        bool less = minus && i > 0;
        others->least += less ? -next.most : next.least;
        others->most += less ? -next.least : next.most;
        others->whole &= is_exact(&next);
        *size += fmax(fabs(next.least), fabs(next.most));
    }
    others->whole &= is_exact(others);
    return true;
}

/* The operand of a sum (+), or the first (-) or second (~) of a difference, is a difference or a sum. */
static void narrow_exact(wf_constraints *self, wf_value_domain *one, const wf_interval *other,
                         const wf_value_domain *sum, char kind)
{
    double least = sum->least - other->most, most = sum->most - other->least;
    if (kind == '-') {
        least = sum->least + other->least;
        most = sum->most + other->most;
    } else if (kind == '~') {
        least = other->least - sum->most;
        most = other->most - sum->least;
    }
    between(self, one, least, most);
}

/* A rounded sum that is at least `least` comes from an exact one of at least its neighbour. */
static void narrow_two(wf_constraints *self, const wf_term_node *node,
                       const wf_value_domain *sum, bool minus)
{
    for (uint32_t i = 0; i < 2; i++) {
        wf_value_domain *one = wf_constraints_operand(self, node, i);
        wf_interval own = wf_interval_of(one),
                    other = wf_interval_of(wf_constraints_operand(self, node, 1 - i));
        bool exact = is_exact(&own) && is_exact(&other) && one->types == WF_TYPE_NUMBER;
        double least = nextafter(sum->least, -INFINITY), most = nextafter(sum->most, INFINITY);
        if (other.nan || other.least > other.most)
            continue;
        if (exact)
            narrow_exact(self, one, &other, sum, minus ? (i == 0 ? '-' : '~') : '+');
        else if (!minus)
            between(self, one, down(least - other.most), up(most - other.least));
        else if (i == 0)
            between(self, one, down(least + other.least), up(most + other.most));
        else
            between(self, one, down(other.least - most), up(other.most - least));
    }
}

/* Of a sum that was rounded, each addition may be wrong by half of the last place of what was added up until
 * then, and so may those made here. */
static double error_of(const wf_term_node *node, double sum, double others)
{
    return (fabs(sum) + 2 * others) * (4.0 * node->count) * DBL_EPSILON;
}

static void narrow_summand(wf_constraints *self, const wf_term_node *node, uint32_t i,
                           const wf_value_domain *sum, bool minus)
{
    wf_value_domain *one = wf_constraints_operand(self, node, i);
    const wf_interval own = wf_interval_of(one);
    wf_interval others;
    double size;
    if (!sum_of_others(self, node, i, minus, &others, &size))
        return;
    double least = sum->least - others.most, most = sum->most - others.least;
    if (!others.whole || !is_exact(&own) || one->types != WF_TYPE_NUMBER) {
        least = down(least - error_of(node, sum->least, size));
        most = up(most + error_of(node, sum->most, size));
    }
    if (minus && i > 0)
        between(self, one, -most, -least);
    else
        between(self, one, least, most);
}

static void narrow_sum(wf_constraints *self, const wf_term_node *node,
                       const wf_value_domain *sum, bool minus)
{
    if (node->count == 2)
        narrow_two(self, node, sum, minus);
    for (uint32_t i = 0; i < node->count && node->count > 2; i++)
        narrow_summand(self, node, i, sum, minus);
}

/* The numbers of which `wanted` is made, before it was rounded. */
static wf_interval unrounded(const wf_value_domain *wanted)
{
    return (wf_interval){nextafter(wanted->least, -INFINITY), nextafter(wanted->most, INFINITY),
                         false, false};
}

static bool is_beside_zero(const wf_interval *by)
{
    return !by->nan && by->least <= by->most && (by->least > 1e-100 || by->most < -1e-100);
}

static void narrow_to(wf_constraints *self, wf_value_domain *one, wf_interval to)
{
    between(self, one, down(to.least), up(to.most));
}

/* A factor is the product, divided by the other one, whose sign must be known. */
static void narrow_product(wf_constraints *self, const wf_term_node *node,
                           const wf_value_domain *product)
{
    for (uint32_t i = 0; i < 2; i++) {
        wf_interval by = wf_interval_of(wf_constraints_operand(self, node, 1 - i));
        if (is_beside_zero(&by))
            narrow_to(self, wf_constraints_operand(self, node, i),
                      wf_interval_join("/", unrounded(product), by));
    }
}

static void narrow_quotient(wf_constraints *self, const wf_term_node *node,
                            const wf_value_domain *quotient)
{
    wf_value_domain *of = wf_constraints_operand(self, node, 0),
                    *by = wf_constraints_operand(self, node, 1);
    const wf_interval exact = unrounded(quotient), divisor = wf_interval_of(by);
    if (!divisor.nan && divisor.least <= divisor.most)
        narrow_to(self, of, wf_interval_join("*", exact, divisor));
    const wf_interval dividend = wf_interval_of(of);
    if (is_beside_zero(&exact) && !dividend.nan && dividend.least <= dividend.most)
        narrow_to(self, by, wf_interval_join("/", dividend, exact));
}

/* If all other operands are less than the greatest can be, it is this one; so with the least. */
static void narrow_only(wf_constraints *self, const wf_term_node *node,
                        const wf_value_domain *extreme, bool greatest)
{
    wf_value_domain *only = NULL;
    for (uint32_t i = 0; i < node->count; i++) {
        wf_value_domain *one = wf_constraints_operand(self, node, i);
        if (greatest ? one->most < extreme->least : one->least > extreme->most)
            continue;
        if (only)
            return;
        only = one;
    }
    if (only && greatest)
        wf_constraints_note(self, only, wf_domain_at_least(only, extreme->least));
    else if (only)
        wf_constraints_note(self, only, wf_domain_at_most(only, extreme->most));
}

static void narrow_extreme(wf_constraints *self, const wf_term_node *node,
                           const wf_value_domain *extreme, bool greatest)
{
    for (uint32_t i = 0; i < node->count; i++) {
        wf_value_domain *one = wf_constraints_operand(self, node, i);
        wf_constraints_note(self, one, wf_domain_keep_types(one, WF_TYPE_NUMBER));
        if (greatest)
            wf_constraints_note(self, one, wf_domain_at_most(one, extreme->most));
        else
            wf_constraints_note(self, one, wf_domain_at_least(one, extreme->least));
    }
    narrow_only(self, node, extreme, greatest);
}

void wf_narrow_number(wf_constraints *self, const wf_term_node *node,
                      const wf_value_domain *number)
{
    const uint8_t numeric = WF_TYPE_NULL | WF_TYPE_BOOLEAN | WF_TYPE_NUMBER | WF_TYPE_STRING;
    bool calculates = strchr("+-*/%", node->op->name[0]) != NULL;
    for (uint32_t i = 0; i < node->count && calculates; i++) {
        wf_value_domain *one = wf_constraints_operand(self, node, i);
        wf_constraints_note(self, one, wf_domain_keep_types(one, numeric));
        if (one->types == WF_TYPE_STRING)
            wf_constraints_note(self, one, wf_domain_worth(one, -INFINITY, INFINITY));
    }
    if (wf_term_is(node, "min") || wf_term_is(node, "max"))
        narrow_extreme(self, node, number, wf_term_is(node, "max"));
    else if (wf_term_is(node, "+"))
        narrow_sum(self, node, number, false);
    else if (wf_term_is(node, "-"))
        narrow_sum(self, node, number, true);
    else if (wf_term_is(node, "*") && node->count == 2)
        narrow_product(self, node, number);
    else if (wf_term_is(node, "/") && node->count == 2)
        narrow_quotient(self, node, number);
}
