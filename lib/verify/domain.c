#include "verify/domain.h"

#include <math.h>
#include <string.h>
#include "base/utf8.h"

int wf_text_order(const wf_value *a, const wf_value *b)
{
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->as.text, b->as.text, shorter);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

wf_value_domain wf_domain_of_types(uint8_t types)
{
    return (wf_value_domain){.types = types,
                             .truths = 3,
                             .least = -INFINITY,
                             .most = INFINITY,
                             .worth_least = -INFINITY,
                             .worth_most = INFINITY,
                             .length_most = INFINITY,
                             .others = true};
}

static double length_of(const wf_value *value)
{
    return value->type == WF_STRING ? (double)wf_utf8_count(value->as.text, value->length)
                                    : (double)value->length;
}

wf_value_domain wf_domain_of_value(const wf_value *value)
{
    wf_value_domain one = wf_domain_of_types((uint8_t)(1u << value->type));
    one.known = value;
    if (value->type == WF_BOOLEAN)
        one.truths = (uint8_t)(1u << value->as.boolean);
    if (value->type == WF_NUMBER) {
        one.least = one.most = value->as.number;
        one.whole = floor(one.least) == one.least;
    }
    if (value->type == WF_STRING) {
        one.others = false;
        one.texts[0] = value;
        one.text_count = 1;
    }
    if (value->type >= WF_STRING)
        one.length_least = one.length_most = length_of(value);
    return one;
}

/* ---- tidying ---- */

static bool is_within(const wf_value_domain *domain, const wf_value *text)
{
    const wf_text_bound *least = &domain->text_least, *most = &domain->text_most;
    double length = length_of(text);
    int low = least->text ? wf_text_order(text, least->text) : 1;
    int high = most->text ? wf_text_order(text, most->text) : -1;
    return (low > 0 || (low == 0 && !least->strict)) &&
           (high < 0 || (high == 0 && !most->strict)) && length >= domain->length_least &&
           length <= domain->length_most;
}

static bool is_listed(const wf_value_domain *domain, const wf_value *text)
{
    for (uint32_t i = 0; i < domain->text_count; i++)
        if (wf_text_order(domain->texts[i], text) == 0)
            return true;
    return false;
}

static bool has_text(const wf_value_domain *domain, const wf_value *text)
{
    return is_listed(domain, text) != domain->others && is_within(domain, text);
}

/* A text of two characters is no number beyond these: an exponent takes three. */
static void bound_worth(wf_value_domain *domain)
{
    if (domain->length_most > 2)
        return;
    domain->worth_least = fmax(domain->worth_least, domain->length_most < 2 ? 0 : -9);
    domain->worth_most = fmin(domain->worth_most, domain->length_most < 2 ? 9 : 99);
}

static void tidy_texts(wf_value_domain *domain)
{
    bound_worth(domain);
    const wf_text_bound *least = &domain->text_least, *most = &domain->text_most;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < domain->text_count && !domain->others; i++)
        if (is_within(domain, domain->texts[i]))
            domain->texts[kept++] = domain->texts[i];
    if (!domain->others)
        domain->text_count = kept;
    int order = least->text && most->text ? wf_text_order(least->text, most->text) : -1;
    bool crossed = order > 0 || (order == 0 && (least->strict || most->strict));
    bool is_empty = domain->length_most == 0 && domain->others &&
                    is_listed(domain, &(wf_value){.type = WF_STRING, .as.text = ""});
    if (crossed || is_empty || !(domain->worth_least <= domain->worth_most) ||
        (!domain->others && kept == 0))
        domain->types &= (uint8_t)~WF_TYPE_STRING;
}

static void tidy_numbers(wf_value_domain *domain)
{
    if (domain->whole) {
        domain->least = ceil(domain->least);
        domain->most = floor(domain->most);
    }
    if (!(domain->least <= domain->most) || domain->least == INFINITY ||
        domain->most == -INFINITY)
        domain->types &= (uint8_t)~WF_TYPE_NUMBER;
}

