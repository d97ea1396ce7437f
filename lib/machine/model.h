/*
 * The part machine: turns a document into a compiled, immutable machine, or into diagnostics.
 * It takes no step and knows no instance. Every name is resolved here, so that the step never
 * searches for one, and every error in a document is reported here, so that the step meets
 * none.
 *
 * The files, in the order to read them:
 *
 *   The result
 *     model.h              the compiled machine
 *     machine.c            its references and its public queries; uses.c
 *
 *   Compiling (load.h has the passes in order)
 *     load.c               the public calls: text to a machine, or to diagnostics
 *     compile.c            the passes, in order
 *     load_root.c, load_limits.c (limit_table.c), load_budget_names.c, load_budgets.c, load_migrate.c
 *                          keys of the root
 *     load_states.c        the tree of states; load_ids.c, load_initials.c
 *     load_actions.c, load_builtins.c, load_guards.c, load_invokes.c, load_values.c
 *                          the body of a state
 *     load_transitions.c   transitions; load_targets.c, load_events.c, load_offers.c
 *     dispatch.c           the table of a state's events
 *     entry_paths.c, fast_table.c
 *                          what the fast path of the step needs
 *     event_seen.c         an event as expressions see it
 *     reserved.c           names of events that only the step itself gives
 *     foreign.c            words of XState, and what they are called here
 *     fingerprint.c        the digest of the document
 *     load_properties.c    `properties`, which change nothing
 *     load_instances.c     those of an instance and its children
 *     load_triggers.c      what must happen for a property not to hold vacuously
 *     load_domains.c       `domains`, named schemas, and `assume`, which changes nothing either
 *     load_retention.c     `retention`, which sweeps read, and no step
 *     load_attributes.c    `attributes`, by which stores find instances; no step reads them
 *
 *   Helpers of the passes
 *     nodes.c, keys.c, vectors.c, load_report.c
 *                          values with their places; known keys; growing arrays; reporting
 *     positions.c, diagnostics.c
 *                          from a place to a line and column; the list of diagnostics
 *
 *   Besides
 *     lint.c, lint_*.c     warnings about machines that load (lint.h)
 *     builder.c, builder_write.c
 *                          builds a document by calls instead of text
 *
 * machine/model.h: a compiled machine, as the step reads it. Everything is a number: states in
 * document order (a state's descendants are the numbers after it, up to `end`), events, context
 * slots, tags, host functions. All of it is in one arena and never changes.
 */
#ifndef WF_MACHINE_MODEL_H
#define WF_MACHINE_MODEL_H

#include <stdatomic.h>
#include <string.h>
#include <wfsm/machine.h>
#include "base/digest.h"
#include "base/names.h"
#include "logic/expr.h"
#include "logic/schema.h"
#include "base/private.h"

/* The id of the machine that an agent's name "machine:ID" stands for; NULL if it names an
 * ordinary agent. */
static inline const char *wf_child_machine(const char *agent)
{
    return strncmp(agent, "machine:", 8) == 0 ? agent + 8 : NULL;
}

/* "person", "person.legal": an agent that is asked by nobody, and answers by approvals. */
static inline bool wf_is_person(const wf_name *agent)
{
    return strncmp(agent->text, "person", 6) == 0 &&
           (agent->text[6] == '\0' || agent->text[6] == '.');
}

/* reserved.c: done.…, error.…, after.… and wfsm.…, which no event from outside may be named. */
WF_PRIVATE_API bool wf_event_reserved(const char *name);
/* INVALID for such a name; the message says which call to use instead. */
int32_t wf_event_outside(const char *name, wfsm_error *error);
/* Whether a document may raise this. It has error.… names of its own, but done.…, after.…,
 * wfsm.…, error.invoke.…, error.budget.… and error.approval always come from the step. */
bool wf_event_raisable(const char *name);

/* `count` elements of one of the machine's arrays, from `first`. */
typedef struct wf_span {
    uint32_t first;
    uint32_t count;
} wf_span;

enum wf_state_type {
    WF_ATOMIC,
    WF_COMPOUND,
    WF_PARALLEL,
    WF_FINAL,
    WF_SHALLOW, /* history */
    WF_DEEP /* history */
};

