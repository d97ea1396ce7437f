/* A wfsm agent that is a chat model behind HTTP: asks it for each attempt, and makes its
 * answer, one JSON object, the invocation's result.
 *
 *     hk_http_host host = {.http = http, .store = store};
 *     hk_http_agent_new(&agent, &config, &host, error);
 *     hk_http_agent_add(agent, engine, wfsm_error);
 *     while (…) {
 *         wfsm_engine_run(engine, now(), …);
 *         hk_http_poll(http, until_deadline);
 *     }
 *     wfsm_engine_free(engine);
 *     hk_http_agent_free(agent);
 *     hk_http_free(http);
 *
 * A call does not outlive its host: asked by the next one what became of it, the agent says
 * "gone", and `onUnknown` decides. doc/http-agents.md tells the whole. */
#ifndef HK_HTTP_AGENT_H
#define HK_HTTP_AGENT_H

#include <wfsm/engine.h>

#include "http.h"
#include "http_config.h"

typedef struct hk_http_agent hk_http_agent;

/* Borrowed; must outlive the agent. */
typedef struct hk_http_host {
    hk_http *http;
    wfsm_store *store; /* the engine's; to tell a model what was wrong with its last answer.
                          NULL: it is told that something was */
    /* Told now and then what a call does, for people: one line without a line break; or
     * NULL. It must not call the engine. */
    void (*tell)(void *user, const char *instance, const char *line);
    void *user;
} hk_http_host;

/* Reads the key. `config` is borrowed and must outlive the agent. */
int hk_http_agent_new(hk_http_agent **agent, const hk_agent_config *config,
                      const hk_http_host *host, hk_error *error);
/* Gives up its calls. Not before the engine is freed. NULL is allowed. */
void hk_http_agent_free(hk_http_agent *agent);

/* The four callbacks on this agent, and adding them to an engine under config->name. */
void hk_http_agent_callbacks(hk_http_agent *agent, wfsm_agent *callbacks);
int32_t hk_http_agent_add(hk_http_agent *agent, wfsm_engine *engine, wfsm_error *error);

#endif