void wf_domain_tidy(wf_value_domain *domain)
{
    if (domain->truths == 0)
        domain->types &= (uint8_t)~WF_TYPE_BOOLEAN;
    if (domain->types & WF_TYPE_NUMBER)
        tidy_numbers(domain);
    if (!(domain->length_least <= domain->length_most))
        domain->types &= (uint8_t)~(WF_TYPE_STRING | WF_TYPE_ARRAY);
    if (domain->types & WF_TYPE_STRING)
        tidy_texts(domain);
}

/* ---- narrowing ---- */

/* Runs one change on a copy, tidies, and tells whether anything is different. */
static bool replace(wf_value_domain *domain, wf_value_domain *changed)
{
    wf_domain_tidy(changed);
    if (memcmp(domain, changed, sizeof *domain) == 0)
        return false;
    *domain = *changed;
    return true;
}

bool wf_domain_keep_types(wf_value_domain *domain, uint8_t types)
{
    uint8_t before = domain->types;
    domain->types &= types;
    return domain->types != before;
}

bool wf_domain_at_least(wf_value_domain *domain, double number)
{
    wf_value_domain next = *domain;
    if (!(number > next.least))
        return false;
    next.least = number;
    return replace(domain, &next);
}

bool wf_domain_at_most(wf_value_domain *domain, double number)
{
    wf_value_domain next = *domain;
    if (!(number < next.most))
        return false;
    next.most = number;
    return replace(domain, &next);
}

bool wf_domain_worth(wf_value_domain *domain, double least, double most)
{
    wf_value_domain next = *domain;
    next.numeric = true;
    next.worth_least = fmax(next.worth_least, least);
    next.worth_most = fmin(next.worth_most, most);
    return replace(domain, &next);
}

bool wf_domain_length(wf_value_domain *domain, double least, double most)
{
    wf_value_domain next = *domain;
    next.length_least = fmax(next.length_least, least);
    next.length_most = fmin(next.length_most, most);
    return replace(domain, &next);
}

/* The stricter of two bounds; `sign` 1: the greater one, of lower bounds. */
static wf_text_bound stricter(wf_text_bound a, wf_text_bound b, int sign)
{
    if (!a.text || !b.text)
        return a.text ? a : b;
    int order = wf_text_order(a.text, b.text) * sign;
    if (order == 0)
        return a.strict ? a : b;
    return order > 0 ? a : b;
}

bool wf_domain_text_bounds(wf_value_domain *domain, wf_text_bound least, wf_text_bound most)
{
    wf_value_domain next = *domain;
    next.text_least = stricter(next.text_least, least, 1);
    next.text_most = stricter(next.text_most, most, -1);
    return replace(domain, &next);
}

wf_text_bound wf_domain_text_end(const wf_value_domain *domain, bool least)
{
    wf_text_bound end = least ? domain->text_least : domain->text_most;
    for (uint32_t i = 0; i < domain->text_count && !domain->others; i++)
        if (i == 0 || (wf_text_order(domain->texts[i], end.text) < 0) == least)
            end = (wf_text_bound){domain->texts[i], false};
    return end;
}

static void meet_texts(wf_value_domain *domain, const wf_value_domain *other)
{
    uint32_t kept = 0;
    if (!other->others && domain->others) {
        wf_value_domain mine = *domain;
        domain->others = false;
        domain->text_count = 0;
        for (uint32_t i = 0; i < other->text_count; i++)
            if (!is_listed(&mine, other->texts[i]))
                domain->texts[domain->text_count++] = other->texts[i];
        return;
    }
    if (!domain->others) {
        for (uint32_t i = 0; i < domain->text_count; i++)
            if (is_listed(other, domain->texts[i]) != other->others)
                domain->texts[kept++] = domain->texts[i];
        domain->text_count = kept;
        return;
    }
    for (uint32_t i = 0; i < other->text_count && domain->text_count < WF_DOMAIN_TEXTS; i++)
        if (!is_listed(domain, other->texts[i]))
            domain->texts[domain->text_count++] = other->texts[i];
}

