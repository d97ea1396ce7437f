/*
 * verify/instances.h: properties of an instance and its children. A child hears nothing of its parent
 * between its start and its end, and its parent nothing of it. So each of them is explored alone, and
 * what they do together is every combination of
 *
 * - a state of the parent, on a path in which an invocation has a result only if its child can end well;
 * - for each invocation that is outstanding there: no child yet, or one in any state that it can reach;
 * - for each that was withdrawn on the path: a child in any state but its ends, as it is stopped later.
 *
 * That is more than what can happen, so that what no combination violates holds. A combination that
 * violates a property is played by the real step: the parent's path, each child from the input that the
 * parent gives it, and each result as its child gives it. Children are counted no further than the rule
 * can tell apart.
 *
 *   instances_verify.c   the properties, one by one
 *   instances_rule.c     how far a rule counts, and what it says
 *   instances_child.c    the states that a child can be in
 *   instances_input.c    what it can be started with
 *   instances_output.c   the results that it can give
 *   instances_parent.c   the moves of the parent, and what they do to its children
 *   instances_search.c   the search for a combination
 *   instances_play.c     plays it, and instances_child_run.c a child
 */
#ifndef WF_VERIFY_INSTANCES_H
#define WF_VERIFY_INSTANCES_H

#include "verify/trace.h"
#include "verify/verification.h"

enum {
    WF_QUESTIONS_MOST = 32,
    WF_WATCHED_MOST = 8, /* invocations */
    WF_MASKS_MOST = 64,
    WF_OUTPUTS_MOST = 16,
    WF_COUNT_MOST = 16, /* that children are compared with */
    WF_GROUP_MOST = 12  /* children that are played together */
};

/* Questions of the machine that are true of a state of a child: a bit for each. */
typedef uint32_t wf_child_mask;

typedef struct wf_child_masks {
    wf_child_mask list[WF_MASKS_MOST];
    uint32_t count;
    bool full; /* there are more */
} wf_child_masks;

/* The child of a watched invocation. */
typedef struct wf_child {
    uint32_t invoke;
    wfsm_machine *machine; /* NULL: it was not given */
    uint32_t states[WF_QUESTIONS_MOST]; /* by question; WF_NONE: of another invocation */
    const char *why; /* it is not known what it does; NULL: the following is known */
    wf_child_masks running, ended;
    bool ends_well;
    /* The results that it can give, if they are constants. */
    wf_value outputs[WF_OUTPUTS_MOST];
    uint32_t output_count;
    bool any_output; /* they are not known */
    const wf_cone *asked_of_output; /* by the parent */
} wf_child;

/* What a move of the parent does to the children that are watched. */
typedef struct wf_parent_move {
    uint8_t result; /* from 1: the one that gives its result; 0: none */
    uint8_t left; /* a bit for each that is withdrawn and not stopped yet: all its children, */
    uint8_t one, rest; /* or only that of the item that the move is about, or all others */
} wf_parent_move;

static inline bool wf_parent_moves_alike(wf_parent_move a, wf_parent_move b)
{
    return a.result == b.result && a.left == b.left && a.one == b.one && a.rest == b.rest;
}

typedef struct wf_parent_link {
    uint32_t to;
    wf_parent_move label;
} wf_parent_link;

typedef struct wf_instances {
    wfsm_verification *report;
    wf_search *search; /* of the parent: the one that decides */
    wfsm_error *error;
    wf_arena arena;
    uint32_t count; /* watched */
    wf_child children[WF_WATCHED_MOST];
    const char *why; /* nothing is known; or NULL */
    /* instances_parent.c. By state of the parent, and its starts. */
    wf_parent_link *links;
    size_t link_count, link_capacity;
    size_t *first;
    uint8_t *open; /* and by child: how many entries of it are outstanding, up to 255 */
    uint8_t before[WF_WATCHED_MOST]; /* of the state at hand */
} wf_instances;

/* A child in a combination. */
typedef struct wf_child_member {
    uint8_t child;
    bool left; /* withdrawn */
    wf_child_mask mask;
} wf_child_member;

typedef struct wf_child_group {
    wf_child_member list[WF_GROUP_MOST];
    uint32_t count;
    bool more; /* than can be played */
} wf_child_group;

/* ---- instances_rule.c ---- */

/* True if it counts children only to compare them with constants, up to *most; sets the bits of the
 * questions that it asks. */
