/*
 * wfsm/instance.h: one running workflow, stepped by hand. Every call that changes it is one
 * input: one step, one record, one revision, one commit; or nothing at all.
 *
 * An instance used directly has no agents: its invocations wait in the ledger, to be
 * answered by wfsm_instance_result() or wfsm_instance_failure(). wfsm/engine.h drives many
 * instances with agents. An instance belongs to one thread at a time.
 */
#ifndef WFSM_INSTANCE_H
#define WFSM_INSTANCE_H

#include <wfsm/base.h>
#include <wfsm/call.h>
#include <wfsm/machine.h>
#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One running workflow. Belongs to one thread at a time. */
typedef struct wfsm_instance wfsm_instance;

/*
 * Guards and actions of the host, by name. Made before the instances and engines that use
 * it and freed after them; read only meanwhile. Adding a name twice replaces it.
 */
typedef struct wfsm_functions wfsm_functions;
/* *functions is new, freed by wfsm_functions_free(). Fails with INVALID, NO_MEMORY. */
WFSM_API int32_t wfsm_functions_new(wfsm_functions **functions, const wfsm_allocator *allocator,
                                    wfsm_error *error);
/* Frees it; NULL is fine. */
WFSM_API void wfsm_functions_free(wfsm_functions *functions);
/* Adds a guard. The name, 1 to 255 bytes of UTF-8, is copied; user is passed to every call and
 * must outlive the functions. INVALID: the name is none, or the callback is NULL. NO_MEMORY. */
WFSM_API int32_t wfsm_functions_add_guard(wfsm_functions *functions, const char *name,
                                          wfsm_callback guard, void *user, wfsm_error *error);
/* Adds an action, in the same way. */
WFSM_API int32_t wfsm_functions_add_action(wfsm_functions *functions, const char *name,
                                           wfsm_callback action, void *user, wfsm_error *error);

/*
 * Limits of one step, and of descendants. Set `size`. 0 leaves a limit as it is: at first as the machine's document
 * has it, or else the library's default, which bounds a step to about a second and 64 MiB. A
 * document can lower these limits (doc/limits.md has those that it can raise), and the host can
 * raise them. They are stored with the instance.
 * A step that exceeds one, other than those of rules, has the outcome `failed` and LIMIT; its
 * input is consumed, and nothing else has changed. An expression that exceeds a limit of rules
 * cannot be evaluated. doc/limits.md says what counts.
 *
 * The last two members limit the instances that descend from this one, over all engines. A child
 * workflow gets a share of what its parent has left, and can have no more than that, whatever its
 * own document says. An invocation of a machine beyond the limit fails with the class "limit".
 */
typedef struct wfsm_step_limits {
    size_t size;
    uint32_t selections; /* of transitions in a step; from 1, default 1,000 */
    uint32_t rule_steps; /* of one evaluation of a rule; from 1, default 1,000,000 */
    uint32_t rule_bytes; /* of the result of a rule; from 1 to 2^26, default 2^26 */
    uint32_t step_work; /* all rule steps of a step, and one for each other thing that it does;
                           from 10,000, default 10,000,000 */
    uint32_t step_bytes; /* memory that a step takes beyond its input and the instance; from
                            65,536, default 25,165,824 */
    uint32_t descendants; /* children, theirs, and so on, that have not ended; from 1, default
                             1,000 */
    uint32_t descendants_in_all; /* the same, with those that have ended; from 1, default
                                    100,000 */
} wfsm_step_limits;

/* How an instance starts. Set `size` and `id`; what is zero takes the default. Everything is
 * copied or borrowed as each member says. */
