/* engine/heartbeat.h: signs of life of agents. */
#ifndef WF_ENGINE_HEARTBEAT_H
#define WF_ENGINE_HEARTBEAT_H

#include "engine/entries.h"

/* The time from which the agent's silence counts as a failure; WFSM_NEVER without a
 * heartbeat. */
int64_t wf_job_silent(const wf_job *job);
/* Agents of this entry that have been silent for too long have failed, and are told to stop. */
void wf_entry_check_heartbeats(wfsm_engine *engine, wf_entry *entry);
#endif
