/* A change as the store has it: read, never changed. */
#ifndef AGENTD_CHANGE_H
#define AGENTD_CHANGE_H

#include <jansson.h>
#include <wfsm/instance.h>

#include "hostkit/stored.h"
#include "state_file.h"

enum { CHANGE_STATE_SIZE = HK_STATE_SIZE };

typedef struct change {
    json_t *context;
    json_t *invocations;
    char id[CHANGE_ID_MOST + 1];
    char state[CHANGE_STATE_SIZE]; /* dotted path */
    char owner[HK_OWNER_SIZE];
    int has_phase; /* 0 before the first plan */
    phase phase;
    int resting;   /* nothing is at work: a person is next, or nobody */
    int done;      /* it has ended for good */
    uint64_t revision;
    int64_t created, updated;
    int64_t iterations; /* of the workflow at work, else of the last one */
    char step[CHANGE_STATE_SIZE]; /* where the workflow at work is, "plan: challenging"; or "" */
} change;

/* NOT_FOUND without such a change. Must be cleared after failure, too. */
int32_t change_read(change *read, wfsm_store *store, const char *id, wfsm_error *error);
void change_clear(change *read);

/* Of the context; "" and 0 when there is none. */
const char *change_text(const change *read, const char *key);
int change_is_true(const change *read, const char *key);

/* The verdict that counts in this phase: of CHALLENGE.md, later of REVIEW.md. */
verdict change_verdict(const change *read);
/* What STATE.yaml is to say. */
void change_state(const change *read, state *said);

/* Ids of all changes of the store, in their order; NULL and an error. */
json_t *change_ids(wfsm_store *store, wfsm_error *error);

#endif
