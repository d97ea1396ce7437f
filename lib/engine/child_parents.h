/* engine/child_parents.h: children and parents that may be with different engines. */
#ifndef WF_ENGINE_CHILD_PARENTS_H
#define WF_ENGINE_CHILD_PARENTS_H

#include "engine/entries.h"

/* Stops a child whose parent does not ask for it any more. */
int32_t wf_child_check(wfsm_engine *engine, wf_entry *entry, wfsm_error *error);
/* True for a child that has ended, once the store, and its agents, know it. */
bool wf_child_is_over(const wf_entry *entry);
/* A child that has ended, within a round: its parent's job is answered. When nothing is left to do for
 * its effects, the exchange of the round gives it up, and then the entry is freed. */
int32_t wf_child_leave(wfsm_engine *engine, wf_entry *entry, wfsm_error *error);
/* Looks for the children and parents that other engines have. From time to time. */
void wf_children_watch(wfsm_engine *engine);
#endif
