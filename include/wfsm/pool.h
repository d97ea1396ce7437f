/*
 * wfsm/pool.h: the pool of an engine: how many invocations are at work at once, which one is next,
 * and what is at work and waiting now. `pool` in a machine gives an invocation a priority, a phase
 * and a group. They are in the ledger, so a new engine on the same store has the same pool. Limits
 * are not stored: the host sets them again.
 *
 * The order is by priority (high, normal, low), then by age. An invocation counts one priority
 * higher for each promote_ms (wfsm_engine_options) that it has waited, so that none starves. One
 * whose agent, phase or group is at its limit does not hold up those behind it.
 */
#ifndef WFSM_POOL_H
#define WFSM_POOL_H

#include <wfsm/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a limit or a count is of. */
enum wfsm_pool_kind {
    WFSM_POOL_ALL = 0,
    WFSM_POOL_AGENT = 1,
    WFSM_POOL_PHASE = 2,
    WFSM_POOL_GROUP = 3
};

/*
 * At most `most` invocations at work at once:
 *   WFSM_POOL_ALL, NULL   of the engine: its slots; at least 1
 *   another kind, NULL    of each agent, phase or group without a limit of its own; 0: any number
 *   another kind, a name  of this one; 0: as the others of its kind
 * A lower limit does not stop what is at work. The name is copied. INVALID: the engine is NULL, or
 * kind, name and `most` are none of these. BUSY: called from a callback of the engine. NO_MEMORY.
 */
WFSM_API int32_t wfsm_engine_limit(wfsm_engine *engine, int32_t kind, const char *name,
                                   uint32_t most, wfsm_error *error);
/*
 * At most `most` invocations of this agent, phase or group at work at once in all engines together that
 * use the same store and namespace; 0: no such limit. Every engine sets it, to the same number; what is
 * smaller holds for its own claims. Its own limits hold beside it. The engine asks the store for permits in its
 * exchanges: an invocation that needs one waits until the exchange after the one that asks. Engines that
 * wait for permits ask again with every look (`look_ms`), and get a fair share. The permits of an engine that is
 * gone lapse with its lease. INVALID: the engine is NULL, or kind, name or `most` is none. DENIED: the
 * store cannot do this (wfsm_store_vtable.permits). BUSY: called from a callback. NO_MEMORY. Since 0.1.
 */
WFSM_API int32_t wfsm_engine_limit_shared(wfsm_engine *engine, int32_t kind, const char *name,
                                          uint32_t most, wfsm_error *error);

/* How often work may begin. Copied. Since 0.1. */
typedef struct wfsm_pool_rate {
    size_t size;
    int32_t kind; /* WFSM_POOL_AGENT, WFSM_POOL_PHASE or WFSM_POOL_GROUP */
    int32_t shared; /* 1: in all engines of the store and namespace together; 0: in this one */
    const char *name; /* of the agent, phase or group */
    int64_t per_ms; /* a period, 1 to 2147483647 ms */
    uint32_t count; /* attempts in a period, up to 2147483647; 0: no rate */
} wfsm_pool_rate;

/*
 * Limits how often attempts of one agent, phase or group begin, by a token bucket: `count` can begin at
 * once, and one more every per_ms / count. So in any time T at most count + T * count / per_ms begin. An
 * attempt counts when it is claimed, whether or not the claim is stored. doc/pool.md says what is not exact.
 * A name has one rate: the last call sets it. The store keeps a shared rate, by its clock; every engine sets
 * it, to the same numbers, and takes tokens in its exchanges. The engine does not store its rates: a new
 * engine sets them again. INVALID: the engine is NULL, or a member is out of its range. DENIED: shared, and
 * the store cannot do this (wfsm_store_vtable.rates). BUSY: called from a callback. NO_MEMORY. Since 0.1.
 */
WFSM_API int32_t wfsm_engine_rate(wfsm_engine *engine, const wfsm_pool_rate *rate,
                                  wfsm_error *error);

/* How many slots there are, at work or free. */
WFSM_API size_t wfsm_engine_slots(const wfsm_engine *engine);
/* Invocations that wait for a slot, for room below a limit, or for the time of a retry. */
WFSM_API size_t wfsm_engine_waiting(const wfsm_engine *engine);
/* 1 if `count` more could be at work at once: working + count <= slots. Otherwise 0. */
WFSM_API int32_t wfsm_engine_can_spawn(const wfsm_engine *engine, size_t count);
/* How many invocations of one agent, phase or group are at work, and how many wait; both may be
 * NULL, and are 0 for a name that no invocation has. WFSM_POOL_ALL with NULL: of the engine.
 * INVALID: the engine is NULL, there is no such kind, or it needs a name, or none. */
WFSM_API int32_t wfsm_engine_pool_count(const wfsm_engine *engine, int32_t kind,
                                        const char *name, size_t *working, size_t *waiting);
