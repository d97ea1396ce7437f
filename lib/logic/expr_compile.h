/* logic/expr_compile.h: one compilation. Private to lib/logic/expr_*.c. */
#ifndef WF_LOGIC_EXPR_COMPILE_H
#define WF_LOGIC_EXPR_COMPILE_H

#include "logic/expr_tree.h"

/* Steps that all folding of one expression may take together; beyond, rules stay rules. */
enum { WF_FOLD_STEPS = 100000 };

/* What the rule sees whose body is compiled, and the rules around it. */
typedef struct wf_nest {
    enum wf_env env;
    const struct wf_nest *outer;
    const wf_operator *op; /* whose body it is */
} wf_nest;

typedef struct wf_compiler {
    const wf_resolver *to;
    wfsm_error *error;
    uint32_t fold_steps;
    uint32_t rules;      /* inside so many rules */
    uint32_t trying;     /* inside so many `try`: what fails is caught */
    const wf_nest *nest; /* NULL: not in a body */
    bool guard;          /* of a guard */
} wf_compiler;

static inline int32_t wf_compile_full(const wf_compiler *c)
{
    return wf_arena_error(c->to->arena, c->error);
}

/* expr_compile.c: any value. */
int32_t wf_compile_part(wf_compiler *c, enum wf_env env, const wf_value *source,
                        const wf_place *place, wf_expr *out);

/* expr_operands.c. One operand needs no list, except of some operators. `first` is what the place
 * of the first operand is called. */
int32_t wf_compile_operands(wf_compiler *c, enum wf_env env, const wf_value *operand,
                            uint32_t first, const wf_place *place, wf_expr *out);

/* expr_names.c: finish a rule whose operands are compiled. */
int32_t wf_compile_var(wf_compiler *c, enum wf_env env, const wf_place *place, wf_expr *out);
int32_t wf_compile_keys(wf_compiler *c, enum wf_env env, const wf_place *place, wf_expr *out);
/* in_state, whose operand is not compiled. */
int32_t wf_compile_state(wf_compiler *c, const wf_value *operand, const wf_place *place,
                         wf_expr *out);
/* children_in, likewise. */
int32_t wf_compile_children(wf_compiler *c, const wf_value *operand, const wf_place *place,
                            wf_expr *out);
/* Where a path leads that is known; `shown` is what an error calls it. */
int32_t wf_compile_parts(wf_compiler *c, enum wf_env env, const wf_path_part *parts,
                         uint32_t count, const char *shown, const wf_place *place, wf_var *var);

/* expr_suspects.c: tells lint of a template, of the path of a variable and of a rule. */
void wf_suspect_object(const wf_compiler *c, const wf_value *source, const wf_place *place);
void wf_suspect_path(const wf_compiler *c, const wf_path_part *parts, uint32_t count,
                     const wf_place *place);
void wf_suspect_rule(const wf_compiler *c, const wf_expr *rule, const wf_place *place);
/* expr_differs.c: tells lint what others answer differently: of a rule whose operands are compiled, of a
 * `val` that reads the index or list of the body that is `climb` further out, of a template. */
void wf_differs_rule(const wf_compiler *c, const wf_expr *rule, const wf_place *place);
void wf_differs_visit(const wf_compiler *c, uint32_t climb, const wf_place *place);
void wf_differs_template(const wf_compiler *c, const wf_expr *object, const wf_place *place);
/* What wfsm calls an operator of others, or NULL. */
const char *wf_foreign_word(const char *key);

/* expr_val.c: val and exists. First the scope is taken off the operands, if there is one. */
typedef struct wf_val_scope {
    wf_value keys; /* the operands that are left */
    uint32_t first; /* how many were taken off */
    uint32_t climb; /* bodies to leave */
    bool visit; /* what it reads is not the element there, but its index and list */
    enum wf_env env; /* there */
} wf_val_scope;

int32_t wf_compile_scope(const wf_compiler *c, enum wf_env env, const wf_value *operand,
                         const wf_place *place, wf_val_scope *scope);
int32_t wf_compile_val(wf_compiler *c, const wf_val_scope *scope, const wf_place *place,
                       wf_expr *out);
#endif
