/* Waiting for agents as hosts do it. */
#ifndef HOST_WAIT_H
#define HOST_WAIT_H

#include <wfsm/agents.h>

/* Waits until something has come, or until the engine's deadline, but never longer than
 * `longest` milliseconds: posts of others are looked for that often. */
void host_wait(wfsm_agents *agents, const wfsm_engine *engine, int64_t longest);
/* Programs that were told to stop get the time to do it: a minute for those that have no grace
 * period of their own. */
void host_drain(wfsm_agents *agents);
/* After a signal (host_signals_count()): those that were withdrawn get their grace period. A second signal
 * ends it, and then the collection kills them when it is freed. */
void host_end_agents(wfsm_agents *agents);

#endif
