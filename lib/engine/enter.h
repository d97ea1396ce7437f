/* engine/enter.h: how a public call of an engine begins and ends. */
#ifndef WF_ENGINE_ENTER_H
#define WF_ENGINE_ENTER_H

#include <wfsm/engine.h>

/* Every public call that changes something begins with this. INVALID: no engine. BUSY: one of
 * the engine's callbacks made the call, or a batch of its store is open. After WFSM_OK, end
 * with wf_engine_leave(). */
int32_t wf_engine_enter(wfsm_engine *engine, wfsm_error *error);
/* The same for a call that is made at a time; the caller has checked that it is not
 * negative. */
int32_t wf_engine_enter_at(wfsm_engine *engine, int64_t now, wfsm_error *error);
void wf_engine_leave(wfsm_engine *engine);
#endif
