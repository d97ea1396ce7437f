/*
 * wfsm/call.h: what a callback of the host is given. One opaque type for guards, actions,
 * agents and observers, so that it can grow; an accessor that does not apply answers NULL,
 * 0 or WFSM_INVALID. Everything borrowed from a call lives until the callback returns.
 *
 * A callback returns WFSM_OK, or any other status for "failed" (an agent's start or poll:
 * class "other"; its probe: unsure). It must not call into the instance or engine that
 * called it: such a call returns BUSY.
 *
 * Answers (allow, patch, done, failed, gone, unsure): if a callback gives several, the last one
 * counts. INVALID: the call is NULL, this callback cannot give this answer, or the text is NULL.
 * NO_MEMORY: the answer cannot be kept, and there is none. Text is copied.
 */
#ifndef WFSM_CALL_H
#define WFSM_CALL_H

#include <wfsm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One call of a callback: what it is asked, and what it answers. Opaque; good until the
 * callback returns. */
typedef struct wfsm_call wfsm_call;
/* A callback of the host. `user` is what was registered with it. Anything but WFSM_OK means
 * that it failed. */
typedef int32_t (*wfsm_callback)(void *user, wfsm_call *call);

/* For all. */
/* The name of the guard, action or agent; for observers, and when an instance is lost, the id of
 * the machine. */
WFSM_API const char *wfsm_call_name(const wfsm_call *call);
/* The id of the instance. */
WFSM_API const char *wfsm_call_instance(const wfsm_call *call);
/* The time of the step that asks, in milliseconds. */
WFSM_API int64_t wfsm_call_now(const wfsm_call *call);

/*
 * For guards and actions: JSON text of *length bytes. NULL, and 0 in *length: out of memory, or
 * the call has no such text.
 */
/* The `params` of the guard or action in the document, evaluated; null if there are none. */
WFSM_API const char *wfsm_call_params(wfsm_call *call, size_t *length);
/* The context of the instance, an object. */
WFSM_API const char *wfsm_call_context(wfsm_call *call, size_t *length);
/* The event that the step reacts to: {"type": its name, "data", "id", "kind"}, or null. */
WFSM_API const char *wfsm_call_event(wfsm_call *call, size_t *length);

/* A guard's answer: 0 is no, anything else yes. A guard without an answer counts as failed. A guard
 * or action may answer wfsm_call_failed(call, NULL, why) instead; the record says why. */
WFSM_API int32_t wfsm_call_allow(wfsm_call *call, int32_t yes);
/* An action's answer: a JSON object of `length` bytes, whose keys replace those of the context.
 * Without an answer nothing changes. Anything but an object counts as failed. */
WFSM_API int32_t wfsm_call_patch(wfsm_call *call, const char *json, size_t length);

/* For agents. */
/* The id of the invocation, INSTANCE/REVISION/ORDINAL-INCARNATION. It is the same for all attempts,
 * and no other work ever has it: an idempotency key. NULL for other calls. */
WFSM_API const char *wfsm_call_id(const wfsm_call *call);
/* The number of the attempt, from 1. */
WFSM_API int32_t wfsm_call_attempt(const wfsm_call *call);
/* The dotted path of the invoking state. */
WFSM_API const char *wfsm_call_state(const wfsm_call *call);
/* The input of the invocation, JSON; NULL as for wfsm_call_params(). */
WFSM_API const char *wfsm_call_input(wfsm_call *call, size_t *length);
/* The JSON Schema that the output must match (doc/machine-format.md), an object; null if there is
 * none. NULL as for wfsm_call_params(). */
WFSM_API const char *wfsm_call_schema(wfsm_call *call, size_t *length);
/* When the claim of this attempt was committed, in milliseconds. Its time limit ends at claimed +
 * timeout, or never (timeout 0). */
WFSM_API int64_t wfsm_call_claimed(const wfsm_call *call);
/* The time limit of an attempt, in milliseconds; 0: none. */
WFSM_API int64_t wfsm_call_timeout(const wfsm_call *call);

/* An agent's answer, from start, poll or probe: its output, JSON of `length` bytes. Without an
 * answer the agent is still at work. A call takes one answer, whatever it is: for the second one
 * this and the functions below return EXISTS. SYNTAX, SEMANTIC, LIMIT: the text is not JSON that can
 * be kept. The attempt then fails with class "schema", unless you answer again in the same call;
 * an output that does not match the schema fails in the same way when it is committed. INVALID:
 * the call takes no such answer. NO_MEMORY: there is no answer yet. */
