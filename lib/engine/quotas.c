/*
 * engine/quotas.c: agents, phases and groups, as far as invocations name them: how many jobs of
 * each work and wait, and how many may work at once. A quota only counts. ready.c decides which
 * job is claimed when one has room again.
 */
#include "engine/quotas.h"

#include <string.h>

#include "engine/engine.h"

/* The set of items of an invocation is the last of a job's quotas. The step itself enforces
 * `maxConcurrency` when it claims; the quota spares the engine claims that would be refused. */
enum { FIRST_BUCKETS = 16, ITEMS = WF_QUOTAS - 1 };

static const char *part_of(const wf_value *pool, const char *key)
{
    const wf_value *part = pool->type == WF_OBJECT ? wf_value_get_z(pool, key) : NULL;

    return part && part->type == WF_STRING ? part->as.text : NULL;
}

const char *wf_quota_name(const wfsm_machine *machine, const wf_invocation *invocation,
                          int32_t kind)
{
    switch (kind) {
    case WFSM_POOL_AGENT:
        return machine->agents.list[invocation->agent].text;
    case WFSM_POOL_PHASE:
        return part_of(&invocation->pool, "phase");
    default:
        return part_of(&invocation->pool, "group");
    }
}

/* ---- the table ---- */

static wf_quota **bucket(const wfsm_engine *engine, uint32_t hash)
{
    WF_INVARIANT((engine->quota_buckets & (engine->quota_buckets - 1)) == 0);
    return &engine->quotas[hash & (engine->quota_buckets - 1)];
}

static uint32_t hash_of(int32_t kind, const char *name)
{
    return wf_hash(name, strlen(name)) + (uint32_t)kind;
}

wf_quota *wf_quota_find(const wfsm_engine *engine, int32_t kind, const char *name)
{
    uint32_t hash = hash_of(kind, name);
    wf_quota *quota = engine->quotas ? *bucket(engine, hash) : NULL;

    while (quota &&
           (quota->hash != hash || quota->kind != kind || strcmp(quota->name, name) != 0))
        quota = quota->next;
    return quota;
}

/* Without memory the table stays as it is, and is only slower. */
static bool widen(wfsm_engine *engine)
{
    size_t old_count = engine->quota_buckets;
    size_t count = old_count ? old_count * 2 : FIRST_BUCKETS;
    wf_quota **old = engine->quotas, **wide;

    if (engine->quota_count < old_count)
        return true;
    wide = wf_new(&engine->allocator, count * sizeof *wide);
    if (!wide)
        return old != NULL;
    engine->quotas = wide;
    engine->quota_buckets = count;
    for (size_t i = 0; i < old_count; i++) {
        for (wf_quota *quota = old[i], *next; quota; quota = next) {
            wf_quota **home = bucket(engine, quota->hash);

            next = quota->next;
            quota->next = *home;
            *home = quota;
        }
    }
    wf_free(&engine->allocator, old);
    return true;
}

wf_quota *wf_quota_get(wfsm_engine *engine, int32_t kind, const char *name)
{
    wf_quota *quota = wf_quota_find(engine, kind, name);
    wf_quota **home;

    if (quota || !widen(engine))
        return quota;
    quota = wf_new(&engine->allocator, sizeof *quota + strlen(name) + 1);
    if (!quota)
        return NULL;
    memcpy(quota->name, name, strlen(name));
    quota->kind = kind;
    quota->hash = hash_of(kind, name);
    wf_heap_init(&quota->parked, &engine->allocator);
    home = bucket(engine, quota->hash);
    quota->next = *home;
    *home = quota;
    engine->quota_count++;
    return quota;
}

static void free_quota(wfsm_engine *engine, wf_quota *quota)
{
    wf_heap_fini(&quota->parked);
    wf_free(&engine->allocator, quota);
}

void wf_quota_drop(wfsm_engine *engine, wf_quota *quota)
{
    wf_quota **at = bucket(engine, quota->hash);

    if (quota->jobs > 0 || quota->is_shared || quota->is_rated ||
        (quota->most > 0 && quota->kind != WF_POOL_ITEMS))
        return;
    WF_INVARIANT(quota->working == 0 && quota->waiting == 0 && quota->parked.count == 0);
    while (*at != quota)
        at = &(*at)->next;
    *at = quota->next;
    engine->quota_count--;
    free_quota(engine, quota);
}