typedef struct wf_state {
    uint8_t type;
    uint32_t parent; /* WF_NONE for the root */
    uint32_t end; /* descendants are own number + 1 .. end - 1 */
    uint32_t depth; /* 0 for the root */
    wf_name key; /* "" for the root */
    wf_name path; /* dotted, "" for the root */
    wf_name id; /* `id`, or the path; the machine's id for the root */
    uint32_t initial; /* compound: its initial transition; history: its default one; else
                         WF_NONE. Such a transition has targets and actions only */
    uint32_t history; /* history states: their number among all history states */
    wf_span histories; /* numbers (in machine->lists) of the history states that are children */
    wf_span entry, exit; /* blocks */
    wf_span invokes; /* machine->invokes */
    wf_span after; /* machine->afters */
    wf_span always; /* transitions (machine->lists), in order */
    wf_span exact; /* machine->handlers, sorted by event number */
    wf_span generic; /* machine->candidates for events that no handler names: `*` and
                             prefixes, in order */
    wf_span tags; /* tag numbers in machine->lists */
    const wf_expr *output; /* of a final state; NULL: none */
    uint32_t done_event; /* number of done.state.ID, WF_NONE for atomic, final, history and
                              root */
} wf_state;

/* The candidates for one event that the state names exactly; descriptors of prefixes that
 * match it are merged in, so that no name is compared at run time. */
typedef struct wf_handler {
    uint32_t event;
    wf_span candidates; /* machine->candidates; their descriptor is WF_NONE */
} wf_handler;

typedef struct wf_candidate {
    uint32_t transition;
    uint32_t descriptor; /* number in machine->prefixes that must match the name, or WF_NONE */
} wf_candidate;

typedef enum wf_guard_kind { WF_GUARD_NONE, WF_GUARD_RULE, WF_GUARD_HOST } wf_guard_kind;

typedef struct wf_guard {
    wf_guard_kind kind;
    const wf_expr *rule; /* RULE */
    uint32_t host; /* HOST: number in machine->guards */
    const wf_expr *params; /* HOST: template, or NULL */
    const char *text; /* for people: the name, or the rule as JSON */
} wf_guard;

/* The most assignments of a transition that the fast path takes. */
enum { WF_FAST_VALUES = 4 };

typedef struct wf_transition {
    uint32_t source;
    wf_span targets; /* states, in machine->lists; none: actions only */
    bool reenter;
    /* machine/entry_paths.c: the states that it enters, in order, where that does not depend
     * on the configuration; else NULL. */
    const uint32_t *path;
    uint8_t path_count;
    uint8_t through; /* how many of them lie above the target */
    /* machine/fast_table.c: whether the fast path of the step can take it, and what it needs. */
    bool fast;
    uint64_t keeps, enters; /* sets of states: what it does not leave, what it enters */
    wf_span assigns;
    uint32_t domain;
    wf_guard guard;
    wf_span blocks; /* actions */
    uint32_t event; /* number of the descriptor as written, in machine->descriptors;
                       WF_NONE for always and initial ones. For records and drawings */
} wf_transition;

/* Action lists. A block is the unit that a failing action ends. */
typedef struct wf_block {
    wf_span actions; /* machine->actions */
} wf_block;

/* A place in the context: a slot and the keys below it. */
typedef struct wf_target {
    uint32_t slot;
    const wf_name *keys; /* `depth` of them */
    uint32_t depth;
} wf_target;

typedef struct wf_assignment {
    wf_target target;
    const wf_expr *value;
} wf_assignment;

typedef struct wf_branch {
    wf_guard guard; /* kind NONE: always */
    wf_span blocks;
} wf_branch;

enum wf_action_kind {
    WF_ASSIGN,
    WF_RAISE,
    WF_CANCEL,
    WF_LOG,
    WF_EMIT,
    WF_CHOOSE,
    WF_EACH,
    WF_RESET,
    WF_CALL /* a host function */
};

