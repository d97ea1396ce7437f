/*
 * verify/order_graph.c: finds contradictions between comparisons of terms whose values are not
 * known, such as a < b and b <= a. Terms are nodes; an edge says that one is not greater than another, or
 * less.
 */
#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"

enum { MOST_NODES = 48, NOT_GREATER = 1, LESS = 2 };

typedef struct graph {
    wf_term nodes[MOST_NODES];
    uint32_t count;
    uint8_t edges[MOST_NODES][MOST_NODES];
} graph;

static uint32_t node_of(graph *self, wf_term term)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->nodes[i] == term)
            return i;
    if (self->count == MOST_NODES)
        return MOST_NODES;
    self->nodes[self->count] = term;
    return self->count++;
}

static void add(graph *self, wf_term a, wf_term b, uint8_t edge)
{
    uint32_t from = node_of(self, a), to = node_of(self, b);
    if (from < MOST_NODES && to < MOST_NODES && edge > self->edges[from][to])
        self->edges[from][to] = edge;
}

bool wf_comparison_of(const wf_term_node *node, bool truth, wf_comparison *found)
{
    const char *name = wf_term_operator(node);
    const bool or_equal = strcmp(name, "<=") == 0;
    if (node->count != 2 || (!or_equal && strcmp(name, "<") != 0))
        return false;
    *found = (wf_comparison){.first = node->operands[truth ? 0 : 1],
                             .second = node->operands[truth ? 1 : 0],
                             .strict = truth != or_equal};
    return true;
}

/* The order of numbers and that of texts are one each; between types there is none. */
static bool are_ordered(const wf_constraints *self, const wf_term_node *node)
{
    uint8_t types = wf_constraints_domain(self, node->operands[0])->types;
    return (types == WF_TYPE_NUMBER || types == WF_TYPE_STRING) &&
           wf_constraints_domain(self, node->operands[1])->types == types;
}

static void add_equal(graph *self, const wf_term_node *node)
{
    add(self, node->operands[0], node->operands[1], NOT_GREATER);
    add(self, node->operands[1], node->operands[0], NOT_GREATER);
}

static bool is_zero(const wf_constraints *all, wf_term term)
{
    const wf_term_node *node = wf_term_at(all->terms, term);
    return node->kind == WF_TERM_KNOWN && node->value.type == WF_NUMBER &&
           node->value.as.number == 0;
}

/* A difference of two numbers, or NULL. */
static const wf_term_node *difference(const wf_constraints *all, wf_term term)
{
    const wf_term_node *node = wf_term_at(all->terms, term);
    return node->count == 2 && strcmp(wf_term_operator(node), "-") == 0 &&
                   wf_constraints_domain(all, node->operands[0])->types == WF_TYPE_NUMBER &&
                   wf_constraints_domain(all, node->operands[1])->types == WF_TYPE_NUMBER
               ? node
               : NULL;
}

/* The sign of a rounded difference is that of the exact one: a - b < 0 is a < b. */
static void add_sign(graph *self, const wf_constraints *all, const wf_comparison *order)
{
    const wf_term both[] = {order->first, order->second};
    for (uint32_t i = 0; i < 2; i++) {
        const wf_term_node *parts = difference(all, both[i]);
        if (parts && is_zero(all, both[1 - i]))
            add(self, parts->operands[i], parts->operands[1 - i],
                order->strict ? LESS : NOT_GREATER);
    }
}

/* A difference that is 0. */
static void add_same(graph *self, const wf_constraints *all, const wf_term_node *node)
{
    for (uint32_t i = 0; i < 2; i++) {
        const wf_term_node *parts = difference(all, node->operands[i]);
        if (parts && is_zero(all, node->operands[1 - i]))
            add_equal(self, parts);
    }
    add_equal(self, node);
}

static void add_comparison(graph *self, const wf_constraints *all, const wf_term_node *node,
                           bool truth)
{
    wf_comparison order;
    if (wf_comparison_of(node, truth, &order)) {
        add_sign(self, all, &order);
        add(self, order.first, order.second, order.strict ? LESS : NOT_GREATER);
    } else if (node->op->name[0] == '=' && truth) {
        add_same(self, all, node);
    }
}

static bool is_known_sign(const wf_value_domain *domain, double sign)
{
    return domain->types == WF_TYPE_NUMBER &&
           (sign > 0 ? domain->least >= 0 : domain->most <= 0);
}

/* Rounding keeps the order: fl(x + y) is not less than x if y is not negative. */
static void add_sum(graph *self, const wf_constraints *all, wf_term sum,
                    const wf_term_node *node)
{
    bool minus = node->op->name[0] == '-';
    for (uint32_t i = 0; i < (minus ? 1u : 2u); i++) {
        const wf_value_domain *one = wf_constraints_domain(all, node->operands[i]);
        const wf_value_domain *other = wf_constraints_domain(all, node->operands[1 - i]);
        if (one->types != WF_TYPE_NUMBER)
            continue;
        if (is_known_sign(other, minus ? -1 : 1))
            add(self, node->operands[i], sum, NOT_GREATER);
        if (is_known_sign(other, minus ? 1 : -1))
            add(self, sum, node->operands[i], NOT_GREATER);
    }
}

