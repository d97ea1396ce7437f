/* engine/ready.c: which invocation is claimed next: by urgency, but for those whose agent,
 * phase or group is at its limit. They are parked there until it has room, so that nobody
 * walks past them again and again. Of those parked for a quota that has room the first is
 * always among the ready ones. */
#include "engine/engine.h"

/* The keys never change while it waits, and yet nobody starves: who waits counts one priority
 * higher for each `promote` of its waiting, so that it is passed by for a bounded time only. */
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

static void park(wf_job *job, wf_quota *quota)
{
    job->parked = quota;
    wf_heap_put(&quota->parked, &job->ready);
}

static void wake_all(wfsm_engine *engine, const wf_job *job)
{
    for (int i = 0; i < WF_QUOTAS; i++) {
        if (job->quotas[i])
            wf_ready_wake(engine, job->quotas[i]);
    }
}

void wf_ready_put(wfsm_engine *engine, wf_job *job)
{
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
    wake_all(engine, job); /* it stood for those that are parked */
}

wf_job *wf_ready_next(wfsm_engine *engine)
{
    for (;;) {
        wf_heap_item *top = wf_heap_top(&engine->ready);
        wf_job *job = top ? WF_OWNER_OF(top, wf_job, ready) : NULL;
        wf_quota *full = job ? wf_quotas_full(engine, job) : NULL;

        if (!full)
            return job;
        wf_ready_take(engine, job);
        park(job, full);
    }
}

void wf_ready_wake(wfsm_engine *engine, wf_quota *quota)
{
    wf_heap_item *top = wf_heap_top(&quota->parked);
    wf_job *job = top ? WF_OWNER_OF(top, wf_job, ready) : NULL;

    if (!job || !wf_quota_has_room(engine, quota))
        return;
    wf_heap_take(&quota->parked, top);
    job->parked = NULL;
    wf_heap_put(&engine->ready, top);
}
