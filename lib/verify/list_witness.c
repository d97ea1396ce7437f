/*
 * verify/list_witness.c: contradictions between literals about the elements of lists. If `some` is
 * true, there is an element for which its body is true: the witness, a new symbol. What `all` and
 * `some` say of every element is true of the witness, and so is what `filter` has kept it for. If
 * that cannot be, neither can the literals. How many `filter` has kept says the same: if it is none, the body
 * is false for every element, and if it is not, there is one that it has kept.
 *
 * A body of and, or and ! is taken apart. One that is not understood says nothing.
 */
#include <string.h>
#include "logic/expr_tree.h"
#include "verify/cone_find.h"
#include "verify/constraints.h"

enum { CUBES_MOST = 4, PARTS_MOST = 4, CASES_MOST = 8, TRIES_MOST = 32, OPERANDS_MOST = 8 };
enum { FIRST_WITNESS = 0x70000000 };

/* Literals that are all true. */
typedef struct cube {
    wf_literal list[PARTS_MOST];
    uint32_t count;
} cube;

/* One of the cubes is true. */
typedef struct cases {
    cube list[CUBES_MOST];
    uint32_t count;
} cases;

typedef struct witness {
    wf_terms *terms;
    const wf_constraints *all;
    cases list[CASES_MOST]; /* all of them are true */
    uint32_t count, symbols;
    wf_literal *literals; /* those that are tried together */
    uint32_t tries;
} witness;

/* ---- a body as a term ---- */

static bool is_strict(const wf_expr *rule)
{
    static const char *const strict[] = {
        "+",   "-",   "*",  "/",  "%", "min", "max", "<",      "<=",  ">",      ">=",
        "===", "!==", "==", "!=", "!", "!!",  "in",  "length", "cat", "substr", NULL};
    bool spread = rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_SPREADS;
    bool chain = rule->count > 2 && strchr("<>=!", rule->op->name[0]);
    return wf_expr_is_op(rule, strict) && !spread && !chain;
}

static wf_term term_of(witness *self, const wf_expr *expr, wf_term element);

static wf_term operation(witness *self, const wf_expr *rule, wf_term element)
{
    wf_term operands[OPERANDS_MOST];
    if (rule->count > OPERANDS_MOST || !is_strict(rule))
        return WF_NONE;
    for (uint32_t i = 0; i < rule->count; i++) {
        operands[i] = term_of(self, &rule->as.list[i], element);
        if (operands[i] == WF_NONE)
            return WF_NONE;
    }
    return wf_term_apply(self->terms, rule->op, operands, rule->count);
}

static wf_term part(witness *self, const wf_var *var, wf_term element)
{
    if (var->origin != WF_FROM_DATA || var->climb > 0 || var->fallback)
        return WF_NONE;
    for (uint32_t i = 0; i < var->count && element != WF_NONE; i++)
        element = wf_term_member(self->terms, element, var->parts[i].key, var->parts[i].length);
    return element;
}

/* WF_NONE: it is not understood. */
static wf_term term_of(witness *self, const wf_expr *expr, wf_term element)
{
    switch (expr->node) {
    case WF_NODE_CONSTANT:
        return wf_term_known(self->terms, &expr->as.constant);
    case WF_NODE_VAR:
        return part(self, expr->as.var, element);
    case WF_NODE_RULE:
        return operation(self, expr, element);
    default:
        return WF_NONE;
    }
}

/* ---- when a body is true, is false, or fails ---- */

static bool add_cube(cases *to, const cube *one)
{
    if (to->count == CUBES_MOST)
        return false;
    to->list[to->count++] = *one;
    return true;
}

static bool join(cube *to, const cube *more)
{
    if (to->count + more->count > PARTS_MOST)
        return false;
    memcpy(to->list + to->count, more->list, more->count * sizeof *more->list);
    to->count += more->count;
    return true;
}

/* Both are true. */
static bool both(const cases *a, const cases *b, cases *out)
{
    cases found = {.count = 0};
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++) {
            cube one = a->list[i];
            if (!join(&one, &b->list[k]) || !add_cube(&found, &one))
                return false;
        }
    *out = found;
    return true;
}

static bool cases_of(witness *self, const wf_expr *body, wf_term element, uint8_t kind,
                     cases *out);

