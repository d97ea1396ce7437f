/* A wfsm agent that is a program: runs the command of an hk_agent_config for each attempt,
 * and makes its end the invocation's result.
 *
 *     hk_process_host host = {.children = children, .runs = "tasks.db.runs"};
 *     hk_process_agent_new(&agent, &config, &host, error);
 *     hk_process_agent_add(agent, engine, wfsm_error);
 *     while (…) {
 *         wfsm_engine_run(engine, now(), …);
 *         hk_children_poll(children, until_deadline);
 *     }
 *     wfsm_engine_free(engine);         // tells its agents to stop
 *     hk_process_agent_free(agent);
 *     hk_children_free(children);       // nothing is left at work behind it
 *
 * After a crash the next host's engine probes: what still runs is watched on, what has
 * ended with an answer is done. The engine's own time limit (`timeoutMs`) and that of the
 * configuration both hold. doc/process-agents.md tells what the program sees. */
#ifndef HK_PROCESS_AGENT_H
#define HK_PROCESS_AGENT_H

#include <wfsm/engine.h>

#include "agent_config.h"
#include "process.h"

typedef struct hk_process_agent hk_process_agent;

/* Borrowed; must outlive the agent. */
typedef struct hk_process_host {
    hk_children *children;
    const char *runs;   /* folder for the files of all runs; made when it is missing. One
                           for each store: it holds what the store's invocations wrote */
    const char *folder; /* where agents work whose configuration does not say; {instance}
                           is filled in; NULL: where the host works. Must exist */
} hk_process_host;

/* `config` is borrowed and must outlive the agent. */
int hk_process_agent_new(hk_process_agent **agent, const hk_agent_config *config,
                         const hk_process_host *host, hk_error *error);

/* Forgets its runs without ending them. Not before the engine is freed. */
void hk_process_agent_free(hk_process_agent *agent);

/* The four callbacks on this agent, and adding them to an engine under config->name. */
void hk_process_agent_callbacks(hk_process_agent *agent, wfsm_agent *callbacks);
int32_t hk_process_agent_add(hk_process_agent *agent, wfsm_engine *engine, wfsm_error *error);

#endif
