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
/* A guard: name is copied, user handed to every call. Fails with INVALID, NO_MEMORY. */
WFSM_API int32_t wfsm_functions_add_guard(wfsm_functions *functions, const char *name,
                                          wfsm_callback guard, void *user, wfsm_error *error);
/* An action, in the same way. */
WFSM_API int32_t wfsm_functions_add_action(wfsm_functions *functions, const char *name,
                                           wfsm_callback action, void *user, wfsm_error *error);

/*
 * Starts a new instance: initial states are entered, and the first commit made. input (JSON
 * object, NULL: none) replaces keys of the machine's initial context. functions may be NULL.
 * The machine is referenced; store and functions are borrowed and must outlive the instance.
 * store NULL: the instance lives in memory only and dies with its handle: no journal and no
 * checkpoints, ids of events are not remembered, and a record is written only for an
 * observer.
 * Fails with EXISTS (such an id is there), NOT_FOUND (a host function is not registered),
 * HOST / SEMANTIC (the start failed: no instance), and what the store answers. Since 0.1.
 */
WFSM_API int32_t wfsm_instance_start(wfsm_instance **instance, wfsm_machine *machine,
                                     wfsm_store *store, const wfsm_functions *functions,
                                     const char *id, const char *input, size_t length,
                                     int64_t now, wfsm_error *error);
/*
 * Loads an instance. machine may be NULL: then the store's own document is compiled; a
 * machine with another fingerprint than the instance's is DENIED. Fails with NOT_FOUND,
 * CORRUPT, VERSION and what the store answers. Changes nothing. Since 0.1.
 */
WFSM_API int32_t wfsm_instance_load(wfsm_instance **instance, wfsm_machine *machine,
                                    wfsm_store *store, const wfsm_functions *functions,
                                    const char *id, wfsm_error *error);
/* Memory only; what is stored stays. */
WFSM_API void wfsm_instance_free(wfsm_instance *instance);

/* Tells `observer` of every commit of this handle, at most once each; NULL ends it. */
WFSM_API int32_t wfsm_instance_observe(wfsm_instance *instance, wfsm_callback observer,
                                       void *user);

/*
 * Inputs. *outcome (may be NULL) is set when the call returns WFSM_OK. A failed step returns
 * WFSM_OK with WFSM_FAILED and *error filled in. `now` is milliseconds from 0 to
 * 2^53 (else INVALID); one that is earlier than the instance's counts as the instance's.
 * LIMIT: JSON of more than 247 nested levels, or too much of it, to be read back.
 */

/* An event. id NULL or a name that makes it idempotent. data NULL: null. */
WFSM_API int32_t wfsm_instance_send(wfsm_instance *instance, const char *event, const char *id,
                                    const char *data, size_t length, int64_t now,
                                    int32_t *outcome, wfsm_error *error);
/* The same for an event by its number (wfsm_machine_event()) and without an id: no name is
 * looked up. INVALID for a number that the machine does not know. Since 0.1. */
WFSM_API int32_t wfsm_instance_send_number(wfsm_instance *instance, int32_t event,
                                           const char *data, size_t length, int64_t now,
                                           int32_t *outcome, wfsm_error *error);
/*
 * Sends instances[i] its events[i] as wfsm_instance_send_number() does, without data, one
 * after the other: each is a step and a commit of its own, unless a batch of the store is
 * open. An instance may stand there several times. The first that returns another status than
 * WFSM_OK ends it, and its status is the answer: *done (may be NULL) tells how many were sent
 * before it, each with its outcome in outcomes (may be NULL). Of very many instances most are
 * not in the processor's cache: this call asks for the next ones while one moves, and is then
 * some three times as fast as a call for each; with few it is no faster. The arrays are
 * borrowed, and the instances have to outlive the call. Since 0.1.
 */
WFSM_API int32_t wfsm_instances_send(wfsm_instance *const *instances, const int32_t *events,
                                     size_t count, int64_t now, int32_t *outcomes, size_t *done,
                                     wfsm_error *error);
