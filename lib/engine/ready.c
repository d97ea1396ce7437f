/*
 * engine/ready.c: which job is claimed next: the most urgent one, except for those whose agent,
 * phase or group is at its limit. Such a job is parked in the quota that is full, so that the
 * search does not meet it again and again. When a quota has room, the first job that is parked
 * there is among the ready ones.
 */
#include "engine/ready.h"

#include "engine/engine.h"

/* The keys do not change while a job waits. It is passed by for a bounded time only, because
 * each `promote` milliseconds of waiting count as one priority. */
static void set_keys(const wfsm_engine *engine, wf_job *job)
{
    int64_t late = 1 - job->priority;

    if (engine->promote == WFSM_NEVER) {
        job->ready.first = late;
        job->ready.second = job->due;
    } else {
        job->ready.first = job->due + late * engine->promote;
        job->ready.second = late;
    }
}

static void park(wfsm_engine *engine, wf_job *job, wf_quota *quota)
{
    wf_ready_take(engine, job);
    WF_INVARIANT(!job->parked && !wf_ready_has(job));
    job->parked = quota;
    wf_heap_put(&quota->parked, &job->ready);
}

void wf_ready_wake(wfsm_engine *engine, wf_quota *quota)
{
    wf_heap_item *top = wf_heap_top(&quota->parked);
    wf_job *job = top ? WF_OWNER_OF(top, wf_job, ready) : NULL;

    if (!job || !wf_quota_has_room(engine, quota))
        return;
    WF_INVARIANT(job->parked == quota);
    wf_heap_take(&quota->parked, top);
    job->parked = NULL;
    wf_heap_put(&engine->ready, top);
}

void wf_ready_wake_all(wfsm_engine *engine, const wf_job *job)
{
    for (int i = 0; i < WF_QUOTAS; i++) {
        if (job->quotas[i])
            wf_ready_wake(engine, job->quotas[i]);
    }
}

void wf_ready_put(wfsm_engine *engine, wf_job *job)
{
    WF_INVARIANT(job->state == WF_JOB_WAITING && !job->child);
    if (job->parked)
        return;
    set_keys(engine, job);
    wf_heap_put(&engine->ready, &job->ready);
}

bool wf_ready_has(const wf_job *job)
{
    return job->ready.place > 0;
}

void wf_ready_take(wfsm_engine *engine, wf_job *job)
{
    if (!wf_ready_has(job))
        return;
    if (job->parked) {
        wf_heap_take(&job->parked->parked, &job->ready);
        job->parked = NULL;
        return;
    }
    wf_heap_take(&engine->ready, &job->ready);
    wf_ready_wake_all(engine, job); /* it may have been the one that was woken */
}

wf_job *wf_ready_next(wfsm_engine *engine)
{
    for (;;) {
        wf_heap_item *top = wf_heap_top(&engine->ready);
        wf_job *job = top ? WF_OWNER_OF(top, wf_job, ready) : NULL;
        wf_quota *full = job ? wf_quotas_full(engine, job) : NULL;

        if (!full)
            return job;
        park(engine, job, full);
    }
}
