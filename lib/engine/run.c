/* engine/run.c: the round: everything that can be done now. */
#include <string.h>

#include "engine/engine.h"

void wf_run_report(wfsm_engine *engine, int32_t status)
{
    if (engine->status != WFSM_OK || status == WFSM_CONFLICT || status == WFSM_SEALED)
        return;
    engine->status = status;
    if (wfsm_error_status(engine->failed) == status) {
        wfsm_error_set(engine->error, status, wfsm_error_message(engine->failed));
        wf_error_set_pointer(engine->error, wfsm_error_pointer(engine->failed));
    } else {
        wf_fail(engine->error, status, "%s", wfsm_status_name(status));
    }
}

/* A conflict is looked into at once, but only once in a run. */
void wf_run_note(wfsm_engine *engine, wf_entry *entry, int32_t status)
{
    bool conflict = status == WFSM_CONFLICT || status == WFSM_SEALED;

    wf_run_report(engine, status);
    if (!entry)
        return;
    if (conflict && entry->reloaded != engine->round)
        wf_run_soon(engine, entry);
    else
        wf_link_append(&engine->later, &entry->queue);
}

/* The first job that something has to be done for. */
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
        return wf_job_deliver(engine, job, engine->failed);
    }
}

/* Loaded again if need be, with its jobs in step with the ledger. NULL: dropped, or put
 * off. */
static wf_entry *prepare(wfsm_engine *engine, wf_entry *entry)
{
    int32_t status = wf_entry_usable(engine, &entry, engine->now, engine->failed);

    if (status == WFSM_OK && entry && entry->child && !entry->wanted)
        status = wf_child_check(engine, entry, engine->failed);
    if (status == WFSM_OK && entry && wf_jobs_follow(engine, entry) != WFSM_OK)
        status = wf_no_memory(engine->failed);
    if (status == WFSM_OK)
        return entry;
    wf_run_note(engine, entry, status);
    return NULL;
}

/* Does what the jobs of an entry call for, one after the other: each answer may change
 * all. */
static void settle(wfsm_engine *engine, wf_entry *entry)
{
    bool effects = true;

    while (engine->inputs > 0) {
        wf_job *job;
        int32_t status;

        entry = prepare(engine, entry);
        if (!entry)
            return;
        effects = effects && wf_effects_deliver(engine, entry);
        job = next_job(entry);
        if (!job)
            break;
        status = attend(engine, job);
        if (status != WFSM_OK) {
            wf_run_note(engine, entry, status);
            return;
        }
    }
    if (effects && engine->inputs > 0 && entry->child &&
        wfsm_instance_status(entry->instance) == WFSM_DONE) {
        int32_t status = WFSM_OK;

        if (!wf_child_leave(engine, entry, &status))
            wf_run_note(engine, entry, status);
        return;
    }
    if (!effects)
        wf_link_append(&engine->later, &entry->queue);
    else if (engine->inputs == 0)
        wf_run_soon(engine, entry);
    else
        wf_link_remove(&entry->queue);
}

static int32_t advance(wfsm_engine *engine, wf_entry *entry)
{
    int32_t fired = 1;
    int32_t status = WFSM_OK;

    wf_entry_listen(engine, entry);
    while (status == WFSM_OK && fired && engine->inputs > 0) {
        int32_t outcome = 0;

        wf_input_begin(engine, entry, NULL);
        status = wfsm_instance_advance(entry->instance, engine->now, &fired, &outcome,
                                       engine->failed);
        wf_input_end(engine, entry);
    }
    return status;
}

/* The timers of the entry that is due first; false if none is. Waiting retries that are
 * due become ready when the jobs follow. */
static bool fire(wfsm_engine *engine)
{
    wf_heap_item *top = wf_heap_top(&engine->timers);
    wf_entry *entry;
    int32_t status;

    if (!top || top->first > engine->now || engine->inputs == 0)
        return false;
    entry = WF_OWNER_OF(top, wf_entry, timer);
    status = wf_entry_usable(engine, &entry, engine->now, engine->failed);
    if (status == WFSM_OK && entry)
        status = advance(engine, entry);
    if (status != WFSM_OK) {
        wf_run_note(engine, entry, status);
        wf_heap_take(&engine->timers, top); /* not again in this run */
    }
    return true;
}

