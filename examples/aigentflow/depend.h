/* Features that depend on others: which have ended, and which may begin now. */
#ifndef DEPEND_H
#define DEPEND_H

#include <jansson.h>
#include <wfsm/engine.h>

#include "tasks.h"

typedef struct depend {
    json_t *features; /* of the epic, borrowed; NULL: none depends on another */
    json_t *ids;      /* of their instances, by feature */
    json_t *names;    /* of the features, by instance; null until its first commit is done */
    json_t *states;   /* of their instances, by feature: working, completed, … */
    int changed;
} depend;

/* The features of an epic, which may be NULL. 1: some depend on others. */
int depend_begin(depend *self, json_t *epic);
/* How they stand in the store: their instances, and what the task has of those that ended, also in
 * another task that it was forked from. */
void depend_know(depend *self, const task_list *known, const json_t *invocations);
/* These are finished, without instances of this task. */
void depend_kept(depend *self, const json_t *names);
/* A commit that the engine has made. */
void depend_commit(depend *self, wfsm_call *call);
/* Tells every feature that waits for none any more. */
int32_t depend_tell(depend *self, wfsm_engine *engine, wfsm_error *error);
void depend_end(depend *self);

#endif
