/*
 * step/step.h: the step, the centre of wfsm. A step is a pure function: machine, snapshot and one
 * input give the next snapshot and effects. The algorithm is that of SCXML (appendix D of the W3C
 * recommendation); doc/semantics.md says what wfsm decides differently. An instance, replay, dry
 * run and verification all call the functions below.
 *
 * A step works in place on the snapshot, as a draft: wf_step_commit() keeps what it did,
 * wf_step_rollback() leaves the snapshot byte for byte as it was.
 *
 * The files in reading order. The inputs call the centre, the centre calls what a step uses, and
 * that calls what is stored. No files call each other in a circle (tests/abi/circles.py).
 *
 *   The centre
 *     step.c            what a step does, from top to bottom: one input, the macrostep
 *     select.c          which transitions an event, or no event, enables
 *     targets.c         the domain of a transition and the set of states that it enters
 *     microstep.c       exit, transition actions, entry; the end of an instance
 *     fast_path.c       the commonest step, made without a draft
 *
 *   The inputs (besides an event, which is in step.c)
 *     lifecycle.c       start and stop
 *     due.c             timers, time limits and budgets of time that are due
 *     claims.c          an agent's attempt gets its owner
 *     answers.c         the result or the failure of an attempt, cancel, probe
 *     retries.c         whether another attempt follows a failure, and when
 *     item_results.c    the end of one item of an invocation with `items`
 *     origin.c          where the input came from
 *     votes.c           a person's vote; people.c says what a person was asked
 *     assign.c          a patch of the context (and the action `assign`)
 *     restore.c         back to a checkpoint; a fork
 *     migrate.c         on to another document; with migrate_map.c (states), migrate_work.c
 *                       (timers and invocations), migrate_budgets.c
 *
 *   What a step uses
 *     actions.c         blocks of actions
 *     evaluate.c        expressions and guards, and what they see
 *     ask.c             guards and actions of the host
 *     raise.c           the queue of internal events
 *     incarnation.c     the last part of the ids of invocations and effects
 *     invoke.c          the invocations of entered states: invocation_new.c (one), items.c (one for
 *                       each item), placement.c (priority, phase, group)
 *     budgets.c         counting; budget_limits.c evaluates the limits
 *     failures.c        how often an invocation has failed in a row in the same way
 *     limits.c          the limits in force, and the weight of the state
 *     fuel.c            what one step may still cost; fuel_place.c says where it ran out
 *
 *   What is stored (snapshot.h; durable.h describes it)
 *     draft.c           changes that can be undone
 *     draft_entries.c   changes of lists
 *     unconfirmed.c     steps that can still be taken back after the next ones
 *     ledger.c          outstanding invocations
 *     descendants.c     how many instances may descend from this one
 *     timers.c          delayed events
 *     snapshot.c        the state of an instance in memory
 *     context.c         its context
 *     configuration.c   sets of states
 *     durable.c         the table of what an instance keeps
 */
#ifndef WF_STEP_STEP_H
#define WF_STEP_STEP_H

#include "step/durable.h"
#include "base/private.h"

enum wf_event_kind { WF_EXTERNAL, WF_TIMER, WF_INTERNAL, WF_PLATFORM };
/* "external", … Static. */
const char *wf_event_kind_name(int kind);

typedef struct wf_event {
    int kind;
    uint32_t number; /* machine->events, or WF_NONE */
    wf_value name;   /* string */
    wf_value data;   /* null if there is none */
    wf_value id;     /* null if there is none */
} wf_event;

/*
 * The guards and actions of the host, called in the order of the step. A replay answers them from
 * the record. They return WFSM_OK or WFSM_NO_MEMORY. With any other status the function failed,
 * and *message says why (in the arena; it may stay NULL).
 */
typedef struct wf_host {
    void *user;
    int32_t (*guard)(void *user, const wf_guard *guard, const wf_value *params, bool *yes,
                     const char **message);
    /* *patch is an object, or ABSENT for no change; it must live in the step's arena. */
    int32_t (*action)(void *user, uint32_t function, const wf_value *params, wf_value *patch,
                      const char **message);
} wf_host;

/* Which invocations the step that makes them also claims. */
typedef struct wf_grant {
    uint32_t slots; /* at most so many */
    void *user;
    /* Called once for each invocation, the most urgent first. True takes a slot. NULL: always
     * true. */
    bool (*allows)(void *user, const wfsm_machine *machine, const wf_invocation *made);
} wf_grant;

