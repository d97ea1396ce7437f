/* The tasks of this process: store, engine, pool, agents, and the loop that drives them. */
#ifndef SESSION_H
#define SESSION_H

#include "agent_pool.h"
#include "aigentflow.h"
#include <wfsm/agents.h>
#include "depend.h"
#include "kept.h"
#include "router.h"
#include "show.h"
#include "workspace.h"

typedef struct session {
    const settings *with;
    const arguments *given;
    const char *id; /* of the task that is driven */
    wfsm_store *store;
    wfsm_engine *engine;
    wfsm_error *error;
    agent_pool *pool;
    router router;
    wfsm_progress *progress;
    show shown;
    workspace place;
    json_t *epic; /* of the task, or NULL */
    depend waits;
    kept finished; /* features that need not be worked on again */
    int kept; /* there is a checkpoint of this entry of AGENT_WORKING */
} session;

/* Opens everything. Each of these returns an exit code, END_FINE for success, and prints an
 * error to stderr. Must be closed after a failure, too. */
int session_open(session *self, const settings *with, const arguments *given);
/* Starts a task. If the id is taken, *status is WFSM_EXISTS, and nothing is printed. */
int session_start(session *self, const char *id, const char *input, int32_t *status);
/* Takes over a task and its features, which no living process owns. */
int session_adopt(session *self, const char *id);
/* Sends an event to an instance of this session; data may be NULL. */
int session_send(session *self, const char *id, const char *event, const char *event_id,
                 const char *data, int32_t *outcome);
/* Changes members of the task's context, as host_context_patch() does. */
int session_patch(session *self, json_t *changes);
/* Tells the task what has become known of its workspace since (workspace_note()). */
int session_tell_notes(session *self);
/* Drives the task until it is over or waits for a person, and prints its state, or until a signal
 * asks it to pause. */
int session_drive(session *self);
void session_close(session *self);

/* Opens a session, takes over the task, drives it. */
int drive_stored(const settings *with, const arguments *given, const char *id);

#endif
