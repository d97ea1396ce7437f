/*
 * engine/follow.c: the jobs of an entry follow the ledger of its instance. After each input,
 * each invocation of the ledger that has not ended and is not a person's has a job, and the
 * state of the job agrees with the ledger or says what has to be done about it (settle.c).
 */
#include "engine/follow.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/heartbeat.h"
#include "engine/ids.h"
#include "engine/machines.h"
#include "engine/ready.h"

/* A probe has found the agent at work, or could not tell. */
static bool may_work(const wf_job *job)
{
    return job->state == WF_JOB_ANSWERED &&
           (job->answer == WF_ANSWER_NONE || job->answer == WF_ANSWER_UNSURE);
}

static bool in_agents_hands(const wf_job *job)
{
    return job->state == WF_JOB_WORKING || job->state == WF_JOB_UNKNOWN ||
           job->state == WF_JOB_WITHDRAWN || may_work(job);
}

/* Its child workflow may be in the store, although the engine does not know it. */
static bool may_have_child(const wf_job *job)
{
    return job->child && job->state == WF_JOB_CLAIMED && (job->unanswered || job->exists);
}

static bool is_mine(const wfsm_engine *engine, const wf_invocation *invocation)
{
    const wf_value *owner = &invocation->owner;

    return owner->type == WF_STRING && strcmp(owner->as.text, engine->session) == 0;
}

/* True if the ledger still has the job's invocation. */
static bool is_current(const wfsm_engine *engine, const wf_job *job,
                       const wf_invocation *invocation)
{
    if (invocation->status != WF_RUNNING || invocation->attempt != job->attempt)
        return false;
    return job->state == WF_JOB_UNKNOWN || job->state == WF_JOB_ANSWERED ||
           is_mine(engine, invocation);
}

/* After a migration: the job continues under the numbers of the new machine. False if another
 * agent has it in hand. */
static bool migrate(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation)
{
    const wfsm_machine *machine = wfsm_instance_machine(job->entry->instance);
    const char *before = job->machine->agents.list[job->agent].text;
    const char *after = machine->agents.list[invocation->agent].text;
    bool same = strcmp(before, after) == 0;

    if (job->state == WF_JOB_WITHDRAWN || (!same && in_agents_hands(job)))
        return false;
    wf_ready_take(engine, job); /* its priority may have changed */
    wf_job_describe(job, invocation);
    if (!same)
        job->handler = WF_NONE;
    return true;
}

static void find_handler(wfsm_engine *engine, wf_job *job)
{
    const wf_name *name = &job->machine->agents.list[job->agent];
    const char *child = wf_child_machine(name->text);

    if (child)
        job->handler = wf_machines_newest(engine, child) ? 0 : WF_NONE;
    else if (job->handler == WF_NONE)
        job->handler = wf_names_find(&engine->agent_names, name->text, name->length);
    if (job->handler == WF_NONE)
        wf_unknown_agent_seen(engine, name);
}

/* The set of items that was looked at last. The items of a set are next to each other in the
 * ledger, so each set is looked at once. */
typedef struct wf_item_set {
    uint64_t revision;
    uint32_t set; /* 0: none yet */
    bool full;
} wf_item_set;

static bool is_set_full(const wf_job *job, const wf_invocation *invocation, wf_item_set *last)
{
    if (invocation->set == 0)
        return false;
    if (last->set != invocation->set || last->revision != invocation->revision)
        *last = (wf_item_set){invocation->revision, invocation->set,
                              wf_instance_items_full(job->entry->instance, invocation)};
    return last->full;
}

/* Child workflows have no quotas that hold them back, so the limit of their set is looked at
 * here. */
static void make_ready(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation,
                       wf_item_set *last)
{
    if (!job->child)
        wf_ready_put(engine, job);
    else if (is_set_full(job, invocation, last))
        wf_link_remove(&job->link);
    else
        wf_link_append(&engine->child_claims[job->depth], &job->link);
}

static void follow_pending(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation,
                           wf_item_set *last)
{
    wf_job_set(engine, job, WF_JOB_WAITING);
    job->due = invocation->due;
    if (job->handler != WF_NONE && invocation->due <= engine->now &&
        !wf_instance_refuses(job->entry->instance, engine->now))
        make_ready(engine, job, invocation, last);
    else
        wf_ready_take(engine, job);
}

