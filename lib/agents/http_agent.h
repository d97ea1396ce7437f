/* A wfsm agent that is a chat model behind HTTP: asks it for each attempt, and makes its
 * answer, one JSON object, the invocation's result.
 *
 * A call does not outlive its host: asked by the next one what became of it, the agent says
 * "gone", and `onUnknown` decides. doc/http-agents.md tells the whole. */
#ifndef WFA_HTTP_AGENT_H
#define WFA_HTTP_AGENT_H

#include <wfsm/engine.h>

#include "http.h"
#include "http_config.h"

typedef struct wfa_http_agent wfa_http_agent;

/* Borrowed; must outlive the agent. */
typedef struct wfa_http_host {
    wfa_http *http;
    wfsm_store *store; /* the engine's; to tell a model what was wrong with its last answer.
                          NULL: it is told that something was */
    /* Told now and then what a call does, for people: one line without a line break; or
     * NULL. It must not call the engine. */
    void (*tell)(void *user, const char *instance, const char *line);
    void *user;
} wfa_http_host;

/* Reads the key. `config` is borrowed and must outlive the agent. */
int wfa_http_agent_new(wfa_http_agent **agent, const wfa_agent_config *config,
                       const wfa_http_host *host, wfa_error *error);
/* Gives up its calls. Not before the engine is freed. NULL is allowed. */
void wfa_http_agent_free(wfa_http_agent *agent);

/* The four callbacks on this agent. */
void wfa_http_agent_callbacks(wfa_http_agent *agent, wfsm_agent *callbacks);

#endif
