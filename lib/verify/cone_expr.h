/*
 * verify/cone_expr.h: between the files that follow an expression to what it reads. cone_expr.c visits
 * all of it, and the others tell what to look for: they never call back.
 */
#ifndef WF_VERIFY_CONE_EXPR_H
#define WF_VERIFY_CONE_EXPR_H

#include "logic/expr_tree.h"
#include "verify/cone_find.h"
#include "verify/schema_group.h"

/* cone_want.c: temporary cones; NULL, and the search fails, when out of memory. */
wf_cone *wf_want(wf_cones *all, bool whole, bool truth);
/* All of an operand, in a way that no constants decide. */
wf_cone *wf_want_vague(wf_cones *all);
/* The same of a part of what is wanted; NULL if not all is wanted. */
wf_cone *wf_want_part(wf_cones *all, const wf_cone *wanted);
/* All of an operand, in a way that no constants decide, and whether the operator takes it. */
wf_cone *wf_want_operand(wf_cones *all, const wf_expr *rule);

/* cone_var.c. What a variable leads to, apart from its fallback. */
void wf_cone_of_var(wf_cones *all, const wf_var *var, const wf_cone *wanted,
                    const wf_cone_env *env);
/* A part of a context key. */
void wf_cone_of_slot(wf_cones *all, uint32_t slot, const wf_path_part *parts, uint32_t count,
                     const wf_cone *wanted);
/* All that a rule may read by a computed path. */
void wf_cone_of_any_path(wf_cones *all, const wf_expr *rule, const wf_cone_env *env);
/* The cone of a part of a value, by names alone; NULL: there is none. */
wf_cone *wf_cone_down(wf_cones *all, wf_cone *cone, const wf_path_part *parts, uint32_t count);
/* What the schema of a context key says of its value at any time. NULL: nothing, or the key is not there at first. */
const wf_schema *wf_schema_of_slot(const wf_cones *all, uint32_t slot);
/* The schemas of a part of a key's value. `present` becomes false if the part may be missing; then it is null. */
wf_schema_group wf_schema_of_part(const wf_schema *own, const wf_path_part *parts,
                                  uint32_t count, bool *present);
bool wf_path_part_is(const wf_path_part *part, const char *key);
bool wf_var_is_same(const wf_var *a, const wf_var *b);

/* cone_compare.c. What a comparison wants of one operand. */
wf_cone *wf_want_compared(wf_cones *all, const wf_expr *rule, uint32_t place,
                          const wf_cone_env *env);
/* What `in` wants of the value, and of the list. */
wf_cone *wf_want_needle(wf_cones *all, const wf_expr *rule);
wf_cone *wf_want_haystack(wf_cones *all, const wf_expr *rule, const wf_cone_env *env);
/* True of the event's data or origin, where a guard compares it. */
bool wf_cone_is_direct(const wf_cones *all, const wf_expr *expr);
/* The X of X === cat(X), which asks whether X is a text; NULL: something else is asked. */
const wf_expr *wf_tested_text(const wf_expr *rule);

/* cone_choose.c, and wf_pinned_by(). The name, or the list of names, that the first such operand of
 * `and` compares the event's name with, and which operand it is; NULL: none. */
const wf_value *wf_names_asked(const wf_expr *rule, uint32_t *place);

/* cone_lists.c. What map, filter, all, some, none and reduce want of their body, and of the list
 * whose elements have the cone `element`. */
wf_cone *wf_want_body(wf_cones *all, const wf_expr *rule, const wf_cone *wanted);
wf_cone *wf_want_list(wf_cones *all, const wf_expr *rule, const wf_cone *wanted,
                      const wf_cone *body, wf_cone *element);

/* cone_members.c. What `get` wants of the container, and of the key. */
wf_cone *wf_want_container(wf_cones *all, const wf_expr *rule, const wf_cone *wanted);
wf_cone *wf_want_key(wf_cones *all, const wf_expr *rule);

/* cone_fits.c. What decides whether a value that is put together fits the schema: a part of the expression, and
 * what is wanted of it. */
typedef struct wf_fit_part {
    const wf_expr *expr;
    const wf_cone *wanted;
    struct wf_fit_part *next;
} wf_fit_part;
/* False: more decides than these parts. The expression is none that wf_expr_type() knows to be a text, a
 * number or a truth. */
bool wf_find_fit_parts(wf_cones *all, const wf_expr *expr, const wf_schema *schema,
                       wf_fit_part **parts);

/* What a rule wants of the operand at a place; NULL: nothing. */
typedef wf_cone *wf_want_function(wf_cones *all, const wf_expr *rule, uint32_t place,
                                  const wf_cone *wanted);
wf_want_function wf_want_length, wf_want_merged, wf_want_sliced; /* cone_lists.c */
wf_want_function wf_want_extended; /* cone_members.c: `with` */
wf_want_function wf_want_summed, wf_want_divided; /* cone_numbers.c */
wf_want_function wf_want_missing; /* cone_compare.c: of known keys */
#endif
