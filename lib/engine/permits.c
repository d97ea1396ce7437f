/*
 * engine/permits.c: limits that all engines of a store share. The store gives out permits, which are
 * counts: no more for one limit than it has, to all sessions that are alive. A quota admits as many jobs
 * as the engine has permits for it. They are asked for and given back in exchanges, so that a permit is
 * here before the claim that needs it, and goes back after the commit that ends the work was stored.
 */
#include "engine/permits.h"

#include "engine/engine.h"
#include "engine/ready.h"

/* What the store has been told is not known. */
#define UNSURE UINT32_MAX

static uint32_t in_use(const wfsm_engine *engine, const wf_quota *quota)
{
    return (uint32_t)(quota->working + wf_quota_granted(engine, quota));
}

/* Permits for jobs that could begin at once. More would only keep them from other engines. */
static uint32_t wanted(const wfsm_engine *engine, const wf_quota *quota)
{
    size_t taken = engine->working + engine->grants.taken;
    size_t slots = taken < engine->slots ? engine->slots - taken : 0;
    size_t jobs = quota->parked.count < slots ? quota->parked.count : slots;
    uint32_t used = in_use(engine, quota);

    if (quota->shared == 0)
        return 0;
    if (used >= quota->shared)
        return used;
    return jobs < quota->shared - used ? used + (uint32_t)jobs : quota->shared;
}

/* Work that has ended does not hand its permit to the next job here if others wait: the store decides. */
static void give_back(const wfsm_engine *engine, wf_quota *quota)
{
    uint32_t most = in_use(engine, quota) + quota->fresh;

    if (!quota->contended || quota->held <= most)
        return;
    quota->held = most;
    quota->asked = UNSURE;
}

void wf_permits_open(wfsm_engine *engine)
{
    for (wf_quota *at = engine->shared; at; at = at->next_shared)
        give_back(engine, at);
}

/* With commits, the store makes sure that the session still has its permits. */
static bool is_asked(const wfsm_engine *engine, const wf_quota *quota)
{
    uint32_t want = wanted(engine, quota);

    return want != quota->asked || quota->held < want ||
           (quota->held > 0 && !wf_link_alone(&engine->stepped));
}

static void fill(const wfsm_engine *engine, wf_quota *quota, wfsm_permit *permit)
{
    uint32_t want = wanted(engine, quota);

    quota->fresh = 0;
    give_back(engine, quota);
    if (quota->held > want)
        quota->held = want; /* given back, whatever the answer is */
    *permit = (wfsm_permit){.size = sizeof *permit,
                            .kind = quota->kind,
                            .name = quota->name,
                            .most = quota->shared,
                            .working = in_use(engine, quota),
                            .wanted = want,
                            .held = quota->held,
                            .granted = UNSURE};
    quota->permit = permit;
}

static size_t count_asked(const wfsm_engine *engine)
{
    size_t count = 0;

    for (const wf_quota *at = engine->shared; at; at = at->next_shared)
        count += is_asked(engine, at);
    return count;
}

bool wf_permits_ask(wfsm_engine *engine)
{
    wfsm_exchange *exchange = &engine->outgoing.exchange;
    size_t count;
    wfsm_permit **list, *permits;

    if (engine->shared && engine->alive <= engine->now)
        wf_permits_lapse(engine);
    count = count_asked(engine);
    if (count == 0)
        return true;
    list = wf_arena_take(&engine->outgoing.arena, count * sizeof *list);
    permits = wf_arena_take(&engine->outgoing.arena, count * sizeof *permits);
    if (!list || !permits)
        return false;
    for (wf_quota *at = engine->shared; at; at = at->next_shared) {
        if (!is_asked(engine, at))
            continue;
        list[exchange->permit_count] = &permits[exchange->permit_count];
        fill(engine, at, list[exchange->permit_count++]);
    }
    exchange->permits = list;
    return true;
}

/* One job is enough: when it is claimed, the next one becomes ready. */
static void take(wfsm_engine *engine, wf_quota *quota, const wfsm_permit *permit)
{
    quota->held = permit->granted;
    quota->asked = permit->wanted;
    quota->contended = permit->contended;
    quota->fresh = permit->granted > permit->working ? permit->granted - permit->working : 0;
    engine->permits_failed = false;
    wf_ready_wake(engine, quota);
}

/* If the answer was lost, the store may have left the session only what is in use. */
static void lose_answer(wfsm_engine *engine, wf_quota *quota, const wfsm_permit *permit)
{
    if (quota->held > permit->working)
        quota->held = permit->working;
    quota->asked = UNSURE;
    engine->permits_failed = true;
}

void wf_permits_settle(wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;

    for (wf_quota *at = engine->shared; at; at = at->next_shared) {
        const wfsm_permit *permit = at->permit;

        at->permit = NULL;
        if (permit && exchange->lease != WFSM_OK)
            lose_answer(engine, at, permit);
        else if (permit && permit->granted != UNSURE)
            take(engine, at, permit);
    }
}

void wf_permits_refuse(wfsm_engine *engine)
{
    engine->outgoing.exchange.permit_count = 0;
    for (wf_quota *at = engine->shared; at; at = at->next_shared)
        at->permit = NULL;
}

void wf_permits_lapse(wfsm_engine *engine)
{
    for (wf_quota *at = engine->shared; at; at = at->next_shared) {
        if (at->held > 0 || at->asked > 0)
            at->asked = UNSURE;
        at->held = 0;
    }
}

bool wf_permits_due(const wfsm_engine *engine)
{
    bool due = false;

    for (const wf_quota *at = engine->shared; at && !due; at = at->next_shared)
        due = wanted(engine, at) != at->asked;
    return due;
}

bool wf_permits_missing(const wfsm_engine *engine)
{
    bool found = false;

    for (const wf_quota *at = engine->shared; at && !found; at = at->next_shared)
        found = at->held < wanted(engine, at);
    return found;
}
