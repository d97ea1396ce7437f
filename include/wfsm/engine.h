/*
 * wfsm/engine.h: drives many instances over one store, with agents, slots, retries, the
 * inbox and ownership. It has no thread and no clock: the host calls wfsm_engine_run() with
 * the time, whenever something may have happened, and at wfsm_engine_deadline() the latest.
 * The engine owns its instances; they are addressed by id.
 */
#ifndef WFSM_ENGINE_H
#define WFSM_ENGINE_H

#include <wfsm/base.h>
#include <wfsm/call.h>
#include <wfsm/instance.h>
#include <wfsm/machine.h>
#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Drives many instances of one store, with their agents. Belongs to one thread at a time. */
typedef struct wfsm_engine wfsm_engine;

/* The time in ms, on any scale that only rises. Called often, by the thread that makes the round. Must
 * not call the engine. `user` is the host's. Since 0.1. */
typedef int64_t (*wfsm_clock)(void *user);

/* Set `size`, `session` and `now`. Elsewhere 0 and NULL take the default. Copied. */
typedef struct wfsm_engine_options {
    size_t size;
    const char *session; /* name of this engine's session, 1 to 255 bytes of UTF-8; required. It
                            owns the instances of this engine, and no other engine, at any time,
                            may have the same name: make it of host, process, start time and a
                            random part, or use wfsm_session_name() of wfsm/agents.h */
    int64_t lapse_ms; /* without a sign of life for so long, others may take over;
                           default 10,000. Run must be called at least three times as often */
    uint32_t slots; /* invocations at work at once, default 15 */
    const wfsm_allocator *allocator; /* NULL: the C library's */
    int64_t promote_ms; /* an invocation that has waited so long for a slot counts one
                           priority higher; default 300,000; WFSM_NEVER: never */
    const wfsm_step_limits *limits; /* of all instances of this engine, from their next step
                           on; copied. NULL: as they are */
    uint32_t children; /* child workflows at work at once, at each depth below a root instance;
                           the others wait. They take no slots. Default 10,000 */
    int64_t now; /* the time, ms, from 0: a session of this name whose lease lapsed before
                           does not count. With 0 every one counts */
    int64_t look_ms; /* how often the engine looks for what others have posted or done to its
                           instances: wfsm_engine_deadline() is not later than so many ms after the
                           last look, unless wfsm_engine_fd() tells. Default 1,000; WFSM_NEVER: only
                           when something else is due */
    uint32_t round_inputs; /* inputs of one round at most. The rest is due at once; whatever the
                           bounds, a round takes at least one. Default 10,000; 128 on a store that
                           has neither `transaction` nor `exchange`, such as the one in memory,
                           where a large round saves nothing. Since 0.1. */
    size_t round_bytes; /* a round takes no more inputs when the records and snapshots that it
                           stores have so many bytes, default 16 MiB. Since 0.1. */
    /* A round takes no more inputs after so many ms by the clock. Finish calls no more agents, and
     * delivers no more effects, after so many more. Default: a tenth of lapse_ms. Since 0.1. */
    int64_t round_ms;
    wfsm_clock clock; /* for round_ms; NULL: rounds have no bound of time. Since 0.1. */
    void *clock_user; /* its `user`. Since 0.1. */
    /* So many instances that only wait for an event, a timer or a person stay in memory. Beyond that the
     * engine evicts those that were used least recently: each keeps its id and its next time, less than
     * 512 bytes, and is loaded from the store when its time comes. An instance with agents at work,
     * effects to deliver, or a parent is never evicted. Default: all stay. Since 0.1. */
    uint32_t cached_instances;
    /* While nothing happens, the time between looks doubles, from look_ms up to so many ms; each time a
     * random part of up to a quarter is taken off. A round then looks only when that time has come, when
     * it has something to store, or after wfsm_engine_look(). For a store on a server; a third of
     * lapse_ms is a good value, because such a look is also the sign of life. From look_ms to 2^53.
     * Default 0: every round looks. Since 0.1. */
    int64_t look_most_ms;
} wfsm_engine_options;

/*
 * *engine is new; the store is borrowed and must outlive it. Claims the session's row in the store,
 * which the engine then keeps alive. INVALID: an argument is NULL, or an option is missing or out of
 * range. DENIED: a session of this name is alive; the message says until when. NO_MEMORY, and what
 * the store answers. On failure there is no engine. When the claim was STORE_UNKNOWN, the name may
 * stay taken until the lease lapses.
 */
