/* verify/decide.c: whether a literal is true on a path. If the literals of the path leave it open, both
 * answers are choices of the step (host_choices.c), and what is chosen is remembered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "verify/constraints.h"
#include "verify/hiding.h"
#include "verify/successors.h"
#include "logic/expr_tree.h"
#include "verify/symbolic.h"
#include "base/invariant.h"

enum { SYMBOLS_MOST = 48, WORK = 1, NOT_ASKED = 255, ASKED_EVERY = 100 };

static bool is_same(const wf_literal *a, const wf_literal *b)
{
    return a->kind == b->kind && a->term == b->term && a->types == b->types &&
           a->schema == b->schema;
}

/* ---- symbols of terms ---- */

typedef struct symbols {
    wf_term list[SYMBOLS_MOST];
    uint32_t count;
    uint64_t bits; /* of their nodes */
    bool many;
} symbols;

static bool has(const symbols *self, wf_term symbol)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->list[i] == symbol)
            return true;
    return self->many;
}

static void collect(const wf_terms *terms, wf_term term, symbols *found)
{
    const wf_term_node *node = wf_term_at(terms, term);
    if (node->symbols == 0)
        return;
    found->bits |= node->symbols;
    if (node->kind == WF_TERM_SYMBOL && !has(found, term)) {
        if (found->count < SYMBOLS_MOST)
            found->list[found->count++] = term;
        else
            found->many = true;
    }
    for (uint32_t i = 0; i < node->count; i++)
        collect(terms, node->operands[i], found);
}

static bool touches(const wf_terms *terms, wf_term term, const symbols *found)
{
    const wf_term_node *node = wf_term_at(terms, term);
    if ((node->symbols & found->bits) == 0 && !found->many)
        return false;
    if (node->kind == WF_TERM_SYMBOL)
        return has(found, term);
    for (uint32_t i = 0; i < node->count; i++)
        if (touches(terms, node->operands[i], found))
            return true;
    return false;
}

/* Literals about other symbols make no difference. */
static uint32_t relevant(const wf_symbolic *self, const wf_literal *literal, wf_literal *out)
{
    bool taken[WF_CONDITIONS_MOST] = {false};
    symbols found = {.count = 0};
    uint32_t count = 0;
    bool more = true;
    collect(&self->terms, literal->term, &found);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < self->path_count; i++) {
            if (taken[i] || !touches(&self->terms, self->path[i].term, &found))
                continue;
            taken[i] = more = true;
            out[count++] = self->path[i];
            collect(&self->terms, self->path[i].term, &found);
        }
    }
    return count;
}

/* ---- what follows from the path ---- */

/* Where the answer to a question is kept; NULL when out of memory. */
static uint8_t *kept_answer(wf_symbolic *self, wf_literal *list, uint32_t count)
{
    const wfsm_allocator *allocator = self->explorer->allocator;
    wf_value key = {.type = WF_STRING, .as.text = (const char *)list};
    key.length = count * (uint32_t)sizeof *list;
    qsort(list, count - 1, sizeof *list, wf_literal_compare);
    uint32_t number = wf_intern_add(&self->asked, &key);
    if (number == WF_NONE)
        return NULL;
    uint8_t *answers = wf_grow(allocator, self->answers, &self->answer_capacity,
                               (size_t)number + 1, sizeof *answers);
    if (!answers)
        return NULL;
    self->answers = answers;
    while (self->answer_count <= number)
        answers[self->answer_count++] = NOT_ASKED;
    return &answers[number];
}

/* A single step may ask thousands of questions. The caller can end it. */
static bool is_stopped(wf_symbolic *self)
{
    if (!self->stopped && self->goes_on && self->solved % ASKED_EVERY == ASKED_EVERY - 1)
        self->stopped = !self->goes_on(self->search);
    return self->stopped;
}

/* The last literal of the list is the one in question. */
static uint8_t ask(wf_symbolic *self, wf_literal *list, uint32_t count, uint32_t effort)
{
    uint8_t *kept = kept_answer(self, list, count);
    self->failed |= !kept;
    if (!kept)
        return WF_UNKNOWN;
    if (*kept != NOT_ASKED && (*kept != WF_UNKNOWN || effort == 0))
        return *kept;
    if (effort > 0 && *kept == WF_UNKNOWN && self->work == 0)
        return WF_UNKNOWN;
    if (is_stopped(self))
        return WF_UNKNOWN;
    self->work -= effort > 0;
    self->solved++;
    /* Where values are hidden, nobody asks for values that make it true. */
    const uint32_t most = effort == 0 && self->hiding ? (uint32_t)WF_REFUTE : effort;
    *kept = (uint8_t)wf_solve(&self->terms, list, count, most, &self->scratch, NULL);
    return *kept;
}

