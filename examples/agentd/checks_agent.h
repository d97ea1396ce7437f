/* The agent "checks": the project's own tests and its security scan, run one after the other.
 * Its answer is
 *
 *     {"passed": false,
 *      "results": [{"kind": "test", "argv": ["make", "test"], "exit_code": 2,
 *                   "reason": "exit status 2", "tail": "what it wrote last"}]}
 *
 * exit_code is null for a command that did not end by itself, or was not run ("skipped"). All
 * commands are run, also after one that failed. */
#ifndef AGENTD_CHECKS_AGENT_H
#define AGENTD_CHECKS_AGENT_H

#include "place.h"

typedef struct checks_agent {
    const place *at; /* borrowed */
    char *plan;      /* owned */
} checks_agent;

/* Adds it to the agents of the configuration. Initialise with {.at}. Clear it after the engine
 * is freed. */
int32_t checks_agent_add(checks_agent *agent, wfsm_error *error);
void checks_agent_clear(checks_agent *agent);

#endif
