/* A change as the store has it: read, never changed. */
#ifndef AGENTD_CHANGE_H
#define AGENTD_CHANGE_H

#include <jansson.h>
#include <wfsm/instance.h>

#include "shared/stored.h"
#include "state_file.h"

typedef struct change {
    host_stored stored; /* ended: for good */
    char id[CHANGE_ID_MOST + 1];
    int has_phase; /* 0 before the first plan */
    phase phase;
    int resting;        /* nothing is at work: a person is next, or nobody */
    int64_t iterations; /* of the workflow at work, else of the last one */
    char step[HOST_STATE_SIZE]; /* where the workflow at work is, "plan: challenging"; or "" */
} change;

/* NOT_FOUND without such a change. Must be cleared after failure, too. */
int32_t change_read(change *read, wfsm_store *store, const char *id, wfsm_error *error);
void change_clear(change *read);

/* The verdict that counts in this phase: of CHALLENGE.md, later of REVIEW.md. */
verdict change_verdict(const change *read);
/* What STATE.yaml is to say. */
void change_state(const change *read, state *said);

/* Ids of all changes of the store, in their order; NULL and an error. */
json_t *change_ids(wfsm_store *store, wfsm_error *error);

#endif
