/* engine/requests.h: what an exchange asks about instances of which it has no commit. */
#ifndef WF_ENGINE_REQUESTS_H
#define WF_ENGINE_REQUESTS_H

#include <wfsm/store.h>
#include "base/arena.h"

/* Room in the arena for so many requests of the exchange, and for their answers. The caller fills it in,
 * and sets request_count. NULL when out of memory: the exchange has none. */
wfsm_request *wf_requests_make(wf_arena *arena, wfsm_exchange *exchange, size_t count);
#endif
