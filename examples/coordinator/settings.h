/* The coordinator's configuration, read from its TOML file and checked. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <wfsm/agents.h>

typedef struct settings {
    wfsm_settings *file;
    wfsm_agents *agents; /* only to check the configuration: each engine needs its own */
    const char *store;   /* path of the SQLite file */
    const char *logs;    /* folder for what agents and commands write */
    const char *worktrees; /* folder for the workspaces of tasks */
    int is_json; /* set by the command line: nothing is printed but one object a task */
    int is_shared;         /* agents work in the project itself */
    const char *machine; /* path of the machine document */
    char *installed;     /* the installed one, if there is none in the folder of the file */
    int64_t max_rounds;
    int64_t keep_days; /* of what `clean` removes */
    const char *const *command_env; /* variables that commands get beside the usual ones */
    int64_t command_timeout; /* ms, for a command without one of its own */
    int64_t command_output;  /* bytes */
} settings;

/* *read must be cleared after a failure, too. */
int32_t settings_read(settings *read, const char *path, wfsm_error *error);
/* Makes the configured agents, for one engine; the caller frees them. */
int32_t settings_agents(const settings *from, wfsm_agents **agents, wfsm_error *error);
void settings_clear(settings *read);

#endif