/* The value that a slot had before its first change in this step. */
typedef struct wf_undo {
    uint32_t slot;
    bool owned; /* the new value has a block of its own; else the arena, or the input, has it */
    wf_value old;
} wf_undo;

/* An enabled transition. */
typedef struct wf_enabled {
    uint32_t transition;
    uint32_t domain; /* WF_NONE: it has no targets and exits nothing */
} wf_enabled;

/* Told of each selection. Verification has one. */
typedef struct wf_step_observer {
    void *user;
    /* After each selection, before any state is exited. The transitions are in step->enabled.
     * `event` is NULL for eventless transitions. */
    void (*selected)(void *user, const wf_event *event);
    /* Of two conflicting transitions in different regions, `first` preempts `second`. */
    void (*preempted)(void *user, uint32_t first, uint32_t second);
    /* A guard has answered; one that cannot be evaluated says no. */
    void (*asked)(void *user, const wf_guard *guard, bool yes);
    /* Before an expression is evaluated that may read the event; or NULL. */
    void (*reads)(void *user, const wf_expr *expr);
} wf_step_observer;

/* What the step is doing, for the message when its fuel is used up. */
enum wf_at_kind { WF_AT_NOTHING, WF_AT_STATE, WF_AT_GUARD, WF_AT_ACTION };
typedef struct wf_at {
    uint8_t kind;
    uint32_t number; /* of a state, a transition, an action */
} wf_at;
enum { WF_PLACE_BYTES = 512 };

/* A growing list of blocks. */
typedef struct wf_blocks {
    void **list;
    size_t count, capacity;
} wf_blocks;

/* One answer of the host, for the record. */
typedef struct wf_answered {
    bool action; /* of an action, else of a guard */
    uint32_t number; /* machine->functions or machine->guards */
    bool failed;
    wf_value value; /* boolean; patch or null */
    const char *message; /* why it failed; NULL: no reason given */
} wf_answered;

/* What an agent reports beside a result or a failure. */
typedef struct wf_report {
    const wf_value *usage; /* {NAME: whole number}; NULL: none */
    const char *signature; /* NULL: none */
    int64_t retry_after; /* ms; a retry comes no earlier */
    uint64_t descendants; /* those of a child workflow, itself included; 0: unknown */
} wf_report;

/* What the draft has changed, so that it can be taken back: what was there at wf_step_begin(). */
typedef struct wf_before {
    uint64_t *active, *histories;
    wf_singles singles;
    wf_list lists[WF_KINDS]; /* of kinds that are touched; budgets always */
    bool touched[WF_KINDS];
    uint32_t slot_count;
    wf_undo *undo; /* each slot once */
    size_t undo_count, undo_capacity;
    wf_blocks fresh; /* blocks to free if it is rolled back */
    wf_blocks stale; /* blocks to free if it is committed */
    int64_t now;
    int32_t status;
    bool limited;
    wf_limits limits;
    struct wf_before
        *older; /* of the step before this one, if that one is not settled either */
} wf_before;

