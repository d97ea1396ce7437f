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

/* A step claims what it makes without asking who waits: none while somebody does, and
 * none for agents that only other engines have. */
uint32_t wf_slots_free(const wfsm_engine *engine, const wfsm_machine *machine,
                       bool frees_slot)
{
    size_t taken = engine->working - (frees_slot && engine->working > 0);

    if (engine->behind > 0 || engine->ready.count > 0 || taken >= engine->slots ||
        !all_agents_known(engine, machine))
        return 0;
    return engine->slots - (uint32_t)taken;
}

static void claim(wfsm_engine *engine, wf_job *job)
{
    wf_entry *entry = job->entry;
    char id[WF_INVOCATION_ID_BYTES];
    int32_t outcome = 0;
    int32_t status;

    wf_job_id(job, id);
    wf_input_begin(engine, entry, false);
    status = wfsm_instance_claim(entry->instance, id, engine->owner, engine->now,
                                 &outcome, engine->failed);
    wf_input_end(engine, entry);
    if (status == WFSM_OK)
        return;
    wf_run_note(engine, entry, status);
    wf_heap_take(&engine->ready, &job->ready); /* not again in this run */
}

bool wf_slots_claim(wfsm_engine *engine)
{
    wf_heap_item *top = wf_heap_top(&engine->ready);
    uint64_t revision;
    uint32_t ordinal;
    wf_entry *entry;
    wf_job *job;
    int32_t status;

    if (!top || engine->behind > 0 || engine->working >= engine->slots ||
        !engine->inputs)
        return false;
    /* Out of the heap, whatever becomes of it: following puts it back in. */
    wf_heap_take(&engine->ready, top);
    job = WF_OWNER_OF(top, wf_job, ready);
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
