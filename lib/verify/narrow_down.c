#include "verify/constraints.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"

static bool is(const wf_term_node *node, const char *name)
{
    return strcmp(wf_term_operator(node), name) == 0;
}

static wf_value_domain *operand(wf_constraints *self, const wf_term_node *node, uint32_t i)
{
    return wf_constraints_domain(self, node->operands[i]);
}

static void note(wf_constraints *self, const wf_value_domain *narrowed, bool changed)
{
    self->changed |= changed;
    self->conflict |= narrowed->types == 0 && !narrowed->fails;
}

static void succeed(wf_constraints *self, wf_value_domain *domain)
{
    if (domain->fails) {
        domain->fails = false;
        note(self, domain, true);
    }
}

/* ---- comparisons ---- */

static double below(const wf_value_domain *domain, double number)
{
    return domain->whole && fabs(number) < 9e15 ? ceil(number) - 1
                                                : nextafter(number, -INFINITY);
}

static double above(const wf_value_domain *domain, double number)
{
    return domain->whole && fabs(number) < 9e15 ? floor(number) + 1
                                                : nextafter(number, INFINITY);
}

/* The term a is less than b, or not greater. */
static void order_numbers(wf_constraints *self, wf_value_domain *a, wf_value_domain *b,
                          bool strict)
{
    double most = strict ? below(a, b->most) : b->most;
    double least = strict ? above(b, a->least) : a->least;
    note(self, a, wf_domain_at_most(a, most));
    note(self, b, wf_domain_at_least(b, least));
}

static void order_texts(wf_constraints *self, wf_value_domain *a, wf_value_domain *b,
                        bool strict)
{
    wf_text_bound most = wf_domain_text_end(b, false), least = wf_domain_text_end(a, true),
                  none = {0};
    most.strict |= strict;
    least.strict |= strict;
    note(self, a, wf_domain_text_bounds(a, none, most));
    note(self, b, wf_domain_text_bounds(b, least, none));
}

static bool is_converted(const wf_value_domain *text, const wf_value_domain *other)
{
    return text->types == WF_TYPE_STRING &&
           wf_domain_only(other, WF_TYPE_NUMBER | WF_TYPE_BOOLEAN) && other->types;
}

/* A text and a number: the text is one, too. */
static void order_worths(wf_constraints *self, wf_value_domain *a, wf_value_domain *b,
                         bool strict)
{
    wf_interval x = wf_interval_of(a), y = wf_interval_of(b);
    double most = strict ? nextafter(y.most, -INFINITY) : y.most;
    double least = strict ? nextafter(x.least, INFINITY) : x.least;
    if (a->types == WF_TYPE_STRING)
        note(self, a, wf_domain_worth(a, -INFINITY, most));
    else if (a->types == WF_TYPE_NUMBER)
        note(self, a, wf_domain_at_most(a, most));
    if (b->types == WF_TYPE_STRING)
        note(self, b, wf_domain_worth(b, least, INFINITY));
    else if (b->types == WF_TYPE_NUMBER)
        note(self, b, wf_domain_at_least(b, least));
}

static void order(wf_constraints *self, wf_value_domain *a, wf_value_domain *b, bool strict)
{
    if (is_converted(a, b) || is_converted(b, a)) {
        order_worths(self, a, b, strict);
        return;
    }
    if (a->types == WF_TYPE_NUMBER && b->types == WF_TYPE_NUMBER)
        order_numbers(self, a, b, strict);
    else if (a->types == WF_TYPE_STRING && b->types == WF_TYPE_STRING)
        order_texts(self, a, b, strict);
}

static void narrow_order(wf_constraints *self, const wf_term_node *node, bool truth)
{
    wf_value_domain *a = operand(self, node, 0), *b = operand(self, node, 1);
    if (truth)
        order(self, a, b, true);
    else
        order(self, b, a, false);
}

static void unite(wf_constraints *self, wf_value_domain *a, wf_value_domain *b)
{
    wf_value_domain one = *a, two = *b;
    one.fails = two.fails = true;
    note(self, a, wf_domain_meet(a, &two));
    note(self, b, wf_domain_meet(b, &one));
}

static void part(wf_constraints *self, wf_value_domain *a, wf_value_domain *b)
{
    wf_value value, *kept;
    if (!wf_domain_single(b, &value) || !(kept = wf_arena_take(self->arena, sizeof *kept)))
        return;
    *kept = value;
    note(self, a, wf_domain_drop(a, kept));
}

static void narrow_same(wf_constraints *self, const wf_term_node *node, bool equal)
{
    wf_value_domain *a = operand(self, node, 0), *b = operand(self, node, 1);
    if (equal) {
        unite(self, a, b);
    } else {
        part(self, a, b);
        part(self, b, a);
    }
}

