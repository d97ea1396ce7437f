#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/invariant.h"

enum { NAME_LONGEST = 180 };

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
                          wfa_error *error)
{
    struct stat status;
    ssize_t got;

    if (fstat(fd, &status) != 0)
        return wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return wfa_fail_as(error, WFSM_IO, "%s: not a regular file", path);
    if ((uintmax_t)status.st_size > limit)
        return wfa_fail_as(error, WFSM_LIMIT, "%s: %ju bytes are more than the %zu allowed",
                           path, (uintmax_t)status.st_size, limit);
    *data = malloc((size_t)status.st_size + 1);
    if (!*data)
        return wfa_no_memory(error);
    got = read_all(fd, *data, (size_t)status.st_size);
    if (got < 0) {
        free(*data);
        *data = NULL;
        return wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
    }
    (*data)[got] = '\0';
    *length = (size_t)got;
    return 0;
}

int wfa_file_read(const char *path, size_t limit, char **data, size_t *length, wfa_error *error)
{
    /* O_NONBLOCK: a named pipe in a file's place must not hang the host. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int status;

    *data = NULL;
    *length = 0;
    if (fd < 0)
        return wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
    status = read_open_file(fd, path, limit, data, length, error);
    close(fd);
    return status;
}

int wfa_write_all(int fd, const char *data, size_t length)
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

static int write_new_file(const char *path, const char *data, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int status;

    if (fd < 0)
        return -1;
    status = wfa_write_all(fd, data, length);
    /* close() reports what some file systems found out too late for write(). */
    if (close(fd) != 0)
        status = -1;
    return status;
}

int wfa_file_write(const char *path, const char *data, size_t length, wfa_error *error)
{
    size_t room = strlen(path) + sizeof ".new";
    char *fresh = malloc(room);
    int status;

    if (!fresh)
        return wfa_no_memory(error);
    (void)snprintf(fresh, room, "%s.new", path);
    status = write_new_file(fresh, data, length);
    if (status == 0)
        status = rename(fresh, path);
    if (status != 0) {
        wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
        unlink(fresh);
    }
    free(fresh);
    return status;
}

static int make_one_folder(const char *path, wfa_error *error)
{
    struct stat status;

    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return 0;
    return wfa_fail_as(error, WFSM_IO, "%s: %s", path,
                       errno == EEXIST ? "not a folder" : strerror(errno));
}

int wfa_folder_make(const char *path, wfa_error *error)
{
    char *part = strdup(path);
    char *slash = part;
    int status = 0;

    if (!part)
        return wfa_no_memory(error);
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

static int is_plain(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
}

/* FNV-1a distinguishes long ids. A collision among a host's own runs is of no use to an
 * attacker. */
static uint64_t digest(const char *text)
{
    uint64_t value = 14695981039346656037u;

    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value;
}

void wfa_file_name(const char *id, char name[WFA_FILE_NAME_SIZE])
{
    size_t length = 0;
    const char *at;

    for (at = id; *at && length < NAME_LONGEST; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '/')
            name[length++] = '+';
        else if (is_plain(byte) && !(byte == '.' && at == id))
            name[length++] = (char)byte;
        else
            length += (size_t)snprintf(name + length, 4, "%%%02X", byte);
    }
    WF_INVARIANT(length + sizeof "=0123456789abcdef" + sizeof ".12.out" <= WFA_FILE_NAME_SIZE);
    name[length] = '\0';
    if (*at)
        (void)snprintf(name + length, WFA_FILE_NAME_SIZE - length, "=%016jx",
                       (uintmax_t)digest(id));
}

char *wfa_path_join(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);

    if (path)
        (void)snprintf(path, room, "%s/%s", folder, name);
    return path;
}