WFSM_API int32_t wfsm_engine_new(wfsm_engine **engine, wfsm_store *store,
                                 const wfsm_engine_options *options, wfsm_error *error);
/* Cancels what its agents do (they are told), gives up its instances, frees. The ledger
 * still says running: the next owner starts it anew or reattaches. NULL: nothing happens. BUSY, and it
 * is not freed: from one of its callbacks, or while a round is out (wfsm_engine_prepare()). */
WFSM_API int32_t wfsm_engine_free(wfsm_engine *engine);

/* The machine is referenced. Instances of other machines load their own documents. Of several
 * machines of one id, wfsm_engine_start takes the one that was added last. */
WFSM_API int32_t wfsm_engine_add_machine(wfsm_engine *engine, wfsm_machine *machine,
                                         wfsm_error *error);
/* An agent that is one function: start. EXISTS if the name is taken. Work for an agent that
 * this engine does not have stays pending. */
WFSM_API int32_t wfsm_engine_add_agent(wfsm_engine *engine, const char *name,
                                       wfsm_callback start, void *user, wfsm_error *error);
/* An agent with all four callbacks; the struct is copied. */
WFSM_API int32_t wfsm_engine_add_agent_full(wfsm_engine *engine, const char *name,
                                            const wfsm_agent *agent, wfsm_error *error);
/* A guard of the host, by name; adding a name twice replaces it. */
WFSM_API int32_t wfsm_engine_add_guard(wfsm_engine *engine, const char *name,
                                       wfsm_callback guard, void *user, wfsm_error *error);
/* An action of the host, by name; adding a name twice replaces it. */
WFSM_API int32_t wfsm_engine_add_action(wfsm_engine *engine, const char *name,
                                        wfsm_callback action, void *user, wfsm_error *error);
/* Told of every commit that this engine makes: wfsm_call_instance(), _record(), _log(). */
WFSM_API int32_t wfsm_engine_observe(wfsm_engine *engine, wfsm_callback observer, void *user,
                                     wfsm_error *error);
/* Effects (`emit`) are handed to this function after their commit. When it returns WFSM_OK, the next
 * round acknowledges them; at least once, in order for each instance. wfsm_call_name() is the event,
 * wfsm_call_id() the effect's id, wfsm_call_input() its data. Without one they wait; one that
 * is refused comes again in a round at a later time, and those behind it wait. */
WFSM_API int32_t wfsm_engine_on_effect(wfsm_engine *engine, wfsm_callback deliver, void *user,
                                       wfsm_error *error);
/* Told of what is probably a mistake, once each, or of a document that wfsm_engine_share() leaves alone:
 * then wfsm_call_name() is the machine, wfsm_call_id() the fingerprint, and the rule "unserved-document".
 * Otherwise an invocation has waited for an agent that nobody
 * has had for a minute, by the times that wfsm_engine_run() gets. wfsm_call_name() is the agent,
 * wfsm_call_id() the invocation, wfsm_call_instance() its instance, and wfsm_call_input() JSON:
 * {"severity", "rule": "unknown-agent", "message"}. `tell` NULL: nobody is told. Since 0.1. */
WFSM_API int32_t wfsm_engine_on_diagnostic(wfsm_engine *engine, wfsm_callback tell, void *user,
                                           wfsm_error *error);

/* Why an engine has lost an instance. */
enum wfsm_lost {
    WFSM_LOST_TAKEN = 1, /* another session owns it: it took it over while the lease of this one
                            had lapsed (the process was stopped, or the computer was asleep) */
    WFSM_LOST_REMOVED = 2, /* the store does not have it any more */
    WFSM_LOST_SESSION = 3, /* another process has this session, under the same name: the engine
                              loses all instances */
    WFSM_LOST_SET_BACK = 4 /* the store has an older revision than the one that this engine has
                              committed: somebody restored a backup while it was in use */
};
/*
 * Calls `lost` when this engine has lost an instance. A call of the engine finds this out,
 * usually wfsm_engine_run(). wfsm_call_instance() is its id, wfsm_call_lost() the reason, and
 * wfsm_call_now() the time. The agents at work for it have been told to stop, and
 * wfsm_engine_instance() answers NULL for it from then on. A loop that waits for the instance must
 * end here, or the host adopts it again later. The answer of the callback is ignored. There is
 * one such callback: a second call replaces it, and NULL removes it. INVALID: the engine is NULL.
 * BUSY.
 */
WFSM_API int32_t wfsm_engine_on_lost(wfsm_engine *engine, wfsm_callback lost, void *user,
                                     wfsm_error *error);

