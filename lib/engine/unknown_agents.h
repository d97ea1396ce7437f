/* engine/unknown_agents.h: names of agents that this engine does not have. */
#ifndef WF_ENGINE_UNKNOWN_AGENTS_H
#define WF_ENGINE_UNKNOWN_AGENTS_H

#include <wfsm/engine.h>
#include "base/names.h"

typedef struct wf_unknown_agent {
    int64_t since; /* when an invocation of it was seen first */
    bool told;
} wf_unknown_agent;

/* An invocation asks for this agent. */
void wf_unknown_agent_seen(wfsm_engine *engine, const wf_name *name);
/* Tells the host, once, of each agent that nobody has had for a minute. */
void wf_unknown_agents_tell(wfsm_engine *engine);
#endif
