/* engine/enter.c: how a public call of an engine begins and ends. */
#include "engine/enter.h"

#include "base/invariant.h"
#include "engine/cache.h"
#include "engine/engine.h"
#include "store/batch.h"

int32_t wf_engine_enter(wfsm_engine *engine, wfsm_error *error)
{
    if (!engine)
        return wf_fail(error, WFSM_INVALID, "no engine");
    if (engine->busy)
        return wf_fail(error, WFSM_BUSY, "the engine was called from one of its callbacks");
    if (engine->out.engine)
        return wf_fail(error, WFSM_BUSY,
                       "a round of the engine is out: wfsm_engine_finish() comes first");
    if (wf_store_gathers(engine->store))
        return wf_fail(error, WFSM_BUSY, "a batch of the engine's store is open");
    engine->busy = true;
    engine->inputs = engine->bounds.inputs;
    engine->acts = WF_RUN_ACTS;
    return WFSM_OK;
}

int32_t wf_engine_enter_at(wfsm_engine *engine, int64_t now, wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status == WFSM_OK)
        engine->now = now;
    return status;
}

void wf_engine_leave(wfsm_engine *engine)
{
    WF_INVARIANT(engine->busy);
    wf_cache_trim(engine);
    engine->busy = false;
}
