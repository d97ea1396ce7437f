/* Where a task is worked on: a worktree of the project, or a copy of it, that is the task's own
 * (shared/worktree.h). The metadata of its context tell:
 *
 *     "place": where that is, and "into": the branch that the work is for
 *     "project": the folder that its agents work in
 *     "commit": the files that the router, a tester or a reviewer was given last
 *     "tested", "reviewed": the trees that the tester and the reviewer were given last
 *     "landing": what became of it, as host_worktree_land() says */
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include <jansson.h>
#include <wfsm/call.h>
#include <wfsm/engine.h>

#include "settings.h"

typedef struct workspace {
    json_t *place; /* NULL: none yet */
    json_t *notes; /* metadata that the task has not been told yet */
    json_t *refused; /* invocations of reviewers, see judged.h */
    int is_shared; /* it is the project itself */
    int is_judged; /* a tester or a reviewer is at work there, as far as is known */
    int held; /* so that nobody else works there meanwhile; -1 */
} workspace;

void workspace_begin(workspace *self);
void workspace_end(workspace *self);

/* Each of these returns an exit code, and prints an error. */

/* The place of a task that is stored. A fork gets one of its own, with what its source had made; it is
 * made. None for a task that has not begun. */
int workspace_find(workspace *self, const settings *with, wfsm_store *store, const char *id);
/* A place for a new task; it is not made yet. */
int workspace_plan(workspace *self, const settings *with, wfsm_store *store, const char *id);
int workspace_make(workspace *self, const char *id);
/* The worktree of a feature as a place, from its context: new. NULL if it has none that is ours. */
json_t *workspace_of_feature(const settings *with, const json_t *context);
/* Takes a value that the task is to be told. */
void workspace_note(workspace *self, const char *key, json_t *value);
/* Where its agents are started. */
const char *workspace_folder(const workspace *self, const settings *with);
/* The metadata with what the task has to be told. NULL: nothing, or out of memory. */
json_t *workspace_metadata(workspace *self, const json_t *context);

#endif