/* True if it is decided. */
static bool follows(wf_symbolic *self, const wf_literal *literal, bool *yes)
{
    wf_literal list[WF_CONDITIONS_MOST + 1];
    const wf_literal other = wf_literal_complement(literal);
    for (uint32_t i = 0; i < self->path_count; i++) {
        *yes = is_same(&self->path[i], literal);
        if (*yes || is_same(&self->path[i], &other))
            return true;
    }
    uint32_t count = self->stopped ? 0 : relevant(self, literal, list);
    uint8_t answers[2] = {WF_UNKNOWN, WF_UNKNOWN};
    for (uint32_t effort = 0; effort <= WORK; effort++)
        for (uint32_t k = 0; k < 2; k++) {
            if (answers[k] != WF_UNKNOWN)
                continue;
            list[count] = k == 0 ? other : *literal;
            answers[k] = ask(self, list, count + 1, effort);
            *yes = k == 0;
            if (answers[k] == WF_UNSAT)
                return true;
        }
    self->splits |= answers[0] == WF_UNKNOWN || answers[1] == WF_UNKNOWN;
    return false;
}

/* ---- answers ---- */

/* What the input says has the other numbers. An id is not among these: it may have been used before, and is taken
 * once. */
static bool is_made(uint32_t symbol)
{
    const uint32_t which = (symbol - WF_FRESH) % WF_SYMBOLS_OF_MOVE;
    return symbol < WF_FRESH || which == WF_SYMBOL_EVENT_ID ||
           (which >= WF_SYMBOL_DIGEST && which < WF_SYMBOL_VOTE && which != WF_SYMBOL_NAME) ||
           which >= WF_SYMBOL_VOTE + WF_VOTES_FOLLOWED;
}

bool wf_decide_is_made(const wf_symbolic *self, wf_term term)
{
    return wf_term_has_symbol(&self->terms, term, is_made);
}

/* What happened on the way that is followed. What is not on it was known there. */
static bool from_log(wf_symbolic *self, const void *origin, uint32_t part)
{
    for (uint32_t i = self->log_at; i < self->log_count; i++)
        if (self->log[i].origin == origin && self->log[i].part == part) {
            self->log_at = i + 1;
            return self->log[i].answer;
        }
    return false;
}

static void note(wf_symbolic *self, const void *origin, uint32_t part, bool yes)
{
    if (self->made_count < WF_DECISIONS_MOST)
        self->made[self->made_count++] = (wf_decision){origin, part, yes};
    else
        wf_symbolic_give_up(self, "a step with very many decisions", NULL);
}

static void append(wf_symbolic *self, const wf_literal *literal)
{
    if (self->path_count == WF_CONDITIONS_MOST)
        return;
    self->asked_by[self->path_count] = self->asking;
    self->path[self->path_count++] = *literal;
}

static void add(wf_symbolic *self, const wf_literal *literal)
{
    self->splits |= wf_decide_is_made(self, literal->term);
    append(self, literal);
}

void wf_symbolic_opaque(wf_symbolic *self)
{
    self->splits = true;
    if (self->log && !self->opaque_rule)
        self->opaque_rule = self->asking;
}

static bool is_negation(const wf_term_node *node)
{
    return node->kind == WF_TERM_APPLY && node->op->name[0] == '!' && node->count == 1;
}

/* Of a comparison of a negation with a boolean, the negation. */
static bool is_answer(const wf_symbolic *self, const wf_term_node *node, wf_literal *plain)
{
    if (node->kind != WF_TERM_APPLY || strcmp(node->op->name, "===") != 0 || node->count != 2)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const wf_term_node *known = wf_term_at(&self->terms, node->operands[i]);
        if (known->kind != WF_TERM_KNOWN || known->value.type != WF_BOOLEAN ||
            !is_negation(wf_term_at(&self->terms, node->operands[1 - i])))
            continue;
        if (!known->value.as.boolean)
            *plain = wf_literal_complement(plain);
        plain->term = node->operands[1 - i];
        return true;
    }
    return false;
}

/* What `!` asks of its operand. */
wf_literal wf_decide_plain(const wf_symbolic *self, const wf_literal *literal)
{
    wf_literal plain = *literal;
    while (plain.kind <= WF_IS_FALSE) {
        const wf_term_node *node = wf_term_at(&self->terms, plain.term);
        if (is_answer(self, node, &plain))
            continue;
        if (!is_negation(node))
            return plain;
        if (node->op->name[1] == '\0')
            plain = wf_literal_complement(&plain);
        plain.term = node->operands[0];
    }
    return plain;
}

bool wf_decide_follows(wf_symbolic *self, const wf_literal *asked, bool *yes)
{
    const wf_literal literal = wf_decide_plain(self, asked);
    const bool splits = self->splits;
    bool known = follows(self, &literal, yes);
    self->splits = splits;
    return known;
}

