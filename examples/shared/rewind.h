/* Going back to a revision: by its number, or by the name of what happened after it. */
#ifndef HOST_REWIND_H
#define HOST_REWIND_H

#include <wfsm/instance.h>

/* Words of a command line; NULL: not given. */
typedef struct host_rewind {
    const char *before; /* an agent that was asked, an event that was taken, a state entered */
    const char *at; /* a revision */
} host_rewind;

/* 0 if exactly one of them is given, and `at` is a revision; else -1 and the reason in *why, which
 * is a literal. */
int host_rewind_check(const host_rewind *wanted, const char **why);
/* The revision that is meant, asked for by the login of this process. NOT_FOUND: nothing of this
 * name happened, or the journal does not have it any more. */
int32_t host_rewind_point(const host_rewind *wanted, wfsm_store *store, const char *id,
                          wfsm_restore_point *point, wfsm_error *error);
/* The same of the revisions up to `last`. */
int32_t host_rewind_before(const char *name, uint64_t last, wfsm_store *store, const char *id,
                           uint64_t *revision, wfsm_error *error);

/* What has happened last to an instance, patches of its context left out. */
enum { HOST_REWOUND_NOT, HOST_REWOUND_RESTORED, HOST_REWOUND_FORKED };
int32_t host_rewound(int *what, wfsm_store *store, const char *id, wfsm_error *error);

#endif
