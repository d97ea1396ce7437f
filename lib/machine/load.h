/*
 * machine/load.h: what the passes of the loader share.
 *
 * The order: root keys and context (load_root.c), states (load_states.c), then for each
 * state its default transitions (load_initials.c) and its body: actions, invocations,
 * transitions, and the table that an event is looked up in (dispatch.c). A pass that
 * meets something wrong reports it and continues with the rest; a machine
 * with an error is never returned.
 */
#ifndef WF_MACHINE_LOAD_H
#define WF_MACHINE_LOAD_H

#include "base/memory.h"
#include "machine/diagnostics.h"
#include "machine/model.h"

enum {
    WF_NAME_MAX = 255,  /* bytes of a name */
    WF_PATH_MAX = 1024, /* bytes of a state's dotted path */
    /* Candidates of all look-up tables, and comparisons to make them. */
    WF_DISPATCH_MAX = 4000000,
    /* Of all history states, each of which remembers a set of states. */
    WF_HISTORY_BYTES = 8 << 20,
    /* Properties of a document; each may take a byte of every state that is explored. */
    WF_PROPERTIES_MAX = 250,
    WF_BUDGETS_MAX = 64
};

/* A value of the document, and its place. */
typedef struct wf_node {
    const wf_value *value;
    wf_place place;
} wf_node;

/* A growing array; its elements move. */
typedef struct wf_vector {
    char *data;
    size_t element;
    size_t count, capacity;
} wf_vector;

/* The document's side of a state. */
typedef struct wf_source {
    wf_node node;
    wf_place states; /* of its key "states" */
} wf_source;

/* A transition under one descriptor, while a state's table is made. */
typedef struct wf_offer {
    uint32_t transition;
    uint32_t event;  /* exact: its number; else WF_NONE */
    uint32_t prefix; /* prefix: its number; else WF_NONE */
    uint32_t rank;   /* the smaller the earlier */
    uint32_t order;
} wf_offer;

/* A context key as the document uses it, for lint. */
typedef struct wf_key_use {
    const char *read; /* pointer to where it is first read; NULL: nowhere */
    bool set;
} wf_key_use;

/* Of an expression: what means something else in other implementations, for lint. */
typedef struct wf_suspect {
    const char *pointer;
    const char *rule, *message; /* static */
} wf_suspect;

typedef struct wf_load {
    wfsm_machine *machine;
    wfsm_allocator *allocator;
    wf_arena *arena;  /* the machine's */
    wf_arena scratch; /* for the time of loading */
    wf_value root;
    wfsm_diagnostics *diagnostics;
    wfsm_error *error; /* for calls that want one */
    wf_resolver resolver;
    wfsm_machine_limits limits;
    bool failed;  /* out of memory */
    bool limited; /* something was left out because there was too much of it */

    bool lint;                                      /* keep what lint wants to know: */
    wf_vector transition_pointers, invoke_pointers; /* const char *, by number */
    const wf_node *reading;                         /* the expression being compiled */
    wf_vector uses;                                 /* wf_key_use by slot */
    wf_vector suspects, notes;                      /* wf_suspect */

    wf_vector sources; /* wf_source *, by state */
    wf_vector states, lists, transitions, handlers, candidates, prefixes, descriptors;
    wf_vector blocks, actions, assignments, branches, afters, invokes, retries;
    wf_vector migrations, moves, versions, budgets, child_questions;
    wf_vector id_states;
    wf_value domains;  /* schemas by name, those that were read so far */
    bool in_domain;    /* while one of them is read */
    size_t referenced; /* bytes of the schemas that references to them stand for */
    wf_vector offers; /* of the state at hand */
    wf_names invoke_ids;
    uint64_t dispatch_work;
} wf_load;

/* compile.c: all passes over load->root, which was parsed from text. WFSM_OK, also when there
 * are errors among the diagnostics, or WFSM_NO_MEMORY. */
int32_t wf_load_compile(wf_load *load, const char *text, size_t length);

/* vectors.c. A failed allocation sets load->failed; then a span is empty and an
 * index is 0. */
