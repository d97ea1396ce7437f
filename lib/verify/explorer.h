/*
 * verify/explorer.h: explicit-state model checking of one machine.
 *
 * The part explores the state space of one instance, breadth first. The transition relation is
 * lib/step itself: to find the successors of a state, the explorer puts the state into a
 * snapshot, runs the step for each possible input, reads the result from the open draft and
 * rolls it back. Data is abstracted: only what is in the cone of influence of guards, names and
 * properties is part of a state, and data from outside is tried by one representative of each
 * class. doc/verification.md describes what this means for the result.
 *
 * The files, in the order to read them:
 *
 *   verify.c             the public functions: reads the options, searches, makes the report
 *   release.c            refuses to work with another release of libwfsm
 *
 *   cone.c               which parts of a value matter: the cone of influence
 *   cone_find.c          finds the cones of a machine's context and event data
 *   cone_expr.c          from the cone of an expression's value to those of what it reads
 *   cone_want.c          what a rule wants of its operands: cone_compare.c comparisons,
 *                        cone_lists.c lists, cone_members.c keys, cone_numbers.c sums
 *   cone_assign.c        what is wanted of an assigned value
 *   cone_choose.c        what a condition tells about the event
 *   cone_var.c           what a variable leads to
 *   cone_failure.c       the same of whether the expression can be evaluated
 *   always_fits.c        computed numbers that always fit a schema
 *   cone_fits.c          whether what is put together fits one
 *   cone_growth.c        whether a number becomes too large
 *   cone_keys.c          how many members an object can have
 *   cone_link.c          comparisons with values of the context
 *   expr_mentions.c      texts that occur in an expression
 *   expr_failure.c       whether data can make it fail
 *   expr_alike.c         whether two expressions are written alike
 *   schema_group.c       schemas that must all hold for one value
 *   data_classes.c       one representative of each class of data that a schema allows:
 *                        data_numbers.c, data_texts.c, data_containers.c
 *   data_add.c           a value joins the classes
 *   data_alike.c         whether two values are of one class
 *   data_reads.c         which members of the data a step reads: classes that differ in others only
 *
 *   exactness.c          whether these classes decide every rule
 *   schema_implies.c     whether one schema follows from others
 *   untried.c            which inputs have values that no class stands for
 *   expr_source.c        an expression as JSON again
 *
 *   explore.c            the searches of one machine: by classes, and over symbols
 *   explorer.c           prepares a machine (prepare.h): outside_events.c events from outside,
 *                        outcomes.c those of invocations, patches.c those of host functions
 *   tracked.c            the slots of the context that are part of a state
 *   intern.c             each different value is kept once, and has a number
 *   terms.c              values that are not known, as terms over symbols
 *   term_apply.c         operators on them
 *   solve.c              whether conditions over terms can be true together (solve.h)
 *   list_witness.c       contradictions about the elements of a list
 *   constraints.c        the domains of terms, and how they narrow each other: domain.c,
 *                        domain_schema.c, schema_chain.c, interval.c, sum_domain.c,
 *                        narrow_up.c, narrow_down.c, narrow_numbers.c, text_prefix.c;
 *                        what follows from several: order_graph.c, linear.c with
 *                        linear_sum.c, congruence.c
 *   solve_search.c       looks for values that make conditions true: solve_candidates.c,
 *                        solve_texts.c, solve_parts.c, schema_example.c, term_domains.c,
 *                        term_value.c
 *   canonical.c          the abstraction of a value
 *   timer_bounds.c       which timer can be the next to fire (difference bounds); timer_overdue.c: by how
 *                        much it is overdue makes no difference; timer_restore.c: the way back to a
 *                        checkpoint
 *   time_limits.c        the time limits of properties
 *   attempt_ends.c       until when an agent's attempt ends
 *   claiming.c           who can be claimed, and who can answer
 *   key_order.c          the order of timers and invocations in a key
 *   state_key.c          a state as bytes, and back
 *   checkpoint.c         a checkpoint, and the way back to it
 *   state_space.c        the states that were found, and their edges
 *
 *   symbolic.c           data that is not known: values that are terms
 *   decide.c             whether a guard is true of them: the literals of a path
 *   symbolic_step.c      what the step calls instead of evaluating
 *   symbolic_eval.c      evaluates expressions; symbolic_apply.c strict operators,
 *                        symbolic_read.c variables, symbolic_seen.c the event, the instance and
 *                        budgets, symbolic_index.c keys that are terms, symbolic_lists.c bodies
 *                        over lists
 *   symbolic_fits.c      whether a value fits a schema
 *   membership.c         whether something is in a list that an operator has made
 *   symbolic_data.c      data from outside as symbols
 *   symbolic_votes.c     the votes of people as symbols; symbolic_people.c what they are asked
 *   symbolic_ids.c       ids of timers; symbolic_names.c names; symbolic_time.c the time
 *   symbolic_state.c     symbols in the key of a state
 *   culprit.c            why a run over symbols has no values
 *   minimize.c           what is known of them, without what follows from the rest
 *   symbolic_trace.c     values for the symbols of a trace
 *
 *   hiding.c             what a search for one property does not follow (hiding.h)
 *   hiding_values.c      symbols for what is hidden; hiding_budgets.c amounts
 *   hiding_eval.c        guards over values of which some are hidden; typed_failure.c whether they
 *                        can fail, hiding_facts.c what is known of a hidden value, hiding_live.c what
 *                        of that may still be asked, hiding_unread.c values that nobody needs
 *   assigned.c           the assignments of a machine
 *
 *   input.c              runs one input
 *   input_data.c         puts values of the context into data that refers to them
 *   choices.c            choices within a step, one run after another
 *   host_choices.c       a host that gives each possible answer, one run after another
 *   input_successors.c   all successors of one input
 *   successors.c         all successors of a state
 *   selection.c          watches a step select transitions, and reports what it drops
 *   coverage.c           which transitions are taken, and which answers guards give
 *   check_successor.c    the diagnostics of one successor
 *   search.c             the breadth-first search
 *   search_begin.c       prepares it
 *   search_report.c      what it is about, and what it has found of that
 *   independent.c        regions that touch nothing outside themselves (independent.h)
 *   footprint.c          what a part of the document touches
 *   region_end.c         whether a region may be left before it is complete
 *   region_events.c      the events that it hears, and those that others hear of it
 *   region_order.c       an order of a region's children
 *   ample.c              states where the moves of one region are enough
 *   reduce.c             the search that explores only these
 *   asked.c              who is asked, and which events answer
 *   arrival.c            what it asks of a successor
 *   workers.c            threads that expand states ahead of it
 *   prove.c              proofs of single properties, with what they do not need hidden
 *   refine.c             what must not be hidden, after a violation that may not happen
 *   components.c         strongly connected components and cycles
 *   liveness.c           diagnostics of the whole graph: livelocks, no end, what never happened
 *   certain_end.c        whether each state can come to an end, whatever the values
 *   ways.c               whether some event leads on, whatever the values; data_parts.c and
 *                        data_fits.c the data that it has
 *   pending.c            properties that stay pending for ever
 *   processes.c          who can act in a state, and who acts in a step
 *   fairness.c           who must act some time
 *   fair_cycle.c         a cycle that passes over none of them
 *   ranking.c            cycles over hidden values that come to an end; measures.c what steps do to
 *                        numbers that have a bound
 *
 *   trace.c              a shortest trace to a diagnostic
 *   places.c             the timers and invocations of a run that follows a trace
 *   concretize.c         runs a trace without any abstraction
 *   run_context.c        the context that it has on its way
 *   run_times.c          when its moves happen
 *   cast_vote.c          a person's vote
 *   guide.c              a search that goes for what shall be reachable (guide.h)
 *   distance.c           how many transitions are missing to that
 *   reached.c            runs that reach what shall be reachable
 *   sample.c             random runs for what the searches leave open
 *   draw_input.c         their inputs; draw_value.c the values in them
 *   trace_writer.c       the trace as text, and as a script for `wfsm simulate`
 *   test_cases.c         a small set of runs that meets all that the search has met
 *   coverage_report.c    what was met, for the report
 *   diagnostic_text.c    what a diagnostic says, and its place in the document
 *   undecided_text.c     why something is undecided
 *   verification.c       the report
 *   notes.c              what was assumed and left out
 *   bound_text.c         what was not tried
 *
 *   instances_verify.c   properties of an instance and its children (instances.h)
 *   instances_rule.c     how far their rules count
 *   instances_child.c    what a child can do; instances_input.c what it is started with,
 *                        instances_output.c its results, instances_text.c why this is not known
 *   instances_parent.c   what the parent's moves do to its children
 *   instances_search.c   the search for a combination that violates one
 *   instances_play.c     plays it; instances_child_run.c a child
 *
 *   property.c           the monitor of properties, used by the search and by monitor.c
 *   monitor.c            the public monitor of one run
 *   promela.c            a chart as a model for SPIN: its tables
 *   promela_select.c     the algorithm of the model: selection of transitions
 *   promela_step.c       the algorithm of the model: leaving and entering states
 */
