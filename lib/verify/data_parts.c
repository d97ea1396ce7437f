/* verify/data_parts.c: the data of an event as the guards on a way look at it: which parts, what these may be, and the
 * terms of the way with such data. */
#include "verify/data_parts.h"

#include <math.h>
#include <string.h>
#include "verify/constraints.h"

enum { TEXT_MOST = 32 };

/* ---- the parts of the data that a way looks at ---- */

static const wf_term_node *node_of(const wf_data_parts *self, wf_term term)
{
    return wf_term_at(&self->symbolic->terms, term);
}

static bool is_part(const wf_data_parts *self, wf_term term)
{
    while (term != self->data && node_of(self, term)->kind == WF_TERM_MEMBER)
        term = node_of(self, term)->operands[0];
    return term == self->data;
}

static bool has_data(const wf_data_parts *self, wf_term term)
{
    const wf_term_node *node = node_of(self, term);
    if ((node->symbols & node_of(self, self->data)->symbols) == 0)
        return false;
    bool found = term == self->data;
    for (uint32_t i = 0; i < node->count && !found; i++)
        found = has_data(self, node->operands[i]);
    return found;
}

static void find_parts(wf_data_parts *self, wf_term term)
{
    const wf_term_node *node = node_of(self, term);
    if (!has_data(self, term))
        return;
    if (!is_part(self, term)) {
        bool asks = node->kind == WF_TERM_HAS && is_part(self, node->operands[0]);
        for (uint32_t i = 0; i < node->count && !asks; i++)
            find_parts(self, node->operands[i]);
        return;
    }
    for (uint32_t i = 0; i < self->count; i++)
        if (self->list[i].term == term)
            return;
    self->many |= self->count == WF_DATA_PARTS;
    if (!self->many)
        self->list[self->count++] = (wf_data_part){.term = term};
}

/* ---- what a part may be ---- */

static void add_candidate(const wf_data_parts *self, wf_data_part *to, wf_term term)
{
    if (term == WF_NONE || to->count == WF_DATA_CANDIDATES || has_data(self, term))
        return;
    for (uint32_t i = 0; i < to->count; i++)
        if (to->list[i] == term)
            return;
    to->list[to->count++] = term;
}

static void add_known(const wf_data_parts *self, wf_data_part *to, wf_value value)
{
    add_candidate(self, to, wf_term_known(&self->symbolic->terms, &value));
}

/* Of a number, also one more and one less. */
static void add_beside(const wf_data_parts *self, wf_data_part *to, wf_term term)
{
    wf_terms *terms = &self->symbolic->terms;
    const wf_value one = wf_number(1);
    const wf_term by = wf_term_known(terms, &one);
    add_candidate(self, to, term);
    if (wf_chain_domain(terms, term).types != WF_TYPE_NUMBER)
        return;
    add_candidate(self, to, wf_symbolic_applied(self->symbolic, "+", term, by));
    add_candidate(self, to, wf_symbolic_applied(self->symbolic, "-", term, by));
}

/* What it is compared with; of a list, each element. */
static void add_other(const wf_data_parts *self, wf_data_part *to, wf_term term)
{
    const wf_term_node node = *node_of(self, term); /* new terms move the list */
    if (node.kind == WF_TERM_ARRAY)
        for (uint32_t i = 0; i < node.count; i++)
            add_candidate(self, to, node.operands[i]);
    else if (node.kind == WF_TERM_KNOWN && node.value.type == WF_ARRAY)
        for (uint32_t i = 0; i < node.value.length; i++)
            add_known(self, to, node.value.as.items[i]);
    else
        add_beside(self, to, term);
}

static void add_compared(const wf_data_parts *self, wf_data_part *to, wf_term term)
{
    const wf_term_node node = *node_of(self, term);
    bool compared = false;
    for (uint32_t i = 0; i < node.count; i++) {
        add_compared(self, to, node.operands[i]);
        compared |= node.operands[i] == to->term;
    }
    for (uint32_t i = 0; i < node.count && compared && node.kind == WF_TERM_APPLY; i++)
        add_other(self, to, node.operands[i]);
}

/* Two texts of the least length. */
static void add_texts(const wf_data_parts *self, wf_data_part *to,
                      const wf_value_domain *domain)
{
    char text[TEXT_MOST];
    const uint32_t length = (uint32_t)fmin(fmax(domain->length_least, 1), TEXT_MOST);
    memset(text, 'a', sizeof text);
    for (uint32_t i = 0; i < 2; i++) {
        text[length - 1] = (char)('a' + i);
        add_known(self, to, wf_string(text, length));
    }
    for (uint32_t i = 0; i < domain->text_count && i < 2 && !domain->others; i++)
        add_known(self, to, *domain->texts[i]);
}

