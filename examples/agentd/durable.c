#include "durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Repeats after interruptions and short writes. -1 and errno. */
static int write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, data, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        data += done;
        length -= (size_t)done;
    }
    return 0;
}

static int fail(host_error *error, const char *path)
{
    return host_fail(error, "%s: %s", path, strerror(errno));
}

/* The folder that a path is in; malloc'ed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static int sync_folder(const char *folder, host_error *error)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = 0;

    if (fd < 0)
        return fail(error, folder);
    /* EINVAL: a file system that cannot sync a folder. */
    if (fsync(fd) != 0 && errno != EINVAL)
        status = fail(error, folder);
    (void)close(fd);
    return status;
}

static int sync_folder_of(const char *path, host_error *error)
{
    char *folder = folder_of(path);
    int status = folder ? sync_folder(folder, error) : host_fail(error, "out of memory");

    free(folder);
    return status;
}

static char *fresh_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, room = strlen(path) + 8;
    char *name = malloc(room);

    if (name)
        (void)snprintf(name, room, "%.*s.%s.new", (int)folder, path, path + folder);
    return name;
}

static int write_synced(const char *path, const char *data, size_t length)
{
    int fd, status;

    /* A killed host may have left it there. */
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    status = write_all(fd, data, length);
    if (status == 0)
        status = fsync(fd);
    if (close(fd) != 0)
        status = -1;
    return status;
}

int durable_write(const char *path, const char *data, size_t length, host_error *error)
{
    char *fresh = fresh_name(path);
    int status;

    if (!fresh)
        return host_fail(error, "%s: out of memory", path);
    status = write_synced(fresh, data, length);
    if (status == 0)
        status = rename(fresh, path);
    if (status != 0) {
        (void)fail(error, path);
        (void)unlink(fresh);
    }
    free(fresh);
    return status == 0 ? sync_folder_of(path, error) : -1;
}

int durable_rename(const char *from, const char *to, host_error *error)
{
    struct stat found;

    if (lstat(to, &found) == 0)
        return host_fail(error, "%s: exists already", to);
    if (errno != ENOENT)
        return fail(error, to);
    if (rename(from, to) != 0)
        return host_fail(error, "%s: cannot be moved to %s: %s", from, to, strerror(errno));
    if (sync_folder_of(to, error) != 0)
        return -1;
    return sync_folder_of(from, error);
}

int durable_remove(const char *path, host_error *error)
{
    if (unlink(path) != 0)
        return errno == ENOENT ? 0 : fail(error, path);
    return sync_folder_of(path, error);
}

static int make_one(const char *path, host_error *error)
{
    struct stat found;

    if (mkdir(path, 0777) == 0)
        return sync_folder_of(path, error);
    if (errno != EEXIST)
        return fail(error, path);
    if (stat(path, &found) != 0)
        return fail(error, path);
    return S_ISDIR(found.st_mode) ? 0 : host_fail(error, "%s: not a folder", path);
}

int durable_folder(const char *path, host_error *error)
{
    char *above = folder_of(path);
    struct stat found;
    int status = 0;

    if (!above)
        return host_fail(error, "%s: out of memory", path);
    if (stat(above, &found) != 0 && errno == ENOENT && strcmp(above, path) != 0)
        status = durable_folder(above, error);
    free(above);
    return status == 0 ? make_one(path, error) : -1;
}
