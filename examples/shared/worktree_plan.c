/* Where the workspace of a task is to be, and what it is called. */
#include "worktree.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/base.h>

#include "files.h"
#include "program.h"
#include "worktree_git.h"

enum { LONGEST_NAME = 80, MOST_NAMES = 1000000 };

static int is_plain(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
}

/* A name for folders and branches. Names that differ stay different. */
static void make_name(const char *id, char name[GIT_NAME_SIZE])
{
    char digest[WFSM_DIGEST_SIZE];
    size_t length = 0;
    const char *at;

    for (at = id; *at && length < LONGEST_NAME; at++)
        if (is_plain(*at) && (at > id || *at != '-'))
            name[length++] = *at;
        else
            length += (size_t)snprintf(name + length, 4, "+%02x", (unsigned char)*at);
    name[length] = '\0';
    if (!*at)
        return;
    (void)wfsm_digest(id, strlen(id), digest);
    (void)snprintf(name + LONGEST_NAME / 2, GIT_NAME_SIZE - LONGEST_NAME / 2, "+%.32s",
                   strrchr(digest, ':') ? strrchr(digest, ':') + 1 : digest);
}

/* ---- what is not copied ---- */

/* The pattern of .gitignore for a file below the project, malloc'ed; NULL if it is elsewhere. */
static char *make_pattern(const char *project, const char *path)
{
    char parent[PATH_MAX], whole[PATH_MAX];
    const char *slash = strrchr(path, '/'), *from;
    size_t length = strlen(project);
    char *pattern, *to;

    (void)snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    if (!realpath(*parent ? parent : "/", whole) || strncmp(whole, project, length) != 0 ||
        (whole[length] && whole[length] != '/'))
        return NULL;
    pattern = malloc(2 * (strlen(whole) + strlen(path)) + 3);
    if (!pattern)
        return NULL;
    to = pattern;
    for (from = whole + length; *from; *to++ = *from++)
        if (strchr("*?[\\ !#", *from))
            *to++ = '\\';
    *to++ = '/';
    for (from = slash ? slash + 1 : path; *from; *to++ = *from++)
        if (strchr("*?[\\ !#", *from))
            *to++ = '\\';
    *to = '\0';
    return pattern;
}

static json_t *make_patterns(const char *project, const char *const *hidden)
{
    json_t *list = json_array();
    size_t index;

    for (index = 0; list && hidden[index]; index++) {
        char *pattern = make_pattern(project, hidden[index]);
        if (pattern)
            json_array_append_new(list, json_string(pattern));
        free(pattern);
    }
    return list;
}

/* ---- where ---- */

/* The part of the path of a folder that is below its repository: malloc'ed, "" or "a/b". NULL if
 * it is in none, or in none of its commits. */
static char *find_prefix(const json_t *place)
{
    char *prefix, *found = NULL, *name = NULL;
    size_t length = 0;

    prefix = git_read(place, GIT_PROJECT, 0, &length, NULL, "rev-parse", "--show-prefix", NULL);
    if (!prefix)
        return NULL;
    if (length > 1)
        prefix[length - 2] = '\0'; /* the line's end, and the last slash before it */
    else if (length == 1)
        prefix[0] = '\0';
    name = malloc(length + sizeof "HEAD:");
    if (name) {
        (void)snprintf(name, length + sizeof "HEAD:", "HEAD:%s", prefix);
        found = git_line(place, GIT_PROJECT, NULL, "rev-parse", "--verify", "-q", name, NULL);
    }
    free(name);
    if (found) {
        free(found);
        return prefix;
    }
    free(prefix);
    return NULL;
}

static int is_free(const json_t *place)
{
    char ref[GIT_NAME_SIZE];
    char *own = git_own_folder(place);
    int taken = !own || access(own, F_OK) == 0 || access(git_text_of(place, "root"), F_OK) == 0;

    free(own);
    git_branch_ref(place, ref);
    return !taken && (git_is_copy(place) || git_run(place, GIT_PROJECT, NULL, "show-ref",
                                                    "--verify", "-q", ref, NULL) != 0);
}

