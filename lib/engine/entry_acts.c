/* engine/entry_acts.c: what follows from the committed state of an entry: agents are started, probed
 * and told to stop, and effects are delivered. Nothing here commits anything. */
#include "engine/entry_acts.h"

#include "engine/agent_calls.h"
#include "engine/cache.h"
#include "engine/child_parents.h"
#include "engine/effect_delivery.h"
#include "engine/engine.h"
#include "engine/entry_inputs.h"
#include "engine/follow.h"
#include "engine/report.h"

static bool calls(const wf_job *job)
{
    return !job->child && (job->state == WF_JOB_WITHDRAWN || job->state == WF_JOB_UNKNOWN ||
                           job->state == WF_JOB_CLAIMED);
}

static wf_job *next_job(const wf_entry *entry)
{
    wf_job *job = entry->jobs;

    while (job && !calls(job))
        job = job->next;
    return job;
}

/* A job that is over follows the ledger again: its invocation may be pending, or gone. */
static void call(wfsm_engine *engine, wf_job *job)
{
    wf_entry *entry = job->entry;

    engine->acts--;
    switch (job->state) {
    case WF_JOB_WITHDRAWN:
        wf_agent_cancel(engine, job);
        wf_jobs_follow(engine, entry); /* if memory ran out, again before its next input */
        return;
    case WF_JOB_UNKNOWN:
        wf_agent_probe(engine, job);
        return;
    default:
        wf_agent_start(engine, job);
        return;
    }
}

/* It has to be loaded again, or looked at, before anything follows from it. */
static bool is_uncertain(const wf_entry *entry)
{
    return wf_entry_is_evicted(entry) || entry->suspect || entry->behind ||
           wf_instance_sealed(entry->instance) ||
           (entry->child && !entry->wanted &&
            wfsm_instance_status(entry->instance) != WFSM_DONE);
}

void wf_entry_act(wfsm_engine *engine, wf_entry *entry)
{
    bool delivered;
    wf_job *job;

    if (is_uncertain(entry)) {
        wf_ask_soon(engine, entry);
        return;
    }
    delivered = wf_effects_deliver(engine, entry);
    entry->offered = engine->acts > 0 && wf_child_is_over(entry);
    while ((job = next_job(entry)) && wf_may_act(engine))
        call(engine, job);
    wf_entry_set_timer(engine, entry);
    if (engine->acts == 0)
        wf_act_soon(engine, entry); /* behind those that have had no act yet */
    else if (entry->behind || wf_entry_asks(entry) || (wf_child_is_over(entry) && !entry->told))
        wf_ask_soon(engine, entry);
    else if (!delivered || (entry->told && engine->ack_failed))
        wf_put_off(engine, entry);
    else if (wf_child_is_over(entry))
        wf_ask_soon(engine, entry); /* it leaves when its effects are acknowledged */
    else
        wf_cache_put(engine, entry);
}
