/* A task that goes back takes its workspace with it: the files become what they were at that revision. What is
 * there before has a name of git: refs/wfsm/kept/BRANCH/REVISION.
 *
 * The journal says what the files were: the metadata have a "commit" (workspace.h), which is told in a
 * revision behind the one that it is about. The one to go to is refs/wfsm/back/BRANCH, from before the task
 * goes back until the files are there: so a kill in between is seen. */
#ifndef REWOUND_H
#define REWOUND_H

#include "session.h"

/* Before a task goes back: an exit code, and an error is printed. Nothing is done where the workspace is
 * the project. */
int rewound_begin(session *self, uint64_t revision);
/* When it has gone back, before its agents are started: 0, or -1 and an error. The place is locked. */
int rewound_take(workspace *at, host_error *error);
/* When it is taken over: what was begun is ended, or if it `is_back` not, forgotten. */
int rewound_end(workspace *at, int is_back, host_error *error);
/* Tells a fork at this revision which files it begins with. An exit code. */
int rewound_fork(session *self, const task *source, uint64_t revision, wfsm_instance *made);

#endif
