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

/* O_NOFOLLOW fails with ELOOP, which strerror() explains as "too many levels". */
static int file_failed(const char *path, wfa_error *error)
{
    if (errno == ELOOP)
        return wfa_fail_as(error, WFSM_IO,
                           "%s: there is a symbolic link, which is not followed", path);
    return wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
}

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

static int read_file(const char *path, int flags, size_t limit, char **data, size_t *length,
                     wfa_error *error)
{
    /* O_NONBLOCK: a named pipe in a file's place must not hang the host. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    int status;

    *data = NULL;
    *length = 0;
    if (fd < 0)
        return file_failed(path, error);
    status = read_open_file(fd, path, limit, data, length, error);
    close(fd);
    return status;
}

int wfa_file_read(const char *path, size_t limit, char **data, size_t *length, wfa_error *error)
{
    return read_file(path, 0, limit, data, length, error);
}

int wfa_file_read_own(const char *path, size_t limit, char **data, size_t *length,
                      wfa_error *error)
{
    return read_file(path, O_NOFOLLOW, limit, data, length, error);
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

/* Somebody has put a link there on purpose. */
static int refuse_link(const char *path, wfa_error *error)
{
    struct stat status;

    if (lstat(path, &status) != 0)
        return errno == ENOENT ? 0 : file_failed(path, error);
    errno = ELOOP;
    return S_ISLNK(status.st_mode) ? file_failed(path, error) : 0;
}

int wfa_file_remove_own(const char *path, wfa_error *error)
{
    if (refuse_link(path, error) != 0)
        return -1;
    return unlink(path) == 0 || errno == ENOENT ? 0 : file_failed(path, error);
}

int wfa_file_make(const char *path, int flags, wfa_error *error)
{
    int fd;

    if (wfa_file_remove_own(path, error) != 0)
        return -1;
    fd = open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? file_failed(path, error) : fd;
}

int wfa_file_open_own(const char *path, int flags, wfa_error *error)
{
    int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? file_failed(path, error) : fd;
}

static int fill_file(int fd, const char *path, const char *data, size_t length,
                     wfa_error *error)
{
    int status = wfa_write_all(fd, data, length);

    /* close() reports what some file systems found out too late for write(). */
    if (close(fd) != 0)
        status = -1;
    return status == 0 ? 0 : file_failed(path, error);
}

static int write_and_rename(const char *fresh, const char *path, const char *data,
                            size_t length, wfa_error *error)
{
    int fd = wfa_file_make(fresh, O_WRONLY, error);

    if (fd < 0)
        return -1;
    if (fill_file(fd, path, data, length, error) == 0 && refuse_link(path, error) == 0 &&
        (rename(fresh, path) == 0 || file_failed(path, error) == 0))
        return 0;
    (void)unlink(fresh);
    return -1;
}

int wfa_file_write(const char *path, const char *data, size_t length, wfa_error *error)
{
    size_t room = strlen(path) + sizeof ".new";
    char *fresh = malloc(room);
    int status;

    if (!fresh)
        return wfa_no_memory(error);
    (void)snprintf(fresh, room, "%s.new", path);
    status = write_and_rename(fresh, path, data, length, error);
    free(fresh);
    return status;
}

/* ---- folders ---- */

static int make_one_folder(const char *path, mode_t mode, wfa_error *error)
{
    struct stat status;

    if (mkdir(path, mode) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return 0;
    return wfa_fail_as(error, WFSM_IO, "%s: %s", path,
                       errno == EEXIST ? "not a folder" : strerror(errno));
}

static int make_folders(char *path, wfa_error *error)
{
    char *slash = path;
    int status = 0;

    while (status == 0 && *slash && (slash = strchr(slash + 1, '/'))) {
        *slash = '\0';
        status = make_one_folder(path, 0777, error);
        *slash = '/';
    }
    return status == 0 ? make_one_folder(path, 0700, error) : -1;
}

/* Without slashes at its end, behind which lstat() would follow a link. */
static char *copy_of_path(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

static int check_folder(const char *path, wfa_error *error)
{
    struct stat status;

    if (lstat(path, &status) != 0)
        return file_failed(path, error);
    if (S_ISLNK(status.st_mode))
        errno = ELOOP;
    else if (!S_ISDIR(status.st_mode))
        errno = ENOTDIR;
    else if (status.st_uid != geteuid())
        return wfa_fail_as(error, WFSM_IO, "%s: the folder belongs to somebody else", path);
    else if (status.st_mode & (S_IWGRP | S_IWOTH))
        return wfa_fail_as(error, WFSM_IO, "%s: others may write to the folder (chmod go-w)",
                           path);
    else
        return 0;
    return file_failed(path, error);
}

int wfa_folder_make_own(const char *path, wfa_error *error)
{
    char *copy = copy_of_path(path);
    int status;

    if (!copy)
        return wfa_no_memory(error);
    status = make_folders(copy, error);
    if (status == 0)
        status = check_folder(copy, error);
    free(copy);
    return status;
}

int wfa_folder_check_of(const char *path, wfa_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    int status;

    if (!folder)
        return wfa_no_memory(error);
    status = check_folder(folder, error);
    free(folder);
    return status;
}

/* ---- names ---- */

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
