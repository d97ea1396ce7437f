#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until `room` bytes are there or the file ends. */
static ssize_t read_all(int fd, char *data, size_t room)
{
    size_t length = 0;

    while (length < room) {
        ssize_t got = read(fd, data + length, room - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

static int read_open_file(int fd, const char *path, size_t limit, char **data, size_t *length,
                          host_error *error)
{
    struct stat status;
    ssize_t got;

    if (fstat(fd, &status) != 0)
        return host_fail(error, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return host_fail(error, "%s: not a regular file", path);
    if ((uintmax_t)status.st_size > limit)
        return host_fail(error, "%s: %ju bytes are more than the %zu allowed", path,
                         (uintmax_t)status.st_size, limit);
    *data = malloc((size_t)status.st_size + 1);
    if (!*data)
        return host_fail(error, "out of memory");
    got = read_all(fd, *data, (size_t)status.st_size);
    if (got < 0) {
        free(*data);
        *data = NULL;
        return host_fail(error, "%s: %s", path, strerror(errno));
    }
    (*data)[got] = '\0';
    *length = (size_t)got;
    return 0;
}

int host_file_read(const char *path, size_t limit, char **data, size_t *length,
                   host_error *error)
{
    /* O_NONBLOCK: a named pipe in a file's place must not hang the host. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int status;

    *data = NULL;
    *length = 0;
    if (fd < 0)
        return host_fail(error, "%s: %s", path, strerror(errno));
    status = read_open_file(fd, path, limit, data, length, error);
    close(fd);
    return status;
}

static int write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, data, length);
        if (put < 0 && errno != EINTR)
            return -1;
        if (put > 0) {
            data += put;
            length -= (size_t)put;
        }
    }
    return 0;
}

int host_file_write(const char *path, const char *data, size_t length, int how,
                    host_error *error)
{
    const int flags[] = {O_TRUNC, O_EXCL, O_APPEND};
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags[how], 0666);
    int failed = fd < 0 || write_all(fd, data, length) != 0, why = errno;

    if (fd >= 0 && close(fd) != 0 && !failed) {
        failed = 1;
        why = errno;
    }
    return failed ? host_fail(error, "%s: %s", path, strerror(why)) : 0;
}

static int make_one_folder(const char *path, host_error *error)
{
    struct stat status;

    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return 0;
    return host_fail(error, "%s: %s", path, errno == EEXIST ? "not a folder" : strerror(errno));
}

int host_folder_make(const char *path, host_error *error)
{
    char *part = strdup(path);
    char *slash = part;
    int status = 0;

    if (!part)
        return host_fail(error, "out of memory");
    while (status == 0 && *slash && (slash = strchr(slash + 1, '/'))) {
        *slash = '\0';
        status = make_one_folder(part, error);
        *slash = '/';
    }
    if (status == 0)
        status = make_one_folder(path, error);
    free(part);
    return status;
}

char *host_path_join(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);

    if (path)
        (void)snprintf(path, room, "%s/%s", folder, name);
    return path;
}
