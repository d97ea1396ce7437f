/* One change at work in this process: store, engine, agents, and the loop that drives them. */
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
    uint64_t synced; /* commits of which STATE.yaml knows */
} session;

/* Readies store and engine, with all agents. Each of these returns an exit code, END_DONE when
 * it went well, and has said on stderr what did not. Must be closed after failure, too. */
int session_open(session *self, const place *at, const char *id);
/* Begins the change; it is no error that it is there already. */
int session_create(session *self, const char *description);
/* Takes the change over from nobody, or from a process that has gone; END_BUSY. */
int session_take(session *self);
/* Sends an event; the data is taken over. END_REFUSED, and nothing is said, when nothing in
 * the document takes it. */
int session_send(session *self, const char *event, json_t *data);
/* Drives it until nothing is at work; END_STOPPED after a signal. */
int session_drive(session *self);
/* The change as it is now. */
int session_read(session *self, change *read);
void session_close(session *self);

#endif
