/* engine/entry_ownership.c: an instance while this engine owns it: it is loaded, loaded
 * again after a conflict or a lost answer, and given up. */
#include "engine/entry_ownership.h"

#include "engine/agent_calls.h"
#include "engine/engine.h"
#include "engine/follow.h"
#include "engine/lease.h"
#include "engine/machines.h"

int32_t wf_engine_load(wfsm_engine *engine, const char *id, wfsm_instance **instance,
                       wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(engine->store, id, &head, error);
    wfsm_instance *loaded = NULL;

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_load(&loaded, wf_machines_find(engine, head.fingerprint),
                                engine->store, engine->functions, id, error);
    if (status == WFSM_OK)
        status = wf_instance_set_owner(loaded, engine->owner, error);
    if (status == WFSM_OK)
        status = wfsm_instance_set_limits(loaded, &engine->step_limits, error);
    if (status == WFSM_OK && engine->observer)
        status = wfsm_instance_observe(loaded, engine->observer, engine->observer_user);
    if (status == WFSM_OK) /* so that a thousand instances compile it once */
        status = wf_machines_keep(engine, (wfsm_machine *)wfsm_instance_machine(loaded), false,
                                  error);
    if (status != WFSM_OK) {
        wfsm_instance_free(loaded);
        return status;
    }
    *instance = loaded;
    return WFSM_OK;
}

void wf_entry_join(wfsm_engine *engine, wf_entry *entry)
{
    entry->child = wfsm_instance_parent(entry->instance)[0] != '\0';
    engine->children += entry->child;
    wf_entries_add(engine, entry);
    wf_jobs_follow(engine, entry); /* if memory ran out, again when it is settled */
    wf_settle_soon(engine, entry);
}

void wf_entry_cancel(wfsm_engine *engine, wf_entry *entry)
{
    for (wf_job *job = entry->jobs; job; job = job->next) {
        /* A child workflow continues; the next owner of its parent finds it. */
        if (!job->child && (job->state == WF_JOB_WORKING || job->state == WF_JOB_WITHDRAWN))
            wf_agent_cancel(engine, job);
    }
}

int32_t wf_entry_give_up(wfsm_engine *engine, wf_entry *entry, wfsm_error *error)
{
    int32_t status = wfsm_store_disown(engine->store, entry->id, engine->owner, error);

    return status == WFSM_NOT_FOUND || status == WFSM_DENIED ? WFSM_OK : status;
}

/* The jobs stay: agents continue their work as far as the new ledger agrees. */
static void replace(wfsm_engine *engine, wf_entry *entry, wfsm_instance *instance)
{
    wfsm_instance_free(entry->instance);
    entry->instance = instance;
    entry->suspect = false;
    wf_jobs_follow(engine, entry); /* if memory ran out, again when it is settled */
    wf_settle_soon(engine, entry);
}

static void drop(wfsm_engine *engine, wf_entry *entry)
{
    wf_entry_cancel(engine, entry);
    wf_entry_free(engine, entry);
}

static int32_t load_again(wfsm_engine *engine, wf_entry *entry, wfsm_error *error)
{
    wfsm_instance *instance = NULL;
    int32_t status = wf_engine_load(engine, entry->id, &instance, error);

    if (status == WFSM_OK)
        replace(engine, entry, instance);
    return status;
}

int32_t wf_entry_refresh(wfsm_engine *engine, wf_entry **entry, wfsm_error *error)
{
    int32_t status;

    if (!(*entry)->suspect && !wf_instance_sealed((*entry)->instance))
        return WFSM_OK;
    engine->inputs -= engine->inputs > 0;
    (*entry)->reloaded = engine->round;
    status = wf_lease_renew(engine, error);
    if (status == WFSM_OK)
        status = wfsm_store_own(engine->store, (*entry)->id, engine->owner, engine->now, error);
    if (status == WFSM_DENIED || status == WFSM_NOT_FOUND) {
        drop(engine, *entry);
        *entry = NULL;
        return WFSM_OK;
    }
    return status == WFSM_OK ? load_again(engine, *entry, error) : status;
}

int32_t wf_entry_get(wfsm_engine *engine, const char *id, size_t length, wf_entry **entry,
                     wfsm_error *error)
{
    int32_t status = WFSM_OK;

    *entry = wf_entries_find(engine, id, length);
    if (*entry)
        status = wf_entry_refresh(engine, entry, error);
    if (status == WFSM_OK && !*entry)
        return wf_fail(error, WFSM_NOT_FOUND, "this engine has no instance \"%.*s\"",
                       (int)(length < 256 ? length : 256), id);
    return status;
}
