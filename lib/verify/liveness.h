/* verify/liveness.h: diagnostics of the whole graph. Both return false when out of memory. */
#ifndef WF_VERIFY_LIVENESS_H
#define WF_VERIFY_LIVENESS_H

#include "verify/search.h"

/* Livelocks, and properties that stay pending for ever. Also correct for a part of the graph. */
bool wf_find_cycles(wf_search *self);
/* pending.c: properties that stay pending for ever, in a run that ends, waits or goes round. */
bool wf_find_pending(wf_search *self);
/* Dead states and transitions, unreached properties, states without an end. Only for a complete
 * search. */
bool wf_find_never_seen(wf_search *self);
#endif