static void add_numbers(const wf_data_parts *self, wf_data_part *to,
                        const wf_value_domain *domain)
{
    const double least = fmax(ceil(domain->least), fmin(0, floor(domain->most) - 1));
    add_known(self, to, wf_number(least));
    add_known(self, to, wf_number(least + 1));
}

/* Any two values of each simple type. */
static void add_any(const wf_data_parts *self, wf_data_part *to)
{
    const wf_value_domain domain = wf_chain_domain(&self->symbolic->terms, to->term);
    if (domain.types & WF_TYPE_STRING)
        add_texts(self, to, &domain);
    if (domain.types & WF_TYPE_NUMBER)
        add_numbers(self, to, &domain);
    if (domain.types & WF_TYPE_BOOLEAN)
        for (uint32_t i = 0; i < 2; i++)
            add_known(self, to, wf_boolean(i == 1));
}

void wf_data_parts_read(wf_data_parts *self, const wf_literal *literals, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (literals[i].kind != WF_HAS_TYPE || literals[i].term != self->data)
            find_parts(self, literals[i].term);
    for (uint32_t p = 0; p < self->count; p++) {
        for (uint32_t i = 0; i < count; i++)
            add_compared(self, &self->list[p], literals[i].term);
        add_any(self, &self->list[p]);
    }
}

/* ---- the data ---- */

/* The object with another member; of what is no object, one with this member only. */
static wf_value with_member(wf_arena *arena, const wf_value *object, const char *key,
                            uint32_t length, const wf_value *value)
{
    const uint32_t most = object && object->type == WF_OBJECT ? object->length : 0;
    wf_member *members = wf_arena_take(arena, (most + 1u) * sizeof *members);
    uint32_t count = 0;
    for (uint32_t i = 0; members && i < most; i++)
        if (object->as.members[i].length != length ||
            memcmp(object->as.members[i].key, key, length) != 0)
            members[count++] = object->as.members[i];
    if (!members)
        return wf_absent();
    wf_member_set(&members[count++], key, length, *value);
    return wf_object(members, count);
}

/* The part in `whole`, or NULL. */
static const wf_value *value_of_part(const wf_data_parts *self, const wf_value *whole,
                                     wf_term term)
{
    if (term == self->data)
        return whole;
    const wf_term_node *node = node_of(self, term);
    const wf_value *of = value_of_part(self, whole, node->operands[0]);
    return of && of->type == WF_OBJECT ? wf_value_get(of, node->key, node->key_length) : NULL;
}

/* `whole` with another value of the part. */
static wf_value with_part(const wf_data_parts *self, const wf_value *whole, wf_term term,
                          const wf_value *value)
{
    if (term == self->data)
        return *value;
    const wf_term_node *node = node_of(self, term);
    const wf_value *before = value_of_part(self, whole, node->operands[0]);
    const wf_value of =
        with_member(&self->symbolic->scratch, before, node->key, node->key_length, value);
    return of.type == WF_ABSENT ? of : with_part(self, whole, node->operands[0], &of);
}

wf_term wf_data_parts_fill(const wf_data_parts *self, const wf_value *sample, uint32_t number)
{
    wf_value data = *sample;
    for (uint32_t p = 0; p < self->count && data.type != WF_ABSENT; p++) {
        const wf_data_part *at = &self->list[p];
        if (at->count == 0)
            return WF_NONE;
        const wf_value value = wf_symbolic_value(self->symbolic, at->list[number % at->count]);
        number /= at->count;
        data = value.type == WF_ABSENT ? value : with_part(self, &data, at->term, &value);
    }
    return number > 0 || data.type == WF_ABSENT ? WF_NONE
                                                : wf_symbolic_of(self->symbolic, &data);
}

wf_term wf_data_parts_replace(const wf_data_parts *self, wf_term term, wf_term data)
{
    const wf_term_node node = *node_of(self, term);
    if (term == self->data || !has_data(self, term))
        return term == self->data ? data : term;
    wf_term *operands =
        wf_arena_take(&self->symbolic->scratch, (node.count + 1u) * sizeof *operands);
    for (uint32_t i = 0; operands && i < node.count; i++) {
        operands[i] = wf_data_parts_replace(self, node.operands[i], data);
        if (operands[i] == WF_NONE)
            return WF_NONE;
    }
    return operands ? wf_term_rebuilt(&self->symbolic->terms, &node, operands) : WF_NONE;
}
