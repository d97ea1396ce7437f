/* verify/symbolic_eval.h: between the files of the symbolic evaluation. */
#ifndef WF_VERIFY_SYMBOLIC_EVAL_H
#define WF_VERIFY_SYMBOLIC_EVAL_H

#include "logic/expr_tree.h"
#include "verify/symbolic.h"

/* symbolic_eval.c: as wf_eval(). */
int32_t wf_symbolic_eval(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *result);
/* symbolic_apply.c: evaluates a rule of a strict operator whose operands are known, or terms. */
int32_t wf_symbolic_apply(wf_symbolic *self, const wf_expr *rule, const wf_value *operands,
                          uint32_t count, wf_run *run, wf_value *result);
/* The value of this term, after a decision on whether the rule can be evaluated. */
int32_t wf_symbolic_result(wf_symbolic *self, const wf_expr *rule, wf_term term, wf_run *run,
                           wf_value *result);
/* The same of one pair of a comparison with the operator of this name. */
int32_t wf_symbolic_same(wf_symbolic *self, const wf_expr *rule, const wf_value *a,
                         const wf_value *b, wf_run *run, wf_value *result);
/* Any value at all: what the rule gives is not followed. */
int32_t wf_symbolic_anything(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                             wf_value *result);
/* membership.c: `in`, of a text that is known and a list that an operator has made. False: it is another
 * question. */
bool wf_symbolic_is_member(wf_symbolic *self, const wf_expr *rule, const wf_value *operands,
                           wf_run *run, wf_value *result, int32_t *status);
/* symbolic_fits.c: as wf_schema_check(); `user` is the wf_symbolic. */
int32_t wf_symbolic_fits(void *user, const wf_schema *schema, const wf_value *value);
/* "cannot be evaluated" */
int32_t wf_symbolic_fails(wf_run *run);

/* symbolic_read.c: a variable. ABSENT if it is not there; if `asks` is not set, null may stand for
 * that. */
int32_t wf_symbolic_read(wf_symbolic *self, const wf_expr *origin, const wf_var *var,
                         wf_run *run, bool asks, wf_value *result);
/* symbolic_seen.c: puts symbols into what the variable sees of the event, the instance or the budgets. What it sees
 * of anything else stays as it is. */
void wf_symbolic_see(wf_symbolic *self, const wf_var *var, wf_value *seen);
/* symbolic_read.c again: var, val and exists by a path that is computed. */
int32_t wf_symbolic_lookup(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                           wf_value *result);
/* `get`: the part of a container. */
int32_t wf_symbolic_get(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result);
/* missing and missing_some */
int32_t wf_symbolic_missing(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                            wf_value *result);

/* symbolic_index.c: whether the container is seen, and a key can be compared with all of its own. */
bool wf_symbolic_has_places(const wf_value *container);
/* Its member, or element, by a key that is a term; ABSENT if there is none. */
int32_t wf_symbolic_part(wf_symbolic *self, const wf_expr *rule, const wf_value *container,
                         const wf_value *key, wf_run *run, wf_value *result);
/* `with` of a container that is seen, by a key that is a term. */
bool wf_symbolic_changes_part(const wf_value *operands, uint32_t count);
int32_t wf_symbolic_with(wf_symbolic *self, const wf_expr *rule, const wf_value *operands,
                         wf_run *run, wf_value *result);

/* symbolic_people.c: after the input of an invocation was evaluated, or hidden. Whether a person can be
 * asked it is decided. Any other expression stays as it is. */
int32_t wf_symbolic_asked(wf_symbolic *self, const wf_expr *input, bool hidden,
                          wf_value *value);
/* symbolic_names.c: a name that is one of many, and begins like this event's. */
wf_value wf_symbolic_name(wf_symbolic *self, const struct wf_external_event *event);
/* Whether a text can be a name. It has four parts from this one on. */
int32_t wf_symbolic_is_name(wf_symbolic *self, const void *origin, uint32_t part,
                            const wf_value *text, bool *yes);

/* symbolic_ids.c: after the id of a timer was evaluated, or one that is canceled. */
int32_t wf_symbolic_id(wf_symbolic *self, const wf_expr *expr, wf_value *value);

/* symbolic_lists.c */
int32_t wf_symbolic_list(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result);
/* A list whose elements are seen, of a value that may be a term: its length is decided. *seen is
 * false for longer ones. The value is a list. */
int32_t wf_symbolic_elements(wf_symbolic *self, const void *origin, const wf_value *list,
                             wf_value *elements, bool *seen);
/* The same of a list of which no element is asked for alone: a few more are seen, if it has no more. */
int32_t wf_symbolic_summands(wf_symbolic *self, const void *origin, const wf_value *list,
                             wf_value *elements, bool *seen);
/* A rule of arithmetic whose operands are the elements of a list that is not seen, and has several: each is
 * joined to what there is. */
int32_t wf_symbolic_join(wf_symbolic *self, const wf_expr *rule, const wf_value *list,
                         wf_run *run, wf_value *result);
#endif
