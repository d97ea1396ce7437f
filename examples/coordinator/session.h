/* One task at work in this process: store, engine, agents, and the loop that drives them. */
#ifndef SESSION_H
#define SESSION_H

#include "commands_agent.h"
#include <wfsm/agents.h>
#include "settings.h"

typedef struct session {
    const settings *with;
    const char *id;
    char *workspace; /* absolute */
    wfsm_store *store;
    wfsm_engine *engine;
    wfsm_error *error;
    commands_agent commands;
    wfsm_progress *progress;
    int machine_loaded;
    int told; /* the abort that a signal asked for was sent */
} session;

/* Readies everything for a task in a workspace; the id is borrowed. Each of these returns an
 * exit code, END_FINE when it went well, and has said on stderr what did not. Must be closed
 * after failure, too. */
int session_open(session *self, const settings *with, const char *id, const char *workspace);
/* Begins the task; WFSM_EXISTS in *status when the id is taken, and nothing is said. */
int session_start(session *self, const char *input, int32_t *status);
/* Takes over the task from nobody, or from a process that has gone. */
int session_adopt(session *self);
/* Drives it until its run is over. */
int session_drive(session *self);
void session_close(session *self);

#endif
