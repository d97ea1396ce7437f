/* Bringing a change to the project. The merge is made among git's objects, so that no folder is
 * ever in the middle of one. */
#include "worktree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "text.h"
#include "worktree_git.h"

enum { MOST_NAMED = 20, MOST_TRIES = 5 };

static json_t *answer(const char *status, const char *message)
{
    json_t *made = json_pack("{s:s, s:s}", "status", status, "message", message);

    return made ? made : json_pack("{s:s, s:s}", "status", status, "message", "");
}

/* ---- moving the branch ---- */

static int add_quoted(host_text *text, const char *word)
{
    int failed = host_text_add(text, "'", 1);

    for (; *word && !failed; word++)
        failed = *word == '\'' ? host_text_add(text, "'\\''", 4) : host_text_add(text, word, 1);
    return failed ? failed : host_text_add(text, "'", 1);
}

static int add_text(host_text *text, const char *words)
{
    return host_text_add(text, words, strlen(words));
}

/* What a person can do with a change that was not landed. */
static json_t *leave(const json_t *place, const char *why)
{
    host_text command = {.data = NULL};
    json_t *made = answer("left", why);

    if (git_is_copy(place))
        (void)(add_text(&command, "cp -R ") ||
               add_quoted(&command, git_text_of(place, "folder")) ||
               add_text(&command, "/. ") ||
               add_quoted(&command, git_text_of(place, "project")));
    else
        (void)(add_text(&command, "git -C ") ||
               add_quoted(&command, git_text_of(place, "project")) ||
               add_text(&command, " merge ") ||
               add_text(&command, git_text_of(place, "branch")));
    if (made && command.data)
        json_object_set_new(made, "command", json_string(command.data));
    host_text_free(&command);
    return made;
}

/* A file of the project that git ignores, and that the change has as well. */
static int is_in_the_way(const json_t *place, const char *name)
{
    char *path = host_path_join(git_text_of(place, "project"), name);
    struct stat found;
    int is_there = path && lstat(path, &found) == 0;

    free(path);
    return is_there;
}

static int check_new_files(const json_t *place, const char *from, const char *to,
                           host_error *why)
{
    size_t length = 0;
    char *names = git_read(place, GIT_PROJECT, 0, &length, why, "diff-tree", "-r", "-z",
                           "--name-only", "--no-renames", "--diff-filter=A", from, to, NULL);
    const char *at = names;
    int failed = !names;

    for (; !failed && at < names + length; at += strlen(at) + 1)
        if (is_in_the_way(place, at))
            failed = host_fail(why, "%s is there already, and git ignores it", at);
    free(names);
    return failed ? -1 : 0;
}

/* The files of a folder that is in no repository. */
static int forward_files(const json_t *place, const char *from, const char *to, host_error *why)
{
    if (check_new_files(place, from, to, why) != 0 ||
        git_run(place, GIT_PROJECT, why, "read-tree", "-m", "-u", from, to, NULL) != 0)
        return -1;
    return git_run(place, GIT_PROJECT, why, "update-ref", "refs/heads/project", to, NULL) == 0
               ? 0
               : -1;
}

static int is_checked_out(const json_t *place, const char *into)
{
    char *now = git_line(place, GIT_PROJECT, NULL, "symbolic-ref", "-q", "HEAD", NULL);
    int is_same = strcmp(now ? now : "HEAD", into) == 0;

    free(now);
    return is_same;
}

static int is_clean(const json_t *place, host_error *why)
{
    char spared[GIT_SPEC_SIZE];
    size_t length = 0;
    char *text =
        git_read(place, GIT_PROJECT, 0, &length, why, "status", "--porcelain",
                 "--untracked-files=no", "--", ":(top)",
                 git_spared(place, ":(top,exclude,literal)", spared) ? spared : NULL, NULL);

    free(text);
    if (text && length > 0)
        (void)host_fail(why, "the project has changes that are in no commit");
    return text && length == 0;
}

static int forward_branch(const json_t *place, const char *into, const char *to,
                          host_error *why)
{
    char moves[1200];

    if (is_checked_out(place, into))
        return is_clean(place, why) &&
                       git_run(place, GIT_PROJECT, why, "merge", "-q", "--ff-only",
                               "--no-overwrite-ignore", to, NULL) == 0
                   ? 0
                   : -1;
    if (strcmp(into, "HEAD") == 0)
        return host_fail(why, "the project has a branch checked out, and had none");
    (void)snprintf(moves, sizeof moves, "%s:%s", to, into);
    return git_run(place, GIT_PROJECT, why, "fetch", "-q", ".", moves, NULL) == 0 ? 0 : -1;
}

static json_t *forward(const json_t *place, const json_t *change, const char *from)
{
    const char *to = git_text_of(change, "commit");
    host_error why = {""};
    json_t *made;
    int failed = git_is_copy(place)
                     ? forward_files(place, from, to, &why)
                     : forward_branch(place, git_text_of(change, "into"), to, &why);

    if (failed)
        return leave(place, why.message);
    made = answer("landed", "");
    if (made)
        json_object_set_new(made, "change", json_deep_copy(change));
    return made;
}