typedef struct wfsm_start_options {
    size_t size;
    const char *id; /* of the new instance, 1 to 255 bytes of UTF-8; required; copied */
    /* Where its commits go; borrowed, and must outlive the instance. NULL: the instance lives in
     * memory only. It has no journal and no checkpoints, does not remember the ids of events, and
     * writes a record only for an observer. */
    wfsm_store *store;
    /* The host's guards and actions; borrowed, and must outlive the instance. NULL: none. */
    const wfsm_functions *functions;
    /* A JSON object whose keys replace those of the machine's initial context; borrowed for the
     * call. NULL: none. */
    const char *input;
    size_t length; /* bytes of input */
    const wfsm_step_limits *limits; /* borrowed for the call. NULL: those of the document */
    /* With a store: who starts it, 1 to 255 bytes of UTF-8; borrowed for the call. The ids of the
     * invocations and effects of the first step follow from it and from `now`. So that an instance
     * that is removed and started again never has an id of the first one, no two starts of one `id`
     * have the same session and the same `now`. NULL or "": nobody is named. */
    const char *session;
} wfsm_start_options;

/* Limits that hold from the next step on, whose record says so. A call replaces what an earlier
 * call of this handle has asked for; NULL: nothing more. INVALID: the struct has no size, or a
 * limit is out of range. BUSY, SEALED, NO_MEMORY. */
WFSM_API int32_t wfsm_instance_set_limits(wfsm_instance *instance,
                                          const wfsm_step_limits *limits, wfsm_error *error);
/* Fills in the limits in force. INVALID: the instance is NULL, or the struct has no size. */
WFSM_API int32_t wfsm_instance_limits(const wfsm_instance *instance, wfsm_step_limits *limits);

/*
 * Starts a new instance at `now`: enters the initial states and makes the first commit. On
 * WFSM_OK *instance is new, and you free it with wfsm_instance_free(). The instance holds a
 * reference to the machine. On failure there is no instance, and *instance is unchanged.
 * INVALID: an argument is NULL or out of range. EXISTS: the store has an instance of this id.
 * NOT_FOUND: a guard or action of the host is not registered. SYNTAX, SEMANTIC: the input is not
 * a JSON object, or the start failed. HOST: a guard or action failed. LIMIT, NO_MEMORY, and what
 * the store answers.
 */
WFSM_API int32_t wfsm_instance_start(wfsm_instance **instance, wfsm_machine *machine,
                                     const wfsm_start_options *options, int64_t now,
                                     wfsm_error *error);
/*
 * Loads the instance `id`, and changes nothing in the store. On WFSM_OK *instance is new, and you
 * free it with wfsm_instance_free(). machine NULL: compiles the document that the store has for
 * this instance; otherwise the instance holds a reference to the machine. store and functions are
 * as in wfsm_start_options, but the store is required.
 * INVALID: an argument is NULL, or the id is not one. NOT_FOUND: the store has no such instance,
 * or a guard or action of the host is not registered. DENIED: the machine has another fingerprint
 * than the instance. CORRUPT: the stored data is damaged. VERSION: a newer library wrote it. BUSY:
 * others commit so often that it cannot be read. NO_MEMORY, and what the store answers.
 */
WFSM_API int32_t wfsm_instance_load(wfsm_instance **instance, wfsm_machine *machine,
                                    wfsm_store *store, const wfsm_functions *functions,
                                    const char *id, wfsm_error *error);
/* Frees the handle. The stored instance stays. NULL is fine. */
WFSM_API void wfsm_instance_free(wfsm_instance *instance);

/* Calls `observer` with `user` after every commit of this handle, at most once for each. Its
 * answer is ignored. An instance has one observer: a second call replaces it, and NULL removes it.
 * INVALID, NO_MEMORY. */
WFSM_API int32_t wfsm_instance_observe(wfsm_instance *instance, wfsm_callback observer,
                                       void *user);

