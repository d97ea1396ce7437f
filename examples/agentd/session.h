/* One change in this process: store, engine, agents, and the loop that drives them. */
#ifndef AGENTD_SESSION_H
#define AGENTD_SESSION_H

#include "change.h"
#include "checks_agent.h"
#include <wfsm/agents.h>
#include "place.h"
#include "show.h"

typedef struct session {
    const place *at;
    const char *id;
    wfsm_store *store;
    wfsm_engine *engine;
    wfsm_error *error;
    checks_agent checks;
    show show;
    uint64_t synced; /* commits that STATE.yaml has */
} session;

/* Opens store and engine. Each of these returns an exit code, END_DONE for
 * success, and prints an error to stderr. Must be closed after a failure, too. */
int session_open(session *self, const place *at, const char *id);
/* Adds the agents. Programs work where the code of the change is. */
int session_add_agents(session *self);
/* Starts the change. It is not an error if it exists already. */
int session_create(session *self, const char *description);
/* Takes over a change that no living process owns; END_BUSY. */
int session_take(session *self);
/* Sends an event and takes the data over. END_REFUSED, without a message, if nothing in the
 * document takes the event. */
int session_send(session *self, const char *event, json_t *data);
/* Drives it until no agent is at work; END_STOPPED after a signal. */
int session_drive(session *self);
/* The change as it is now. */
int session_read(session *self, change *read);
void session_close(session *self);

#endif
