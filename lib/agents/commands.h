/* An agent that runs the commands of a plan, one after the other (wfsm_agents_add_commands()).
 *
 * A host that was killed can leave a command at work. It is ended before the next attempt, since
 * two at once would disturb each other, and all are run again. */
#ifndef WFA_COMMANDS_H
#define WFA_COMMANDS_H

#include <jansson.h>
#include <wfsm/engine.h>

#include "agent_config.h"
#include "process.h"

typedef struct wfa_commands {
    int64_t timeout_ms; /* of a command without a limit of its own; 0: none */
    size_t max_output;  /* bytes, of stdout as of stderr */
    int all;            /* also those behind one that failed; 0: up to it */
    int32_t (*plan)(void *user, wfsm_call *call, const char **json, size_t *length,
                    wfsm_error *error);
    int32_t (*answer)(void *user, wfsm_call *call, const char *results, size_t length);
    void *user;
    const char *const *pass_env; /* borrowed from the agent's configuration */
    wfa_children *children; /* set when it is registered, like runs; borrowed */
    const char *runs;
    struct wfa_commands_run *work; /* the command that runs */
} wfa_commands;

/* All zero before. The configuration keeps what the options point to, and must outlive it. */
int wfa_commands_make(wfa_commands *agent, wfa_agent_config *config,
                      const wfsm_commands_options *options, wfa_option_error *wrong);
void wfa_commands_callbacks(wfa_commands *agent, wfsm_agent *callbacks);
/* Ends the commands that run. To be called after the engine is freed. */
void wfa_commands_end(wfa_commands *agent);

#endif
