/* The lines that stand below the plain ones at a terminal: who is at work now. */
#ifndef LIVE_H
#define LIVE_H

#include "agent_pool.h"
#include <wfsm/agents.h>

void live_show(wfsm_progress *progress, agent_pool *pool);

#endif
