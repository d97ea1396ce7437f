/* verify/exploration.h: one search, from its options to what the whole graph tells. */
#ifndef WF_VERIFY_EXPLORATION_H
#define WF_VERIFY_EXPLORATION_H

#include "verify/search.h"

/* `options`, `grain`, `pause` and `symbolic` are set, the rest is all zero. */
int32_t wf_explore(wf_search *self, wfsm_machine *machine, wfsm_error *error);
/* After a pause. */
int32_t wf_explore_on(wf_search *self, wfsm_error *error);
/* True if the search has tried everything. */
bool wf_explore_is_complete(const wf_search *self);
/* Also of a search that has never begun. */
void wf_explore_end(wf_search *self);
#endif
