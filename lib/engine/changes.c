/* engine/changes.c: what others have done to the instances of this engine. If anything has changed, the
 * exchange returns the heads of all of them, and they are compared with those in memory. Otherwise the
 * engine would learn of it only by a conflict at its own next commit, and until then miss new timers, work
 * and effects. */
#include "engine/changes.h"

#include <string.h>

#include "engine/engine.h"

static bool differs(const wf_entry *entry, uint64_t stored)
{
    if (wf_entry_is_evicted(entry))
        return stored != entry->revision;
    return stored != wfsm_instance_revision(entry->instance);
}

/* If the round has commits of an instance, their answers tell. */
void wf_changes_see(const wfsm_engine *engine, const wfsm_head *head)
{
    wf_entry *entry = wf_entries_find(engine, head->instance, strlen(head->instance));

    if (!entry)
        return;
    entry->listed = engine->outgoing.reading;
    if (wf_link_alone(&entry->stepped) && differs(entry, head->revision))
        entry->suspect = true;
}

static bool has_ended(const wf_entry *entry)
{
    return !wf_entry_is_evicted(entry) && wfsm_instance_status(entry->instance) == WFSM_DONE;
}

/* Somebody has removed those that are not listed, or taken them over. */
static void look_at_all(wfsm_engine *engine)
{
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        if (entry->listed != engine->outgoing.reading && !has_ended(entry))
            entry->suspect = true;
        if (entry->suspect)
            wf_ask_soon(engine, entry);
    }
}

void wf_changes_settle(wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;

    if (!exchange->inbox || exchange->inbox_answer != WFSM_OK ||
        exchange->changes == engine->changes)
        return;
    engine->changes = exchange->changes;
    look_at_all(engine);
}
