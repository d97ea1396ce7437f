/* engine/lease.h: the right of an engine to its instances, until a given time. */
#ifndef WF_ENGINE_LEASE_H
#define WF_ENGINE_LEASE_H

#include <stdbool.h>
#include <wfsm/engine.h>

/* Renews the lease in the store if it is about to lapse. To be called before anything that
 * relies on owning. DENIED: another process has this engine's session. */
int32_t wf_lease_renew(wfsm_engine *engine, wfsm_error *error);
/* True if others may have the instances of this engine by now. */
bool wf_lease_has_lapsed(const wfsm_engine *engine);
/* Until when the next exchange is to have the lease; engine->alive: it stays as it is. */
int64_t wf_lease_wanted(const wfsm_engine *engine);
/* The end of a lease that begins now. */
int64_t wf_lease_next(const wfsm_engine *engine);
/* What the store has answered to that. If the session is lost, engine->lost_all says why. */
void wf_lease_answered(wfsm_engine *engine, const wfsm_exchange *exchange);
#endif
