/* engine/child_parents.h: children and parents that may be with different engines. */
#ifndef WF_ENGINE_CHILD_PARENTS_H
#define WF_ENGINE_CHILD_PARENTS_H

#include "engine/entries.h"

/* Stops a child whose parent does not ask for it any more. */
int32_t wf_child_check(wfsm_engine *engine, wf_entry *entry, wfsm_error *error);
/* True for a child that has ended, once the store, and its agents, know it. */
bool wf_child_is_over(const wf_entry *entry);
/* A child that has ended: after its effects were offered to the host, its parent's job is answered. When
 * nothing is left to do for its effects, it leaves: the entry is freed, and *entry is NULL. If the result
 * is a status other than WFSM_OK, the entry stays. */
int32_t wf_child_leave(wfsm_engine *engine, wf_entry **entry, wfsm_error *error);
/* Looks for the children and parents that other engines have. From time to time. */
void wf_children_watch(wfsm_engine *engine);
#endif