/*
 * Inputs. *outcome (may be NULL) is set when the call returns WFSM_OK. A failed step returns
 * WFSM_OK with WFSM_FAILED and *error filled in. `now` is in milliseconds, from 0 to 2^53; a time
 * that is earlier than the instance's counts as the instance's.
 *
 * Every input can fail as follows, beside what its declaration says:
 *   INVALID              the instance is NULL, a struct has no size, or `now` is out of range
 *   BUSY                 called from a callback of this instance
 *   SEALED               an earlier input ended with CONFLICT or STORE_UNKNOWN: load it again
 *   SYNTAX, LIMIT        JSON is malformed; it has more than 247 nested levels, or the record
 *                        would be too large to be read back
 *   CONFLICT             somebody else has committed to the instance, or owns it; it is sealed
 *   STORE_UNKNOWN        the store's answer was lost; it is sealed: wfsm_instance_check_commit()
 *   NO_MEMORY, STORE_FAILED, and other statuses of the store: nothing was changed
 */

/* An event. Set `size` and `name`. Borrowed for the call. */
typedef struct wfsm_event {
    size_t size;
    const char *name; /* 1 to 255 bytes of UTF-8 */
    const char *id; /* 1 to 255 bytes of UTF-8: the instance takes an event of this id only
                         once. NULL: every send counts */
    const char *data; /* JSON; NULL: null */
    size_t length; /* bytes of data */
    /* Where it comes from, as the host asserts it: wfsm does not find it out. Rules see it as
     * `event.origin`, and the record has it if either is set. */
    int32_t interface; /* enum wfsm_interface; 0: ENGINE */
    const char *sender; /* 1 to 255 bytes of UTF-8; NULL: nobody says */
} wfsm_event;

/*
 * Sends an event. *outcome: TAKEN, NO_TRANSITION, BLOCKED, FAILED, ENDED or DUPLICATE. INVALID:
 * the event has no name, or its name or id is too long or not UTF-8, or the name begins with
 * "done.", "error.", "after." or "wfsm.". Such events say what the step itself has done, so none
 * comes from outside; the message says which call to use instead. SYNTAX: the data is not JSON.
 */
WFSM_API int32_t wfsm_instance_send(wfsm_instance *instance, const wfsm_event *event,
                                    int64_t now, int32_t *outcome, wfsm_error *error);
/*
 * Sends an event by the number that wfsm_machine_event() gives, without data and without an id.
 * This is the fast path, because no name is looked up; otherwise it does what
 * wfsm_instance_send() does. INVALID: the machine has no event of this number, or its name is
 * reserved.
 */
WFSM_API int32_t wfsm_instance_send_number(wfsm_instance *instance, int32_t number, int64_t now,
                                           int32_t *outcome, wfsm_error *error);

/* Events for many instances. Set `size`. The arrays have `count` elements each, and are borrowed
 * for the call. */
typedef struct wfsm_send_list {
    size_t size;
    wfsm_instance *const *instances; /* an instance may occur more than once */
    const int32_t *numbers; /* of events, as for wfsm_instance_send_number() */
    size_t count; /* elements of each array */
    int32_t *outcomes; /* receives what became of each event; NULL: not wanted */
} wfsm_send_list;

/*
 * Sends numbers[i] to instances[i] as wfsm_instance_send_number() does, in the order of the
 * list. Each event is a step and a commit of its own, unless a batch of the store is open
 * (wfsm_store_batch()). The call ends at the first event that returns another status than
 * WFSM_OK, and returns that status. *done (may be NULL) is the number of events that were sent
 * before it.
 *
 * With very many instances, most are not in the processor's cache. This call fetches the next
 * instances while one makes its step, and is then about three times as fast as a call for each.
 * With few instances it makes no difference.
 */
WFSM_API int32_t wfsm_instance_send_many(const wfsm_send_list *list, int64_t now, size_t *done,
                                         wfsm_error *error);
/*
 * Does the first thing that is due at `now`, if there is one: fires a timer, ends an attempt whose
 * time limit has passed, or reports a budget of time that is used up. *fired (may be NULL) is 1 if
 * there was one, otherwise 0. Call it until *fired is 0. *outcome, if *fired is 1: TAKEN,
 * NO_TRANSITION (nothing handles it), FAILED, RETRY or ENDED. If the instance has ended: ENDED,
 * with 0 in *fired.
 */
