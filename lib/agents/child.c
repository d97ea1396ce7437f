/* One child: its making, its end, and what may be asked about it. */
#include "child.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/invariant.h"

static int64_t clock_ms(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t wfa_monotonic_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

int64_t wfa_wall_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}

static char *with_ending(const char *base, const char *ending)
{
    size_t room = strlen(base) + strlen(ending) + 1;
    char *path = malloc(room);

    if (path)
        (void)snprintf(path, room, "%s%s", base, ending);
    return path;
}

static int make_paths(wfa_child_paths *paths, const char *base)
{
    paths->in = with_ending(base, ".in");
    paths->out = with_ending(base, ".out");
    paths->log = with_ending(base, ".log");
    paths->run = with_ending(base, ".run");
    return paths->in && paths->out && paths->log && paths->run ? 0 : -1;
}

static void link_child(wfa_children *children, wfa_child *child)
{
    child->children = children;
    child->next = children->first;
    children->first = child;
}

static void unlink_child(wfa_child *child)
{
    wfa_child **at = &child->children->first;

    while (*at != child)
        at = &(*at)->next;
    *at = child->next;
}

/* The same in each host that has the folder of the run. */
static void make_mark(wfa_child *child)
{
    char folder[PATH_MAX], whole[PATH_MAX], text[2 * PATH_MAX], digest[WFSM_DIGEST_SIZE];
    const char *path = child->paths.run, *slash = strrchr(path, '/');

    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                   slash ? path : ".");
    if (!realpath(folder, whole))
        memcpy(whole, folder, sizeof whole);
    (void)snprintf(text, sizeof text, "%s/%s", whole, slash ? slash + 1 : path);
    (void)wfsm_digest(text, strlen(text), digest);
    (void)snprintf(child->mark, sizeof child->mark, "WFSM_RUN=%s", digest);
}

wfa_child *wfa_child_new(wfa_children *children, const wfa_child_spec *spec)
{
    wfa_child *child = calloc(1, sizeof *child);

    if (!child)
        return NULL;
    link_child(children, child);
    child->watch = child->out = child->log = -1;
    child->timeout = spec->timeout_ms;
    child->grace = spec->grace_ms;
    child->max_output = spec->max_output ? spec->max_output : WFA_MAX_OUTPUT;
    child->max_log = spec->max_log ? spec->max_log : WFA_MAX_LOG;
    if (make_paths(&child->paths, spec->base) == 0) {
        make_mark(child);
        return child;
    }
    wfa_child_free(child);
    return NULL;
}

static void close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void wfa_child_free(wfa_child *child)
{
    WF_INVARIANT(child->state == WFA_CHILD_ENDED || child->pid == 0); /* or nothing reaps it */
    unlink_child(child);
    close_file(&child->watch);
    close_file(&child->out);
    close_file(&child->log);
    free(child->paths.in);
    free(child->paths.out);
    free(child->paths.log);
    free(child->paths.run);
    free(child->output);
    free(child);
}

static void describe(wfa_child *child)
{
    char what[160];

    if (child->end == WFA_END_EXITED)
        (void)snprintf(what, sizeof what, "exit code %d", child->code);
    else if (child->end == WFA_END_SIGNALED)
        (void)snprintf(what, sizeof what, "killed by signal %d (%s)", child->code,
                       strsignal(child->code));
    else if (child->end == WFA_END_TIMEOUT)
        (void)snprintf(what, sizeof what, "stopped at its time limit of %" PRId64 " ms",
                       child->timeout);
    else if (child->end == WFA_END_OUTPUT_LIMIT)
        (void)snprintf(what, sizeof what, "more than %zu bytes on %s",
                       child->log_overflow ? child->max_log : child->max_output,
                       child->log_overflow ? "stderr" : "stdout");
    else if (child->end == WFA_END_CANCELED)
        (void)snprintf(what, sizeof what, "canceled");
    else if (child->end == WFA_END_SPAWN_FAILED)
        (void)snprintf(what, sizeof what, "could not be started");
    else
        (void)snprintf(what, sizeof what, "ended while no host was there to see it");
    (void)snprintf(child->message, sizeof child->message, "%s, see %s", what, child->paths.log);
}

void wfa_child_finish(wfa_child *child, wfa_child_end end, int code)
{
    WF_INVARIANT(child->state != WFA_CHILD_ENDED && end != WFA_END_NONE);
    child->state = WFA_CHILD_ENDED;
    child->end = end;
    child->code = end == WFA_END_EXITED || end == WFA_END_SIGNALED ? code : 0;
    child->ended = wfa_monotonic_ms();
    WF_INVARIANT(child->begun <= child->ended);
    close_file(&child->watch);
    if (!child->message[0])
        describe(child);
    /* Best effort: without it the next host takes the end for an unseen one. */
    child->record.end = (int)end;
    child->record.code = child->code;
    if (child->record.identity[0])
        (void)wfa_run_record_write(child->paths.run, &child->record, NULL);
    child->children->fresh++;
}

void wfa_child_forget(wfa_child *child)
{
    if (!child)
        return;
    child->forgotten = 1;
    if (child->state == WFA_CHILD_ENDED)
        wfa_child_free(child);
}

wfa_child_state wfa_child_state_of(const wfa_child *child)
{
    return child->state;
}

wfa_child_end wfa_child_reason(const wfa_child *child)
{
    return child->state == WFA_CHILD_ENDED ? child->end : WFA_END_NONE;
}

int wfa_child_code(const wfa_child *child)
{
    return child->code;
}

pid_t wfa_child_pid(const wfa_child *child)
{
    return child->pid;
}

int64_t wfa_child_started(const wfa_child *child)
{
    return child->record.started;
}

int64_t wfa_child_duration(const wfa_child *child)
{
    int64_t until = child->state == WFA_CHILD_ENDED ? child->ended : wfa_monotonic_ms();

    return until > child->begun ? until - child->begun : 0;
}

const char *wfa_child_out(const wfa_child *child)
{
    return child->paths.out;
}

const char *wfa_child_log(const wfa_child *child)
{
    return child->paths.log;
}

const char *wfa_child_message(const wfa_child *child)
{
    return child->message;
}

static ssize_t read_output(int fd, char *data, size_t room)
{
    size_t length = 0;

    while (length < room) {
        ssize_t got = pread(fd, data + length, room - length, (off_t)length);
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

static int load_output(wfa_child *child, wfa_error *error)
{
    struct stat status;
    size_t room;
    ssize_t got;

    if (child->out < 0 || fstat(child->out, &status) != 0)
        return wfa_fail(error, "%s: no output", child->paths.out);
    room = (size_t)status.st_size;
    if (room > child->max_output)
        room = child->max_output;
    child->output = malloc(room + 1);
    if (!child->output)
        return wfa_no_memory(error);
    got = read_output(child->out, child->output, room);
    if (got < 0) {
        free(child->output);
        child->output = NULL;
        return wfa_fail(error, "%s: %s", child->paths.out, strerror(errno));
    }
    WF_INVARIANT((size_t)got <= child->max_output);
    child->output[got] = '\0';
    child->output_length = (size_t)got;
    return 0;
}

const char *wfa_child_output(wfa_child *child, size_t *length, wfa_error *error)
{
    if (!child->output && load_output(child, error) != 0)
        return NULL;
    *length = child->output_length;
    return child->output;
}
