/* engine/run.c: the round: everything that can be done now. */
#include <string.h>

#include "engine/agent_calls.h"
#include "engine/awaits.h"
#include "engine/child_parents.h"
#include "engine/entry_acts.h"
#include "engine/entry_inputs.h"
#include "engine/job_claims.h"
#include "engine/follow.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/heartbeat.h"
#include "engine/entry_input.h"
#include "engine/lease.h"
#include "engine/looks.h"
#include "engine/permits.h"
#include "engine/rates.h"
#include "engine/entry_ownership.h"
#include "engine/post_intake.h"
#include "engine/report.h"
#include "engine/queue.h"
#include "engine/reload.h"
#include "engine/round.h"
#include "store/batch.h"

static int32_t advance(wfsm_engine *engine, wf_entry *entry)
{
    bool stepped = !wf_link_alone(&entry->stepped);
    int32_t fired = 0;
    int32_t status;

    wf_entry_check_heartbeats(engine, entry);
    do {
        int32_t outcome = 0;

        wf_input_begin(engine, entry, NULL);
        status = wfsm_instance_advance(entry->instance, engine->now, &fired, &outcome,
                                       engine->failed);
        wf_input_end(engine, entry);
    } while (status == WFSM_OK && fired && wf_may_input(engine));
    if (stepped || wf_instance_waits(entry->instance))
        return status;
    wf_link_remove(
        &entry->stepped); /* it was a retry that is due, or an agent that is silent */
    return status == WFSM_OK ? wf_jobs_follow(engine, entry) : status;
}

/* Fires the timers of the entry that is due first. False if none is due. Its next time follows from
 * the ledger when the round is settled. */
static bool fire(wfsm_engine *engine)
{
    wf_heap_item *top = wf_heap_top(&engine->timers);
    wf_entry *entry;
    int32_t status;

    if (!top || top->first > engine->now || !wf_may_input(engine))
        return false;
    entry = WF_OWNER_OF(top, wf_entry, timer);
    wf_heap_take(&engine->timers, top);
    if (!wf_entry_is_fit(engine, entry))
        return true;
    status = advance(engine, entry);
    if (status != WFSM_OK)
        wf_entry_failed(engine, entry, status);
    return true;
}

/* Each agent is polled once in a round, or in several if they are too many for one. The first one that
 * was polled already ends the search, because every poll moves its job to the end of the list. */
static void poll(wfsm_engine *engine)
{
    uint32_t polled = 0;

    if (!engine->unpolled)
        engine->polling = engine->round;
    engine->unpolled = false;
    while (!wf_link_alone(&engine->polled)) {
        wf_job *job = WF_OWNER_OF(engine->polled.next, wf_job, link);

        if (job->round >= engine->polling)
            return;
        engine->unpolled = !wf_may_poll(engine, polled++);
        if (engine->unpolled)
            return;
        job->round = engine->round;
        wf_link_append(&engine->polled, &job->link);
        wf_agent_poll(engine, job);
        if (job->state == WF_JOB_ANSWERED)
            wf_ask_soon(engine, job->entry);
    }
}

/* What waits for an act is looked at again, as is what has failed at another time. */
static void ask(wfsm_engine *engine)
{
    poll(engine);
    if (!wf_may_input(engine))
        return;
    while (!wf_link_alone(&engine->todo))
        wf_link_append(&engine->asking, engine->todo.next);
    while (engine->put_off != engine->now && !wf_link_alone(&engine->later))
        wf_link_append(&engine->asking, engine->later.next);
    while (!wf_link_alone(&engine->asking) && wf_may_input(engine))
        wf_entry_inputs(engine, WF_OWNER_OF(engine->asking.next, wf_entry, queue));
}

/* Without a lease another engine may have taken any instance over, and start its agents. */
static void act(wfsm_engine *engine)
{
    if (wf_lease_has_lapsed(engine))
        return;
    while (!wf_link_alone(&engine->todo) && wf_may_act(engine))
        wf_entry_act(engine, WF_OWNER_OF(engine->todo.next, wf_entry, queue));
}

/* With every sign of life: what becomes of a child or parent that another engine has, no store tells. */
static void watch_children(wfsm_engine *engine)
{
    engine->watched &= wf_lease_wanted(engine) == engine->alive;
    if (!engine->watched && engine->children > 0)
        wf_children_watch(engine);
    engine->watched = true;
}

static void fire_all(wfsm_engine *engine)
{
    while (fire(engine))
        continue;
}

/* As long as rounds are full, each kind of input comes first in its turn, so that none of them waits
 * for ever. */
static void take_in_turn(wfsm_engine *engine)
{
    static void (*const kinds[])(wfsm_engine *) = {wf_queue_take, wf_posts_consume, ask,
                                                   fire_all};
    enum { KINDS = sizeof kinds / sizeof *kinds };

    for (uint32_t i = 0; i < KINDS; i++)
        kinds[(engine->turn + i) % KINDS](engine);
    engine->turn = wf_may_input(engine) ? 0 : (engine->turn + 1) % KINDS;
}

/* Claims come first: the steps of this round must not overtake the jobs that wait. Retries that are
 * due are known only after that. */
