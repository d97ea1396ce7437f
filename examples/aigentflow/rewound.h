/* The workspace of a task that goes back to a revision gets the files of that revision. The files that they
 * replace stay in git as refs/wfsm/kept/BRANCH/REVISION.
 *
 * The journal names the files of a revision: the metadata of a later one have their "commit" (workspace.h).
 * While a task goes back, refs/wfsm/back/BRANCH is that commit: a process that takes over after a kill sees
 * it, and ends what was begun. */
#ifndef REWOUND_H
#define REWOUND_H

#include "session.h"

/* Call this before the task goes back. Does nothing where the workspace is the project. Returns an exit
 * code, and prints an error. */
int rewound_begin(session *self, uint64_t revision);
/* Call this when the task has gone back, before its agents are started, with the place locked: it replaces
 * the files. 0, or -1 and an error. */
int rewound_take(workspace *at, host_error *error);
/* Call this when a task is taken over: if it `is_back`, replaces its files where that was not done yet;
 * otherwise forgets that it was about to go back. 0, or -1 and an error. */
int rewound_end(workspace *at, int is_back, host_error *error);
/* Tells a fork at this revision which files it begins with. Returns an exit code, and prints an error. */
int rewound_fork(session *self, const task *source, uint64_t revision, wfsm_instance *made);

#endif
