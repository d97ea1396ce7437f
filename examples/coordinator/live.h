/* The live lines below the log: the agents at work, and for how long. */
#ifndef LIVE_H
#define LIVE_H

#include <wfsm/instance.h>

#include <wfsm/agents.h>

/* Reads `instance`. Shows nothing if the output is not a terminal. */
void live_show(wfsm_progress *progress, wfsm_instance *instance, int64_t now);

#endif
