/* Watches children: their ends, their limits, and that none is left over. */
#include "child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/invariant.h"
#include "process_marked.h"

enum {
    WATCH_MS = 50,   /* how often sizes of files are looked at */
    BLIND_MS = 10,   /* how often ends are looked for where there is no pidfd */
    POLL_AT_ONCE = 64
};

wfa_children *wfa_children_new(void)
{
    return calloc(1, sizeof(wfa_children));
}

static int has_gone(const wfa_child *child)
{
    struct pollfd end = {.fd = child->watch, .events = POLLIN};

    if (child->watch >= 0)
        return poll(&end, 1, 0) == 1;
    return wfa_process_alive(child->record.identity) != 1;
}

/* The group keeps its number as long as its leader has not been reaped or a member
 * lives, so this cannot reach strangers. */
static void signal_group(const wfa_child *child, int number)
{
    if (!child->adopted || !has_gone(child))
        (void)kill(-child->pid, number);
}

static void stop_child(wfa_child *child, wfa_child_end why, int64_t now)
{
    if (child->state != WFA_CHILD_RUNNING)
        return;
    WF_INVARIANT(why >= WFA_END_TIMEOUT && why <= WFA_END_CANCELED);
    child->state = WFA_CHILD_STOPPING;
    child->end = why;
    child->kill_at = now + child->grace;
    signal_group(child, child->grace > 0 ? SIGTERM : SIGKILL);
}

void wfa_child_cancel(wfa_child *child)
{
    stop_child(child, WFA_END_CANCELED, wfa_monotonic_ms());
}

static int too_much(wfa_child *child)
{
    struct stat out, log;

    if (fstat(child->out, &out) == 0 && (uintmax_t)out.st_size > child->max_output)
        return 1;
    if (fstat(child->log, &log) == 0 && (uintmax_t)log.st_size > child->max_log) {
        child->log_overflow = 1;
        return 1;
    }
    return 0;
}

static void finish_seen(wfa_child *child, wfa_child_end end, int code)
{
    WF_INVARIANT(child->end == WFA_END_NONE || child->state == WFA_CHILD_STOPPING);
    if (end != WFA_END_EXITED || child->state == WFA_CHILD_STOPPING)
        wfa_marked_kill(child->mark);
    if (child->state == WFA_CHILD_STOPPING)
        end = child->end;
    else if (too_much(child))
        end = WFA_END_OUTPUT_LIMIT;
    wfa_child_finish(child, end, code);
}

/* Looks without reaping, so that the group's number is certain to be ours when it is killed. */
static void look_for_end(wfa_child *child)
{
    siginfo_t info = {0};
    pid_t reaped;
    int status;

    WF_INVARIANT(!child->adopted &&
                 child->state != WFA_CHILD_ENDED); /* then it can be reaped */
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        if (errno == ECHILD) /* another part of the process has reaped it */
            finish_seen(child, WFA_END_UNSEEN, 0);
        return;
    }
    if (info.si_pid == 0)
        return;
    (void)kill(-child->pid, SIGKILL);
    do
        reaped = waitpid(child->pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
    if (reaped < 0)
        finish_seen(child, WFA_END_UNSEEN, 0);
    else if (WIFEXITED(status))
        finish_seen(child, WFA_END_EXITED, WEXITSTATUS(status));
    else
        finish_seen(child, WFA_END_SIGNALED, WTERMSIG(status));
}

static void look_for_adopted_end(wfa_child *child)
{
    if (!has_gone(child))
        return;
    (void)kill(-child->pid, SIGKILL);
    finish_seen(child, WFA_END_UNSEEN, 0);
}

static void enforce_limits(wfa_child *child, int64_t now)
{
    if (child->state == WFA_CHILD_RUNNING && too_much(child))
        stop_child(child, WFA_END_OUTPUT_LIMIT, now);
    if (child->state == WFA_CHILD_RUNNING && child->timeout > 0 &&
        now - child->begun >= child->timeout)
        stop_child(child, WFA_END_TIMEOUT, now);
    if (child->state == WFA_CHILD_STOPPING && now >= child->kill_at)
        signal_group(child, SIGKILL);
}

static void look_after(wfa_child *child, int64_t now)
{
    if (child->adopted)
        look_for_adopted_end(child);
    else
        look_for_end(child);
    if (child->state != WFA_CHILD_ENDED)
        enforce_limits(child, now);
}

/* When the next limit of this child is due, at most `wait` from now. */
static int64_t shorten(const wfa_child *child, int64_t now, int64_t wait)
{
    int64_t due = now + (child->watch >= 0 ? WATCH_MS : BLIND_MS);

    if (child->state == WFA_CHILD_RUNNING && child->timeout > 0 &&
        child->begun + child->timeout < due)
        due = child->begun + child->timeout;
    if (child->state == WFA_CHILD_STOPPING && now < child->kill_at && child->kill_at < due)
        due = child->kill_at;
    due = due > now ? due - now : 0;
    return wait < 0 || due < wait ? due : wait;
}

/* More children than fit are seen at the next look at the sizes. */
static void wait_for_ends(const wfa_children *children, int64_t timeout_ms)
{
    struct pollfd ends[POLL_AT_ONCE];
    const wfa_child *child;
    nfds_t count = 0;
    int64_t now = wfa_monotonic_ms();

    for (child = children->first; child; child = child->next) {
        if (child->state == WFA_CHILD_ENDED)
            continue;
        timeout_ms = shorten(child, now, timeout_ms);
        if (child->watch >= 0 && count < POLL_AT_ONCE)
            ends[count++] = (struct pollfd){.fd = child->watch, .events = POLLIN};
    }
    if (timeout_ms > INT32_MAX)
        timeout_ms = INT32_MAX;
    (void)poll(ends, count, (int)timeout_ms);
}

int wfa_children_poll(wfa_children *children, int64_t timeout_ms)
{
    wfa_child *child, *next;
    int64_t now;
    int fresh;

    wait_for_ends(children, children->fresh > 0 ? 0 : timeout_ms);
    now = wfa_monotonic_ms();
    for (child = children->first; child; child = next) {
        next = child->next;
        if (child->state != WFA_CHILD_ENDED)
            look_after(child, now);
        if (child->state == WFA_CHILD_ENDED && child->forgotten)
            wfa_child_free(child);
    }
    fresh = children->fresh;
    children->fresh = 0;
    return fresh;
}

size_t wfa_children_running(const wfa_children *children)
{
    const wfa_child *child;
    size_t count = 0;

    for (child = children->first; child; child = child->next)
        count += child->state != WFA_CHILD_ENDED;
    return count;
}

void wfa_children_free(wfa_children *children)
{
    wfa_child *child;

    if (!children)
        return;
    for (child = children->first; child; child = child->next) {
        child->grace = 0;
        child->kill_at = 0;
        if (child->state == WFA_CHILD_RUNNING)
            stop_child(child, WFA_END_CANCELED, wfa_monotonic_ms());
    }
    while (wfa_children_running(children) > 0)
        (void)wfa_children_poll(children, -1);
    while (children->first)
        wfa_child_free(children->first);
    free(children);
}
