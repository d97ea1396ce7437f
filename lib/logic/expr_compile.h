/* logic/expr_compile.h: one compilation. Private to lib/logic/expr_*.c. */
#ifndef WF_LOGIC_EXPR_COMPILE_H
#define WF_LOGIC_EXPR_COMPILE_H

#include "logic/expr_tree.h"

/* Steps that all folding of one expression may take together; beyond, rules stay rules. */
enum { WF_FOLD_STEPS = 100000 };

typedef struct wf_compiler {
    const wf_resolver *to;
    wfsm_error *error;
    uint32_t fold_steps;
} wf_compiler;

static inline int32_t wf_compile_full(const wf_compiler *c)
{
    return wf_arena_error(c->to->arena, c->error);
}

/* expr_names.c: finish a rule whose operands are compiled. */
int32_t wf_compile_var(wf_compiler *c, enum wf_env env, const wf_place *place, wf_expr *out);
int32_t wf_compile_keys(wf_compiler *c, enum wf_env env, const wf_place *place, wf_expr *out);
/* in_state, whose operand is not compiled. */
int32_t wf_compile_state(wf_compiler *c, const wf_value *operand, const wf_place *place,
                         wf_expr *out);
#endif
