#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"

static bool is(const wf_term_node *node, const char *name)
{
    return strcmp(node->op->name, name) == 0;
}

static const wf_value_domain *operand(const wf_constraints *self, const wf_term_node *node,
                                      uint32_t i)
{
    return wf_constraints_domain(self, node->operands[i]);
}

static bool operands_fail(const wf_constraints *self, const wf_term_node *node)
{
    for (uint32_t i = 0; i < node->count; i++)
        if (operand(self, node, i)->fails)
            return true;
    return false;
}

static wf_value_domain of_types(uint8_t types, bool fails)
{
    wf_value_domain domain = wf_domain_of_types(types);
    domain.fails = fails;
    return domain;
}

static wf_value_domain of_truths(unsigned truths, bool fails)
{
    wf_value_domain domain = of_types(WF_TYPE_BOOLEAN, fails);
    domain.truths = (uint8_t)truths;
    wf_domain_tidy(&domain);
    return domain;
}

/* ---- arithmetic ---- */

static wf_value_domain arithmetic(const wf_constraints *self, const wf_term_node *node)
{
    double start = is(node, "*") || is(node, "/") ? 1 : 0;
    wf_interval sum = {start, start, true, false};
    bool fails = operands_fail(self, node);
    for (uint32_t i = 0; i < node->count; i++) {
        wf_interval next = wf_interval_of(operand(self, node, i));
        if (next.least > next.most)
            return of_types(0, true);
        fails |= next.nan;
        sum = i == 0 && node->count > 1 ? next : wf_interval_join(node->op->name, sum, next);
        if (sum.least > sum.most)
            return of_types(0, true);
        fails |= sum.nan;
        if (isnan(sum.least) || isnan(sum.most))
            sum.least = -INFINITY, sum.most = INFINITY;
    }
    wf_value_domain domain = of_types(WF_TYPE_NUMBER, fails);
    domain.fails |= isinf(sum.least) || isinf(sum.most);
    domain.least = sum.least;
    domain.most = sum.most;
    domain.whole = sum.whole;
    wf_domain_tidy(&domain);
    return domain;
}

static wf_value_domain extreme(const wf_constraints *self, const wf_term_node *node)
{
    bool greatest = is(node, "max");
    wf_value_domain domain = of_types(WF_TYPE_NUMBER, operands_fail(self, node));
    double least = greatest ? -INFINITY : INFINITY, most = least;
    domain.whole = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const wf_value_domain *next = operand(self, node, i);
        if (!(next->types & WF_TYPE_NUMBER))
            return of_types(0, true);
        domain.fails |= !wf_domain_only(next, WF_TYPE_NUMBER);
        domain.whole &= next->whole;
        least = greatest ? fmax(least, next->least) : fmin(least, next->least);
        most = greatest ? fmax(most, next->most) : fmin(most, next->most);
    }
    domain.least = least;
    domain.most = most;
    return domain;
}

/* ---- comparisons ---- */

enum {
    LESS = 1,
    EQUAL = 2,
    GREATER = 4,
    NUMERIC = WF_TYPE_NUMBER | WF_TYPE_BOOLEAN | WF_TYPE_NULL
};

static unsigned orders_of_numbers(const wf_value_domain *a, const wf_value_domain *b)
{
    wf_interval x = wf_interval_of(a), y = wf_interval_of(b);
    return (x.least < y.most ? LESS : 0u) |
           (x.least <= y.most && x.most >= y.least ? EQUAL : 0u) |
           (x.most > y.least ? GREATER : 0u);
}

/* Whether some text of a is less than, or, with `equal`, as great as some of b. */
static bool may_precede(const wf_value_domain *a, const wf_value_domain *b, bool equal)
{
    wf_text_bound low = wf_domain_text_end(a, true), high = wf_domain_text_end(b, false);
    if (!low.text || !high.text)
        return true;
    int order = wf_text_order(low.text, high.text);
    return order < 0 || (order == 0 && equal && !low.strict && !high.strict);
}

