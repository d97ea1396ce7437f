/* verify/term_operation.c: the same comparison is the same term, however it is written. */
#include <string.h>
#include "logic/expr_tree.h"
#include "verify/terms.h"

static wf_term negation(wf_terms *terms, wf_term term)
{
    return wf_term_apply(terms, wf_operator_find("!", 1), &term, 1);
}

/* a > b is b < a, a <= b is not b < a, and a >= b is not a < b: they fail for the same values. */
static wf_term order_term(wf_terms *terms, const char *name, const wf_term *operands)
{
    bool greater = name[0] == '>', negated = name[1] == '=', swaps = greater != negated;
    const wf_term pair[] = {operands[swaps ? 1 : 0], operands[swaps ? 0 : 1]};
    wf_term less = wf_term_apply(terms, wf_operator_find("<", 1), pair, 2);
    return negated ? negation(terms, less) : less;
}

/* Equality has no order. */
static wf_term equality_term(wf_terms *terms, const char *name, const wf_term *operands)
{
    bool strict = strlen(name) == 3, swaps = operands[0] > operands[1];
    const wf_term pair[] = {operands[swaps ? 1 : 0], operands[swaps ? 0 : 1]};
    const wf_operator *op = wf_operator_find(strict ? "===" : "==", strict ? 3 : 2);
    wf_term same = wf_term_apply(terms, op, pair, 2);
    return name[0] == '!' ? negation(terms, same) : same;
}

wf_term wf_term_operation(wf_terms *terms, const struct wf_operator *op,
                          const wf_term *operands, uint32_t count)
{
    const char *name = op->name;
    if (count == 2 && (name[0] == '<' || name[0] == '>'))
        return order_term(terms, name, operands);
    if (count == 2 && strchr("=!", name[0]) && name[1] == '=')
        return equality_term(terms, name, operands);
    return wf_term_apply(terms, op, operands, count);
}
