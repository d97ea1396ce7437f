#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    int armed;
    fault kind;
    long at, calls;
} now;

void faults_arm(fault kind, long at)
{
    now.armed = 1;
    now.kind = kind;
    now.at = at;
    now.calls = 0;
}

long faults_disarm(void)
{
    now.armed = 0;
    return now.calls;
}

/* 0: the call proceeds; 1: this call fails, and errno is set. */
static int hit(int takes_room)
{
    if (!now.armed)
        return 0;
    now.calls++;
    if (now.kind == FAULT_NONE || now.calls < now.at)
        return 0;
    if (now.kind == FAULT_FULL) {
        errno = ENOSPC;
        return takes_room;
    }
    if (now.calls != now.at && now.kind != FAULT_BROKEN)
        return 0;
    if (now.kind == FAULT_DEATH)
        (void)raise(SIGKILL);
    errno = EIO;
    return 1;
}

static int hit_memory(void)
{
    int fails;

    if (now.armed && now.kind == FAULT_FULL)
        return 0;
    fails = hit(0);
    if (fails)
        errno = ENOMEM;
    return fails;
}

#define PASS_ON(result, failure, room, name, parameters, arguments)                            \
    result __real_##name parameters;                                                           \
    result __wrap_##name parameters;                                                           \
    result __wrap_##name parameters                                                            \
    {                                                                                          \
        return hit(room) ? (failure) : __real_##name arguments;                                \
    }

#define PASS_MEMORY(name, parameters, arguments)                                               \
    void *__real_##name parameters;                                                            \
    void *__wrap_##name parameters;                                                            \
    void *__wrap_##name parameters                                                             \
    {                                                                                          \
        return hit_memory() ? NULL : __real_##name arguments;                                  \
    }

PASS_ON(ssize_t, -1, 0, read, (int fd, void *bytes, size_t length), (fd, bytes, length))
PASS_ON(int, -1, 0, rename, (const char *from, const char *to), (from, to))
PASS_ON(int, -1, 0, unlink, (const char *path), (path))
PASS_ON(int, -1, 0, rmdir, (const char *path), (path))
PASS_ON(int, -1, 1, mkdir, (const char *path, mode_t mode), (path, mode))
PASS_ON(int, -1, 0, stat, (const char *path, struct stat *found), (path, found))
PASS_ON(int, -1, 0, lstat, (const char *path, struct stat *found), (path, found))
PASS_ON(int, -1, 0, fstat, (int fd, struct stat *found), (fd, found))
PASS_ON(char *, NULL, 0, realpath, (const char *path, char *to), (path, to))
PASS_ON(DIR *, NULL, 0, opendir, (const char *path), (path))
PASS_ON(struct dirent *, NULL, 0, readdir, (DIR * folder), (folder))
PASS_MEMORY(malloc, (size_t bytes), (bytes))
PASS_MEMORY(calloc, (size_t count, size_t bytes), (count, bytes))
PASS_MEMORY(realloc, (void *block, size_t bytes), (block, bytes))
PASS_ON(char *, NULL, 0, strdup, (const char *text), (text))
PASS_ON(char *, NULL, 0, strndup, (const char *text, size_t length), (text, length))

/* A file that was closed is closed, whatever close() says. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int fails = hit(0), why = errno, status = __real_close(fd);

    if (fails)
        errno = why;
    return fails ? -1 : status;
}

/* The machine does not lose its power here, so nothing need wait for the disk. */
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    (void)fd;
    return hit(0) ? -1 : 0;
}

ssize_t __real_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
    if (hit(1))
        return -1;
    /* The last that still has room takes a part. */
    if (now.armed && now.kind == FAULT_FULL && now.calls + 1 == now.at && length > 1)
        length /= 2;
    return __real_write(fd, bytes, length);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode = 0;

    if (flags & O_CREAT) {
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return hit((flags & O_CREAT) != 0) ? -1 : __real_open(path, flags, mode);
}
