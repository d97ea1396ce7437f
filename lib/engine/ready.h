/* engine/ready.h: which job is claimed next. */
#ifndef WF_ENGINE_READY_H
#define WF_ENGINE_READY_H

#include "engine/job.h"

/* The job may be claimed as soon as there are a slot and room in its quotas. */
void wf_ready_put(wfsm_engine *engine, wf_job *job);
/* The job may not be claimed any more. Does nothing if it could not be. */
void wf_ready_take(wfsm_engine *engine, wf_job *job);
bool wf_ready_has(const wf_job *job);
/* The most urgent job that there is room for, or NULL. */
wf_job *wf_ready_next(wfsm_engine *engine);
/* If the quota has room, the first job that is parked there becomes ready. */
void wf_ready_wake(wfsm_engine *engine, wf_quota *quota);
/* The same for all quotas of a job. */
void wf_ready_wake_all(wfsm_engine *engine, const wf_job *job);
#endif
