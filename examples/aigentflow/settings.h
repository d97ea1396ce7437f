/* aigentflow's configuration, read from its TOML file and checked. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <jansson.h>

#include "agent_types.h"
#include <wfsm/agents.h>

typedef struct settings {
    wfsm_settings *file;
    /* The agent types; those without a table of their own have that of [agents.default].
     * task_analyzer and router may be missing: then rules decide. A router that is a model is
     * called ROUTER_MODEL. */
    wfsm_agents *agents;
    const char *project_id;
    char *project;        /* folder of the git repository, absolute */
    char *worktrees;      /* folder for the worktrees of features, absolute */
    int is_shared;        /* tasks are worked on in the project itself, one at a time */
    const char *store;    /* path of the SQLite file */
    const char *logs;     /* folder for what agents write */
    const char *machines; /* folder of the machine documents */
    char *installed; /* the installed one, if there are none in the folder of the file */
    int64_t max_retries, max_agent_runs;
    int64_t keep_days; /* clean keeps tasks that ended within so many days */
    json_t *pool; /* as agent_pool_new() takes it */
    json_t *project_context; /* techStack, hasUI, hasBackend */
} settings;

/* *read must be cleared after a failure, too. */
int32_t settings_read(settings *read, const char *path, wfsm_error *error);
void settings_clear(settings *read);
int settings_has_agent(const settings *read, const char *name);
#endif
