/* engine/child_starts.c: the store has answered the first commit of a child workflow. */
#include "engine/child_starts.h"

#include "engine/child_search.h"
#include "engine/engine.h"
#include "engine/report.h"

wf_job *wf_child_starter(const wfsm_engine *engine, const wf_entry *entry)
{
    const wf_entry *above;
    wf_parent parent;
    wf_job *job;

    if (!wf_instance_parent(entry->instance, &parent))
        return NULL;
    above = wf_parent_entry(engine, &parent);
    job = above ? above->jobs : NULL;
    while (job && !(job->starting && wf_child_is_of(entry->instance, job)))
        job = job->next;
    return job;
}

void wf_child_started(wfsm_engine *engine, wf_job *job, int32_t refusal)
{
    job->starting = false;
    job->exists = refusal == WFSM_EXISTS;
    job->unanswered = refusal != WFSM_OK && (job->unanswered || refusal == WFSM_STORE_UNKNOWN);
    if (job->exists)
        wf_ask_soon(engine, job->entry);
    else if (refusal != WFSM_OK)
        wf_entry_failed(engine, job->entry, refusal);
    if (refusal != WFSM_OK || job->state != WF_JOB_CLAIMED)
        return;
    job->descendants = 0;
    wf_job_set(engine, job, WF_JOB_WORKING);
}