static void set_name(json_t *place, const char *worktrees, const char *name, const char *prefix)
{
    json_object_set_new(place, "name", json_string(name));
    json_object_set_new(place, "branch", json_sprintf("wfsm/%s", name));
    json_object_set_new(place, "root", json_sprintf("%s/%s", worktrees, name));
    json_object_set_new(place, "folder",
                        json_sprintf("%s/%s%s%s", worktrees, name, *prefix ? "/" : "", prefix));
}

/* The first free one of name, name-2, … */
static int find_free(json_t *place, const char *worktrees, const char *id, const char *prefix)
{
    char name[GIT_NAME_SIZE], numbered[GIT_NAME_SIZE + 16];
    int number;

    make_name(id, name);
    set_name(place, worktrees, name, prefix);
    for (number = 2; !is_free(place) && number < MOST_NAMES; number++) {
        (void)snprintf(numbered, sizeof numbered, "%s-%d", name, number);
        set_name(place, worktrees, numbered, prefix);
    }
    return number < MOST_NAMES ? 0 : -1;
}

/* What is planned. A place of the kind "copy" may have a `source`: another copy. */
typedef struct plan {
    const char *project, *id;
    const char *const *hidden;
    const json_t *source;
} plan;

static int is_copy_of_copy(const plan *wanted)
{
    return wanted->source && git_is_copy(wanted->source);
}

static int set_copy(json_t *place, const plan *wanted)
{
    char *own = is_copy_of_copy(wanted) ? git_own_folder(wanted->source) : NULL;
    int failed =
        json_object_set_new(place, "kind", json_string("copy")) ||
        json_object_set_new(place, "hidden", make_patterns(wanted->project, wanted->hidden));

    if (!failed && own)
        failed = json_object_set_new(place, "source", json_string(own));
    free(own);
    return failed;
}

static json_t *plan_in(const plan *wanted, const char *worktrees, host_error *error)
{
    const char *project = wanted->project, *id = wanted->id;
    json_t *place = json_pack("{s:s, s:s}", "kind", "worktree", "project", project);
    char *prefix = place && !is_copy_of_copy(wanted) ? find_prefix(place) : NULL;

    if (!place) {
        (void)host_fail(error, "%s: expected a path in UTF-8", project);
        return NULL;
    }
    if (!prefix && set_copy(place, wanted) != 0) {
        (void)host_fail(error, "out of memory");
        json_decref(place);
        return NULL;
    }
    if (find_free(place, worktrees, id, prefix ? prefix : "") != 0) {
        (void)host_fail(error, "%s: no name is free for %s", worktrees, id);
        json_decref(place);
        place = NULL;
    }
    free(prefix);
    return place;
}

static json_t *plan_place(const plan *wanted, const char *worktrees, host_error *error)
{
    char path[PATH_MAX];

    if (!program_find("git", path, sizeof path)) {
        (void)host_fail(error, "git is needed for the workspace of a task; without it, set "
                               "workspace = \"shared\"");
        return NULL;
    }
    if (host_folder_make(worktrees, error) != 0)
        return NULL;
    if (realpath(worktrees, path))
        return plan_in(wanted, path, error);
    (void)host_fail(error, "%s: no such folder", worktrees);
    return NULL;
}

json_t *host_worktree_plan(const char *project, const char *worktrees, const char *id,
                           const char *const *hidden, host_error *error)
{
    const plan wanted = {.project = project, .id = id, .hidden = hidden};

    return plan_place(&wanted, worktrees, error);
}

json_t *host_worktree_fork(const json_t *source, const char *worktrees, const char *id,
                           const char *const *hidden, host_error *error)
{
    const plan wanted = {.project = git_text_of(source, "project"),
                         .id = id,
                         .hidden = hidden,
                         .source = source};

    return plan_place(&wanted, worktrees, error);
}

