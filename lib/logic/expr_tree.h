/*
 * logic/expr_tree.h: what a compiled expression is made of. Private to lib/logic/expr_*.c,
 * op_*.c and coerce.c.
 */
#ifndef WF_LOGIC_EXPR_TREE_H
#define WF_LOGIC_EXPR_TREE_H

#include "logic/expr.h"

enum wf_expr_node {
    WF_NODE_CONSTANT, /* as.constant */
    WF_NODE_SLOT,     /* a top-level context key: slot `count` */
    WF_NODE_VAR,      /* as.var */
    WF_NODE_STATE,    /* in_state: state `count` */
    WF_NODE_CHILDREN, /* children_in: question `count` */
    WF_NODE_RULE,     /* op, as.list: operands */
    WF_NODE_ARRAY,    /* as.list: elements */
    WF_NODE_OBJECT    /* as.object */
};

/* What `var` sees. */
enum wf_env {
    WF_ENV_ROOT, /* context, event, instance; item and index */
    WF_ENV_DATA, /* one value: plain data, or an element in the body of map, filter, … */
    WF_ENV_PAIR  /* current and accumulator, in the body of reduce */
};

/* Why an expression is no constant. */
enum {
    WF_READS = 1, /* what its `var` sees */
    WF_LIVE = 2,  /* something else that can change, or it fails when it is evaluated */
    WF_MORE = 4,  /* with WF_READS: not only context keys that are known */
    WF_CLIMBS = 8, /* in a body: a `val` that reads an outer scope */
    WF_BEYOND = 16 /* with WF_MORE: not only these and the event */
};

typedef struct wf_path_part {
    const char *key;
    uint32_t length;
    uint32_t hash;
    uint32_t index; /* as an array index; WF_NONE if it is none */
} wf_path_part;

enum wf_origin {
    WF_FROM_NOTHING,
    WF_FROM_ROOT,    /* the whole of what there is, built when asked for */
    WF_FROM_CONTEXT, /* the whole context, likewise */
    WF_FROM_PAIR,    /* likewise */
    WF_FROM_SLOT,
    WF_FROM_EVENT,
    WF_FROM_INSTANCE,
    WF_FROM_BUDGETS,
    WF_FROM_FAILURE,
    WF_FROM_ITEM,
    WF_FROM_INDEX,
    WF_FROM_DATA,
    WF_FROM_CURRENT,
    WF_FROM_ACCUMULATOR,
    WF_FROM_POSITION, /* the index of a body's element */
    WF_FROM_ITERATED, /* the list that a body's element is from */
    WF_FROM_VISIT     /* both in one object, built when asked for */
};

typedef struct wf_var {
    enum wf_origin origin;
    uint32_t climb; /* runs to go outwards before it is read */
    uint32_t slot;
    const wf_path_part *parts; /* to walk from there */
    uint32_t count;
    const struct wf_expr *fallback; /* or NULL */
} wf_var;

static inline uint8_t wf_origin_flags(enum wf_origin origin)
{
    if (origin == WF_FROM_SLOT)
        return 0;
    return origin == WF_FROM_EVENT ? WF_MORE : WF_MORE | WF_BEYOND;
}

struct wf_operator;
struct wf_expr {
    uint8_t node;
    uint8_t flags;
    uint8_t env;    /* of a rule: what its `var` sees, or its `val` after the climb */
    uint8_t mode;   /* see enum wf_mode */
    uint32_t count; /* operands, elements, members; or a number */
    const struct wf_operator *op;
    union {
        wf_value constant;
        const wf_var *var;
        const struct wf_expr *list;
        struct {
            const struct wf_expr *list;
            const wf_member *keys; /* without values */
        } object;
    } as;
};

/* Of a rule. */
enum wf_mode {
    WF_MODE_LISTED, /* its operands are a list */
    WF_MODE_SPREAD, /* it has one operand, not in a list: if that gives a list, its elements are
                       the operands */
    WF_MODE_SCOPED /* `val` and `exists`: + the number of runs to climb */
};
/* Bodies nest no deeper for a `val` that climbs by a computed path. */
enum { WF_MOST_CLIMB = 255 - WF_MODE_SCOPED };

