/* verify/solve_texts.c: the list of values that are worth trying, and texts for it: beside others, of some length,
 * read as numbers, and between others. */
#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "base/utf8.h"

enum { MOST = 160, MOST_LENGTH = 4096 };

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

/* Whether a character of UTF-8 begins there, or the text ends. */
static bool is_boundary(const wf_value *text, size_t at)
{
    return ((unsigned char)text->as.text[at] & 0xC0) != 0x80;
}

void wf_candidates_add_text(wf_candidates *self, const wf_value_domain *domain,
                            const wf_value *text)
{
    static const char *const around[][2] = {{"", "0"}, {"", "z"}, {"a", ""}, {" ", " "}};
    wf_candidates_add(self, domain, text);
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        wf_value other = text_with(self->arena, text, around[i][0], around[i][1]);
        wf_candidates_add(self, domain, &other);
    }
    if (text->length > 0) {
        size_t length = text->length - 1;
        while (!is_boundary(text, length))
            length--;
        wf_value shorter = wf_string_copy(self->arena, text->as.text, length);
        wf_candidates_add(self, domain, &shorter);
    }
}

void wf_candidates_add_length(wf_candidates *self, const wf_value_domain *domain, double length)
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
void wf_candidates_add_number_text(wf_candidates *self, const wf_value_domain *domain,
                                   double number)
{
    char text[WF_NUMBER_BYTES];
    size_t length = wf_number_text(number, text);
    wf_value value = wf_string_copy(self->arena, text, length);
    wf_candidates_add(self, domain, &value);
}

/* Texts that are to be numbers in some range. */
void wf_candidates_add_numeric(wf_candidates *self, const wf_value_domain *domain)
{
    const double least = domain->worth_least, most = domain->worth_most,
                 known = isfinite(least) ? least : most;
    wf_candidates_add_number_text(self, domain, least);
    wf_candidates_add_number_text(self, domain, most);
    if (isfinite(least) && isfinite(most))
        wf_candidates_add_number_text(self, domain, least / 2 + most / 2);
    wf_candidates_add_number_text(self, domain, floor(known) + 1);
    wf_candidates_add_number_text(self, domain, ceil(known) - 1);
}

/* ---- texts that are put together ---- */

/* How many bytes of the whole stand before and after the term; false: not all of the other operands are known. */
static bool find_middle(const wf_constraints *all, const wf_term_node *cat, wf_term term,
                        const wf_value *whole, uint32_t *first, uint32_t *last)
{
    uint32_t at = 0;
    while (at < cat->count && cat->operands[at] != term)
        at++;
    *first = *last = 0;
    for (uint32_t i = 0; i < cat->count; i++) {
        const wf_value *text = wf_term_text(all->terms, cat->operands[i]);
        if (i != at && !text)
            return false;
        if (i != at)
            *(i < at ? first : last) += text->length;
    }
    return at < cat->count && *first + *last <= whole->length;
}

/* `cat` of this term and known texts has a known result: the rest of the result is a candidate. */
void wf_candidates_add_middle(wf_candidates *self, const wf_constraints *all, wf_term term,
                              const wf_value_domain *domain, wf_term of)
{
    const wf_term_node *cat = wf_term_at(all->terms, of);
    uint32_t first, last;
    wf_value whole;
    if (cat->kind != WF_TERM_APPLY || !wf_term_is(cat, "cat") ||
        !wf_domain_single(wf_constraints_domain(all, of), &whole) || whole.type != WF_STRING ||
        !find_middle(all, cat, term, &whole, &first, &last) || !is_boundary(&whole, first) ||
        !is_boundary(&whole, whole.length - last))
        return;
    const wf_value text =
        wf_string_copy(self->arena, whole.as.text + first, whole.length - first - last);
    wf_candidates_add(self, domain, &text);
}

/* The known texts before the term (`last`: after it), put together. ABSENT: not all are known, or it is not there. */
static wf_value known_beside(const wf_constraints *all, const wf_term_node *cat, wf_term term,
                             bool last, wf_arena *arena)
{
    uint32_t first = 0, end = 0;
    wf_value whole = wf_string_z("");
    while (end < cat->count && cat->operands[end] != term)
        end++;
    if (end == cat->count)
        return wf_absent();
    if (last) {
        first = end + 1;
        end = cat->count;
    }
    for (uint32_t i = first; i < end && whole.type == WF_STRING; i++) {
        const wf_value *text = wf_term_text(all->terms, cat->operands[i]);
        whole = text ? text_with(arena, text, whole.as.text, "") : wf_absent();
    }
    return whole;
}

static bool stands_at(const wf_value *whole, size_t at, const wf_value *part)
{
    return part->length <= whole->length - at &&
           memcmp(whole->as.text + at, part->as.text, part->length) == 0;
}

/* Each part of the known text that stands between these two. */
static void add_between(wf_candidates *self, const wf_value_domain *domain,
                        const wf_value *whole, const wf_value *before, const wf_value *after)
{
    for (size_t first = before->length; first <= whole->length; first++)
        for (size_t end = first; end <= whole->length; end++) {
            if (!stands_at(whole, first - before->length, before) ||
                !stands_at(whole, end, after) || !is_boundary(whole, first) ||
                !is_boundary(whole, end))
                continue;
            const wf_value text =
                wf_string_copy(self->arena, whole->as.text + first, end - first);
            wf_candidates_add(self, domain, &text);
        }
}

