/* agentd/config.toml: its keys, with their defaults.
 *
 *     version = 1                          # of this file's form; missing: 1
 *     keep_days = 14                       # of logs, for `agentd clean`
 *
 *     [workflow]
 *     planning_iterations = 2              # reproposals, 0 to 100
 *     implementation_iterations = 2        # resolves, 0 to 100
 *     sequential_implementation = true     # spec by spec; false: all at once
 *     workspace = "own"                    # a worktree for each change; "shared": the project
 *
 *     [proposal]
 *     required_sections = ["Why", "What Changes", "Impact"]
 *
 *     [checks]                             # checks.h says what is run without these
 *     test = ["make", "test"]              # [] for none
 *     scan = ["cargo", "audit"]            # [] for none
 *     timeout_ms = 1800000                 # for each command
 *     max_output_bytes = 1048576           # of each command
 *     ignore = ["*.log"]                   # files that are no part of what is tested: tree.h
 *
 *     [agents.proposer]                    # and challenger, implementer, reviewer:
 *     command = ["…"]                      # doc/agents.md: a program or type = "http"
 *
 * An unknown key, a wrong value and another version are errors with FILE:LINE:COLUMN. {dir} of
 * the agents is the folder agentd. */
#ifndef AGENTD_CONFIG_H
#define AGENTD_CONFIG_H

#include <wfsm/agents.h>

#include "shared/error.h"

enum { AGENTD_CONFIG_VERSION = 1 };

typedef enum agent_role {
    ROLE_PROPOSER,
    ROLE_CHALLENGER,
    ROLE_IMPLEMENTER,
    ROLE_REVIEWER
} agent_role;

enum { AGENT_ROLES = ROLE_REVIEWER + 1 };

/* Its texts are valid until it is cleared. */
typedef struct agentd_config {
    wfsm_settings *file;
    wfsm_agents *agents;
    const char *path;
    int64_t keep_days; /* of the logs of what is archived */
    int64_t planning_iterations, implementation_iterations;
    int32_t sequential_implementation;
    int is_shared; /* agents write into the project itself */
    const char *const *required_sections; /* ends with NULL */
    const char *const *test, *const *scan; /* end with NULL; NULL: not configured */
    int64_t check_timeout; /* ms */
    size_t check_output;   /* bytes */
    const char *const *ignored; /* patterns; ends with NULL; NULL: not configured */
    const char *const *check_env; /* variables that checks get beside the usual ones */
} agentd_config;

/* `path` is borrowed. Without the file, all values are the defaults, and there are no agents.
 * Must be cleared after a failure, too. */
int agentd_config_read(agentd_config *read, const char *path, host_error *error);
void agentd_config_clear(agentd_config *read);

/* "proposer", … */
const char *agent_role_name(agent_role role);

/* Checks that a role has an agent. -1 and an error that names file and table if it has none, gets
 * its prompt as an argument, or
 * if the challenger is the same as the proposer (command and prompt, or model and prompt),
 * because no agent may judge its own work. */
int agentd_config_need(const agentd_config *from, agent_role role, host_error *error);

/* What `init` writes: every key with its default, and Gemini, Codex and
 * Claude as examples behind '#'. */
extern const char agentd_config_text[];

#endif
