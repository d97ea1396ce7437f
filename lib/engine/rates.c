/*
 * engine/rates.c: how often work may begin. A quota with a rate of its own has a bucket of tokens. If all
 * engines of the store share the rate, the store has the bucket: the engine asks for tokens in its exchanges when
 * jobs could begin, and may get one that can be used only later, which is its turn.
 */
#include "engine/rates.h"

#include "base/sized.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/ready.h"

void wf_rates_spend(wfsm_engine *engine, wf_job *job)
{
    for (int i = 0; i < WF_QUOTAS; i++)
        if (job->quotas[i])
            wf_rate_spend(&job->quotas[i]->rate, engine->now);
}

void wf_rates_open(wfsm_engine *engine)
{
    for (wf_quota *at = engine->rated; at; at = at->next_rated) {
        wf_token_bucket_fill(&at->rate.bucket, engine->now);
        wf_ready_wake(engine, at);
    }
}

/* ---- the store's bucket ---- */

/* Jobs that could begin at once if the rate admitted them. */
static size_t wanted(const wfsm_engine *engine, const wf_quota *quota)
{
    size_t taken = engine->working + engine->grants.taken;
    size_t slots = taken < engine->slots ? engine->slots - taken : 0;
    size_t used = quota->working + wf_quota_granted(engine, quota);
    size_t most = wf_quota_limit(engine, quota);
    size_t room = used < most ? most - used : 0;

    slots = slots < room ? slots : room;
    return quota->parked.count < slots ? quota->parked.count : slots;
}

/* Tokens are not collected. One is kept for work that had no slot when its turn came. */
static void drop(const wfsm_engine *engine, wf_quota *quota)
{
    wf_rate *rate = &quota->rate;
    uint32_t most = quota->waiting > 0;

    if (rate->from <= engine->now && rate->tokens > most)
        rate->tokens = most;
}

static bool asks(const wfsm_engine *engine, const wf_quota *quota)
{
    const wf_rate *rate = &quota->rate;

    return rate->count > 0 && rate->shared && rate->tokens == 0 && rate->from <= engine->now &&
           wanted(engine, quota) > 0;
}

static size_t count_asked(wfsm_engine *engine)
{
    size_t count = 0;

    for (wf_quota *at = engine->rated; at; at = at->next_rated) {
        drop(engine, at);
        count += asks(engine, at);
    }
    return count;
}

bool wf_rates_ask(wfsm_engine *engine)
{
    wfsm_exchange *exchange = &engine->outgoing.exchange;
    size_t count = count_asked(engine);
    wfsm_rate **list, *rates;

    if (count == 0)
        return true;
    list = wf_arena_take(&engine->outgoing.arena, count * sizeof *list);
    rates = wf_arena_take(&engine->outgoing.arena, count * sizeof *rates);
    if (!list || !rates)
        return false;
    for (wf_quota *at = engine->rated; at; at = at->next_rated) {
        wfsm_rate *next = &rates[exchange->rate_count];

        if (!asks(engine, at))
            continue;
        *next = (wfsm_rate){.size = sizeof *next,
                            .kind = at->kind,
                            .name = at->name,
                            .count = at->rate.count,
                            .per_ms = at->rate.per_ms,
                            .wanted = (uint32_t)wanted(engine, at)};
        at->rate.asked = next;
        list[exchange->rate_count++] = next;
    }
    exchange->rates = list;
    return true;
}

void wf_rates_settle(wfsm_engine *engine)
{
    bool fine = engine->outgoing.exchange.lease == WFSM_OK;

    for (wf_quota *at = engine->rated; at; at = at->next_rated) {
        wf_rate *rate = &at->rate;
        const wfsm_rate *answer = rate->asked;

        rate->asked = NULL;
        if (!answer)
            continue;
        rate->tokens = fine ? answer->granted : 0;
        rate->from = wf_time_after(engine->now, fine ? answer->wait_ms : WF_RETRY_MS);
        wf_ready_wake(engine, at);
    }
}

void wf_rates_refuse(wfsm_engine *engine)
{
    engine->outgoing.exchange.rate_count = 0;
    for (wf_quota *at = engine->rated; at; at = at->next_rated)
        at->rate.asked = NULL;
}

/* ---- when ---- */

/* A job that may begin now is ready already, or waits for something else. */
static int64_t due(const wfsm_engine *engine, const wf_quota *quota)
{
    const wf_rate *rate = &quota->rate;

    if (rate->count == 0 || wanted(engine, quota) == 0 || wf_rate_admits(rate, engine->now))
        return WFSM_NEVER;
    return wf_rate_next(rate, engine->now);
}

int64_t wf_rates_due(const wfsm_engine *engine)
{
    int64_t first = WFSM_NEVER;

    for (const wf_quota *at = engine->rated; at; at = at->next_rated) {
        int64_t next = due(engine, at);

        first = next < first ? next : first;
    }
    return first;
}

/* ---- the host sets them ---- */

static void set(wfsm_engine *engine, wf_quota *quota, const wfsm_pool_rate *rate)
{
    wf_rate *own = &quota->rate;

    if (!quota->is_rated) {
        quota->is_rated = true;
        quota->next_rated = engine->rated;
        engine->rated = quota;
    }
    own->count = rate->count;
    own->per_ms = rate->per_ms;
    own->shared = rate->shared == 1;
    own->tokens = 0;
    own->from = 0;
    if (rate->count > 0)
        wf_token_bucket_set(&own->bucket, rate->count, rate->per_ms);
    wf_ready_wake(engine, quota);
}

static bool is_valid(const wfsm_pool_rate *rate)
{
    return rate->kind >= WFSM_POOL_AGENT && rate->kind <= WFSM_POOL_GROUP &&
           wf_id_valid(rate->name) && (rate->shared == 0 || rate->shared == 1) &&
           rate->count <= INT32_MAX &&
           (rate->count == 0 || (rate->per_ms >= 1 && rate->per_ms <= INT32_MAX));
}

static int32_t set_rate(wfsm_engine *engine, const wfsm_pool_rate *rate, wfsm_error *error)
{
    wf_quota *quota;

    if (rate->shared && !engine->store->vtable.rates)
        return wf_fail(error, WFSM_DENIED,
                       "this store cannot share rates between engines; those of wfsm can");
    quota = wf_quota_get(engine, rate->kind, rate->name);
    if (!quota)
        return wf_no_memory(error);
    set(engine, quota, rate);
    return WFSM_OK;
}

int32_t wfsm_engine_rate(wfsm_engine *engine, const wfsm_pool_rate *rate, wfsm_error *error)
{
    wfsm_pool_rate given;
    int32_t status;

    if (!wf_struct_check(&given, sizeof given, rate, WF_SIZE_UP_TO(wfsm_pool_rate, count)) ||
        !is_valid(&given))
        return wf_fail(
            error, WFSM_INVALID,
            "a rate needs the kind agent, phase or group, a name of 1 to 255 bytes, 0 "
            "or 1 as shared, and a count and a period of up to 2147483647");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    status = set_rate(engine, &given, error);
    wf_engine_leave(engine);
    return status;
}