static unsigned orders_of_texts(const wf_value_domain *a, const wf_value_domain *b)
{
    wf_value_domain both = *a;
    wf_domain_meet(&both, b);
    return (may_precede(a, b, false) ? LESS : 0u) | (both.types ? EQUAL : 0u) |
           (may_precede(b, a, false) ? GREATER : 0u);
}

/* A list or an object cannot be compared with anything. */
static bool is_no_order(const wf_value_domain *a, const wf_value_domain *b)
{
    const uint8_t containers = WF_TYPE_ARRAY | WF_TYPE_OBJECT;
    return wf_domain_only(a, containers) || wf_domain_only(b, containers);
}

/* Compared as numbers: texts are converted, if the other side is a number or a boolean. */
static bool are_numbers(const wf_value_domain *a, const wf_value_domain *b)
{
    const uint8_t converts = WF_TYPE_NUMBER | WF_TYPE_BOOLEAN;
    if (!wf_domain_only(a, NUMERIC | WF_TYPE_STRING) ||
        !wf_domain_only(b, NUMERIC | WF_TYPE_STRING))
        return false;
    return (wf_domain_only(a, NUMERIC) || wf_domain_only(b, converts)) &&
           (wf_domain_only(b, NUMERIC) || wf_domain_only(a, converts));
}

static bool may_be_no_number(const wf_value_domain *a, const wf_value_domain *b)
{
    return wf_interval_of(a).nan || wf_interval_of(b).nan;
}

static wf_value_domain less(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *a = operand(self, node, 0), *b = operand(self, node, 1);
    bool fails = operands_fail(self, node);
    unsigned orders = LESS | EQUAL | GREATER;
    if (is_no_order(a, b))
        return of_types(0, true);
    if (node->count > 2)
        return of_truths(3, true);
    if (are_numbers(a, b)) {
        orders = orders_of_numbers(a, b);
        fails |= may_be_no_number(a, b);
    } else if (wf_domain_only(a, WF_TYPE_STRING) && wf_domain_only(b, WF_TYPE_STRING))
        orders = orders_of_texts(a, b);
    else
        return of_truths(3, true);
    if (node->operands[0] == node->operands[1])
        orders &= EQUAL;
    const unsigned fits = is(node, "<=") ? LESS | EQUAL : LESS;
    return of_truths((orders & fits ? 2u : 0u) | (orders & ~fits ? 1u : 0u), fails);
}

static unsigned equalities(const wf_value_domain *a, const wf_value_domain *b)
{
    wf_value_domain both = *a;
    wf_domain_meet(&both, b);
    unsigned equal = both.types ? 2u : 0u;
    wf_value one, two;
    bool single = wf_domain_single(a, &one) && wf_domain_single(b, &two);
    return equal | (equal && single ? 0u : 1u);
}

static bool is_unique(const wf_constraints *self, wf_term list)
{
    wf_schema_group group = {.count = 0};
    bool unique = false;
    wf_chain_schemas(self->terms, list, &group);
    for (uint32_t i = 0; i < group.count; i++)
        unique |= group.list[i]->unique;
    return unique;
}

/* Two elements that a list without duplicates has. */
static bool are_different(const wf_constraints *self, wf_term a, wf_term b)
{
    const wf_term_node *one = wf_term_at(self->terms, a), *other = wf_term_at(self->terms, b);
    if (one->kind != WF_TERM_ELEMENT || other->kind != WF_TERM_ELEMENT ||
        one->operands[0] != other->operands[0] || one->index == other->index)
        return false;
    const wf_value_domain *list = operand(self, one, 0);
    const uint32_t last = one->index > other->index ? one->index : other->index;
    return list->types == WF_TYPE_ARRAY && list->length_least > last &&
           is_unique(self, one->operands[0]);
}

static wf_value_domain same(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *a = operand(self, node, 0), *b = operand(self, node, 1);
    bool fails = operands_fail(self, node);
    if (node->count > 2)
        return of_truths(3, fails);
    if (are_different(self, node->operands[0], node->operands[1]))
        return of_truths(1, fails);
    return of_truths(node->operands[0] == node->operands[1] ? 2u : equalities(a, b), fails);
}

