/* The command `doctor` of a host: one line for each thing that a run needs, with what to do. With
 * is_json each is one JSON object: {"check", "state", "found", "advice"}, and of an agent "kind" and "version". */
#ifndef HOST_CHECKUP_H
#define HOST_CHECKUP_H

#include <limits.h>

#include <wfsm/agents.h>

/* The exit status of `doctor`, in every host. */
enum { CHECKUP_WELL = 0, CHECKUP_ILL = 1, CHECKUP_BAD_CONFIG = 2 };

typedef struct host_checkup {
    int is_json;
    int is_ill; /* something is to be done */
    char disk[PATH_MAX]; /* the folder that was tried last */
} host_checkup;

/* One line. `advice` is NULL if all is well. */
void host_checkup_say(host_checkup *self, const char *check, const char *found,
                      const char *advice);
/* All agents of a collection that is not registered. */
void host_checkup_agents(host_checkup *self, wfsm_agents *agents);
/* What a configuration says. */
typedef struct host_needs {
    const char *host; /* its program, which can write a configuration */
    const char *config;
    const char *
        wrong; /* why the configuration cannot be read; then the rest is not known. NULL: it was read */
    const char *project; /* NULL: git is not needed */
    const char *worktrees, *logs; /* worktrees may be NULL */
    wfsm_agents *agents; /* a collection that is not registered; NULL: none is tried */
} host_needs;

/* The lines of the configuration, git, the disk and all agents. Returns the exit status. */
int host_checkup_needs(host_checkup *self, const host_needs *needs);

#endif