/* `and` ends at the first operand that is false, `or` at the first that is true. */
static bool chain_cases(witness *self, const wf_expr *rule, wf_term element, uint8_t kind,
                        cases *out)
{
    uint8_t ends = rule->op->name[0] == 'a' ? WF_IS_FALSE : WF_IS_TRUE;
    uint8_t goes_on = ends == WF_IS_TRUE ? WF_IS_FALSE : WF_IS_TRUE;
    cases before = {.count = 1}, here, found = {.count = 0};
    for (uint32_t i = 0; i < rule->count; i++) {
        const wf_expr *operand = &rule->as.list[i];
        if (kind != goes_on) {
            if (!cases_of(self, operand, element, kind, &here) || !both(&before, &here, &here))
                return false;
            for (uint32_t k = 0; k < here.count; k++)
                if (!add_cube(&found, &here.list[k]))
                    return false;
        }
        if (!cases_of(self, operand, element, goes_on, &here) || !both(&before, &here, &before))
            return false;
    }
    *out = kind == goes_on ? before : found;
    return true;
}

/* False: it is not understood, or has too many cases. */
static bool cases_of(witness *self, const wf_expr *body, wf_term element, uint8_t kind,
                     cases *out)
{
    static const char *const chains[] = {"and", "or", NULL}, *const not[] = {"!", NULL};
    bool rule = body->node == WF_NODE_RULE && body->mode == WF_MODE_LISTED && body->count > 0;
    if (rule && wf_expr_is_op(body, chains))
        return chain_cases(self, body, element, kind, out);
    if (rule && wf_expr_is_op(body, not) && kind <= WF_IS_FALSE)
        return cases_of(self, &body->as.list[0], element,
                        kind == WF_IS_TRUE ? WF_IS_FALSE : WF_IS_TRUE, out);
    wf_term term = term_of(self, body, element);
    *out = (cases){.count = 1};
    out->list[0].count = 1;
    out->list[0].list[0] = (wf_literal){.kind = kind, .term = term};
    return term != WF_NONE;
}

static void add(witness *self, const wf_expr *body, wf_term element, uint8_t kind)
{
    if (self->count < CASES_MOST &&
        cases_of(self, body, element, kind, &self->list[self->count]))
        self->count++;
}

/* ---- the witness ---- */

static bool is_over(const wf_term_node *node, const char *name)
{
    return node->kind == WF_TERM_OVER && strcmp(node->op->name, name) == 0;
}

static bool is_kept_by_length(const wf_constraints *all, uint32_t place)
{
    return is_over(wf_term_at(all->terms, all->list[place]), "filter") &&
           !all->domains[place].fails && all->domains[place].types == WF_TYPE_ARRAY;
}

/* The list whose length it is; WF_NONE: it is none. */
static wf_term list_of_length(const wf_terms *terms, wf_term term)
{
    const wf_term_node *node = wf_term_at(terms, term);
    return strcmp(wf_term_operator(node), "length") == 0 ? node->operands[0] : WF_NONE;
}

/* The `filter` of which the literal says that it keeps all elements (*all), or not; else WF_NONE. */
static wf_term says_of_all(const wf_terms *terms, const wf_literal *literal, bool *all)
{
    const wf_term_node *node = wf_term_at(terms, literal->term);
    bool truth = literal->kind == WF_IS_TRUE;
    for (; strcmp(wf_term_operator(node), "!") == 0; truth = !truth)
        node = wf_term_at(terms, node->operands[0]);
    const char *name = wf_term_operator(node);
    if (node->count != 2 || literal->kind > WF_IS_FALSE || !name[0] || !strchr("<=", name[0]))
        return WF_NONE;
    for (uint32_t i = 0; i < (name[0] == '<' ? 1u : 2u); i++) {
        wf_term kept = list_of_length(terms, node->operands[i]);
        wf_term whole = list_of_length(terms, node->operands[1 - i]);
        *all = truth == (name[0] == '=');
        if (kept != WF_NONE && is_over(wf_term_at(terms, kept), "filter") &&
            wf_term_at(terms, kept)->operands[0] == whole)
            return kept;
    }
    return WF_NONE;
}