/* ---- when the project has moved ---- */

/* The names behind the first line, up to an empty one. */
static void add_conflicts(host_text *text, const char *names)
{
    int named = 0;

    (void)add_text(text, "; it has conflicts, which are marked in the files:");
    while (*names && *names != '\n' && named++ < MOST_NAMED) {
        size_t length = strcspn(names, "\n");
        (void)(host_text_add(text, " ", 1) || host_text_add(text, names, length));
        names += length + (names[length] == '\n');
    }
    (void)add_text(text, ". Resolve them");
}

static json_t *moved(const json_t *change, const char *names)
{
    host_text text = {.data = NULL};
    json_t *made = NULL;

    (void)add_text(&text,
                   "the project has changed meanwhile, and the change was merged with it");
    if (names)
        add_conflicts(&text, names);
    else
        (void)add_text(&text, ". See whether it is still right");
    if (text.data) {
        host_text_make_plain(text.data, text.length);
        made = answer("moved", text.data);
    }
    if (made)
        json_object_set_new(made, "change", json_deep_copy(change));
    host_text_free(&text);
    return made;
}

static int is_same_tree(const json_t *place, const char *one, const char *other)
{
    char spared[GIT_SPEC_SIZE];

    if (strcmp(one, other) == 0)
        return 1;
    return git_spared(place, ":(top,exclude,literal)", spared) &&
           git_run(place, GIT_TASK, NULL, "diff-tree", "-r", "--quiet", one, other, "--",
                   ":(top)", spared, NULL) == 0;
}

/* The verdicts are about a tree: if the merge is that tree, they stand. */
static json_t *use_merge(const json_t *place, const json_t *change, const char *now,
                         const char *tree, const char *names, const char *title,
                         host_error *error)
{
    json_t *merged = git_change(place, git_text_of(change, "into"), now, tree, title, error),
           *made = NULL;

    if (!merged)
        return NULL;
    if (!names && strcmp(git_text_of(merged, "commit"), now) == 0)
        made = answer("landed", "the project has it already");
    else if (!names && is_same_tree(place, tree, git_text_of(change, "tree")))
        made = forward(place, merged, now);
    else
        made = moved(merged, names);
    json_decref(merged);
    return made;
}

/* Of git merge-tree: the tree, and the names of files with conflicts. */
static json_t *merge(const json_t *place, const json_t *change, const char *now,
                     const char *title, host_error *error)
{
    size_t length = 0, end;
    json_t *made;
    char *text =
        git_read(place, GIT_TASK, 1, &length, error, "merge-tree", "--write-tree",
                 "--name-only", "--no-messages", now, git_text_of(change, "commit"), NULL);

    if (!text)
        return leave(place, "the project has changed, and git (2.38 or later) could not merge");
    end = strcspn(text, "\n");
    made = NULL;
    if (text[end])
        text[end++] = '\0';
    made = use_merge(place, change, now, text, text[end] ? text + end : NULL, title, error);
    free(text);
    return made;
}

static int is_in(const json_t *place, const char *commit, const char *now)
{
    return strcmp(commit, now) == 0 || git_run(place, GIT_PROJECT, NULL, "merge-base",
                                               "--is-ancestor", commit, now, NULL) == 0;
}

static json_t *land_once(const json_t *place, const json_t *change, const char *title,
                         const char *now, host_error *error)
{
    if (is_in(place, git_text_of(change, "commit"), now))
        return answer("landed", "");
    if (strcmp(now, git_text_of(change, "base")) == 0)
        return forward(place, change, now);
    return merge(place, change, now, title, error);
}

/* Another task has landed in between. */
static int was_overtaken(const json_t *place, const json_t *change, const char *now,
                         const json_t *made)
{
    char *later = NULL;
    int is_other = 0;

    if (strcmp(git_text_of(made, "status"), "left") == 0)
        later = git_project_head(place, git_text_of(change, "into"), NULL);
    if (later)
        is_other = strcmp(later, now) != 0;
    free(later);
    return is_other;
}

static json_t *land(const json_t *place, const json_t *change, const char *title,
                    host_error *error)
{
    json_t *made = NULL;
    int tries, again = 1;

    for (tries = 0; again && tries < MOST_TRIES; tries++) {
        char *now = git_project_head(place, git_text_of(change, "into"), error);
        json_decref(made);
        if (!now)
            return leave(place, "the branch that the change is for is not there any more");
        made = land_once(place, change, title, now, error);
        again = made && was_overtaken(place, change, now, made);
        free(now);
    }
    return made;
}

json_t *host_worktree_land(const json_t *place, const json_t *change, const char *title,
                           host_error *error)
{
    json_t *made;
    int lock;

    if (host_worktree_is_shared(place))
        return answer("landed", "it was made in the project");
    lock = git_lock(place, error);
    made = lock < 0 ? NULL : land(place, change, title, error);
    git_unlock(lock);
    return made;
}