typedef struct wf_step {
    const wfsm_machine *machine;
    wf_snapshot *snapshot;
    const wfsm_allocator *allocator;
    const char *instance_id;
    wf_host host;
    const wf_step_observer *observer; /* NULL: none */
    const wf_evaluator *evaluator; /* NULL: values are what they are */
    const char *owner; /* of claims that the step itself makes, or NULL */
    wf_grant grant;
    wf_arena arena; /* everything made in this step; reset by the next begin */
    char builds_on[WF_DIGEST_HEX]; /* what incarnations build on; "": there are none */

    /* The draft. */
    bool open;
    bool grown; /* the state may weigh more than before */
    uint32_t assigned; /* how often a key of the context was */
    wf_before before;
    wf_before *spare; /* for wf_step_apply(), or NULL */
    uint32_t *marks; /* by slot: its place in the undo log, if it has one */
    size_t mark_capacity;
    wf_limits limits; /* in force in this step */
    uint32_t work; /* the part of limits.step_work that is not used yet */
    size_t text; /* bytes of what the record will have, besides the input */
    wf_at at;

    /* The macrostep. */
    wf_event *queue;
    size_t queue_head, queue_count, queue_capacity;
    wf_event input; /* the event of the input; its name is ABSENT if the input has none */
    wf_event current; /* the event taken last */
    wf_value event; /* `current` as expressions see it; ABSENT: not made yet */
    wf_value origin; /* where the input came from; ABSENT: the host says nothing */
    wf_value instance; /* the same for the instance */
    wf_value budgets, repeated; /* the same for budgets and failures; ABSENT after a change */
    wf_value item, index; /* of the item that is being made; else ABSENT */
    wf_enabled *enabled;
    size_t enabled_count, enabled_capacity;
    uint64_t *leaving, *entering, *by_default; /* sets of states */
    uint64_t *to_invoke; /* entered in this macrostep, with invocations still to be made */
    uint64_t *entered; /* in this macrostep, whether they are still active or not */
    uint64_t *by_history; /* numbers of histories whose default is taken */
    uint32_t *guard_failed; /* transitions whose guard failed in this macrostep */
    size_t guard_failed_count, guard_failed_capacity;
    uint32_t selections;
    uint64_t consumed_timer; /* number of the timer that the input uses up; 0: none */
    wf_value consumed_name; /* the event of that timer */
    uint64_t consumed_revision;
    uint32_t consumed_ordinal;
    uint32_t consumed_budget; /* of time, whose end is the input; WF_NONE: none */
    wf_report report; /* of the result or failure */
    bool unclaimed; /* the input answers an attempt that nobody has claimed */
    bool reported; /* its cost has been counted */
    uint32_t ended_invoke; /* of the invocation that the input ends; WF_NONE: none */
    const char *ended_signature; /* of its failure; NULL: it did not fail */
    uint32_t ordinal; /* of the last invocation or effect of this revision */
    bool ended; /* a final state of the root was entered */

    /* The outcome. */
    const wf_guard *blocked; /* the last guard that was false */
    bool matched; /* some transition has a descriptor that matches the event */
    uint32_t *taken; /* transitions, in order */
    size_t taken_count, taken_capacity;
    wf_value *log; /* {"label","value"} */
    size_t log_count, log_capacity;
    const char **errors; /* why each error.execution was raised */
    size_t error_count, error_capacity;
    uint32_t failed_class; /* of the attempt that failed; WF_CLASSES: none did */
    uint64_t failed_revision;
    uint32_t failed_ordinal;
    const char *failed_message; /* in the arena */
    wf_answered *answers;
    size_t answer_count, answer_capacity;
    wfsm_error *error; /* the caller's, may be NULL */
    const wf_member *refused; /* of a patch, or of the input of a start */
    wfsm_error *schema_error; /* why an output does not fit its schema. It goes into the record,
                                 so it must not depend on whether the caller wants errors */
    int32_t failure; /* why the step failed: a status, or WFSM_OK */
    const char *message; /* of the failure; static or in the arena */
    char exhausted[WF_PLACE_BYTES]; /* `message` of a step whose fuel is used up */
} wf_step;

/* ---- a step and its draft: draft.c ---- */

WF_PRIVATE_API bool wf_step_init(wf_step *step, wf_snapshot *snapshot, const char *instance_id);
WF_PRIVATE_API void wf_step_fini(wf_step *step);
/* Continues with another snapshot of the same machine. No draft may be open. */
void wf_step_bind(wf_step *step, wf_snapshot *snapshot, const char *instance_id);

WF_PRIVATE_API int32_t wf_step_begin(wf_step *step, int64_t now);
WF_PRIVATE_API void wf_step_rollback(wf_step *step);
/* Copies what the draft has assigned into blocks of its own, so that the commit cannot fail. Nothing
 * is assigned between the two. Until then a slot may borrow its value from the arena, from the
 * input, or from the former value of a slot. */
WF_PRIVATE_API int32_t wf_step_prepare(wf_step *step);
/* Cannot fail. The revision is one more than before. */
WF_PRIVATE_API void wf_step_commit(wf_step *step);
/* unconfirmed.c: steps whose commits are not confirmed yet. Makes room for wf_step_apply(), which
 * then cannot fail. False when out of memory. */
bool wf_step_reserve(wf_step *step);
/* As wf_step_commit(), but the step can still be taken back. *newest is the first of a list. False,
 * and nothing is added to it, if the step cannot be taken back. */
bool wf_step_apply(wf_step *step, wf_before **newest);
/* The steps of the list stay, or are taken back, all of them. The list is empty afterwards.  */
void wf_steps_confirm(const wf_snapshot *snapshot, wf_before **newest);
void wf_steps_take_back(wf_snapshot *snapshot, wf_before **newest);
/* Shows the state before the steps of the list, and again the one after them. Between the two nothing
 * may change. *list is the newest of them, or, while they are hidden, the oldest. */
void wf_steps_hide(wf_snapshot *snapshot, wf_before **list);
void wf_steps_show(wf_snapshot *snapshot, wf_before **list);
/* draft.c */
bool wf_before_init(wf_before *before, const wfsm_allocator *allocator,
                    const wfsm_machine *machine);
