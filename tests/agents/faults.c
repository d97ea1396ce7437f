#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    int armed;
    fault kind;
    long at, calls;
    pid_t process; /* that armed it */
} now;

void faults_arm(fault kind, long at)
{
    now.armed = 1;
    now.kind = kind;
    now.at = at;
    now.calls = 0;
    now.process = getpid();
}

long faults_disarm(void)
{
    now.armed = 0;
    return now.calls;
}

/* 0: the call proceeds; 1: this call fails, and errno is set. */
static int hit(int takes_room)
{
    if (!now.armed || now.kind == FAULT_SIGNAL ||
        (now.kind == FAULT_CHILD && getpid() == now.process))
        return 0;
    now.calls++;
    if (now.kind == FAULT_NONE || now.calls < now.at)
        return 0;
    if (now.kind == FAULT_FULL) {
        if (takes_room)
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

/* The same for a call that waits. */
static int hit_waiting(void)
{
    if (!now.armed || now.kind != FAULT_SIGNAL)
        return hit(0);
    errno = EINTR;
    return ++now.calls == now.at;
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

#define PASS_WAITING(result, name, parameters, arguments)                                      \
    result __real_##name parameters;                                                           \
    result __wrap_##name parameters;                                                           \
    result __wrap_##name parameters                                                            \
    {                                                                                          \
        return hit_waiting() ? -1 : __real_##name arguments;                                   \
    }

#define PASS_MEMORY(name, parameters, arguments)                                               \
    void *__real_##name parameters;                                                            \
    void *__wrap_##name parameters;                                                            \
    void *__wrap_##name parameters                                                             \
    {                                                                                          \
        return hit_memory() ? NULL : __real_##name arguments;                                  \
    }

PASS_WAITING(ssize_t, read, (int fd, void *bytes, size_t length), (fd, bytes, length))
PASS_WAITING(ssize_t, recv, (int fd, void *bytes, size_t length, int flags),
             (fd, bytes, length, flags))
PASS_WAITING(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags))
PASS_ON(int, -1, 0, waitid, (idtype_t type, id_t id, siginfo_t *found, int flags),
        (type, id, found, flags))
PASS_ON(ssize_t, -1, 0, send, (int fd, const void *bytes, size_t length, int flags),
        (fd, bytes, length, flags))
PASS_ON(pid_t, -1, 0, fork, (void), ())
PASS_ON(int, -1, 0, socketpair, (int domain, int type, int protocol, int pair[2]),
        (domain, type, protocol, pair))
PASS_ON(int, -1, 0, dup2, (int from, int to), (from, to))
PASS_ON(int, -1, 0, close_range, (unsigned first, unsigned last, int flags),
        (first, last, flags))
PASS_ON(int, -1, 0, chdir, (const char *path), (path))
PASS_ON(int, -1, 0, access, (const char *path, int mode), (path, mode))
PASS_ON(int, -1, 0, gethostname, (char *name, size_t size), (name, size))
PASS_ON(int, -1, 0, fseek, (FILE * file, long offset, int from), (file, offset, from))
PASS_ON(FILE *, NULL, 0, fopen, (const char *path, const char *mode), (path, mode))
PASS_ON(FILE *, NULL, 0, fopen64, (const char *path, const char *mode), (path, mode))
PASS_ON(int, -1, 0, rename, (const char *from, const char *to), (from, to))
PASS_ON(int, -1, 0, unlink, (const char *path), (path))
PASS_ON(int, -1, 0, rmdir, (const char *path), (path))
PASS_ON(int, -1, 1, mkdir, (const char *path, mode_t mode), (path, mode))
PASS_ON(int, -1, 0, stat, (const char *path, struct stat *found), (path, found))
PASS_ON(int, -1, 0, lstat, (const char *path, struct stat *found), (path, found))
PASS_ON(int, -1, 0, fstat, (int fd, struct stat *found), (fd, found))
PASS_ON(int, -1, 0, stat64, (const char *path, struct stat64 *found), (path, found))
PASS_ON(int, -1, 0, lstat64, (const char *path, struct stat64 *found), (path, found))
PASS_ON(int, -1, 0, fstat64, (int fd, struct stat64 *found), (fd, found))
PASS_ON(char *, NULL, 0, realpath, (const char *path, char *to), (path, to))
PASS_ON(DIR *, NULL, 0, opendir, (const char *path), (path))
PASS_ON(struct dirent *, NULL, 0, readdir, (DIR * folder), (folder))
PASS_ON(struct dirent64 *, NULL, 0, readdir64, (DIR * folder), (folder))
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
    if (now.kind == FAULT_SIGNAL ? hit_waiting() : hit(1))
        return -1;
    /* The last that still has room takes a part. */
    if (now.armed && now.kind == FAULT_FULL && now.calls + 1 == now.at && length > 1)
        length /= 2;
    return __real_write(fd, bytes, length);
}

/* Those with further arguments: of each the one that is used. */
#define PASS_OPEN(name)                                                                        \
    int __real_##name(const char *path, int flags, ...);                                       \
    int __wrap_##name(const char *path, int flags, ...);                                       \
    int __wrap_##name(const char *path, int flags, ...)                                        \
    {                                                                                          \
        va_list arguments;                                                                     \
        mode_t mode = 0;                                                                       \
                                                                                               \
        if (flags & O_CREAT) {                                                                 \
            va_start(arguments, flags);                                                        \
            mode = va_arg(arguments, mode_t);                                                  \
            va_end(arguments);                                                                 \
        }                                                                                      \
        return hit((flags & O_CREAT) != 0) ? -1 : __real_##name(path, flags, mode);            \
    }

PASS_OPEN(open)
PASS_OPEN(open64)

#define PASS_FCNTL(name)                                                                       \
    int __real_##name(int fd, int what, ...);                                                  \
    int __wrap_##name(int fd, int what, ...);                                                  \
    int __wrap_##name(int fd, int what, ...)                                                   \
    {                                                                                          \
        va_list arguments;                                                                     \
        int value;                                                                             \
                                                                                               \
        va_start(arguments, what);                                                             \
        value = va_arg(arguments, int);                                                        \
        va_end(arguments);                                                                     \
        return hit(0) ? -1 : __real_##name(fd, what, value);                                   \
    }

PASS_FCNTL(fcntl)
PASS_FCNTL(fcntl64)

/* pidfd_open(), which has no function in glibc 2.35 and before. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list arguments;
    long first, second;

    va_start(arguments, number);
    first = va_arg(arguments, long);
    second = va_arg(arguments, long);
    va_end(arguments);
    return hit(0) ? -1 : __real_syscall(number, first, second);
}

/* In a coverage build, what a child has counted would be lost. */
void __gcov_dump(void) __attribute__((weak));
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status)
{
    now.armed = 0;
    if (__gcov_dump)
        __gcov_dump();
    __real__exit(status);
}