#ifndef WF_VERIFY_EXPLORER_H
#define WF_VERIFY_EXPLORER_H

#include <wfsm/verify.h>
#include "step/step.h"
#include "verify/property.h"
#include "verify/coverage.h"
#include "verify/data_classes.h"
#include "verify/exactness.h"
#include "verify/intern.h"
#include "verify/key_order.h"
#include "verify/symbolic.h"
#include "verify/timer_bounds.h"

enum {
    WF_KEY_BYTES = 1 << 16,
    WF_CHOICES_MOST = 64,
    WF_STEP_DIAGNOSTICS_MOST = 32,
    WF_TRIED_MOST = 64,
    WF_GAPS_MOST = 16
};

/* A slot of the context that is part of a state: it is in the cone of influence. */
typedef struct wf_tracked {
    uint32_t slot;
    const wf_cone *wanted;
    uint32_t number; /* of the interned value, in the restored state */
    wf_value value;  /* in the restored state */
} wf_tracked;

/* It replaces the part of a value that is outside the cone of influence: the first value that
 * was found there. */
typedef struct wf_representative {
    uint32_t place; /* hash of slot and path */
    uint8_t type;
    wf_value value;
} wf_representative;

/* An event from outside, and the classes of its data. */
typedef struct wf_external_event {
    wf_value name;
    uint32_t number; /* machine->events, or WF_NONE */
    wf_value begin; /* it stands for the names that begin so; ABSENT: for its own only */
    uint64_t *handlers; /* bit set of the states that name it */
    const wf_schema *assumed; /* what its senders promise of the data; NULL: nothing */
    wf_data_classes data;
    bool untried; /* there are values that none of the classes stands for */
    wf_value sample; /* one of them, where a symbol stands for all; null: there is none */
} wf_external_event;