bool wf_rule_counts(const wf_expr *rule, uint32_t *most, wf_child_mask *asked);
/* True if it looks at the context. */
bool wf_rule_reads(const wf_expr *rule);
/* Whether the property is violated by what is active, and by so many children. A rule that cannot be
 * evaluated violates it. `triggered`, if not NULL, gets a bit for each trigger that is true. WFSM_OK or
 * WFSM_NO_MEMORY. */
int32_t wf_instances_ask(const wf_property *property, const wf_snapshot *snapshot,
                         const uint32_t *counts, wf_arena *arena, uint8_t *triggered,
                         bool *violated);

/* ---- instances_child.c, instances_input.c ---- */

/* The options for a search of a child that is started with one of these inputs. */
wfsm_verify_options wf_child_options(const wf_instances *self, const wf_buffer *inputs);
/* What it answers to the questions. */
wf_child_mask wf_mask_of(const wf_child *child, const wf_snapshot *snapshot);
/* True if it has ended with a result. */
bool wf_ends_well(const wf_snapshot *snapshot);
/* The agent that the invocation always starts; "": it is not always the same one. */
const char *wf_agent_started(const wfsm_machine *machine, uint32_t invoke);
/* Finds what a child can do. NO_MEMORY, or what progress asked for. */
int32_t wf_child_explore(wf_instances *self, wf_child *child);
/* Writes a list of all that it can be started with, as far as that makes a difference to it; nothing: null.
 * Sets child->why if they are not known. False when out of memory. */
bool wf_child_inputs(wf_instances *self, wf_child *child, wf_buffer *out);
/* instances_text.c: text in the arena of the report, for child->why. NULL when out of memory. */
const char *wf_instances_text(wf_instances *self, const char *format, const char *one,
                              const char *two);

/* ---- instances_output.c ---- */

/* Of a child in a state in which it has ended well. */
void wf_child_note_output(wf_child *child, const wf_snapshot *snapshot);
/* Compares them with the classes of the parent's search. The arena fails when out of memory. */
void wf_child_compare_outputs(wf_instances *self, wf_child *child);
/* Whether the child can give a result of the class of this one. */
bool wf_child_may_give(wf_instances *self, const wf_child *child, const wf_value *data);

/* ---- instances_parent.c ---- */

/* Finds the links of all states. NO_MEMORY; LIMIT if they are not those of the search. */
int32_t wf_parent_explore(wf_instances *self);
/* The label of a move to this successor. */
wf_parent_move wf_parent_label(const wf_instances *self, const wf_explorer *explorer,
                               const wf_successor *successor);
/* Before the moves of a state that is restored. */
void wf_parent_before(wf_instances *self, const wf_explorer *explorer);

/* ---- instances_search.c ---- */

/* A combination that violates a property: a path of states and labels of the parent, the first is a start,
 * and a group of children. */
typedef struct wf_combination {
    uint32_t *states;
    wf_parent_move *labels;
    size_t count;
    wf_child_group group;
} wf_combination;

/* Called for each combination that is found, with a shortest path. *done ends the search. */
typedef int32_t wf_combination_sink(void *user, const wf_combination *found, bool *done);
/* *why is set if not everything was tried. NO_MEMORY, or what the sink returns. */
int32_t wf_instances_search(wf_instances *self, uint32_t property, wf_combination_sink *sink,
                            void *user, const char **why);

/* ---- instances_play.c ---- */

/* A run of the real step that violates the property. */
typedef struct wf_played {
    bool reproduced;
    const char *why; /* else: what was not followed */
    wf_buffer text, script;
    size_t steps;
    wf_value start;
} wf_played;

int32_t wf_instances_play(wf_instances *self, uint32_t property, const wf_combination *found,
                          wf_played *out);

/* ---- instances_verify.c ---- */

/* True if it has properties of instances. */
bool wf_has_instances(const wfsm_machine *machine);
/* Before all: the machines of children are given, and have the states that are asked for. INVALID,
 * SEMANTIC. */
int32_t wf_instances_check(wfsm_machine *machine, const wfsm_verify_options *options,
                           wfsm_error *error);
/* Decides all such properties: tells the sink of the run of each that is violated, and sets report->open and
 * report->unsettled for each that is open. NO_MEMORY, LIMIT, or what the sink returns. */
typedef int32_t wf_played_sink(void *user, uint32_t property, const wf_played *run);
int32_t wf_instances_verify(wfsm_verification *report, wf_search *from, wf_search *symbolic,
                            wf_played_sink *sink, void *user);
#endif
