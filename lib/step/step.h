/*
 * step/step.h: the pure function at the centre: machine + snapshot + input gives the next
 * snapshot and effects. It works in place on the snapshot as a draft that can be taken back
 * whole: wf_step_commit() keeps it, wf_step_rollback() leaves the snapshot byte for byte as
 * it was. Replay, dry run and verification call the same functions.
 *
 * The files: draft.c (undo), select.c (which transitions), targets.c (domains, entry sets),
 * microstep.c (exit, act, enter), macrostep.c (until quiet), fast_path.c (the commonest step),
 * actions.c, assign.c, timers.c, ledger.c, approvals.c, items.c, pool.c, budgets.c,
 * failures.c, restore.c, inputs.c (one function for each kind of input).
 */
#ifndef WF_STEP_STEP_H
#define WF_STEP_STEP_H

#include "step/snapshot.h"
#include "base/private.h"

/* Bytes of values that one step may make. */
enum { WF_STEP_BYTES = 256 << 20 };

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
 * Answers of the host, asked in the order of the step. A replay answers from the record.
 * Statuses: WFSM_OK, WFSM_NO_MEMORY, anything else: the function failed; *message says why
 * (in the arena, may stay NULL).
 */
typedef struct wf_host {
    void *user;
    int32_t (*guard)(void *user, uint32_t guard, const wf_value *params, bool *yes,
                     const char **message);
    /* *patch is an object, or ABSENT for no change; it must live in the step's arena. */
    int32_t (*action)(void *user, uint32_t function, const wf_value *params, wf_value *patch,
                      const char **message);
} wf_host;

/* Who may be claimed by the step that makes it. */
typedef struct wf_grant {
    uint32_t slots; /* so many at most */
    void *user;
    /* Asked once for each, the most urgent first; yes counts. NULL: always. */
    bool (*allows)(void *user, const wfsm_machine *machine, const wf_invocation *made);
} wf_grant;

typedef struct wf_undo {
    uint32_t slot;
    wf_value old;
} wf_undo;

/* An enabled transition. */
typedef struct wf_enabled {
    uint32_t transition;
    uint32_t domain; /* WF_NONE: without targets, leaves nothing */
} wf_enabled;

/* Who looks on while transitions are selected; verification does, nothing else. */
typedef struct wf_onlooker {
    void *user;
    /* After each selection, before anything is left: step->enabled. `event` is NULL for
     * eventless transitions. */
    void (*selected)(void *user, const wf_event *event);
    /* Of two transitions in different regions the first one wins. */
    void (*preempted)(void *user, uint32_t first, uint32_t second);
} wf_onlooker;

/* A growing list of blocks. */
typedef struct wf_blocks {
    void **list;
    size_t count, capacity;
} wf_blocks;

/* What stands in the record about one answer of the host. */
typedef struct wf_answered {
    bool action;     /* else a guard */
    uint32_t number; /* machine->functions or machine->guards */
    bool failed;
    wf_value value;      /* boolean; patch or null */
    const char *message; /* why it failed; NULL: nobody said */
} wf_answered;

/* What was said beside a result or a failure. */
typedef struct wf_report {
    const wf_value *usage; /* {NAME: whole number}; NULL: none */
    const char *signature; /* NULL: none */
    int64_t retry_after;   /* ms; a retry comes no earlier */
} wf_report;