/* Starts an instance of the named machine, owned by this engine. As wfsm_instance_start. After STORE_UNKNOWN,
 * start it again: EXISTS means that it was stored, and then wfsm_engine_adopt() brings it into this
 * engine, which may own it already. */
WFSM_API int32_t wfsm_engine_start(wfsm_engine *engine, const char *machine, const char *id,
                                   const char *input, size_t length, int64_t now,
                                   wfsm_error *error);
/* An instance to start, for wfsm_engine_start_all(). Set all but `input` and `length`. Borrowed for
 * the call. Since 0.1. */
typedef struct wfsm_start {
    size_t size; /* sizeof(wfsm_start) */
    const char *machine; /* id of a machine that was added */
    const char *id; /* of the new instance, 1 to 255 bytes of UTF-8 */
    const char *input; /* JSON, an object; NULL: none */
    size_t length; /* bytes of input */
} wfsm_start;
/*
 * Starts many instances, in this order, as wfsm_engine_start() does, but up to 1,000 of them in one
 * transaction of the store, with one sync. answers[i] is what wfsm_engine_start() would have returned
 * for starts[i]. One that is refused does not concern the others: they are started all the same.
 * If two have the same id, the second one is EXISTS. `now` in milliseconds. The arrays have `count`
 * elements; with 0 nothing happens. WFSM_OK: all were started. Otherwise the answer of the first that
 * was not, and the error says which, and why; the answers say it of each. If the call as a whole is
 * refused, that is the answer of each: INVALID (an array is NULL, or the time is negative) and BUSY.
 * Since 0.1.
 */
WFSM_API int32_t wfsm_engine_start_all(wfsm_engine *engine, const wfsm_start *const *starts,
                                       size_t count, int64_t now, int32_t *answers,
                                       wfsm_error *error);
/* Takes over an instance that is stored: NOT_FOUND; DENIED while another owner lives. What
 * ran under an owner that is gone is probed on the next run. Adopting twice is WFSM_OK. */
WFSM_API int32_t wfsm_engine_adopt(wfsm_engine *engine, const char *id, int64_t now,
                                   wfsm_error *error);
/*
 * Adopts many instances, as wfsm_engine_adopt() does, but up to 256 of them in one transaction of the
 * store. answers[i] is what wfsm_engine_adopt() would have returned for ids[i]. One that is refused does
 * not concern the others. `now` in milliseconds. The arrays have `count` elements; with 0 nothing happens.
 * WFSM_OK: all were adopted. Otherwise the first answer that is neither OK nor DENIED, or DENIED if there
 * is no other; the error describes it. If the call as a whole is refused, that is the answer of each:
 * INVALID (an array is NULL, an id is none, or the time is negative) and BUSY. Since 0.1.
 */
WFSM_API int32_t wfsm_engine_adopt_list(wfsm_engine *engine, const char *const *ids,
                                        size_t count, int64_t now, int32_t *answers,
                                        wfsm_error *error);
/* Adopts every unfinished instance that nobody alive owns; *count (may be NULL) of them. With a
 * wfsm_engine_on_effect(), set before, also those that have ended, and whose effects were not all
 * delivered. Instances of sessions that are alive are not searched, if the store
 * knows `lapsed`. */
WFSM_API int32_t wfsm_engine_adopt_all(wfsm_engine *engine, int64_t now, size_t *count,
                                       wfsm_error *error);
/*
 * Engines on several machines share the instances of a store: each calls this about once a second. Set
 * `size`; 0 and NULL take the default. Since 0.1.
 */
