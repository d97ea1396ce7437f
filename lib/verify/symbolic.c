/* verify/symbolic.c: values that are terms. Such a value is a text: \1, T, and the number of the term in
 * eight digits. The text of a document has no \1 (wf_symbolic_init() sees to it). */
#include "verify/symbolic.h"

#include <string.h>
#include "base/memory.h"
#include "logic/expr_tree.h"
#include "verify/explorer.h"
#include "verify/hiding.h"
#include "base/invariant.h"

enum { TEXT_LENGTH = 10 };

bool wf_symbolic_init(wf_symbolic *self, wf_explorer *explorer)
{
    self->explorer = explorer;
    wf_arena_init(&self->arena, explorer->allocator, 0);
    wf_arena_init(&self->scratch, explorer->allocator, 0);
    self->base = WF_FRESH;
    if (strstr(explorer->machine->document, "\\u0001"))
        wf_symbolic_give_up(self, "a text with the character U+0001", NULL);
    return wf_terms_init(&self->terms, explorer->allocator) &&
           wf_intern_init(&self->asked, explorer->allocator) &&
           wf_minimized_init(&self->minimized, explorer->allocator);
}

void wf_symbolic_fini(wf_symbolic *self)
{
    if (!self->explorer)
        return;
    wf_free(self->explorer->allocator, self->values);
    wf_free(self->explorer->allocator, self->answers);
    wf_free(self->explorer->allocator, self->fitted);
    wf_intern_fini(&self->asked);
    wf_minimized_fini(&self->minimized);
    wf_terms_fini(&self->terms);
    wf_arena_fini(&self->arena);
    wf_arena_fini(&self->scratch);
}

bool wf_symbolic_failed(const wf_symbolic *self)
{
    return self->failed || self->arena.failed || self->scratch.failed ||
           self->terms.arena.failed || self->terms.scratch.failed || self->asked.arena.failed ||
           self->minimized.lists.arena.failed;
}

void wf_symbolic_again(wf_symbolic *self)
{
    self->kept = self->path_count = 0;
    self->solved = 0;
    self->stopped = false;
    self->unproved = self->gap;
    self->unproved_rule = NULL;
}

void wf_symbolic_begin(wf_symbolic *self)
{
    self->failed |= wf_symbolic_failed(self); /* the arena forgets it */
    wf_arena_reset(&self->scratch);
    self->path_count = self->kept;
    self->fresh = WF_SYMBOLS_OF_INPUT;
    self->made_count = self->log_at = self->delay_count = self->patched_count = 0;
    self->asking = NULL;
    self->splits = self->guesses = self->looked_at_time = false;
    wf_hiding_run(self);
}

void wf_symbolic_give_up_at(wf_symbolic *self, const char *what, const wf_expr *rule,
                            const char *remedy)
{
    self->lost = true;
    if (self->unproved)
        return;
    self->unproved = what;
    self->unproved_rule = rule;
    self->remedy = remedy;
}

void wf_symbolic_give_up(wf_symbolic *self, const char *what, const wf_expr *rule)
{
    wf_symbolic_give_up_at(self, what, rule, "an `enum`");
}

static int digit_of(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

bool wf_symbolic_term(const wf_value *value, wf_term *term)
{
    if (value->type != WF_STRING || value->length != TEXT_LENGTH || value->as.text[0] != '\1' ||
        value->as.text[1] != 'T')
        return false;
    *term = 0;
    for (int i = 2; i < TEXT_LENGTH; i++)
        *term = *term << 4 | (uint32_t)digit_of(value->as.text[i]);
    return true;
}

bool wf_symbolic_within(const wf_value *value)
{
    wf_term term;
    bool found = wf_symbolic_term(value, &term);
    for (uint32_t i = 0; value->type == WF_ARRAY && i < value->length && !found; i++)
        found = wf_symbolic_within(&value->as.items[i]);
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length && !found; i++)
        found = wf_symbolic_within(&value->as.members[i].value);
    return found;
}

static wf_value text_of(wf_symbolic *self, wf_term term)
{
    static const char digits[] = "0123456789abcdef";
    char *text = wf_arena_take(&self->arena, TEXT_LENGTH + 1);
    if (!text)
        return wf_absent();
    text[0] = '\1';
    text[1] = 'T';
    for (int i = 0; i < 8; i++)
        text[2 + i] = digits[term >> (28 - 4 * i) & 15];
    text[TEXT_LENGTH] = '\0';
    return wf_string(text, TEXT_LENGTH);
}

wf_value wf_symbolic_value(wf_symbolic *self, wf_term term)
{
    self->failed |= term == WF_NONE;
    if (term == WF_NONE)
        return wf_absent();
    const wf_term_node *node = wf_term_at(&self->terms, term);
    if (node->kind == WF_TERM_KNOWN)
        return node->value;
    wf_value *values = wf_grow(self->explorer->allocator, self->values, &self->value_capacity,
                               (size_t)term + 1, sizeof *values);
    self->failed |= !values;
    if (!values)
        return wf_absent();
    self->values = values;
    while (self->value_count <= term)
        values[self->value_count++] = wf_absent();
    if (values[term].type == WF_ABSENT)
        values[term] = text_of(self, term);
    return values[term];
}

static wf_term of_container(wf_symbolic *self, const wf_value *value)
{
    wf_arena *arena = &self->scratch;
    wf_term *parts = wf_arena_take(arena, (value->length + 1u) * sizeof *parts);
    for (uint32_t i = 0; parts && i < value->length; i++) {
        parts[i] = wf_symbolic_of(self, value->type == WF_ARRAY ? &value->as.items[i]
                                                                : &value->as.members[i].value);
        if (parts[i] == WF_NONE)
            return WF_NONE;
    }
    if (!parts)
        return WF_NONE;
    return value->type == WF_ARRAY
               ? wf_term_array(&self->terms, parts, value->length)
               : wf_term_object(&self->terms, value->as.members, parts, value->length);
}

wf_term wf_symbolic_of(wf_symbolic *self, const wf_value *value)
{
    wf_term term;
    if (wf_symbolic_term(value, &term))
        return term;
    return wf_symbolic_within(value) ? of_container(self, value)
                                     : wf_term_known(&self->terms, value);
}

wf_term wf_symbolic_applied(wf_symbolic *self, const char *op, wf_term one, wf_term other)
{
    const wf_term both[] = {one, other};
    return wf_term_apply(&self->terms, wf_operator_find(op, strlen(op)), both, 2);
}

/* The first value gets its term first: terms have the same numbers whatever the compiler. */
wf_term wf_symbolic_compared(wf_symbolic *self, const char *op, const wf_value *one,
                             const wf_value *other)
{
    const wf_term first = wf_symbolic_of(self, one);
    return wf_symbolic_applied(self, op, first, wf_symbolic_of(self, other));
}

wf_value wf_symbolic_fresh(wf_symbolic *self, const wf_schema *schema)
{
    wf_term term =
        wf_term_symbol(&self->terms, &schema, schema ? 1 : 0, self->base + self->fresh++);
    return wf_symbolic_value(self, term);
}

wf_value wf_symbolic_numbered(wf_symbolic *self, uint32_t which, const wf_schema *schema)
{
    return wf_symbolic_value(
        self, wf_term_symbol(&self->terms, &schema, schema ? 1 : 0, self->base + which));
}