wf_span wf_load_reserve(wf_load *load, wf_vector *vector, size_t count); /* zeroed */
uint32_t wf_load_push(wf_load *load, wf_vector *vector, const void *element);
void *wf_vector_at(const wf_vector *vector, size_t index);
void wf_load_init_vectors(wf_load *load);
void wf_load_fini_vectors(wf_load *load);
/* Copies them into the machine. */
void wf_load_settle_vectors(wf_load *load);
uint32_t wf_load_intern(wf_load *load, wf_names *names, const char *text, size_t length);
/* "a", "b", "c" joined in the arena. NULL: out of memory. */
const char *wf_load_joined(wf_load *load, const char *a, const char *b, const char *c,
                           size_t *length);

static inline wf_state *wf_load_state(const wf_load *load, uint32_t state)
{
    return wf_vector_at(&load->states, state);
}

static inline const wf_source *wf_load_source(const wf_load *load, uint32_t state)
{
    return *(wf_source *const *)wf_vector_at(&load->sources, state);
}

/* Remembers the place of an element of another vector, if this is lint. */
void wf_load_push_pointer(wf_load *load, wf_vector *pointers, const wf_node *node);

/* load_report.c. `rule` is a stable word of doc/lint.md. */
void wf_load_error(wf_load *load, const wf_node *node, const char *rule, const char *format,
                   ...) WF_PRINTF(4, 5);
void wf_load_error_key(wf_load *load, const wf_node *node, const char *rule, const char *format,
                       ...) WF_PRINTF(4, 5);
void wf_load_error_limit(wf_load *load, const wf_node *node, const char *format, ...)
    WF_PRINTF(3, 4);
wf_diagnostic *wf_load_error_at(wf_load *load, const char *pointer, const char *rule,
                                const char *format, ...) WF_PRINTF(4, 5);
void wf_load_warn(wf_load *load, const wf_node *node, const char *rule, const char *format, ...)
    WF_PRINTF(4, 5);
void wf_load_warn_at(wf_load *load, const char *pointer, const char *rule, const char *format,
                     ...) WF_PRINTF(4, 5);
void wf_load_note_at(wf_load *load, const char *pointer, const char *rule, const char *format,
                     ...) WF_PRINTF(4, 5);

/* nodes.c: walking the document. */
wf_node wf_node_item(const wf_node *array, size_t index);
wf_node wf_node_member(const wf_node *object, size_t index);
/* False if the object has no such key. */
bool wf_node_get(wf_node *out, const wf_node *object, const char *key);
/* "a string", "an object" … */
const char *wf_type_words(const wf_value *value);
/* Reports a wrong type, naming what was expected. */
bool wf_expect(wf_load *load, const wf_node *node, enum wf_type type, const char *expected);
/* A name: a string of 1 to 255 bytes. */
bool wf_expect_name(wf_load *load, const wf_node *node, const char *what);
/* One of several words; returns its number, or `count` after a report. */
size_t wf_expect_word(wf_load *load, const wf_node *node, const char *const *words,
                      size_t count);
/* An integer within bounds. */
bool wf_expect_integer(wf_load *load, const wf_node *node, double least, double most,
                       double *number);
/* `description`, where there is one, is a string. */
void wf_check_description(wf_load *load, const wf_node *object);
/* How many bytes of a text to quote in a message. */
int wf_shown(size_t length);

/* foreign.c: what a key or an event of XState is called here; NULL if it is none. */
const char *wf_foreign_key(const char *text, size_t length);
const char *wf_foreign_event(const char *text, size_t length);
/* True after a report: the name is that of a guard or an action of XState. */
bool wf_foreign_guard(wf_load *load, const wf_node *name);
bool wf_foreign_action(wf_load *load, const wf_node *name);