typedef struct wf_action {
    uint8_t kind;
    union {
        wf_span assign; /* machine->assignments */
        struct {
            const wf_expr *event, *data, *delay, *id; /* NULL: not given */
            uint32_t number; /* of a constant event name, else WF_NONE */
        } raise; /* and emit: event and data */
        const wf_expr *cancel;
        struct {
            const wf_expr *label, *value; /* NULL: not given */
        } log;
        wf_span choose; /* machine->branches */
        struct {
            const wf_expr *in;
            wf_target as, index; /* index.slot WF_NONE: not given */
            wf_span blocks;
        } each;
        struct {
            wf_span budgets; /* their numbers, in machine->lists */
            bool failures; /* what has failed is forgotten */
        } reset;
        struct {
            uint32_t host; /* number in machine->functions */
            const wf_expr *params;
        } call;
    } as;
} wf_action;

typedef struct wf_after {
    int64_t delay; /* ms */
    uint32_t event; /* number of after.MS.ID */
} wf_after;

enum wf_on_unknown { WF_REATTACH, WF_RETRY, WF_ESCALATE };

typedef struct wf_retry {
    uint32_t classes; /* bit set of 1 << enum wf_class; all bits: any */
    uint32_t max_attempts; /* counts the first */
    int64_t interval; /* ms before the second attempt */
    double backoff; /* >= 1 */
    int64_t max_delay; /* ms; 0: none */
    bool jitter;
} wf_retry;

/* Failure classes, in the order of their bits. */
enum wf_class {
    WF_CLASS_NETWORK,
    WF_CLASS_TIMEOUT,
    WF_CLASS_AUTH,
    WF_CLASS_SCHEMA,
    WF_CLASS_EXIT,
    WF_CLASS_CANCELED,
    WF_CLASS_LIMIT, /* no more instances may descend from this one */
    WF_CLASS_OTHER,
    WF_CLASSES
};
/* "network" …; NULL beyond. */
WF_PRIVATE_API const char *wf_class_name(uint32_t class_number);
/* WF_CLASSES if there is no such class. */
uint32_t wf_class_find(const char *name, size_t length);

typedef struct wf_invoke {
    uint32_t state;
    wf_name id; /* of the definition: done.invoke.ID */
    const wf_expr *src; /* gives the agent's name (constant, or one of `srcs`) */
    wf_span srcs; /* numbers in machine->agents */
    const wf_expr *input; /* NULL: null */
    const wf_schema *output; /* NULL: anything */
    wf_span retries; /* machine->retries */
    int64_t timeout; /* ms for each attempt, 0: none */
    int64_t heartbeat; /* ms, 0: none */
    int32_t on_unknown;
    const wf_expr *priority, *phase, *group; /* of `pool`; NULL: normal, none */
    const wf_expr *items; /* NULL: it is one piece of work */
    const wf_expr *most, *complete; /* maxConcurrency, complete; NULL: no bound, all */
    uint32_t done_event, error_event;
} wf_invoke;

/* What a budget counts. */
enum wf_counting {
    WF_COUNT_USAGE, /* what agents report under its name */
    WF_COUNT_CLAIMS, /* attempts of invocations; never more than its limit */
    WF_COUNT_TIME, /* milliseconds since the start, or its last reset */
    WF_COUNT_ROUNDS /* entries into states, events that were taken */
};

/* A rule over the context. Its value after each commit is what stores find the instance by. */
typedef struct wf_attribute {
    const char *name;
    const wf_expr *rule;
} wf_attribute;

typedef struct wf_budget {
    wf_name name;
    const wf_expr *limit; /* of what the context is at the start, or at a reset */
    uint8_t counts; /* enum wf_counting */
    bool refuses; /* no claims once nothing is left */
    wf_span states; /* ROUNDS: machine->lists */
    wf_span heard; /* ROUNDS: numbers of events, in machine->lists */
    uint32_t event; /* error.budget.NAME */
} wf_budget;

/* Items of one invocation. */
enum { WF_ITEMS = 10000 };

/* Events that the algorithm itself raises. */
enum wf_fixed_event { WF_EVENT_ERROR_EXECUTION = 0, WF_EVENT_FIXED = 1 };

/* One entry of `migrate`: where instances may come from, and what becomes of their states. */
typedef struct wf_migration {
    wf_span versions; /* names in machine->versions; none: any document of this machine */
    wf_span moves; /* machine->moves */
    wf_span assignments;
} wf_migration;