/* Null equals only null, or what counts as 0; a text and null are never equal. */
static wf_value_domain equal(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *a = operand(self, node, 0), *b = operand(self, node, 1);
    unsigned found = 3;
    bool fails = operands_fail(self, node);
    if (is_no_order(a, b))
        return of_types(0, true);
    if (node->count > 2)
        return of_truths(3, true);
    if (wf_domain_only(a, WF_TYPE_STRING) && wf_domain_only(b, WF_TYPE_STRING))
        return same(self, node);
    if (wf_domain_only(a, WF_TYPE_STRING | WF_TYPE_NULL) &&
        wf_domain_only(b, WF_TYPE_STRING | WF_TYPE_NULL)) {
        found = equalities(a, b);
    } else if (are_numbers(a, b)) {
        unsigned orders = orders_of_numbers(a, b);
        fails |= may_be_no_number(a, b);
        if (node->operands[0] == node->operands[1])
            orders = EQUAL;
        found = (orders & EQUAL ? 2u : 0u) | (orders & (LESS | GREATER) ? 1u : 0u);
    } else {
        return of_truths(3, true);
    }
    return of_truths(found, fails);
}

/* ---- texts and lists ---- */

/* Adds one more element of a list that a value may be in. True if it is that one. */
static bool may_be(const wf_value_domain *part, const wf_value_domain *one, unsigned *truths)
{
    unsigned equal = equalities(part, one);
    *truths = equal == 2 ? 2 : *truths | (equal & 2u);
    return equal == 2;
}

/* Of a list whose elements are seen. */
static unsigned among(const wf_constraints *self, const wf_value_domain *part, wf_term list)
{
    const wf_term_node *node = wf_term_at(self->terms, list);
    const wf_value *known = wf_constraints_domain(self, list)->known;
    unsigned truths = known || node->kind == WF_TERM_ARRAY ? 1 : 3;
    for (uint32_t i = 0; known && i < known->length; i++) {
        wf_value_domain one = wf_domain_of_value(&known->as.items[i]);
        if (may_be(part, &one, &truths))
            break;
    }
    for (uint32_t i = 0; !known && node->kind == WF_TERM_ARRAY && i < node->count; i++)
        if (may_be(part, operand(self, node, i), &truths))
            break;
    return truths;
}

static wf_value_domain contained(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *part = operand(self, node, 0), *whole = operand(self, node, 1);
    const uint8_t fine = WF_TYPE_ARRAY | WF_TYPE_STRING | WF_TYPE_NULL;
    bool fails = operands_fail(self, node) || !wf_domain_only(whole, fine);
    unsigned truths = 3;
    if (wf_domain_only(whole, WF_TYPE_OBJECT))
        return of_types(0, true);
    if (wf_domain_only(whole, WF_TYPE_ARRAY))
        truths = among(self, part, node->operands[1]);
    else if (wf_domain_only(whole, WF_TYPE_NULL))
        truths = 1;
    return of_truths(truths, fails);
}

static wf_value_domain joined_text(const wf_constraints *self, const wf_term_node *node)
{
    wf_value_domain domain = of_types(WF_TYPE_STRING, operands_fail(self, node));
    domain.length_most = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        const wf_value_domain *part = operand(self, node, i);
        bool text = wf_domain_only(part, WF_TYPE_STRING);
        domain.length_least += text ? part->length_least : 0;
        domain.length_most += text ? part->length_most : INFINITY;
    }
    wf_prefix_joined(self, node, &domain);
    return domain;
}

/* A number that is not less than 0, or `otherwise` if there is no such operand. False: it is not known. */
static bool known_count(const wf_constraints *self, const wf_term_node *node, uint32_t i,
                        double otherwise, double *number)
{
    *number = otherwise;
    if (i >= node->count)
        return true;
    const wf_value *known = operand(self, node, i)->known;
    if (!known || known->type != WF_NUMBER || known->as.number < 0)
        return false;
    *number = floor(known->as.number);
    return true;
}