/* keys.c: the vocabulary. */
enum wf_key_set {
    WF_STATE_KEYS,
    WF_TRANSITION_KEYS,
    WF_LISTED_TRANSITION_KEYS, /* with `event` */
    WF_DEFAULT_KEYS,           /* of `initial` and of a history's `target` */
    WF_GUARD_KEYS,
    WF_ACTION_KEYS,
    WF_RAISE_KEYS,
    WF_CANCEL_KEYS,
    WF_LOG_KEYS,
    WF_EMIT_KEYS,
    WF_CHOOSE_KEYS,
    WF_BRANCH_KEYS,
    WF_EACH_KEYS,
    WF_INVOKE_KEYS,
    WF_RETRY_KEYS,
    WF_POOL_KEYS,
    WF_SCHEMAS_KEYS,
    WF_RESTORE_KEYS,
    WF_RETENTION_KEYS,
    WF_PROPERTY_KEYS,
    WF_PRECEDES_KEYS,
    WF_LEADS_TO_KEYS,
    WF_WITHIN_KEYS,
    WF_AT_MOST_KEYS,
    WF_UNTIL_KEYS,
    WF_ABSENT_KEYS,
    WF_AT_LEAST_KEYS,
    WF_EXACTLY_KEYS,
    WF_INSTANCES_KEYS,
    WF_MIGRATE_KEYS,
    WF_LIMITS_KEYS,
    WF_BUDGET_KEYS,
    WF_COUNTED_KEYS,
    WF_RESET_KEYS
};
/* The kinds of states that a key is allowed in. */
enum wf_key_place {
    WF_ON_ATOMIC = 1,
    WF_ON_COMPOUND = 2,
    WF_ON_PARALLEL = 4,
    WF_ON_FINAL = 8,
    WF_ON_HISTORY = 16,
    WF_ON_ROOT = 32
};
/* Reports keys that do not belong here. `places` is for states, 0 otherwise. */
void wf_check_keys(wf_load *load, const wf_node *object, enum wf_key_set set, unsigned places);
/* entry_paths.c: when all the rest is there. */
void wf_machine_entry_paths(wfsm_machine *machine);
/* event_seen.c: fills event_seen and engine_origin. Out of memory is noted in the arena. */
void wf_machine_event_seen(wfsm_machine *machine);

/* fast_table.c, after entry_paths.c. */
void wf_machine_fast_table(wfsm_machine *machine);

bool wf_similar(const char *a, size_t a_length, const char *b, size_t b_length);

/* load_limits.c: before anything that a limit bounds. */
void wf_load_limits(wf_load *load, const wf_node *root);

/* load_instances.c: a property of an instance and its children, but for its rule; false after a report. */
bool wf_load_instances(wf_load *load, const wf_node *claim, wf_property *property,
                       wf_node *rule);
/* wf_resolver.children, while that rule is read. */
uint32_t wf_load_child_question(void *user, const wf_value *invocation, const wf_value *state);

/* load_values.c */
const wf_expr *wf_load_expr(wf_load *load, const wf_node *node);
const wf_expr *wf_load_rule(wf_load *load, const wf_node *node);
/* Of a key of an object; NULL if it is not there. */
const wf_expr *wf_load_expr_of(wf_load *load, const wf_node *object, const char *key);
/* A schema without references to domains; `node` is its place. */
const wf_schema *wf_load_schema_value(wf_load *load, const wf_value *source,
                                      const wf_node *node);
/* The slot of a context key that is set here; WF_NONE after a report. */
bool wf_load_context_target(wf_load *load, const wf_node *node, const char *text, size_t length,
                            bool on_key, wf_target *target);
void wf_load_key_set(wf_load *load, uint32_t slot);
void wf_load_set_up_resolver(wf_load *load);

/* load_root.c */
void wf_load_root(wf_load *load, const wf_node *root);
void wf_load_restore(wf_load *load, const wf_node *root); /* once the states are known */
/* load_retention.c */
void wf_load_retention(wf_load *load, const wf_node *root);
/* load_attributes.c, once all context keys are known. */
void wf_load_attributes(wf_load *load, const wf_node *root);
/* load_migrate.c, likewise. */
void wf_load_migrate(wf_load *load, const wf_node *root);
/* load_properties.c, once all context keys are known. */
void wf_load_properties(wf_load *load, const wf_node *root);
/* Reports the context keys beyond the first `known`, which only this node knows. */
void wf_load_known_keys(wf_load *load, const wf_node *node, uint32_t known);
/* load_triggers.c: what must be true some time, for the property not to hold vacuously. `claim` is the
 * value of its key. */
void wf_load_triggers(wf_load *load, const wf_node *claim, wf_property *property);
bool wf_load_initial_context(wf_load *load, const wf_node *root); /* at the end */