void wf_before_fini(const wfsm_allocator *allocator, wf_before *before);
void wf_before_free(const wfsm_allocator *allocator, wf_before *before);
/* The state before a step and the state after it change places. Twice: nothing has happened. */
void wf_before_swap(wf_snapshot *snapshot, wf_before *before);
/* After a swap: the state after the step is given up. */
void wf_before_discard(wf_snapshot *snapshot, wf_before *before);
/* Back to the state at wf_step_begin(); the draft stays open. The answers of the host stay, too:
 * they were given. */
void wf_step_reset(wf_step *step);
/* context.c. The value is borrowed until wf_step_prepare(). */
int32_t wf_draft_assign(wf_step *step, uint32_t slot, const wf_value *value);
/* What draft.c calls: as wf_before_swap() and wf_before_discard(). */
void wf_context_swap(wf_snapshot *snapshot, wf_before *before);
void wf_context_discard(wf_snapshot *snapshot, wf_before *before);
/* Frees the values that the slots had at wf_step_begin(). */
void wf_context_keep(const wf_snapshot *snapshot, wf_before *before);
/* False if the draft has unset keys. Then wf_snapshot_settle() gives others their slots. */
bool wf_context_is_settled(const wf_step *step);
/* draft_entries.c: changes of the list of this kind. `like` is copied with its values. SEMANTIC, with
 * step->message, when one of them is nested too deeply to be kept; then nothing has changed. */
int32_t wf_draft_add(wf_step *step, int kind, const void *like);
int32_t wf_draft_replace(wf_step *step, int kind, size_t index, const void *like);
int32_t wf_draft_remove(wf_step *step, int kind, size_t index);
/* Gives a copy of the entry that this step may change in place, except for its values. */
int32_t wf_draft_edit(wf_step *step, int kind, size_t index, void **entry);
int32_t wf_draft_output(wf_step *step, const wf_value *output);
/* What draft.c calls at the beginning and at the end. */
void wf_entries_begin(wf_step *step);
void wf_entries_swap(wf_extras *extras, wf_before *before);
void wf_entries_discard(const wf_snapshot *snapshot, wf_before *before);
void wf_entries_keep(const wf_snapshot *snapshot, wf_before *before);
/* The list as it was when the draft began. */
WF_PRIVATE_API wf_list wf_draft_before(const wf_step *step, int kind);
/* Limits that the host sets at the beginning of the step; 0: as before. They stay if the step
 * fails. */
int32_t wf_draft_limits(wf_step *step, const wf_limits *given);
/* Whether the step has changed the limits in force. */
bool wf_draft_changes_limits(const wf_step *step);

/*
 * ---- inputs ----
 *
 * Each works on an open draft and returns WFSM_OK with *outcome. Then the caller commits or rolls
 * back. With NO_TRANSITION, BLOCKED and STALE nothing changed, and there is nothing to commit
 * unless the input itself has to be consumed. With any other status the caller rolls back.
 */

/* step.c */
/* Refuses an event from outside that has a reserved name: it is consumed as failed. */
void wf_step_refuse(wf_step *step, int32_t *outcome);
int32_t wf_step_event(wf_step *step, const wf_value *name, const wf_value *data,
                      const wf_value *id, int32_t *outcome);
/* lifecycle.c. HOST, SEMANTIC or LIMIT when the start fails. */
WF_PRIVATE_API int32_t wf_step_start(wf_step *step, const wf_value *input, int32_t *outcome);
/* Ends a running instance in whatever state it is: exit actions run, everything outstanding is
 * dropped, there is no output. If an exit action fails, the instance ends without them. */
int32_t wf_step_stop(wf_step *step, int32_t *outcome);
/* due.c: the oldest timer, time limit or budget of time that is due. *fired is false, and nothing
 * changed, if none is. */
WF_PRIVATE_API int32_t wf_step_due(wf_step *step, bool *fired, int32_t *outcome);
/* assign.c */
int32_t wf_step_patch(wf_step *step, const wf_value *patch, int32_t *outcome);
/* claims.c. BLOCKED when a budget refuses the claim. */
WF_PRIVATE_API int32_t wf_step_claim(wf_step *step, size_t invocation, const char *owner,
                                     int32_t *outcome);
/* answers.c. These two read step->report, which the caller sets after wf_step_begin(). */
WF_PRIVATE_API int32_t wf_step_result(wf_step *step, size_t invocation, const wf_value *output,
                                      int32_t *outcome);