/* `cat` of this term and known texts is `in` a known text, as in a list of names with commas between them. */
void wf_candidates_add_listed(wf_candidates *self, const wf_constraints *all, wf_term term,
                              const wf_value_domain *domain, wf_term of)
{
    enum { LONGEST = 256 };
    const wf_term_node *in = wf_term_at(all->terms, of);
    if (in->kind != WF_TERM_APPLY || !wf_term_is(in, "in") || in->count != 2)
        return;
    const wf_value *whole = wf_term_text(all->terms, in->operands[1]);
    const wf_term_node *cat = wf_term_at(all->terms, in->operands[0]);
    if (!whole || whole->length > LONGEST || cat->kind != WF_TERM_APPLY ||
        !wf_term_is(cat, "cat"))
        return;
    const wf_value before = known_beside(all, cat, term, false, self->arena),
                   after = known_beside(all, cat, term, true, self->arena);
    if (before.type == WF_STRING && after.type == WF_STRING && before.length + after.length > 0)
        add_between(self, domain, whole, &before, &after);
}

/* Its characters are bytes. */
static bool is_ascii(const wf_value *text)
{
    return wf_utf8_count(text->as.text, text->length) == text->length;
}

/* Where a `substr` of the term with a known start begins, or -1. */
static double start_of_part(const wf_constraints *all, const wf_term_node *part, wf_term term)
{
    if (part->kind != WF_TERM_APPLY || !wf_term_is(part, "substr") || part->count < 2 ||
        part->operands[0] != term)
        return -1;
    const wf_term_node *start = wf_term_at(all->terms, part->operands[1]);
    return start->kind == WF_TERM_KNOWN && start->value.type == WF_NUMBER
               ? floor(start->value.as.number)
               : -1;
}

/* The known length of the part; 0: it has none. */
static size_t length_of_part(const wf_constraints *all, const wf_term_node *part)
{
    enum { LONGEST_NUMBER = 16 };
    const wf_term_node *length =
        part->count > 2 ? wf_term_at(all->terms, part->operands[2]) : NULL;
    const bool known =
        length && length->kind == WF_TERM_KNOWN && length->value.type == WF_NUMBER;
    return known && length->value.as.number >= 1 && length->value.as.number <= LONGEST_NUMBER
               ? (size_t)length->value.as.number
               : 0;
}

/* Each of the first `count` candidates, with this part at its place. */
static void add_with(wf_candidates *self, const wf_value_domain *domain, uint32_t count,
                     size_t first, const wf_value *part)
{
    for (uint32_t i = 0; i < count; i++) {
        const wf_value *whole = &self->list[i];
        if (whole->type != WF_STRING || whole->length < first + part->length ||
            !is_ascii(whole))
            continue;
        char *text = wf_arena_text(self->arena, whole->as.text, whole->length);
        if (!text)
            return;
        memcpy(text + first, part->as.text, part->length);
        const wf_value made = wf_string(text, whole->length);
        wf_candidates_add(self, domain, &made);
    }
}

/* With zeros before it, as in a date. ABSENT: it is longer. */
static wf_value padded(wf_arena *arena, const wf_value *number, size_t length)
{
    char *text = number->length <= length ? wf_arena_take(arena, length + 1) : NULL;
    if (!text)
        return wf_absent();
    memset(text, '0', length);
    memcpy(text + length - number->length, number->as.text, number->length);
    text[length] = '\0';
    return wf_string(text, length);
}

/* The part is read as a number. */
static void add_with_number(wf_candidates *self, const wf_value_domain *domain, size_t first,
                            size_t length, const wf_value_domain *of)
{
    const uint32_t count = self->count;
    const wf_value_domain texts = wf_domain_of_types(WF_TYPE_STRING);
    wf_value_domain worth = texts;
    wf_candidates numbers = {.arena = self->arena};
    worth.numeric = true;
    worth.worth_least = of->worth_least;
    worth.worth_most = of->worth_most;
    wf_candidates_add_numeric(&numbers, &worth);
    for (uint32_t i = 0; i < numbers.count; i++) {
        const wf_value part = padded(self->arena, &numbers.list[i], length);
        if (part.type == WF_STRING)
            add_with(self, domain, count, first, &part);
    }
}

/* `substr` of this term has a known result, or is a number in some range: each candidate so far gets such a part at its
 * place. */
void wf_candidates_add_with_part(wf_candidates *self, const wf_constraints *all, wf_term term,
                                 const wf_value_domain *domain, wf_term of)
{
    const wf_term_node *node = wf_term_at(all->terms, of);
    const double start = start_of_part(all, node, term);
    wf_value part;
    if (start < 0 || start > MOST_LENGTH)
        return;
    const wf_value_domain *parts = wf_constraints_domain(all, of);
    if (wf_domain_single(parts, &part) && part.type == WF_STRING && is_ascii(&part))
        add_with(self, domain, self->count, (size_t)start, &part);
    else if (parts->numeric && length_of_part(all, node) > 0)
        add_with_number(self, domain, (size_t)start, length_of_part(all, node), parts);
}
