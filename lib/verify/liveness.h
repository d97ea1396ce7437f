/* verify/liveness.h: diagnostics of the whole graph. Both return false when out of memory. */
#ifndef WF_VERIFY_LIVENESS_H
#define WF_VERIFY_LIVENESS_H

#include "verify/search.h"

/* Livelocks, and properties that stay pending for ever. Also correct for a part of the graph. */
bool wf_find_cycles(wf_search *self);
/* It has no edges but those of events that change nothing. */
bool wf_moves_nowhere(const wf_search *self, uint32_t state);
/* pending.c: properties that stay pending for ever, in a run that ends, waits or goes round. */
bool wf_find_pending(wf_search *self);
/* The same of one state whose edges are all known, for runs that end or wait there. Only in a search that hides
 * something: it can stop at what is found. */
bool wf_find_rest(wf_search *self, uint32_t state);
/* certain_end.c: *certain if each state can come to an end, whatever the values, or if there is no end at all.
 * Only for a complete search. NO_MEMORY. */
int32_t wf_ends_are_certain(wf_search *search, bool *certain);
/* Dead states and transitions, unreached properties, states without an end. Only for a complete
 * search. */
bool wf_find_never_seen(wf_search *self);
#endif
