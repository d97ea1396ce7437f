#include "worktree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "program.h"
#include "text.h"
#include "worktree_git.h"

const char *host_worktree_folder(const json_t *place)
{
    return git_text_of(place, "folder");
}

int host_worktree_is_shared(const json_t *place)
{
    const char *kind = git_text_of(place, "kind");

    return strcmp(kind, "worktree") != 0 && strcmp(kind, "copy") != 0;
}

/* ---- making ---- */

static void add_pattern(host_text *text, const char *pattern, const char *end)
{
    (void)(host_text_add(text, pattern, strlen(pattern)) ||
           host_text_add(text, end, strlen(end)));
}

/* What a store has beside it begins with its name as well. */
static int write_patterns(const json_t *place, const char *own, host_error *error)
{
    char *path = host_path_join(own, "info/exclude");
    host_text text = {.data = NULL};
    size_t index;
    json_t *one;
    int status = -1;

    json_array_foreach(json_object_get(place, "hidden"), index, one)
    {
        add_pattern(&text, json_string_value(one), "\n");
        add_pattern(&text, json_string_value(one), "-*\n");
    }
    json_array_foreach(json_object_get(place, "products"), index, one)
        add_pattern(&text, json_string_value(one), "\n");
    if (path)
        status = host_file_write(path, text.data ? text.data : "", text.length, HOST_FILE_WHOLE,
                                 error);
    host_text_free(&text);
    free(path);
    return status;
}

static int run_command(const char *const *words, host_error *error)
{
    char *text = NULL;
    size_t length;
    int status = program_read(words, 1 << 16, &text, &length, error);

    free(text);
    return status;
}

/* All that was recorded in the copy that this one begins with, also what has no branch any more. Nothing if
 * that was removed. */
static int copy_source(const json_t *place, const char *own, host_error *error)
{
    const char *source = git_text_of(place, "source");
    char *from = host_path_join(source, "objects/."), *to = host_path_join(own, "objects");
    const char *words[] = {"cp", "-R", "-f", "--", from, to, NULL};
    int status = from && to ? 0 : -1;

    if (!*source || access(source, F_OK) != 0 ||
        git_run(place, GIT_PROJECT, NULL, "show-ref", "-q", "refs/heads/project", NULL) == 0)
        words[0] = NULL;
    if (status == 0 && words[0])
        status = run_command(words, error);
    if (status == 0 && words[0])
        status = git_run(place, GIT_PROJECT, error, "fetch", "-q", source,
                         "refs/heads/project:refs/heads/project", NULL);
    free(to);
    free(from);
    return status == 0 ? 0 : -1;
}

/* The repository of a copy, with the project as it is now. */
static int make_own(const json_t *place, host_error *error)
{
    char *own = git_own_folder(place);
    char *head = NULL;
    json_t *outside =
        json_pack("{s:s, s:s}", "kind", "worktree", "project", git_text_of(place, "project"));

    if (own && git_run(outside, GIT_PROJECT, error, "init", "-q", "--bare", own, NULL) == 0 &&
        write_patterns(place, own, error) == 0 && copy_source(place, own, error) == 0)
        head = git_project_head(place, "", error);
    json_decref(outside);
    free(own);
    if (!head)
        return -1;
    free(head);
    return 0;
}

/* The folder in which git keeps a worktree's index; malloc'ed. NULL: there is no worktree yet. */
static char *own_files(const json_t *place)
{
    char *link = host_path_join(git_text_of(place, "root"), ".git");
    int is_there = link && access(link, F_OK) == 0;

    free(link);
    return is_there ? git_line(place, GIT_TASK, NULL, "rev-parse", "--absolute-git-dir", NULL)
                    : NULL;
}

static int is_in(const char *folder, const char *name)
{
    char *path = host_path_join(folder, name);
    int found = path && access(path, F_OK) == 0;

    free(path);
    return found;
}

