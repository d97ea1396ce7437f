/* verify/symbolic_state.c: symbols in the key of a state. They are numbered in the order in which they
 * are met, so that states that differ only in the names of their symbols are one. What is known of
 * symbols that a state no longer has is left out. A term that has grown too deep becomes a symbol
 * of which little is known. Each of these makes more runs possible, never fewer. */
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "verify/explorer.h"
#include "verify/hiding.h"

enum { DEPTH_MOST = 6, HIDING_DEPTH_MOST = 2, FIRST_PAIRS = 32 };

void wf_renaming_begin(wf_renaming *renaming, wf_symbolic *self)
{
    *renaming = (wf_renaming){.self = self, .path_count = self->path_count};
}

static wf_arena *arena_of(const wf_renaming *renaming)
{
    return &renaming->self->scratch;
}

static wf_term found_before(const wf_renaming *renaming, wf_term term)
{
    for (uint32_t i = 0; i < renaming->count; i++)
        if (renaming->from[i] == term)
            return renaming->to[i];
    return WF_NONE;
}

static void *wider(const wf_renaming *renaming, const void *list, uint32_t capacity)
{
    wf_term *wide = wf_arena_take(arena_of(renaming), capacity * sizeof *wide);
    if (wide && renaming->count > 0)
        memcpy(wide, list, renaming->count * sizeof *wide);
    return wide;
}

static wf_term keep_pair(wf_renaming *renaming, wf_term from, wf_term to)
{
    if (renaming->count == renaming->capacity) {
        uint32_t capacity = renaming->capacity == 0 ? FIRST_PAIRS : renaming->capacity * 2;
        wf_term *one = wider(renaming, renaming->from, capacity),
                *other = wider(renaming, renaming->to, capacity);
        if (!one || !other)
            return WF_NONE;
        renaming->from = one;
        renaming->to = other;
        renaming->capacity = capacity;
    }
    renaming->from[renaming->count] = from;
    renaming->to[renaming->count++] = to;
    return to;
}

/* Notes that one is less than the other, or not greater, if it is. */
static bool note_less(wf_symbolic *self, wf_term one, wf_term other)
{
    const wf_literal less = {.kind = WF_IS_TRUE,
                             .term = wf_symbolic_applied(self, "<", one, other)},
                     not_more = {.kind = WF_IS_FALSE,
                                 .term = wf_symbolic_applied(self, "<", other, one)};
    if (less.term == WF_NONE || not_more.term == WF_NONE ||
        !wf_decide_succeeds(self, less.term))
        return false;
    const bool is_less = wf_decide_proves(self, &less);
    if (is_less || wf_decide_proves(self, &not_more))
        wf_decide_known(self, is_less ? &less : &not_more);
    return is_less;
}

/* Of a number that becomes a symbol, how it is ordered with what the rules compare the key with. */
static wf_term widened(wf_renaming *renaming, wf_term term)
{
    wf_symbolic *self = renaming->self;
    const wf_cone *wanted = renaming->wanted;
    const wf_literal number = {.kind = WF_HAS_TYPE, .types = 1u << WF_NUMBER, .term = term};
    if (wf_decide_succeeds(self, term) && wf_decide_proves(self, &number)) {
        wf_decide_known(self, &number);
        for (uint32_t i = 0; wanted && i < wanted->constant_count; i++) {
            const wf_term constant = wf_term_known(&self->terms, &wanted->constants[i]);
            if (wanted->constants[i].type == WF_NUMBER && !note_less(self, constant, term))
                (void)note_less(self, term, constant);
        }
    }
    return wf_term_symbol(&self->terms, NULL, 0, ++renaming->symbols);
}

static wf_term rename_term(wf_renaming *renaming, wf_term term, bool widens);

static wf_term over_operands(wf_renaming *renaming, const wf_term_node *node, bool widens)
{
    wf_term *operands =
        wf_arena_take(arena_of(renaming), (node->count + 1u) * sizeof *operands);
    for (uint32_t i = 0; operands && i < node->count; i++) {
        operands[i] = rename_term(renaming, node->operands[i], widens);
        if (operands[i] == WF_NONE)
            return WF_NONE;
    }
    return operands ? wf_term_rebuilt(&renaming->self->terms, node, operands) : WF_NONE;
}

static uint32_t depth_most(const wf_renaming *renaming)
{
    return renaming->self->hiding ? HIDING_DEPTH_MOST : DEPTH_MOST;
}

static wf_term rename_term(wf_renaming *renaming, wf_term term, bool widens)
{
    wf_terms *terms = &renaming->self->terms;
    const wf_term_node node = *wf_term_at(terms, term); /* new terms move the list */
    wf_term to = found_before(renaming, term);
    if (to != WF_NONE)
        return to;
    if (node.kind == WF_TERM_KNOWN)
        return term;
    if (node.kind == WF_TERM_SYMBOL)
        to = wf_term_symbol(terms, node.schemas, node.schema_count, ++renaming->symbols);
    else if (widens && node.depth > depth_most(renaming))
        to = widened(renaming, term);
    else
        to = over_operands(renaming, &node, widens);
    return to == WF_NONE ? WF_NONE : keep_pair(renaming, term, to);
}

/* ---- values ---- */

static wf_value renamed_list(wf_renaming *renaming, const wf_value *value)
{
    wf_value *items = wf_arena_take(arena_of(renaming), (value->length + 1u) * sizeof *items);
    for (uint32_t i = 0; items && i < value->length; i++) {
        items[i] = wf_renamed(renaming, &value->as.items[i]);
        if (items[i].type == WF_ABSENT)
            return wf_absent();
    }
    return items ? wf_array(items, value->length) : wf_absent();
}

