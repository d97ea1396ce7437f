/* The files of a change that goes back to a revision go back with it: documents and reports that agentd wrote, and
 * the code in the workspace. A file that a person has edited stays as it is, and counts as edited. */
#ifndef AGENTD_REWOUND_H
#define AGENTD_REWOUND_H

#include "work.h"
#include "workspace.h"

typedef struct rewound {
    json_t *known; /* digests of the documents as agentd wrote them last */
    /* Git's name for the code that was replaced; "" if none was. */
    char kept[GIT_REF_SIZE];
} rewound;

/* Call this before the instance `id`, which is the change or its workflow, goes back: it replaces the files. It may
 * be called again after a kill. Returns an exit code and prints an error, or returns REWOUND_UNKNOWN: the session has
 * the library's error. `self` must be cleared after a failure, too. */
enum { REWOUND_UNKNOWN = -1 };
int rewound_begin(rewound *self, work *on, const char *id, uint64_t revision);
/* Call this after it has gone back: the files that agentd wrote do not count as edited. */
int rewound_end(const rewound *self, work *on, const char *id);
void rewound_clear(rewound *self);
/* The documents that a fork begins with, as an object by path. NULL and an error. */
json_t *rewound_texts(work *on, const char *fork, host_error *error);

#endif