typedef struct wf_step {
    const wfsm_machine *machine;
    wf_snapshot *snapshot;
    const wfsm_allocator *allocator;
    const char *instance_id;
    wf_host host;
    const wf_onlooker *onlooker; /* NULL: nobody */
    const char *owner;   /* who claims at once, or NULL */
    wf_grant grant;      /* what may be claimed at once */
    wf_arena arena;      /* everything made in this step; reset by the next begin */

    /* The draft: what was before. */
    bool open;
    uint64_t *saved_active, *saved_histories;
    bool saved_all_timers, saved_all_ledger, saved_all_repeats;
    bool grown; /* something was kept that takes memory of its own */
    wf_timers saved_timers;
    wf_ledger saved_ledger;
    wf_spent *saved_budgets;
    wf_repeats saved_repeats;
    size_t saved_outbox, saved_slots;
    wf_undo *undo;
    size_t undo_count, undo_capacity;
    wf_blocks fresh; /* blocks to free if it is rolled back */
    wf_blocks stale; /* blocks to free if it is committed */
    uint64_t saved_timer_number, saved_effect_number;
    int64_t saved_now;
    int32_t saved_status;
    wf_value saved_output;
    void *saved_output_block;
    bool saved_stopped;

    /* The macrostep. */
    wf_event *queue;
    size_t queue_head, queue_count, queue_capacity;
    wf_event current;  /* that of `event` */
    wf_value event;    /* as expressions see it; ABSENT: not asked for yet */
    wf_value instance; /* likewise */
    wf_value budgets, repeated; /* likewise, and again after they changed */
    wf_value item, index; /* of the invocation that is being made; ABSENT: it is no item */
    wf_enabled *enabled;
    size_t enabled_count, enabled_capacity;
    uint64_t *leaving, *entering, *by_default; /* sets of states */
    uint64_t *to_invoke;    /* entered in this macrostep, invocations not made yet */
    uint64_t *by_history;   /* set of history numbers whose default is taken */
    uint32_t *guard_failed; /* transitions whose guard failed in this macrostep */
    size_t guard_failed_count, guard_failed_capacity;
    uint32_t selections;
    uint64_t consumed_timer; /* what the input uses up; 0: none */
    wf_value consumed_name;  /* the event of that timer */
    uint64_t consumed_revision;
    uint32_t consumed_ordinal;
    uint32_t consumed_budget; /* of time, that is used up; WF_NONE: none */
    wf_report report;         /* of the result or failure */
    bool unclaimed;           /* it answers an attempt that nobody has claimed */
    bool reported;            /* what it costs is spent */
    uint32_t ended_invoke;    /* of the invocation that ended, WF_NONE: none did */
    const char *ended_signature; /* how it failed; NULL: it did not */
    uint32_t ordinal; /* of invocations and effects of this revision, from 1 */
    bool ended;       /* a final state of the root was entered */

    /* What became of it. */
    const wf_guard *blocked; /* the last guard that said no to the input's own event */
    bool matched;            /* some candidate named the event */
    uint32_t *taken;         /* transitions, in order */
    size_t taken_count, taken_capacity;
    wf_value *log; /* {"label","value"} */
    size_t log_count, log_capacity;
    const char **errors; /* why each error.execution was raised */
    size_t error_count, error_capacity;
    uint32_t failed_class; /* of the invocation that failed, WF_CLASSES: none */
    uint64_t failed_revision;
    uint32_t failed_ordinal;
    const char *failed_message; /* in the arena */
    wf_answered *answers;
    size_t answer_count, answer_capacity;
    wfsm_error *error; /* the caller's, may be NULL; filled in for failures */
    wfsm_error *misfit; /* what a schema says of an output: it goes into the record, so it
                           must not depend on whether the caller wants errors */
    int32_t failure;   /* why the step was dropped: a status, or WFSM_OK */
    const char *message; /* of the failure; static or in the arena */
} wf_step;

WF_PRIVATE_API bool wf_step_init(wf_step *step, wf_snapshot *snapshot, const char *instance_id);
WF_PRIVATE_API void wf_step_fini(wf_step *step);
/* Goes on with another snapshot of the same machine; no draft is open. */
void wf_step_bind(wf_step *step, wf_snapshot *snapshot, const char *instance_id);

/* draft.c */
WF_PRIVATE_API int32_t wf_step_begin(wf_step *step, int64_t now);
WF_PRIVATE_API void wf_step_rollback(wf_step *step);
/* Cannot fail. The revision is one more than before. */
WF_PRIVATE_API void wf_step_commit(wf_step *step);
/* Back to the state at begin, the draft stays open: what a dropped step leaves behind. The
 * answers of the host, which were given, stay. */
void wf_step_reset(wf_step *step);
int32_t wf_draft_assign(wf_step *step, uint32_t slot, const wf_value *value);
int32_t wf_draft_timers(wf_step *step); /* before the first change of the timers */
int32_t wf_draft_ledger(wf_step *step); /* before the first change of the ledger */
int32_t wf_draft_repeats(wf_step *step); /* before the first change of the failures */
/* A copy that lives in the snapshot: *block goes with the draft. SEMANTIC when the value is
 * nested too deeply to be kept; wf_draft_assign, too. */
