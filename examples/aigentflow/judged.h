/* What a tester or a reviewer writes is no part of the work: what is there when he begins becomes a commit of
 * the branch, and the workspace is put back to that when he has answered.
 *
 * The commit has the name refs/wfsm/judged/BRANCH meanwhile, so that it is known after a kill, too. What the
 * reviewer of a feature was given is refs/wfsm/accepted/BRANCH when he has answered: that is what is merged. */
#ifndef JUDGED_H
#define JUDGED_H

#include <wfsm/call.h>
#include <wfsm/engine.h>

#include "shared/error.h"
#include "settings.h"
#include "workspace.h"

/* Called by an observer of the engine, before the agents that the commit asks for are started. `at` is the
 * workspace of the task. 0: done, or nothing to do; -1 and an error. */
int judged_commit(const settings *with, workspace *at, wfsm_engine *engine, wfsm_call *call,
                  host_error *error);

#endif
