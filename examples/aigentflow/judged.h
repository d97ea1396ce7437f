/* What a tester or a reviewer writes in the worktree of a feature is no part of it: what is there when
 * he begins becomes a commit of the branch, and the worktree is put back to that when he has answered.
 *
 * The commit has the name refs/wfsm/judged/BRANCH meanwhile, so that it is known after a kill, too. */
#ifndef JUDGED_H
#define JUDGED_H

#include <wfsm/call.h>
#include <wfsm/engine.h>

#include "shared/error.h"
#include "settings.h"

/* Called by an observer of the engine, before the agents that the commit asks for are started. 0: done, or
 * nothing to do; -1 and an error. */
int judged_commit(const settings *with, wfsm_engine *engine, wfsm_call *call,
                  host_error *error);

#endif