/* load_domains.c: before any schema. */
void wf_load_domains(wf_load *load, const wf_node *root);
/* A schema, with the domains that it refers to in it. */
const wf_schema *wf_load_schema(wf_load *load, const wf_node *node);
/* `assume`, once all events are known. */
void wf_load_assumptions(wf_load *load, const wf_node *root);

/* load_budgets.c: limits and what they count, once the states are known. */
void wf_load_budgets(wf_load *load, const wf_node *root);
/* load_budget_names.c: before the states. */
void wf_load_budget_names(wf_load *load, const wf_node *root);
/* Numbers of budgets, from a name or a list of names, in machine->lists. */
wf_span wf_load_budget_list(wf_load *load, const wf_node *node);
/* What load_one() pushes to load->lists: for a node that is one, or a list of them. */
wf_span wf_load_number_list(wf_load *load, const wf_node *node,
                            void (*load_one)(wf_load *load, const wf_node *node));

/* load_states.c */
void wf_load_states(wf_load *load, const wf_node *root);

/* load_ids.c: ids, lists of histories, done events. */
void wf_load_names_of_states(wf_load *load);

/* load_initials.c: default transitions of a compound or history state. */
void wf_load_initial(wf_load *load, uint32_t state);
/* Histories without a target follow their parent's initial. Parents come first. */
void wf_load_history(wf_load *load, uint32_t state);

/* load_targets.c */
typedef struct wf_scope_of_targets {
    uint32_t siblings; /* parent of what an unprefixed target names */
    uint32_t inside; /* parent of what `.child` names */
} wf_scope_of_targets;
/* A string or a list of strings, as states in machine->lists. */
wf_span wf_load_targets(wf_load *load, const wf_node *node, wf_scope_of_targets scope);
/* A dotted path from the root, or #id. */
uint32_t wf_load_find(const wf_load *load, const char *path, size_t length);

/* load_transitions.c */
/* A target, an object or a list of those: transitions with consecutive numbers. */
wf_span wf_load_transition_list(wf_load *load, const wf_node *node, uint32_t source,
                                uint32_t descriptor);
/* One element of an `on` that is a list. */
wf_span wf_load_listed_transition(wf_load *load, const wf_node *node, uint32_t source,
                                  uint32_t descriptor);
void wf_load_always(wf_load *load, uint32_t state);

/* load_events.c: `on`, `after`, `onDone` and the invocations' events of a state. */
void wf_load_on(wf_load *load, uint32_t state);
/* load_offers.c: a name of `on` as it is in the document; returns its number. */
uint32_t wf_load_descriptor(wf_load *load, const char *text, size_t length);
/* The state offers these transitions for an event or a prefix of events. */
void wf_load_offer(wf_load *load, wf_offer offer, wf_span transitions);
/* A transition taken on an exact event; `node` is what wf_load_transition_list takes.
 */
void wf_load_implied(wf_load *load, const wf_node *node, uint32_t state, uint32_t event);

/* load_guards.c */
void wf_load_guard(wf_load *load, const wf_node *node, wf_guard *guard);

/* load_actions.c */
wf_span wf_load_blocks(wf_load *load, const wf_node *node);
/* Of a key of an object; empty if it is not there. */
wf_span wf_load_blocks_of(wf_load *load, const wf_node *object, const char *key);
/* load_builtins.c; `name` is one of a built-in action. */
void wf_load_builtin(wf_load *load, const wf_node *name, const wf_node *params,
                     wf_action *action);
/* Context keys and their values, as machine->assignments. */
wf_span wf_load_assignments(wf_load *load, const wf_node *params);
bool wf_is_builtin(const wf_value *name);

/* load_invokes.c */
void wf_load_invokes(wf_load *load, uint32_t state);

/* dispatch.c: the state's table, from load->offers. */
void wf_load_dispatch(wf_load *load, uint32_t state);

/* fingerprint.c: of the parsed document; false when out of memory. */
bool wf_fingerprint(const wfsm_allocator *allocator, const wf_value *root,
                    char out[WF_DIGEST_HEX]);

/* lint.c: what is suspicious about a machine that loads. */
void wf_lint(wf_load *load);
#endif