bool wf_domain_meet(wf_value_domain *domain, const wf_value_domain *other)
{
    wf_value_domain next = *domain;
    next.types &= other->types;
    next.fails &= other->fails;
    next.truths &= other->truths;
    next.whole |= other->whole;
    next.least = fmax(next.least, other->least);
    next.most = fmin(next.most, other->most);
    next.numeric |= other->numeric;
    next.worth_least = fmax(next.worth_least, other->worth_least);
    next.worth_most = fmin(next.worth_most, other->worth_most);
    next.length_least = fmax(next.length_least, other->length_least);
    next.length_most = fmin(next.length_most, other->length_most);
    next.text_least = stricter(next.text_least, other->text_least, 1);
    next.text_most = stricter(next.text_most, other->text_most, -1);
    meet_texts(&next, other);
    if (!next.known)
        next.known = other->known;
    else if (other->known && !wf_value_equal(next.known, other->known))
        next.types = 0;
    return replace(domain, &next);
}

static bool drop_text(wf_value_domain *domain, const wf_value *text)
{
    wf_value_domain next = *domain;
    uint32_t kept = 0;
    if (is_listed(domain, text) == domain->others)
        return false;
    if (domain->others) {
        if (domain->text_count == WF_DOMAIN_TEXTS)
            return false;
        next.texts[next.text_count++] = text;
        return replace(domain, &next);
    }
    for (uint32_t i = 0; i < domain->text_count; i++)
        if (wf_text_order(domain->texts[i], text) != 0)
            next.texts[kept++] = domain->texts[i];
    next.text_count = kept;
    return replace(domain, &next);
}

/* Only a number at an end can be said to be missing. */
static bool drop_number(wf_value_domain *domain, double number)
{
    double step = domain->whole ? 1 : 0;
    if (number == domain->least)
        return wf_domain_at_least(domain,
                                  step > 0 ? number + step : nextafter(number, INFINITY));
    if (number == domain->most)
        return wf_domain_at_most(domain,
                                 step > 0 ? number - step : nextafter(number, -INFINITY));
    return false;
}

bool wf_domain_drop(wf_value_domain *domain, const wf_value *value)
{
    uint8_t bit = (uint8_t)(1u << value->type);
    wf_value_domain next = *domain;
    if (!(domain->types & bit))
        return false;
    switch (value->type) {
    case WF_NULL:
        return wf_domain_keep_types(domain, (uint8_t)~bit);
    case WF_BOOLEAN:
        next.truths &= (uint8_t)~(1u << value->as.boolean);
        return replace(domain, &next);
    case WF_NUMBER:
        return drop_number(domain, value->as.number);
    case WF_STRING:
        return drop_text(domain, value);
    default:
        return false;
    }
}

bool wf_domain_keep_truth(wf_value_domain *domain, bool truth)
{
    static const wf_value none = {.type = WF_STRING, .as.text = ""};
    wf_value_domain next = *domain;
    next.fails = false;
    next.truths &= (uint8_t)(1u << truth);
    if (next.known && wf_value_truth(next.known) != truth)
        next.types = 0;
    if (truth) {
        next.types &= (uint8_t)~WF_TYPE_NULL;
        next.length_least = fmax(next.length_least, 1);
        wf_domain_tidy(&next);
        drop_number(&next, 0);
        return replace(domain, &next);
    }
    wf_value_domain zero = wf_domain_of_value(&(wf_value){.type = WF_NUMBER});
    next.least = fmax(next.least, zero.least);
    next.most = fmin(next.most, zero.most);
    next.length_most = 0;
    if (next.others)
        meet_texts(&next, &(wf_value_domain){.texts = {&none}, .text_count = 1});
    return replace(domain, &next);
}

unsigned wf_domain_truths(const wf_value_domain *domain)
{
    wf_value_domain yes = *domain, no = *domain;
    wf_domain_keep_truth(&yes, true);
    wf_domain_keep_truth(&no, false);
    return (yes.types != 0 ? 2u : 0u) | (no.types != 0 ? 1u : 0u);
}

/* ---- joining ---- */

