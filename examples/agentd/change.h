/* A change as the store has it. It is only read. */
#ifndef AGENTD_CHANGE_H
#define AGENTD_CHANGE_H

#include <jansson.h>
#include <wfsm/instance.h>

#include "shared/stored.h"
#include "state_file.h"

enum { CHANGE_WORKFLOW_SIZE = 256 };

typedef struct change {
    host_stored stored; /* the change has ended */
    char id[CHANGE_ID_MOST + 1];
    int has_phase; /* 0 before the first plan */
    phase phase;
    int resting;        /* no workflow runs: a person must act, or nobody */
    int64_t iterations; /* of the running workflow, else of the last one */
    char step[HOST_STATE_SIZE]; /* the state of the running workflow, "challenging"; or "" */
    char workflow[CHANGE_WORKFLOW_SIZE]; /* its id; or "" */
} change;

/* NOT_FOUND if there is no such change. Must be cleared after a failure, too. */
int32_t change_read(change *read, wfsm_store *store, const char *id, wfsm_error *error);
void change_clear(change *read);

/* The verdict that counts in this phase: of CHALLENGE.md, later of REVIEW.md. */
verdict change_verdict(const change *read);
/* What STATE.yaml must say. */
void change_state(const change *read, state *said);

/* The ids of all changes of the store, sorted; NULL and an error. */
json_t *change_ids(wfsm_store *store, wfsm_error *error);

#endif