void wf_quotas_free(wfsm_engine *engine)
{
    for (size_t i = 0; i < engine->quota_buckets; i++) {
        for (wf_quota *quota = engine->quotas[i], *next; quota; quota = next) {
            next = quota->next;
            free_quota(engine, quota);
        }
    }
    wf_free(&engine->allocator, engine->quotas);
}

/* ---- jobs ---- */

/* A `most` of 0 leaves the quota's own limit as it is. */
static bool join(wfsm_engine *engine, wf_job *job, int place, const char *name, uint32_t most)
{
    wf_quota *quota = wf_quota_get(engine, WFSM_POOL_AGENT + place, name);

    if (!quota)
        return false;
    if (!wf_heap_reserve(&quota->parked, quota->jobs + 1)) {
        wf_quota_drop(engine, quota);
        return false;
    }
    quota->jobs++;
    if (most > 0)
        quota->most = most;
    job->quotas[place] = quota;
    return true;
}

/* A set of items is named after its first item. */
static bool join_items(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation)
{
    wf_work first = {.revision = invocation->revision, .ordinal = invocation->set};
    char name[WF_WORK_ID_BYTES];

    wf_work_id(name, wfsm_instance_id(job->entry->instance), &first);
    return join(engine, job, ITEMS, name, invocation->most);
}

bool wf_quotas_join(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation)
{
    const wfsm_machine *machine = wfsm_instance_machine(job->entry->instance);
    bool joined = true;

    for (int i = 0; i < ITEMS && joined; i++) {
        const char *name = wf_quota_name(machine, invocation, WFSM_POOL_AGENT + i);

        joined = !name || join(engine, job, i, name, 0);
    }
    if (joined && invocation->most > 0)
        joined = join_items(engine, job, invocation);
    if (!joined)
        wf_quotas_leave(engine, job);
    return joined;
}

void wf_quotas_leave(wfsm_engine *engine, wf_job *job)
{
    for (int i = 0; i < WF_QUOTAS; i++) {
        wf_quota *quota = job->quotas[i];

        job->quotas[i] = NULL;
        if (!quota)
            continue;
        quota->jobs--;
        wf_quota_drop(engine, quota);
    }
}

void wf_quotas_count(wf_job *job, int working, int waiting)
{
    for (int i = 0; i < WF_QUOTAS; i++) {
        wf_quota *quota = job->quotas[i];

        if (!quota)
            continue;
        quota->working += (size_t)working;
        quota->waiting += (size_t)waiting;
        WF_INVARIANT(quota->working + quota->waiting <= quota->jobs);
    }
}

/* ---- limits ---- */

uint32_t wf_quota_limit(const wfsm_engine *engine, const wf_quota *quota)
{
    uint32_t most = quota->most ? quota->most : engine->limits[quota->kind];

    most = most ? most : UINT32_MAX;
    return quota->shared > 0 && quota->held < most ? quota->held : most;
}

size_t wf_quota_granted(const wfsm_engine *engine, const wf_quota *quota)
{
    return quota->grant == engine->grants.number ? quota->granted : 0;
}

bool wf_quota_has_room(const wfsm_engine *engine, const wf_quota *quota)
{
    return quota->working + wf_quota_granted(engine, quota) < wf_quota_limit(engine, quota) &&
           wf_rate_admits(&quota->rate, engine->now);
}

bool wf_quotas_wanted(const wf_job *job)
{
    for (int i = 0; i < WF_QUOTAS; i++) {
        if (job->quotas[i] && job->quotas[i]->parked.count > 0)
            return true;
    }
    return false;
}

wf_quota *wf_quotas_full(const wfsm_engine *engine, const wf_job *job)
{
    for (int i = 0; i < WF_QUOTAS; i++) {
        if (job->quotas[i] && !wf_quota_has_room(engine, job->quotas[i]))
            return job->quotas[i];
    }
    return NULL;
}
