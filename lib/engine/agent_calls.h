/* engine/agent_calls.h: the four callbacks of an agent. */
#ifndef WF_ENGINE_AGENT_CALLS_H
#define WF_ENGINE_AGENT_CALLS_H

#include "engine/entries.h"

/* Each leaves the job in its next state. */
void wf_agent_start(wfsm_engine *engine, wf_job *job);
void wf_agent_poll(wfsm_engine *engine, wf_job *job);
void wf_agent_probe(wfsm_engine *engine, wf_job *job);
void wf_agent_cancel(wfsm_engine *engine, wf_job *job);
/* The agent works: it is polled from the next round on, if it has a poll. */
void wf_agent_watch(wfsm_engine *engine, wf_job *job);
#endif
