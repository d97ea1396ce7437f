/* engine/job.h: what an engine knows of one outstanding invocation. */
#ifndef WF_ENGINE_JOB_H
#define WF_ENGINE_JOB_H

#include <wfsm/engine.h>
#include "base/buffer.h"
#include "engine/heap.h"
#include "engine/list.h"
#include "engine/quotas.h"
#include "instance/instance.h"

enum wf_job_state {
    WF_JOB_OVER,     /* the agent has nothing to do; the ledger says what comes next */
    WF_JOB_WAITING,  /* pending in the ledger */
    WF_JOB_UNKNOWN, /* running in the ledger, but not started by this process: to be probed */
    WF_JOB_CLAIMING, /* its claim is in the round */
    WF_JOB_CLAIMED, /* claimed by this engine: to be started */
    WF_JOB_WORKING, /* the agent works */
    WF_JOB_ANSWERED, /* the agent has answered: to be committed */
    WF_JOB_WITHDRAWN /* the ledger has ended this attempt: the agent is to be told */
};

/* The child of an instance at the greatest depth is claimed, and fails. */
enum { WF_CHILD_DEPTHS = WF_CHILD_DEPTH + 2 };

struct wf_entry;

typedef struct wf_job {
    wf_heap_item ready; /* while it may be claimed: in engine->ready, or parked in a quota */
    wf_quota *parked; /* the quota where it is parked */
    wf_quota *quotas[WF_QUOTAS]; /* by kind; NULL: none of this kind */
    int64_t due; /* WAITING: not to be claimed before */
    wf_link link; /* in engine->polled while it works and its agent is polled; a child
                            workflow that may be claimed is in engine->child_claims */
    struct wf_job *next; /* of the entry, in the order of the ledger */
    struct wf_entry *entry;
    const wfsm_machine *machine; /* what invoke and agent refer to; the engine keeps it */
    wf_work work; /* which invocation it is */
    int8_t priority;
    bool child; /* its agent is this engine: a child workflow */
    uint8_t depth; /* of that child; 1: its parent is a root instance */
    uint32_t invoke; /* machine->invokes */
    uint32_t agent; /* machine->agents */
    uint32_t handler; /* engine->agents; WF_NONE: not registered with this engine */
    uint32_t attempt; /* the attempt that the agent works at */
    uint64_t round; /* of the last poll */
    int64_t beat; /* the agent's last sign of life */
    uint8_t state; /* enum wf_job_state */
    bool sent; /* its answer is in the round */
    bool starting; /* the start of its child workflow is in the round */
    /* the start of its child workflow was, so the child may be of this engine */
    bool unanswered;
    bool exists; /* the store had an instance with the id of the child already */
    int answer; /* ANSWERED: enum wf_answer; NONE: the probe found it running */
    uint32_t failure_class; /* ANSWERED, with the answer: enum wf_class */
    int64_t retry_after; /* the same: ms */
    uint64_t descendants; /* the same, of a child workflow: itself and its own; 0: unknown */
    wf_buffer usage; /* as in a call */
    wf_buffer signature; /* with its NUL, or empty */
    wf_buffer text; /* result or message */
} wf_job;

/* A job for an invocation of the entry's ledger, over until its state is set. It is not in the
 * entry's list yet. NULL when out of memory. */
wf_job *wf_job_new(wfsm_engine *engine, struct wf_entry *entry,
                   const wf_invocation *invocation);
/* The caller has taken it out of the entry's list. */
void wf_job_free(wfsm_engine *engine, wf_job *job);
/* Takes the numbers of the machine that the instance runs under now. */
void wf_job_describe(wf_job *job, const wf_invocation *invocation);
/* The only way to change a job's state: counts, queues and lists follow it. */
void wf_job_set(wfsm_engine *engine, wf_job *job, int state);
/* True if the job counts as working. A child workflow never does; it is counted apart. */
bool wf_job_holds_slot(const wf_job *job);
/* Less than 0 if the job's invocation was made before that one, 0 if it is that one. */
int wf_job_order(const wf_job *job, const wf_work *work);
/* The job of an invocation, or NULL. */
wf_job *wf_job_find(const struct wf_entry *entry, const wf_work *work);
wf_job *wf_job_of(const struct wf_entry *entry, const wf_invocation *invocation);
/* The invocation, or NULL once it has left the ledger. */
const wf_invocation *wf_job_invocation(const wf_job *job);
/* The id of its invocation. */
void wf_job_id(const wf_job *job, char out[WF_INVOCATION_ID_BYTES]);
#endif
