#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "durable.h"
#include "shared/files.h"
#include "shared/worktree.h"
#include "tree.h"
#include "workspace_parts.h"

enum { MOST_BYTES = 1 << 20, MOST_TRIES = 5 };

static const char folder[] = "agentd/.worktrees";

/* ---- what is known ---- */

json_t *workspace_place(const place *at)
{
    return json_object_get(at->work, "place");
}

json_t *workspace_change(const place *at)
{
    return json_object_get(at->work, "change");
}

int workspace_is_own(const place *at)
{
    return at->work && !host_worktree_is_shared(workspace_place(at));
}

int workspace_is_copy(const place *at)
{
    return strcmp(git_text_of(workspace_place(at), "kind"), "copy") == 0;
}

const char *workspace_root(const place *at)
{
    return workspace_is_own(at) ? host_worktree_folder(workspace_place(at)) : at->in.root;
}

const char *workspace_base(const place *at)
{
    return git_text_of(workspace_change(at), "base");
}

/* ---- its file ---- */

static char *file_path(const place *at, const char *id, host_error *error)
{
    char below[CHANGE_ID_MOST + 64];

    (void)snprintf(below, sizeof below, "%s/%s.json", folder, id);
    return project_path(&at->in, below, error);
}

int workspace_keep(const place *at, const char *id, host_error *error)
{
    char *path = file_path(at, id, error);
    char *text = path ? json_dumps(at->work, JSON_COMPACT) : NULL;
    int done = -1;

    if (text)
        done = durable_write(path, text, strlen(text), error);
    else if (path)
        (void)host_fail(error, "out of memory");
    free(text);
    free(path);
    return done;
}

int workspace_read(place *at, const char *id, host_error *error)
{
    char *path = file_path(at, id, error), *text = NULL;
    size_t length;
    int done = path ? 0 : -1;

    json_decref(at->work);
    at->work = NULL;
    if (path && access(path, F_OK) == 0) {
        done = host_file_read(path, MOST_BYTES, &text, &length, error);
        if (done == 0)
            at->work = json_loadb(text, length, 0, NULL);
        if (done == 0 && !json_is_object(workspace_place(at)))
            done = host_fail(error, "%s: expected what agentd has written there", path);
        if (done == 0)
            done = host_worktree_moved(workspace_place(at), at->in.root, error);
    }
    free(text);
    free(path);
    return done;
}

/* ---- deciding where ---- */

/* What builds and programs leave is not copied; the configuration may say otherwise. */
static const char *const products[] = {"__pycache__", "target", "build", "*.o",
                                       "*.pyc",       "*.log",  NULL};

static json_t *plan_new(const place *at, const char *id, const char *worktrees,
                        host_error *error)
{
    const char *const none[] = {NULL};
    json_t *made;

    if (at->config.is_shared)
        return host_worktree_shared(at->in.root);
    made = host_worktree_plan(at->in.root, worktrees, id, none, error);
    if (made && host_worktree_spare(made, "agentd",
                                    at->config.ignored ? at->config.ignored : products) != 0) {
        (void)host_fail(error, "out of memory");
        json_decref(made);
        made = NULL;
    }
    return made;
}

/* *change: of the branch that is there. */
static json_t *plan_late(const place *at, const char *id, const char *worktrees,
                         json_t **change, host_error *error)
{
    const char *const none[] = {NULL};
    json_t *made = host_worktree_adopt(at->in.root, worktrees, id, change, error);

    if (made && host_worktree_spare(made, "agentd", none) == 0)
        return made;
    json_decref(made);
    return *error->message ? NULL : host_worktree_shared(at->in.root);
}

/* With its commit, the verdict about the files can be told to be about them. */
static int bind_adopted(const place *at, const char *id, host_error *error)
{
    char digest[WFSM_DIGEST_SIZE];
    json_t *list;
    int done = host_worktree_make(workspace_place(at), error);

    list = done == 0 ? tree_read(at, error) : NULL;
    done = list ? tree_digest(list, digest, error) : -1;
    json_decref(list);
    if (done == 0)
        json_object_set_new(at->work, "tree", json_string(digest));
    return done == 0 ? workspace_keep(at, id, error) : -1;
}

static int decide(place *at, const char *id, const char *title, int begins,
                  const char *worktrees, host_error *error)
{
    json_t *change = NULL, *made, *known;

    *error->message = '\0';
    made = begins ? plan_new(at, id, worktrees, error)
                  : plan_late(at, id, worktrees, &change, error);
    if (!made)
        return -1;
    known = json_incref(json_object_get(change, "title"));
    at->work =
        json_pack("{s:o, s:o?, s:o, s:n}", "place", made, "change", change, "title",
                  json_is_string(known) ? known : json_sprintf("%s: %s", id, title), "tree");
    if (!at->work)
        return host_fail(error, "out of memory");
    return change ? bind_adopted(at, id, error) : workspace_keep(at, id, error);
}

/* The folder is nothing of the project's; whatever its own .gitignore says. */
static int make_folder(const char *worktrees, host_error *error)
{
    static const char all[] = "*\n";
    char *ignore = host_path_join(worktrees, ".gitignore");
    int done = ignore ? durable_folder(worktrees, error) : host_fail(error, "out of memory");

    if (done == 0 && access(ignore, F_OK) != 0)
        done = durable_write(ignore, all, sizeof all - 1, error);
    free(ignore);
    return done;
}

