/* Shared by plan, impl and archive: from the command line to a change that is not running. */
#ifndef AGENTD_WORK_H
#define AGENTD_WORK_H

#include "agentd.h"
#include "facts.h"
#include "session.h"

typedef struct work {
    place at;
    session run;
    change now;
    facts found;
    int known; /* the store has the change */
} work;

/* Opens project, configuration, store and agents, and reads the change; one that only its
 * STATE.yaml knows is rebuilt from that. An unknown change is no error. Each returns an exit code, END_DONE for success, and prints an error. Must be closed
 * after a failure, too. */
int work_open(work *self, const arguments *given);
/* The same for a command that implements: the change has a workspace then. */
int work_open_to_implement(work *self, const arguments *given);
void work_close(work *self);
/* Reads the change and its folder again. */
int work_look(work *self);
/* Takes the change over. */
int work_own(work *self);
/* The same; then an edited CHALLENGE.md or REVIEW.md is taken as it is if its verdict is the
 * recorded one, and is refused otherwise, unless it may be written over. */
int work_take(work *self, int overwrite);
/* Sends the event (NULL: none), drives the change until no agent works, and reads it again.
 * Takes the data over. END_REFUSED if nothing takes the event. */
int work_run(work *self, const char *event, json_t *data);
/* Refuses a change whose folder or proposal was taken away: nothing is left to implement or to archive. */
int work_has_proposal(const work *self);
/* True if this agent is configured. */
int work_needs(const work *self, agent_role role);

#endif
