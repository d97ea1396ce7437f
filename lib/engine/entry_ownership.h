/* engine/entry_ownership.h: an instance while this engine owns it. */
#ifndef WF_ENGINE_ENTRY_OWNERSHIP_H
#define WF_ENGINE_ENTRY_OWNERSHIP_H

#include "engine/entries.h"
#include "instance/instance.h"
#include "store/rows.h"

/* Loads an instance from the store, as one that this engine owns. *instance is new. */
int32_t wf_engine_load(wfsm_engine *engine, const char *id, wfsm_instance **instance,
                       wfsm_error *error);
/* The same from what an exchange has returned. */
int32_t wf_engine_load_rows(wfsm_engine *engine, const wf_row *rows, wfsm_instance **instance,
                            wfsm_error *error);
/* Adds an entry that has its instance. Cannot fail. */
void wf_entry_join(wfsm_engine *engine, wf_entry *entry);
/* The commit that has ended the instance has given it up. */
static inline bool wf_entry_is_left(const wf_entry *entry)
{
    return !wf_entry_is_evicted(entry) && wf_instance_is_left(entry->instance);
}
/* Tells the agents that work for an entry to stop. */
void wf_entry_cancel(wfsm_engine *engine, wf_entry *entry);
/* The store no longer names this engine as the owner. */
int32_t wf_entry_give_up(wfsm_engine *engine, wf_entry *entry, wfsm_error *error);
/* The engine has lost the instance: `why` is enum wfsm_lost. The entry is freed. */
void wf_entry_lose(wfsm_engine *engine, wf_entry *entry, int32_t why);
/* The entry gets what the store has. False if that is older than what was committed: then the instance is
 * lost, and the entry freed. */
bool wf_entry_replace(wfsm_engine *engine, wf_entry *entry, wfsm_instance *instance);
/* Loses all entries, if engine->lost_all says why. */
void wf_entries_lose(wfsm_engine *engine);
/* Makes an entry fit for an input: an evicted, sealed or suspect one is loaded again. If that shows that
 * the instance belongs to another engine, the entry is freed, and *entry is NULL. */
int32_t wf_entry_refresh(wfsm_engine *engine, wf_entry **entry, wfsm_error *error);
/* The same for an input that comes after the end of the instance: it is owned again first. */
int32_t wf_entry_own(wfsm_engine *engine, wf_entry **entry, wfsm_error *error);
/* The entry with this id, fit for an input; NOT_FOUND if this engine does not have it. */
int32_t wf_entry_get(wfsm_engine *engine, const char *id, size_t length, wf_entry **entry,
                     wfsm_error *error);
#endif