WF_PRIVATE_API int32_t wf_step_failed(wf_step *step, size_t invocation, uint32_t failure_class,
                                      const char *message, int32_t *outcome);
/* The next attempt begins without waiting. STALE, BLOCKED: nothing changes. */
int32_t wf_step_retry(wf_step *step, size_t invocation, int32_t *outcome);
/* Fails with class canceled, without a retry. */
int32_t wf_step_cancel(wf_step *step, size_t invocation, const char *message, int32_t *outcome);
/* What a new owner has learned of an attempt: it is running, it is gone, or (neither) unknown. */
int32_t wf_step_probed(wf_step *step, size_t invocation, bool running, bool gone,
                       const char *owner, int32_t *outcome);
/* votes.c. `gone` is the verdict if the invocation of the vote is not outstanding. A vote that is
 * refused raises error.approval. The caller commits whatever the outcome. */
WF_PRIVATE_API int32_t wf_step_approval(wf_step *step, const wf_value *given, int gone,
                                        int *verdict, int32_t *outcome);
/* restore.c. `from` is the decoded snapshot of a checkpoint. DENIED where the machine forbids
 * it. */
WF_PRIVATE_API int32_t wf_step_restore(wf_step *step, const wf_snapshot *from,
                                       int32_t *outcome);
/* Whether the machine allows a restore from the present state. */
WF_PRIVATE_API bool wf_step_may_restore(const wf_snapshot *snapshot);
/* The first step of an instance that starts as a copy. If `present`, `from` is the snapshot of a
 * running instance and its timers keep their deadlines. Else it is a checkpoint, and they keep the
 * time that they had left. */
int32_t wf_step_fork(wf_step *step, const wf_snapshot *from, bool present, int32_t *outcome);
/* migrate.c: `old` is the state under the old document. Before the draft is opened,
 * wf_migrate_ready() prepares the fresh snapshot. DENIED, with the reason, when the instance
 * cannot continue under this machine. */
bool wf_migrate_ready(wf_snapshot *fresh, const wf_snapshot *old);
int32_t wf_step_migrate(wf_step *step, const wf_snapshot *old, int32_t *outcome);
/* migrate_map.c: the entry of `migrate` that takes instances of the old document; NULL: none does. */
const wf_migration *wf_migration_from(const wfsm_machine *machine, const wfsm_machine *old);
/* The state of the new document that a state of the old one becomes: what `states` says of it
 * or of its nearest ancestor, else the state of the same path. WF_NONE: there is none. */
uint32_t wf_migrated(wf_step *step, const wfsm_machine *old, const wf_migration *rule,
                     uint32_t state);

/* fast_path.c: an event of the machine, by number, of a running instance. True: it was taken,
 * and the snapshot is at the next revision. False: nothing changed, and wf_step_event() must
 * make the step. */
bool wf_fast_event(wf_snapshot *snapshot, uint32_t event, int64_t now);
/* The same for the start of a fresh instance without an input. */
bool wf_fast_start(wf_snapshot *snapshot, int64_t now);

/* ---- the centre ---- */

/* step.c: uses up what the input is about, then takes its event. A step that fails is taken back
 * (outcome FAILED). If a host function failed, error.execution is taken instead. `event` may be
 * &step->current. */
WF_PRIVATE_API int32_t wf_run_input(wf_step *step, const wf_event *event, int32_t *outcome);
/* The same for an input that ends an invocation, with one of its events. */
int32_t wf_run_end(wf_step *step, size_t invocation, uint32_t event, const wf_value *data,
                   int32_t *outcome);
int32_t wf_macrostep(wf_step *step);
/* Statuses with which the step fails and its input is still used up. With any other the caller
 * rolls back. */
bool wf_is_failure(int32_t status);
/* select.c. Both set step->enabled. */
int32_t wf_select(wf_step *step, const wf_event *event);
int32_t wf_select_always(wf_step *step);
/* targets.c */
uint32_t wf_domain(const wf_step *step, uint32_t transition);
/* These add to step->entering, by_default and by_history. LIMIT when the work does not suffice. */
int32_t wf_entry_set(wf_step *step, uint32_t transition, uint32_t domain);
int32_t wf_entry_set_start(wf_step *step);
/* From nothing to these states, with all their ancestors and default descendants. */
int32_t wf_entry_set_of(wf_step *step, const uint32_t *targets, size_t count);
/* microstep.c: takes step->enabled. */
int32_t wf_microstep(wf_step *step);
int32_t wf_enter_states(wf_step *step);
int32_t wf_end(wf_step *step);
/* The instance has ended, as WF_IS_DONE or WF_IS_STOPPED. */
int32_t wf_step_ended(wf_step *step, uint8_t progress);

