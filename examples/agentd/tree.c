#include "tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"
#include "shared/program.h"
#include "shared/files.h"
#include "tree_files.h"
#include "workspace.h"

/* A larger file counts with its size and time. */
enum { MOST_BYTES = 64 * 1024 * 1024, MOST_LIST = 256 * 1024 * 1024, MOST_NAMED = 50 };

/* ---- one file ---- */

static json_t *of_bytes(const char *kind, const char *bytes, size_t length)
{
    char digest[WFSM_DIGEST_SIZE];

    (void)wfsm_digest(bytes, length, digest);
    return json_sprintf("%s %s", kind, digest);
}

static json_t *of_link(const char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target);

    return length < 0 ? json_string("gone") : of_bytes("link", target, (size_t)length);
}

static json_t *of_large(const struct stat *found)
{
    return json_sprintf("large %lld %lld", (long long)found->st_size,
                        (long long)found->st_mtime);
}

static json_t *of_file(const char *path, const struct stat *found, host_error *error)
{
    char *data;
    size_t length;
    json_t *is;

    if (found->st_size > MOST_BYTES)
        return of_large(found);
    if (host_file_read(path, MOST_BYTES, &data, &length, error) != 0)
        return NULL;
    is = of_bytes(found->st_mode & S_IXUSR ? "program" : "file", data, length);
    free(data);
    return is;
}

/* NULL without an error if it does not count: it is gone, or a folder. */
static json_t *look_at(const place *at, const char *path, int *failed, host_error *error)
{
    char *full = host_path_join(workspace_root(at), path);
    struct stat found;
    json_t *is = NULL;

    *failed = 0;
    if (!full) {
        *failed = host_fail(error, "out of memory");
    } else if (lstat(full, &found) != 0) {
        *failed = errno == ENOENT || errno == ENOTDIR
                      ? 0
                      : host_fail(error, "%s: %s", path, strerror(errno));
    } else if (S_ISLNK(found.st_mode)) {
        is = of_link(full);
    } else if (S_ISREG(found.st_mode)) {
        is = of_file(full, &found, error);
        *failed = is ? 0 : -1;
    }
    free(full);
    return is;
}

/* ---- all ---- */

json_t *tree_read(const place *at, host_error *error)
{
    json_t *paths = tree_paths(at, error), *list = paths ? json_object() : NULL, *value, *is;
    const char *path;
    int failed = paths ? 0 : -1;

    json_object_foreach(paths, path, value)
    {
        is = failed ? NULL : look_at(at, path, &failed, error);
        if (is && json_object_set_new(list, path, is) != 0)
            failed = host_fail(error, "out of memory");
    }
    json_decref(paths);
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

static char *write_list(const json_t *list)
{
    return json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS);
}

int tree_digest(const json_t *list, char *digest, host_error *error)
{
    char *text = write_list(list);

    if (!text)
        return host_fail(error, "out of memory");
    (void)wfsm_digest(text, strlen(text), digest);
    free(text);
    return 0;
}

/* ---- kept ---- */

static char *list_path(const place *at, const char *id, tree_list which, host_error *error)
{
    char below[CHANGE_ID_MOST + 64];

    (void)snprintf(below, sizeof below, "agentd/.state/trees/%s.%s.json", id,
                   which == TREE_TESTED ? "tested" : "before");
    return project_path(&at->in, below, error);
}

static int make_folder(const place *at, host_error *error)
{
    char *path = project_path(&at->in, "agentd/.state/trees", error);
    int done = path ? durable_folder(path, error) : -1;

    free(path);
    return done;
}

static int write_kept(const place *at, const char *id, tree_list which, const json_t *list,
                      host_error *error)
{
    char *path = make_folder(at, error) == 0 ? list_path(at, id, which, error) : NULL;
    char *text = path ? write_list(list) : NULL;
    int done = -1;

    if (text)
        done = durable_write(path, text, strlen(text), error);
    else if (path)
        (void)host_fail(error, "out of memory");
    free(text);
    free(path);
    return done;
}

int tree_keep(const place *at, const char *id, tree_list which, char *digest, host_error *error)
{
    json_t *list = tree_read(at, error);
    int done = list ? tree_digest(list, digest, error) : -1;

    if (done == 0)
        done = write_kept(at, id, which, list, error);
    json_decref(list);
    return done;
}

json_t *tree_kept(const place *at, const char *id, tree_list which)
{
    char *path = list_path(at, id, which, NULL), *text = NULL;
    json_t *list = NULL;
    size_t length;

    if (path && host_file_read(path, MOST_LIST, &text, &length, NULL) == 0)
        list = json_loadb(text, length, 0, NULL);
    free(text);
    free(path);
    return list;
}

void tree_forget(const place *at, const char *id)
{
    char *tested = list_path(at, id, TREE_TESTED, NULL);
    char *before = list_path(at, id, TREE_BEFORE, NULL);

    if (tested)
        (void)unlink(tested);
    if (before)
        (void)unlink(before);
    free(tested);
    free(before);
}

/* ---- comparing ---- */

static int has_digest(const json_t *list, const char *digest)
{
    char found[WFSM_DIGEST_SIZE];

    return list && tree_digest(list, found, NULL) == 0 && strcmp(found, digest) == 0;
}

static json_t *compare(const json_t *then, const json_t *now)
{
    json_t *moved = json_array(), *is;
    const char *path;
    int added = moved ? 0 : -1;

    json_object_foreach((json_t *)then, path, is)
    {
        if (added == 0 && json_array_size(moved) < MOST_NAMED &&
            !json_equal(is, json_object_get(now, path)))
            added = json_array_append_new(moved, json_string(path));
    }
    if (added == 0)
        return moved;
    json_decref(moved);
    return NULL;
}

json_t *tree_moved(const place *at, const char *id, const char *digest, host_error *error)
{
    json_t *now = tree_read(at, error), *then, *moved;

    if (!now)
        return NULL;
    then = tree_kept(at, id, TREE_TESTED);
    if (has_digest(then, digest))
        moved = compare(then, now);
    else if (has_digest(now, digest))
        moved = json_array();
    else
        moved = json_pack("[s]", "the project's files are not those that were reviewed");
    json_decref(then);
    json_decref(now);
    if (!moved)
        (void)host_fail(error, "out of memory");
    return moved;
}

char *tree_commit(const place *at)
{
    const char *words[] = {"git",      "-C", at->in.root, "rev-parse",
                           "--verify", "-q", "HEAD",      NULL};
    char *text;
    size_t length;

    if (program_read(words, 1000, &text, &length, NULL) != 0)
        return NULL;
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}
