/* The agent "workspace": the host itself, which keeps a task's workspace (shared/worktree.h). Its
 * input is {"action": "prepare" | "record" | "land", "place", "change", "task"}, to land also
 * {"reviewed", "tested"}: the commits that the verdicts are about. It works in the place of the session: the
 * input of a fork has that of its source. */
#ifndef WORKSPACE_AGENT_H
#define WORKSPACE_AGENT_H

#include <jansson.h>
#include <wfsm/engine.h>

int32_t workspace_agent_add(wfsm_engine *engine, json_t *place, wfsm_error *error);

#endif