static wf_value_domain cut_text(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *text = operand(self, node, 0);
    wf_value_domain domain = of_types(WF_TYPE_STRING, operands_fail(self, node));
    double start, most;
    if (!(text->types & WF_TYPE_STRING))
        return of_types(0, true);
    domain.fails |= !wf_domain_only(text, WF_TYPE_STRING);
    domain.length_most = text->length_most;
    if (!known_count(self, node, 2, INFINITY, &most))
        return domain;
    domain.length_most = fmin(domain.length_most, most);
    if (known_count(self, node, 1, 0, &start)) {
        domain.length_most = fmin(domain.length_most, fmax(text->length_most - start, 0));
        domain.length_least = fmin(fmax(text->length_least - start, 0), most);
        if (wf_prefix_cut(self, text, start, most, &domain))
            return domain;
    }
    wf_domain_tidy(&domain);
    return domain;
}

static wf_value_domain length_of(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *of = operand(self, node, 0);
    const uint8_t counted = WF_TYPE_STRING | WF_TYPE_ARRAY;
    wf_value_domain domain = of_types(WF_TYPE_NUMBER, operands_fail(self, node));
    if (!(of->types & (counted | WF_TYPE_OBJECT)))
        return of_types(0, true);
    domain.fails |= !wf_domain_only(of, counted | WF_TYPE_OBJECT);
    domain.whole = true;
    domain.least = of->types & WF_TYPE_OBJECT ? 0 : of->length_least;
    domain.most = of->types & WF_TYPE_OBJECT ? INFINITY : of->length_most;
    return domain;
}

/* ---- lists ---- */

/* What is no list is one element. */
static wf_value_domain merged(const wf_constraints *self, const wf_term_node *node)
{
    wf_value_domain domain = of_types(WF_TYPE_ARRAY, operands_fail(self, node));
    domain.length_most = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        const wf_value_domain *part = operand(self, node, i);
        bool list = part->types & WF_TYPE_ARRAY, other = !wf_domain_only(part, WF_TYPE_ARRAY);
        double least = list ? part->length_least : 1, most = list ? part->length_most : 1;
        domain.length_least += other ? fmin(least, 1) : least;
        domain.length_most += other ? fmax(most, 1) : most;
    }
    return domain;
}

/* A list without its first elements. */
static wf_value_domain sliced(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *list = operand(self, node, 0);
    const wf_value *from = node->count == 2 ? operand(self, node, 1)->known : NULL;
    bool cut = from && from->type == WF_NUMBER && from->as.number >= 0 &&
               from->as.number == floor(from->as.number);
    if (!cut || !wf_domain_only(list, WF_TYPE_ARRAY) || !list->types)
        return of_types(WF_TYPES, true);
    wf_value_domain domain = of_types(WF_TYPE_ARRAY, true);
    domain.length_least = fmax(list->length_least - from->as.number, 0);
    domain.length_most = fmax(list->length_most - from->as.number, 0);
    return domain;
}

/* ---- all of them ---- */

/* If the value of each operand is known, so is the result. */
static bool computed(const wf_constraints *self, wf_term term, const wf_term_node *node,
                     wf_value_domain *domain)
{
    enum { FEW = 4 };
    wf_value operands[FEW], *value = wf_arena_take(self->arena, sizeof *value);
    if (!value || node->count > FEW || operands_fail(self, node))
        return false;
    for (uint32_t i = 0; i < node->count; i++)
        if (!wf_domain_single(operand(self, node, i), &operands[i]))
            return false;
    int32_t status = wf_term_compute(self->terms, term, operands, self->arena, value);
    *domain = status == WFSM_OK ? wf_domain_of_value(value) : of_types(0, true);
    return status == WFSM_OK || status == WFSM_SEMANTIC;
}

