#include "commits.h"

#include <stdlib.h>
#include <string.h>

#include "shared/worktree_git.h"

enum { MOST_NAMES = 1000 };

/* Who merges; others have their own name, or that of the library. */
#define AS_AIGENTFLOW                                                                          \
    "-c", "user.name=aigentflow", "-c", "user.email=aigentflow@localhost", "-c",               \
        "commit.gpgsign=false"

static int commit_tree(const json_t *place, const char *tree, const char *title,
                       host_error *error)
{
    char *head = git_line(place, GIT_TASK, error, "rev-parse", "HEAD", NULL), *made = NULL;
    int done = -1;

    if (head)
        made = git_commit_tree(place, GIT_TASK, tree, head, title, error);
    if (made)
        done = git_run(place, GIT_TASK, error, "update-ref", "HEAD", made, NULL) == 0 ? 0 : -1;
    free(made);
    free(head);
    return done;
}

int commits_keep(const json_t *place, const char *title, host_error *error)
{
    char *tree = NULL, *before = NULL;
    int done = -1;

    if (git_run(place, GIT_TASK, error, "add", "-A", NULL) == 0)
        tree = git_line(place, GIT_TASK, error, "write-tree", NULL);
    if (tree)
        before = git_line(place, GIT_TASK, error, "rev-parse", "HEAD^{tree}", NULL);
    if (before)
        done = strcmp(tree, before) == 0 ? 0 : commit_tree(place, tree, title, error);
    free(before);
    free(tree);
    return done;
}

int commits_put_back(const json_t *place, const char *name, host_error *error)
{
    char branch[GIT_NAME_SIZE];

    git_branch_ref(place, branch);
    return git_run(place, GIT_TASK, error, "symbolic-ref", "HEAD", branch, NULL) == 0 &&
                   git_run(place, GIT_TASK, error, "reset", "-q", "--hard", name, NULL) == 0 &&
                   git_run(place, GIT_TASK, error, "clean", "-ffdq", NULL) == 0
               ? 0
               : -1;
}

/* A copy has a repository of its own. Its project continues what the source knew of it, so that
 * the two can be merged. */
static int fetch(const json_t *place, const json_t *source, host_error *error)
{
    char *from = git_own_folder(source);
    int done =
        from && git_run(place, GIT_PROJECT, error, "fetch", "-q", from,
                        git_text_of(source, "branch"), "+refs/heads/project:refs/heads/project",
                        "+refs/wfsm/kept/*:refs/wfsm/kept/*", NULL) == 0
            ? 0
            : -1;

    free(from);
    return done;
}

int commits_take(const json_t *place, const json_t *source, const char *commit,
                 host_error *error)
{
    if (git_is_copy(source) && fetch(place, source, error) != 0)
        return -1;
    return commits_put_back(place, commit, error);
}

int commits_have(const json_t *place, const char *one)
{
    return git_run(place, GIT_TASK, NULL, "merge-base", "--is-ancestor", one, "HEAD", NULL) ==
           0;
}

/* Files with git's marks are committed as they are: who resolves them commits nothing. */
int commits_join(const json_t *place, const char *other, int *conflicts, host_error *error)
{
    char *left;

    *conflicts = 0;
    if (git_run(place, GIT_TASK, error, AS_AIGENTFLOW, "merge", "-q", "--no-edit", other,
                NULL) == 0)
        return 0;
    left = git_line(place, GIT_TASK, NULL, "diff", "--name-only", "--diff-filter=U", NULL);
    *conflicts = left != NULL;
    free(left);
    if (!*conflicts)
        return -1;
    return git_run(place, GIT_TASK, error, "add", "-A", NULL) == 0 &&
                   git_run(place, GIT_TASK, error, AS_AIGENTFLOW, "commit", "-q", "--no-edit",
                           NULL) == 0
               ? 0
               : -1;
}

static json_t *add_names(json_t *names, char *text, size_t length)
{
    const char *at = text;

    while (names && text && at < text + length && json_array_size(names) < MOST_NAMES) {
        json_t *name = json_string(at);
        if (name)
            json_array_append_new(names, name);
        at += strlen(at) + 1;
    }
    free(text);
    return names;
}

json_t *commits_changed(const json_t *place, const char *since, host_error *error)
{
    size_t length = 0;
    char *text = git_read(place, GIT_TASK, 0, &length, error, "diff", "-z", "--name-only",
                          "--no-renames", since, "--", NULL);
    json_t *names = text ? add_names(json_array(), text, length) : NULL;

    if (!names)
        return NULL;
    text = git_read(place, GIT_TASK, 0, &length, NULL, "ls-files", "-z", "--others",
                    "--exclude-standard", NULL);
    return add_names(names, text, text ? length : 0);
}
