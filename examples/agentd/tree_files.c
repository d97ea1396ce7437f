#include "tree_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/program.h"
#include "shared/files.h"
#include "workspace.h"

enum { MOST_FILES = 200000, MOST_DEPTH = 100, MOST_BYTES = 256 * 1024 * 1024 };

typedef struct search {
    const place *at;
    const char *const *ignored; /* ends with NULL */
    json_t *paths;
    host_error *error;
} search;

/* ---- what does not count ---- */

static const char *const none[] = {NULL};
/* Without git: hidden files, and what builds and programs leave. */
static const char *const products[] = {".*",  "__pycache__", "node_modules", "target", "build",
                                       "*.o", "*.pyc",       "*.log",        NULL};

static int matches(const search *in, const char *name)
{
    const char *const *pattern;

    for (pattern = in->ignored; *pattern; pattern++)
        if (fnmatch(*pattern, name, 0) == 0)
            return 1;
    return 0;
}

static int has_ignored_part(const search *in, const char *path)
{
    char name[256];
    size_t length;

    for (; *path; path += length + (path[length] == '/')) {
        length = strcspn(path, "/");
        if (length >= sizeof name)
            continue;
        memcpy(name, path, length);
        name[length] = '\0';
        if (strcmp(name, ".git") == 0 || matches(in, name))
            return 1;
    }
    return 0;
}

static int is_ignored(const search *in, const char *path)
{
    static const char own[] = "agentd";

    if (strncmp(path, own, sizeof own - 1) == 0 &&
        (path[sizeof own - 1] == '/' || path[sizeof own - 1] == '\0'))
        return 1;
    return matches(in, path) || has_ignored_part(in, path);
}

static int add(search *in, const char *path)
{
    if (is_ignored(in, path))
        return 0;
    if (json_object_size(in->paths) == MOST_FILES)
        return host_fail(in->error,
                         "the project has more than %d files; [checks] ignore in "
                         "agentd/config.toml names those that do not count",
                         (int)MOST_FILES);
    if (json_object_set_new(in->paths, path, json_null()) == 0)
        return 0;
    return host_fail(in->error,
                     "a file of the project: its name is not UTF-8, or out of memory; [checks] "
                     "ignore in agentd/config.toml names files that do not count");
}

/* ---- by git ---- */

static int add_lines(search *in, const char *text, size_t length)
{
    const char *end = text + length;

    for (; text < end; text += strlen(text) + 1)
        if (add(in, text) != 0)
            return -1;
    return 0;
}

/* 1: git has named them; 0: it is not there, or knows nothing of this folder. */
static int ask_git(search *in)
{
    const char *words[] = {"git",
                           "-c",
                           "core.fsmonitor=false",
                           "-C",
                           workspace_root(in->at),
                           "ls-files",
                           "-z",
                           "--cached",
                           "--others",
                           "--exclude-standard",
                           NULL};
    char *text;
    size_t length;
    int done;

    if (workspace_is_copy(in->at) || program_read(words, MOST_BYTES, &text, &length, NULL) != 0)
        return 0;
    done = add_lines(in, text, length);
    free(text);
    return done != 0 ? -1 : json_object_size(in->paths) > 0;
}

/* ---- by looking ---- */

static int add_folder(search *in, const char *below, int depth);

static int add_entry(search *in, const char *path, int depth)
{
    char *full = host_path_join(workspace_root(in->at), path);
    struct stat found;
    int done = full ? lstat(full, &found) : host_fail(in->error, "out of memory");

    free(full);
    if (done != 0 || is_ignored(in, path))
        return full ? 0 : -1; /* it may be gone already */
    if (S_ISDIR(found.st_mode))
        return depth < MOST_DEPTH ? add_folder(in, path, depth + 1)
                                  : host_fail(in->error, "%s: folders are too deep", path);
    return S_ISREG(found.st_mode) || S_ISLNK(found.st_mode) ? add(in, path) : 0;
}

static int add_named(search *in, const char *below, const char *name, int depth)
{
    char *path;
    int done;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    path = *below ? host_path_join(below, name) : strdup(name);
    done = path ? add_entry(in, path, depth) : host_fail(in->error, "out of memory");
    free(path);
    return done;
}

static int add_folder(search *in, const char *below, int depth)
{
    char *path =
        *below ? host_path_join(workspace_root(in->at), below) : strdup(workspace_root(in->at));
    DIR *folder = path ? opendir(path) : NULL;
    const struct dirent *entry;
    int done = 0;

    if (!folder)
        done = host_fail(in->error, "%s: %s", *below ? below : ".", strerror(errno));
    while (done == 0 && (entry = readdir(folder)))
        done = add_named(in, below, entry->d_name, depth);
    if (folder)
        (void)closedir(folder);
    free(path);
    return done;
}

json_t *tree_paths(const place *at, host_error *error)
{
    const char *const *named = at->config.ignored;
    search in = {at, named ? named : none, json_object(), error};
    int found = in.paths ? ask_git(&in) : host_fail(error, "out of memory");

    if (found == 0) {
        in.ignored = named ? named : products;
        found = add_folder(&in, "", 0);
    }
    if (found >= 0)
        return in.paths;
    json_decref(in.paths);
    return NULL;
}
