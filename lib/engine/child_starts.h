/* engine/child_starts.h: the store has answered the first commit of a child workflow. */
#ifndef WF_ENGINE_CHILD_STARTS_H
#define WF_ENGINE_CHILD_STARTS_H

#include "engine/entries.h"

/* The job that waits for the start of this child, or NULL. */
wf_job *wf_child_starter(const wfsm_engine *engine, const wf_entry *entry);
/* The store has answered the first commit of the child. */
void wf_child_started(wfsm_engine *engine, wf_job *job, int32_t refusal);
#endif
