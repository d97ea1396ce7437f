/* engine/jobs.c: jobs follow the ledgers of their instances. */
#include <string.h>

#include "engine/engine.h"

static bool holds_slot(const wf_job *job, int state)
{
    if (job->child)
        return false;
    return state == WF_JOB_UNKNOWN || state == WF_JOB_CLAIMED || state == WF_JOB_WORKING ||
           state == WF_JOB_ANSWERED;
}

void wf_job_set(wfsm_engine *engine, wf_job *job, int state)
{
    int working = holds_slot(job, state) - holds_slot(job, job->state);
    int waiting = (state == WF_JOB_WAITING) - (job->state == WF_JOB_WAITING);

    if (job->child)
        waiting = 0;

    engine->working += (size_t)working;
    engine->waiting += (size_t)waiting;
    if (working != 0 || waiting != 0)
        wf_quotas_count(engine, job, working, waiting);
    if (state != WF_JOB_WAITING)
        wf_ready_take(engine, job);
    if (state != WF_JOB_WORKING) /* nor is it a child that waits to be born */
        wf_link_remove(&job->polled);
    job->state = (uint8_t)state;
}

/* What the invocation is in the document that the instance is under. */
static void describe(wf_job *job, const wf_invocation *invocation)
{
    job->machine = wfsm_instance_machine(job->entry->instance);
    job->invoke = invocation->invoke;
    job->agent = invocation->agent;
    job->priority = invocation->priority;
    job->child = wf_child_machine(job->machine->agents.list[job->agent].text) != NULL;
}

/* The heap has room for as many as there are, so that making them ready cannot fail. */
static wf_job *job_new(wfsm_engine *engine, wf_entry *entry, const wf_invocation *invocation)
{
    wf_job *job;

    if (!wf_heap_reserve(&engine->ready, engine->job_count + 1))
        return NULL;
    job = wf_new(&engine->allocator, sizeof *job);
    if (!job)
        return NULL;
    job->entry = entry;
    describe(job, invocation);
    if (!job->child && !wf_quotas_join(engine, job, invocation)) {
        wf_free(&engine->allocator, job);
        return NULL;
    }
    engine->job_count++;
    wf_link_init(&job->polled);
    wf_buffer_init(&job->usage, &engine->allocator);
    wf_buffer_init(&job->signature, &engine->allocator);
    wf_buffer_init(&job->text, &engine->allocator);
    job->revision = invocation->revision;
    job->ordinal = invocation->ordinal;
    job->handler = WF_NONE;
    engine->children += job->child;
    job->ready.third = ++engine->age;
    return job;
}

void wf_job_free(wfsm_engine *engine, wf_job *job)
{
    wf_job_set(engine, job, WF_JOB_OVER);
    wf_quotas_leave(engine, job);
    engine->job_count--;
    engine->children -= job->child;
    wf_buffer_fini(&job->usage);
    wf_buffer_fini(&job->signature);
    wf_buffer_fini(&job->text);
    wf_free(&engine->allocator, job);
}

static int order(const wf_job *job, uint64_t revision, uint32_t ordinal)
{
    if (job->revision != revision)
        return job->revision < revision ? -1 : 1;
    return job->ordinal < ordinal ? -1 : job->ordinal > ordinal;
}

wf_job *wf_entry_job(const wf_entry *entry, uint64_t revision, uint32_t ordinal)
{
    wf_job *job = entry->jobs;

    while (job && order(job, revision, ordinal) != 0)
        job = job->next;
    return job;
}

const wf_invocation *wf_job_invocation(const wf_job *job)
{
    return wf_instance_invocation_at(job->entry->instance, job->revision, job->ordinal);
}

void wf_job_id(const wf_job *job, char out[WF_INVOCATION_ID_BYTES])
{
    wf_invocation named = {.revision = job->revision, .ordinal = job->ordinal};

    wf_instance_invocation_id(job->entry->instance, &named, out);
}

static bool in_agents_hands(const wf_job *job)
{
    return job->state == WF_JOB_WORKING || job->state == WF_JOB_UNKNOWN ||
           job->state == WF_JOB_WITHDRAWN;
}

static bool is_mine(const wfsm_engine *engine, const wf_invocation *invocation)
{
    const wf_value *owner = &invocation->owner;

    return owner->type == WF_STRING && strcmp(owner->as.text, engine->owner) == 0;
}

/* Is what the job is about still what the ledger says? */
static bool is_current(const wfsm_engine *engine, const wf_job *job,
                       const wf_invocation *invocation)
{
    if (invocation->status != WF_RUNNING || invocation->attempt != job->attempt)
        return false;
    return job->state == WF_JOB_UNKNOWN || job->state == WF_JOB_ANSWERED ||
           is_mine(engine, invocation);
}

