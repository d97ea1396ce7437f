/* bulk.h: the same post for all instances that a selection finds, as one command. A second run with the
 * same id continues where a first one was interrupted. */
#ifndef WFSM_BULK_H
#define WFSM_BULK_H

#include "wfsm/selection.h"

typedef struct bulk {
    const char *path; /* of the store */
    const selection *which; /* those of them that have not ended */
    const wfsm_post *post; /* without an instance; its id is that of the command, or NULL */
    /* A post of WFSM_POST_RETRY is for every invocation that waits for its next attempt. NULL, or only
     * for those of this agent. */
    const char *agent;
    bool dry_run; /* only the ids are printed */
} bulk;

/* Gives an exit code, after saying how many. */
int bulk_post(const bulk *self);
#endif