static void follow_one(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation,
                       wf_item_set *last)
{
    if (job->machine != wfsm_instance_machine(job->entry->instance) &&
        !migrate(engine, job, invocation)) {
        wf_job_set(engine, job, WF_JOB_WITHDRAWN);
        return;
    }
    find_handler(engine, job);
    if (job->state == WF_JOB_WITHDRAWN)
        return;
    if (job->state != WF_JOB_OVER && job->state != WF_JOB_WAITING) {
        if (is_current(engine, job, invocation))
            return;
        if (in_agents_hands(job) || may_have_child(job)) {
            wf_job_set(engine, job, WF_JOB_WITHDRAWN);
            return;
        }
    }
    if (invocation->status == WF_PENDING) {
        follow_pending(engine, job, invocation, last);
        return;
    }
    job->attempt = invocation->attempt;
    job->exists = job->unanswered = false;
    wf_job_set(engine, job,
               is_mine(engine, invocation) && !job->entry->fresh ? WF_JOB_CLAIMED
                                                                 : WF_JOB_UNKNOWN);
}

/* The invocation has left the ledger, so its job ends. Returns where the next job is linked. */
static wf_job **follow_none(wfsm_engine *engine, wf_job **at)
{
    wf_job *job = *at;

    if (in_agents_hands(job) || may_have_child(job)) {
        wf_job_set(engine, job, WF_JOB_WITHDRAWN);
        return &job->next;
    }
    *at = job->next;
    wf_job_free(engine, job);
    return at;
}

/* An invocation of a person has no job: it needs no slot and no callback. */
static bool is_for_person(const wf_entry *entry, const wf_invocation *invocation)
{
    const wfsm_machine *machine = wfsm_instance_machine(entry->instance);

    return wf_is_person(&machine->agents.list[invocation->agent]);
}

/* Jobs and ledger are in the same order, so one pass is enough. */
static int32_t follow_all(wfsm_engine *engine, wf_entry *entry)
{
    size_t count = wf_instance_invocation_count(entry->instance);
    wf_job **at = &entry->jobs;
    wf_item_set last = {0};

    for (size_t i = 0; i < count; i++) {
        const wf_invocation *found = wf_instance_invocation(entry->instance, i);
        const wf_work work = wf_invocation_work(found);

        if (wf_invocation_ended(found))
            continue; /* an item that has ended and waits for the others of its set */
        while (*at && wf_job_order(*at, &work) < 0)
            at = follow_none(engine, at);
        if (is_for_person(entry, found)) {
            if (*at && wf_job_order(*at, &work) == 0)
                at = follow_none(engine, at);
            continue;
        }
        if (!*at || wf_job_order(*at, &work) != 0) {
            wf_job *job = wf_job_new(engine, entry, found);

            if (!job)
                return WFSM_NO_MEMORY;
            job->next = *at;
            *at = job;
            WF_INVARIANT(!job->next || wf_job_order(job->next, &job->work) > 0);
        }
        follow_one(engine, *at, found, &last);
        at = &(*at)->next;
    }
    while (*at)
        at = follow_none(engine, at);
    return WFSM_OK;
}

/* The next time at which a timer of the instance is due, a retry has waited long enough, or an
 * agent has been silent for too long. */
void wf_entry_set_timer(wfsm_engine *engine, wf_entry *entry)
{
    int64_t due = wfsm_instance_deadline(entry->instance);
    bool refused = wf_instance_refuses(entry->instance, engine->now);

    for (const wf_job *job = entry->jobs; job; job = job->next) {
        if (job->state == WF_JOB_WAITING && job->handler != WF_NONE && !refused &&
            !wf_ready_has(job) && wf_link_alone(&job->link) && job->due < due &&
            !(job->child && job->due <= engine->now))
            due = job->due;
        if (job->state == WF_JOB_WORKING && wf_job_silent(job) < due)
            due = wf_job_silent(job);
    }
    entry->timer.first = due;
    if (due == WFSM_NEVER)
        wf_heap_take(&engine->timers, &entry->timer);
    else
        wf_heap_put(&engine->timers, &entry->timer);
}

int32_t wf_jobs_follow(wfsm_engine *engine, wf_entry *entry)
{
    int32_t status = follow_all(engine, entry);
    bool behind = status != WFSM_OK;

    wf_entry_set_timer(engine, entry);
    engine->behind += behind;
    engine->behind -= entry->behind;
    entry->behind = behind;
    WF_INVARIANT(engine->behind <= engine->entry_count);
    entry->fresh = entry->fresh && behind;
    return status;
}