typedef struct wfsm_share {
    size_t size;
    size_t most; /* takes so many instances at most, and gives up so many; default 1,000 */
    /* Called after instances were taken, up to 256 at a time: the session that they belonged to, which is
     * gone, or "" for nobody, and their ids, borrowed for the call. It must not call the engine. NULL: nobody
     * is told. */
    void (*told)(void *user, const char *owner, const char *const *ids, size_t count);
    void *user; /* for told */
    /* The engine sets these: */
    size_t taken; /* how many instances it has taken */
    size_t given_up; /* how many it gives up: they are free after the next round */
    int32_t more; /* 1: `most` was reached, so call again soon */
} wfsm_share;
/*
 * Takes this engine's share of what nobody alive owns, and gives up what has become the share of others.
 *
 * An engine serves a document, and takes its instances, if the host has added a machine with its id, in
 * whatever version, and if all that the document names is registered here: agents, guards, actions, and the
 * machines of children, which must be served, too. People need not be registered. Instances of other
 * documents stay where they are; a store that can tell who serves what does not even read them. wfsm_engine_on_diagnostic() tells of a version in the store
 * that is not served.
 *
 * If the store can tell who serves what (`share` of its vtable; that of PostgreSQL can), the shards of each
 * document are divided among the sessions that serve it and are alive, as evenly as possible. An engine takes
 * only instances of its shards. When another engine joins, it gives up those that this call has taken, that
 * are now in a shard of the other one, and that nothing is done for: no agent is at work, no child, no effect
 * waits to be delivered. Those that are busy follow later. Nothing has to be restarted. A session that makes
 * no more calls keeps its share until its lease lapses. What the host has started or adopted by id stays
 * here. If the answer to a start or to taking was lost, the store may have given instances to this engine's
 * session that are not here; a later call takes them, too. With any other store, and in the moments when engines do not know of each other yet, everything that
 * is served and free may be taken by every engine; the store gives each instance to one.
 *
 * With a wfsm_engine_on_effect(), set before, it also takes instances that have ended and whose effects were
 * not all delivered. share may be NULL. Returns the first failure, after it has done what else it could.
 * INVALID: the time is negative, or the struct has no size. BUSY, NO_MEMORY, and what the store answers.
 */
WFSM_API int32_t wfsm_engine_share(wfsm_engine *engine, int64_t now, wfsm_share *share,
                                   wfsm_error *error);
/* As wfsm_instance_send(), for an instance of this engine (else NOT_FOUND). */
WFSM_API int32_t wfsm_engine_send(wfsm_engine *engine, const char *id, const char *event,
                                  const char *event_id, const char *data, size_t length,
                                  int64_t now, int32_t *outcome, wfsm_error *error);
/* The same with a wfsm_event, which also says where the event comes from. */
WFSM_API int32_t wfsm_engine_send_event(wfsm_engine *engine, const char *id,
                                        const wfsm_event *event, int64_t now, int32_t *outcome,
                                        wfsm_error *error);
/* As wfsm_instance_stop(), for an instance of this engine. Its agents are told on the next
 * run. */
WFSM_API int32_t wfsm_engine_stop(wfsm_engine *engine, const char *id, int64_t now,
                                  int32_t *outcome, wfsm_error *error);
/* As wfsm_instance_patch(), for an instance of this engine. */
WFSM_API int32_t wfsm_engine_patch(wfsm_engine *engine, const char *id, const char *json,
                                   size_t length, int64_t now, int32_t *outcome,
                                   wfsm_error *error);
/* As wfsm_instance_checkpoint(), for an instance of this engine. */
WFSM_API int32_t wfsm_engine_checkpoint(wfsm_engine *engine, const char *id,
                                        const char *checkpoint, const char *artifacts,
                                        size_t artifacts_length, int64_t now, int32_t *outcome,
                                        wfsm_error *error);
/* As wfsm_instance_delete_checkpoint(), for an instance of this engine. */
WFSM_API int32_t wfsm_engine_delete_checkpoint(wfsm_engine *engine, const char *id,
                                               const char *checkpoint, int64_t now,
                                               int32_t *outcome, wfsm_error *error);
/* As wfsm_instance_restore(), for an instance of this engine: what is at work is withdrawn
 * (its agents are told on the next run), and the invocations of the restored state start. */
WFSM_API int32_t wfsm_engine_restore(wfsm_engine *engine, const char *id,
                                     const wfsm_restore_point *from, int64_t now,
                                     int32_t *outcome, wfsm_error *error);
/* As wfsm_instance_migrate(), for an instance of this engine, with the host functions that
 * were registered here. Agents whose work the new document still wants stay at it, under the
 * same invocation ids; the others are told on the next run, and what is new begins. The
 * machine is kept for as long as the engine lives, but started only once it is added. */
WFSM_API int32_t wfsm_engine_migrate(wfsm_engine *engine, const char *id, wfsm_machine *machine,
                                     int64_t now, int32_t *outcome, wfsm_error *error);
/* As wfsm_instance_fork(), of any instance of the store, whoever has it: the new one is this
 * engine's, and its invocations start here. NOT_FOUND: no such source or restore point; EXISTS;
 * DENIED. */
WFSM_API int32_t wfsm_engine_fork(wfsm_engine *engine, const char *source,
                                  const wfsm_restore_point *from, const char *id, int64_t now,
                                  wfsm_error *error);
