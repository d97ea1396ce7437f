/* A wfsm agent that is a program: runs the command of an wfa_agent_config for each attempt,
 * and makes its end the invocation's result.
 *
 * After a crash the next host's engine probes: what still runs is watched on, what has
 * ended with an answer is done. The engine's own time limit (`timeoutMs`) and that of the
 * configuration both hold. doc/process-agents.md tells what the program sees. */
#ifndef WFA_PROCESS_AGENT_H
#define WFA_PROCESS_AGENT_H

#include <wfsm/engine.h>

#include "agent_config.h"
#include "process.h"

typedef struct wfa_process_agent wfa_process_agent;

/* Borrowed; must outlive the agent. */
typedef struct wfa_process_host {
    wfa_children *children;
    const char *runs;   /* folder for the files of all runs; made when it is missing. One
                           for each store: it holds what the store's invocations wrote */
    const char *folder; /* where agents work whose configuration does not say; {instance}
                           is filled in; NULL: where the host works. Must exist */
} wfa_process_host;

/* `config` is borrowed and must outlive the agent. */
int wfa_process_agent_new(wfa_process_agent **agent, const wfa_agent_config *config,
                          const wfa_process_host *host, wfa_error *error);

/* Forgets its runs without ending them. Not before the engine is freed. */
void wfa_process_agent_free(wfa_process_agent *agent);

/* The four callbacks on this agent. */
void wfa_process_agent_callbacks(wfa_process_agent *agent, wfsm_agent *callbacks);

#endif