/* What the number of elements that `filter` keeps says of all elements of the list. */
static void add_counts(witness *self, wf_term list, wf_term element)
{
    const wf_constraints *all = self->all;
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_term_node node = *wf_term_at(self->terms, all->list[i]);
        if (is_kept_by_length(all, i) && node.operands[0] == list &&
            all->domains[i].length_most < 1)
            add(self, node.body, element, WF_IS_FALSE);
    }
    for (uint32_t i = 0; i < all->literal_count; i++) {
        bool every = false;
        wf_term kept = says_of_all(self->terms, &all->literals[i], &every);
        const wf_term_node node = *wf_term_at(self->terms, kept == WF_NONE ? list : kept);
        if (kept != WF_NONE && every && node.operands[0] == list)
            add(self, node.body, element, WF_IS_TRUE);
    }
}

/* What the literals say of all elements of the list. */
static void add_facts(witness *self, wf_term list, wf_term element)
{
    for (uint32_t i = 0; i < self->all->literal_count; i++) {
        const wf_literal *literal = &self->all->literals[i];
        const wf_term_node node = *wf_term_at(self->terms, literal->term);
        if (node.count == 0 || node.operands[0] != list)
            continue;
        if (is_over(&node, "all") && literal->kind == WF_IS_TRUE)
            add(self, node.body, element, WF_IS_TRUE);
        else if (is_over(&node, "some") && literal->kind == WF_IS_FALSE)
            add(self, node.body, element, WF_IS_FALSE);
    }
    add_counts(self, list, element);
}

static wf_term new_symbol(witness *self, wf_term list)
{
    wf_schema_group group = {.count = 0};
    const wf_schema *items[1];
    uint32_t count = 0;
    if (wf_chain_schemas(self->terms, list, &group))
        for (uint32_t i = 0; i < group.count && count == 0; i++)
            if (group.list[i]->items && group.list[i]->prefix.count == 0)
                items[count++] = group.list[i]->items;
    return wf_term_symbol(self->terms, items, count, FIRST_WITNESS + self->symbols++);
}

/* An element of the list, with all that is known of it. */
static wf_term element_of(witness *self, wf_term list)
{
    const wf_term_node node = *wf_term_at(self->terms, list);
    wf_term element = WF_NONE;
    if (is_over(&node, "filter")) {
        element = element_of(self, node.operands[0]);
        add(self, node.body, element, WF_IS_TRUE);
    } else if (is_over(&node, "map")) {
        element = term_of(self, node.body, element_of(self, node.operands[0]));
    }
    if (element == WF_NONE)
        element = new_symbol(self, list);
    add_facts(self, list, element);
    return element;
}

/* ---- whether it can be ---- */

/* Tries one cube of each. */
static bool may_be(witness *self, uint32_t at, uint32_t count)
{
    wf_constraints together;
    if (self->tries++ >= TRIES_MOST)
        return true;
    if (at == self->count)
        return !wf_constraints_init(&together, self->terms, self->literals, count,
                                    self->all->arena) ||
               wf_solve_constraints(&together, 0, NULL) != WF_UNSAT;
    for (uint32_t i = 0; i < self->list[at].count; i++) {
        const cube *one = &self->list[at].list[i];
        memcpy(self->literals + count, one->list, one->count * sizeof *one->list);
        if (may_be(self, at + 1, count + one->count))
            return true;
    }
    return false;
}

/* An operator also fails where its operand fails, or is no list. */
static bool is_list(const wf_constraints *all, wf_term term)
{
    const wf_value_domain *domain = wf_constraints_domain(all, term);
    return !domain->fails && wf_domain_only(domain, WF_TYPE_ARRAY | WF_TYPE_NULL);
}

/* True if there is an element for which the body is true, or fails: as the literal's kind says. */
static bool says_there_is(const wf_constraints *all, const wf_literal *literal,
                          const wf_term_node *node)
{
    if (is_over(node, "some") && literal->kind == WF_IS_TRUE)
        return true;
    return node->kind == WF_TERM_OVER && !is_over(node, "reduce") &&
           literal->kind == WF_FAILS && is_list(all, node->operands[0]);
}

/* `in` is true of a text: the text is an element. */
static bool says_what_is_there(const wf_terms *terms, const wf_literal *literal,
                               const wf_term_node *node)
{
    if (node->kind != WF_TERM_APPLY || literal->kind != WF_IS_TRUE || node->count != 2 ||
        strcmp(node->op->name, "in") != 0)
        return false;
    return wf_term_text(terms, node->operands[0]) != NULL;
}

