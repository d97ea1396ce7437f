/* engine/slots.c: the pool. It is counted from the jobs, and they follow the ledgers,
 * so a restart neither leaks nor doubles a slot. */
#include "engine/engine.h"

static bool all_agents_known(const wfsm_engine *engine, const wfsm_machine *machine)
{
    for (size_t i = 0; i < engine->machine_count; i++) {
        if (engine->machines[i].machine == machine)
            return engine->machines[i].complete;
    }
    return false;
}

static bool allows(void *user, const wfsm_machine *machine, const wf_invocation *made)
{
    /* Children take no slots: they wait for what takes some. They are claimed apart. */
    if (wf_child_machine(machine->agents.list[made->agent].text))
        return false;
    return wf_quotas_grant(user, machine, made);
}

/* A step claims what it makes without asking who waits: none while somebody does, and
 * none for agents that only other engines have. */
wf_grant wf_slots_grant(wfsm_engine *engine, const wfsm_machine *machine, const wf_job *freeing)
{
    size_t taken = engine->working - (freeing && engine->working > 0);
    wf_grant grant = {.user = engine, .allows = allows};

    engine->grants++;
    engine->granted_count = 0;
    engine->granted_all = freeing && wf_quotas_wanted(freeing);
    engine->freeing = freeing;
    if (engine->behind == 0 && engine->ready.count == 0 && taken < engine->slots &&
        all_agents_known(engine, machine))
        grant.slots = engine->slots - (uint32_t)taken;
    return grant;
}

static void claim(wfsm_engine *engine, wf_job *job)
{
    wf_entry *entry = job->entry;
    char id[WF_INVOCATION_ID_BYTES];
    int32_t outcome = 0;
    int32_t status;

    wf_job_id(job, id);
    wf_input_begin(engine, entry, NULL);
    status = wfsm_instance_claim(entry->instance, id, engine->owner, engine->now, &outcome,
                                 engine->failed);
    wf_input_end(engine, entry);
    if (status == WFSM_OK)
        return;
    wf_run_note(engine, entry, status);
    wf_ready_take(engine, job); /* not again in this run */
    if (job->child)
        wf_link_remove(&job->polled);
}

static wf_job *next_of_all(wfsm_engine *engine)
{
    if (engine->behind > 0 || !engine->inputs)
        return NULL;
    if (!wf_link_alone(&engine->births))
        return WF_OWNER_OF(engine->births.next, wf_job, polled);
    return engine->working < engine->slots ? wf_ready_next(engine) : NULL;
}

bool wf_slots_claim(wfsm_engine *engine)
{
    uint64_t revision;
    uint32_t ordinal;
    wf_entry *entry;
    wf_job *job;
    int32_t status;

    job = next_of_all(engine);
    if (!job)
        return false;
    /* Out of the heap, whatever becomes of it: following puts it back in. */
    wf_ready_take(engine, job);
    if (job->child)
        wf_link_remove(&job->polled);
    revision = job->revision;
    ordinal = job->ordinal;
    entry = job->entry;
    status = wf_entry_usable(engine, &entry, engine->now, engine->failed);
    if (status != WFSM_OK) {
        wf_run_note(engine, entry, status);
        return true;
    }
    /* Loading it again may have shown that the job is over. */
    job = entry ? wf_entry_job(entry, revision, ordinal) : NULL;
    if (job && job->state == WF_JOB_WAITING)
        claim(engine, job);
    return true;
}
