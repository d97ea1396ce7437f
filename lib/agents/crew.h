/* All agents of a configuration, programs and models, on one engine.
 *
 *     wfa_crew crew = {.children = children, .runs = "logs", .store = store};
 *     wfa_crew_add(&crew, agents, count, engine, error);
 *     while (…) {
 *         wfsm_engine_run(engine, now, …);
 *         wfa_wait(children, crew.http, until_deadline);
 *     }
 *     wfsm_engine_free(engine);
 *     wfa_crew_end(&crew);
 *     wfa_children_free(children);
 */
#ifndef WFA_CREW_H
#define WFA_CREW_H

#include "http_agent.h"
#include "process_agent.h"

/* The first five are the host's to set, borrowed; the rest begins as zeros. */
typedef struct wfa_crew {
    wfa_children *children;
    const char *runs;   /* as wfa_process_host */
    const char *folder;
    wfsm_store *store;  /* as wfa_http_host, like the next two */
    void (*tell)(void *user, const char *instance, const char *line);
    void *user;
    wfa_http *http;      /* NULL while no agent needs it */
    wfa_process_host process_host;
    wfa_http_host http_host;
    wfa_process_agent **process_agents;
    wfa_http_agent **http_agents;
    size_t count;
} wfa_crew;

/* Adds them all, and stops programs that earlier hosts left behind and nobody waits for
 * (process_sweep.h). The crew and the configurations must stay where they are. After a failure,
 * as after success, wfa_crew_end() is due. */
int wfa_crew_add(wfa_crew *crew, const wfa_agent_config *agents, size_t count,
                 wfsm_engine *engine, wfa_error *error);
/* Not before the engine is freed. */
void wfa_crew_end(wfa_crew *crew);

#endif