/* The checkpoint that the restored state has. */
typedef struct wf_checkpoint {
    wf_snapshot snapshot;
    wf_list pools[WF_KINDS]; /* entries for its lists */
    wf_timer_bounds times; /* after the way back to it */
} wf_checkpoint;

/* The answers of the host in one run of a step. The step runs once for each combination. */
typedef struct wf_choices {
    uint32_t count; /* questions asked */
    uint32_t fixed; /* answers that are given; the rest are 0 */
    uint16_t answer[WF_CHOICES_MOST], most[WF_CHOICES_MOST];
    /* The question to a guard: asked again before the context changes, of the same event, it gets the same
     * answer. NULL: no guard. */
    bool is_decision[WF_CHOICES_MOST]; /* no question to the host */
    const wf_guard *guard[WF_CHOICES_MOST];
    const wf_member *event[WF_CHOICES_MOST];
    uint32_t assigned[WF_CHOICES_MOST];
    wf_value params[WF_CHOICES_MOST];
} wf_choices;

/* A diagnostic of the step that runs: enum wf_rule (search.h), and its subject. */
typedef struct wf_step_diagnostic {
    uint8_t rule;
    uint32_t subject;
} wf_step_diagnostic;

typedef struct wf_explorer {
    wfsm_machine *machine;
    const wfsm_allocator *allocator;
    wf_arena arena; /* what explorer.c found out about the machine */
    wf_arena scratch; /* data of the restored state */
    wf_cones cones;
    wf_intern intern;
    wf_symbolic *symbolic; /* NULL: data is tried by representatives */
    wf_renaming renaming; /* of the key that is written */
    wf_snapshot snapshot;
    wf_list pools[WF_KINDS]; /* entries for the lists of the restored state */
    wf_step step;
    wf_tracked *tracked;
    uint32_t tracked_count;
    uint32_t state_bytes; /* of a set of states in a key */
    wf_representative *representatives;
    size_t representative_count, representative_capacity;
    double number_most, length_most; /* bounds of tracked values */
    double tried[WF_TRIED_MOST]; /* numbers in the data that is tried are never beyond */
    uint32_t tried_count;

    bool restores; /* checkpoints are taken and restored */
    bool claims; /* claims are followed (claiming.c) */
    uint32_t kept; /* the checkpoint: number of an interned value; 0: none */
    uint32_t kept_next; /* in the successor */
    wf_checkpoint checkpoint; /* wf_checkpoint_read() fills it */
    bool resets_time; /* some action resets a budget of time */
    const wf_value *inputs; /* of the start; NULL: none */
    uint32_t input_count;
    bool open; /* events that the document raises may come from outside, too */
    bool inner_events; /* there are such events, and `open` is not set */
    wf_external_event *outside;
    size_t outside_count, outside_capacity;
    const wf_schema *origin_schema, *text_schema;
    wf_data_classes origins; /* of events from outside; none if nothing depends on it */
    wf_data_classes *results; /* by invoke of the machine */
    const wf_cone **of_items; /* by invoke: the cone of the result of one item; NULL: nothing */
    const wf_cone **of_failed; /* by invoke: the same of the failure of one */
    bool *alike; /* by invoke: the order of its items does not matter */
    bool *unseen; /* by invoke: nobody looks at what its items have ended with */
    wf_data_classes *messages; /* of failures, by invoke */
    const wf_cone **used_asked; /* by budget: what its event tells of `used`; NULL: nothing */
    bool *results_untried, *failures_untried; /* by invoke: no class stands for some */
    wf_data_classes decisions; /* of people: an approval and a rejection */
    const wf_schema
        *decision_schemas[2]; /* what each approval fits, and what each rejection fits */
    struct wf_voted *voted; /* over symbols, the votes that decide (symbolic_votes.c) */
    size_t voted_count, voted_capacity;
    wf_value event_id; /* of events from outside; ABSENT: none */
    uint32_t *attempts_most; /* by invoke: more attempts make no difference */
    wf_value *patches; /* of host functions; the first is ABSENT */
    uint32_t patch_count;
    const wf_value *given; /* patches for the next calls, instead of symbols; or NULL */
    uint32_t given_count;

    /* The restored state, and the successor at hand. */
    wf_timer_bounds times;
    int64_t grain; /* the greatest common divisor of the delays that were seen */
    size_t memory_size; /* of the monitor */
    uint8_t *memory;
    uint8_t *memory_next; /* in the successor */
    uint8_t *verdicts;
    uint8_t *triggered; /* by property (property.h), in all runs so far */
    bool limits; /* time limits of properties are followed */
    bool ends; /* and those of agents' attempts */
    bool
        carries; /* the way back to a checkpoint leaves budgets the time that they have left before it */
    uint8_t *late; /* by property: its time limit had passed before the step at hand */
    const struct wf_data_marks *
        reading; /* records which members of the data the step reads; NULL: nothing is recorded */
    uint64_t read; /* bits of these marks */
    /* Bit set of states: what only they hear, and what works for them, is not tried. NULL: none. */
    const uint64_t *skipped;
    wf_choices choices;
    const wf_step *asking; /* the step that asks the host */
    wf_step_observer observer;
    wf_coverage coverage;
    uint32_t *rivals; /* by transition: the next one of its list; WF_NONE at the end */
    wf_step_diagnostic diagnostics[WF_STEP_DIAGNOSTICS_MOST]; /* of the step at hand */
    uint32_t diagnostic_count;
    wf_key_order order; /* of the key; in step.arena */
    uint8_t *key; /* of the successor; WF_KEY_BYTES */
    size_t key_length;
    size_t timeless; /* length of the part that does not depend on time */

    /* What was left out. */
    const wf_name *beyond; /* a key of the context that exceeds its bound, or NULL */
    bool many_timers, many_choices;
    bool many_patches; /* of the host, more than are tried */
    const char *cut_data; /* the event whose classes are not all tried, or NULL */
    const char *no_data; /* the invocation whose output no value fits, or NULL */
    bool patches_untried, anything_untried; /* in every state */
    wf_undecided undecided; /* a rule that the classes of data do not decide */
    wf_undecided gaps[WF_GAPS_MOST]; /* all of them, or the first ones */
    uint32_t gap_count;
    wfsm_error *error;
} wf_explorer;

