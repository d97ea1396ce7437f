/* What plan, impl and archive have in common: from the command line to a change that rests. */
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

/* Project, configuration, store and agents, and the change as it is; an unknown one is no
 * error. Each returns an exit code, END_DONE when it went well, and has said what did not.
 * Must be closed after failure, too. */
int work_open(work *self, const arguments *given);
void work_close(work *self);
/* Reads the change and its folder again. */
int work_look(work *self);
/* Takes the change over, and what a person has written into CHALLENGE.md and REVIEW.md. */
int work_take(work *self);
/* Drives what is at work, or what the event begins (NULL: none), to its rest, and looks again.
 * The data is taken over. END_REFUSED when nothing takes the event. */
int work_run(work *self, const char *event, json_t *data);
/* Is this agent configured? */
int work_needs(const work *self, agent_role role);

#endif