/* One evaluation, seen from inside a body or at the root. */
typedef struct wf_run {
    wf_scope *scope;
    const wf_value *data; /* in WF_ENV_DATA */
    const wf_member *pair; /* in WF_ENV_PAIR: current, accumulator */
    struct wf_run *outer; /* of a body: where its rule stands */
    const wf_value *list; /* of a body that is evaluated for each element; else NULL */
    uint32_t index;
} wf_run;

typedef int32_t wf_operation(const wf_expr *rule, wf_run *run, wf_value *result);

/* How the operands of an operator are compiled. */
enum wf_shape {
    WF_SHAPE_PLAIN,
    WF_SHAPE_VAR,
    WF_SHAPE_VAL, /* val, exists: keys, perhaps after a scope */
    WF_SHAPE_KEYS, /* missing, missing_some: operands are paths, which may be computed */
    WF_SHAPE_BODY, /* the second operand sees one element */
    WF_SHAPE_REDUCE, /* the second operand sees current and accumulator */
    WF_SHAPE_TRY, /* every operand but the first sees the error of the one before it */
    WF_SHAPE_LITERAL, /* not at all */
    WF_SHAPE_STATE, /* a constant path */
    WF_SHAPE_CHILDREN, /* two constant names */
    WF_SHAPE_LIVE /* plain, and never folded */
};

/* An operand that is no list, `{"+": X}`. */
enum wf_single {
    WF_SINGLE_IS_ONE, /* is the one operand */
    WF_SINGLE_SPREADS, /* gives the operands, if its value is a list */
    WF_SINGLE_IS_NONE /* is refused: operands that may not be evaluated must be seen apart */
};

typedef struct wf_operator {
    const char *name;
    enum wf_shape shape;
    uint8_t single; /* enum wf_single */
    uint8_t least; /* operands */
    uint8_t most;
    wf_operation *run;
} wf_operator;
enum { WF_ANY_NUMBER = 255 }; /* of operands */

/* missing and missing_some, if all keys are known. Their operands are the number of missing_some, the keys, and
 * then a `var` for each key. */
extern const wf_operator wf_known_missing, wf_known_missing_some;

/* The number of these keys, which begin at the operand *first. 0 if the rule has none. */
WF_PRIVATE_API uint32_t wf_known_keys(const wf_expr *rule, uint32_t *first);

/* The operator of that name, or NULL. */
WF_PRIVATE_API const wf_operator *wf_operator_find(const char *name, size_t length);
static inline bool wf_operator_takes(const wf_operator *op, uint32_t count)
{
    return count >= op->least && (op->most == WF_ANY_NUMBER || count <= op->most);
}
/* The only member of a rule and its operator; NULL when it is no rule. */
const wf_operator *wf_rule_operator(const wf_value *source);

/* expr_eval.c */
int32_t wf_eval(const wf_expr *expr, wf_run *run, wf_value *result);
/* The index-th operand; ABSENT (JavaScript's undefined) when there is none. */
int32_t wf_eval_operand(const wf_expr *rule, uint32_t index, wf_run *run, wf_value *result);
/* The same where it is: constants and context keys need no copy, and no step of their own.
 * Anything else goes to *temp; *status is set when that fails. */
static inline const wf_value *wf_peek(const wf_expr *rule, uint32_t index, wf_run *run,
                                      wf_value *temp, int32_t *status)
{
    const wf_expr *expr = &rule->as.list[index];

    if (index < rule->count && expr->node == WF_NODE_CONSTANT)
        return &expr->as.constant;
    if (index < rule->count && expr->node == WF_NODE_SLOT &&
        expr->count < run->scope->slot_count &&
        run->scope->slots[expr->count].type != WF_ABSENT)
        return &run->scope->slots[expr->count];
    *status = wf_eval_operand(rule, index, run, temp);
    return temp;
}
/* All operands, in the arena. */
int32_t wf_eval_operands(const wf_expr *rule, wf_run *run, const wf_value **values);

