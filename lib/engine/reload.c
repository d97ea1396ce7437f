/* engine/reload.c: instances that the next exchange loads, so that preparing a round does not use the
 * store. Between rounds a call of the host loads an instance by itself (entry_ownership.c). */
#include "engine/reload.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/entry_ownership.h"
#include "engine/report.h"

/* Instances that one exchange loads. */
enum { RELOADS = 256 };

static bool is_uncertain(const wf_entry *entry)
{
    if (wf_entry_is_evicted(entry))
        return true;
    return (entry->suspect || wf_instance_sealed(entry->instance)) &&
           !wf_instance_waits(entry->instance);
}

static void load_soon(wfsm_engine *engine, wf_entry *entry)
{
    wf_link_append(&engine->reloads, &entry->queue);
}

bool wf_entry_is_fit(wfsm_engine *engine, wf_entry *entry)
{
    if (wf_entry_is_left(entry))
        entry->suspect = false; /* any engine may have it */
    if (!is_uncertain(entry))
        return true; /* the store refuses what is in the round if it belongs to another */
    load_soon(engine, entry);
    return false;
}

bool wf_entry_is_fit_to_own(wfsm_engine *engine, wf_entry *entry)
{
    if (!wf_entry_is_left(entry))
        return wf_entry_is_fit(engine, entry);
    load_soon(engine, entry);
    return false;
}

size_t wf_reload_count(const wfsm_engine *engine)
{
    size_t count = 0;

    for (const wf_link *at = engine->reloads.next; at != &engine->reloads && count < RELOADS;
         at = at->next)
        count++;
    return count;
}

/* One that was evicted is this engine's as far as is known. If it is not any more, the store refuses what
 * follows from it, as with an instance that stayed in memory. */
static int32_t request_kind(const wf_entry *entry)
{
    return wf_entry_is_evicted(entry) && !entry->suspect ? WFSM_REQUEST_LOAD
                                                         : WFSM_REQUEST_TAKE;
}

wfsm_request *wf_reload_ask(wfsm_engine *engine, wfsm_request *requests)
{
    size_t count = wf_reload_count(engine);

    engine->reloading = count;
    for (wf_link *at = engine->reloads.next; count-- > 0; at = at->next) {
        const wf_entry *entry = WF_OWNER_OF(at, wf_entry, queue);

        *requests++ = (wfsm_request){
            .size = sizeof *requests, .kind = request_kind(entry), .instance = entry->id};
    }
    return requests;
}

static int32_t why_lost(int32_t answer)
{
    switch (answer) {
    case WFSM_DENIED:
        return WFSM_LOST_TAKEN;
    case WFSM_CONFLICT:
        return WFSM_LOST_SET_BACK;
    case WFSM_NOT_FOUND:
        return WFSM_LOST_REMOVED;
    default:
        return 0;
    }
}

/* The rows of this entry, if they are the next ones. Moves *rows behind them. */
static const wf_row *take_rows(const wf_row **rows, const wf_entry *entry)
{
    const wf_row *first = *rows;

    if (!first || strcmp(first->row.head->instance, entry->id) != 0)
        return NULL;
    *rows = wf_rows_behind(first);
    return first;
}

static void settle(wfsm_engine *engine, wf_entry *entry, const wf_row *rows, int32_t answer)
{
    bool asked = engine->outgoing.exchange.lease == WFSM_OK;
    wfsm_instance *instance = NULL;

    wf_link_remove(&entry->queue);
    if (asked && why_lost(answer)) {
        wf_entry_lose(engine, entry, why_lost(answer));
        return;
    }
    if (answer == WFSM_OK)
        answer = rows ? wf_engine_load_rows(engine, rows, &instance, engine->failed)
                      : WFSM_STORE_FAILED;
    if (answer == WFSM_OK) {
        entry->reloaded = engine->round;
        if (wf_entry_replace(engine, entry, instance))
            wf_ask_soon(engine, entry); /* it is not evicted before its input */
        return;
    }
    wf_round_failed(engine, answer);
    wf_put_off(engine, entry);
    engine->queue_failed = !wf_link_alone(&engine->queue); /* perhaps it is for this instance */
}

const int32_t *wf_reload_settle(wfsm_engine *engine, const int32_t *answers)
{
    const wf_row *rows = engine->outgoing.loaded.first;

    for (; engine->reloading > 0; engine->reloading--) {
        wf_entry *entry = WF_OWNER_OF(engine->reloads.next, wf_entry, queue);
        const wf_row *own = take_rows(&rows, entry);

        settle(engine, entry, own, answers ? *answers++ : WFSM_NO_MEMORY);
    }
    wf_rows_clear(&engine->outgoing.loaded);
    return answers;
}
