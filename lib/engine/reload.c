/* engine/reload.c: after a conflict, or an answer that was lost, the store knows
 * better. */
#include <string.h>

#include "engine/engine.h"

/* What agents are at stays theirs, as far as the ledger agrees. */
static void swap(wfsm_engine *engine, wf_entry *entry, wfsm_instance *instance)
{
    wfsm_instance_free(entry->instance);
    entry->instance = instance;
    entry->suspect = false;
    wf_jobs_follow(engine, entry); /* what memory was short for: when it is settled */
    wf_run_soon(engine, entry);
}

static void drop(wfsm_engine *engine, wf_entry *entry)
{
    wf_entry_cancel(engine, entry);
    wf_entry_free(engine, entry);
}

int32_t wf_entry_usable(wfsm_engine *engine, wf_entry **entry, int64_t now, wfsm_error *error)
{
    wfsm_instance *instance = NULL;
    int32_t status;

    if (!(*entry)->suspect && !wf_instance_sealed((*entry)->instance))
        return WFSM_OK;
    engine->inputs -= engine->inputs > 0;
    (*entry)->reloaded = engine->round;
    status = wf_engine_alive(engine, now, error);
    if (status == WFSM_OK)
        status = wfsm_store_own(engine->store, (*entry)->id, engine->owner, now, error);
    if (status == WFSM_DENIED || status == WFSM_NOT_FOUND) {
        drop(engine, *entry);
        *entry = NULL;
        return WFSM_OK;
    }
    if (status == WFSM_OK)
        status = wf_engine_load(engine, (*entry)->id, &instance, error);
    if (status == WFSM_OK)
        swap(engine, *entry, instance);
    return status;
}