/* Answers of agents that said nothing in their callbacks, by invocation id. */
WFSM_API int32_t wfsm_engine_result(wfsm_engine *engine, const char *invocation,
                                    const char *output, size_t length, int64_t now,
                                    int32_t *outcome, wfsm_error *error);
/* The failure of an agent that said nothing in its callbacks, as wfsm_instance_failure(). */
WFSM_API int32_t wfsm_engine_failure(wfsm_engine *engine, const char *invocation,
                                     const char *failure_class, const char *message,
                                     int64_t now, int32_t *outcome, wfsm_error *error);
/* The same, with what is said beside the answer; report may be NULL. */
WFSM_API int32_t wfsm_engine_result_full(wfsm_engine *engine, const char *invocation,
                                         const char *output, size_t length,
                                         const wfsm_report *report, int64_t now,
                                         int32_t *outcome, wfsm_error *error);
/* A failure with what is said beside it; report may be NULL. */
WFSM_API int32_t wfsm_engine_failure_full(wfsm_engine *engine, const char *invocation,
                                          const char *failure_class, const char *message,
                                          const wfsm_report *report, int64_t now,
                                          int32_t *outcome, wfsm_error *error);
/* The work of an invocation goes on: wfsm_call_heartbeat() from outside. NOT_FOUND when it is
 * not at work here. */
WFSM_API int32_t wfsm_engine_heartbeat(wfsm_engine *engine, const char *invocation, int64_t now,
                                       wfsm_error *error);

/*
 * Makes one round. Everything that is ready is an input of it: posts from the inbox, what agents
 * answer when they are polled, due timers, the claims of invocations while slots are free. All of
 * these are stored together, in one transaction. Then observers are told, effects are delivered, and
 * agents are started or told to stop. What they answer at once is an input of the next round, and so
 * is everything else that follows from this one. As long as something is due,
 * wfsm_engine_deadline() is not later than `now`: call again. A host that wants all that can be done
 * now writes
 *     do
 *         status = wfsm_engine_run(engine, now, error);
 *     while (status == WFSM_OK && wfsm_engine_deadline(engine) <= now);
 * A slot that becomes free is taken in the next round at the earliest. So one round claims as many
 * invocations as there are slots at most.
 *
 * Returns the first failure of the store or of memory, after it has done what else it could. What
 * failed is tried again in a round at a later time. If the store has refused the commits of an
 * instance, and none of them can be stored, the instance is in the state before them, and its inputs
 * are made again. After a conflict or a lost answer it is loaded again, and dropped when another
 * engine has it; its agents are told, and the others continue. What others commit to an instance of
 * this engine is noticed in the round after the next exchange, or by the next input. A round is bounded:
 * by a number of inputs (1,024 of them posts), by bytes, and by time if the host gives a clock
 * (wfsm_engine_options). The rest is due at once.
 */
WFSM_API int32_t wfsm_engine_run(wfsm_engine *engine, int64_t now, wfsm_error *error);

/* A round between its three parts. */
typedef struct wfsm_round wfsm_round;

/*
 * The three parts of wfsm_engine_run(), for a host whose loop must not wait for a disk or a network:
 *     if (wfsm_engine_prepare(engine, now, &round, error) == WFSM_OK) {
 *         wfsm_round_exchange(round);     perhaps on another thread
 *         status = wfsm_engine_finish(engine, round, later, error);
 *     }
 * Prepare makes the inputs and their steps. It calls guards, actions and polls. The exchange only
 * talks to the store. Finish puts into effect what was stored: it calls observers, agents, and the
 * function of wfsm_engine_on_effect().
 *
 * From prepare to finish the round is out. The store handle belongs to it: any other use of the
 * handle is BUSY. What the host sends meanwhile (events, stops, results, failures, cancellations,
 * retries) has the outcome QUEUED: the engine keeps a copy, in memory, until a round has stored it,
 * and the next round takes it; finish of that round returns what becomes of an input that is refused.
 * The other calls that change something are BUSY, and so is freeing the engine. Questions are
 * answered, from the state that the store has confirmed: the round changes nothing before finish. (If
 * a step of the round has unset a key of a context, and another step of the same instance followed,
 * that instance shows its new state.) wfsm_instance_record() is then the record of the step.
 *
 * wfsm_round_exchange() may run on another thread; it uses the allocators of engine and store there,
 * which must then be safe for that. The host waits for it before it calls finish. It returns what the
 * store says of the round as a whole; finish returns it, too. Without an exchange, finish takes all
 * steps back, as if the store had failed. `now` is the time of the call, in milliseconds.
 *
 * prepare: *round is borrowed until finish. INVALID: a time is negative, or an argument is NULL. BUSY:
 * a round is out already, a batch of the store is open, or a callback makes the call. NO_MEMORY: there
 * is no round. exchange: INVALID: there is none, or it had its exchange. finish: INVALID: this round is
 * not out; otherwise as wfsm_engine_run(). Since 0.1.
 */
