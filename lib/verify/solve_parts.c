/* verify/solve_parts.c: texts that are worth trying because of what they are a part of, or have as a part. */
#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "base/buffer.h"
#include "base/utf8.h"

/* ---- `cat` ---- */

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
        !find_middle(all, cat, term, &whole, &first, &last) ||
        !wf_utf8_begins(whole.as.text + first) ||
        !wf_utf8_begins(whole.as.text + whole.length - last))
        return;
    const wf_value text =
        wf_string_copy(self->arena, whole.as.text + first, whole.length - first - last);
    wf_candidates_add(self, domain, &text);
}

/* The known texts before the term (`last`: after it), put together. ABSENT: not all are known, or it is not there. */
static wf_value known_beside(const wf_constraints *all, const wf_term_node *cat, wf_term term,
                             bool last, wf_arena *arena)
{
    uint32_t at = 0;
    while (at < cat->count && cat->operands[at] != term)
        at++;
    bool known = at < cat->count;
    const uint32_t first = last ? at + 1 : 0, end = last ? cat->count : at;
    wf_buffer whole;
    wf_buffer_init(&whole, arena->allocator);
    wf_buffer_text(&whole, "");
    for (uint32_t i = first; i < end && known; i++) {
        const wf_value *text = wf_term_text(all->terms, cat->operands[i]);
        known = text != NULL;
        if (known)
            wf_buffer_add(&whole, text->as.text, text->length);
    }
    const wf_value copy =
        known && !whole.failed
            ? wf_string_copy(arena, whole.data ? whole.data : "", whole.length)
            : wf_absent();
    wf_buffer_fini(&whole);
    return copy;
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
                !stands_at(whole, end, after) || !wf_utf8_begins(whole->as.text + first) ||
                !wf_utf8_begins(whole->as.text + end))
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

/* ---- `substr` ---- */

/* Its characters are bytes. */
static bool is_ascii(const wf_value *text)
{
    return wf_utf8_count(text->as.text, text->length) == text->length;
}

/* True: it is a `substr` of the term with a known start, which counts from the end if it is negative. */
static bool is_part(const wf_constraints *all, const wf_term_node *part, wf_term term,
                    double *start)
{
    if (part->kind != WF_TERM_APPLY || !wf_term_is(part, "substr") || part->count < 2 ||
        part->operands[0] != term)
        return false;
    const wf_term_node *first = wf_term_at(all->terms, part->operands[1]);
    if (first->kind != WF_TERM_KNOWN || first->value.type != WF_NUMBER)
        return false;
    *start = floor(first->value.as.number);
    return fabs(*start) <= WF_CANDIDATE_BYTES;
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
                     double start, const wf_value *part)
{
    for (uint32_t i = 0; i < count; i++) {
        const wf_value *whole = &self->list[i];
        const double first =
            whole->type == WF_STRING && start < 0 ? (double)whole->length + start : start;
        if (whole->type != WF_STRING || first < 0 ||
            (double)whole->length < first + (double)part->length || !is_ascii(whole))
            continue;
        char *text = wf_arena_text(self->arena, whole->as.text, whole->length);
        if (!text)
            return;
        memcpy(text + (size_t)first, part->as.text, part->length);
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
static void add_with_number(wf_candidates *self, const wf_value_domain *domain, double start,
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
            add_with(self, domain, count, start, &part);
    }
}

/* The known text that is `in` the term, or NULL. */
static const wf_value *contained(const wf_constraints *all, const wf_term_node *in,
                                 wf_term term)
{
    const bool is = in->kind == WF_TERM_APPLY && wf_term_is(in, "in") && in->count == 2 &&
                    in->operands[1] == term;
    const wf_value *part = is ? wf_term_text(all->terms, in->operands[0]) : NULL;
    return part && is_ascii(part) ? part : NULL;
}

/* Puts a part into a copy of each candidate. What `substr` of the term must be, or a number in its range, goes to that
 * place. A text that must be `in` the term goes to the end, and after the first character. */
void wf_candidates_add_with_part(wf_candidates *self, const wf_constraints *all, wf_term term,
                                 const wf_value_domain *domain, wf_term of)
{
    const wf_term_node *node = wf_term_at(all->terms, of);
    const wf_value *inside = contained(all, node, term);
    const uint32_t count = self->count;
    double start;
    wf_value part;
    if (inside && domain->length_least > (double)inside->length) {
        add_with(self, domain, count, -(double)inside->length, inside);
        add_with(self, domain, count, 1, inside);
    }
    if (!is_part(all, node, term, &start))
        return;
    const wf_value_domain *parts = wf_constraints_domain(all, of);
    if (wf_domain_single(parts, &part) && part.type == WF_STRING && is_ascii(&part))
        add_with(self, domain, count, start, &part);
    else if (parts->numeric && length_of_part(all, node) > 0)
        add_with_number(self, domain, start, length_of_part(all, node), parts);
}
