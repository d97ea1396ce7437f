/* The live lines below the log: who is at work on the task, and for how long. */
#ifndef LIVE_H
#define LIVE_H

#include <wfsm/instance.h>

#include <wfsm/agents.h>

/* `instance` is only asked. Nothing is shown where the output is no terminal. */
void live_show(wfsm_progress *progress, wfsm_instance *instance, int64_t now);

#endif