int32_t wf_draft_keep(wf_step *step, const wf_value *value, wf_value *copy, void **block);
/* The block of something that is removed. */
int32_t wf_draft_drop(wf_step *step, void *block);

/*
 * Inputs. Each works on an open draft and returns WFSM_OK with *outcome; the caller commits
 * or rolls back. With NO_TRANSITION, BLOCKED and STALE nothing changed, and there is nothing
 * to commit unless the input has to be consumed. Any other status: roll back.
 * wf_step_start: HOST, SEMANTIC or LIMIT when the start fails.
 */
WF_PRIVATE_API int32_t wf_step_start(wf_step *step, const wf_value *input, int32_t *outcome);
int32_t wf_step_event(wf_step *step, const wf_value *name, const wf_value *data,
                      const wf_value *id, int32_t *outcome);
/* The oldest timer, time limit or budget of time due at now; *fired false and no change if none is. */
WF_PRIVATE_API int32_t wf_step_due(wf_step *step, bool *fired, int32_t *outcome);
/* Ends a running instance wherever it is: exit actions run, all that is outstanding is dropped,
 * there is no output. When they fail, it ends without them. */
int32_t wf_step_stop(wf_step *step, int32_t *outcome);
int32_t wf_step_patch(wf_step *step, const wf_value *patch, int32_t *outcome);
/* These two heed step->report, set after the begin. */
WF_PRIVATE_API int32_t wf_step_result(wf_step *step, size_t invocation, const wf_value *output,
                                      int32_t *outcome);
WF_PRIVATE_API int32_t wf_step_failed(wf_step *step, size_t invocation, uint32_t failure_class,
                                      const char *message, int32_t *outcome);
/* BLOCKED when a budget refuses it: nothing changed. */
int32_t wf_step_claim(wf_step *step, size_t invocation, const char *owner, int32_t *outcome);
/* For good, whatever the retry rules say: class canceled. */
int32_t wf_step_cancel(wf_step *step, size_t invocation, const char *message, int32_t *outcome);
/* enum wf_probe answers of instance/instance.h: running, gone, unsure. */
int32_t wf_step_probed(wf_step *step, size_t invocation, bool running, bool gone,
                       const char *owner, int32_t *outcome);
/* `from` is the decoded snapshot of a checkpoint. DENIED where the document forbids it. */
WF_PRIVATE_API int32_t wf_step_restore(wf_step *step, const wf_snapshot *from,
                                       int32_t *outcome);
/* migrate.c: `old` is the state under the old document; the step's own snapshot was made
 * ready for it before the draft was opened, by wf_migrate_ready(). DENIED, with the reason,
 * when the instance cannot go on under this machine. */
bool wf_migrate_ready(wf_snapshot *fresh, const wf_snapshot *old);
int32_t wf_step_migrate(wf_step *step, const wf_snapshot *old, int32_t *outcome);
/* restore.c: all keys of another snapshot's context. */
int32_t wf_carry_context(wf_step *step, const wf_snapshot *from);

/* Does the document allow this state to go back to a checkpoint? */
WF_PRIVATE_API bool wf_step_may_restore(const wf_snapshot *snapshot);
/* The first step of an instance that begins where another one was: a running one's snapshot.
 * A present one has gone on waiting until now; a checkpoint's time has stood still. */
int32_t wf_step_fork(wf_step *step, const wf_snapshot *from, bool present, int32_t *outcome);

/* inputs.c: the reaction to the input's own event, after what it uses up is gone. A step
 * that fails leaves nothing else behind (outcome FAILED), but for a host function that
 * failed the step of error.execution. event may be &step->current. */
WF_PRIVATE_API int32_t wf_run_input(wf_step *step, const wf_event *event, int32_t *outcome);
/* fast_path.c: an event of the machine, by number, of a running instance. True: it was taken,
 * and the snapshot is at the next revision. False: nothing changed, and wf_step_event() must
 * make the step. */