typedef struct wf_move {
    wf_name old; /* path of a state of the old document */
    uint32_t state; /* where it leads */
} wf_move;

/* What a step may cost. A machine has the limits of its document. A host may set others for an
 * instance; they are stored, so that a replay comes to the same end wherever it runs. */
typedef struct wf_limits {
    uint32_t selections; /* of transitions in one step */
    uint32_t rule_steps; /* of one evaluation */
    uint32_t rule_bytes; /* of one result, as the bytes of a copy */
    uint32_t step_work; /* of one step: rule steps, and what else it does (step/fuel.c) */
    uint32_t step_bytes; /* of the memory that one step takes */
    /* child workflows, theirs, and so on: that exist and have not ended */
    uint32_t descendants;
    uint32_t descendants_in_all; /* those that have ended included */
} wf_limits;

/* One of them, as documents and records name it. */
enum { WF_LIMITS = 7 };
typedef struct wf_limit {
    const char *name;
    size_t offset; /* in wf_limits */
    uint32_t least;
    uint32_t initial; /* of a document that does not have it */
    uint32_t document; /* the most that a document may have */
    uint32_t host; /* the most that a host may set */
} wf_limit;
/* limit_table.c: the index-th, in the order of records. Static. */
const wf_limit *wf_limit_at(uint32_t index);
static inline uint32_t *wf_limit_in(wf_limits *limits, const wf_limit *limit)
{
    return (uint32_t *)(void *)((char *)limits + limit->offset);
}

/* Claims about all runs (doc/verification.md): kept for those who check them. */
enum wf_property_kind {
    WF_NEVER,
    WF_ALWAYS,
    WF_PRECEDES,
    WF_LEADS_TO,
    WF_AT_MOST,
    WF_REACHABLE,
    WF_UNTIL,
    WF_ABSENT_BETWEEN,
    WF_AT_LEAST,
    WF_EXACTLY,
    WF_INSTANCES /* of the instance and its children: `of` is never, or always, true */
};

/* True or false after each step: over configuration, context and the step's event. */
typedef struct wf_condition {
    const wf_expr *rule; /* NULL: not given */
    bool of_event; /* it reads the event, so each event can make it true again */
} wf_condition;

/* The most that atMost, atLeast and exactly can count to. */
enum { WF_TIMES_MAX = 126, WF_TRIGGERS_MAX = 8 };

/* What children_in asks: how many children of an invocation are in a state. */
typedef struct wf_child_question {
    uint32_t invoke;
    wf_name state; /* as written; of the child's machine, which may not be known */
} wf_child_question;

typedef struct wf_property {
    wf_name name;
    const char *description; /* or NULL */
    uint8_t kind;
    bool always; /* of instances: `of` is always true; else never */
    wf_condition of; /* what the property is about; the `to` of leadsTo */
    wf_condition before; /* `needs` of precedes, `from` of leadsTo (not given: at any time), of
                            until and absent (not given: at the start) */
    wf_condition since; /* of precedes and atMost; may be missing */
    wf_condition to; /* the end, of until and absent; of absent it may be missing */
    bool limited; /* leadsTo: the `to` comes before more than `within` have passed */
    int64_t within; /* ms */
    const wf_expr *times; /* of atMost: an integer, or an expression that gives one. Of atLeast
                             and exactly: an integer */
    uint32_t byte; /* where a monitor keeps it (verify/property.h); WF_NONE: nowhere */
    /* If one of these is never true in any run, the property holds vacuously. */
    const wf_expr *triggers[WF_TRIGGERS_MAX];
    uint32_t trigger_count;
    uint8_t plain_triggers; /* a bit for each that reads no data */
} wf_property;

/* The members of an event as expressions see it. */
enum wf_event_member {
    WF_EVENT_TYPE,
    WF_EVENT_DATA,
    WF_EVENT_ID,
    WF_EVENT_KIND,
    WF_EVENT_ORIGIN,
    WF_EVENT_MEMBERS
};