static void narrow_equal(wf_constraints *self, const wf_term_node *node, bool equal)
{
    uint8_t types = operand(self, node, 0)->types;
    wf_value_domain *a = operand(self, node, 0), *b = operand(self, node, 1);
    if ((types == WF_TYPE_NUMBER || types == WF_TYPE_STRING) && b->types == types)
        narrow_same(self, node, equal);
    if (!equal || (!is_converted(a, b) && !is_converted(b, a)))
        return;
    order_worths(self, a, b, false);
    order_worths(self, b, a, false);
}

/* A value that is in a list fits one of its elements: `all` is the domain of these. */
static void narrow_found(wf_constraints *self, wf_value_domain *value, wf_value_domain all)
{
    all.fails = true;
    note(self, value, wf_domain_meet(value, &all));
}

static void narrow_in_known(wf_constraints *self, wf_value_domain *value, const wf_value *list,
                            bool found)
{
    wf_value_domain all = wf_domain_of_types(0);
    for (uint32_t i = 0; i < list->length; i++) {
        wf_value_domain one = wf_domain_of_value(&list->as.items[i]);
        all = i == 0 ? one : wf_domain_join(&all, &one);
        if (!found)
            note(self, value, wf_domain_drop(value, &list->as.items[i]));
    }
    if (found && list->length > 0)
        narrow_found(self, value, all);
}

static void narrow_in_seen(wf_constraints *self, wf_value_domain *value,
                           const wf_term_node *list, bool found)
{
    wf_value_domain all = wf_domain_of_types(0);
    for (uint32_t i = 0; i < list->count; i++) {
        const wf_value_domain *one = operand(self, list, i);
        all = i == 0 ? *one : wf_domain_join(&all, one);
        if (!found)
            part(self, value, operand(self, list, i));
    }
    if (found && list->count > 0)
        narrow_found(self, value, all);
}

/* Of a list that is not seen, schemas may say what is in it. */
static void narrow_in_list(wf_constraints *self, wf_value_domain *value, wf_term list)
{
    wf_schema_group group = {.count = 0};
    if (!wf_chain_schemas(self->terms, list, &group))
        return;
    for (uint32_t i = 0; i < group.count; i++)
        if (group.list[i]->items && !group.list[i]->prefix.set)
            narrow_found(self, value, wf_domain_of_schema(group.list[i]->items));
}

static void narrow_in(wf_constraints *self, const wf_term_node *node, bool found)
{
    wf_value_domain *value = operand(self, node, 0), *whole = operand(self, node, 1);
    const wf_term_node *list = wf_term_at(self->terms, node->operands[1]);
    if (found)
        note(self, whole, wf_domain_keep_types(whole, WF_TYPE_ARRAY | WF_TYPE_STRING));
    if (whole->types != WF_TYPE_ARRAY)
        return;
    if (found)
        note(self, whole, wf_domain_length(whole, 1, INFINITY));
    if (whole->known && whole->known->type == WF_ARRAY)
        narrow_in_known(self, value, whole->known, found);
    else if (list->kind == WF_TERM_ARRAY)
        narrow_in_seen(self, value, list, found);
    else if (found)
        narrow_in_list(self, value, node->operands[1]);
}

/* What was compared is no list and no object. */
static void narrow_compared(wf_constraints *self, const wf_term_node *node)
{
    const char *name = wf_term_operator(node);
    if (node->count != 2 || (strcmp(name, "<") != 0 && strcmp(name, "==") != 0))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        wf_value_domain *one = operand(self, node, i);
        note(self, one,
             wf_domain_keep_types(one, WF_TYPES & ~(WF_TYPE_ARRAY | WF_TYPE_OBJECT)));
        if (is_converted(one, operand(self, node, 1 - i)))
            note(self, one, wf_domain_worth(one, -INFINITY, INFINITY));
    }
}

static void narrow_truth(wf_constraints *self, const wf_term_node *node, bool truth)
{
    const char *name = wf_term_operator(node);
    wf_value_domain *first = operand(self, node, 0);
    if (strcmp(name, "!") == 0 || strcmp(name, "!!") == 0)
        note(self, first, wf_domain_keep_truth(first, truth == (name[1] == '!')));
    else if (node->count != 2)
        return;
    else if (strcmp(name, "<") == 0)
        narrow_order(self, node, truth);
    else if (strcmp(name, "===") == 0)
        narrow_same(self, node, truth);
    else if (strcmp(name, "==") == 0)
        narrow_equal(self, node, truth);
    else if (strcmp(name, "in") == 0)
        narrow_in(self, node, truth);
}

/* ---- arithmetic ---- */

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
        note(self, domain, wf_domain_worth(domain, least, most));
    if (domain->types != WF_TYPE_NUMBER)
        return;
    note(self, domain, wf_domain_at_least(domain, least));
    note(self, domain, wf_domain_at_most(domain, most));
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
        const wf_interval next = wf_interval_of(operand(self, node, i));
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
        wf_value_domain *one = operand(self, node, i);
        wf_interval own = wf_interval_of(one),
                    other = wf_interval_of(operand(self, node, 1 - i));
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
    wf_value_domain *one = operand(self, node, i);
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
        wf_interval by = wf_interval_of(operand(self, node, 1 - i));
        if (is_beside_zero(&by))
            narrow_to(self, operand(self, node, i),
                      wf_interval_join("/", unrounded(product), by));
    }
}

