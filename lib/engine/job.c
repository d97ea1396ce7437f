/* engine/job.c: one outstanding invocation: its state, and the counts that depend on it. */
#include "engine/job.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/ids.h"
#include "engine/ready.h"

static bool is_claimed(int state)
{
    return state == WF_JOB_UNKNOWN || state == WF_JOB_CLAIMING || state == WF_JOB_CLAIMED ||
           state == WF_JOB_WORKING || state == WF_JOB_ANSWERED;
}

static bool state_holds_slot(const wf_job *job, int state)
{
    return !job->child && is_claimed(state);
}

bool wf_job_holds_slot(const wf_job *job)
{
    return state_holds_slot(job, job->state);
}

static bool waits_for_slot(const wf_job *job, int state)
{
    return state == WF_JOB_WAITING && !job->child;
}

static void count(wfsm_engine *engine, wf_job *job, int working, int waiting)
{
    engine->working += (size_t)working;
    engine->waiting += (size_t)waiting;
    WF_INVARIANT(engine->working + engine->waiting <= engine->job_count);
    wf_quotas_count(job, working, waiting);
    if (working < 0)
        wf_ready_wake_all(engine, job);
}

static void count_child(wfsm_engine *engine, const wf_job *job, int state)
{
    WF_INVARIANT(!is_claimed(job->state) || engine->child_working[job->depth] > 0);
    engine->child_working[job->depth] += is_claimed(state);
    engine->child_working[job->depth] -= is_claimed(job->state);
}

void wf_job_set(wfsm_engine *engine, wf_job *job, int state)
{
    int working = state_holds_slot(job, state) - wf_job_holds_slot(job);
    int waiting = waits_for_slot(job, state) - waits_for_slot(job, job->state);

    if (working != 0 || waiting != 0)
        count(engine, job, working, waiting);
    if (job->child)
        count_child(engine, job, state);
    if (state != WF_JOB_WAITING)
        wf_ready_take(engine, job);
    if (state != WF_JOB_WORKING)
        wf_link_remove(&job->link);
    job->state = (uint8_t)state;
}

void wf_job_describe(wf_job *job, const wf_invocation *invocation)
{
    job->machine = wfsm_instance_machine(job->entry->instance);
    job->invoke = invocation->invoke;
    job->agent = invocation->agent;
    job->priority = invocation->priority;
    job->child = wf_child_machine(job->machine->agents.list[job->agent].text) != NULL;
}

/* The heap has room for as many jobs as there are, so that making one ready cannot fail. */
wf_job *wf_job_new(wfsm_engine *engine, wf_entry *entry, const wf_invocation *invocation)
{
    wf_job *job;

    wf_parent parent;

    if (!wf_heap_reserve(&engine->ready, engine->job_count + 1))
        return NULL;
    job = wf_new(&engine->allocator, sizeof *job);
    if (!job)
        return NULL;
    job->entry = entry;
    wf_job_describe(job, invocation);
    if (!job->child && !wf_quotas_join(engine, job, invocation)) {
        wf_free(&engine->allocator, job);
        return NULL;
    }
    engine->job_count++;
    wf_link_init(&job->link);
    wf_buffer_init(&job->usage, &engine->allocator);
    wf_buffer_init(&job->signature, &engine->allocator);
    wf_buffer_init(&job->text, &engine->allocator);
    job->work = wf_invocation_work(invocation);
    job->handler = WF_NONE;
    wf_instance_parent(entry->instance, &parent);
    job->depth = (uint8_t)(parent.depth + 1);
    engine->children += job->child;
    job->ready.third = ++engine->age;
    return job;
}

void wf_job_free(wfsm_engine *engine, wf_job *job)
{
    wf_job_set(engine, job, WF_JOB_OVER);
    WF_INVARIANT(!wf_ready_has(job) && wf_link_alone(&job->link));
    wf_quotas_leave(engine, job);
    engine->job_count--;
    engine->children -= job->child;
    wf_buffer_fini(&job->usage);
    wf_buffer_fini(&job->signature);
    wf_buffer_fini(&job->text);
    wf_free(&engine->allocator, job);
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int wf_job_order(const wf_job *job, const wf_work *work)
{
    int order = compare(job->work.revision, work->revision);

    if (order == 0)
        order = compare(job->work.ordinal, work->ordinal);
    return order != 0 ? order : compare(job->work.incarnation, work->incarnation);
}

wf_job *wf_job_find(const wf_entry *entry, const wf_work *work)
{
    wf_job *job = entry->jobs;

    while (job && wf_job_order(job, work) != 0)
        job = job->next;
    return job;
}

wf_job *wf_job_of(const wf_entry *entry, const wf_invocation *invocation)
{
    const wf_work work = wf_invocation_work(invocation);

    return wf_job_find(entry, &work);
}

const wf_invocation *wf_job_invocation(const wf_job *job)
{
    return wf_instance_invocation_of(job->entry->instance, &job->work);
}

void wf_job_id(const wf_job *job, char out[WF_INVOCATION_ID_BYTES])
{
    wf_work_id(out, wfsm_instance_id(job->entry->instance), &job->work);
}
