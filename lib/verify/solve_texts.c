/* verify/solve_texts.c: the list of values that are worth trying, and texts for it: beside others, of some length,
 * and read as numbers. */
#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "base/utf8.h"

enum { MOST = 160 };

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
        while (!wf_utf8_begins(text->as.text + length))
            length--;
        wf_value shorter = wf_string_copy(self->arena, text->as.text, length);
        wf_candidates_add(self, domain, &shorter);
    }
}

static void add_padded(wf_candidates *self, const wf_value_domain *domain,
                       const wf_value *begin, size_t bytes)
{
    char *text = begin->length <= bytes ? wf_arena_take(self->arena, bytes + 1) : NULL;
    if (!text)
        return;
    memset(text, 'x', bytes);
    memcpy(text, begin->as.text, begin->length);
    text[bytes] = '\0';
    wf_value value = wf_string(text, bytes);
    wf_candidates_add(self, domain, &value);
}

/* A text of that length, and one that begins as the least text of the domain does. */
void wf_candidates_add_length(wf_candidates *self, const wf_value_domain *domain, double length)
{
    const wf_value empty = wf_string_z(""), *least = domain->text_least.text;
    if (!(length >= 0 && length <= WF_CANDIDATE_BYTES))
        return;
    add_padded(self, domain, &empty, (size_t)length);
    if (least)
        add_padded(self, domain, least,
                   (size_t)length + least->length -
                       wf_utf8_count(least->as.text, least->length));
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
