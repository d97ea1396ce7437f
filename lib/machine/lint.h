/*
 * machine/lint.h: what is suspicious about a machine that loads. Each rule reads the
 * finished machine and warns; doc/lint.md says what each of them means.
 */
#ifndef WF_MACHINE_LINT_H
#define WF_MACHINE_LINT_H

#include "machine/load.h"

void wf_lint_reach(wf_load *load);   /* unreachable-state */
void wf_lint_shadows(wf_load *load); /* shadowed-transition */
void wf_lint_ends(wf_load *load);    /* dead-end */
void wf_lint_cycles(wf_load *load);  /* eventless-cycle */
void wf_lint_invokes(wf_load *load); /* unused-invoke-result */
void wf_lint_xstate(wf_load *load);  /* xstate-differs, a note */

/* Whatever happens, it is enabled. */
static inline bool wf_lint_always_enabled(const wf_transition *transition)
{
    wf_value value;

    if (transition->guard.kind == WF_GUARD_NONE)
        return true;
    return transition->guard.kind == WF_GUARD_RULE &&
           wf_expr_constant(transition->guard.rule, &value) && wf_value_truth(&value);
}

static inline const char *wf_lint_transition_pointer(const wf_load *load, uint32_t number)
{
    return *(const char *const *)wf_vector_at(&load->transition_pointers, number);
}
#endif