WFSM_API int32_t wfsm_instance_advance(wfsm_instance *instance, int64_t now, int32_t *fired,
                                       int32_t *outcome, wfsm_error *error);
/* Replaces top-level keys of the context by those of `json`, an object of `length` bytes, which is
 * borrowed for the call. No transition is selected. *outcome: TAKEN or ENDED. SEMANTIC: json is
 * not an object. */
WFSM_API int32_t wfsm_instance_patch(wfsm_instance *instance, const char *json, size_t length,
                                     int64_t now, int32_t *outcome, wfsm_error *error);
/* A checkpoint to make. Set `size` and `id`. Borrowed for the call. */
typedef struct wfsm_checkpoint {
    size_t size;
    const char *id; /* 1 to 255 bytes of UTF-8 */
    /* A JSON array of at most 1,000 strings of 1 to 4,095 bytes: names of files or other things
     * that belong to the checkpoint. They are kept as they are; wfsm does not interpret them.
     * NULL: none. */
    const char *artifacts;
    size_t length; /* bytes of artifacts */
} wfsm_checkpoint;

/*
 * Keeps the present state under an id, to restore or fork from. Compaction keeps it. A checkpoint of
 * the same id is replaced, and the new one is the newest. *outcome: TAKEN, or ENDED, without a
 * checkpoint, if the instance has ended. INVALID: there is no store, or the id is NULL, too long or
 * not UTF-8. SEMANTIC: the artifacts are not such an array. LIMIT: there are too many of them, or
 * one is too long.
 */
WFSM_API int32_t wfsm_instance_checkpoint(wfsm_instance *instance,
                                          const wfsm_checkpoint *checkpoint, int64_t now,
                                          int32_t *outcome, wfsm_error *error);
/* Deletes a checkpoint, also after the end. Its record stays in the journal. *outcome: TAKEN.
 * INVALID: there is no store, or the id is not one. NOT_FOUND: there is no checkpoint of this id,
 * and nothing changed. */
WFSM_API int32_t wfsm_instance_delete_checkpoint(wfsm_instance *instance, const char *id,
                                                 int64_t now, int32_t *outcome,
                                                 wfsm_error *error);
/* Where to restore or fork from: a checkpoint, or a revision of the journal. Set `size` and one of
 * the first two others, or, for a fork of the present state, one of the last two alone. Borrowed for
 * the call. */
typedef struct wfsm_restore_point {
    size_t size;
    const char *checkpoint; /* its id; "": the newest; NULL: the revision counts */
    uint64_t revision; /* one that the journal still has; 0: the checkpoint counts */
    /* Who asks for it, as in wfsm_event. The record keeps both. Since 0.1. */
    int32_t interface; /* enum wfsm_interface; 0: ENGINE, or where the post came from */
    const char *sender; /* 1 to 255 bytes of UTF-8; NULL: nobody says */
} wfsm_restore_point;

/*
 * Takes the instance back to a checkpoint or a revision. Outstanding invocations are canceled, and
 * those of the restored state start under new ids. Timers are armed with the time that was left.
 * Entry actions do not run. Budgets and effects stay as they are. *outcome: TAKEN.
 * A revision is found again from the nearest stored state before it and the records after that. Its
 * state is stored in the record of the restore.
 * INVALID: there is no store, or the restore point is not one, or has no such interface or sender.
 * NOT_FOUND: there is no such checkpoint, or the journal does not have the revision; the message says what it has. DENIED: the
 * document's `restore` rule does not allow it, the instance has ended, it had ended at that
 * revision, or the restore point is from before a migration. CORRUPT: the stored
 * state is damaged. LIMIT: the state is so large that the record could not be read back. BUSY: commits of
 * the instance wait in a batch. On failure nothing has changed.
 */
