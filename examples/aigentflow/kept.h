/* Features that were finished before a restore or a fork keep what they have made.
 *
 * A restore to before the features were started would work on each of them again. So the document of
 * features is not served until the task asks for them. Then each one that was finished with the same
 * input has its result from there, and only the others begin. Only the first time: what the task asks
 * for again later is to be done again. */
#ifndef KEPT_H
#define KEPT_H

#include <jansson.h>
#include <wfsm/engine.h>

typedef struct kept {
    uint64_t since;   /* the revision of the restore, or of the fork */
    char source[256]; /* of a fork: the task that it comes from, or "" */
    int waits;        /* features are not served yet */
} kept;

/* Whether the task, as it stands in the store, has yet to ask for features since a restore or a
 * fork: then `waits` is set. */
int32_t kept_begin(kept *self, wfsm_store *store, const char *root, const json_t *context,
                   wfsm_error *error);
/* Called between rounds while it waits. When the task asks for features, gives those that are kept
 * their results, and waits no longer. *names has the features that were kept, new, or is NULL. */
int32_t kept_give(kept *self, wfsm_engine *engine, wfsm_store *store, const char *root,
                  json_t **names, wfsm_error *error);

#endif