/* True if no element of the list can be one for which the body is as the kind says. */
static bool is_nowhere(wf_terms *terms, const wf_constraints *all, wf_term over, uint8_t kind)
{
    const uint32_t most = all->literal_count + CASES_MOST * PARTS_MOST;
    const wf_term_node node = *wf_term_at(terms, over);
    witness self = {.terms = terms, .all = all};
    self.literals = wf_arena_take(all->arena, most * sizeof *self.literals);
    if (!self.literals)
        return false;
    memcpy(self.literals, all->literals, all->literal_count * sizeof *self.literals);
    add(&self, node.body, element_of(&self, node.operands[0]), kind);
    return self.count > 0 && !may_be(&self, 0, all->literal_count);
}

/* True if a place of a list cannot have an element of which is true what is known of all of them. */
static bool cannot_be_at(wf_terms *terms, const wf_constraints *all, wf_term at)
{
    const uint32_t most = all->literal_count + CASES_MOST * PARTS_MOST;
    const wf_term_node node = *wf_term_at(terms, at);
    witness self = {.terms = terms, .all = all};
    const wf_value_domain *list =
        node.kind == WF_TERM_ELEMENT ? wf_constraints_domain(all, node.operands[0]) : NULL;
    if (!list || list->fails || list->types != WF_TYPE_ARRAY ||
        list->length_least <= node.index)
        return false;
    const wf_term_node kept = *wf_term_at(terms, node.operands[0]);
    self.literals = wf_arena_take(all->arena, most * sizeof *self.literals);
    if (!self.literals)
        return false;
    memcpy(self.literals, all->literals, all->literal_count * sizeof *self.literals);
    if (is_over(&kept, "filter")) {
        add(&self, kept.body, at, WF_IS_TRUE);
        add_facts(&self, kept.operands[0], at);
    }
    add_facts(&self, node.operands[0], at);
    return self.count > 0 && !may_be(&self, 0, all->literal_count);
}

/* True if the list has no element that is this text. */
static bool cannot_be_in(wf_terms *terms, const wf_constraints *all, const wf_term_node *in)
{
    const uint32_t most = all->literal_count + CASES_MOST * PARTS_MOST;
    witness self = {.terms = terms, .all = all};
    self.literals = wf_arena_take(all->arena, most * sizeof *self.literals);
    if (!self.literals)
        return false;
    memcpy(self.literals, all->literals, all->literal_count * sizeof *self.literals);
    add_facts(&self, in->operands[1], in->operands[0]);
    return self.count > 0 && !may_be(&self, 0, all->literal_count);
}

/* With `all_kinds` not set only what is cheap is tried: elements that are known. */
static bool lists_contradict(wf_terms *terms, const wf_constraints *all, bool all_kinds)
{
    for (uint32_t i = 0; i < all->literal_count; i++) {
        const wf_literal *literal = &all->literals[i];
        const wf_term_node node = *wf_term_at(terms, literal->term);
        bool every = true;
        if (says_what_is_there(terms, literal, &node) && cannot_be_in(terms, all, &node))
            return true;
        if (!all_kinds)
            continue;
        wf_term kept = says_of_all(terms, literal, &every);
        if (kept != WF_NONE && !every && is_nowhere(terms, all, kept, WF_IS_FALSE))
            return true;
        if (says_there_is(all, literal, &node) &&
            is_nowhere(terms, all, literal->term, literal->kind))
            return true;
    }
    for (uint32_t i = 0; all_kinds && i < all->count; i++)
        if (is_kept_by_length(all, i) && all->domains[i].length_least >= 1 &&
            is_nowhere(terms, all, all->list[i], WF_IS_TRUE))
            return true;
    for (uint32_t i = 0; all_kinds && i < all->count; i++)
        if (cannot_be_at(terms, all, all->list[i]))
            return true;
    return false;
}

enum wf_solved wf_solve(wf_terms *terms, const wf_literal *literals, uint32_t count,
                        uint32_t effort, wf_arena *arena, wf_model *model)
{
    const bool hard = effort > 0 && effort != WF_REFUTE;
    wf_constraints given;
    if (!wf_constraints_init(&given, terms, literals, count, arena))
        return WF_UNKNOWN;
    enum wf_solved solved = wf_solve_constraints(&given, effort, model);
    if (solved == WF_UNKNOWN &&
        ((hard && !wf_constraints_narrow(&given)) || lists_contradict(terms, &given, hard)))
        return WF_UNSAT;
    return solved;
}
