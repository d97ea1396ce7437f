/*
 * verify/solve.h: whether there are values for the symbols of some terms so that all of some literals
 * are true. WF_UNSAT is a proof: they are true for no values, with numbers and their rounding as the
 * engine has them. With WF_SAT there are such values; they were checked by the engine's own evaluation.
 * Otherwise the answer is WF_UNKNOWN.
 *
 * The solver keeps a domain for each term (domain.h) and narrows it, from operands to results and
 * back (interval constraint propagation, as HC4 does). It looks for contradictions in the order of
 * terms, tries values by local search, and splits domains.
 */
#ifndef WF_VERIFY_SOLVE_H
#define WF_VERIFY_SOLVE_H

#include "verify/terms.h"

enum wf_literal_kind {
    WF_IS_TRUE,  /* the term can be evaluated, and a guard takes it for true */
    WF_IS_FALSE, /* the same for false */
    WF_FAILS,    /* the term cannot be evaluated */
    WF_SUCCEEDS, /* the term can be evaluated */
    WF_FITS,     /* the term can be evaluated, and fits the schema */
    WF_FITS_NOT, /* the term can be evaluated, and does not fit the schema */
    WF_HAS_TYPE  /* the term can be evaluated, and has one of the types */
};

/* Lists of literals are compared as bytes, so no byte is padding. */
typedef struct wf_literal {
    uint8_t kind;
    uint8_t types;  /* bits 1 << enum wf_type */
    uint16_t order; /* of the schema, in lists that are sorted; 0: none */
    wf_term term;
    const wf_schema *schema;
} wf_literal;

enum wf_solved { WF_UNSAT, WF_SAT, WF_UNKNOWN };

/* The values of symbols: values[i] is that of symbols[i]. */
typedef struct wf_model {
    wf_term *symbols;
    wf_value *values;
    uint32_t count;
} wf_model;

/* An effort like 0, for a caller that only needs to know whether the answer is WF_UNSAT. The solver gives up as
 * soon as it cannot be. */
enum { WF_REFUTE = 3 };
/* `effort` bounds the work, from 0. `model` may be NULL; with WF_SAT it gets a value for each symbol
 * that the literals mention, in the arena. If the arena fails, the answer is WF_UNKNOWN. */
enum wf_solved wf_solve(wf_terms *terms, const wf_literal *literals, uint32_t count,
                        uint32_t effort, wf_arena *arena, wf_model *model);

/* term_value.c: the value of a term, from those of its operands. WFSM_SEMANTIC: it cannot be
 * evaluated; WFSM_LIMIT, also for rules that read what is not known here; WFSM_NO_MEMORY. */
int32_t wf_term_compute(const wf_terms *terms, wf_term term, const wf_value *operands,
                        wf_arena *arena, wf_value *value);
/* What holds if the literal does not, of a term that can be evaluated. */
wf_literal wf_literal_complement(const wf_literal *literal);
/* For qsort(): by terms, then by kinds, then by bytes. */
int wf_literal_compare(const void *a, const void *b);
/* Whether a term with this status and value makes the literal true. */
bool wf_literal_holds(const wf_literal *literal, int32_t status, const wf_value *value);
#endif
