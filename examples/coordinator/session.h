/* One task in this process: store, engine, agents, and the loop that drives them. */
#ifndef SESSION_H
#define SESSION_H

#include <jansson.h>

#include "commands_agent.h"
#include <wfsm/agents.h>
#include "settings.h"

typedef struct session {
    const settings *with;
    const char *id;
    json_t *place;   /* the task's own, also where the input of a fork's work names another */
    char *workspace; /* absolute: where agents work */
    wfsm_store *store;
    wfsm_engine *engine;
    wfsm_agents *agents;
    wfsm_error *error;
    commands_agent commands;
    wfsm_progress *progress;
    int machine_loaded;
} session;

/* Opens everything for a task in its place (shared/worktree.h); the id is borrowed. Each of these returns an exit
 * code, END_FINE for success, and prints an error to stderr. Must be closed after a failure,
 * too. */
int session_open(session *self, const settings *with, const char *id, const json_t *place);
/* Starts the task. If the id is taken, *status is WFSM_EXISTS, and nothing is printed. */
int session_start(session *self, const char *input, int32_t *status);
/* Takes over a task that no living process owns. */
int session_adopt(session *self);
/* Drives it until its run is over. */
int session_drive(session *self);
void session_close(session *self);

#endif