static wf_value renamed_object(wf_renaming *renaming, const wf_value *value)
{
    wf_member *members =
        wf_arena_take(arena_of(renaming), (value->length + 1u) * sizeof *members);
    for (uint32_t i = 0; members && i < value->length; i++) {
        members[i] = value->as.members[i];
        members[i].value = wf_renamed(renaming, &value->as.members[i].value);
        if (members[i].value.type == WF_ABSENT)
            return wf_absent();
    }
    return members ? wf_object(members, value->length) : wf_absent();
}

wf_value wf_renamed(wf_renaming *renaming, const wf_value *value)
{
    wf_term term;
    if (wf_symbolic_term(value, &term))
        return wf_symbolic_value(renaming->self, rename_term(renaming, term, true));
    if (!wf_symbolic_within(value))
        return *value;
    return value->type == WF_ARRAY ? renamed_list(renaming, value)
                                   : renamed_object(renaming, value);
}

wf_value wf_renamed_key(wf_renaming *renaming, const wf_value *value, const wf_cone *wanted,
                        const wf_schema *schema)
{
    wf_symbolic *self = renaming->self;
    wf_term term;
    renaming->wanted = wanted;
    if (!self->hiding || !wf_symbolic_term(value, &term) ||
        wf_term_at(&self->terms, term)->depth == 0 || found_before(renaming, term) != WF_NONE)
        return wf_renamed(renaming, value);
    wf_term any = wf_term_symbol(&self->terms, &schema, schema ? 1 : 0, ++renaming->symbols);
    if (any != WF_NONE)
        any = keep_pair(renaming, term, any);
    return wf_symbolic_value(self, any);
}

/* ---- what is known of the symbols ---- */

/* True if all its symbols were met. */
static bool is_met(const wf_renaming *renaming, wf_term term)
{
    const wf_term_node *node = wf_term_at(&renaming->self->terms, term);
    if (found_before(renaming, term) != WF_NONE || node->kind == WF_TERM_KNOWN)
        return true;
    for (uint32_t i = 0; i < node->count; i++)
        if (!is_met(renaming, node->operands[i]))
            return false;
    return node->kind != WF_TERM_SYMBOL && node->count > 0;
}

/* ---- what follows for them from what is left out ---- */

/* A comparison of a term that the state no longer has with one that it has. */
static bool compares_lost(const wf_renaming *renaming, const wf_literal *literal, wf_term *lost,
                          wf_term *other)
{
    const wf_term_node *node = wf_term_at(&renaming->self->terms, literal->term);
    if (literal->kind > WF_IS_FALSE || node->kind != WF_TERM_APPLY || node->count != 2)
        return false;
    const bool first = is_met(renaming, node->operands[0]);
    *lost = node->operands[first];
    *other = node->operands[!first];
    return first != is_met(renaming, node->operands[1]);
}

static bool share_symbols(const wf_symbolic *self, wf_term one, wf_term other)
{
    return (wf_term_at(&self->terms, one)->symbols &
            wf_term_at(&self->terms, other)->symbols) != 0;
}

/* If a is less than b, and b less than c, then a is less than c. The state loses b: what follows for a and c is
 * noted. */
static void note_orders(wf_renaming *renaming)
{
    wf_symbolic *self = renaming->self;
    const uint32_t count = self->path_count;
    wf_term lost, other, same, beside;
    for (uint32_t i = 0; i < count; i++) {
        if (!compares_lost(renaming, &self->path[i], &lost, &other))
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (compares_lost(renaming, &self->path[k], &same, &beside) && beside != other &&
                share_symbols(self, lost, same) && !note_less(self, other, beside))
                (void)note_less(self, beside, other);
    }
}

static uint32_t collect(wf_renaming *renaming, wf_literal *out)
{
    const wf_symbolic *self = renaming->self;
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < self->path_count; i++) {
        const wf_literal *from = &self->path[i];
        if (!is_met(renaming, from->term) || !wf_hiding_lasts(self, i))
            continue;
        out[count] = *from;
        out[count].term = rename_term(renaming, from->term, false);
        renaming->failed |= out[count].term == WF_NONE;
        if (renaming->failed)
            return 0;
        if (wf_term_at(&self->terms, out[count].term)->kind != WF_TERM_KNOWN)
            count++;
    }
    qsort(out, count, sizeof *out, wf_literal_compare);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || wf_literal_compare(&out[kept - 1], &out[i]) != 0)
            out[kept++] = out[i];
    return kept;
}

wf_value wf_renamed_path(wf_renaming *renaming)
{
    wf_symbolic *self = renaming->self;
    wf_literal *list = wf_arena_take(arena_of(renaming), WF_CONDITIONS_MOST * sizeof *list);
    if (!list)
        return wf_absent();
    if (!self->hiding)
        note_orders(renaming);
    uint32_t count = collect(renaming, list);
    self->path_count = renaming->path_count;
    if (renaming->failed ||
        !wf_minimize(&self->minimized, &self->terms, &self->scratch, list, &count))
        return wf_absent();
    if (count > WF_LITERALS_MOST) /* knowing less makes more runs possible */
        count = WF_LITERALS_MOST;
    return (wf_value){.type = WF_STRING,
                      .length = (uint32_t)(count * sizeof *list),
                      .as.text = (const char *)list};
}

void wf_symbolic_restore(wf_symbolic *self, const wf_value *path)
{
    const uint32_t count = path->length / (uint32_t)sizeof *self->path;
    if (count > 0)
        memcpy(self->path, path->as.text, path->length);
    self->kept = self->path_count = count;
}
