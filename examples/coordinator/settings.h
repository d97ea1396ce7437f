/* The coordinator's configuration, read from its TOML file and checked. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "agents/agent_config.h"

typedef struct settings {
    wfa_config *config; /* owns what the agents borrow */
    char *store;       /* path of the SQLite file */
    char *logs;        /* folder for what agents and commands write */
    char *machine;     /* path of the machine document */
    int64_t max_rounds;
    wfa_agent_config *agents;
    size_t agent_count;
    int64_t command_timeout; /* ms, for a command without one of its own */
    int64_t command_output;  /* bytes */
} settings;

/* *read must be cleared after failure, too. */
int settings_read(settings *read, const char *path, wfa_error *error);
void settings_clear(settings *read);

#endif
