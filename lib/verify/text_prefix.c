/* verify/text_prefix.c: how texts begin. All texts between two bounds that begin alike begin so, too: the dates of
 * one year. A `cat` begins with its first operands. */
#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "base/buffer.h"
#include "base/utf8.h"

/* Texts from "ab" on, and before "b", all begin with "a". */
static bool is_next_byte(const wf_text_bound *least, const wf_text_bound *most, uint32_t at)
{
    return most->strict && most->text->length == at + 1 && at < least->text->length &&
           (unsigned char)most->text->as.text[at] ==
               (unsigned char)least->text->as.text[at] + 1u;
}

/* The number of bytes with which all texts of the domain begin; *text begins with them. */
static uint32_t prefix_of(const wf_value_domain *domain, const char **text)
{
    const wf_text_bound least = wf_domain_text_end(domain, true),
                        most = wf_domain_text_end(domain, false);
    uint32_t length = 0;
    if (!least.text || !most.text)
        return 0;
    *text = least.text->as.text;
    while (length < least.text->length && length < most.text->length &&
           (*text)[length] == most.text->as.text[length])
        length++;
    length += is_next_byte(&least, &most, length);
    while (length > 0 && length < least.text->length &&
           ((unsigned char)(*text)[length] & 0xC0u) == 0x80)
        length--; /* whole characters */
    return length;
}

static const wf_value *text_value(const wf_constraints *self, const char *text, size_t length)
{
    wf_value *value = wf_arena_take(self->arena, sizeof *value);
    if (!value)
        return NULL;
    *value = wf_string_copy(self->arena, text, (uint32_t)length);
    return value->type == WF_STRING ? value : NULL;
}

/* The least text that is greater than all that begin with this one, whose last byte is ASCII. */
static const wf_value *text_behind(const wf_constraints *self, const char *text, size_t length)
{
    wf_value *value = wf_arena_take(self->arena, sizeof *value);
    char *next = wf_arena_text(self->arena, text, length);
    if (!value || !next)
        return NULL;
    next[length - 1]++;
    *value = wf_string(next, (uint32_t)length);
    return value;
}

/* Narrows the domain to texts that begin with this one. True if that has changed it. */
static bool bound_by(const wf_constraints *self, wf_value_domain *domain, const char *text,
                     size_t length)
{
    wf_text_bound least = {NULL, false}, most = {NULL, false};
    if (length == 0)
        return false;
    least.text = text_value(self, text, length);
    if ((unsigned char)text[length - 1] < 0x7F)
        most = (wf_text_bound){text_behind(self, text, length), true};
    return least.text && (most.text || !most.strict) &&
           wf_domain_text_bounds(domain, least, most);
}

static void add_prefix(wf_buffer *to, const wf_value_domain *part)
{
    const char *bytes = "";
    const uint32_t length = prefix_of(part, &bytes);
    wf_buffer_add(to, bytes, length);
}

void wf_prefix_joined(const wf_constraints *self, const wf_term_node *node,
                      wf_value_domain *text)
{
    wf_buffer begin;
    bool known = true;
    wf_buffer_init(&begin, self->arena->allocator);
    for (uint32_t i = 0; i < node->count && known; i++) {
        const wf_value_domain *part = wf_constraints_operand(self, node, i);
        known = part->known && part->known->type == WF_STRING;
        if (known)
            wf_buffer_add(&begin, part->known->as.text, part->known->length);
        else if (wf_domain_only(part, WF_TYPE_STRING))
            add_prefix(&begin, part);
    }
    if (!begin.failed)
        (void)bound_by(self, text, begin.data, begin.length);
    wf_buffer_fini(&begin);
}

bool wf_prefix_cut(const wf_constraints *self, const wf_value_domain *text, double start,
                   double most, wf_value_domain *cut)
{
    const char *bytes = "";
    uint32_t length = prefix_of(text, &bytes);
    if (length == 0 || start + most > (double)wf_utf8_count(bytes, length))
        return false;
    size_t from = wf_utf8_offset(bytes, length, (size_t)start),
           to = wf_utf8_offset(bytes, length, (size_t)(start + most));
    const wf_value *value = text_value(self, bytes + from, to - from);
    bool fails = cut->fails;
    if (!value)
        return false;
    *cut = wf_domain_of_value(value);
    cut->fails = fails;
    return true;
}

void wf_prefix_narrow(wf_constraints *self, const wf_term_node *node,
                      const wf_value_domain *cut)
{
    wf_value_domain *text = wf_constraints_operand(self, node, 0);
    const wf_value *from =
        node->count > 1 ? wf_constraints_operand(self, node, 1)->known : NULL;
    wf_value value;
    if (from && from->type == WF_NUMBER && from->as.number == 0 &&
        text->types == WF_TYPE_STRING && wf_domain_single(cut, &value) &&
        value.type == WF_STRING)
        wf_constraints_note(self, text, bound_by(self, text, value.as.text, value.length));
}
