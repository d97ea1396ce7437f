/* The live lines at a terminal: the agents that are at work. */
#ifndef LIVE_H
#define LIVE_H

#include "agent_pool.h"
#include <wfsm/agents.h>

void live_show(wfsm_progress *progress, agent_pool *pool);

#endif