/* Fires the oldest timer that is due at `now`, if any: TAKEN, or NO_TRANSITION when a timer
 * was due but nothing handles it, or ENDED; *fired tells whether there was one. Call it
 * until *fired is 0. */
WFSM_API int32_t wfsm_instance_advance(wfsm_instance *instance, int64_t now, int32_t *fired,
                                       int32_t *outcome, wfsm_error *error);
/* Replaces top-level keys of the context; no transition is selected. */
WFSM_API int32_t wfsm_instance_patch(wfsm_instance *instance, const char *json, size_t length,
                                     int64_t now, int32_t *outcome, wfsm_error *error);
/*
 * Keeps the present state under an id, to restore or fork from; an id again replaces it, and
 * is then the newest. artifacts (NULL: none) is a JSON list of names of files or other things
 * that belong to it, kept as they are and never looked at: at most 1,000 of 1 to 4,095 bytes
 * (else LIMIT; SEMANTIC for anything else). ENDED, and no checkpoint, after the end.
 */
WFSM_API int32_t wfsm_instance_checkpoint(wfsm_instance *instance, const char *id,
                                          const char *artifacts, size_t artifacts_length,
                                          int64_t now, int32_t *outcome, wfsm_error *error);
/* Forgets a checkpoint; its record stays in the journal. Also after the end. NOT_FOUND: there
 * is none of this id, and nothing changed. Since 0.1. */
WFSM_API int32_t wfsm_instance_delete_checkpoint(wfsm_instance *instance, const char *id,
                                                 int64_t now, int32_t *outcome,
                                                 wfsm_error *error);
/* Back to a checkpoint, id "" to the newest (DESIGN: invocations canceled and started anew
 * under new ids, timers re-armed with the time they had left). NOT_FOUND; DENIED where the
 * document's `restore` rule does not allow it, and after the end: nothing changed. */
WFSM_API int32_t wfsm_instance_restore(wfsm_instance *instance, const char *id, int64_t now,
                                       int32_t *outcome, wfsm_error *error);
/*
 * Starts a new instance where another one is or was: at its checkpoint, "" for the newest,
 * NULL for the present state of this handle. As a restore without entry actions: invocations
 * start under ids of the new instance, timers have the time that was left, the outbox is
 * empty, and no event id has been taken yet. Document, store and functions are those of the
 * source. The first record holds the state that it came from, so that nobody ever needs the
 * source again. The source is only read, whoever owns it. `now` before the time of that state
 * counts as that time.
 * NOT_FOUND: no such checkpoint; EXISTS: such an id is there; DENIED where the document's
 * `restore` rule would not let the source itself restore, and for the present state of one
 * that has ended (its checkpoints may be forked, if the rule lets them); LIMIT for a state so
 * large that the first record, which holds it twice, could not be read back. On any failure
 * there is no new instance. Since 0.1.
 */
WFSM_API int32_t wfsm_instance_fork(wfsm_instance **fork, wfsm_instance *source,
                                    const char *checkpoint, const char *id, int64_t now,
                                    wfsm_error *error);
/*
 * Goes on under another document of the same machine id: `migrate` of the new document says
 * from which, and what becomes of states and context (doc/migration.md). One input, one
 * commit. On WFSM_OK *instance is a new handle in place of the old one, which is freed;
 * otherwise it stays. functions are those of the new machine. DENIED, with the reason, when
 * the instance cannot go on there, and after its end: nothing changed. Since 0.1.
 */
WFSM_API int32_t wfsm_instance_migrate(wfsm_instance **instance, wfsm_machine *machine,
                                       const wfsm_functions *functions, int64_t now,
                                       int32_t *outcome, wfsm_error *error);
/* A dry run: what wfsm_instance_migrate() would answer; nothing changes. Since 0.1. */
WFSM_API int32_t wfsm_instance_can_migrate(wfsm_instance *instance, wfsm_machine *machine,
                                           const wfsm_functions *functions, int64_t now,
                                           wfsm_error *error);
