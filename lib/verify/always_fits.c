/* verify/always_fits.c: whether what arithmetic makes of the context always fits a schema. A
 * counter that is never negative does so, for example. */
#include "logic/expr_tree.h"
#include "verify/cone_expr.h"
#include "verify/exactness.h"
#include "verify/solve.h"

/* Each key of the context is a symbol, which fits the schema of that key. */
static wf_term term_of_slot(wf_terms *terms, const wf_cones *all, uint32_t slot)
{
    const wf_schema *schema = wf_schema_of_slot(all, slot);
    return wf_term_symbol(terms, &schema, schema ? 1 : 0, slot);
}

/* WF_NONE: the rule is not only arithmetic over keys of the context. */
static wf_term term_of(wf_terms *terms, const wf_cones *all, const wf_expr *expr)
{
    static const char *const arithmetic[] = {"+", "-", "*", "min", "max", NULL};
    enum { OPERANDS = 4 };
    wf_term operands[OPERANDS];
    if (expr->node == WF_NODE_SLOT)
        return term_of_slot(terms, all, expr->count);
    if (expr->node == WF_NODE_CONSTANT)
        return wf_term_known(terms, &expr->as.constant);
    if (!wf_expr_is_op(expr, arithmetic) || expr->mode == WF_MODE_SPREAD ||
        expr->count > OPERANDS)
        return WF_NONE;
    for (uint32_t i = 0; i < expr->count; i++) {
        operands[i] = term_of(terms, all, &expr->as.list[i]);
        if (operands[i] == WF_NONE)
            return WF_NONE;
    }
    return wf_term_apply(terms, expr->op, operands, expr->count);
}

bool wf_always_fits(const wf_cones *all, const wf_expr *rule, const wf_schema *schema)
{
    wf_arena *arena = all->arena;
    wf_terms terms;
    bool fits = false;
    if (wf_terms_init(&terms, arena->allocator)) {
        const wf_literal other = {
            .kind = WF_FITS_NOT, .term = term_of(&terms, all, rule), .schema = schema};
        fits = other.term != WF_NONE && wf_solve(&terms, &other, 1, 0, arena, NULL) == WF_UNSAT;
    }
    wf_terms_fini(&terms);
    return fits;
}