/* Two commands at once must not decide differently. */
static int lock(const char *worktrees, host_error *error)
{
    char *path = host_path_join(worktrees, ".lock");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;

    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        (void)host_fail(error, "%s: %s", path ? path : worktrees, strerror(errno));
    free(path);
    return fd;
}

int workspace_open(place *at, const char *id, const char *title, int begins, host_error *error)
{
    char *worktrees = project_path(&at->in, folder, error);
    int fd = worktrees && make_folder(worktrees, error) == 0 ? lock(worktrees, error) : -1;
    int done = fd >= 0 ? workspace_read(at, id, error) : -1;

    if (done == 0 && !at->work)
        done = decide(at, id, title, begins, worktrees, error);
    if (fd >= 0)
        (void)close(fd);
    free(worktrees);
    return done;
}

/* ---- the files ---- */

int workspace_set_change(const place *at, json_t *change)
{
    return change && json_object_set_new(at->work, "change", change) == 0 ? 0 : -1;
}

int workspace_make(const place *at, const char *id, host_error *error)
{
    if (!workspace_is_own(at))
        return 0;
    if (json_is_object(workspace_change(at)))
        return host_worktree_make(workspace_place(at), error);
    if (workspace_set_change(at, host_worktree_prepare(workspace_place(at), NULL, error)) != 0)
        return -1;
    return workspace_keep(at, id, error);
}

int workspace_record(const place *at, host_error *error)
{
    json_t *made = host_worktree_record(workspace_place(at), workspace_change(at),
                                        git_text_of(at->work, "title"), error);

    return workspace_set_change(at, made);
}

/* The commit is the one of the list if it was the same before and after the list was made. */
static int bind_once(const place *at, const char *id, char *digest, int *same,
                     host_error *error)
{
    char *before;
    int done = workspace_record(at, error);

    before = done == 0 ? strdup(git_text_of(workspace_change(at), "tree")) : NULL;
    if (done == 0)
        done = tree_keep(at, id, TREE_TESTED, digest, error);
    if (done == 0)
        done = workspace_record(at, error);
    *same =
        done == 0 && before && strcmp(before, git_text_of(workspace_change(at), "tree")) == 0;
    free(before);
    return done;
}

int workspace_bind(const place *at, const char *id, char *digest, host_error *error)
{
    int done = 0, same = 0, tries;

    if (!workspace_is_own(at))
        return tree_keep(at, id, TREE_TESTED, digest, error);
    for (tries = 0; done == 0 && !same && tries < MOST_TRIES; tries++)
        done = bind_once(at, id, digest, &same, error);
    if (done == 0 && !same)
        done = host_fail(error, "%s: somebody writes there all the time", workspace_root(at));
    if (done == 0 && json_object_set_new(at->work, "tree", json_string(digest)) != 0)
        done = host_fail(error, "out of memory");
    if (done == 0)
        done = workspace_name_bound(at, digest, error);
    return done == 0 ? workspace_keep(at, id, error) : -1;
}

int workspace_restore(const place *at, host_error *error)
{
    json_t *same;

    if (!workspace_is_own(at))
        return 0;
    same = host_worktree_prepare(workspace_place(at), workspace_change(at), error);
    json_decref(same);
    return same ? 0 : -1;
}

/* ---- into the project ---- */

static json_t *problem(const char *kind, const char *message, const char *item)
{
    return json_pack("{s:s, s:s, s:o}", "kind", kind, "message", message, "items",
                     *item ? json_pack("[s]", item) : json_array());
}

/* Kept last: a process that is killed before that merges again. */
static json_t *take_merged(const place *at, const char *id, const json_t *landed,
                           host_error *error)
{
    static const char told[] = "it is tested and reviewed again by `agentd impl --review`";
    json_t *merged = json_incref(json_object_get(landed, "change"));
    json_t *same = host_worktree_prepare(workspace_place(at), merged, error);
    int done = same && workspace_set_change(at, merged) == 0 &&
               json_object_set_new(at->work, "tree", json_null()) == 0 &&
               workspace_keep(at, id, error) == 0;

    if (!same)
        json_decref(merged);
    json_decref(same);
    return done ? problem("merged", git_text_of(landed, "message"), told) : NULL;
}

static json_t *take_landed(const place *at, const char *id, const json_t *landed, int *failed,
                           host_error *error)
{
    const char *status = git_text_of(landed, "status");
    json_t *made = NULL;

    if (strcmp(status, "landed") == 0)
        return NULL;
    if (strcmp(status, "left") == 0)
        made = problem("left", git_text_of(landed, "message"), git_text_of(landed, "command"));
    else
        made = take_merged(at, id, landed, error);
    *failed = !made;
    return made;
}

json_t *workspace_land(const place *at, const char *id, const char *tree, int *failed,
                       host_error *error)
{
    json_t *landed, *made;

    *failed = 0;
    if (!workspace_is_own(at))
        return NULL;
    if (strcmp(git_text_of(at->work, "tree"), tree) != 0)
        return problem("moved", "its commit is not the one that was tested and reviewed", "");
    landed = host_worktree_land(workspace_place(at), workspace_change(at),
                                git_text_of(at->work, "title"), error);
    *failed = !landed;
    made = landed ? take_landed(at, id, landed, failed, error) : NULL;
    json_decref(landed);
    return made;
}

int workspace_remove(const place *at, const char *id, host_error *error)
{
    char *path;
    int done = workspace_is_own(at) ? host_worktree_remove(workspace_place(at), 0, error) : 0;

    if (done != 0 || !at->work)
        return done;
    path = file_path(at, id, error);
    done = path ? durable_remove(path, error) : -1;
    free(path);
    return done;
}