WFSM_API int32_t wfsm_instance_restore(wfsm_instance *instance, const wfsm_restore_point *from,
                                       int64_t now, int32_t *outcome, wfsm_error *error);
/*
 * Starts a new instance `id` where another one is or was: at a checkpoint or a revision of it, or,
 * if `from` is NULL or only says who asks for it, in the present state of this handle. On WFSM_OK *fork is new, and you free it
 * with wfsm_instance_free(). Entry actions do not run, as in a restore: invocations start under ids
 * of the new instance, timers have the time that was left, the outbox is empty, and no event id has
 * been taken yet. Document, store and functions are those of the source. The first record holds
 * the state that it came from, so the source is not needed again. The source is only read, and may
 * have any owner. A `now` before the time of that state counts as that time.
 * INVALID: an argument is NULL, there is no store, an id is not one, or the restore point is not
 * one, or has no such interface or sender. NOT_FOUND: there is no such checkpoint or revision. EXISTS: there is an instance `id`.
 * DENIED: the document's `restore` rule does not allow it where the source is now, the state is one
 * after the end, or the restore point is from before a migration. An instance that has ended can be
 * forked at an earlier revision. CORRUPT: the stored state is damaged. LIMIT: the state is so large
 * that the first record, which holds it twice, could not be read back. BUSY: called from a callback
 * of the source, or commits of the source wait in a batch. SEALED, NO_MEMORY, and what the store
 * answers. On failure there is no new instance.
 */
WFSM_API int32_t wfsm_instance_fork(wfsm_instance **fork, wfsm_instance *source,
                                    const wfsm_restore_point *from, const char *id, int64_t now,
                                    wfsm_error *error);
/*
 * Continues the instance under another document of the same machine id. `migrate` of the new
 * document says from which documents, and what becomes of states and context. One input, one
 * commit. On WFSM_OK *instance is a new handle in place of the old one, which is freed, with the
 * same observer; otherwise it stays. functions are those of the new machine, borrowed as in
 * wfsm_start_options. *outcome: TAKEN.
 * INVALID: instance or machine is NULL. NOT_FOUND: a guard or action of the new machine is not
 * registered. DENIED: the instance cannot continue there, and the message says why; or it has
 * ended. BUSY: commits of the instance wait in a batch. On failure nothing has changed.
 */
WFSM_API int32_t wfsm_instance_migrate(wfsm_instance **instance, wfsm_machine *machine,
                                       const wfsm_functions *functions, int64_t now,
                                       int32_t *outcome, wfsm_error *error);
/* A dry run: returns what wfsm_instance_migrate() would return before its commit, and changes
 * nothing. */
WFSM_API int32_t wfsm_instance_can_migrate(wfsm_instance *instance, wfsm_machine *machine,
                                           const wfsm_functions *functions, int64_t now,
                                           wfsm_error *error);
/*
 * After STORE_UNKNOWN: finds out whether the commit whose answer was lost is stored. Compares its
 * token, the digest of its record, with what the store has at that revision. *stored is 1 if it
 * is this commit, and 0 if there is no commit or another one. Call this before you load the
 * instance again. After a conflict the answer is 0. INVALID: an argument is NULL, or the instance
 * is not sealed. NOT_FOUND: the record has been compacted, or the instance removed. NO_MEMORY, and
 * what the store answers.
 */
WFSM_API int32_t wfsm_instance_check_commit(const wfsm_instance *instance, int32_t *stored,
                                            wfsm_error *error);
/* Ends the instance wherever it is. Its exit actions run; if they fail, it ends without them. What
 * is outstanding is dropped, its output is null, and wfsm_instance_stopped() is 1. *outcome: ENDED,
 * also if it had ended already; then nothing changed. */
WFSM_API int32_t wfsm_instance_stop(wfsm_instance *instance, int64_t now, int32_t *outcome,
                                    wfsm_error *error);
