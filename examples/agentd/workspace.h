/* Where the code of a change is written, tested and reviewed: a git worktree of the project, or a
 * copy of a project that is in no repository (shared/worktree.h). The documents of the change stay
 * in the project.
 *
 * agentd/.worktrees/ID.json says what is there. It has "place" and "change" of shared/worktree.h,
 * "title", and "tree": the digest (tree.h) of the files that the commit of the change was made
 * of. So a verdict about that digest is one about the commit, which is what the archive merges.
 *
 * A change of an earlier version has none: it is worked on in the project itself. */
#ifndef AGENTD_WORKSPACE_H
#define AGENTD_WORKSPACE_H

#include <jansson.h>
#include <wfsm/base.h>

#include "place.h"
#include "shared/worktree_git.h"

/* The folder with the code: that of the change, or the project's root. */
const char *workspace_root(const place *at);
/* 0: it is the project itself. */
int workspace_is_own(const place *at);
/* 1: git knows nothing of the project, and its files were copied. */
int workspace_is_copy(const place *at);
/* The commit from which the change begins; "" if it has none. */
const char *workspace_base(const place *at);

/* Reads what is known of the change's place; nothing, if there is nothing. */
int workspace_read(place *at, const char *id, host_error *error);
/* The same; and if nothing is known decides: a new place if the change `begins`, in a clone the
 * branch of the change, else the project. */
int workspace_open(place *at, const char *id, const char *title, int begins, host_error *error);

/* Makes what is missing of the folder; only the process that has the change. */
int workspace_make(const place *at, const char *id, host_error *error);
/* Makes a commit of the files that are there, and keeps their list (TREE_TESTED) and digest. */
int workspace_bind(const place *at, const char *id, char *digest, host_error *error);
/* Takes back what was written since. */
int workspace_restore(const place *at, host_error *error);

/* Takes the workspace back to the files with this digest, which workspace_bind() has recorded; NULL: to the files of
 * the project. `kept` is git's name for the files that were replaced; "" if none was: they are the same, or git
 * does not have the wanted ones any more. */
int workspace_back(const place *at, const char *id, const char *tree, char kept[GIT_REF_SIZE],
                   host_error *error);

/* Merges the change into the project, if it is the one with this digest. NULL if it is done;
 * else the problem, as the life cycle has it, and nothing was done in the project. NULL and an
 * error, with *failed set. */
json_t *workspace_land(const place *at, const char *id, const char *tree, int *failed,
                       host_error *error);
/* Removes folder and branch of a change that is merged. */
int workspace_remove(const place *at, const char *id, host_error *error);

#endif
