/* engine/entry_ownership.c: an instance while this engine owns it: it is loaded, loaded
 * again after a conflict or a lost answer, and given up. */
#include "engine/entry_ownership.h"

#include "engine/agent_calls.h"
#include "engine/cache.h"
#include "engine/engine.h"
#include "engine/follow.h"
#include "engine/lease.h"
#include "engine/leaving.h"
#include "engine/machines.h"

/* The instance becomes one that this engine drives. If that fails, it is freed. */
static int32_t equip(wfsm_engine *engine, wfsm_instance *loaded, wfsm_instance **instance,
                     wfsm_error *error)
{
    int32_t status = wf_instance_set_owner(loaded, engine->session, error);

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

int32_t wf_engine_load(wfsm_engine *engine, const char *id, wfsm_instance **instance,
                       wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(engine->store, id, &head, error);
    wfsm_instance *loaded = NULL;

    if (status == WFSM_OK)
        status = wfsm_instance_load(&loaded, wf_machines_find(engine, head.fingerprint),
                                    engine->store, engine->functions, id, error);
    return status == WFSM_OK ? equip(engine, loaded, instance, error) : status;
}

int32_t wf_engine_load_rows(wfsm_engine *engine, const wf_row *rows, wfsm_instance **instance,
                            wfsm_error *error)
{
    wfsm_instance *loaded = NULL;
    int32_t status =
        wf_instance_load_rows(&loaded, wf_machines_find(engine, rows->row.head->fingerprint),
                              engine->store, engine->functions, rows, error);

    return status == WFSM_OK ? equip(engine, loaded, instance, error) : status;
}

/* One that only waits needs no call of an agent, and no delivery. */
static void wait_or_act(wfsm_engine *engine, wf_entry *entry)
{
    if (!wf_cache_put(engine, entry))
        wf_act_soon(engine, entry);
}

void wf_entry_join(wfsm_engine *engine, wf_entry *entry)
{
    entry->child = wfsm_instance_parent(entry->instance)[0] != '\0';
    engine->children += entry->child;
    wf_leaving_stop(engine, entry);
    wf_entries_add(engine, entry);
    wf_jobs_follow(engine, entry); /* if memory ran out, again when it is settled */
    wait_or_act(engine, entry);
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
    int32_t status = WFSM_OK;

    if (!wf_entry_is_left(entry))
        status = wfsm_store_disown(engine->store, entry->id, engine->session, error);

    return status == WFSM_NOT_FOUND || status == WFSM_DENIED ? WFSM_OK : status;
}

/* The jobs stay: agents continue their work as far as the new ledger agrees. */
static void replace(wfsm_engine *engine, wf_entry *entry, wfsm_instance *instance)
{
    wfsm_instance_free(entry->instance);
    entry->instance = instance;
    entry->suspect = false;
    if (entry->delivered > 0)
        wf_instance_delivered(instance, entry->delivered);
    wf_jobs_follow(engine, entry); /* if memory ran out, again when it is settled */
    wait_or_act(engine, entry);
}

static const wfsm_machine *machine_of(const wf_entry *entry)
{
    return wf_entry_is_evicted(entry) ? entry->machine : wfsm_instance_machine(entry->instance);
}

/* The host is told while the entry is still there: its id and machine are borrowed. */
static void tell_lost(wfsm_engine *engine, const wf_entry *entry, int32_t why)
{
    wfsm_call call;

    if (!engine->lost)
        return;
    wf_call_init(&call, WF_CALL_LOST, &engine->allocator);
    call.name = wfsm_machine_id(machine_of(entry));
    call.instance = entry->id;
    call.now = engine->now;
    call.lost = why;
    engine->lost(engine->lost_user, &call);
    wf_call_fini(&call);
}

void wf_entry_lose(wfsm_engine *engine, wf_entry *entry, int32_t why)
{
    engine->tally.lost++;
    wf_entry_cancel(engine, entry);
    tell_lost(engine, entry, why);
    wf_entry_free(engine, entry);
}

void wf_entries_lose(wfsm_engine *engine)
{
    int32_t why = engine->lost_all;

    engine->lost_all = 0;
    while (why && !wf_link_alone(&engine->entries))
        wf_entry_lose(engine, WF_OWNER_OF(engine->entries.next, wf_entry, all), why);
}

/* A confirmed commit is gone: the agents work for a ledger that the store does not have. What the
 * store has now belongs to nobody until the host adopts it. */
static void lose_set_back(wfsm_engine *engine, wf_entry *entry, wfsm_instance *older)
{
    wfsm_instance_free(older);
    (void)wfsm_store_disown(engine->store, entry->id, engine->session, NULL);
    wf_entry_lose(engine, entry, WFSM_LOST_SET_BACK);
}

static uint64_t committed(const wf_entry *entry)
{
    return wf_entry_is_evicted(entry) ? entry->revision
                                      : wfsm_instance_committed(entry->instance);
}

bool wf_entry_replace(wfsm_engine *engine, wf_entry *entry, wfsm_instance *instance)
{
    if (wfsm_instance_revision(instance) < committed(entry)) {
        lose_set_back(engine, entry, instance);
        return false;
    }
    replace(engine, entry, instance);
    return true;
}

static int32_t load_again(wfsm_engine *engine, wf_entry **entry, wfsm_error *error)
{
    wfsm_instance *instance = NULL;
    int32_t status = wf_engine_load(engine, (*entry)->id, &instance, error);

    if (status != WFSM_OK)
        return status;
    if (!wf_entry_replace(engine, *entry, instance))
        *entry = NULL;
    return WFSM_OK;
}

/* *why is the reason, if it turns out that the engine has lost the instance. Otherwise 0. */
static int32_t own_again(wfsm_engine *engine, const wf_entry *entry, int32_t *why,
                         wfsm_error *error)
{
    int32_t status = wf_lease_renew(engine, error);

    *why = status == WFSM_DENIED ? WFSM_LOST_SESSION : 0;
    if (status == WFSM_CONFLICT)
        *why = WFSM_LOST_SET_BACK;
    if (status != WFSM_OK)
        return status;
    status = wfsm_store_own(engine->store, entry->id, engine->session, engine->now, error);
    if (status == WFSM_DENIED)
        *why = WFSM_LOST_TAKEN;
    if (status == WFSM_CONFLICT)
        *why = WFSM_LOST_SET_BACK;
    if (status == WFSM_NOT_FOUND)
        *why = WFSM_LOST_REMOVED;
    return status;
}

static int32_t take_again(wfsm_engine *engine, wf_entry **entry, wfsm_error *error)
{
    int32_t status, why;

    engine->inputs -= engine->inputs > 0;
    (*entry)->reloaded = engine->round;
    status = own_again(engine, *entry, &why, error);
    if (why) {
        wf_entry_lose(engine, *entry, why);
        *entry = NULL;
        return WFSM_OK;
    }
    return status == WFSM_OK ? load_again(engine, entry, error) : status;
}

/* It belongs to this engine as far as is known. If it does not any more, the store refuses what follows
 * from it, as with an instance that stayed in memory. */
static int32_t load_evicted(wfsm_engine *engine, wf_entry **entry, wfsm_error *error)
{
    int32_t status;

    engine->inputs -= engine->inputs > 0;
    status = load_again(engine, entry, error);
    if (status != WFSM_NOT_FOUND)
        return status;
    wf_entry_lose(engine, *entry, WFSM_LOST_REMOVED);
    *entry = NULL;
    return WFSM_OK;
}

int32_t wf_entry_refresh(wfsm_engine *engine, wf_entry **entry, wfsm_error *error)
{
    if (wf_entry_is_evicted(*entry))
        return (*entry)->suspect ? take_again(engine, entry, error)
                                 : load_evicted(engine, entry, error);
    if (wf_instance_is_left((*entry)->instance))
        (*entry)->suspect = false; /* any engine may have it */
    if ((!(*entry)->suspect && !wf_instance_sealed((*entry)->instance)) ||
        wf_instance_waits((*entry)->instance))
        return WFSM_OK; /* the store refuses what is in the round if it belongs to another */
    return take_again(engine, entry, error);
}

int32_t wf_entry_own(wfsm_engine *engine, wf_entry **entry, wfsm_error *error)
{
    return wf_entry_is_left(*entry) ? take_again(engine, entry, error)
                                    : wf_entry_refresh(engine, entry, error);
}

int32_t wf_entry_get(wfsm_engine *engine, const char *id, size_t length, wf_entry **entry,
                     wfsm_error *error)
{
    int32_t status = WFSM_OK;

    *entry = wf_entries_find(engine, id, length);
    if (*entry)
        status = wf_entry_own(engine, entry, error);
    if (status == WFSM_OK && !*entry)
        return wf_fail(error, WFSM_NOT_FOUND, "this engine has no instance \"%.*s\"",
                       (int)(length < 256 ? length : 256), id);
    return status;
}
