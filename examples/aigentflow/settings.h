/* aigentflow's configuration, read from its TOML file and checked. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <jansson.h>

#include "agent_types.h"
#include "agents/agent_config.h"

/* The agent types, and who decides: task_analyzer and router. */
enum { CREW = AGENT_TYPES + 2 };

typedef struct settings {
    wfa_config *config; /* owns what the agents borrow */
    const char *project_id;
    char *project;   /* folder of the git repository, absolute */
    char *worktrees; /* folder for those of features, absolute */
    char *store;     /* path of the SQLite file */
    char *logs;      /* folder for what agents write */
    char *machines;  /* folder of the machine documents */
    int64_t max_retries, max_agent_runs;
    json_t *pool;    /* as agent_pool_new() takes it */
    json_t *project_context; /* techStack, hasUI, hasBackend */
    wfa_agent_config *agents; /* as configured */
    size_t agent_count;
    /* Who does the work of whom, under his name; the agent types without a table have that of
     * [agents.default]. task_analyzer and router may be missing: then rules decide. */
    wfa_agent_config crew[CREW];
    size_t crew_count;
} settings;

/* *read must be cleared after failure, too. */
int settings_read(settings *read, const char *path, wfa_error *error);
void settings_clear(settings *read);
/* NULL when nobody has that name. */
const wfa_agent_config *settings_agent(const settings *read, const char *name);
#endif
