/* engine/round.c: one round: its inputs, one exchange with the store, and what follows. */
#include "engine/round.h"

#include "engine/answer_commits.h"
#include "engine/effect_delivery.h"
#include "engine/engine.h"
#include "engine/follow.h"
#include "engine/entry_start.h"
#include "engine/report.h"
#include "store/batch.h"

int32_t wf_round_open(wfsm_engine *engine, wfsm_error *error)
{
    int32_t status = wfsm_store_batch(engine->store, error);

    if (status == WFSM_OK)
        wf_grants_open(engine);
    return status;
}

/* A snapshot of this round does not have the effects that the host has taken, so the store must know
 * of them first. */
int32_t wf_round_exchange(wfsm_engine *engine, wfsm_error *error)
{
    int32_t status = wf_effects_acknowledge(engine, error);

    if (status == WFSM_OK)
        return wf_batch_exchange(engine->store, error);
    wf_batch_refuse(engine->store,
                    status == WFSM_NO_MEMORY ? WFSM_NO_MEMORY : WFSM_STORE_FAILED);
    return status;
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
    wf_batch_refuse(engine->store, WFSM_STORE_FAILED);
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
    uint64_t refused = 0;
    int32_t first = wf_batch_settle(engine->store, &refused);

    while (!wf_link_alone(&engine->stepped)) {
        wf_entry *entry = WF_OWNER_OF(engine->stepped.next, wf_entry, stepped);

        if (entry->starting)
            wf_start_settle(engine, entry);
        else
            settle_entry(engine, entry);
    }
    wf_grants_open(engine);
    return first;
}

int32_t wf_round_of_one(wfsm_engine *engine, int32_t status, int32_t *outcome,
                        wfsm_error *error)
{
    int32_t exchanged = wf_round_exchange(engine, status == WFSM_OK ? error : NULL);
    int32_t refusal;

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