static void narrow_quotient(wf_constraints *self, const wf_term_node *node,
                            const wf_value_domain *quotient)
{
    wf_value_domain *of = operand(self, node, 0), *by = operand(self, node, 1);
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
        wf_value_domain *one = operand(self, node, i);
        if (greatest ? one->most < extreme->least : one->least > extreme->most)
            continue;
        if (only)
            return;
        only = one;
    }
    if (only && greatest)
        note(self, only, wf_domain_at_least(only, extreme->least));
    else if (only)
        note(self, only, wf_domain_at_most(only, extreme->most));
}

static void narrow_extreme(wf_constraints *self, const wf_term_node *node,
                           const wf_value_domain *extreme, bool greatest)
{
    for (uint32_t i = 0; i < node->count; i++) {
        wf_value_domain *one = operand(self, node, i);
        note(self, one, wf_domain_keep_types(one, WF_TYPE_NUMBER));
        if (greatest)
            note(self, one, wf_domain_at_most(one, extreme->most));
        else
            note(self, one, wf_domain_at_least(one, extreme->least));
    }
    narrow_only(self, node, extreme, greatest);
}

static void narrow_number(wf_constraints *self, const wf_term_node *node,
                          const wf_value_domain *number)
{
    const uint8_t numeric = WF_TYPE_NULL | WF_TYPE_BOOLEAN | WF_TYPE_NUMBER | WF_TYPE_STRING;
    bool calculates = strchr("+-*/%", node->op->name[0]) != NULL;
    for (uint32_t i = 0; i < node->count && calculates; i++) {
        wf_value_domain *one = operand(self, node, i);
        note(self, one, wf_domain_keep_types(one, numeric));
        if (one->types == WF_TYPE_STRING)
            note(self, one, wf_domain_worth(one, -INFINITY, INFINITY));
    }
    if (is(node, "min") || is(node, "max"))
        narrow_extreme(self, node, number, is(node, "max"));
    else if (is(node, "+"))
        narrow_sum(self, node, number, false);
    else if (is(node, "-"))
        narrow_sum(self, node, number, true);
    else if (is(node, "*") && node->count == 2)
        narrow_product(self, node, number);
    else if (is(node, "/") && node->count == 2)
        narrow_quotient(self, node, number);
}

static void narrow_length(wf_constraints *self, const wf_term_node *node,
                          const wf_value_domain *length)
{
    wf_value_domain *of = operand(self, node, 0);
    const uint8_t counted = WF_TYPE_STRING | WF_TYPE_ARRAY;
    note(self, of, wf_domain_keep_types(of, counted | WF_TYPE_OBJECT));
    if (wf_domain_only(of, counted))
        note(self, of, wf_domain_length(of, length->least, length->most));
}

static void narrow_applied(wf_constraints *self, const wf_term_node *node,
                           const wf_value_domain *domain)
{
    narrow_compared(self, node);
    if (domain->types == WF_TYPE_BOOLEAN && domain->truths != 3)
        narrow_truth(self, node, domain->truths == 2);
    else if (is(node, "length"))
        narrow_length(self, node, domain);
    else if (is(node, "substr"))
        note(self, operand(self, node, 0),
             wf_domain_keep_types(operand(self, node, 0), WF_TYPE_STRING));
    else if (domain->types == WF_TYPE_NUMBER)
        narrow_number(self, node, domain);
}

/* What has a part that is not null is an object or a list. */
static void narrow_whole(wf_constraints *self, const wf_term_node *node,
                         const wf_value_domain *part)
{
    wf_value_domain *whole = operand(self, node, 0);
    bool is_there = node->kind == WF_TERM_HAS ? part->truths == 2
                                              : part->types && !(part->types & WF_TYPE_NULL);
    if (!is_there)
        return;
    note(self, whole, wf_domain_keep_types(whole, WF_TYPE_OBJECT | WF_TYPE_ARRAY));
    if (node->kind == WF_TERM_ELEMENT && whole->types == WF_TYPE_ARRAY)
        note(self, whole, wf_domain_length(whole, node->index + 1.0, INFINITY));
}

void wf_narrow_down(wf_constraints *self, uint32_t place)
{
    const wf_term_node *node = wf_term_at(self->terms, self->list[place]);
    const wf_value_domain domain = self->domains[place];
    if (domain.fails || domain.types == 0)
        return;
    for (uint32_t i = 0; i < node->count; i++)
        succeed(self, operand(self, node, i));
    if (node->kind == WF_TERM_APPLY)
        narrow_applied(self, node, &domain);
    else if (node->kind == WF_TERM_MEMBER || node->kind == WF_TERM_ELEMENT ||
             node->kind == WF_TERM_HAS)
        narrow_whole(self, node, &domain);
}
