/*
 * verify/constraints.h: the terms of some literals with the domain of each, and how domains narrow
 * each other. Private to the solver (solve.h).
 */
#ifndef WF_VERIFY_CONSTRAINTS_H
#define WF_VERIFY_CONSTRAINTS_H

#include <string.h>
#include "verify/domain.h"
#include "verify/schema_group.h"
#include "verify/solve.h"

typedef struct wf_constraints {
    const wf_terms *terms;
    const wf_literal *literals;
    uint32_t literal_count;
    wf_arena *arena;
    wf_term *list; /* the terms that the literals mention, and their operands, ascending */
    uint32_t count;
    wf_value_domain *domains; /* of each in the list */
    bool changed, conflict;
} wf_constraints;

/* Lists the terms, and gives each the domain that its schemas allow. False when the arena failed. */
bool wf_constraints_init(wf_constraints *self, const wf_terms *terms,
                         const wf_literal *literals, uint32_t count, wf_arena *arena);
/* term_domains.c: where a term of the list is in it, and its domain. */
uint32_t wf_constraints_place(const wf_constraints *self, wf_term term);
wf_value_domain *wf_constraints_domain(const wf_constraints *self, wf_term term);
/* Narrows until nothing changes, or for long enough. False: no values are left, a proof. */
bool wf_constraints_narrow(wf_constraints *self);

/* solve.c: whether they can be true, but for contradictions about elements of lists. Narrows the
 * domains. */
enum wf_solved wf_solve_constraints(const wf_constraints *given, uint32_t effort,
                                    wf_model *model);
/* solve_search.c: looks for values that make all literals true, in the domains. True: `model` has
 * them. `steps` bounds the search, `seed` begins it. */
bool wf_search_model(const wf_constraints *self, uint32_t steps, uint32_t seed,
                     wf_model *model);
/* solve_texts.c: values of a domain that are worth trying, in the arena. */
enum { WF_CANDIDATE_BYTES = 4096 }; /* of a text that is made for its length */
typedef struct wf_candidates {
    wf_value *list;
    uint32_t count, capacity;
    wf_arena *arena;
} wf_candidates;
void wf_candidates_add(wf_candidates *self, const wf_value_domain *domain,
                       const wf_value *value);
/* The text and texts beside it; one of this length; this number as a text; texts that are read as
 * numbers of the domain. */
void wf_candidates_add_text(wf_candidates *self, const wf_value_domain *domain,
                            const wf_value *text);
void wf_candidates_add_length(wf_candidates *self, const wf_value_domain *domain,
                              double length);
void wf_candidates_add_number_text(wf_candidates *self, const wf_value_domain *domain,
                                   double number);
void wf_candidates_add_numeric(wf_candidates *self, const wf_value_domain *domain);
/* solve_parts.c. What a known `cat` of the term and known texts leaves for it; what stands in a known text, if such a
 * `cat` is `in` it; and the candidates so far with what a `substr` of the term is, at its place. */
void wf_candidates_add_middle(wf_candidates *self, const wf_constraints *all, wf_term term,
                              const wf_value_domain *domain, wf_term cat);
void wf_candidates_add_listed(wf_candidates *self, const wf_constraints *all, wf_term term,
                              const wf_value_domain *domain, wf_term in);
void wf_candidates_add_with_part(wf_candidates *self, const wf_constraints *all, wf_term term,
                                 const wf_value_domain *domain, wf_term substr);
/* solve_candidates.c: constants of the terms, their neighbours, ends of the domain, and what schemas say. */
void wf_candidates_find(wf_candidates *self, const wf_constraints *all, wf_term term);
/* One value that fits a schema, as far as it is easy; ABSENT: none was found. */
wf_value wf_value_of_schema(const wf_schema *schema, wf_arena *arena, uint32_t depth);

/* order_graph.c: of two values that have an order, what a comparison says. */
typedef struct wf_comparison {
    wf_term first, second;
    bool strict; /* the first one is less; else it is not greater */
} wf_comparison;
/* False: the term is no such comparison. */
bool wf_comparison_of(const wf_term_node *node, bool truth, wf_comparison *found);

