/* engine/looks.c: when the engine looks for what others have done. A look is part of an exchange. If the
 * host has given `look_most_ms`, looks become rarer while nothing happens, and a random part is taken from
 * the time between them, so that engines that began together do not look together. */
#include "engine/looks.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/permits.h"

void wf_looks_init(wfsm_engine *engine, int64_t least, int64_t most)
{
    engine->looks =
        (wf_looks){.least = least,
                   .most = most,
                   .base = least,
                   .wait = least,
                   .random = wf_hash(engine->session, strlen(engine->session)) | 1u};
}

int32_t wfsm_engine_fd(const wfsm_engine *engine)
{
    return engine && engine->store->vtable.fd ? engine->store->vtable.fd(engine->store->self)
                                              : -1;
}

/* A descriptor tells, and a look is needed only in case that it has failed to. */
static bool is_woken(const wfsm_engine *engine)
{
    return wfsm_engine_fd(engine) >= 0;
}

bool wf_look_is_of_use(const wfsm_engine *engine)
{
    return engine->entry_count > 0 || engine->looks.asked || is_woken(engine);
}

int64_t wf_look_next(const wfsm_engine *engine)
{
    if (engine->looks.most == 0 && is_woken(engine))
        return WFSM_NEVER;
    return wf_time_after(engine->looks.last, engine->looks.wait);
}

/* If the clock was set back, the last look is not in the past. */
bool wf_look_is_due(const wfsm_engine *engine)
{
    return engine->looks.most == 0 || engine->looks.asked || engine->looks.last > engine->now ||
           wf_look_next(engine) <= engine->now;
}

static uint64_t next_random(wf_looks *looks)
{
    uint64_t x = looks->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return looks->random = x;
}

static int64_t doubled(const wf_looks *looks)
{
    return looks->base > looks->most / 2 ? looks->most : looks->base * 2;
}

void wf_looked(wfsm_engine *engine, int64_t at, bool active)
{
    wf_looks *looks = &engine->looks;

    looks->last = at;
    if (looks->most == 0)
        return;
    if (wf_permits_missing(engine))
        looks->base = looks->least;
    else
        looks->base = is_woken(engine) ? looks->most : active ? looks->least : doubled(looks);
    looks->wait = looks->base - (int64_t)(next_random(looks) % ((uint64_t)looks->base / 4 + 1));
}

int32_t wfsm_engine_look(wfsm_engine *engine)
{
    if (!engine)
        return WFSM_INVALID;
    engine->looks.asked = true;
    return WFSM_OK;
}
