/* The agent "commands": the host itself, which runs the commands that the tester named, one
 * after the other, up to the first that fails. Its answer is
 *
 *     {"results": [{"argv": […], "exit_code": 2, "reason": "exit status 2",
 *                   "tail": "what it wrote last", "duration_ms": 12}]}
 *
 * exit_code is null for a command that did not end by itself (not started, time limit, too much
 * output, a signal); `reason` says why. */
#ifndef COMMANDS_AGENT_H
#define COMMANDS_AGENT_H

#include <jansson.h>

#include "settings.h"

typedef struct commands_agent {
    const settings *with; /* borrowed */
    const json_t *place;  /* where they run; borrowed */
    char *plan;           /* owned */
} commands_agent;

/* Adds it to these agents. Initialise with {.with, .place}. Clear it after the engine is freed. */
int32_t commands_agent_add(commands_agent *agent, wfsm_agents *agents, wfsm_error *error);
void commands_agent_clear(commands_agent *agent);

#endif
