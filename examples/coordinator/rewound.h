/* A task that was restored or forked, and the workspace, which has what was made later. */
#ifndef REWOUND_H
#define REWOUND_H

#include "session.h"
#include "task.h"

/* What the workspace needs before the task is driven. */
typedef struct rewound {
    int what;      /* HOST_REWOUND_… (shared/rewind.h) */
    json_t *place; /* where the task works */
    int is_new; /* it is not made yet, and the task does not know of it: that of a new fork */
} rewound;

/* Each returns an exit code, and prints an error. Must be cleared after a failure, too. */
int rewound_read(rewound *read, const settings *with, wfsm_store *store, const char *id,
                 const task *found, wfsm_error *error);
/* Gives a fork its place, and puts the workspace back to the change that the restored state has.
 * Nothing is done for a task that has gone on since. The session has the task. */
int rewound_settle(const rewound *read, session *self);
void rewound_clear(rewound *read);

#endif