static wf_value_domain applied(const wf_constraints *self, wf_term term,
                               const wf_term_node *node)
{
    bool fails = operands_fail(self, node);
    wf_value_domain domain;
    if (computed(self, term, node, &domain))
        return domain;
    if (strchr("+-*/%", node->op->name[0]) && !node->op->name[1])
        return arithmetic(self, node);
    if (is(node, "min") || is(node, "max"))
        return extreme(self, node);
    if (is(node, "!") || is(node, "!!")) {
        unsigned truths = wf_domain_truths(operand(self, node, 0));
        return of_truths(is(node, "!") ? (truths & 1u) << 1 | truths >> 1 : truths, fails);
    }
    if (is(node, "<") || is(node, "<="))
        return less(self, node);
    if (is(node, "==="))
        return same(self, node);
    if (is(node, "=="))
        return equal(self, node);
    if (is(node, "in"))
        return contained(self, node);
    if (is(node, "cat"))
        return joined_text(self, node);
    if (is(node, "substr"))
        return cut_text(self, node);
    if (is(node, "length"))
        return length_of(self, node);
    if (is(node, "get"))
        return of_types(WF_TYPES, fails);
    if (is(node, "merge"))
        return merged(self, node);
    return is(node, "slice") ? sliced(self, node) : of_types(WF_TYPES, true);
}

/* What is known of all elements is left to list_witness.c. */
static wf_value_domain over_list(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *list = operand(self, node, 0);
    const uint8_t fine = WF_TYPE_ARRAY | WF_TYPE_NULL;
    bool maps = is(node, "map"), filters = is(node, "filter");
    if (!(list->types & fine))
        return of_types(0, true);
    if (is(node, "reduce")) {
        wf_value_domain all;
        return wf_sum_domain(self, node, &all) || wf_extreme_domain(self, node, &all)
                   ? all
                   : of_types(WF_TYPES, true);
    }
    if (!maps && !filters)
        return of_truths(3, true);
    wf_value_domain domain = of_types(WF_TYPE_ARRAY, true);
    domain.length_most = list->types & WF_TYPE_ARRAY ? list->length_most : 0;
    if (maps && wf_domain_only(list, WF_TYPE_ARRAY))
        domain.length_least = list->length_least;
    return domain;
}

/* A part of what has no such part is null. */
static wf_value_domain part_of(const wf_constraints *self, const wf_term_node *node,
                               wf_term term)
{
    const wf_value_domain *whole = operand(self, node, 0);
    const uint8_t parts = WF_TYPE_OBJECT | WF_TYPE_ARRAY;
    bool fails = whole->fails;
    wf_value_domain domain = wf_chain_domain(self->terms, term);
    if (!(whole->types & parts))
        domain = of_types(WF_TYPE_NULL, fails);
    if (wf_domain_only(whole, WF_TYPE_ARRAY)) {
        const uint32_t index = wf_part_index(node);
        if (whole->length_most <= index)
            domain = of_types(WF_TYPE_NULL, fails);
        else if (whole->types && whole->length_least > index)
            domain = wf_chain_present(self->terms, term);
    } else if (wf_domain_only(whole, WF_TYPE_OBJECT) && wf_chain_requires(self->terms, term)) {
        domain = wf_chain_present(self->terms, term);
    }
    domain.fails = fails;
    return domain;
}

static wf_value_domain has_part(const wf_constraints *self, const wf_term_node *node)
{
    const wf_value_domain *whole = operand(self, node, 0);
    const uint8_t parts = WF_TYPE_OBJECT | WF_TYPE_ARRAY;
    return of_truths(whole->types & parts ? 3 : 1, whole->fails);
}

wf_value_domain wf_narrow_up(const wf_constraints *self, wf_term term)
{
    const wf_term_node *node = wf_term_at(self->terms, term);
    switch (node->kind) {
    case WF_TERM_KNOWN:
        return wf_domain_of_value(&node->value);
    case WF_TERM_SYMBOL:
        return wf_chain_domain(self->terms, term);
    case WF_TERM_MEMBER:
    case WF_TERM_ELEMENT:
        return part_of(self, node, term);
    case WF_TERM_HAS:
        return has_part(self, node);
    case WF_TERM_APPLY:
        return applied(self, term, node);
    case WF_TERM_OVER:
        return over_list(self, node);
    case WF_TERM_OBJECT:
        return of_types(WF_TYPE_OBJECT, operands_fail(self, node));
    default: {
        wf_value_domain list = of_types(WF_TYPE_ARRAY, operands_fail(self, node));
        list.length_least = list.length_most = node->count;
        return list;
    }
    }
}
