/* All agents of a configuration, programs and models, on one engine.
 *
 *     hk_crew crew = {.children = children, .runs = "logs", .store = store};
 *     hk_crew_add(&crew, agents, count, engine, error);
 *     while (…) {
 *         wfsm_engine_run(engine, now, …);
 *         hk_wait(children, crew.http, until_deadline);
 *     }
 *     wfsm_engine_free(engine);
 *     hk_crew_end(&crew);
 *     hk_children_free(children);
 */
#ifndef HK_CREW_H
#define HK_CREW_H

#include "http_agent.h"
#include "process_agent.h"

/* The first five are the host's to set, borrowed; the rest begins as zeros. */
typedef struct hk_crew {
    hk_children *children;
    const char *runs;   /* as hk_process_host */
    const char *folder;
    wfsm_store *store;  /* as hk_http_host, like the next two */
    void (*tell)(void *user, const char *instance, const char *line);
    void *user;
    hk_http *http;      /* NULL while no agent needs it */
    hk_process_host process_host;
    hk_http_host http_host;
    hk_process_agent **process_agents;
    hk_http_agent **http_agents;
    size_t count;
} hk_crew;

/* Adds them all, and stops programs that earlier hosts left behind and nobody waits for
 * (process_sweep.h). The crew and the configurations must stay where they are. After a failure,
 * as after success, hk_crew_end() is due. */
int hk_crew_add(hk_crew *crew, const hk_agent_config *agents, size_t count, wfsm_engine *engine,
                hk_error *error);
/* Not before the engine is freed. */
void hk_crew_end(hk_crew *crew);

#endif
