/* engine/leaving.h: instances that this engine gives up. */
#ifndef WF_ENGINE_LEAVING_H
#define WF_ENGINE_LEAVING_H

#include "engine/entries.h"

/* Frees the entry. The next exchange gives the instance up, and that is no transaction of its own. False
 * when out of memory: the entry stays. */
bool wf_leave(wfsm_engine *engine, wf_entry *entry);
/* The instance is with this engine again: it is not given up. */
void wf_leaving_stop(wfsm_engine *engine, const wf_entry *entry);
/* The requests of the next exchange. */
size_t wf_leaving_count(const wfsm_engine *engine);
void wf_leaving_ask(const wfsm_engine *engine, wfsm_request *requests);
/* The store has answered them, in the same order. NULL: it was not asked. */
void wf_leaving_settle(wfsm_engine *engine, const int32_t *answers);
/* Gives up everything that the engine has, many instances with each exchange, and tells the store
 * nothing else. The entries stay. What the store refuses stays with the session. */
void wf_leave_all(wfsm_engine *engine);
void wf_leaving_free(wfsm_engine *engine);
#endif