/* ---- evaluation and actions ---- */

/* actions.c */
int32_t wf_run_blocks(wf_step *step, wf_span blocks);
/* SEMANTIC and step->message when a value cannot be evaluated, or not kept. */
int32_t wf_run_assign(wf_step *step, wf_span assignments);
/* assign.c */
int32_t wf_assign(wf_step *step, const wf_target *target, const wf_value *value);
int32_t wf_assign_patch(wf_step *step, const wf_value *patch);
/* The error of a patch that was refused. `of` is what the message begins with. */
int32_t wf_assign_refused(wf_step *step, const char *of);
/* restore.c: assigns all keys of another snapshot's context. */
int32_t wf_carry_context(wf_step *step, const wf_snapshot *from);
/* evaluate.c. SEMANTIC and step->message when it cannot be evaluated. */
int32_t wf_step_eval(wf_step *step, const wf_expr *expr, wf_value *value);
/* The same where verification must know the value, or a part of it. */
int32_t wf_step_eval_known(wf_step *step, const wf_expr *expr, enum wf_need need,
                           wf_value *value);
/* WFSM_OK and *yes. A guard that cannot be evaluated is false: *failed is set and step->message
 * says why. */
WF_PRIVATE_API int32_t wf_test_guard(wf_step *step, const wf_guard *guard, bool *yes,
                                     bool *failed);
/* Makes an event the one that expressions see. */
void wf_take_event(wf_step *step, const wf_event *event);
/* `event` as expressions and the host see it. */
const wf_value *wf_step_event_seen(wf_step *step);
/* The event of the input, if a transition was taken for it; else null. */
WF_PRIVATE_API wf_value wf_step_reacted(wf_step *step, int32_t outcome);
/* ask.c. SEMANTIC and step->message when the guard fails; HOST when the action does. */
int32_t wf_ask_guard(wf_step *step, const wf_guard *guard, const wf_value *params, bool *yes);
int32_t wf_ask_action(wf_step *step, uint32_t function, const wf_value *params);
/* raise.c */
wf_event wf_platform_event(const wf_step *step, uint32_t number, const wf_value *data);
int32_t wf_raise(wf_step *step, const wf_event *event);
int32_t wf_raise_platform(wf_step *step, uint32_t number, const wf_value *data);
/* error.execution; the message goes into the record. */
int32_t wf_raise_error(wf_step *step, const char *message);
/* limits.c. SEMANTIC when the value is nested too deeply, or too large, to be kept. */
int32_t wf_step_keeps(wf_step *step, const wf_value *value);
/* LIMIT when the state has become too large to be read back. */
int32_t wf_step_weight(wf_step *step);

/* ---- fuel: fuel.c ---- */

/* Fills it up, at the beginning of an input: more bytes for a larger input. */
void wf_fuel_open(wf_step *step, const wf_value *input);
/* From here on nothing is counted: the record is made. */
void wf_fuel_close(wf_step *step);
/* All of the following return WFSM_OK, or LIMIT with step->message, which names the place. */
/* A limit was exceeded. */
int32_t wf_fuel_out(wf_step *step, const char *limit, uint32_t value);
int32_t wf_fuel_work_out(wf_step *step);
static inline int32_t wf_fuel_work(wf_step *step, size_t work)
{
    if (work >= step->work)
        return wf_fuel_work_out(step);
    step->work -= (uint32_t)work;
    return WFSM_OK;
}
/* Memory that is not in the arena. */
int32_t wf_fuel_bytes(wf_step *step, size_t bytes);
/* The text of a value, which goes into the record or the log. */
int32_t wf_fuel_text(wf_step *step, const wf_value *value);
/* A value that is kept: a copy, and its text in the record. */
int32_t wf_fuel_keep(wf_step *step, const wf_value *value);
/* All keys of the context that the step has assigned, once, at its end. */
int32_t wf_fuel_context(wf_step *step);
/* A selection of transitions. */
int32_t wf_count_selection(wf_step *step);
/* Whether the arena still gives something; also NO_MEMORY. */
int32_t wf_step_arena(wf_step *step);
/* fuel_place.c: appends where the step is. */
void wf_fuel_place(const wf_step *step, char *out, size_t room);
static inline void wf_fuel_at(wf_step *step, enum wf_at_kind kind, uint32_t number)
{
    step->at = (wf_at){(uint8_t)kind, number};
}

/* ---- timers: timers.c ---- */

