/* engine/cache.h: instances that only wait may leave memory. */
#ifndef WF_ENGINE_CACHE_H
#define WF_ENGINE_CACHE_H

#include "engine/entries.h"

/* The entry has nothing to do for now. If its instance only waits, it is cached. False if it does not. */
bool wf_cache_put(wfsm_engine *engine, wf_entry *entry);
/* The entry is not counted any more. */
void wf_cache_take(wfsm_engine *engine, wf_entry *entry);
/* Evicts the instances that were used least recently, until as many are left as the host wants. */
void wf_cache_trim(wfsm_engine *engine);
#endif
