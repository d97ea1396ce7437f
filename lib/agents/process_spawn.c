#include "process_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/invariant.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4u
#endif

enum { NEVER_RAN = 127 };

/* What the child could not do, told through the socket that exec would have closed. */
typedef struct {
    int folder; /* 1: enter the folder, 0: run the program */
    int number; /* errno */
} failure;

static void give_up(int line, int folder)
{
    failure report = {.folder = folder, .number = errno};

    (void)send(line, &report, sizeof report, MSG_NOSIGNAL);
    _exit(NEVER_RAN);
}

static void default_signals(void)
{
    struct sigaction action;
    sigset_t none;
    int number;

    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    for (number = 1; number < NSIG; number++)
        (void)sigaction(number, &action, NULL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Kernels before 5.11 do not know the flag. */
static void close_on_exec_from(unsigned first)
{
    long limit, fd;

    if (close_range(first, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    limit = sysconf(_SC_OPEN_MAX);
    if (limit < 0 || limit > 65536)
        limit = 65536;
    for (fd = (long)first; fd < limit; fd++)
        (void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

/* All four numbers are above 2, so no dup2 here can hit one that is still needed. */
static void take_files(const int files[3], int line)
{
    int target;

    for (target = 0; target < 3; target++)
        if (dup2(files[target], target) < 0)
            give_up(line, 0);
}

static int wait_for_go(int line)
{
    char go;
    ssize_t got;

    do {
        got = recv(line, &go, 1, 0);
    } while (got < 0 && errno == EINTR);
    return got == 1;
}

static void run_child(const wfa_spawn *spawn, const char *file, const int files[3], int line)
{
    (void)setpgid(0, 0);
    take_files(files, line);
    close_on_exec_from(3);
    if (!wait_for_go(line))
        _exit(NEVER_RAN);
    default_signals();
    if (spawn->folder && chdir(spawn->folder) != 0)
        give_up(line, 1);
    environ = spawn->environment;
    /* execvp looks nowhere, since the file has a slash, but gives a script without #! to a shell. It
     * takes the arguments as char *const[] and does not write to them. */
    execvp(file, (char *const *)(uintptr_t)spawn->argv);
    give_up(line, 0);
}

/* After exec the line is closed and nothing comes; before it a failure does. */
static int hear_failure(int line, failure *report)
{
    ssize_t got;

    do {
        got = recv(line, report, sizeof *report, MSG_WAITALL);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *report;
}

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static int let_go(const wfa_spawn *spawn, pid_t pid, int line, wfa_error *error)
{
    failure report;

    if (spawn->record && spawn->record(spawn->user, pid, error) != 0)
        return -1;
    if (send(line, "", 1, MSG_NOSIGNAL) != 1)
        return wfa_fail(error, "%s: cannot be started: %s", spawn->argv[0], strerror(errno));
    if (!hear_failure(line, &report))
        return 0;
    if (report.folder)
        return wfa_fail(error, "%s: cannot work in this folder: %s", spawn->folder,
                        strerror(report.number));
    return wfa_fail(error, "%s: cannot be run: %s", spawn->argv[0], strerror(report.number));
}

/* Signals are held back so that no handler of the host's runs in the child. */
static pid_t fork_child(const wfa_spawn *spawn, const char *file, const int files[3],
                        const int line[2])
{
    sigset_t all, before;
    pid_t pid;

    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (pid == 0) {
        close(line[0]);
        run_child(spawn, file, files, line[1]);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

/* Closes both ends of the line. */
static int start_child(const wfa_spawn *spawn, const char *file, const int files[3],
                       const int line[2], pid_t *pid, wfa_error *error)
{
    pid_t started = fork_child(spawn, file, files, line);
    int number = errno, status;

    WF_INVARIANT(files[0] > 2 && files[1] > 2 && files[2] > 2 &&
                 line[1] > 2); /* take_files() */
    close(line[1]);
    if (started < 0) {
        close(line[0]);
        return wfa_fail(error, "%s: cannot be started: %s", spawn->argv[0], strerror(number));
    }
    (void)setpgid(started, started);
    status = let_go(spawn, started, line[0], error);
    /* A child that still waits for its go reads the end of the line, and goes. */
    close(line[0]);
    if (status == 0)
        *pid = started;
    else
        reap(started);
    return status;
}

static int open_line(int line[2])
{
    int pair[2], status;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    line[0] = pair[0];
    line[1] = fcntl(pair[1], F_DUPFD_CLOEXEC, 3);
    status = line[1] < 0 ? -1 : 0;
    close(pair[1]);
    if (status != 0)
        close(pair[0]);
    return status;
}

static void close_files(const int *files, int count)
{
    while (count > 0)
        close(files[--count]);
}

/* Copies of the three files with numbers above 2, whatever the host has closed. */
static int lift_files(const int from[3], int to[3])
{
    int index;

    for (index = 0; index < 3; index++) {
        to[index] = fcntl(from[index], F_DUPFD_CLOEXEC, 3);
        if (to[index] < 0) {
            close_files(to, index);
            return -1;
        }
    }
    return 0;
}

static int run_file(const wfa_spawn *spawn, const char *file, pid_t *pid, wfa_error *error)
{
    int files[3], line[2], status;

    if (lift_files(spawn->files, files) != 0)
        return wfa_fail(error, "%s: cannot be started: %s", spawn->argv[0], strerror(errno));
    if (open_line(line) != 0)
        status = wfa_fail(error, "%s: cannot be started: %s", spawn->argv[0], strerror(errno));
    else
        status = start_child(spawn, file, files, line, pid, error);
    close_files(files, 3);
    return status;
}

int wfa_spawn_run(const wfa_spawn *spawn, pid_t *pid, wfa_error *error)
{
    char *file = wfa_program_path(spawn->argv[0], spawn->environment);
    int status;

    if (!file)
        return wfa_fail(error, "%s: cannot be run: %s", spawn->argv[0], strerror(errno));
    WF_INVARIANT(strchr(file, '/')); /* execvp() would look in PATH again */
    status = run_file(spawn, file, pid, error);
    free(file);
    return status;
}