int32_t wf_timer_raise(wf_step *step, const wf_value *event, const wf_value *data,
                       const wf_value *id, int64_t delay);
/* All `after` of a state. */
int32_t wf_timer_after(wf_step *step, uint32_t state);
/* One of them, a number of machine->afters. */
int32_t wf_timer_arm(wf_step *step, uint32_t state, uint32_t after);
/* The value of the event that it raises. */
int32_t wf_timer_raised_after(wf_step *step, uint32_t after, wf_value *raised);
/* Adds a timer as it is. */
int32_t wf_timer_put(wf_step *step, const wf_timer *timer);
/* All timers with this id. */
int32_t wf_timer_cancel(wf_step *step, const wf_value *id);
/* All `after` timers of this state. */
int32_t wf_timer_leave(wf_step *step, uint32_t state);

/* ---- invocations ---- */

/* invoke.c: makes all invocations of a state, or one, a number of machine->invokes. One that
 * cannot be made raises error.execution. */
int32_t wf_invoke_state(wf_step *step, uint32_t state);
int32_t wf_invoke_one(wf_step *step, uint32_t number);
/* invocation_new.c: evaluates agent, input and placement. SEMANTIC, with step->message. */
int32_t wf_invocation_eval(wf_step *step, uint32_t number, wf_invocation *made);
/* Adds the same work under a new id. */
int32_t wf_invocation_add(wf_step *step, const wf_invocation *before);
/* placement.c: sets made->pool (in the arena; null: no placement) and made->priority. SEMANTIC,
 * with step->message. */
int32_t wf_placement_eval(wf_step *step, const wf_invoke *invoke, wf_invocation *made);
/* Reads a stored placement. False if wf_placement_eval() cannot have made it. */
bool wf_placement_read(const wf_value *pool, int8_t *priority);
/* items.c: makes all items of an invocation with `items`, or none. */
int32_t wf_items_make(wf_step *step, uint32_t number);
/* claims.c */
int32_t wf_claim(wf_step *step, size_t invocation, const char *owner);

/* ---- descendants.c ---- */

/* Gives a child workflow that is claimed its share of the descendants that are left. */
void wf_descendants_share(wf_step *step, size_t invocation, wf_invocation *claimed);
/* Takes back what an attempt has not used of its share, before the attempt ends. */
void wf_descendants_return(wf_step *step, const wf_invocation *ended, uint64_t used);

/* Claims what this step has made, as far as step->grant allows. */
int32_t wf_claim_new(wf_step *step);
/* Claims the next attempt of an invocation that the step has made pending again, if it is due and
 * step->grant allows it. */
int32_t wf_claim_again(wf_step *step, size_t invocation);
/* ledger.c: adds one as it is, under its own id. */
int32_t wf_ledger_put(wf_step *step, const wf_invocation *made);
/* Removes all invocations of a state. */
int32_t wf_ledger_leave(wf_step *step, uint32_t state);
/* retries.c: the rule that gives another attempt after this failure, or NULL. */
const wf_retry *wf_retry_rule(const wf_step *step, const wf_invocation *self,
                              uint32_t failure_class);
/* Milliseconds until the attempt that follows this one, before jitter. */
static inline double wf_retry_pause(const wf_retry *retry, uint32_t attempt)
{
    const double most = retry->max_delay > 0 ? (double)retry->max_delay : 9007199254740992.0;
    double pause = (double)retry->interval;
    for (uint32_t i = 1; i < attempt && pause < most; i++)
        pause *= retry->backoff;
    return pause < most ? pause : most;
}

/* Milliseconds until it. */
int64_t wf_retry_delay(const wf_step *step, const wf_retry *retry, const wf_invocation *self);
/* item_results.c: one item has ended, and perhaps its set with it. */
int32_t wf_items_done(wf_step *step, size_t invocation, const wf_value *output,
                      int32_t *outcome);
int32_t wf_items_failed(wf_step *step, size_t invocation, const wf_value *failure,
                        int32_t *outcome);

/* ---- incarnations: incarnation.c ---- */

/* For wf_step_begin(): the step follows this record. Without it there are no incarnations. */
void wf_step_builds_on(wf_step *step, const char digest[WF_DIGEST_HEX]);
/* The same for the first step, which follows none. */
typedef struct wf_beginning {
    const char *parent; /* the invocation that a child works for; NULL: it is no child */
    const char *session; /* who starts it, or "" */
    uint64_t number; /* which start of that session it is */
} wf_beginning;
void wf_step_first(wf_step *step, const wf_beginning *by);
/* NO_MEMORY. 0: there are none. */
int32_t wf_incarnation(wf_step *step, const wf_value *name, const wf_value *input,
                       uint64_t *incarnation);

