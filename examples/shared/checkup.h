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
/* All agents of a collection that is not registered. -1 and an error: it was not possible. */
int host_checkup_agents(host_checkup *self, wfsm_agents *agents, wfsm_error *error);
/* What a configuration that was read says. */
typedef struct host_needs {
    const char *config;
    const char *project; /* NULL: git is not needed */
    const char *worktrees, *logs; /* worktrees may be NULL */
    wfsm_agents *agents; /* a collection that is not registered; NULL: none is tried */
} host_needs;

/* The lines of the configuration, git, the disk and all agents. 1: all is well, also before; 0: something is to
 * be done; -1 and an error. */
int host_checkup_needs(host_checkup *self, const host_needs *needs, wfsm_error *error);

#endif
