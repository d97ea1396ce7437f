/* engine/run.c: the round: everything that can be done now. */
#include <string.h>

#include "engine/agent_calls.h"
#include "engine/awaits.h"
#include "engine/child_parents.h"
#include "engine/job_claims.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/heartbeat.h"
#include "engine/entry_input.h"
#include "engine/lease.h"
#include "engine/entry_ownership.h"
#include "engine/post_intake.h"
#include "engine/report.h"
#include "engine/settle.h"

static int32_t advance(wfsm_engine *engine, wf_entry *entry)
{
    int32_t fired = 1;
    int32_t status = WFSM_OK;

    wf_entry_check_heartbeats(engine, entry);
    while (status == WFSM_OK && fired && engine->inputs > 0) {
        int32_t outcome = 0;

        wf_input_begin(engine, entry, NULL);
        status = wfsm_instance_advance(entry->instance, engine->now, &fired, &outcome,
                                       engine->failed);
        wf_input_end(engine, entry);
    }
    return status;
}

/* Fires the timers of the entry that is due first. False if none is due. A retry that is due
 * becomes ready when the jobs follow. */
static bool fire(wfsm_engine *engine)
{
    wf_heap_item *top = wf_heap_top(&engine->timers);
    wf_entry *entry;
    int32_t status;

    if (!top || top->first > engine->now || engine->inputs == 0)
        return false;
    entry = WF_OWNER_OF(top, wf_entry, timer);
    status = wf_entry_refresh(engine, &entry, engine->failed);
    if (status == WFSM_OK && entry)
        status = advance(engine, entry);
    if (status != WFSM_OK) {
        wf_entry_failed(engine, entry, status);
        wf_heap_take(&engine->timers, top); /* not again in this round */
    }
    return true;
}

/* Each agent is polled once in a round. The first one that was polled already ends the search,
 * because every poll moves its job to the end of the list. */
static void poll(wfsm_engine *engine)
{
    while (!wf_link_alone(&engine->polled)) {
        wf_job *job = WF_OWNER_OF(engine->polled.next, wf_job, link);

        if (job->round == engine->round)
            return;
        job->round = engine->round;
        wf_link_append(&engine->polled, &job->link);
        wf_agent_poll(engine, job);
        if (job->state == WF_JOB_ANSWERED)
            wf_settle_soon(engine, job->entry);
    }
}

static bool settle_next(wfsm_engine *engine)
{
    if (wf_link_alone(&engine->todo) || engine->inputs == 0)
        return false;
    wf_entry_settle(engine, WF_OWNER_OF(engine->todo.next, wf_entry, queue));
    return true;
}

static int32_t compare(void *user, const wfsm_row *row)
{
    wfsm_engine *engine = user;
    const wfsm_head *head = row->head;
    wf_entry *entry = wf_entries_find(engine, head->instance, strlen(head->instance));

    if (entry)
        entry->listed = true;
    if (entry && (head->revision > wfsm_instance_revision(entry->instance) ||
                  head->revision < wfsm_instance_committed(entry->instance))) {
        entry->suspect = true;
        wf_settle_soon(engine, entry);
    }
    return WFSM_OK;
}

/* Somebody has removed them, or taken them over. */
static void suspect_unlisted(wfsm_engine *engine)
{
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        if (entry->listed || wfsm_instance_status(entry->instance) == WFSM_DONE)
            continue;
        entry->suspect = true;
        wf_settle_soon(engine, entry);
    }
}

/* Another process may have stepped an instance of this engine, or set the store back. Without this comparison the
 * engine would learn of it only by a conflict at its own next commit, and until then miss
 * new timers, work and effects. */
static int32_t compare_with_store(wfsm_engine *engine)
{
    wfsm_query query = {.size = sizeof query, .owner = engine->session};
    int32_t status;

    if (engine->compared)
        return WFSM_OK;
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next)
        WF_OWNER_OF(at, wf_entry, all)->listed = false;
    status = wfsm_store_list(engine->store, &query, compare, engine, engine->failed);
    engine->compared = status == WFSM_OK;
    if (status == WFSM_OK)
        suspect_unlisted(engine);
    if (status == WFSM_OK && engine->children > 0)
        wf_children_watch(engine);
    return status;
}

static void work_off(wfsm_engine *engine)
{
    while (settle_next(engine) || fire(engine) || wf_claim_next(engine))
        continue;
    WF_INVARIANT(engine->inputs == 0 || wf_link_alone(&engine->todo));
}

static void run_round(wfsm_engine *engine)
{
    int32_t status = WFSM_OK;

    if (engine->entry_count > 0)
        status = wf_lease_renew(engine, engine->failed);
    if (status == WFSM_OK && engine->entry_count > 0)
        status = compare_with_store(engine);
    if (status != WFSM_OK)
        wf_round_failed(engine, status);
    while (!wf_link_alone(&engine->later))
        wf_link_append(&engine->todo, engine->later.next);
    engine->posted = false;
    wf_posts_consume(engine);
    poll(engine);
    work_off(engine);
    while (engine->inputs > 0 && wf_awaits_serve(engine)) {
        wf_posts_consume(engine);
        work_off(engine);
    }
}

int32_t wfsm_engine_run(wfsm_engine *engine, int64_t now, wfsm_error *error)
{
    int32_t status;

    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "the time must not be negative");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    engine->round++;
    engine->status = WFSM_OK;
    engine->error = error;
    run_round(engine);
    wf_unknown_agents_tell(engine);
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