struct wfsm_machine {
    atomic_uint references;
    _Atomic(struct wf_spare *) spare; /* see machine/machine.h */
    wfsm_allocator allocator;
    wf_arena arena; /* everything below */
    const char *document;
    size_t document_length;
    char fingerprint[WF_DIGEST_HEX];
    wf_name id, version;

    wf_state *states;
    uint32_t state_count;
    uint32_t words; /* 64-bit words of a set of states */
    uint32_t history_count;
    bool has_always; /* some state has eventless transitions */
    bool has_regions; /* some state is parallel; else one leaf is active */
    /* machine/fast_table.c: for each leaf and event the transitions whose guards are tested in
     * turn, ended by WF_NONE; NULL where the step must be made in full. The table itself is
     * NULL when that is so everywhere. */
    const uint32_t *const *fast_table;
    uint64_t fast_start; /* the states that a start enters; 0: the start is made in full */
    uint32_t max_depth;
    uint32_t *lists; /* state numbers, transition numbers, tags */
    wf_transition *transitions;
    uint32_t transition_count;
    wf_handler *handlers;
    wf_candidate *candidates;
    wf_name *prefixes; /* descriptors "a.b.*" as "a.b", "*" as "" */
    wf_name *descriptors; /* as written */
    wf_block *blocks;
    wf_action *actions;
    wf_assignment *assignments;
    wf_branch *branches;
    wf_after *afters;
    wf_invoke *invokes;
    uint32_t invoke_count;
    wf_retry *retries;
    wf_migration *migrations;
    uint32_t migration_count;
    wf_move *moves;
    wf_budget *budgets;
    uint32_t budget_count;
    wf_name *versions; /* or fingerprints, of old documents */

    wf_names events; /* exact names: handled, raised as a constant, done and error ones */
    wf_names keys; /* context slots: declared, assigned or read */
    wf_value *initial; /* by slot; ABSENT if not in `context` */
    wf_names tags;
    wf_names guards; /* host guards */
    wf_names functions; /* host actions */
    wf_names agents;
    wf_names budget_names; /* in the order of budgets */
    wf_names paths; /* state paths, in the order of the states */
    wf_names ids; /* "#id" look-up: numbers into id_states */
    uint32_t *id_states;

    wf_member event_seen[WF_EVENT_MEMBERS]; /* without their values */
    wf_value engine_origin; /* of an event whose host says nothing of where it came from */

    wf_limits limits;
    uint32_t rule_depth; /* the most nested containers of one rule */
    uint32_t fast_steps; /* the most rule steps of a step of step/fast_path.c */
    const wf_schema *context_schema;
    /* By event: what senders promise of its data, or NULL. NULL: there are no promises. */
    const wf_schema **assumed;
    wf_span restore_from; /* states (lists); count 0 with restore_any: from anywhere */
    bool restore_any;
    wfsm_retention retention;
    wf_attribute *attributes; /* by name, ascending */
    uint32_t attribute_count;
    wf_name restore_event; /* text NULL: none declared */
    wf_property *properties;
    uint32_t property_count;
    uint32_t property_bytes; /* that a monitor of all of them needs */
    bool has_limits; /* one of them has a time limit */
    wf_child_question *child_questions; /* of properties of instances */
    uint32_t child_question_count;
};

static inline bool wf_is_descendant(const wfsm_machine *machine, uint32_t state,
                                    uint32_t ancestor)
{
    return state > ancestor && state < machine->states[ancestor].end;
}

/* `number` may be WF_NONE. */
static inline const wf_schema *wf_assumed_of(const wfsm_machine *machine, uint32_t number)
{
    return machine->assumed && number != WF_NONE ? machine->assumed[number] : NULL;
}

/* A state by dotted path from the root, or "#ID"; WF_NONE. "" is the root. */
WF_PRIVATE_API uint32_t wf_machine_find(const wfsm_machine *machine, const char *path,
                                        size_t length);
/* What an attribute can be called (load_attributes.c). */
bool wf_attribute_name(const char *text, size_t length);
/* True if the prefix of a descriptor ("" is `*`) matches an event name. */
WF_PRIVATE_API bool wf_prefix_matches(const wf_name *prefix, const char *name, size_t length);
#endif
