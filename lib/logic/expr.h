/*
 * logic/expr.h: JsonLogic rules and templates, compiled once, evaluated many times.
 *
 * A compiled expression lives in the arena it was compiled into, is immutable and may be
 * evaluated by several threads. Top-level context keys, event members and states are
 * resolved when it is compiled.
 */
#ifndef WF_LOGIC_EXPR_H
#define WF_LOGIC_EXPR_H

#include "base/names.h"
#include "logic/json.h"
#include "logic/value.h"
#include "base/private.h"

typedef struct wf_expr wf_expr;

/* How names are resolved when an expression is compiled. */
typedef struct wf_resolver {
    wf_arena *arena;   /* where compiled expressions go */
    wf_names *keys;    /* context keys; a rule that reads `context.KEY` adds KEY and uses its
                          number as slot. NULL: no context; `var` reads plain data */
    void *user;
    /* The number of a state by dotted path or #id, WF_NONE if there is none. NULL: in_state
     * is no operator. */
    uint32_t (*state)(void *user, const char *path, size_t length);
    /* The number of a question for children: the id of an invocation, and a state of its child.
     * WF_NONE if there is no such invocation. NULL: children_in is no operator. */
    uint32_t (*children)(void *user, const wf_value *invocation, const wf_value *state);
    const wf_names *budgets; /* names that `budgets.NAME` may have; NULL: any */
    /* Told of every context key that is read or (by path) could be; may be NULL. whole is
     * set when the whole context is read. For lint. */
    void (*reads)(void *user, uint32_t slot, bool whole);
    /* Told of what compiles, but means something else in other implementations; may be NULL.
     * rule and message are static. For lint. */
    void (*suspect)(void *user, const wf_place *place, const char *rule, const char *message);
    /* Told of rules that others answer differently; may be NULL. The message is static. For lint. */
    void (*differs)(void *user, const wf_place *place, const char *message);
} wf_resolver;

/*
 * Compiles a value: an object whose only key is an operator is a rule, everything else is a
 * template. With `guard` the root must be a rule (an unknown operator is an error naming it).
 * Fails with SEMANTIC (pointer below `place`, what was expected), LIMIT, NO_MEMORY.
 */
int32_t wf_expr_compile(const wf_expr **out, const wf_value *source, bool guard,
                        const wf_resolver *resolver, const wf_place *place, wfsm_error *error);

/* True if this is an object with one key that is an operator. */
WF_PRIVATE_API bool wf_is_rule(const wf_value *source);
/* True if the value is known without evaluating; then *value is it. */
WF_PRIVATE_API bool wf_expr_constant(const wf_expr *expr, wf_value *value);

/* True if it reads anything but known keys of the context. If false, it may be
 * evaluated without event and instance. */
bool wf_expr_reads_beyond_context(const wf_expr *expr);
/* True if it reads anything but these and the event. */
bool wf_expr_reads_beyond_event(const wf_expr *expr);

/* What else it may look at: bits. A path that is only known when it is evaluated may lead to
 * the event. Takes as long as the expression is large. */
enum {
    WF_READS_EVENT = 1,
    WF_READS_INSTANCE = 2,
    WF_READS_BUDGETS = 4,
    WF_READS_FAILURE = 8,
    WF_READS_ALL = 15
};
unsigned wf_expr_reads(const wf_expr *expr);

/* Bounds of one evaluation; expressions and values nest less deep than WF_EVAL_DEPTH. */
enum { WF_EVAL_STEPS = 1000000, WF_EVAL_DEPTH = 512 };

/* What an evaluation sees. */
typedef struct wf_scope {
    wf_arena *arena; /* where results go; its limit bounds their size */
    const wf_value *slots; /* context by slot; ABSENT where a key is not set */
    const wf_names *keys; /* names of the slots, `slot_count` of them at least */
    uint32_t slot_count; /* slots beyond it are absent */
    const wf_value *event; /* {"type","data","id","kind"} or null */
    const wf_value *instance; /* {"id","machine","now"} */
    const wf_value *budgets; /* {NAME: {"used","limit","left"}} */
    const wf_value *repeated; /* {"invoke","signature","count"} or null */
    const wf_value *item; /* of an invocation's `items`, and its index; else NULL */
    const wf_value *index;
    const uint64_t *active; /* bit set of states, for in_state; may be NULL */
    const uint32_t *children; /* by question: how many are there; NULL: none */
    const wf_value *data; /* plain data instead of all that (JsonLogic alone), or NULL */
    uint32_t steps; /* counts down to 0, where it is a LIMIT; set it to
                                  WF_EVAL_STEPS */
    const char *failure; /* why it could not be evaluated; lives as long as the
                                  expression and the arena */
    const char *error_type; /* of that failure, as `try` tells it, if nothing was thrown */
    wf_value thrown; /* by `throw`; ABSENT: nothing */
} wf_scope;

/*
 * Evaluates. Returns WFSM_OK with *result (never ABSENT), WFSM_SEMANTIC when the expression
 * cannot be evaluated (`throw`, a wrong operand; scope->failure says why), WFSM_LIMIT,
 * WFSM_NO_MEMORY.
 */
WF_PRIVATE_API int32_t wf_expr_eval(const wf_expr *expr, wf_scope *scope, wf_value *result);
/* The same for a guard: its truth. */
WF_PRIVATE_API int32_t wf_expr_test(const wf_expr *expr, wf_scope *scope, bool *result);

/* What must be known of a value before the step continues. */
enum wf_need {
    WF_NEED_NOTHING,
    WF_NEED_LENGTH, /* of a list: how many elements it has */
    WF_NEED_NAME, /* of an event */
    WF_NEED_AGENT, /* its name */
    WF_NEED_PRIORITY, /* of a pool: whether it is one */
    WF_NEED_PLACE, /* a phase or group of a pool: whether it is a name */
    WF_NEED_DELAY, /* of a timer: how long it is at least and at most */
    WF_NEED_ID, /* which timers have it */
    WF_NEED_ALL
};

/*
 * Verification puts these functions in the place of wf_expr_eval(), wf_expr_test() and the check of a
 * schema, because it knows values only in part. Everywhere else the pointer to them is NULL. They return
 * the statuses of the functions that they replace.
 */
struct wf_schema;
typedef struct wf_evaluator {
    void *user;
    int32_t (*eval)(void *user, const wf_expr *expr, wf_scope *scope, enum wf_need need,
                    wf_value *value);
    int32_t (*test)(void *user, const wf_expr *expr, wf_scope *scope, bool *yes);
    /* WFSM_OK, or WFSM_SEMANTIC: the value does not fit. */
    int32_t (*fits)(void *user, const struct wf_schema *schema, const wf_value *value);
    /* A copy of the object in which the place below it has the value. SEMANTIC: a parent is no
     * object, or is not there. */
    int32_t (*within)(void *user, const wf_value *object, const wf_name *keys, uint32_t depth,
                      const wf_value *value, wf_value *copy);
} wf_evaluator;
#endif