bool wf_fast_event(wf_snapshot *snapshot, uint32_t event, int64_t now);
/* The same for the start of a fresh instance without an input. */
bool wf_fast_start(wf_snapshot *snapshot, int64_t now);
/* select.c. Both set step->enabled. */
int32_t wf_select(wf_step *step, const wf_event *event);
int32_t wf_select_always(wf_step *step);
/* targets.c */
uint32_t wf_domain(const wf_step *step, uint32_t transition);
void wf_entry_set(wf_step *step, uint32_t transition, uint32_t domain);
void wf_entry_set_start(wf_step *step);
/* From nothing to these states, with all that belongs to them. */
void wf_entry_set_of(wf_step *step, const uint32_t *targets, size_t count);
/* microstep.c */
int32_t wf_microstep(wf_step *step);
int32_t wf_enter_states(wf_step *step);
int32_t wf_end(wf_step *step);
/* macrostep.c */
int32_t wf_macrostep(wf_step *step);
int32_t wf_raise(wf_step *step, const wf_event *event);
int32_t wf_raise_error(wf_step *step, const char *message);
void wf_take_event(wf_step *step, const wf_event *event);
/* As expressions and the host see them; made when they are asked for. */
const wf_value *wf_step_event_seen(wf_step *step);
const wf_value *wf_step_instance_seen(wf_step *step);
int32_t wf_count_selection(wf_step *step);
/* WFSM_OK, or why the arena of the step gives nothing more: NO_MEMORY or LIMIT. */
int32_t wf_step_arena(wf_step *step);
/* LIMIT when the state has become too large to be read back. */
int32_t wf_step_weight(wf_step *step);
/* actions.c */
int32_t wf_run_blocks(wf_step *step, wf_span blocks);
/* SEMANTIC and step->message when one of the values cannot be had, or kept. */
int32_t wf_run_assign(wf_step *step, wf_span assignments);
int32_t wf_step_eval(wf_step *step, const wf_expr *expr, wf_value *value);
/* WFSM_OK and *yes; a guard that fails is false: *failed is set and step->message says why. */
WF_PRIVATE_API int32_t wf_test_guard(wf_step *step, const wf_guard *guard, bool *yes,
                                     bool *failed);
/* assign.c */
int32_t wf_assign(wf_step *step, const wf_target *target, const wf_value *value);
int32_t wf_assign_patch(wf_step *step, const wf_value *patch);
/* timers.c */
int32_t wf_timer_raise(wf_step *step, const wf_value *event, const wf_value *data,
                       const wf_value *id, int64_t delay);
int32_t wf_timer_after(wf_step *step, uint32_t state);
/* One of them, number in machine->afters. */
int32_t wf_timer_arm(wf_step *step, uint32_t state, uint32_t after);
/* What it raises. */
int32_t wf_timer_raised_after(wf_step *step, uint32_t after, wf_value *raised);
/* Adds a timer as it is; timer.raised is copied. */
int32_t wf_timer_put(wf_step *step, wf_timer timer);
int32_t wf_timer_cancel(wf_step *step, const wf_value *id);
int32_t wf_timer_leave(wf_step *step, uint32_t state);
int32_t wf_timer_remove(wf_step *step, size_t index);
/* ledger.c */
int32_t wf_ledger_enter(wf_step *step, uint32_t state);
/* One invocation, number in machine->invokes. */
int32_t wf_ledger_make(wf_step *step, uint32_t number);
/* Adds one as it is, under its own id; input and owner are copied. */
int32_t wf_ledger_put(wf_step *step, wf_invocation invocation);
/* The same work as an earlier invocation, under a new id. */
int32_t wf_ledger_again(wf_step *step, const wf_invocation *before);
/* Claims what this step has made, as far as there are free slots. */
int32_t wf_ledger_claim_new(wf_step *step);
int32_t wf_ledger_leave(wf_step *step, uint32_t state);
int32_t wf_ledger_remove(wf_step *step, size_t index);
/* approvals.c */
/* What became of a vote; the refused ones come last. */
enum wf_verdict {
    WF_VERDICT_COUNTED,
    WF_VERDICT_DECIDED, /* it ended the invocation */
    WF_VERDICT_MALFORMED,
    WF_VERDICT_UNKNOWN, /* there was never such an invocation */
    WF_VERDICT_LATE, /* it is over */
    WF_VERDICT_NOT_ASKED, /* not this person, or no person at all */
    WF_VERDICT_TWICE,
    WF_VERDICT_CHANGED, /* of something else: the digest differs */
    WF_VERDICTS
};
#define WF_APPROVAL_EVENT "wfsm.approval"
#define WF_APPROVAL_REFUSED "error.approval"
enum { WF_APPROVAL_ID_BYTES = 320 };
/* Static; WF_VERDICTS for a word that is none. */
const char *wf_verdict_name(int verdict);
int wf_verdict_find(const char *name);
/* Why this cannot be the input of a person's invocation; NULL: it can. Static. */
const char *wf_approval_misfit(const wf_value *input);
/* What a vote must carry: the digest of the input's text. False when out of memory. */
WF_PRIVATE_API bool wf_approval_digest(const wf_value *input, const wfsm_allocator *allocator,
                                       char digest[WF_DIGEST_HEX]);