bool wf_decide_proves(wf_symbolic *self, const wf_literal *asked)
{
    wf_literal list[WF_CONDITIONS_MOST + 1];
    const wf_literal literal = wf_decide_plain(self, asked);
    const uint32_t count = relevant(self, &literal, list);
    list[count] = wf_literal_complement(&literal);
    return ask(self, list, count + 1, 0) == WF_UNSAT;
}

bool wf_decide_succeeds(wf_symbolic *self, wf_term term)
{
    const wf_literal succeeds = {.kind = WF_SUCCEEDS, .term = term};
    return wf_decide_proves(self, &succeeds);
}

void wf_decide_known(wf_symbolic *self, const wf_literal *known)
{
    const wf_literal literal = wf_decide_plain(self, known);
    uint32_t place = 0;
    while (place < self->path_count && !is_same(&self->path[place], &literal))
        place++;
    if (place == self->path_count)
        append(self, &literal);
}

static bool chosen(wf_symbolic *self)
{
    return wf_choose(self->explorer, 2) == 0;
}

int32_t wf_decide_freely(wf_symbolic *self, const void *origin, uint32_t part, bool *yes)
{
    *yes = self->log ? from_log(self, origin, part) : chosen(self);
    self->splits = self->guesses = true;
    note(self, origin, part, *yes);
    return WFSM_OK;
}

int32_t wf_decide(wf_symbolic *self, const void *origin, uint32_t part, const wf_literal *asked,
                  bool *yes)
{
    self->failed |= asked->term == WF_NONE;
    if (self->failed)
        return WFSM_NO_MEMORY;
    const wf_literal simple = wf_decide_plain(self, asked), *literal = &simple;
    const wf_literal other = wf_literal_complement(literal);
    if (self->log) {
        *yes = from_log(self, origin, part);
        add(self, *yes ? literal : &other);
    } else if (!follows(self, literal, yes)) {
        wf_hiding_meet(self, literal->term);
        *yes = chosen(self);
        add(self, *yes ? literal : &other);
    }
    if (self->hiding && self->hiding->lasts)
        wf_decide_known(self, *yes ? literal : &other);
    note(self, origin, part, *yes);
    return wf_symbolic_failed(self) ? WFSM_NO_MEMORY : WFSM_OK;
}

int32_t wf_decide_truth(wf_symbolic *self, const void *origin, uint32_t part,
                        const wf_value *value, bool *yes)
{
    wf_term term;
    *yes = wf_value_truth(value);
    if (!wf_symbolic_term(value, &term))
        return WFSM_OK;
    return wf_decide(self, origin, part, &(wf_literal){.kind = WF_IS_TRUE, .term = term}, yes);
}

uint8_t wf_decide_types(const wf_symbolic *self, wf_term term)
{
    return wf_chain_domain(&self->terms, term).types;
}

int32_t wf_decide_type(wf_symbolic *self, const void *origin, uint32_t part,
                       const wf_value *value, uint8_t types, bool *yes)
{
    wf_term term;
    *yes = (types >> value->type & 1) != 0;
    if (!wf_symbolic_term(value, &term))
        return WFSM_OK;
    const uint8_t own = wf_decide_types(self, term);
    *yes = (own & types) != 0;
    if (!*yes || (own & ~types) == 0)
        return WFSM_OK;
    return wf_decide(self, origin, part,
                     &(wf_literal){.kind = WF_HAS_TYPE, .types = types, .term = term}, yes);
}

/* ---- delays ---- */

/* What the literals of the path, and the schemas of its symbols, say of a number. Time is whole
 * milliseconds. */
bool wf_decide_bounds(wf_symbolic *self, wf_term term)
{
    wf_literal list[WF_CONDITIONS_MOST + 1];
    const wf_literal is_there = {.kind = WF_SUCCEEDS, .term = term};
    wf_constraints known;
    wf_delay_bounds bounds = {0, (int64_t)WF_DELAY_MOST};
    if (self->delay_count == WF_DELAYS_MOST)
        return false;
    uint32_t count = relevant(self, &is_there, list);
    list[count++] = is_there;
    if (wf_constraints_init(&known, &self->terms, list, count, &self->scratch) &&
        wf_constraints_narrow(&known)) {
        const wf_value_domain *domain = wf_constraints_domain(&known, term);
        bounds.least = (int64_t)fmax(domain->least, 0);
        bounds.most = (int64_t)fmin(domain->most, WF_DELAY_MOST);
    }
    self->delays[self->delay_count++] = bounds;
    return true;
}

wf_delay_bounds wf_symbolic_delay(const wf_symbolic *self, int64_t delay)
{
    int64_t which = delay - (int64_t)WF_DELAY_UNKNOWN;
    if (self && which >= 0 && which < (int64_t)self->delay_count)
        return self->delays[which];
    return (wf_delay_bounds){delay, delay};
}
