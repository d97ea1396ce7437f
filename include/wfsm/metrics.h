/*
 * wfsm/metrics.h: what an engine does, in numbers, for a monitoring system. The engine only counts; the
 * host serves the text, or makes its own from the struct. `wfsm work --metrics` is such a host. Since 0.1.
 */
#ifndef WFSM_METRICS_H
#define WFSM_METRICS_H

#include <wfsm/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set `size`; the call sets the rest. The numbers count from when the engine was made, except for the
 * last five, which are those of now. Since 0.1. */
typedef struct wfsm_engine_counts {
    size_t size;
    /* Calls of wfsm_engine_run() and wfsm_engine_finish(), and those of the host that are rounds of
     * their own, such as wfsm_engine_send(). */
    uint64_t rounds;
    uint64_t exchanges; /* rounds that had something to ask the store */
    uint64_t exchanges_failed; /* of these, those that were refused or not answered */
    uint64_t exchanges_timed; /* of these, those that the `clock` of the options has measured */
    /* The sum of their times in ms. If an exchange is on another thread, its time is that from
     * wfsm_engine_prepare() to wfsm_engine_finish(). */
    uint64_t exchange_ms;
    uint64_t commits; /* that are stored */
    uint64_t commits_refused; /* that the store has refused, or whose answer was lost */
    uint64_t attempts; /* calls that have started an agent */
    /* Attempts whose failure is stored, by its class, as in wfsm_call_failed(). */
    uint64_t failed_network; /* "network" */
    uint64_t failed_timeout; /* "timeout" */
    uint64_t failed_auth; /* "auth" */
    uint64_t failed_schema; /* "schema" */
    uint64_t failed_exit; /* "exit" */
    uint64_t failed_canceled; /* "canceled" */
    uint64_t failed_limit; /* "limit" */
    uint64_t failed_other; /* "other" */
    uint64_t lost; /* instances, as wfsm_engine_on_lost() tells */
    /* Now: the instances of this engine, with those that were evicted. */
    uint64_t instances;
    uint64_t slots; /* wfsm_engine_slots() */
    uint64_t working; /* wfsm_engine_working() */
    uint64_t waiting; /* wfsm_engine_waiting(), the length of the queue */
    /* When the lease lapses, ms, on the scale of the times that the engine gets. 0: there is none. */
    int64_t lease_until;
} wfsm_engine_counts;

/* Fills in counts. Also allowed in callbacks and while a round is out, which does not count before it is
 * finished. INVALID: an argument is NULL, or the size is not set. Since 0.1. */
WFSM_API int32_t wfsm_engine_count(const wfsm_engine *engine, wfsm_engine_counts *counts);
/*
 * The same numbers in the text format of Prometheus 0.0.4 (Content-Type
 * "text/plain; version=0.0.4"), and the times of exchanges as a histogram. doc/deploy.md lists the names, which stay.
 * Borrowed until the next call on the engine. NULL: the engine is NULL, or out of memory. length may be NULL.
 * Since 0.1.
 */
WFSM_API const char *wfsm_engine_metrics(wfsm_engine *engine, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