/* `min` or `max`, of numbers. */
static bool is_extreme(const wf_constraints *all, uint32_t place)
{
    const wf_value_domain *domain = &all->domains[place];
    const char *name = wf_term_operator(wf_term_at(all->terms, all->list[place]));
    return !domain->fails && domain->types == WF_TYPE_NUMBER &&
           (strcmp(name, "min") == 0 || strcmp(name, "max") == 0);
}

/* The term a is not greater than b, or, of a maximum, not less. */
static void add_not_beyond(graph *self, wf_term a, wf_term b, bool greatest)
{
    add(self, greatest ? b : a, greatest ? a : b, NOT_GREATER);
}

static bool is_not_beyond(graph *self, wf_term a, wf_term b, bool greatest)
{
    uint32_t from = node_of(self, greatest ? b : a), to = node_of(self, greatest ? a : b);
    return from < MOST_NODES && to < MOST_NODES && (from == to || self->edges[from][to]);
}

/* If one operand is known to be the least, it is the minimum. */
static void add_extreme(graph *self, const wf_constraints *all, uint32_t place)
{
    const wf_term_node *node = wf_term_at(all->terms, all->list[place]);
    bool greatest = node->op->name[1] == 'a';
    for (uint32_t i = 0; i < node->count; i++) {
        bool is_it = true;
        for (uint32_t k = 0; k < node->count && is_it; k++)
            is_it = is_not_beyond(self, node->operands[i], node->operands[k], greatest);
        if (is_it)
            add_not_beyond(self, node->operands[i], all->list[place], greatest);
    }
}

static void add_term(graph *self, const wf_constraints *all, uint32_t place)
{
    const wf_value_domain *domain = &all->domains[place];
    const wf_term_node *node = wf_term_at(all->terms, all->list[place]);
    const char *name = wf_term_operator(node);
    for (uint32_t i = 0; is_extreme(all, place) && i < node->count; i++)
        add_not_beyond(self, all->list[place], node->operands[i], name[1] == 'a');
    if (node->count != 2 || domain->fails || !*name)
        return;
    if (domain->types == WF_TYPE_BOOLEAN && domain->truths != 3 && are_ordered(all, node))
        add_comparison(self, all, node, domain->truths == 2);
    else if (domain->types == WF_TYPE_NUMBER &&
             (strcmp(name, "+") == 0 || strcmp(name, "-") == 0))
        add_sum(self, all, all->list[place], node);
}

/* Nodes whose values are known, or bounded, are ordered by their bounds. */
static void add_bounds(graph *self, const wf_constraints *all)
{
    for (uint32_t a = 0; a < self->count; a++)
        for (uint32_t b = 0; b < self->count; b++) {
            const wf_value_domain *one = wf_constraints_domain(all, self->nodes[a]);
            const wf_value_domain *two = wf_constraints_domain(all, self->nodes[b]);
            if (a == b || one->types != WF_TYPE_NUMBER || two->types != WF_TYPE_NUMBER)
                continue;
            if (one->most < two->least)
                self->edges[a][b] = LESS;
            else if (one->most == two->least && self->edges[a][b] == 0)
                self->edges[a][b] = NOT_GREATER;
        }
}

static void close_graph(graph *self)
{
    for (uint32_t via = 0; via < self->count; via++)
        for (uint32_t a = 0; a < self->count; a++)
            for (uint32_t b = 0; b < self->count; b++) {
                uint8_t one = self->edges[a][via], two = self->edges[via][b];
                uint8_t both = one && two ? (one > two ? one : two) : 0;
                if (both > self->edges[a][b])
                    self->edges[a][b] = both;
            }
}

bool wf_order_contradicts(const wf_constraints *self)
{
    graph order = {.count = 0};
    for (uint32_t i = 0; i < self->count; i++)
        add_term(&order, self, i);
    if (order.count == 0)
        return false;
    add_bounds(&order, self);
    close_graph(&order);
    for (uint32_t i = 0; i < self->count; i++)
        if (is_extreme(self, i))
            add_extreme(&order, self, i);
    close_graph(&order);
    for (uint32_t i = 0; i < order.count; i++)
        if (order.edges[i][i] == LESS)
            return true;
    /* a !== b, although each is not greater than the other */
    for (uint32_t i = 0; i < self->count; i++) {
        const wf_term_node *node = wf_term_at(self->terms, self->list[i]);
        const char *name = wf_term_operator(node);
        const wf_value_domain *domain = &self->domains[i];
        if (node->count != 2 || name[0] != '=' || domain->fails ||
            domain->types != WF_TYPE_BOOLEAN || domain->truths != 1 || !are_ordered(self, node))
            continue;
        uint32_t a = node_of(&order, node->operands[0]), b = node_of(&order, node->operands[1]);
        if (a < MOST_NODES && b < MOST_NODES && order.edges[a][b] && order.edges[b][a])
            return true;
    }
    return false;
}