static int add_worktree(const json_t *place, host_error *error)
{
    const char *root = git_text_of(place, "root"), *branch = git_text_of(place, "branch");
    const char *start = git_is_copy(place) ? "refs/heads/project" : "HEAD";
    char ref[GIT_NAME_SIZE];

    git_branch_ref(place, ref);
    (void)git_run(place, GIT_PROJECT, NULL, "worktree", "prune", NULL);
    if (git_run(place, GIT_PROJECT, NULL, "show-ref", "--verify", "-q", ref, NULL) == 0)
        return git_run(place, GIT_PROJECT, error, "worktree", "add", "-q", "--no-checkout",
                       root, branch, NULL);
    return git_run(place, GIT_PROJECT, error, "worktree", "add", "-q", "--no-checkout", "-b",
                   branch, root, start, NULL);
}

/* Its index is written when all files are there. */
static int check_out(const json_t *place, host_error *error)
{
    char *files = own_files(place);
    int is_done = files && is_in(files, "index");

    free(files);
    return is_done || git_run(place, GIT_TASK, error, "reset", "-q", "--hard", NULL) == 0 ? 0
                                                                                          : -1;
}

static int make(const json_t *place, host_error *error)
{
    char *files = own_files(place);

    if (!files && git_is_copy(place) && make_own(place, error) != 0)
        return -1;
    if (!files && add_worktree(place, error) != 0)
        return -1;
    free(files);
    return check_out(place, error);
}

int host_worktree_make(const json_t *place, host_error *error)
{
    int lock, status;

    if (host_worktree_is_shared(place))
        return 0;
    lock = git_lock(place, error);
    status = lock < 0 ? -1 : make(place, error);
    git_unlock(lock);
    return status;
}

static int move_path(json_t *place, const char *key, const char *project, size_t old)
{
    const char *path = git_text_of(place, key);

    if (strlen(path) < old)
        return -1;
    return json_object_set_new(place, key, json_sprintf("%s%s", project, path + old));
}

int host_worktree_moved(json_t *place, const char *project, host_error *error)
{
    size_t old = strlen(git_text_of(place, "project"));

    if (strcmp(git_text_of(place, "project"), project) == 0)
        return 0;
    if (move_path(place, "folder", project, old) != 0 ||
        (!host_worktree_is_shared(place) && move_path(place, "root", project, old) != 0) ||
        move_path(place, "project", project, old) != 0)
        return host_fail(error, "%s: the workspace is not one of this project", project);
    if (host_worktree_is_shared(place))
        return 0;
    return git_run(place, GIT_PROJECT, error, "worktree", "repair", git_text_of(place, "root"),
                   NULL) == 0
               ? 0
               : -1;
}

/* ---- going back, and recording ---- */

/* Also what an agent may have done with git: another branch, a lock of one that was killed. */
static int take_over(const json_t *place, host_error *error)
{
    char ref[GIT_NAME_SIZE];
    char *files = own_files(place);
    char *lock = files ? host_path_join(files, "index.lock") : NULL;

    if (lock)
        (void)unlink(lock);
    free(lock);
    if (!files)
        return host_fail(error, "%s: this is no worktree any more", git_text_of(place, "root"));
    free(files);
    git_branch_ref(place, ref);
    return git_run(place, GIT_TASK, error, "symbolic-ref", "HEAD", ref, NULL) == 0 ? 0 : -1;
}

static int go_to(const json_t *place, const char *commit, host_error *error)
{
    if (take_over(place, error) != 0 ||
        git_run(place, GIT_TASK, error, "reset", "-q", "--hard", commit, NULL) != 0 ||
        git_run(place, GIT_TASK, error, "clean", "-ffdq", NULL) != 0)
        return -1;
    return 0;
}

static json_t *begin_change(const json_t *place, host_error *error)
{
    char wanted[GIT_NAME_SIZE];
    char *into = git_find_branch(place);
    char *base = into ? git_project_head(place, into, error) : NULL;
    char *tree = NULL;
    json_t *change = NULL;

    (void)snprintf(wanted, sizeof wanted, "%s^{tree}", base ? base : "");
    if (base)
        tree = git_line(place, GIT_PROJECT, error, "rev-parse", "--verify", "-q", wanted, NULL);
    if (tree)
        change = git_change(place, into, base, tree, "", error);
    free(tree);
    free(base);
    free(into);
    return change;
}

