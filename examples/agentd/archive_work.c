#include "archive_work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "durable.h"

static const struct {
    const char *before, *behind; /* the id */
} folders[] = {
    [ARCHIVE_CHANGE] = {"agentd/changes/", ""},
    [ARCHIVE_CHANGE_SPECS] = {"agentd/changes/", "/specs"},
    [ARCHIVE_ABOVE] = {"agentd/archive", NULL},
    [ARCHIVE_TARGET] = {"agentd/archive/", ""},
    [ARCHIVE_KEPT] = {"agentd/archive/", "/replaced-specs"},
    [ARCHIVE_SPECS] = {"agentd/specs", NULL},
    [ARCHIVE_STAGE] = {"agentd/.archiving/", ""},
    [ARCHIVE_STAGE_SPECS] = {"agentd/.archiving/", "/specs"},
    [ARCHIVE_STAGE_OLD] = {"agentd/.archiving/", "/replaced"},
};

char *archive_path(const archive_work *at, archive_folder folder, const char *name)
{
    const char *behind = folders[folder].behind;
    size_t room = CHANGE_ID_MOST + 64 + (name ? strlen(name) : 0);
    char *below = malloc(room), *path;

    if (!below) {
        (void)host_fail(at->error, "out of memory");
        return NULL;
    }
    (void)snprintf(below, room, "%s%s%s%s%s", folders[folder].before,
                   behind ? at->order->id : "", behind ? behind : "", name ? "/" : "",
                   name ? name : "");
    path = project_path(at->order->in, below, at->error);
    free(below);
    return path;
}

int archive_has(const archive_work *at, archive_folder folder, const char *name)
{
    char *path = archive_path(at, folder, name);
    struct stat found;
    int is = 1;

    if (!path)
        return -1;
    if (lstat(path, &found) != 0)
        is = errno == ENOENT ? 0 : host_fail(at->error, "%s: %s", path, strerror(errno));
    free(path);
    return is;
}

int archive_move(const archive_work *at, archive_folder from, archive_folder to,
                 const char *name)
{
    char *old = archive_path(at, from, name);
    char *fresh = old ? archive_path(at, to, name) : NULL;
    int done = fresh ? durable_rename(old, fresh, at->error) : -1;

    free(old);
    free(fresh);
    return done;
}

int archive_make_folder(const archive_work *at, archive_folder folder)
{
    char *path = archive_path(at, folder, NULL);
    int done = path ? durable_folder(path, at->error) : -1;

    free(path);
    return done;
}

const char *archive_spec_name(const json_t *spec)
{
    return json_string_value(json_object_get(spec, "name"));
}