/* The result of an invocation. Set `size` and `invocation`. Borrowed for the call. */
typedef struct wfsm_result {
    size_t size;
    const char *invocation; /* its id */
    const char *output; /* JSON; NULL: null */
    size_t length; /* bytes of output */
    const wfsm_report *report; /* usage and signature; NULL: none */
} wfsm_result;

/* The failure of an invocation. Set `size`, `invocation` and `failure_class`. Borrowed for the
 * call. */
typedef struct wfsm_failure {
    size_t size;
    const char *invocation; /* its id */
    const char *failure_class; /* one of the words of wfsm_call_failed() */
    const char *message; /* for people, UTF-8; NULL: "" */
    const wfsm_report *report; /* usage, signature and retry_after; NULL: none */
} wfsm_failure;

/*
 * Gives the result of an invocation that waits or is at work. *outcome: TAKEN, NO_TRANSITION,
 * FAILED or ENDED, RETRY if the output does not fit the document's schema and another attempt
 * follows, or STALE if no such invocation is outstanding. INVALID: the invocation is NULL, or the
 * report is not what wfsm_report says. DENIED: the invocation asks people, whose votes are the only
 * result (wfsm_approve()).
 */
WFSM_API int32_t wfsm_instance_result(wfsm_instance *instance, const wfsm_result *result,
                                      int64_t now, int32_t *outcome, wfsm_error *error);
/*
 * Says that an invocation failed. *outcome: RETRY if it waits for its next attempt, otherwise
 * as for wfsm_instance_result(). INVALID: the invocation is NULL, there is no such failure
 * class, the message is not UTF-8, or the report is not what wfsm_report says. DENIED: it asks
 * people.
 */
WFSM_API int32_t wfsm_instance_failure(wfsm_instance *instance, const wfsm_failure *failure,
                                       int64_t now, int32_t *outcome, wfsm_error *error);
/*
 * Gives the vote of a person, as wfsm_approve() posts it. The vote is one input with one record,
 * whether it counts or is refused; the record's `verdict` says which (doc/approvals.md). *outcome:
 * TAKEN if the vote counts and more are needed, otherwise what became of the step that follows, as
 * for wfsm_instance_send(). DUPLICATE: its id is known already. INVALID: the approval is not what
 * wfsm_approval says.
 */
WFSM_API int32_t wfsm_instance_approve(wfsm_instance *instance, const wfsm_approval *approval,
                                       int64_t now, int32_t *outcome, wfsm_error *error);
/* Ends an invocation, pending or running, as a failure of class "canceled" that no retry rule
 * covers. message, UTF-8, says why; NULL: "". *outcome: as for wfsm_instance_result(). INVALID: the
 * invocation is NULL, or the message is not UTF-8. */
WFSM_API int32_t wfsm_instance_cancel(wfsm_instance *instance, const char *invocation,
                                      const char *message, int64_t now, int32_t *outcome,
                                      wfsm_error *error);
/* Starts the next attempt of an invocation without waiting: one that waits for its next attempt is
 * due at once; one that is running gives its attempt up, as if it had been lost, and its agent is
 * told. *outcome: TAKEN; STALE if there is nothing to repeat: it is over, due already, or asks
 * people; BLOCKED while a budget refuses it. INVALID: the invocation is NULL. */
WFSM_API int32_t wfsm_instance_retry(wfsm_instance *instance, const char *invocation,
                                     int64_t now, int32_t *outcome, wfsm_error *error);
/* A pending invocation starts its next attempt under `owner`, 1 to 255 bytes of UTF-8. *outcome:
 * TAKEN; STALE if it is not pending or not due yet, or if it is an item while `maxConcurrency`
 * others of its invocation are running; BLOCKED while a budget refuses it. INVALID: the invocation
 * is NULL, or the owner is not such a name. */
WFSM_API int32_t wfsm_instance_claim(wfsm_instance *instance, const char *invocation,
                                     const char *owner, int64_t now, int32_t *outcome,
                                     wfsm_error *error);

