/* A workspace for each task: a git worktree of the project on a branch of its own. A folder that
 * is in no repository is copied into one that belongs to the task.
 *
 * A place says where that is, as an object that is kept with the task: "kind" ("worktree", "copy" or
 * "shared"), "project", "folder" (where agents work), and unless it is shared "root", "branch" and
 * "name". What is built there is a change, also an object: "into" (the branch that it is for),
 * "base" (the commit it begins at), "commit" (one commit on top of that), "tree" and "files"; of one that is
 * taken from a branch also "title".
 *
 * Each call may be made again after a kill -9: it then ends what was begun. Git runs apart from the
 * host and ends what it does. Nobody else may work in the place meanwhile. */
#ifndef HOST_WORKTREE_H
#define HOST_WORKTREE_H

#include <jansson.h>

#include "error.h"

/* A free place below the folder `worktrees`, named after the task; nothing is made but that
 * folder. `hidden` names what is the host's own and must not be copied with the project; the list
 * ends with NULL. NULL and an error. */
json_t *host_worktree_plan(const char *project, const char *worktrees, const char *id,
                           const char *const *hidden, host_error *error);
/* The same for a task that begins with a change of another one: it is of the same kind as that one's, and
 * its copy is made with all that was recorded there. */
json_t *host_worktree_fork(const json_t *source, const char *worktrees, const char *id,
                           const char *const *hidden, host_error *error);
/* The project itself. NULL when out of memory. */
json_t *host_worktree_shared(const char *project);
/* The place of a task of which only the branch is left, here or as a remote one, with its change:
 * for a clone of the project. It is not made yet. NULL without an error if there is none; NULL and
 * an error. */
json_t *host_worktree_adopt(const char *project, const char *worktrees, const char *id,
                            json_t **change, host_error *error);
/* Said of a place before it is made: a folder of the project that is the host's own. No change has
 * anything of it, and it may differ from what is in a commit. `products` are patterns of
 * .gitignore for files that are not copied with a project that is in no repository; NULL at the
 * end. -1 when out of memory. */
int host_worktree_spare(json_t *place, const char *folder, const char *const *products);
/* Said of a place that is inside the project, when that has been moved to this path. */
int host_worktree_moved(json_t *place, const char *project, host_error *error);
/* Where agents work; borrowed. */
const char *host_worktree_folder(const json_t *place);
int host_worktree_is_shared(const json_t *place);

/* Makes what is missing of it. */
int host_worktree_make(const json_t *place, host_error *error);
/* Puts it back to the change, or with null to what the project has now. Files that git ignores
 * stay. A new change, null for a shared place; NULL and an error. */
json_t *host_worktree_prepare(const json_t *place, const json_t *change, host_error *error);
/* Whether it could be put back to the change: a place that was removed may not have it any more. */
int host_worktree_has(const json_t *place, const json_t *change);
/* Makes a commit of what is there. A new change, null for a shared place; NULL and an error. */
json_t *host_worktree_record(const json_t *place, const json_t *change, const char *title,
                             host_error *error);
/* Brings the change to the project, unless the project has moved since its base:
 *
 *     {"status": "landed", "message": …}
 *     {"status": "left", "message": why, "command": what a person can do}
 *     {"status": "moved", "message": …, "change": the change, merged with what the project has now}
 *
 * If the merge has conflicts, the files of the merged change have git's marks. The project is
 * never merged in: its branch moves forward, at once, and its files only if none of them is
 * changed. NULL and an error. */
json_t *host_worktree_land(const json_t *place, const json_t *change, const char *title,
                           host_error *error);
/* Removes the worktree, and what was never landed with it only if `all` is set: otherwise the
 * branch of such a change is kept. */
int host_worktree_remove(const json_t *place, int all, host_error *error);

#endif
