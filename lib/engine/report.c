/* engine/report.c: failures within a round. */
#include "engine/report.h"

#include "engine/engine.h"

void wf_round_failed(wfsm_engine *engine, int32_t status)
{
    if (engine->status != WFSM_OK || status == WFSM_CONFLICT || status == WFSM_SEALED)
        return;
    engine->status = status;
    if (wfsm_error_status(engine->failed) == status)
        wf_error_copy(engine->first, engine->failed);
    else
        wf_fail(engine->first, status, "%s", wfsm_status_name(status));
}

/* After a conflict the entry is loaded again at once. If it was loaded in the round before, it is not. */
void wf_entry_failed(wfsm_engine *engine, wf_entry *entry, int32_t status)
{
    bool conflict = status == WFSM_CONFLICT || status == WFSM_SEALED;

    wf_round_failed(engine, status);
    if (!entry)
        return;
    if (conflict && entry->reloaded + 1 < engine->round)
        wf_ask_soon(engine, entry);
    else
        wf_put_off(engine, entry);
}