/* schema_chain.c: what the schemas of symbols say about a term that is a part of one. */
wf_value_domain wf_chain_domain(const wf_terms *terms, wf_term term);
/* True if they say that it fits the schema. */
bool wf_chain_fits(const wf_terms *terms, wf_term term, const wf_schema *schema);
/* The same of a part that is there, in a whole that is there. */
wf_value_domain wf_chain_present(const wf_terms *terms, wf_term term);
/* True if the member is there wherever the whole is an object. */
bool wf_chain_requires(const wf_terms *terms, wf_term term);
/* Those schemas. False: nothing is known of it. */
bool wf_chain_schemas(const wf_terms *terms, wf_term term, wf_schema_group *group);

/* The number of the element of a list that a MEMBER or an ELEMENT is; WF_NONE: it is none. */
uint32_t wf_part_index(const wf_term_node *node);

/* narrow_up.c: the domain of a term as its operands allow it. */
wf_value_domain wf_narrow_up(const wf_constraints *self, wf_term term);
/* narrow_down.c: narrows the operands of the term at a place in the list. */
void wf_narrow_down(wf_constraints *self, uint32_t place);
/* narrow_numbers.c: the same of arithmetic, whose result is `number`. */
void wf_narrow_number(wf_constraints *self, const wf_term_node *node,
                      const wf_value_domain *number);
/* congruence.c: terms that must be equal narrow each other. */
void wf_congruence_narrow(wf_constraints *self);
/* text_prefix.c: how texts begin. Narrows the domain of a `cat` to texts that begin as its operands do. */
void wf_prefix_joined(const wf_constraints *self, const wf_term_node *node,
                      wf_value_domain *text);
/* Sets `cut` to the part from `start` that all texts of the domain share. False if they may differ there. */
bool wf_prefix_cut(const wf_constraints *self, const wf_value_domain *text, double start,
                   double most, wf_value_domain *cut);
/* If a `substr` is known and begins at 0, its text begins with it. */
void wf_prefix_narrow(wf_constraints *self, const wf_term_node *node,
                      const wf_value_domain *cut);
/* order_graph.c: true if the comparisons that are decided contradict each other: a < b < a. */
bool wf_order_contradicts(const wf_constraints *self);
/* linear.c: the same of sums: x + y < 3 and x > 3 - y. */
bool wf_linear_contradicts(const wf_constraints *self);

/* The name of an APPLY's operator; "" for other terms. */
const char *wf_term_operator(const wf_term_node *node);
/* It applies this operator. */
static inline bool wf_term_is(const wf_term_node *node, const char *name)
{
    return strcmp(wf_term_operator(node), name) == 0;
}
/* The domain of an operand. */
static inline wf_value_domain *wf_constraints_operand(const wf_constraints *self,
                                                      const wf_term_node *node, uint32_t i)
{
    return wf_constraints_domain(self, node->operands[i]);
}
/* A domain was narrowed, if `changed`. */
static inline void wf_constraints_note(wf_constraints *self, const wf_value_domain *narrowed,
                                       bool changed)
{
    self->changed |= changed;
    self->conflict |= narrowed->types == 0 && !narrowed->fails;
}
/* What is left of a domain as the operand of arithmetic. */
typedef struct wf_interval {
    double least, most; /* least > most: nothing */
    bool whole, nan; /* `nan`: it may be no number */
} wf_interval;
wf_interval wf_interval_of(const wf_value_domain *domain);
/* interval.c: what an operator of arithmetic makes of two. */
wf_interval wf_interval_join(const char *name, wf_interval a, wf_interval b);
/* sum_domain.c: the domain of a `reduce` that adds something of each element. False: it is none, or nothing is
 * known of it. */
bool wf_sum_domain(const wf_constraints *self, const wf_term_node *node, wf_value_domain *sum);
/* The same of one that takes the greatest or the least of the start and something of each element. */
bool wf_extreme_domain(const wf_constraints *self, const wf_term_node *node,
                       wf_value_domain *extreme);
#endif
