/* verify/expr_alike.h: whether two expressions are written alike. */
#ifndef WF_VERIFY_EXPR_ALIKE_H
#define WF_VERIFY_EXPR_ALIKE_H

#include "logic/expr.h"

/* True if they have the same value wherever both are evaluated with the same data. False also where
 * that is not seen from their form. */
bool wf_expr_alike(const wf_expr *a, const wf_expr *b);
#endif