/* ---- the origin of the input: origin.c ---- */

/* INVALID if there is no such interface (enum wfsm_interface, or 0), or the sender is no name. */
int32_t wf_origin_check(int32_t interface, const char *sender, wfsm_error *error);
/* Sets it. 0 and NULL: nothing is said. The sender is borrowed until the commit. */
void wf_step_origin(wf_step *step, int32_t interface, const char *sender);
/* The same from a record. False: it is not what wf_step_origin() makes. */
bool wf_origin_read(wf_step *step, const wf_value *stored);
/* Whether rules can see this value as an origin. */
WF_PRIVATE_API bool wf_is_origin(const wf_value *value);
/* What rules see: {"interface", "sender"}. */
wf_value wf_origin_seen(wf_step *step);

/* ---- people ---- */

#define WF_APPROVAL_REFUSED "error.approval"
enum { WF_APPROVAL_ID_BYTES = 320 };
/* people.c: why this cannot be the input of a person's invocation. NULL: it can. Static. */
const char *wf_approval_error(const wf_value *input);
/* `quorum` or `rejections` of an input: 1 if it is not given, 0 if it is not a valid count. */
uint32_t wf_approval_count(const wf_value *input, const char *key);
/* How many people may vote. UINT32_MAX: anybody may. */
uint32_t wf_approval_voters(const wf_value *input);
/* Whether the input asks this person. */
bool wf_approval_asks(const wf_value *input, const char *by);
/* What a vote must carry: the digest of the input's text. False when out of memory. */
WF_PRIVATE_API bool wf_approval_digest(const wf_value *input, const wfsm_allocator *allocator,
                                       char digest[WF_DIGEST_HEX]);
/* votes.c: what becomes of a vote. All but the first two refuse it. */
enum wf_verdict {
    WF_VERDICT_COUNTED,
    WF_VERDICT_DECIDED, /* it ended the invocation */
    WF_VERDICT_MALFORMED,
    WF_VERDICT_UNKNOWN, /* there was never such an invocation */
    WF_VERDICT_LATE, /* the invocation has ended */
    WF_VERDICT_NOT_ASKED, /* not this person, or not a person at all */
    WF_VERDICT_TWICE,
    WF_VERDICT_CHANGED, /* the digest is that of something else */
    WF_VERDICTS
};
/* Static. */
const char *wf_verdict_name(int verdict);
/* WF_VERDICTS for an unknown name. */
int wf_verdict_find(const char *name);
/* The invocation and the person of a vote; false if it is malformed. */
bool wf_vote_names(const wf_value *given, const char **invocation, const char **by);

/* ---- budgets and failures ---- */

/* budget_limits.c: evaluates all limits; nothing is used yet. SEMANTIC and step->message when one
 * is not a whole number. */
int32_t wf_budgets_open(wf_step *step);
int32_t wf_budget_reset(wf_step *step, uint32_t budget);
/* budgets.c: counts a claim, an entered state, an event that a transition takes. */
void wf_budgets_claimed(wf_step *step);
int32_t wf_budgets_entered(wf_step *step, uint32_t state);
int32_t wf_budgets_heard(wf_step *step, uint32_t event);
/* Counts what step->report says, once in a step. */
void wf_budgets_spend(wf_step *step);
/* Whether the budgets cover one attempt more than are outstanding. */
bool wf_budgets_allow(const wf_step *step);
/* Raises the events of budgets that are overdrawn, or do not cover what is outstanding. */
int32_t wf_budgets_raise(wf_step *step);
/* The same as timers that are due at once, for a step that takes no further event. */
int32_t wf_budgets_raise_later(wf_step *step);
/* The budget of time that was used up first and has not raised its event, with the time at which
 * it was used up. WF_NONE: there is none. */
uint32_t wf_budget_over(const wf_snapshot *snapshot, int64_t *due);
/* Its event, which is raised once until the next reset. */
wf_event wf_budget_event(wf_step *step, uint32_t budget);
const wf_value *wf_step_budgets_seen(wf_step *step);
/* failures.c: class and message, without what differs from one time to the next. NULL when out of
 * memory. */
const char *wf_signature(wf_step *step, uint32_t failure_class, const char *message);
/* Counts what step->ended_invoke and step->ended_signature say. */
int32_t wf_failures_count(wf_step *step);
int32_t wf_failures_reset(wf_step *step);
const wf_value *wf_step_failure_seen(wf_step *step);
#endif
