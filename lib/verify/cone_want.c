/* verify/cone_want.c: temporary cones, for what a rule wants of its operands. */
#include "verify/cone_expr.h"

/* A temporary cone. */
wf_cone *wf_want(wf_cones *all, bool whole, bool truth)
{
    wf_cone *made = wf_cone_new(all, 0);
    if (made) {
        made->passing = true;
        made->whole = whole;
        made->truth = truth;
    }
    return made;
}

/* All of an operand, in a way that no constants decide. */
wf_cone *wf_want_vague(wf_cones *all)
{
    wf_cone *made = wf_want(all, true, false);
    wf_cone_vague(all, made);
    return made;
}

/* The same of a part of what is wanted. */
wf_cone *wf_want_part(wf_cones *all, const wf_cone *wanted)
{
    wf_cone *made = wanted->whole ? wf_want(all, true, false) : NULL;
    if (made)
        made->vague = wanted->vague;
    return made;
}

/* All of an operand, and whether the operator takes it. */
wf_cone *wf_want_operand(wf_cones *all, const wf_expr *rule)
{
    wf_cone *made = wf_want_vague(all);
    if (made)
        made->kind = made->number = wf_op_may_fail(rule);
    return made;
}
