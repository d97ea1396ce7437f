/* engine/cache.c: instances that only wait for an event, a timer or a person are cached. Beyond the bound
 * of the host, those that were used least recently are evicted: the entry stays, with what is needed to
 * find out that the instance has something to do, and the instance is loaded before its next input
 * (entry_ownership.c). */
#include "engine/cache.h"

#include "engine/engine.h"
#include "engine/machines.h"

static bool has_effects(wfsm_engine *engine, const wf_entry *entry)
{
    const char *effect = NULL;

    return wf_instance_owes_ack(entry->instance) ||
           wfsm_instance_next_effect(entry->instance, &effect, NULL, NULL, engine->failed) !=
               WFSM_OK ||
           effect;
}

/* Everything that is known of it is in the store. A child is looked at together with its parent. */
static bool only_waits(wfsm_engine *engine, const wf_entry *entry)
{
    return !entry->jobs && !entry->child && !entry->suspect && !entry->behind &&
           wf_link_alone(&entry->queue) && wf_link_alone(&entry->stepped) &&
           wf_link_alone(&entry->acking) && !wf_instance_waits(entry->instance) &&
           !wf_instance_sealed(entry->instance) &&
           wfsm_instance_status(entry->instance) == WFSM_RUNNING && !has_effects(engine, entry);
}

bool wf_cache_put(wfsm_engine *engine, wf_entry *entry)
{
    wf_link_remove(&entry->queue);
    if (!only_waits(engine, entry))
        return false;
    engine->cache_count += wf_link_alone(&entry->cached);
    wf_link_append(&engine->cache, &entry->cached);
    return true;
}

void wf_cache_take(wfsm_engine *engine, wf_entry *entry)
{
    engine->cache_count -= !wf_link_alone(&entry->cached);
    wf_link_remove(&entry->cached);
}

/* The machine of an instance that was loaded may be another object than the one that the engine keeps. */
static void evict(wfsm_engine *engine, wf_entry *entry)
{
    const char *fingerprint = wfsm_machine_fingerprint(wfsm_instance_machine(entry->instance));

    entry->machine = wf_machines_find(engine, fingerprint);
    if (!entry->machine)
        return;
    entry->revision = wfsm_instance_committed(entry->instance);
    wfsm_instance_free(entry->instance);
    entry->instance = NULL;
}

/* Since it was cached it may have got something to do: then it is cached again when that is done. */
void wf_cache_trim(wfsm_engine *engine)
{
    while (engine->cache_count > engine->cache_limit) {
        wf_entry *entry = WF_OWNER_OF(engine->cache.next, wf_entry, cached);

        wf_cache_take(engine, entry);
        if (only_waits(engine, entry))
            evict(engine, entry);
    }
}
