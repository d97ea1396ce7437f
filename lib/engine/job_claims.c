/* engine/job_claims.c: jobs that wait are claimed, each by a commit of its instance. */
#include "engine/job_claims.h"

#include "engine/engine.h"
#include "engine/entry_input.h"
#include "engine/machines.h"
#include "engine/rates.h"
#include "engine/ready.h"
#include "engine/reload.h"
#include "engine/report.h"

/* A job that works is in a list of its own (engine->polled), and stays there. */
static void take_from_queue(wfsm_engine *engine, wf_job *job)
{
    wf_ready_take(engine, job);
    if (job->child)
        wf_link_remove(&job->link);
}

/* 1 if the machine of the child invokes no machines, so that only the child itself counts. */
static uint64_t descendants_of(const wfsm_engine *engine, const wf_job *job)
{
    const char *id = wf_child_machine(job->machine->agents.list[job->agent].text);
    const wfsm_machine *machine = wf_machines_newest(engine, id);

    for (uint32_t i = 0; machine && i < machine->agents.count; i++) {
        if (wf_child_machine(machine->agents.list[i].text))
            return 0;
    }
    return machine ? 1 : 0;
}

static void claim(wfsm_engine *engine, wf_job *job)
{
    wf_entry *entry = job->entry;
    char id[WF_INVOCATION_ID_BYTES];
    int32_t outcome = 0;
    int32_t status;

    WF_INVARIANT(job->child || (engine->behind == 0 && engine->working < engine->slots));
    wf_job_id(job, id);
    wf_job_set(engine, job, WF_JOB_CLAIMING);
    wf_rates_spend(engine, job);
    wf_input_begin(engine, entry, NULL);
    if (job->child)
        status =
            wf_instance_claim_child(entry->instance, id, engine->session,
                                    descendants_of(engine, job), engine->now, engine->failed);
    else
        status = wfsm_instance_claim(entry->instance, id, engine->session, engine->now,
                                     &outcome, engine->failed);
    wf_input_end(engine, entry);
    if (status == WFSM_OK)
        return;
    wf_job_set(engine, job, WF_JOB_WAITING); /* not ready again in this round */
    wf_entry_failed(engine, entry, status);
}

/* The deepest come first, because others wait for them. */
static wf_job *next_child(const wfsm_engine *engine)
{
    for (int depth = WF_CHILD_DEPTHS - 1; depth > 0; depth--) {
        const wf_link *list = &engine->child_claims[depth];

        if (!wf_link_alone(list) && engine->child_working[depth] < engine->child_limit)
            return WF_OWNER_OF(list->next, wf_job, link);
    }
    return NULL;
}

static wf_job *next_job(wfsm_engine *engine)
{
    bool has_slot = engine->working + engine->grants.taken < engine->slots;
    wf_job *child;

    if (engine->behind > 0 || !wf_may_input(engine))
        return NULL;
    child = next_child(engine);
    if (child)
        return child;
    return has_slot ? wf_ready_next(engine) : NULL;
}

bool wf_claims_due(const wfsm_engine *engine)
{
    return engine->behind == 0 &&
           (next_child(engine) || (engine->ready.count > 0 && engine->working < engine->slots));
}

bool wf_claim_next(wfsm_engine *engine)
{
    wf_job *job = next_job(engine);

    if (!job)
        return false;
    /* If it still waits after its instance was loaded again, wf_jobs_follow() puts it back. */
    take_from_queue(engine, job);
    if (wf_entry_is_fit(engine, job->entry))
        claim(engine, job);
    return true;
}