static json_t *prepare(const json_t *place, const json_t *change, host_error *error)
{
    json_t *found;

    if (make(place, error) != 0)
        return NULL;
    found = json_is_object(change) ? json_deep_copy(change) : begin_change(place, error);
    if (found && go_to(place, git_text_of(found, "commit"), error) != 0) {
        json_decref(found);
        return NULL;
    }
    return found;
}

json_t *host_worktree_prepare(const json_t *place, const json_t *change, host_error *error)
{
    json_t *found;
    int lock;

    if (host_worktree_is_shared(place))
        return json_null();
    lock = git_lock(place, error);
    found = lock < 0 ? NULL : prepare(place, change, error);
    git_unlock(lock);
    return found;
}

int host_worktree_has(const json_t *place, const json_t *change)
{
    char *own = git_own_folder(place);
    int found = host_worktree_is_shared(place) || !json_is_object(change);

    if (!found && own && (!git_is_copy(place) || access(own, F_OK) == 0))
        found = git_run(place, GIT_PROJECT, NULL, "cat-file", "-e",
                        git_text_of(change, "commit"), NULL) == 0;
    free(own);
    return found;
}

/* The host's own folder stays as it was, also if an agent has added something of it. */
static int add_all(const json_t *place, const json_t *change, host_error *error)
{
    char spared[GIT_SPEC_SIZE];

    if (git_run(place, GIT_TASK, error, "add", "-A", ".", NULL) != 0)
        return -1;
    if (!git_spared(place, ":(top,literal)", spared))
        return 0;
    return git_run(place, GIT_TASK, error, "reset", "-q", git_text_of(change, "base"), "--",
                   spared, NULL) == 0
               ? 0
               : -1;
}

static json_t *record(const json_t *place, const json_t *change, const char *title,
                      host_error *error)
{
    char *tree = NULL;
    json_t *found = NULL;

    if (take_over(place, error) == 0 && add_all(place, change, error) == 0)
        tree = git_line(place, GIT_TASK, error, "write-tree", NULL);
    if (tree && strcmp(tree, git_text_of(change, "tree")) == 0)
        found = json_deep_copy(change);
    else if (tree)
        found = git_change(place, git_text_of(change, "into"), git_text_of(change, "base"),
                           tree, title, error);
    free(tree);
    return found;
}

json_t *host_worktree_record(const json_t *place, const json_t *change, const char *title,
                             host_error *error)
{
    json_t *found;
    int lock;

    if (host_worktree_is_shared(place))
        return json_null();
    lock = git_lock(place, error);
    found = lock < 0 ? NULL : record(place, change, title, error);
    git_unlock(lock);
    return found;
}

/* ---- removing ---- */

static int is_merged(const json_t *place, const char *ref)
{
    return git_run(place, GIT_PROJECT, NULL, "merge-base", "--is-ancestor", ref, "HEAD",
                   NULL) == 0;
}

static int remove_copy(const json_t *place, host_error *error)
{
    char *own = git_own_folder(place);
    const char *words[] = {"rm", "-rf", "--", git_text_of(place, "root"), own, NULL};
    int status = own ? run_command(words, error) : -1;

    free(own);
    return status;
}

static int remove_worktree(const json_t *place, int all, host_error *error)
{
    char ref[GIT_NAME_SIZE];

    git_branch_ref(place, ref);
    if (access(git_text_of(place, "root"), F_OK) == 0 &&
        git_run(place, GIT_PROJECT, error, "worktree", "remove", "-f", "-f",
                git_text_of(place, "root"), NULL) != 0)
        return -1;
    if (git_run(place, GIT_PROJECT, NULL, "show-ref", "--verify", "-q", ref, NULL) != 0 ||
        (!all && !is_merged(place, ref)))
        return 0;
    if (git_run(place, GIT_PROJECT, error, "update-ref", "-d", ref, NULL) != 0)
        return -1;
    return git_forget_kept(place, error);
}

int host_worktree_remove(const json_t *place, int all, host_error *error)
{
    int lock, status;

    if (host_worktree_is_shared(place))
        return 0;
    lock = git_lock(place, error);
    if (lock < 0)
        return -1;
    status =
        git_is_copy(place) ? remove_copy(place, error) : remove_worktree(place, all, error);
    if (status == 0)
        git_forget_lock(place);
    git_unlock(lock);
    return status;
}
