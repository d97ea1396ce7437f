/* The command `doctor` of a host: one line for each thing that a run needs, with what to do. With
 * is_json each is one JSON object: {"check", "state", "found", "advice"}, and of an agent "kind" and "version". */
#ifndef HOST_CHECKUP_H
#define HOST_CHECKUP_H

#include <limits.h>

#include <wfsm/agents.h>

typedef struct host_checkup {
    int is_json;
    int is_ill; /* something is to be done */
    char disk[PATH_MAX]; /* the folder that was tried last */
} host_checkup;

/* One line. `advice` is NULL if all is well. */
void host_checkup_say(host_checkup *self, const char *check, const char *found,
                      const char *advice);
/* The line of a configuration that cannot be read: `host` names its program, which can write one. */
void host_checkup_bad_config(host_checkup *self, const char *host, const char *path,
                             const char *why);
/* Git, which the workspaces in a project need; and whether it knows the project. */
void host_checkup_git(host_checkup *self, const char *project);
/* Whether the host may write there, and has room. A folder that is not there yet is that above,
 * which is tried once. */
void host_checkup_disk(host_checkup *self, const char *folder);
/* All agents of a collection that is not registered. -1 and an error: it was not possible. */
int host_checkup_agents(host_checkup *self, wfsm_agents *agents, wfsm_error *error);

#endif
