/* Output for people: each commit as it happens, in the terms of seed 004. */
#ifndef SHOW_H
#define SHOW_H

#include <wfsm/call.h>
#include <wfsm/engine.h>

#include <wfsm/agents.h>
#include "tasks.h"

typedef struct show {
    wfsm_progress *progress;
    wfsm_engine *engine; /* that is observed; borrowed */
    int verbose; /* transitions in the format of the log */
    const char *root;        /* the task that is driven, or NULL; borrowed */
    const json_t *features;  /* of its epic, or NULL; borrowed */
} show;

/* An observer for the engine; user is a show. */
int32_t show_commit(void *user, wfsm_call *call);

#endif
