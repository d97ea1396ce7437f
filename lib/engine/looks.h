/* engine/looks.h: when an engine looks for what others have done. */
#ifndef WF_ENGINE_LOOKS_H
#define WF_ENGINE_LOOKS_H

#include <stdbool.h>
#include <wfsm/engine.h>

/* The time between looks, and a number that makes it differ from that of other engines. */
void wf_looks_init(wfsm_engine *engine, int64_t least, int64_t most);
/* True if the round that begins has to look. */
bool wf_look_is_due(const wfsm_engine *engine);
/* False: the engine has no instances, and no descriptor that a look makes unreadable. */
bool wf_look_is_of_use(const wfsm_engine *engine);
/* When it is due, if nothing happens before. */
int64_t wf_look_next(const wfsm_engine *engine);
/* There was a look at this time. `active`: something has happened, so the next one comes soon. */
void wf_looked(wfsm_engine *engine, int64_t at, bool active);
#endif