/* The invocation and the person of a vote; false if it is malformed. */
bool wf_vote_names(const wf_value *given, const char **invocation, const char **by);
/* An input: a vote. `gone` is the verdict where its invocation is not outstanding. One that is
 * refused raises error.approval. It is committed, whatever the outcome. */
WF_PRIVATE_API int32_t wf_step_approval(wf_step *step, const wf_value *given, int gone,
                                        int *verdict, int32_t *outcome);
/* The place of a new invocation: what its expressions give. SEMANTIC, with step->message. */
int32_t wf_ledger_like(wf_step *step, uint32_t number, wf_invocation *like);
/* A new one: `like` tells what it is. */
int32_t wf_ledger_add(wf_step *step, const wf_invocation *like);
/* It is over, and its own event is the event of the step. */
int32_t wf_ledger_end(wf_step *step, size_t invocation, uint32_t event, const wf_value *data,
                      int32_t *outcome);
/* items.c: an invocation with `items` */
int32_t wf_items_make(wf_step *step, uint32_t number);
/* One has ended; all is over when enough have. */
int32_t wf_items_done(wf_step *step, size_t invocation, const wf_value *output,
                      int32_t *outcome);
int32_t wf_items_failed(wf_step *step, size_t invocation, const wf_value *failure,
                        int32_t *outcome);
/* pool.c */
/* What an invocation says of its place in the pool, in the arena; null: nothing. SEMANTIC,
 * with step->message, when it cannot be had. */
int32_t wf_pool_eval(wf_step *step, const wf_invoke *invoke, wf_value *pool);
/* Is it what wf_pool_eval gives, and with which priority? For what is read back. */
bool wf_pool_read(const wf_value *pool, int8_t *priority);
/* budgets.c */
/* Their limits, from the context as it is; nothing is used yet. SEMANTIC and step->message when
 * one is no whole number. */
int32_t wf_budgets_open(wf_step *step);
int32_t wf_budget_reset(wf_step *step, uint32_t budget);
void wf_budgets_claimed(wf_step *step);
void wf_budgets_entered(wf_step *step, uint32_t state);
void wf_budgets_heard(wf_step *step, uint32_t event);
/* What the report says, once in a step. */
void wf_budgets_spend(wf_step *step);
/* Is there enough for one attempt more than are outstanding? */
bool wf_budgets_allow(const wf_step *step);
/* Raises the events of those that are overdrawn, or do not cover what is outstanding. */
int32_t wf_budgets_raise(wf_step *step);
/* The same as timers that are due at once, for a step that has no reactions. */
int32_t wf_budgets_raise_later(wf_step *step);
/* The budget of time that was used up first, WF_NONE: none is that has not said so. */
uint32_t wf_budget_over(const wf_snapshot *snapshot, int64_t *due);
/* Its event, and from now on it has said so. */
wf_event wf_budget_event(wf_step *step, uint32_t budget);
const wf_value *wf_step_budgets_seen(wf_step *step);
/* failures.c */
/* Class and message without what differs from one time to the next; NULL without memory. */
const char *wf_signature(wf_step *step, uint32_t failure_class, const char *message);
/* What step->ended_invoke and step->ended_signature say. */
int32_t wf_failures_note(wf_step *step);
int32_t wf_failures_reset(wf_step *step);
const wf_value *wf_step_failure_seen(wf_step *step);
#endif
