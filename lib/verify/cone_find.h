/*
 * verify/cone_find.h: computing the cone of influence. Given the cone of an expression's value,
 * the cones of the values that it reads grow. cone_find.c visits all parts of a machine until
 * nothing grows any more, cone_expr.c one expression; cone.c keeps the result.
 */
#ifndef WF_VERIFY_CONE_FIND_H
#define WF_VERIFY_CONE_FIND_H

#include <string.h>
#include "logic/expr_tree.h"
#include "verify/cone.h"

/* What `var` means where an expression stands. */
typedef struct wf_cone_env {
    wf_cone *event;   /* the data of the event; NULL: there is none */
    wf_cone *element; /* in the body of map, filter, …: the element */
    bool named;         /* the event's name is known */
    const wf_expr *pinned; /* a value of the event that is one of a list, or NULL */
    wf_cone *list;      /* of the element */
    const struct wf_cone_env *outer; /* of a body: where its rule stands */
} wf_cone_env;

/* `wanted` is the cone of the expression's value. */
void wf_cone_of_expr(wf_cones *all, const wf_expr *expr, const wf_cone *wanted,
                     const wf_cone_env *env);

/* cone_assign.c. The cone of an assigned value. */
wf_cone *wf_want_assigned(wf_cones *all, const wf_target *target, const wf_expr *value);
/* A list, or an object, of which only the elements, or one member, are not known: instead of whether it fits its
 * schemas, whether they do; or all of it, if more decides. The cone is temporary. */
void wf_cone_split_list(wf_cones *all, wf_cone *list);
void wf_cone_split_member(wf_cones *all, wf_cone *object, const char *key);

/* cone_keys.c. No object that the slot ever is has more members, this one among them; INFINITY: not known. */
double wf_members_most(const wf_cones *all, uint32_t slot, const wf_expr *key);

/* The value of the event that is one of a few, or equal to one, if the rule is true; or NULL. */
const wf_expr *wf_pinned_by(const wf_expr *rule);

/* cone_failure.c. What decides whether the evaluation fails, even where its value is not in the
 * cone. `expr` may be NULL. */
void wf_cone_of_failure(wf_cones *all, const wf_expr *expr, const wf_cone_env *env);
/* cone_growth.c. The same of a value that grows each time it is assigned to what it is computed of: it is followed. */
void wf_cone_of_growth(wf_cones *all, const wf_target *target, const wf_expr *value,
                       const wf_cone_env *env);

/* expr_failure.c. False only if no data makes it fail. */
bool wf_expr_may_fail(const wf_expr *expr);
/* The same of a rule's operator alone: there are values that it does not take. */
bool wf_op_may_fail(const wf_expr *rule);
/* Whether it may end with what became of each item, be it a failure. */
bool wf_may_settle(const wf_invoke *invoke);
/* There is an expression, and it is no constant. */
bool wf_is_computed(const wf_expr *expr);
/* Whether people may answer the invocation. */
bool wf_may_ask_person(const wfsm_machine *machine, const wf_invoke *invoke);
/* It reads by a path that is only known when it is evaluated, and that may lead anywhere. */
bool wf_op_is_by_path(const wf_expr *rule);
/* The type that its value has whatever the data; WF_ABSENT: not known. */
enum wf_type wf_expr_type(const wf_expr *expr);

/* Most names differ in their first byte. */
static inline bool wf_operator_is(const wf_operator *op, const char *name)
{
    return op->name[0] == name[0] && strcmp(op->name, name) == 0;
}
/* cone_link.c. True if it is a rule with one of these operators. The list ends with NULL. */
bool wf_expr_is_op(const wf_expr *expr, const char *const *names);
/* The same file. True if it is a constant number. */
bool wf_expr_is_number(const wf_expr *expr);
/* True if the value depends on the context alone. Comparisons do not count: they are true or
 * false. */
bool wf_cone_is_of_context(const wf_expr *expr);
/* What has this cone is compared with the expression, or with the first element of its list. */
void wf_cone_link_to(wf_cones *all, wf_cone *wanted, const wf_expr *expr, bool element);

/* expr_source.c. The expression as JSON, in the arena; ABSENT when it is full. */
wf_value wf_expr_source(const wf_cones *all, const wf_expr *expr, wf_arena *arena);

/* expr_mentions.c. True if this text is among the constants of the expression. */
bool wf_expr_mentions(const wf_expr *expr, const char *text, size_t length);

/* cone.c. All take NULL for a cone that could not be made. */
wf_cone *wf_cone_new(wf_cones *all, uint8_t depth);
/* The data of the event of this name. */
wf_cone *wf_cone_named(wf_cones *all, const char *name, uint32_t length);
wf_cone *wf_cone_slot(wf_cones *all, uint32_t slot);
wf_cone *wf_cone_part_of(wf_cones *all, wf_cone *cone, const char *key, uint32_t length);
wf_cone *wf_cone_items(wf_cones *all, wf_cone *cone);
void wf_cone_add(wf_cones *all, wf_cone *to, const wf_cone *more);
/* A temporary one. */
wf_cone *wf_cone_copy(wf_cones *all, const wf_cone *cone);
void wf_cone_whole(wf_cones *all, wf_cone *cone);
void wf_cone_truth(wf_cones *all, wf_cone *cone);
void wf_cone_text(wf_cones *all, wf_cone *cone);
void wf_cone_kind(wf_cones *all, wf_cone *cone);
/* Its type, too. */
void wf_cone_number(wf_cones *all, wf_cone *cone);
void wf_cone_order(wf_cones *all, wf_cone *cone);
void wf_cone_length(wf_cones *all, wf_cone *cone);
/* The rule at hand is not decided by the constants of the cone. */
void wf_cone_vague(wf_cones *all, wf_cone *cone);
/* The rule compares it with constants, with conversion or for order. */
void wf_cone_tested(wf_cones *all, wf_cone *cone, const wf_expr *rule, uint32_t operand);
/* The rule at hand selects elements and counts them. */
void wf_cone_counted(wf_cones *all, wf_cone *cone);
/* The rule at hand looks at its elements. */
void wf_cone_over(wf_cones *all, wf_cone *cone);
/* The rule at hand reads what has no classes. */
void wf_cone_unknown(wf_cones *all);
void wf_cone_link(wf_cones *all, wf_cone *cone, uint32_t link);
/* True if anything of it is in the cone, apart from the schemas that it is checked against. */
bool wf_cone_is_relevant(const wf_cone *cone);
/* The same with these schemas. */
bool wf_cone_is_wanted(const wf_cone *cone);
/* True if only its type is in the cone. */
bool wf_cone_is_of_kind(const wf_cone *cone);
/* It is checked against the schema; NULL: there is none. */
void wf_cone_fitting(wf_cones *all, wf_cone *cone, const wf_schema *schema);
void wf_cone_constant(wf_cones *all, wf_cone *cone, const wf_value *value);
bool wf_cones_match(const wf_cones *all, uint32_t descriptor, const char *name, size_t length);
#endif