WFSM_API int32_t wfsm_engine_prepare(wfsm_engine *engine, int64_t now, wfsm_round **round,
                                     wfsm_error *error);
/* The second part. */
WFSM_API int32_t wfsm_round_exchange(wfsm_round *round);
/* The third part. The round is gone afterwards. */
WFSM_API int32_t wfsm_engine_finish(wfsm_engine *engine, wfsm_round *round, int64_t now,
                                    wfsm_error *error);
/*
 * The next call that gives this engine one input does not talk to the store, so that it waits for
 * nothing: it makes the step and returns, and its round is out, as after wfsm_engine_prepare().
 *     wfsm_engine_prepare_next(engine, &round, error);
 *     status = wfsm_engine_send_event(engine, id, &event, now, &outcome, error);
 *     if (round) {
 *         wfsm_round_exchange(round);     perhaps on another thread
 *         finished = wfsm_engine_finish(engine, round, later, error);
 *     }
 * *round is set if the call has come so far, also when it then fails; it is borrowed until finish. Set it
 * to NULL before. If the call was WFSM_OK, finish returns what the call would have returned, and only
 * after its WFSM_OK does the outcome hold; EXISTS of an input that has an outcome means DUPLICATE. It
 * calls observers, but no agents: those are called by the next round. Such calls are
 * wfsm_engine_start(), _fork(), _spawn(), those with an outcome (_send, _stop, _patch and the others), and
 * answers of agents; and wfsm_engine_start_all() with up to 1,000, whose answers finish sets. The store
 * is read all the same by a fork, by a restore, by an event with an id, which may be there already, and
 * for an instance that was evicted. Other calls are not concerned. NULL instead of the round: the next
 * call is made as a whole again. INVALID: no engine. BUSY as wfsm_engine_prepare(). Since 0.1.
 */
WFSM_API int32_t wfsm_engine_prepare_next(wfsm_engine *engine, wfsm_round **round,
                                          wfsm_error *error);
/* 1 when no instance of this engine has anything to do without new events: no invocation
 * pending or at work, no timer, and no post that the store has returned. 0 while a round is out. */
WFSM_API int32_t wfsm_engine_idle(const wfsm_engine *engine);
/* When run must be called at the latest: timers, retries, time limits, signs of life, and the next look
 * for what others have done. Agents with a poll callback are the host's to time. */
WFSM_API int64_t wfsm_engine_deadline(const wfsm_engine *engine);
/* A file descriptor that can be read when others have posted something or done something to the
 * engine's instances: wait for it beside the deadline, and then call run, which makes it unreadable.
 * It belongs to the store. -1 if the store has none; those of wfsm have none. Since 0.1. */
WFSM_API int32_t wfsm_engine_fd(const wfsm_engine *engine);
/* The next round looks for what others have done, and is due. For a host with `look_most_ms` that knows
 * that there is something, for example because the descriptor of wfsm_engine_fd() can be read. Also while a
 * round is out; then it is the round after that. INVALID: the engine is NULL. Since 0.1. */
WFSM_API int32_t wfsm_engine_look(wfsm_engine *engine);
/* Invocations at work now. */
WFSM_API size_t wfsm_engine_working(const wfsm_engine *engine);
/* For questions only (configuration, context, …), borrowed until the next call on the
 * engine; NULL if the engine does not have it, or has lost it (wfsm_engine_on_lost). One that was
 * evicted (`cached_instances`) is loaded: NULL if that fails, within a callback, and while a round is
 * out. All questions accept NULL. Instances that have ended stay until they are released; in the store nobody
 * owns them any more, unless effects or posts were left at their end. */
WFSM_API wfsm_instance *wfsm_engine_instance(wfsm_engine *engine, const char *id);
/* Forgets an instance in memory and gives up its ownership; the store keeps it. If it has ended, and
 * nothing is left to deliver, the next exchange of the engine gives it up, with everything else, or
 * wfsm_engine_free() does. Otherwise it belongs to nobody when this returns WFSM_OK. */
WFSM_API int32_t wfsm_engine_release(wfsm_engine *engine, const char *id, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
