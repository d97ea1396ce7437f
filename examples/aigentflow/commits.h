/* The commits in the workspace of a task or a feature: its place is as shared/worktree.h describes it, and
 * no agent works there meanwhile. Each returns 0, or -1 and an error. */
#ifndef COMMITS_H
#define COMMITS_H

#include <jansson.h>

#include "shared/error.h"

/* What is there becomes a commit of the branch, if it is not that already. */
int commits_keep(const json_t *place, const char *title, host_error *error);
/* Back to a commit, or another name for one, also if somebody has changed the branch. */
int commits_put_back(const json_t *place, const char *name, host_error *error);
/* The same with a commit of the workspace `source`. */
int commits_take(const json_t *place, const json_t *source, const char *commit,
                 host_error *error);
/* A commit joins another one. *conflicts is 1 if files have git's marks. */
int commits_join(const json_t *place, const char *other, int *conflicts, host_error *error);
/* 1 if `one` is a part of the history of what is there. */
int commits_have(const json_t *place, const char *one);
/* The names of files that differ from a commit; NULL and an error. */
json_t *commits_changed(const json_t *place, const char *since, host_error *error);

#endif
