/* engine/pool_limits.c: the host sets limits of the pool and reads its counts. */
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/ready.h"

static bool is_kind(int32_t kind)
{
    return kind >= WFSM_POOL_ALL && kind <= WFSM_POOL_GROUP;
}

/* One job of each quota is enough: when it is claimed, the next one becomes ready. */
static void wake_kind(wfsm_engine *engine, int32_t kind)
{
    for (size_t i = 0; i < engine->quota_buckets; i++) {
        for (wf_quota *quota = engine->quotas[i]; quota; quota = quota->next) {
            if (quota->kind == kind)
                wf_ready_wake(engine, quota);
        }
    }
}

static int32_t limit_one(wfsm_engine *engine, int32_t kind, const char *name, uint32_t most,
                         wfsm_error *error)
{
    wf_quota *quota = wf_quota_find(engine, kind, name);

    if (!quota && most == 0)
        return WFSM_OK;
    if (!quota)
        quota = wf_quota_get(engine, kind, name);
    if (!quota)
        return wf_no_memory(error);
    quota->most = most;
    wf_ready_wake(engine, quota);
    wf_quota_drop(engine, quota);
    return WFSM_OK;
}

int32_t wfsm_engine_limit(wfsm_engine *engine, int32_t kind, const char *name, uint32_t most,
                          wfsm_error *error)
{
    int32_t status;

    if (!is_kind(kind) || (kind == WFSM_POOL_ALL && (name || most == 0)) ||
        (name && !wf_id_valid(name)))
        return wf_fail(error, WFSM_INVALID,
                       "a limit needs a kind, a name of 1 to 255 bytes or NULL, and for "
                       "the slots a number from 1");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    if (name) {
        status = limit_one(engine, kind, name, most, error);
    } else if (kind == WFSM_POOL_ALL) {
        engine->slots = most;
    } else {
        engine->limits[kind] = most;
        wake_kind(engine, kind);
    }
    wf_engine_leave(engine);
    return status;
}

static void link_shared(wfsm_engine *engine, wf_quota *quota)
{
    if (quota->is_shared)
        return;
    quota->is_shared = true;
    quota->next_shared = engine->shared;
    engine->shared = quota;
}

int32_t wfsm_engine_limit_shared(wfsm_engine *engine, int32_t kind, const char *name,
                                 uint32_t most, wfsm_error *error)
{
    wf_quota *quota;
    int32_t status;

    if (!is_kind(kind) || kind == WFSM_POOL_ALL || !wf_id_valid(name) || most > INT32_MAX)
        return wf_fail(
            error, WFSM_INVALID,
            "a shared limit needs the kind agent, phase or group, a name of 1 to 255 "
            "bytes, and a number up to 2147483647");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    quota = wf_quota_get(engine, kind, name);
    if (!engine->store->vtable.permits)
        status = wf_fail(error, WFSM_DENIED,
                         "this store cannot share limits between engines; those of wfsm can");
    else if (!quota)
        status = wf_no_memory(error);
    if (status == WFSM_OK) {
        quota->shared = most;
        link_shared(engine, quota);
        wf_ready_wake(engine, quota);
    } else if (quota) {
        wf_quota_drop(engine, quota);
    }
    wf_engine_leave(engine);
    return status;
}

size_t wfsm_engine_slots(const wfsm_engine *engine)
{
    return engine ? engine->slots : 0;
}

size_t wfsm_engine_working(const wfsm_engine *engine)
{
    return engine ? engine->working : 0;
}

size_t wfsm_engine_waiting(const wfsm_engine *engine)
{
    return engine ? engine->waiting : 0;
}

int32_t wfsm_engine_can_spawn(const wfsm_engine *engine, size_t count)
{
    return engine && engine->working <= engine->slots &&
           count <= engine->slots - engine->working;
}

int32_t wfsm_engine_pool_count(const wfsm_engine *engine, int32_t kind, const char *name,
                               size_t *working, size_t *waiting)
{
    const wf_quota *quota;

    if (!engine || !is_kind(kind) || (kind == WFSM_POOL_ALL) != !name)
        return WFSM_INVALID;
    quota = name ? wf_quota_find(engine, kind, name) : NULL;
    if (working)
        *working = quota ? quota->working : name ? 0 : engine->working;
    if (waiting)
        *waiting = quota ? quota->waiting : name ? 0 : engine->waiting;
    return WFSM_OK;
}
