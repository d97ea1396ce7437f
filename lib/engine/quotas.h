/* engine/quotas.h: how many jobs of an agent, a phase or a group work and wait. */
#ifndef WF_ENGINE_QUOTAS_H
#define WF_ENGINE_QUOTAS_H

#include <wfsm/engine.h>
#include <wfsm/pool.h>
#include <wfsm/store.h>
#include "engine/heap.h"
#include "engine/rate.h"
#include "instance/instance.h"

/* Kinds beyond enum wfsm_pool_kind: the items of one invocation, with `maxConcurrency`. */
enum { WF_POOL_ITEMS = WFSM_POOL_GROUP + 1 };
/* Quotas of one job, one of each kind from WFSM_POOL_AGENT. */
enum { WF_QUOTAS = WF_POOL_ITEMS };

/* The invocations that share a limit and a count. */
typedef struct wf_quota {
    struct wf_quota *next; /* of the same bucket */
    uint32_t hash;
    int32_t kind;    /* enum wfsm_pool_kind, or WF_POOL_ITEMS */
    uint32_t most;   /* its own limit; 0: that of its kind */
    size_t jobs;     /* jobs that name it; each of them works, waits, or is over */
    size_t working, waiting;
    wf_heap parked;  /* jobs that may be claimed as soon as it has room */
    uint32_t granted; /* claims granted in the round `grant`, if that is the present one */
    uint64_t grant;
    /* Of a limit that all engines of the store share (permits.c). */
    struct wf_quota *next_shared;
    uint32_t shared; /* the limit; 0: there is none */
    uint32_t held; /* permits that this engine has */
    uint32_t asked; /* what it has told the store that it wants */
    uint32_t
        fresh; /* those of them that the last exchange has granted beyond what was in use */
    wfsm_permit *permit; /* in the exchange */
    bool contended; /* other engines wait for some */
    bool is_shared; /* in engine->shared */
    struct wf_quota *next_rated;
    bool is_rated; /* in engine->rated */
    wf_rate rate;
    char name[];
} wf_quota;

struct wf_job;

/* The name of the quota of this kind that an invocation belongs to, NULL if there is none.
 * Not for WF_POOL_ITEMS. */
const char *wf_quota_name(const wfsm_machine *machine, const wf_invocation *invocation,
                          int32_t kind);
wf_quota *wf_quota_find(const wfsm_engine *engine, int32_t kind, const char *name);
/* Makes the quota if there is none. NULL when out of memory. */
wf_quota *wf_quota_get(wfsm_engine *engine, int32_t kind, const char *name);
/* Frees the quota unless a job names it or it has a limit of its own. */
void wf_quota_drop(wfsm_engine *engine, wf_quota *quota);
void wf_quotas_free(wfsm_engine *engine);

/* The limit in force; UINT32_MAX without one. */
uint32_t wf_quota_limit(const wfsm_engine *engine, const wf_quota *quota);
/* Claims that this round has granted, which no job holds yet. */
size_t wf_quota_granted(const wfsm_engine *engine, const wf_quota *quota);
bool wf_quota_has_room(const wfsm_engine *engine, const wf_quota *quota);

/* Finds or makes the quotas of a job, with room to park it there. */
bool wf_quotas_join(wfsm_engine *engine, struct wf_job *job, const wf_invocation *invocation);
void wf_quotas_leave(wfsm_engine *engine, struct wf_job *job);
/* Adds to the counts of a job's quotas: -1, 0 or 1 each. */
void wf_quotas_count(struct wf_job *job, int working, int waiting);
/* True if another job waits for the quota, not only the slot, that this one holds. */
bool wf_quotas_wanted(const struct wf_job *job);
/* The first quota that has no room for this job, or NULL. */
wf_quota *wf_quotas_full(const wfsm_engine *engine, const struct wf_job *job);
#endif
