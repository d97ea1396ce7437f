/* engine/lease.h: the right of an engine to its instances, until a given time. */
#ifndef WF_ENGINE_LEASE_H
#define WF_ENGINE_LEASE_H

#include <wfsm/engine.h>

/* Renews the lease in the store if it is about to lapse. To be called before anything that
 * relies on owning. DENIED: another process has this engine's session. */
int32_t wf_lease_renew(wfsm_engine *engine, wfsm_error *error);
#endif