/* After a migration: the same agent's work, under the numbers of the new document. */
static bool migrate(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation)
{
    const wfsm_machine *machine = wfsm_instance_machine(job->entry->instance);
    const char *before = job->machine->agents.list[job->agent].text;
    const char *after = machine->agents.list[invocation->agent].text;
    bool same = strcmp(before, after) == 0;

    if (job->state == WF_JOB_WITHDRAWN || (!same && in_agents_hands(job)))
        return false;
    wf_ready_take(engine, job); /* its priority may be another */
    describe(job, invocation);
    if (!same)
        job->handler = WF_NONE;
    return true;
}

static void find_handler(wfsm_engine *engine, wf_job *job)
{
    const wf_name *name = &job->machine->agents.list[job->agent];
    const char *child = wf_child_machine(name->text);

    if (child)
        job->handler = wf_engine_newest(engine, child) ? 0 : WF_NONE;
    else if (job->handler == WF_NONE)
        job->handler = wf_names_find(&engine->agent_names, name->text, name->length);
}

/* The set of items that was looked at last: its items stand side by side. */
typedef struct crowd {
    uint64_t revision;
    uint32_t set; /* 0: none yet */
    bool full;
} crowd;

static bool is_crowded(const wf_job *job, const wf_invocation *invocation, crowd *last)
{
    if (invocation->set == 0)
        return false;
    if (last->set != invocation->set || last->revision != invocation->revision)
        *last = (crowd){invocation->revision, invocation->set,
                        wf_instance_crowded(job->entry->instance, invocation)};
    return last->full;
}

/* Children are in no queue of the pool, so the set of their items is looked at here. */
static void make_ready(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation,
                       crowd *last)
{
    if (!job->child)
        wf_ready_put(engine, job);
    else if (is_crowded(job, invocation, last))
        wf_link_remove(&job->polled);
    else
        wf_link_append(&engine->births, &job->polled);
}

static void follow_one(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation,
                       crowd *last)
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
        if (in_agents_hands(job)) {
            wf_job_set(engine, job, WF_JOB_WITHDRAWN);
            return;
        }
    }
    if (invocation->status == WF_PENDING) {
        wf_job_set(engine, job, WF_JOB_WAITING);
        job->due = invocation->due;
        if (job->handler != WF_NONE && invocation->due <= engine->now &&
            !wf_instance_refuses(job->entry->instance, engine->now))
            make_ready(engine, job, invocation, last);
        else
            wf_ready_take(engine, job);
        return;
    }
    job->attempt = invocation->attempt;
    wf_job_set(engine, job,
               is_mine(engine, invocation) && !job->entry->fresh ? WF_JOB_CLAIMED
                                                                 : WF_JOB_UNKNOWN);
}

/* The invocation has left the ledger. Returns the place of the next job. */
static wf_job **follow_none(wfsm_engine *engine, wf_job **at)
{
    wf_job *job = *at;

    if (in_agents_hands(job)) {
        wf_job_set(engine, job, WF_JOB_WITHDRAWN);
        return &job->next;
    }
    *at = job->next;
    wf_job_free(engine, job);
    return at;
}

/* People are in nobody's hands: no slot, no queue, no call. */
static bool is_for_person(const wf_entry *entry, const wf_invocation *invocation)
{
    const wfsm_machine *machine = wfsm_instance_machine(entry->instance);

    return wf_is_person(&machine->agents.list[invocation->agent]);
}

/* Both are in the order of making, so one walk is enough. */
static int32_t follow_all(wfsm_engine *engine, wf_entry *entry)
{
    size_t count = wf_instance_invocation_count(entry->instance);
    wf_job **at = &entry->jobs;
    crowd last = {0};

    for (size_t i = 0; i < count; i++) {
        const wf_invocation *found = wf_instance_invocation(entry->instance, i);

        if (wf_invocation_ended(found))
            continue; /* an item that waits for others: nobody is at it any more */
        while (*at && order(*at, found->revision, found->ordinal) < 0)
            at = follow_none(engine, at);
        if (is_for_person(entry, found)) {
            if (*at && order(*at, found->revision, found->ordinal) == 0)
                at = follow_none(engine, at);
            continue;
        }
        if (!*at || order(*at, found->revision, found->ordinal) != 0) {
            wf_job *job = job_new(engine, entry, found);

            if (!job)
                return WFSM_NO_MEMORY;
            job->next = *at;
            *at = job;
        }
        follow_one(engine, *at, found, &last);
        at = &(*at)->next;
    }
    while (*at)
        at = follow_none(engine, at);
    return WFSM_OK;
}

/* When the instance has something to do by itself, or a retry has waited long enough.
 */
static void set_timer(wfsm_engine *engine, wf_entry *entry)
{
    int64_t due = wfsm_instance_deadline(entry->instance);
    bool refused = wf_instance_refuses(entry->instance, engine->now);

    for (const wf_job *job = entry->jobs; job; job = job->next) {
        if (job->state == WF_JOB_WAITING && job->handler != WF_NONE && !refused &&
            !wf_ready_has(job) && wf_link_alone(&job->polled) && job->due < due &&
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

    set_timer(engine, entry);
    engine->behind += behind;
    engine->behind -= entry->behind;
    entry->behind = behind;
    entry->fresh = entry->fresh && behind;
    return status;
}