static void join_texts(wf_value_domain *joined, const wf_value_domain *a,
                       const wf_value_domain *b)
{
    bool one = a->types & WF_TYPE_STRING, two = b->types & WF_TYPE_STRING;
    const wf_value_domain *only = one && !two ? a : b;
    joined->text_count = 0;
    joined->others = true;
    if (one != two) {
        joined->others = only->others;
        joined->text_count = only->text_count;
        memcpy(joined->texts, only->texts, sizeof joined->texts);
        joined->text_least = only->text_least;
        joined->text_most = only->text_most;
        joined->numeric = only->numeric;
        joined->worth_least = only->worth_least;
        joined->worth_most = only->worth_most;
        return;
    }
    joined->numeric = a->numeric && b->numeric;
    joined->worth_least = fmin(a->worth_least, b->worth_least);
    joined->worth_most = fmax(a->worth_most, b->worth_most);
    if (a->others || b->others || a->text_count + b->text_count > WF_DOMAIN_TEXTS)
        return;
    joined->others = false;
    for (uint32_t i = 0; i < a->text_count; i++)
        joined->texts[joined->text_count++] = a->texts[i];
    for (uint32_t i = 0; i < b->text_count; i++)
        if (!is_listed(joined, b->texts[i]))
            joined->texts[joined->text_count++] = b->texts[i];
}

static void join_numbers(wf_value_domain *joined, const wf_value_domain *a,
                         const wf_value_domain *b)
{
    bool one = a->types & WF_TYPE_NUMBER, two = b->types & WF_TYPE_NUMBER;
    joined->least = fmin(one ? a->least : INFINITY, two ? b->least : INFINITY);
    joined->most = fmax(one ? a->most : -INFINITY, two ? b->most : -INFINITY);
    joined->whole = (!one || a->whole) && (!two || b->whole);
}

wf_value_domain wf_domain_join(const wf_value_domain *a, const wf_value_domain *b)
{
    wf_value_domain joined = wf_domain_of_types(a->types | b->types);
    bool one = a->types & (WF_TYPE_STRING | WF_TYPE_ARRAY);
    bool two = b->types & (WF_TYPE_STRING | WF_TYPE_ARRAY);
    joined.fails = a->fails || b->fails;
    joined.truths = (a->types & WF_TYPE_BOOLEAN ? a->truths : 0) |
                    (b->types & WF_TYPE_BOOLEAN ? b->truths : 0);
    if (joined.types & WF_TYPE_NUMBER)
        join_numbers(&joined, a, b);
    if (joined.types & WF_TYPE_STRING)
        join_texts(&joined, a, b);
    joined.length_least =
        fmin(one ? a->length_least : INFINITY, two ? b->length_least : INFINITY);
    joined.length_most = fmax(one ? a->length_most : 0, two ? b->length_most : 0);
    if (!one && !two)
        joined.length_least = 0, joined.length_most = INFINITY;
    if (a->known && b->known && wf_value_equal(a->known, b->known))
        joined.known = a->known;
    wf_domain_tidy(&joined);
    return joined;
}

bool wf_domain_has(const wf_value_domain *domain, const wf_value *value)
{
    if (!(domain->types >> value->type & 1) ||
        (domain->known && !wf_value_equal(domain->known, value)))
        return false;
    switch (value->type) {
    case WF_BOOLEAN:
        return domain->truths >> value->as.boolean & 1;
    case WF_NUMBER:
        return value->as.number >= domain->least && value->as.number <= domain->most &&
               (!domain->whole || floor(value->as.number) == value->as.number);
    case WF_STRING:
        return has_text(domain, value);
    case WF_ARRAY:
        return value->length >= domain->length_least && value->length <= domain->length_most;
    default:
        return true;
    }
}

bool wf_domain_single(const wf_value_domain *domain, wf_value *value)
{
    if (domain->fails)
        return false;
    if (domain->known)
        *value = *domain->known;
    else if (domain->types == WF_TYPE_NULL)
        *value = wf_null();
    else if (domain->types == WF_TYPE_BOOLEAN && domain->truths != 3)
        *value = wf_boolean(domain->truths == 2);
    else if (domain->types == WF_TYPE_NUMBER && domain->least == domain->most)
        *value = wf_number(domain->least);
    else if (domain->types == WF_TYPE_STRING && !domain->others && domain->text_count == 1)
        *value = *domain->texts[0];
    else
        return false;
    return true;
}
