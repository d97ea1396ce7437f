/* engine/child_workflows.h: the engine as the agent of a job. */
#ifndef WF_ENGINE_CHILD_WORKFLOWS_H
#define WF_ENGINE_CHILD_WORKFLOWS_H

#include "engine/entries.h"

/* They correspond to the callbacks of an agent. A failure of the store or of memory is
 * returned, and the engine calls again in a later round. */
int32_t wf_child_start(wfsm_engine *engine, wf_job *job, wfsm_error *error);
int32_t wf_child_probe(wfsm_engine *engine, wf_job *job, wfsm_error *error);
int32_t wf_child_cancel(wfsm_engine *engine, wf_job *job, wfsm_error *error);
/* Stops a child workflow that this engine has. */
int32_t wf_child_stop(wfsm_engine *engine, wf_entry *entry, wfsm_error *error);
#endif
