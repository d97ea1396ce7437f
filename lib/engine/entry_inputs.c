/* engine/entry_inputs.c: the inputs that the jobs of an entry call for. */
#include "engine/entry_inputs.h"

#include "engine/answer_commits.h"
#include "engine/child_parents.h"
#include "engine/child_workflows.h"
#include "engine/engine.h"
#include "engine/entry_ownership.h"
#include "engine/follow.h"
#include "engine/reload.h"
#include "engine/report.h"

static bool asks(const wf_job *job)
{
    switch (job->state) {
    case WF_JOB_ANSWERED:
        return !job->sent;
    case WF_JOB_CLAIMED:
        return job->child && !job->starting;
    case WF_JOB_WITHDRAWN:
    case WF_JOB_UNKNOWN:
        return job->child;
    default:
        return false;
    }
}

static wf_job *next_job(const wf_entry *entry)
{
    wf_job *job = entry->jobs;

    while (job && !asks(job))
        job = job->next;
    return job;
}

bool wf_entry_asks(const wf_entry *entry)
{
    return next_job(entry) != NULL;
}

static int32_t make_input(wfsm_engine *engine, wf_job *job)
{
    switch (job->state) {
    case WF_JOB_WITHDRAWN:
        return wf_child_cancel(engine, job, engine->failed);
    case WF_JOB_UNKNOWN:
        return wf_child_probe(engine, job, engine->failed);
    case WF_JOB_CLAIMED:
        return wf_child_start(engine, job, engine->failed);
    default:
        return wf_job_commit_answer(engine, job, engine->failed);
    }
}

/* The jobs follow the ledger only when all of it is confirmed. */
static int32_t follow(wfsm_engine *engine, wf_entry *entry)
{
    if (!wf_link_alone(&entry->stepped) || wf_jobs_follow(engine, entry) == WFSM_OK)
        return WFSM_OK;
    return wf_no_memory(engine->failed);
}

/* False if it cannot have inputs in this round. */
static bool prepare(wfsm_engine *engine, wf_entry *entry)
{
    int32_t status = WFSM_OK;

    if (!wf_entry_is_fit(engine, entry))
        return false;
    if (entry->child && !entry->wanted)
        status = wf_child_check(engine, entry, engine->failed);
    if (status == WFSM_OK)
        status = follow(engine, entry);
    if (status != WFSM_OK)
        wf_entry_failed(engine, entry, status);
    return status == WFSM_OK;
}

void wf_entry_inputs(wfsm_engine *engine, wf_entry *entry)
{
    int32_t status = WFSM_OK;
    wf_job *job;

    if (!prepare(engine, entry))
        return;
    wf_act_soon(engine, entry);
    while (status == WFSM_OK && (job = next_job(entry)) && wf_may_input(engine))
        status = make_input(engine, job);
    if (status == WFSM_OK && wf_child_is_over(entry))
        status = wf_child_leave(engine, &entry, engine->failed);
    if (status != WFSM_OK)
        wf_entry_failed(engine, entry, status);
}
