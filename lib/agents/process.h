/* Child processes: many at once, from one thread, with limits, and found again after
 * the host was killed.
 *
 * There is no pipe between host and child. A child reads its stdin from a file and
 * writes stdout and stderr to files, because a pipe dies with the host: the child would
 * be killed by its next line of output and hours of work would be lost. With files it
 * works on, and the next host finds what it wrote. Four files belong to one run, made
 * from `base`, which must name the run and the attempt:
 *
 *     BASE.in    what it is asked                    BASE.log   its stderr
 *     BASE.out   its stdout                          BASE.run   who it is, how it ended
 *
 * The price: the limit on output is watched (every 50 ms), not enforced by a pipe, so a
 * fast writer gets somewhat beyond it before it is killed, and nobody watches while no
 * host is there. And how a child ended while no host was there is not known: then what
 * it wrote must speak for itself, WFA_END_UNSEEN.
 *
 * Each child leads a process group. When it ends, for whatever reason, the rest of its
 * group is killed. One that leaves the group with setsid() still has the mark of the run, WFSM_RUN, in its
 * environment: it is killed if the child was stopped or killed.
 *
 * Times are milliseconds. A host must not ignore SIGCHLD, nor reap children that it did
 * not start itself. */
#ifndef WFA_PROCESS_H
#define WFA_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent_error.h"

typedef struct wfa_children wfa_children;
typedef struct wfa_child wfa_child;

/* Borrowed during the call only. */
typedef struct wfa_child_spec {
    const char *const *argv;   /* ends with NULL; argv[0] is looked up in PATH, no shell */
    const char *folder;        /* where it works; NULL: where the host does */
    const char *const *env; /* "NAME=value", ends with NULL; or NULL */
    const char *const *pass_env; /* what it gets of the host's beside the usual; or NULL */
    const char *input; /* its stdin */
    size_t input_length;
    const char *base; /* where its files are; the folder must exist */
    const char *token; /* distinguishes this run from others of the same base, because a
                                  new store gives the same ids again: up to 63 bytes without
                                  blanks, or NULL */
    int64_t timeout_ms; /* time limit, 0 for none */
    int64_t grace_ms; /* from SIGTERM to SIGKILL; 0 for SIGKILL at once */
    size_t max_output; /* bytes on stdout; 0 for WFA_MAX_OUTPUT */
    size_t max_log; /* bytes on stderr; 0 for WFA_MAX_LOG */
} wfa_child_spec;

#define WFA_MAX_OUTPUT ((size_t)1024 * 1024)
#define WFA_MAX_LOG ((size_t)64 * 1024 * 1024)

typedef enum wfa_child_state {
    WFA_CHILD_RUNNING,
    WFA_CHILD_STOPPING, /* told to end; killed when the grace period is over */
    WFA_CHILD_ENDED
} wfa_child_state;

typedef enum wfa_child_end {
    WFA_END_NONE, /* not yet */
    WFA_END_EXITED, /* by itself: wfa_child_code() is the exit code */
    WFA_END_SIGNALED, /* by a signal that is not ours: wfa_child_code() is its number */
    WFA_END_TIMEOUT, /* stopped: time limit */
    WFA_END_OUTPUT_LIMIT, /* stopped, or found at its end, with too much output */
    WFA_END_CANCELED, /* stopped by wfa_child_cancel() */
    WFA_END_SPAWN_FAILED, /* never ran */
    WFA_END_UNSEEN /* ended when no host was there to see it */
} wfa_child_end;

/* NULL when out of memory. */
wfa_children *wfa_children_new(void);

/* Kills every group that is still at work, reaps, frees. NULL is allowed. */
void wfa_children_free(wfa_children *children);

/* Starts a child; it belongs to `children` until wfa_child_forget(). What goes wrong with
 * the start (no such program, no such folder, files that cannot be made) is a child that
 * has ended as WFA_END_SPAWN_FAILED, so there is one way to handle it. -1 only when out of
 * memory. Refuses (SPAWN_FAILED) while an earlier process of the same base is alive. */
int wfa_child_start(wfa_children *children, const wfa_child_spec *spec, wfa_child **child,
                    wfa_error *error);

/* Finds the child that an earlier host started under spec->base. *child is NULL when none
 * was ever started there, or with another token. Else it
 * runs (and is watched from now on, its time limit counted from its real start), or has
 * ended: as the earlier host saw it, or UNSEEN. -1: its files cannot be read or believed.
 * argv, folder, env and input of the spec are not used. */
int wfa_child_adopt(wfa_children *children, const wfa_child_spec *spec, wfa_child **child,
                    wfa_error *error);

/* Tells the child's group to end: SIGTERM, later SIGKILL. Nothing if it has ended. */
void wfa_child_cancel(wfa_child *child);

/* The caller is done with it: freed now, or when it has ended. NULL is allowed. */
void wfa_child_forget(wfa_child *child);

/* Waits until a child has ended, a signal came, or timeout_ms (-1: no limit) went by, and
 * enforces limits; not longer than 50 ms per round while children run, so call it in a
 * loop. The number of children that ended since the last call. */
int wfa_children_poll(wfa_children *children, int64_t timeout_ms);

/* How many are running or stopping. */
size_t wfa_children_running(const wfa_children *children);

wfa_child_state wfa_child_state_of(const wfa_child *child);
wfa_child_end wfa_child_reason(const wfa_child *child);
/* Exit code or signal number of EXITED and SIGNALED, else 0. */
int wfa_child_code(const wfa_child *child);
/* 0 if it never ran. */
pid_t wfa_child_pid(const wfa_child *child);
/* Wall clock time of its start; and how long it has been running, or ran. */
int64_t wfa_child_started(const wfa_child *child);
int64_t wfa_child_duration(const wfa_child *child);
/* Where its stdout and its stderr are. */
const char *wfa_child_out(const wfa_child *child);
const char *wfa_child_log(const wfa_child *child);

/* One line about how it ended, for people: names exit code or signal (and the log). Borrowed
 * until the child is freed. */
const char *wfa_child_message(const wfa_child *child);

/* What an ended child wrote to stdout, up to the limit, with a NUL behind it; borrowed.
 * NULL and an error when it cannot be read. */
const char *wfa_child_output(wfa_child *child, size_t *length, wfa_error *error);

#endif
