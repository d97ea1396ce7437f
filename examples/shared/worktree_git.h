/* Running git for worktree.c and its neighbours. */
#ifndef HOST_WORKTREE_GIT_H
#define HOST_WORKTREE_GIT_H

#include <jansson.h>

#include "error.h"

/* Where git works: in the task's worktree, or in the project. */
typedef enum git_where { GIT_TASK, GIT_PROJECT } git_where;

enum { GIT_NAME_SIZE = 128, GIT_REF_SIZE = 512, GIT_SPEC_SIZE = 4096 + 64 };

const char *git_text_of(const json_t *object, const char *key);
int git_is_copy(const json_t *place);
/* The folder of the repository of a copy: malloc'ed. */
char *git_own_folder(const json_t *place);

/* Waits until no git is at work in the place any more that a killed host has left, and keeps
 * others out until it is unlocked: the programs that are started meanwhile have the lock as well.
 * -1 when it could not be had. */
int git_lock(const json_t *place, host_error *error);
void git_unlock(int lock);
/* Removes its file; for a place that is removed. */
void git_forget_lock(const json_t *place);

/* Runs git with these words; the list ends with NULL. Its exit status; -1 and an error. With an
 * exit status other than 0 the error has git's first line. */
int git_run(const json_t *place, git_where where, host_error *error, ...);
/* The same, with the output: malloc'ed, *length bytes and a NUL. NULL and an error, also if git
 * ends with another status than 0, or than `other`. */
char *git_read(const json_t *place, git_where where, int other, size_t *length,
               host_error *error, ...);
/* The same for one line: without its end. */
char *git_line(const json_t *place, git_where where, host_error *error, ...);

/* What the project has now, as a commit: malloc'ed. In a copy, its files are recorded first. */
char *git_project_head(const json_t *place, const char *into, host_error *error);
/* A commit of a tree on top of another (or NULL): malloc'ed. */
char *git_commit_tree(const json_t *place, git_where where, const char *tree,
                      const char *parent, const char *title, host_error *error);
/* The change, as worktree.h describes it, and the task's branch moved to it. */
json_t *git_change(const json_t *place, const char *into, const char *base, const char *tree,
                   const char *title, host_error *error);
/* The branch that the project has checked out: "refs/heads/…", or "HEAD". malloc'ed. */
char *git_find_branch(const json_t *place);
/* A pathspec for the host's own folder (host_worktree_spare), after `magic`. 0 without one. */
int git_spared(const json_t *place, const char *magic, char spec[GIT_SPEC_SIZE]);
/* "refs/heads/" and the task's branch. */
void git_branch_ref(const json_t *place, char ref[GIT_NAME_SIZE]);
/* A name of wfsm's own for a commit of the task: refs/wfsm/WHAT/BRANCH, or with a `name` (else NULL)
 * refs/wfsm/WHAT/BRANCH/NAME. */
void git_own_ref(const json_t *place, const char *what, const char *name,
                 char ref[GIT_REF_SIZE]);
/* Removes the names of the files that were replaced when the task went back: refs/wfsm/kept/BRANCH/… */
int git_forget_kept(const json_t *place, host_error *error);

#endif
