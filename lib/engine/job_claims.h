/* engine/job_claims.h: jobs that wait are claimed. */
#ifndef WF_ENGINE_JOB_CLAIMS_H
#define WF_ENGINE_JOB_CLAIMS_H

#include <wfsm/engine.h>
#include <stdbool.h>

/* Claims the next job that waits. False if none may be claimed now. */
bool wf_claim_next(wfsm_engine *engine);
/* True if a job may be claimed now. */
bool wf_claims_due(const wfsm_engine *engine);
#endif
