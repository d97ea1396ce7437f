/* engine/round.c: one round: its inputs, one exchange with the store, and what follows. */
#include "engine/round.h"

#include "engine/answer_commits.h"
#include "engine/engine.h"
#include "engine/entry_ownership.h"
#include "engine/follow.h"
#include "engine/entry_start.h"
#include "engine/report.h"
#include "engine/tally.h"
#include "store/batch.h"

int32_t wf_round_open(wfsm_engine *engine, wfsm_error *error)
{
    int32_t status = wfsm_store_batch(engine->store, error);

    if (status == WFSM_OK)
        wf_grants_open(engine);
    return status;
}

void wf_round_close(wfsm_engine *engine, bool inbox)
{
    engine->closed = wf_outgoing_fill(engine, inbox, engine->failed);
    wf_tally_asks(engine);
}

static void refuse(wfsm_engine *engine, int32_t answer)
{
    wf_outgoing_refuse(engine, answer);
    wf_batch_refuse(engine->store, answer);
}

static int32_t ask_store(wfsm_engine *engine, wfsm_error *error)
{
    wfsm_exchange *exchange = &engine->outgoing.exchange;
    int32_t status = wf_batch_exchange(engine->store, exchange, error);

    if (status == WFSM_OK && wf_outgoing_repeats(&engine->outgoing))
        status = wf_batch_exchange(engine->store, exchange, error);
    if (status == WFSM_OK)
        status = exchange->lease;
    return status != WFSM_OK ? status : exchange->inbox_answer;
}

/* The host may read the tally meanwhile, on another thread. */
int32_t wf_round_exchange(wfsm_engine *engine, wfsm_error *error)
{
    int32_t status = engine->closed;

    if (status == WFSM_OK && wf_batch_is_empty(engine->store) && !wf_outgoing_asks(engine))
        return WFSM_OK;
    if (status != WFSM_OK) {
        refuse(engine, status);
        return wf_no_memory(error);
    }
    engine->asked = true;
    engine->answered = ask_store(engine, error);
    return engine->answered;
}

void wf_round_give_out(wfsm_engine *engine)
{
    for (wf_link *at = engine->stepped.next; at != &engine->stepped; at = at->next)
        wf_instance_hide(WF_OWNER_OF(at, wf_entry, stepped)->instance);
    engine->out.engine = engine;
    engine->store->out = true;
}

void wf_round_take_back(wfsm_engine *engine)
{
    engine->store->out = false;
    engine->out.engine = NULL;
    for (wf_link *at = engine->stepped.next; at != &engine->stepped; at = at->next)
        wf_instance_show(WF_OWNER_OF(at, wf_entry, stepped)->instance);
    if (engine->exchanged)
        return;
    engine->exchange =
        wf_fail(engine->failed, WFSM_STORE_FAILED, "the round has had no exchange");
    refuse(engine, WFSM_STORE_FAILED);
}

static void settle_jobs(wfsm_engine *engine, wf_entry *entry, bool stored)
{
    for (wf_job *job = entry->jobs; job; job = job->next) {
        bool sent = job->sent;

        job->sent = false;
        if (sent && stored)
            wf_job_answered(engine, job);
    }
}

/* If the inputs of an instance were taken back, whatever has caused them is still there, and they
 * are made again. */
static void settle_entry(wfsm_engine *engine, wf_entry *entry)
{
    int32_t refusal = wf_instance_take_refusal(entry->instance);
    bool sealed = wf_instance_sealed(entry->instance);

    wf_link_remove(&entry->stepped);
    if (!wf_instance_owes_ack(entry->instance))
        wf_link_remove(&entry->acking);
    if (refusal != WFSM_OK || sealed)
        entry->refused = engine->round;
    settle_jobs(engine, entry, refusal == WFSM_OK && !sealed);
    if (!sealed)
        wf_jobs_follow(engine, entry); /* if memory ran out, again before its next input */
    if (refusal != WFSM_OK && !engine->one)
        wf_entry_failed(engine, entry, refusal);
    else
        wf_act_soon(engine, entry);
}

int32_t wf_round_settle(wfsm_engine *engine)
{
    int32_t first;

    wf_tally_answered(engine);
    wf_outgoing_settle(engine);
    first = wf_batch_settle(engine->store, &engine->tally.commits);
    while (!wf_link_alone(&engine->stepped)) {
        wf_entry *entry = WF_OWNER_OF(engine->stepped.next, wf_entry, stepped);

        if (entry->starting)
            wf_start_settle(engine, entry);
        else
            settle_entry(engine, entry);
    }
    wf_entries_lose(engine);
    wf_grants_open(engine);
    return first;
}

static int32_t hand_out(wfsm_engine *engine, int32_t status)
{
    engine->one = true;
    engine->exchanged = false;
    wf_round_give_out(engine);
    *engine->next = &engine->out;
    engine->next = NULL;
    return status;
}

void wf_round_settle_one(wfsm_engine *engine)
{
    int32_t refusal;

    wf_error_copy(engine->first, engine->failed);
    refusal = wf_round_settle(engine);
    engine->one = false;
    engine->status = refusal != WFSM_OK ? refusal : engine->exchange;
    if (wfsm_error_status(engine->first) != engine->status)
        wf_fail(engine->first, engine->status, "%s", wfsm_status_name(engine->status));
}

int32_t wf_round_of_one(wfsm_engine *engine, int32_t status, int32_t *outcome,
                        wfsm_error *error)
{
    int32_t exchanged, refusal;

    wf_round_close(engine, false);
    if (engine->next)
        return hand_out(engine, status);
    exchanged = wf_round_exchange(engine, status == WFSM_OK ? error : NULL);
    engine->one = true;
    refusal = wf_round_settle(engine);
    engine->one = false;
    if (status != WFSM_OK)
        return status;
    if (refusal == WFSM_EXISTS && outcome) {
        *outcome = WFSM_DUPLICATE;
        return WFSM_OK;
    }
    return refusal != WFSM_OK ? refusal : exchanged;
}
