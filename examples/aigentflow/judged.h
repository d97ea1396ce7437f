/* What a tester or a reviewer writes is no part of the work: what is there when he begins becomes a commit of
 * the branch, and the workspace is put back to that when he has answered.
 *
 * The commit has the name refs/wfsm/judged/BRANCH meanwhile, so that it is known after a kill, too. What was
 * given to the last of them who has answered in a feature is refs/wfsm/accepted/BRANCH. Of a feature that is
 * completed this is the reviewer, and that is what is merged. If he is given something else than was tested, his
 * review has failed (judged_refused()). */
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

/* The ids of invocations of reviewers that are to be answered with JUDGED_REFUSAL; NULL: none. The caller frees it. */
json_t *judged_refused(workspace *at);
#define JUDGED_REFUSAL                                                                         \
    "{\"success\":true,\"output\":\"it was changed after it was tested\","                     \
    "\"routingHints\":{\"hasFailures\":true}}"

#endif
