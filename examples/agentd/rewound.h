/* A change that goes back takes its files with it: what agentd wrote, and the code in its workspace. What a person has
 * edited stays as it is, and counts as edited. */
#ifndef AGENTD_REWOUND_H
#define AGENTD_REWOUND_H

#include "work.h"
#include "workspace.h"

typedef struct rewound {
    json_t *known; /* digests of what agentd wrote, before */
    char kept[WORKSPACE_NAME_SIZE]; /* what git calls the code that was there; "" if it stays */
} rewound;

/* Before the instance `id`, the change or its workflow, goes back to a revision; a process that is killed then does the
 * same again. Returns an exit code, and prints an error; or REWOUND_UNKNOWN, and the error of the library is in the session.
 * Must be cleared after a failure, too. */
enum { REWOUND_UNKNOWN = -1 };
int rewound_begin(rewound *self, work *on, const char *id, uint64_t revision);
/* After: what agentd wrote, and is as it was, does not count as edited. */
int rewound_end(const rewound *self, work *on, const char *id);
void rewound_clear(rewound *self);
/* The documents that a fork begins with, as an object by path. NULL and an error. */
json_t *rewound_texts(work *on, const char *fork, host_error *error);

#endif