json_t *host_worktree_shared(const char *project)
{
    return json_pack("{s:s, s:s, s:s}", "kind", "shared", "project", project, "folder",
                     project);
}

/* ---- what the host keeps for itself ---- */

/* The folder's name in the repository: where the project is one of its folders, below that. */
static json_t *name_in_repository(const json_t *place, const char *folder)
{
    const char *root = git_text_of(place, "root"), *work = host_worktree_folder(place);
    size_t length = strlen(root);

    return work[length] == '/' ? json_sprintf("%s/%s", work + length + 1, folder)
                               : json_string(folder);
}

int host_worktree_spare(json_t *place, const char *folder, const char *const *products)
{
    json_t *list = json_array();
    int failed = list ? 0 : -1;

    if (host_worktree_is_shared(place)) {
        json_decref(list);
        return failed;
    }
    if (!failed)
        failed = json_array_append_new(list, json_sprintf("/%s/", folder));
    for (; !failed && *products; products++)
        failed = json_array_append_new(list, json_string(*products));
    if (json_object_set_new(place, "products", list) != 0)
        failed = -1;
    return failed ? -1
                  : json_object_set_new(place, "spared", name_in_repository(place, folder));
}

/* ---- from a branch ---- */

/* The commit of the task's branch; of a remote one of this name if it is not here. malloc'ed. */
static char *find_branch_tip(const json_t *place)
{
    char pattern[GIT_NAME_SIZE + 16], ref[GIT_NAME_SIZE];
    char *tip;

    git_branch_ref(place, ref);
    (void)snprintf(pattern, sizeof pattern, "refs/remotes/*/%s", git_text_of(place, "branch"));
    tip = git_line(place, GIT_PROJECT, NULL, "rev-parse", "--verify", "-q", ref, NULL);
    if (!tip)
        tip = git_line(place, GIT_PROJECT, NULL, "for-each-ref", "--count=1",
                       "--format=%(objectname)", pattern, NULL);
    return tip;
}

static char *tree_of(const json_t *place, const char *commit, host_error *error)
{
    char name[GIT_NAME_SIZE];

    (void)snprintf(name, sizeof name, "%s^{tree}", commit);
    return git_line(place, GIT_PROJECT, error, "rev-parse", "--verify", "-q", name, NULL);
}

static json_t *adopt_tip(const json_t *place, const char *tip, host_error *error)
{
    char ref[GIT_NAME_SIZE];
    char *base = git_line(place, GIT_PROJECT, error, "merge-base", "HEAD", tip, NULL);
    char *tree = base ? tree_of(place, tip, error) : NULL, *into = git_find_branch(place);
    char *title =
        git_line(place, GIT_PROJECT, NULL, "log", "-1", "--format=%s", tip, "--", NULL);
    json_t *change = NULL;

    git_branch_ref(place, ref);
    if (tree && into && git_run(place, GIT_PROJECT, error, "update-ref", ref, tip, NULL) == 0)
        change = json_pack("{s:s, s:s, s:s, s:s, s:[], s:s?}", "into", into, "base", base,
                           "commit", tip, "tree", tree, "files", "title", title);
    free(title);
    free(into);
    free(tree);
    free(base);
    return change;
}

json_t *host_worktree_adopt(const char *project, const char *worktrees, const char *id,
                            json_t **change, host_error *error)
{
    char name[GIT_NAME_SIZE], path[PATH_MAX];
    json_t *place = json_pack("{s:s, s:s}", "kind", "worktree", "project", project);
    char *prefix = place ? find_prefix(place) : NULL, *tip = NULL;

    *change = NULL;
    if (prefix && host_folder_make(worktrees, error) == 0 && realpath(worktrees, path)) {
        make_name(id, name);
        set_name(place, path, name, prefix);
        tip = find_branch_tip(place);
    }
    if (tip)
        *change = adopt_tip(place, tip, error);
    free(tip);
    free(prefix);
    if (*change)
        return place;
    json_decref(place);
    return NULL;
}
