/* engine/lease.c: the right of an engine to its instances, until a given time. */
#include "engine/lease.h"

#include "engine/engine.h"

/* While the lease was lapsed, another engine may have taken any instance over. */
static void suspect_all(wfsm_engine *engine)
{
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        entry->suspect = true;
        wf_settle_soon(engine, entry);
    }
}

/* Two thirds of it are left. More than all of it is left if the clock was set back. */
static bool is_good(const wfsm_engine *engine)
{
    int64_t left = engine->alive > 0 ? engine->alive - engine->now : 0;

    return left <= engine->lapse && left >= engine->lapse - engine->lapse / 3;
}

int32_t wf_lease_renew(wfsm_engine *engine, wfsm_error *error)
{
    int64_t now = engine->now;
    int64_t until = now <= WFSM_NEVER - engine->lapse ? now + engine->lapse : WFSM_NEVER;
    bool lapsed = engine->alive > 0 && engine->alive <= now;
    int32_t status;

    if (is_good(engine))
        return WFSM_OK;
    status = wfsm_store_owner_alive(engine->store, engine->owner, until, error);
    if (status != WFSM_OK)
        return status;
    engine->alive = until;
    engine->compared = false;
    if (lapsed)
        suspect_all(engine);
    return WFSM_OK;
}
