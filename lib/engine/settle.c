/* engine/settle.c: whatever an entry's jobs and effects call for is done. */
#include "engine/settle.h"

#include "engine/agent_calls.h"
#include "engine/answer_commits.h"
#include "engine/child_parents.h"
#include "engine/child_workflows.h"
#include "engine/effect_delivery.h"
#include "engine/engine.h"
#include "engine/follow.h"
#include "engine/entry_ownership.h"
#include "engine/report.h"

/* The first job that calls for something to be done. */
static wf_job *next_job(const wf_entry *entry)
{
    wf_job *job = entry->jobs;

    while (job && (job->state == WF_JOB_OVER || job->state == WF_JOB_WAITING ||
                   job->state == WF_JOB_WORKING))
        job = job->next;
    return job;
}

static int32_t attend_child(wfsm_engine *engine, wf_job *job)
{
    switch (job->state) {
    case WF_JOB_WITHDRAWN:
        return wf_child_cancel(engine, job, engine->failed);
    case WF_JOB_UNKNOWN:
        return wf_child_probe(engine, job, engine->failed);
    default:
        return wf_child_start(engine, job, engine->failed);
    }
}

static int32_t attend(wfsm_engine *engine, wf_job *job)
{
    if (job->child && job->state != WF_JOB_ANSWERED)
        return attend_child(engine, job);
    switch (job->state) {
    case WF_JOB_WITHDRAWN:
        wf_agent_cancel(engine, job);
        return WFSM_OK;
    case WF_JOB_UNKNOWN:
        wf_agent_probe(engine, job);
        return WFSM_OK;
    case WF_JOB_CLAIMED:
        wf_agent_start(engine, job);
        return WFSM_OK;
    default:
        return wf_job_commit_answer(engine, job, engine->failed);
    }
}

/* Loads the entry again if need be, and has its jobs follow the ledger. NULL if the entry
 * was freed or put off. */
static wf_entry *prepare(wfsm_engine *engine, wf_entry *entry)
{
    int32_t status = wf_entry_refresh(engine, &entry, engine->failed);

    if (status == WFSM_OK && entry && entry->child && !entry->wanted)
        status = wf_child_check(engine, entry, engine->failed);
    if (status == WFSM_OK && entry && wf_jobs_follow(engine, entry) != WFSM_OK)
        status = wf_no_memory(engine->failed);
    if (status == WFSM_OK)
        return entry;
    wf_entry_failed(engine, entry, status);
    return NULL;
}

static bool is_finished_child(const wf_entry *entry)
{
    return entry->child && wfsm_instance_status(entry->instance) == WFSM_DONE;
}

/* Nothing is left to do for the jobs of the entry, or nothing that this round may still do. */
static void finish(wfsm_engine *engine, wf_entry *entry, bool delivered)
{
    int32_t status = WFSM_OK;

    if (!delivered) {
        wf_link_append(&engine->later, &entry->queue);
    } else if (engine->inputs == 0) {
        wf_settle_soon(engine, entry);
    } else if (is_finished_child(entry)) {
        status = wf_child_leave(engine, entry, engine->failed);
        if (status != WFSM_OK)
            wf_entry_failed(engine, entry, status);
    } else {
        wf_link_remove(&entry->queue);
    }
}

/* One job after the other, because each answer may change all of them. */
void wf_entry_settle(wfsm_engine *engine, wf_entry *entry)
{
    bool delivered = true;

    while (engine->inputs > 0) {
        wf_job *job;
        int32_t status;

        entry = prepare(engine, entry);
        if (!entry)
            return;
        delivered = delivered && wf_effects_deliver(engine, entry);
        job = next_job(entry);
        if (!job)
            break;
        status = attend(engine, job);
        if (status != WFSM_OK) {
            wf_entry_failed(engine, entry, status);
            return;
        }
    }
    finish(engine, entry, delivered);
}