/*
 * After STORE_UNKNOWN: was the commit stored whose answer was lost? Compares its token, the
 * digest of its record, with what the store has at that revision: *stored is 1 if it is this
 * commit, 0 if nothing or somebody else's is there. INVALID unless the instance is sealed (so
 * ask before it is loaded again; after a conflict the answer is 0), NOT_FOUND if the record has
 * been compacted or the instance removed, and what the store answers. Since 0.1.
 */
WFSM_API int32_t wfsm_instance_was_stored(const wfsm_instance *instance, int32_t *stored,
                                          wfsm_error *error);
/* Ends the instance wherever it is: its exit actions run (when they fail, it ends without them),
 * what is outstanding is dropped, its output is null. The record's input says so, and its
 * status is then "stopped". ENDED in *outcome, also when it had ended already: then nothing
 * changed. Since 0.1. */
WFSM_API int32_t wfsm_instance_stop(wfsm_instance *instance, int64_t now, int32_t *outcome,
                                    wfsm_error *error);
/* The answer of an invocation, by its id. Output is JSON. STALE for any other id. */
WFSM_API int32_t wfsm_instance_result(wfsm_instance *instance, const char *invocation,
                                      const char *output, size_t length, int64_t now,
                                      int32_t *outcome, wfsm_error *error);
/* failure_class as in wfsm_call_failed(); message may be NULL. */
WFSM_API int32_t wfsm_instance_failure(wfsm_instance *instance, const char *invocation,
                                       const char *failure_class, const char *message,
                                       int64_t now, int32_t *outcome, wfsm_error *error);
/* The same, with what is said beside the answer; report may be NULL. INVALID when it is not as
 * wfsm_report says. Since 0.1. */
WFSM_API int32_t wfsm_instance_result_full(wfsm_instance *instance, const char *invocation,
                                           const char *output, size_t length,
                                           const wfsm_report *report, int64_t now,
                                           int32_t *outcome, wfsm_error *error);
/* A failure with what is said beside it. Since 0.1. */
WFSM_API int32_t wfsm_instance_failure_full(wfsm_instance *instance, const char *invocation,
                                            const char *failure_class, const char *message,
                                            const wfsm_report *report, int64_t now,
                                            int32_t *outcome, wfsm_error *error);
/* Ends an invocation, pending or running, as a failure of class "canceled" that no retry rule
 * covers; message (may be NULL) says why. Since 0.1. */
WFSM_API int32_t wfsm_instance_cancel(wfsm_instance *instance, const char *invocation,
                                      const char *message, int64_t now, int32_t *outcome,
                                      wfsm_error *error);
/* A pending invocation starts its next attempt under `owner`. STALE if it is not pending or
 * not due yet, or an item while `maxConcurrency` others of its invocation are running; BLOCKED
 * while a budget refuses it. */
WFSM_API int32_t wfsm_instance_claim(wfsm_instance *instance, const char *invocation,
                                     const char *owner, int64_t now, int32_t *outcome,
                                     wfsm_error *error);

/* Questions: nothing changes. */
/* Its id, borrowed while the instance lives. */
WFSM_API const char *wfsm_instance_id(const wfsm_instance *instance);
/* Its machine, borrowed while the instance lives. */
WFSM_API const wfsm_machine *wfsm_instance_machine(const wfsm_instance *instance);
/* How many inputs it has had, the start among them: from 1. */
WFSM_API uint64_t wfsm_instance_revision(const wfsm_instance *instance);
/* The revision that is surely stored: the same, unless commits of this instance wait in a batch
 * (wfsm_store_batch()) or it was sealed. 0 without a store. Since 0.1. */
WFSM_API uint64_t wfsm_instance_committed(const wfsm_instance *instance);
/* enum wfsm_instance_status. */
WFSM_API int32_t wfsm_instance_status(const wfsm_instance *instance);
/* The time of its last input, in milliseconds. */
WFSM_API int64_t wfsm_instance_now(const wfsm_instance *instance);
/* When wfsm_instance_advance() has something to do, or WFSM_NEVER. */
WFSM_API int64_t wfsm_instance_deadline(const wfsm_instance *instance);
/* Is a state (dotted path or #id) active? 0 too if there is no such state. */
WFSM_API int32_t wfsm_instance_in(const wfsm_instance *instance, const char *state);
/* Has an active state this tag? */
WFSM_API int32_t wfsm_instance_has_tag(const wfsm_instance *instance, const char *tag);
/* The invocation that this instance is a child workflow of; "" if it is none. Borrowed while the
 * instance lives. Since 0.1. */
