/* engine/parting.c: instances are given up to the engines whose shards they are in. */
#include "engine/parting.h"

#include "engine/child_search.h"
#include "engine/engine.h"
#include "engine/entry_ownership.h"
#include "engine/leaving.h"

static const wf_known *known_of(const wfsm_engine *engine, const wf_entry *entry)
{
    const wfsm_machine *machine =
        wf_entry_is_evicted(entry) ? entry->machine : wfsm_instance_machine(entry->instance);

    for (size_t i = 0; i < engine->machine_count; i++)
        if (engine->machines[i].machine == machine)
            return &engine->machines[i];
    return wf_known_find(engine, machine->fingerprint);
}

static bool is_others(const wfsm_engine *engine, const wf_entry *entry)
{
    const wf_known *known = known_of(engine, entry);

    return known && !(known->served && wf_shard_is_in(known->shards, wfsm_shard(entry->id)));
}

/* An agent may be at work for it, or a child. */
static bool has_work(const wf_entry *entry)
{
    const wf_job *job = entry->jobs;

    while (job && job->state == WF_JOB_WAITING)
        job = job->next;
    return job;
}

static bool has_effects(wfsm_engine *engine, const wf_entry *entry)
{
    const char *effect = NULL;

    return wf_instance_owes_ack(entry->instance) ||
           (engine->deliver && (wfsm_instance_next_effect(entry->instance, &effect, NULL, NULL,
                                                          engine->failed) != WFSM_OK ||
                                effect));
}

/* A family stays together: while its parent is here, so is the child. */
static bool has_parent_here(const wfsm_engine *engine, const wf_entry *entry)
{
    wf_parent parent;

    return entry->child && wf_instance_parent(entry->instance, &parent) &&
           wf_parent_entry(engine, &parent);
}

/* Nothing is in flight: all that is known of it is in the store. */
static bool is_calm(wfsm_engine *engine, const wf_entry *entry)
{
    if (entry->suspect || entry->behind || !wf_link_alone(&entry->queue) ||
        !wf_link_alone(&entry->stepped) || !wf_link_alone(&entry->acking))
        return false;
    if (wf_entry_is_evicted(entry))
        return true;
    return !has_work(entry) && wfsm_instance_status(entry->instance) == WFSM_RUNNING &&
           !wf_instance_waits(entry->instance) && !wf_instance_sealed(entry->instance) &&
           !has_effects(engine, entry) && !has_parent_here(engine, entry);
}

int32_t wf_part(wfsm_engine *engine, size_t most, size_t *count, wfsm_error *error)
{
    wf_link *next;

    for (wf_link *at = engine->entries.next; at != &engine->entries && *count < most;
         at = next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        next = at->next;
        if (!entry->shared || !is_others(engine, entry) || !is_calm(engine, entry))
            continue;
        if (!wf_leave(engine, entry))
            return wf_no_memory(error);
        ++*count;
    }
    engine->posted |= *count > 0; /* the next round is due */
    return WFSM_OK;
}