/* explorer.c. NO_MEMORY is the only failure. `symbolic` is NULL, or all zero; it is the caller's. */
int32_t wf_explorer_init(wf_explorer *explorer, wfsm_machine *machine,
                         const wfsm_verify_options *options, wf_symbolic *symbolic,
                         wfsm_error *error);
void wf_explorer_fini(wf_explorer *explorer);
/* Prepares the explorer for another search of its machine, in which other parts may be hidden. The states are
 * forgotten. The terms, and the answers of the solver, are kept. False when out of memory. */
bool wf_explorer_again(wf_explorer *explorer);

/* outcomes.c. Compiles a schema that is written in C. It lives as long as the explorer. False when out of memory. */
bool wf_shape_compile(wf_explorer *explorer, const char *shape, const wf_schema **out);

/* tracked.c. Lists the slots that are not hidden and that something depends on. False when out of memory. */
bool wf_find_tracked(wf_explorer *explorer);
/* Sets number_most and length_most. */
void wf_find_bounds(wf_explorer *explorer, double bound);

/* untried.c. Finds the inputs that have values which no class stands for, and a rule that tells
 * them apart. False when out of memory. */
bool wf_find_untried(wf_explorer *explorer);
/* Whether its event can tell another amount than the ones that are tried. */
bool wf_budget_tells_any(const wf_explorer *explorer, const wf_budget *budget);
/* True if such an input is possible in the restored state. */
bool wf_has_untried(const wf_explorer *explorer);

