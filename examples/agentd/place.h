/* Where everything of a project is. */
#ifndef AGENTD_PLACE_H
#define AGENTD_PLACE_H

#include <wfsm/store.h>

#include "config.h"
#include "ids.h"

typedef struct place {
    project in;
    char *config_path; /* agentd/config.toml */
    char *store;       /* agentd/.state/agentd.db */
    char *runs;        /* agentd/.state/runs: what agents write */
    agentd_config config;
    int configured;
} place;

/* The project around the folder in which the program was started. Each of these returns an exit
 * code, END_DONE when it went well, and has said on stderr what did not. Must be cleared after
 * failure, too. */
int place_find(place *at);
/* Reads the configuration. */
int place_configure(place *at);
void place_clear(place *at);

/* Opens the store; for reading it must exist, and is not changed. *store is NULL, and all is
 * well, when a store to read is not there. */
int place_open_store(const place *at, int to_read, wfsm_store **store, wfsm_error *error);

#endif