WFSM_API int32_t wfsm_call_done(wfsm_call *call, const char *json, size_t length);
/* The attempt failed. failure_class is "network", "timeout", "auth", "schema", "exit",
 * "canceled", "limit" or "other" (else INVALID); a guard or an action may leave it NULL. message is for
 * people; bytes that are not UTF-8 become '?'; NULL: "". */
WFSM_API int32_t wfsm_call_failed(wfsm_call *call, const char *failure_class,
                                  const char *message);
/*
 * What an agent can say beside its answer, in the same callback, before it or after it; without an
 * answer it is forgotten. The record holds all of it. INVALID: the call is not of an
 * agent, a value is out of range, or a text is NULL, "" or not UTF-8. NO_MEMORY.
 *   usage        what the work has used: names of the host's choosing ("tokens", "micros"), 1
 *                to 255 bytes, and amounts from 0 to 2^53; amounts of one name add up. Budgets
 *                of that name count it, whether the work succeeded or failed
 *   retry_after  of a failure: the next attempt, if the document allows one, comes no earlier
 *                than so many ms from now (HTTP's Retry-After)
 *   signature    what a failure is recognised by when it is repeated, "test_login failed"; the
 *                default is its class and message without numbers. With a result it says that
 *                the work made no progress
 */
WFSM_API int32_t wfsm_call_usage(wfsm_call *call, const char *name, int64_t amount);
/* How long the next attempt has to wait at least, from 0 to 2^53 ms. */
WFSM_API int32_t wfsm_call_retry_after(wfsm_call *call, int64_t ms);
/* What a repeated failure is recognised by. */
WFSM_API int32_t wfsm_call_signature(wfsm_call *call, const char *signature);
/* From start, poll or probe: the work continues. Only invocations with `heartbeatMs` need it.
 * INVALID from any other callback. */
WFSM_API int32_t wfsm_call_heartbeat(wfsm_call *call);
/* From probe only: the work is not there any more, and left no result. The document's onUnknown
 * decides. */
WFSM_API int32_t wfsm_call_gone(wfsm_call *call);
/* From probe only: it cannot tell what became of the work. The document's onUnknown decides. */
WFSM_API int32_t wfsm_call_unsure(wfsm_call *call);

/* For observers: the record of the commit that was just made, an object (doc/records.md). */
WFSM_API const char *wfsm_call_record(wfsm_call *call, size_t *length);
/* For observers: what the step logged, [{"label", "value"}]. */
WFSM_API const char *wfsm_call_log(wfsm_call *call, size_t *length);

/* For wfsm_engine_on_lost(): why the instance is lost, enum wfsm_lost. Otherwise 0. */
WFSM_API int32_t wfsm_call_lost(const wfsm_call *call);

/*
 * An agent: four callbacks on one user pointer. Only start is required; the size comes
 * first. All are called by wfsm_engine_run, never at the same time.
 *   start   begin the work, or do it; called once for each claimed attempt
 *   poll    asked on every run while it is at work
 *   cancel  the state was left, the time limit has passed, or the engine shuts down: stop and
 *           forget; the call has no answer, and no input when the invocation is gone. It may
 *           be about work that a process before this one began
 *   probe   after a crash: what became of it? done or failed with the result; no answer:
 *           running (it is polled from now on); gone; unsure
 */
typedef struct wfsm_agent {
    size_t size;
    void *user; /* handed to all of them */
    wfsm_callback start; /* required */
    wfsm_callback poll; /* or NULL */
    wfsm_callback cancel; /* or NULL */
    wfsm_callback probe; /* or NULL */
} wfsm_agent;

/* Details of an answer that is given by id: see wfsm_result and wfsm_failure. A member that is 0
 * or NULL is ignored. Borrowed for the call. */
typedef struct wfsm_report {
    size_t size;
    const char *usage; /* JSON: an object of whole numbers, or NULL */
    size_t usage_length; /* bytes of usage */
    const char *signature; /* as in wfsm_call_signature(), or NULL */
    int64_t retry_after; /* ms */
    uint64_t descendants; /* of an invocation of a machine: the child workflow that was at work,
                             and all that ever descended from it; what is left of its share goes
                             back to the parent. 0: unknown, and the whole share is used up */
} wfsm_report;

#ifdef __cplusplus
}
#endif
#endif