/* Questions: nothing changes. For NULL the answer is NULL or 0, or what the declaration says. */
/* Its id, borrowed while the instance lives. */
WFSM_API const char *wfsm_instance_id(const wfsm_instance *instance);
/* Its machine, borrowed while the instance lives. */
WFSM_API const wfsm_machine *wfsm_instance_machine(const wfsm_instance *instance);
/* The number of its commits; the start is 1. */
WFSM_API uint64_t wfsm_instance_revision(const wfsm_instance *instance);
/* The last revision that the store has acknowledged. It is wfsm_instance_revision(), unless
 * commits of this instance wait in a batch (wfsm_store_batch()) or the instance is sealed. 0
 * without a store. */
WFSM_API uint64_t wfsm_instance_committed(const wfsm_instance *instance);
/* enum wfsm_instance_status; 0 for NULL. */
WFSM_API int32_t wfsm_instance_status(const wfsm_instance *instance);
/* The time of its last input, in milliseconds. */
WFSM_API int64_t wfsm_instance_now(const wfsm_instance *instance);
/* When wfsm_instance_advance() has something to do, in milliseconds; WFSM_NEVER: nothing, it has
 * ended, or the instance is NULL. */
WFSM_API int64_t wfsm_instance_deadline(const wfsm_instance *instance);
/* 1 if a state (dotted path or #id) is active; 0 otherwise, also if there is no such state. */
WFSM_API int32_t wfsm_instance_in(const wfsm_instance *instance, const char *state);
/* 1 if an active state has this tag, otherwise 0. */
WFSM_API int32_t wfsm_instance_has_tag(const wfsm_instance *instance, const char *tag);
/* The invocation that this instance is a child workflow of; "" if it is none. Borrowed while the
 * instance lives. */
WFSM_API const char *wfsm_instance_parent(const wfsm_instance *instance);
/* 1 if it was ended by wfsm_instance_stop(). */
WFSM_API int32_t wfsm_instance_stopped(const wfsm_instance *instance);
/* Which guard blocked the last event: its name, or its rule as JSON; "" if none did. Borrowed while
 * the machine lives. */
WFSM_API const char *wfsm_instance_blocked(const wfsm_instance *instance);

/*
 * Questions that are answered in JSON. The text is borrowed until the next call on the
 * instance, and *length (may be NULL) is its bytes. NULL, and 0 in *length: out of memory, or
 * the instance is NULL. A key that is followed by "?" may be missing. Times and durations are
 * milliseconds.
 */

/* The document's budgets at `now`: {NAME: {"used", "limit", "left"}}, as rules see them. The
 * numbers are milliseconds for a budget of time, otherwise counts. */
WFSM_API const char *wfsm_instance_budgets(wfsm_instance *instance, int64_t now,
                                           size_t *length);
/* Repeated failures: [{"invoke": id of the invoke, "signature", "count"}]. The most recent one is
 * the last element. Rules see it as `failure`. */
WFSM_API const char *wfsm_instance_failures(wfsm_instance *instance, size_t *length);
/* The active atomic and final states: an array of dotted paths, in document order. */
WFSM_API const char *wfsm_instance_configuration(wfsm_instance *instance, size_t *length);
/* The context, an object. */
WFSM_API const char *wfsm_instance_context(wfsm_instance *instance, size_t *length);
/* The output of the root's final state, any value; null before the end and after
 * wfsm_instance_stop(). */
