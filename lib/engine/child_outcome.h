/* engine/child_outcome.h: how a child workflow ended, as the answer of its parent's job. */
#ifndef WF_ENGINE_CHILD_OUTCOME_H
#define WF_ENGINE_CHILD_OUTCOME_H

#include "engine/entries.h"

/* True if the host has yet to take effects of the child. */
bool wf_child_owes_effects(wfsm_engine *engine, wfsm_instance *child);
/* The job is answered with this enum wf_answer. */
void wf_child_answer(wfsm_engine *engine, wf_job *job, int answer);
/* The job is answered with a failure of this enum wf_class. Returns WFSM_OK. */
int32_t wf_child_fail(wfsm_engine *engine, wf_job *job, uint32_t failure_class,
                      const char *message);
/* The job is answered with the output or the failure of a child that has ended, and with its
 * usage. NO_MEMORY: it is not answered yet. */
int32_t wf_child_take_end(wfsm_engine *engine, wf_job *job, wfsm_instance *child,
                          wfsm_error *error);
#endif
