/* The files of a project, its configuration and its store. */
#ifndef AGENTD_PLACE_H
#define AGENTD_PLACE_H

#include <jansson.h>
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
    json_t *work; /* where the code of the change is: workspace.h; NULL: in the project */
} place;

/* Finds the project around the current folder. Each of these returns an exit code, END_DONE for
 * success, and prints an error to stderr. Must be cleared after a failure, too. */
int place_find(place *at);
/* Reads the configuration. */
int place_configure(place *at);
/* The same without output: the exit code; 0 or -1. */
int place_look(place *at, host_error *why);
int place_read(place *at, host_error *why);
void place_clear(place *at);

/* Opens the store. For reading, it is not changed; if it does not exist, *store is NULL, which
 * is not an error. */
int place_open_store(const place *at, int to_read, wfsm_store **store, wfsm_error *error);

#endif
