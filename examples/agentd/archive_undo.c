/* Undoes an archive, and removes its stage. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/base.h>

#include "archive_work.h"
#include "durable.h"
#include "shared/files.h"

enum { MOST_BYTES = 8 * 1024 * 1024 };

/* 1: the file is the one that was put there, 0: it is another one. */
static int is_ours(const archive_work *at, const json_t *spec)
{
    const char *expected = json_string_value(json_object_get(spec, "digest"));
    char *path = archive_path(at, ARCHIVE_SPECS, archive_spec_name(spec)), *text;
    char digest[WFSM_DIGEST_SIZE];
    size_t length;
    int is = -1;

    if (path && host_file_read(path, MOST_BYTES, &text, &length, at->error) == 0) {
        (void)wfsm_digest(text, length, digest);
        is = strcmp(digest, expected) == 0;
        free(text);
    }
    free(path);
    return is;
}

/* Takes the spec back from agentd/specs, unless a person has edited it there since. */
static int take_back(const archive_work *at, const json_t *spec)
{
    const char *name = archive_spec_name(spec);
    int there = archive_has(at, ARCHIVE_SPECS, name);
    int ours = there == 1 ? is_ours(at, spec) : there;

    if (there < 1 || ours < 0)
        return there < 0 || ours < 0 ? -1 : 0;
    if (!ours)
        return host_fail(at->error,
                         "agentd/specs/%s: was edited while the archive of %s was under way; "
                         "move it to another place, then archive again",
                         name, at->order->id);
    return archive_move(at, ARCHIVE_SPECS, ARCHIVE_STAGE_SPECS, name);
}

static int undo_spec(const archive_work *at, const json_t *spec)
{
    const char *name = archive_spec_name(spec);
    int staged = archive_has(at, ARCHIVE_STAGE_SPECS, name), old;

    if (staged < 0 || (staged == 0 && take_back(at, spec) != 0))
        return -1;
    old = archive_has(at, ARCHIVE_STAGE_OLD, name);
    if (old < 1)
        return old;
    return archive_move(at, ARCHIVE_STAGE_OLD, ARCHIVE_SPECS, name);
}

int archive_undo(archive_work *at)
{
    json_t *spec;
    size_t index;

    json_array_foreach(at->specs, index, spec) if (undo_spec(at, spec) != 0) return -1;
    return archive_clean(at);
}

/* ---- the end of the stage ---- */

static int fail(const archive_work *at, const char *path)
{
    return host_fail(at->error, "%s: %s", path, strerror(errno));
}

static int remove_in(const archive_work *at, const char *folder, const char *name)
{
    char *path = host_path_join(folder, name);
    int done = 0;

    if (!path)
        return host_fail(at->error, "out of memory");
    if (unlink(path) != 0 && errno != EISDIR && errno != ENOENT)
        done = fail(at, path);
    free(path);
    return done;
}

/* Removes a folder and its files. It must not contain a folder. */
static int remove_folder(const archive_work *at, const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int done = 0;

    if (!folder)
        return errno == ENOENT ? 0 : fail(at, path);
    for (errno = 0; done == 0 && (entry = readdir(folder)); errno = 0)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            done = remove_in(at, path, entry->d_name);
    if (done == 0 && errno != 0)
        done = fail(at, path);
    (void)closedir(folder);
    return done == 0 && rmdir(path) != 0 && errno != ENOENT ? fail(at, path) : done;
}

static int remove_part(const archive_work *at, archive_folder which)
{
    char *path = archive_path(at, which, NULL);
    int done = path ? remove_folder(at, path) : -1;

    free(path);
    return done;
}

/* Specs that were taken out of agentd/specs are never removed: a folder that has any stays. */
static int remove_old(const archive_work *at)
{
    char *path = archive_path(at, ARCHIVE_STAGE_OLD, NULL);
    int done = path ? 0 : -1;

    if (path && rmdir(path) != 0 && errno != ENOENT)
        done = fail(at, path);
    free(path);
    return done;
}

static int remove_above(const archive_work *at)
{
    char *path = project_path(at->order->in, "agentd/.archiving", at->error);
    int done = path ? 0 : -1;

    /* Another archive may have its stage there. */
    if (path && rmdir(path) != 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
        done = fail(at, path);
    free(path);
    return done;
}

int archive_clean(const archive_work *at)
{
    char *intent = archive_path(at, ARCHIVE_STAGE, "intent.json");
    int done = intent ? durable_remove(intent, at->error) : -1;

    free(intent);
    if (done != 0 || remove_part(at, ARCHIVE_STAGE_SPECS) != 0 || remove_old(at) != 0 ||
        remove_part(at, ARCHIVE_STAGE) != 0)
        return -1;
    return remove_above(at);
}