WFSM_API const char *wfsm_instance_output(wfsm_instance *instance, size_t *length);
/*
 * Outstanding invocations, an array of objects in the order in which they were made:
 *   "id"            the invocation's id, for wfsm_instance_result()
 *   "src"           the agent
 *   "state"         dotted path of the state that invokes it
 *   "invoke"        id of the invoke in the document
 *   "status"        "pending" or "running"; of an item whose siblings are still at work also
 *                   "done" or "failed"
 *   "attempt"       number of the last attempt; 0: none was claimed yet
 *   "claimed"?      when that attempt was claimed
 *   "owner"?        who claimed it
 *   "retry_reason"? failure class of the attempt before
 *   "due"           pending: not before this time; running: when its time limit ends; null: never
 *   "pool"?         as in the document, evaluated: an object
 *   "digest"?, "votes"?   of a person: the digest that an approval names, and the votes so far
 *   "item"?, "of"?  of an item: its index from 0, and how many there are
 *   "result"?       of an item that has ended
 *   "input"         any value
 */
WFSM_API const char *wfsm_instance_invocations(wfsm_instance *instance, size_t *length);
/* Pending timers: [{"event": name, "due": time, "id"?: of a delayed raise, "data"?: any value}]. */
WFSM_API const char *wfsm_instance_timers(wfsm_instance *instance, size_t *length);
/* The events that a send would take now: an array of names that active states handle exactly, and
 * whose guards hold with null data, in document order. Guards of the host are called. NULL also
 * if called from a callback of the instance. */
WFSM_API const char *wfsm_instance_events(wfsm_instance *instance, size_t *length);
/* The record of the last commit that this handle made, an object (doc/records.md); "" before the
 * first, and without a store and an observer. */
WFSM_API const char *wfsm_instance_record(wfsm_instance *instance, size_t *length);
/* What the last commit of this handle logged: [{"label", "value"}]; "" as for the record. */
WFSM_API const char *wfsm_instance_log(wfsm_instance *instance, size_t *length);
/* The states that the last commit of this handle entered and that are still active: an array of
 * paths in document order. A state that was left and entered again is among them. A restore enters
 * none. "" as for the record. Since 0.1. */
WFSM_API const char *wfsm_instance_entered(wfsm_instance *instance, size_t *length);
/* The event that the last commit of this handle reacted to, as rules saw it: {"type", "data", "id",
 * "kind", "origin"}. null if no transition was taken for an event, as at the start, for a claim and
 * for an item whose siblings are still at work. "" as for the record, and if the machine has no
 * `properties`. Since 0.1. */
WFSM_API const char *wfsm_instance_event(wfsm_instance *instance, size_t *length);

/* What wfsm_instance_can() tells beside the outcome. The caller sets `size`. */
typedef struct wfsm_preview {
    size_t size;
    const char *record; /* the record that the event would make, JSON; borrowed until the next
                           call on the instance. NULL: it would make none */
    size_t length; /* bytes of record */
} wfsm_preview;

/*
 * Tells what wfsm_instance_send() would make of an event, and changes nothing. Host guards and
 * actions are called. *outcome and the errors are those of the send. preview may be NULL;
 * otherwise *preview is filled in on WFSM_OK.
 */
WFSM_API int32_t wfsm_instance_can(wfsm_instance *instance, const wfsm_event *event,
                                   int64_t now, int32_t *outcome, wfsm_preview *preview,
                                   wfsm_error *error);

/*
 * Effects (`emit`) are pulled after the commit, in order, and at least once.
 *
 * *effect is the oldest one that is not acknowledged, {"id", "number", "type": "emit", "event":
 * name, "data": any value}, of *length bytes; *number is its number, from 1. It is borrowed until
 * the next call on the instance. If there is none, or its commit waits in a batch, *effect is NULL,
 * and the other two are unchanged; both may be NULL. INVALID: instance or effect is NULL. BUSY,
 * SEALED, NO_MEMORY.
 */
WFSM_API int32_t wfsm_instance_next_effect(wfsm_instance *instance, const char **effect,
                                           size_t *length, uint64_t *number, wfsm_error *error);
/* Acknowledges all effects up to `number`. Those that were acknowledged before stay so. NOT_FOUND:
 * no effect of this number was made. INVALID, BUSY, SEALED, and what the store answers. */
WFSM_API int32_t wfsm_instance_ack(wfsm_instance *instance, uint64_t number, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
