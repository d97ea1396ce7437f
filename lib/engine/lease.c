/* engine/lease.c: the right of an engine to its instances, until a given time. */
#include "engine/lease.h"

#include "engine/engine.h"
#include "engine/permits.h"

/* While the lease was lapsed, another engine may have taken any instance over. */
static void suspect_all(wfsm_engine *engine)
{
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        entry->suspect = true;
        wf_ask_soon(engine, entry);
    }
}

/* Another process has the session's name, or has set the store back. Each entry is freed when it is settled. */
static void lose_session(wfsm_engine *engine)
{
    engine->alive = 0;
    wf_permits_lapse(engine);
    suspect_all(engine);
}

/* So much of it is left, at least. More than all of it is left if the clock was set back. */
static bool has_left(const wfsm_engine *engine, int64_t least)
{
    int64_t left = engine->alive > 0 ? engine->alive - engine->now : 0;

    return left <= engine->lapse && left >= least;
}

static bool is_good(const wfsm_engine *engine)
{
    return has_left(engine, engine->lapse - engine->lapse / 3);
}

/* A rare look renews it early, so that an engine that waits needs no exchange for that alone. */
static bool is_good_enough(const wfsm_engine *engine)
{
    bool rare = engine->looks.most > 0 && engine->looks.due;

    return has_left(engine, engine->lapse - engine->lapse / (rare ? 6 : 3));
}

static int32_t claim(const wfsm_engine *engine, int64_t mine, int64_t until, wfsm_error *error)
{
    return wfsm_store_claim(engine->store, engine->session, mine, engine->now, until, error);
}

/* The claim was made, or will never be. */
static bool is_answer(int32_t status)
{
    return status == WFSM_OK || status == WFSM_DENIED || status == WFSM_CONFLICT;
}

static void keep_answer(wfsm_engine *engine, int64_t until, int32_t status)
{
    bool lapsed = engine->alive > 0 && engine->alive <= engine->now;

    engine->claimed = is_answer(status) ? 0 : until;
    if (status != WFSM_OK)
        return;
    engine->alive = until;
    if (lapsed) {
        wf_permits_lapse(engine);
        suspect_all(engine);
    }
}

/* If the answer to a claim was lost, the row may say what it said before, or what the claim was to
 * write. That claim is repeated first, so there is never a third possibility. */
static int32_t live_until(wfsm_engine *engine, int64_t until, wfsm_error *error)
{
    int32_t status = claim(engine, engine->alive, until, error);

    WF_INVARIANT(engine->claimed == 0 || engine->claimed == until);
    if (status == WFSM_DENIED && engine->claimed > 0)
        status = claim(engine, engine->claimed, until, error);
    keep_answer(engine, until, status);
    if (status == WFSM_DENIED || status == WFSM_CONFLICT)
        lose_session(engine);
    engine->watched &= status != WFSM_OK;
    return status;
}

bool wf_lease_has_lapsed(const wfsm_engine *engine)
{
    return engine->entry_count > 0 && engine->alive <= engine->now;
}

int64_t wf_lease_next(const wfsm_engine *engine)
{
    return engine->now <= WFSM_NEVER - engine->lapse ? engine->now + engine->lapse : WFSM_NEVER;
}

/* The claim whose answer was lost is repeated first. */
int64_t wf_lease_wanted(const wfsm_engine *engine)
{
    if (engine->claimed > 0)
        return engine->claimed;
    return is_good_enough(engine) || engine->entry_count + engine->start_count == 0
               ? engine->alive
               : wf_lease_next(engine);
}

void wf_lease_answered(wfsm_engine *engine, const wfsm_exchange *exchange)
{
    if (exchange->mine != engine->alive) { /* it was repeated: the lost claim was made */
        engine->alive = exchange->mine;
        engine->claimed = 0;
    }
    if (exchange->until == engine->alive)
        return;
    keep_answer(engine, exchange->until, exchange->lease);
    if (exchange->lease == WFSM_DENIED || exchange->lease == WFSM_CONFLICT) {
        engine->alive = 0;
        engine->lost_all =
            exchange->lease == WFSM_DENIED ? WFSM_LOST_SESSION : WFSM_LOST_SET_BACK;
    }
}

int32_t wf_lease_renew(wfsm_engine *engine, wfsm_error *error)
{
    int32_t status = WFSM_OK;

    if (is_good(engine))
        return WFSM_OK;
    if (engine->claimed > 0)
        status = live_until(engine, engine->claimed, error);
    if (status != WFSM_OK || is_good(engine))
        return status;
    return live_until(engine, wf_lease_next(engine), error);
}