/*
 * The pool as a JSON object, borrowed until the next call on the engine; NULL when out of memory:
 *   "slots", "working", "free", "waiting"   counts
 *   "agents", "phases", "groups"            {NAME: {"working", "waiting", "most"?, "shared"?, "permits"?,
 *                                           "rate"?, "perMs"?}}
 * The names, in the order of their bytes, are those of outstanding invocations, and those that have
 * a limit of their own. "most" is the limit; it is missing where there is none. "shared" is one that all
 * engines share, and "permits" what this one has of it. "rate" and "perMs" are those of wfsm_engine_rate().
 */
WFSM_API const char *wfsm_engine_pool(wfsm_engine *engine, size_t *length);
/*
 * The outstanding invocations of one agent, phase or group, or of all (WFSM_POOL_ALL, NULL): a JSON
 * array, borrowed until the next call on the engine. They are in the order in which the engine got
 * its instances, and for each instance in the order in which they were made. NULL: out of memory,
 * or INVALID as for wfsm_engine_pool_count(). Each is an object:
 *   "id", "instance", "agent"   ids and the agent's name
 *   "state"                     dotted path of the invoking state
 *   "status"                    "working" or "waiting"
 *   "attempt"                   number of the last attempt; 0: none was claimed yet
 *   "claimed" or "due"          ms: working since; waiting, and not to be claimed before
 *   "pool"                      an object, as in the document, evaluated
 */
WFSM_API const char *wfsm_engine_work(wfsm_engine *engine, int32_t kind, const char *name,
                                      size_t *length);

/* Ends an invocation that waits or is at work, as wfsm_instance_cancel(), which has the
 * outcomes and the other errors. Its agent is told on the next run. NOT_FOUND: its instance is
 * not this engine's. */
WFSM_API int32_t wfsm_engine_cancel(wfsm_engine *engine, const char *invocation,
                                    const char *message, int64_t now, int32_t *outcome,
                                    wfsm_error *error);
/* Starts the next attempt of an invocation without waiting, as wfsm_instance_retry(), which has the
 * outcomes and the other errors. STALE also while an answer waits for its commit. An agent at
 * work is told on the next run, which starts the next attempt. NOT_FOUND: its instance is not this
 * engine's. Since 0.1. */
WFSM_API int32_t wfsm_engine_retry(wfsm_engine *engine, const char *invocation, int64_t now,
                                   int32_t *outcome, wfsm_error *error);

/* The event to post once one agent, phase or group has nothing to do. Set all members; copied. */
typedef struct wfsm_pool_wait {
    size_t size;
    int32_t kind; /* WFSM_POOL_AGENT, WFSM_POOL_PHASE or WFSM_POOL_GROUP */
    const char *name; /* of the agent, phase or group */
    const char *instance; /* the id of the instance that the event is posted to */
    const char *event; /* its name */
    const char *event_id; /* its id: the instance takes it once */
} wfsm_pool_wait;

/*
 * Posts an event to the inbox of an instance of the store, whichever engine owns it, when one
 * agent, phase or group has no invocation at work or waiting in this engine. The data is
 * {"phase":"development"}, or the same with "agent" or "group". If there is no such invocation
 * now, the call posts at once; otherwise the run in which the last one ends does. The post is
 * durable. The waiting is not: after a restart ask again with the same event_id.
 * INVALID: a member is not set or not a name, or now is negative. NOT_FOUND: the call posts at
 * once, and there is no such instance. BUSY: called from a callback of the engine. NO_MEMORY,
 * and what the store answers.
 */
WFSM_API int32_t wfsm_engine_await_empty(wfsm_engine *engine, const wfsm_pool_wait *wait,
                                         int64_t now, wfsm_error *error);
/*
 * Work that no state asks for. `requests` is a JSON array of 1 to 10,000 objects
 * {"agent", "input"?, "priority"?, "phase"?, "group"?}, all of agents that this engine has. One
 * commit starts an instance `id` of a small machine ("wfsm.batch") that invokes them all, so
 * they are there all or none; their ids are ID/1/1, ID/1/2, … in the order of the requests. The
 * instance ends when all have ended, well or not, and its output has a result for each, in the
 * order of the requests: {"output": …} or {"error": {"class", "message", "attempts"}}. If you
 * need retries or time limits, write such a machine of your own: an invoke with `items`.
 * INVALID: a request is not as above, and the message names it. EXISTS: there is an instance `id`.
 * SYNTAX, LIMIT: requests is not JSON, or too deep. NO_MEMORY, and as wfsm_engine_start().
 */
WFSM_API int32_t wfsm_engine_spawn(wfsm_engine *engine, const char *id, const char *requests,
                                   size_t length, int64_t now, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