static void take_inputs(wfsm_engine *engine)
{
    if (engine->entry_count > 0)
        watch_children(engine);
    engine->posted = false;
    wf_permits_open(engine);
    wf_rates_open(engine);
    wf_awaits_serve(engine);
    while (wf_claim_next(engine))
        continue;
    take_in_turn(engine);
    while (wf_claim_next(engine))
        continue;
}

/* If the round has an exchange in any case, the exchange also looks. */
static bool looks(const wfsm_engine *engine)
{
    return wf_look_is_of_use(engine) &&
           (engine->looks.due || !wf_batch_is_empty(engine->store) ||
            wf_lease_wanted(engine) != engine->alive);
}

/* If the lease has lapsed, the instances may belong to others. The exchange renews it, and the instances
 * are looked at before anything else. */
static int32_t begin(wfsm_engine *engine)
{
    int32_t status = wf_round_open(engine, engine->failed);

    engine->stalled = status != WFSM_OK;
    engine->round++;
    engine->status = WFSM_OK;
    engine->exchanged = false;
    if (status == WFSM_OK) {
        wf_bounds_open(engine);
        engine->looks.due = wf_look_is_due(engine);
        if (!wf_lease_has_lapsed(engine))
            take_inputs(engine);
        wf_round_close(engine, looks(engine));
    }
    return status;
}

static void end(wfsm_engine *engine)
{
    if (engine->exchange != WFSM_OK)
        wf_round_failed(engine, engine->exchange);
    wf_round_settle(engine);
    wf_queue_settle(engine);
    wf_bounds_open(engine);
    act(engine);
    wf_unknown_agents_tell(engine);
}

int32_t wfsm_engine_prepare_next(wfsm_engine *engine, wfsm_round **round, wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    engine->next = round;
    wf_engine_leave(engine);
    return WFSM_OK;
}

int32_t wfsm_engine_prepare(wfsm_engine *engine, int64_t now, wfsm_round **round,
                            wfsm_error *error)
{
    int32_t status;

    if (now < 0 || !round)
        return wf_fail(error, WFSM_INVALID,
                       "a round needs a time that is not negative, and a place for it");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = begin(engine);
    if (status == WFSM_OK) {
        wf_round_give_out(engine);
        *round = &engine->out;
    } else {
        wf_error_copy(error, engine->failed);
    }
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_round_exchange(wfsm_round *round)
{
    wfsm_engine *engine = round ? round->engine : NULL;

    if (!engine || engine->exchanged)
        return WFSM_INVALID;
    engine->exchange = wf_round_exchange(engine, engine->failed);
    engine->exchanged = true;
    return engine->exchange;
}

int32_t wfsm_engine_finish(wfsm_engine *engine, wfsm_round *round, int64_t now,
                           wfsm_error *error)
{
    if (!engine || now < 0 || round != &engine->out || !round->engine)
        return wf_fail(error, WFSM_INVALID,
                       "only the round that is out can be finished, at a time");
    wf_round_take_back(engine);
    engine->busy = true;
    engine->now = now;
    engine->acts = WF_RUN_ACTS;
    if (engine->one)
        wf_round_settle_one(engine);
    else
        end(engine);
    wf_engine_leave(engine);
    if (engine->status != WFSM_OK)
        wf_error_copy(error, engine->first);
    return engine->status;
}

int32_t wfsm_engine_run(wfsm_engine *engine, int64_t now, wfsm_error *error)
{
    int32_t status;

    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "the time must not be negative");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = begin(engine);
    if (status == WFSM_OK) {
        engine->exchange = wf_round_exchange(engine, engine->failed);
        end(engine);
        status = engine->status;
    }
    wf_engine_leave(engine);
    if (status != WFSM_OK)
        wf_error_copy(error, engine->stalled ? engine->failed : engine->first);
    return status;
}

int32_t wfsm_engine_idle(const wfsm_engine *engine)
{
    return !engine || (!engine->out.engine && !engine->posted && engine->job_count == 0 &&
                       engine->timers.count == 0 && wf_link_alone(&engine->asking) &&
                       wf_link_alone(&engine->todo) && wf_link_alone(&engine->queue) &&
                       wf_link_alone(&engine->later) && wf_link_alone(&engine->reloads) &&
                       wf_link_alone(&engine->acks));
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
    if (engine->stalled || wf_lease_has_lapsed(engine))
        return engine->now + WF_RETRY_MS;
    if (engine->posted || engine->unpolled || !wf_link_alone(&engine->todo) ||
        !wf_link_alone(&engine->asking) || !wf_link_alone(&engine->reloads) ||
        wf_awaits_due(engine) || wf_queue_is_due(engine) ||
        (!wf_link_alone(&engine->acks) && !engine->ack_failed) || wf_claims_due(engine) ||
        (wf_permits_due(engine) && !engine->permits_failed) || engine->looks.asked)
        return engine->now;
    top = wf_heap_top(&engine->timers);
    if (top)
        due = top->first;
    if (!wf_link_alone(&engine->later) || engine->ack_failed || engine->queue_failed ||
        engine->permits_failed)
        due = earlier(due, engine->now + WF_RETRY_MS);
    if (engine->entry_count == 0)
        return due;
    due = earlier(due, wf_rates_due(engine));
    due = earlier(due, wf_look_next(engine));
    return earlier(due, engine->alive - (engine->lapse - engine->lapse / 3) + 1);
}