/* Each agent once in a run. */
static void poll(wfsm_engine *engine)
{
    while (!wf_link_alone(&engine->polled)) {
        wf_job *job = WF_OWNER_OF(engine->polled.next, wf_job, polled);

        if (job->round == engine->round)
            return;
        job->round = engine->round;
        wf_link_append(&engine->polled, &job->polled);
        wf_agent_poll(engine, job);
        if (job->state == WF_JOB_ANSWERED)
            wf_run_soon(engine, job->entry);
    }
}

static bool settle_next(wfsm_engine *engine)
{
    if (wf_link_alone(&engine->todo) || engine->inputs == 0)
        return false;
    settle(engine, WF_OWNER_OF(engine->todo.next, wf_entry, queue));
    return true;
}

static int32_t compare(void *user, const wfsm_row *row)
{
    wfsm_engine *engine = user;
    const wfsm_head *head = row->head;
    wf_entry *entry = wf_table_find(engine, head->instance, strlen(head->instance));

    if (entry && head->revision > wfsm_instance_revision(entry->instance)) {
        entry->suspect = true;
        wf_run_soon(engine, entry);
    }
    return WFSM_OK;
}

/* Somebody else may have stepped an instance of this engine, which would learn of it only
 * by its own next commit, and meanwhile know nothing of new timers, work and effects. */
static int32_t look_around(wfsm_engine *engine)
{
    wfsm_query query = {.size = sizeof query, .owner = engine->owner};
    int32_t status;

    if (engine->looked)
        return WFSM_OK;
    status = wfsm_store_list(engine->store, &query, compare, engine, engine->failed);
    engine->looked = status == WFSM_OK;
    if (status == WFSM_OK && engine->children > 0)
        wf_children_watch(engine);
    return status;
}

static void work_off(wfsm_engine *engine)
{
    while (settle_next(engine) || fire(engine) || wf_slots_claim(engine))
        continue;
}

static void run(wfsm_engine *engine)
{
    int32_t status = WFSM_OK;

    if (engine->entry_count > 0)
        status = wf_engine_alive(engine, engine->now, engine->failed);
    if (status == WFSM_OK && engine->entry_count > 0)
        status = look_around(engine);
    if (status != WFSM_OK)
        wf_run_report(engine, status);
    while (!wf_link_alone(&engine->later))
        wf_link_append(&engine->todo, engine->later.next);
    engine->posted = false;
    wf_inbox_consume(engine);
    poll(engine);
    work_off(engine);
    while (engine->inputs > 0 && wf_awaits_serve(engine)) {
        wf_inbox_consume(engine);
        work_off(engine);
    }
}

int32_t wfsm_engine_run(wfsm_engine *engine, int64_t now, wfsm_error *error)
{
    int32_t status;

    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "a time is not negative");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    engine->now = now;
    engine->round++;
    engine->status = WFSM_OK;
    engine->error = error;
    run(engine);
    engine->error = NULL;
    wf_engine_leave(engine);
    return engine->status;
}

int32_t wfsm_engine_idle(const wfsm_engine *engine)
{
    return !engine || (engine->job_count == 0 && engine->timers.count == 0 &&
                       wf_link_alone(&engine->todo) && wf_link_alone(&engine->later));
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t wfsm_engine_deadline(const wfsm_engine *engine)
{
    int64_t due = WFSM_NEVER;
    const wf_heap_item *top;

    if (!engine)
        return due;
    if (engine->posted || !wf_link_alone(&engine->todo) ||
        (engine->ready.count > 0 && engine->working < engine->slots))
        return engine->now;
    top = wf_heap_top(&engine->timers);
    if (top)
        due = top->first;
    if (!wf_link_alone(&engine->later))
        due = earlier(due, engine->now + WF_RETRY_MS);
    if (engine->entry_count > 0)
        due = earlier(due, engine->alive - (engine->lapse - engine->lapse / 3) + 1);
    return due;
}