/* outside_events.c. The state has a handler with the name of the event, or with a prefix of it; `number` may be
 * WF_NONE. */
bool wf_state_names(const wfsm_machine *machine, const wf_state *state, uint32_t number,
                    const wf_name *name);

/* canonical.c: the value of a slot of the context, abstracted; ABSENT when out of memory. */
wf_value wf_canonical(wf_explorer *explorer, uint32_t slot, const wf_value *value,
                      const wf_cone *wanted);
/* Notes the numbers in the data that is tried. */
void wf_note_tried(wf_explorer *explorer);
/* What the key says of an invocation, but for its place in a set. */
void wf_canonical_work(wf_explorer *explorer, wf_invocation *work);

/* state_key.c. Writes the key of a state to explorer->key: of the snapshot, the monitor's memory
 * and the bounds of the timers. Sets explorer->beyond. Fails with NO_MEMORY, or LIMIT when the
 * key gets too long. */
int32_t wf_state_key_write(wf_explorer *explorer, const wf_snapshot *snapshot,
                           const uint8_t *memory, const wf_timer_bounds *times);
/* The same in the order of explorer->order, which the caller has set. */
int32_t wf_state_key_write_as(wf_explorer *explorer, const wf_snapshot *snapshot,
                              const uint8_t *memory, const wf_timer_bounds *times);
/* key_order.c: the order in which the key has the timers and invocations of a state, in the arena
 * of the step. False when out of memory. */
bool wf_key_order_find(wf_explorer *explorer, const wf_snapshot *snapshot,
                       const wf_timer_bounds *times, wf_key_order *order);
/* Restores the state of a key: explorer->snapshot, memory and times. */
int32_t wf_state_key_restore(wf_explorer *explorer, const uint8_t *key, size_t length);
/* checkpoint.c. Takes a checkpoint of the restored state: the number of its interned key; WF_NONE when out
 * of memory. */
uint32_t wf_checkpoint_keep(wf_explorer *explorer);
/* Reads the one that was kept into explorer->checkpoint. *possible: the bounds of the timers allow the way back.
 * Before the next input that is not this way back, the state at hand must be restored. */
int32_t wf_checkpoint_read(wf_explorer *explorer, bool *possible);
/* claiming.c. Whether a budget of the machine refuses claims. Only then claims are followed. */
bool wf_claims_count(const wfsm_machine *machine);
/* Whether the invocation at that place of the ledger may end now, and whether an agent may claim it now. */
bool wf_may_answer(const wf_explorer *explorer, uint32_t place);
bool wf_may_be_claimed(const wf_explorer *explorer, uint32_t place);
/* Whether some invocation may end, or may be claimed. */
bool wf_is_at_work(const wf_explorer *explorer);
/* The number of budgets of time that have not run out; they precede the timers in
 * explorer->times. 0 if an action resets such budgets: then they may run out at any time. */
uint32_t wf_explorer_budgets_ahead(const wf_explorer *explorer, const wf_list *budgets);
/* time_limits.c. How many time limits of properties are waited for; they follow the timers in
 * explorer->times. */
uint32_t wf_limits_waited_for(const wf_explorer *explorer, const uint8_t *memory);
/* True if the time limit of a property can pass in the restored state, before anything else happens. */
bool wf_limit_may_pass(const wf_explorer *explorer, uint32_t property);
/* Sets explorer->late for the step at hand, whose time `times` are the bounds of, and takes it into them. */
void wf_limits_decide(wf_explorer *explorer, wf_timer_bounds *times);
/* Takes the limits into the bounds after the step. False when there are too many. */
bool wf_limits_follow(wf_explorer *explorer, wf_timer_bounds *times);
/* attempt_ends.c. Whether a machine has time limits of attempts that a punctual host keeps. */
bool wf_ends_are_kept(const wf_explorer *explorer);
/* The longest time that an attempt takes, from the step that it is outstanding after; 0: any time. */
int64_t wf_end_of(const wf_explorer *explorer, const wf_invocation *work);
/* How many of them have such an end; they follow the time limits in explorer->times. */
uint32_t wf_ends_count(const wf_explorer *explorer, const wf_list *ledger);
/* Takes the ends into the bounds after the step. False when there are too many. */
bool wf_ends_follow(wf_explorer *explorer, bool start, wf_timer_bounds *times);
/* The due time of a timer that must not fire. */
#define WF_FAR WF_NUMBER_MOST
#endif
