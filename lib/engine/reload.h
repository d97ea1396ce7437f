/* engine/reload.h: instances that the next exchange loads. */
#ifndef WF_ENGINE_RELOAD_H
#define WF_ENGINE_RELOAD_H

#include "engine/entries.h"

/* True if an entry is fit for an input of this round. Otherwise the next exchange loads its instance: it
 * was evicted, is sealed, or may belong to another engine by now. The round is due again at once. */
bool wf_entry_is_fit(wfsm_engine *engine, wf_entry *entry);
/* The same for an input that comes after the end of the instance: it is owned again first. */
bool wf_entry_is_fit_to_own(wfsm_engine *engine, wf_entry *entry);
/* The requests of the next exchange. Returns where the next request goes. */
size_t wf_reload_count(const wfsm_engine *engine);
wfsm_request *wf_reload_ask(wfsm_engine *engine, wfsm_request *requests);
/* The store has answered them, in the same order, and the rows are in engine->outgoing.loaded. NULL: it
 * was not asked. Returns the answers to the requests that follow. */
const int32_t *wf_reload_settle(wfsm_engine *engine, const int32_t *answers);
#endif