/* expr_fuel.c */
int32_t wf_spend(wf_run *run, size_t steps);
/* "cannot be evaluated", because. In `try` the error is INVALID_ARGUMENTS. */
int32_t wf_eval_fail(wf_run *run, const char *why);
/* The same, with the error NaN: a number was expected, or has no JSON. */
int32_t wf_eval_not_number(wf_run *run, const char *why);
/* Only the elements of a list can turn out to be too few or too many operands. */
int32_t wf_eval_wrong_count(wf_run *run);
/* The status of an arena that gave NULL. */
int32_t wf_eval_full(wf_run *run);
/* A built container: LIMIT when it came out ABSENT. */
int32_t wf_eval_built(wf_run *run, wf_value built, wf_value *result);

/* expr_var.c */
/* The run so many bodies further out. */
WF_PRIVATE_API wf_run *wf_run_outer(wf_run *run, uint32_t climb);
/* ABSENT if it is not there; the default of the variable is left to wf_eval(). */
WF_PRIVATE_API int32_t wf_var_read(const wf_var *var, wf_run *run, wf_value *result);
/* By a path that is only known now; ABSENT if it is not there. */
int32_t wf_var_lookup(enum wf_env env, wf_run *run, const wf_value *path, wf_value *result);
/* By keys that are only known now, each of them one part of the path. */
int32_t wf_var_keys(enum wf_env env, wf_run *run, const wf_value *keys, uint32_t count,
                    wf_value *result);

/* expr_path.c */
WF_PRIVATE_API void wf_path_part_fill(wf_path_part *part, const char *key, size_t length);
/* Splits a path; false when the arena failed. Copies the text. */
WF_PRIVATE_API bool wf_path_parse(wf_arena *arena, const char *text, size_t length,
                                  wf_path_part **parts, uint32_t *count);
/* Absent, null and "" lead to the whole of what `var` sees. */
WF_PRIVATE_API bool wf_path_is_whole(const wf_value *path);
WF_PRIVATE_API enum wf_origin wf_env_whole(enum wf_env env);
/* What the first *used parts mean; a context key is parts[1]. */
WF_PRIVATE_API enum wf_origin wf_path_origin(enum wf_env env, const wf_path_part *parts,
                                             uint32_t count, uint32_t *used);

/* coerce.c: JavaScript's conversions. NaN stands for itself inside. */
typedef struct wf_text {
    const char *text;
    size_t length;
} wf_text;

int32_t wf_to_number(wf_run *run, const wf_value *value, double *number);
/* As an operand of arithmetic or of a comparison; NaN for containers, too. */
int32_t wf_to_operand(wf_run *run, const wf_value *value, double *number);
int32_t wf_to_text(wf_run *run, const wf_value *value, wf_text *text);
int32_t wf_strict_equal(wf_run *run, const wf_value *a, const wf_value *b, bool *equal);

/* coerce_text.c: text without an intermediate copy of its parts. As elements of a list, null
 * and absent values are empty. */
int32_t wf_text_measure(wf_run *run, const wf_value *value, bool element, size_t *bytes);
char *wf_text_write(const wf_value *value, bool element, char *out);

/* op_*.c */
wf_operation wf_op_if, wf_op_and, wf_op_or, wf_op_coalesce, wf_op_not, wf_op_truth;
wf_operation wf_op_try, wf_op_val, wf_op_exists;
wf_operation wf_op_equal, wf_op_not_equal, wf_op_same, wf_op_not_same;
wf_operation wf_op_less, wf_op_less_equal, wf_op_greater, wf_op_greater_equal;
wf_operation wf_op_plus, wf_op_times, wf_op_minus, wf_op_divide, wf_op_modulo;
wf_operation wf_op_min, wf_op_max;
wf_operation wf_op_map, wf_op_filter, wf_op_reduce, wf_op_all, wf_op_some, wf_op_none;
wf_operation wf_op_merge, wf_op_in, wf_op_cat, wf_op_substr, wf_op_log;
wf_operation wf_op_var, wf_op_missing, wf_op_missing_some;
wf_operation wf_op_known_missing, wf_op_known_missing_some;
wf_operation wf_op_throw, wf_op_length, wf_op_slice, wf_op_get, wf_op_with;
#endif