WFSM_API const char *wfsm_instance_parent(const wfsm_instance *instance);
/* 1 if it was ended by wfsm_instance_stop(). Since 0.1. */
WFSM_API int32_t wfsm_instance_stopped(const wfsm_instance *instance);
/* Which guard blocked the last event: its name, or its rule as JSON; "" if none did. */
WFSM_API const char *wfsm_instance_blocked(const wfsm_instance *instance);

/* JSON, borrowed until the next call on the instance; NULL when out of memory. */
/* The document's budgets at `now`: {NAME: {"used","limit","left"}}, as rules see them. Since
 * 0.1. */
WFSM_API const char *wfsm_instance_budgets(wfsm_instance *instance, int64_t now,
                                           size_t *length);
/* What has failed in a row: [{"invoke","signature","count"}], the last one failed last; rules
 * see that as `failure`. Since 0.1. */
WFSM_API const char *wfsm_instance_failures(wfsm_instance *instance, size_t *length);
/* Dotted paths of the active atomic and final states, in document order. */
WFSM_API const char *wfsm_instance_configuration(wfsm_instance *instance, size_t *length);
/* The context, as a JSON object. */
WFSM_API const char *wfsm_instance_context(wfsm_instance *instance, size_t *length);
/* What the root's final state gave; "null" before. */
WFSM_API const char *wfsm_instance_output(wfsm_instance *instance, size_t *length);
/* Outstanding invocations: [{"id","src","state","status","attempt","claimed","owner",
 * "input",…}]; claimed, the time of the last claim, and owner once there was an attempt. */
WFSM_API const char *wfsm_instance_invocations(wfsm_instance *instance, size_t *length);
/* Pending timers: [{"event","id"?,"due","data"?}]. */
WFSM_API const char *wfsm_instance_timers(wfsm_instance *instance, size_t *length);
/* Exact event names that active states handle and whose guards hold with null data, in
 * document order. */
WFSM_API const char *wfsm_instance_events(wfsm_instance *instance, size_t *length);
/* The record of the last commit of this handle; "" before the first. */
WFSM_API const char *wfsm_instance_record(wfsm_instance *instance, size_t *length);
/* What the last commit of this handle logged, a JSON array of {"label","value"}; "" before the
 * first. */
WFSM_API const char *wfsm_instance_log(wfsm_instance *instance, size_t *length);

/* Would this event be taken? *outcome as of a send. Host guards are asked. */
WFSM_API int32_t wfsm_instance_can(wfsm_instance *instance, const char *event, const char *data,
                                   size_t length, int64_t now, int32_t *outcome,
                                   wfsm_error *error);
/* A dry run of an event: *record is what the record would be (JSON, borrowed), NULL when
 * there would be none. */
WFSM_API int32_t wfsm_instance_try(wfsm_instance *instance, const char *event, const char *data,
                                   size_t length, int64_t now, int32_t *outcome,
                                   const char **record, size_t *record_length,
                                   wfsm_error *error);

/*
 * Effects: pulled after the commit, in order, at least once. next gives the oldest that is
 * not acknowledged, {"id","number","type":"emit","event","data"}, or *effect NULL. Ack
 * raises the mark to `number`.
 */
WFSM_API int32_t wfsm_instance_next_effect(wfsm_instance *instance, const char **effect,
                                           size_t *length, uint64_t *number, wfsm_error *error);
/* Acknowledges all effects up to `number`. NOT_FOUND for one that was never made, and what the
 * store answers. */
WFSM_API int32_t wfsm_instance_ack(wfsm_instance *instance, uint64_t number, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
