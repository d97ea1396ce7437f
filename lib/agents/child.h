/* What a child process is made of; shared by the files that make process.h. */
#ifndef WFA_CHILD_H
#define WFA_CHILD_H

#include "process.h"
#include "run_record.h"

typedef struct wfa_child_paths {
    char *in, *out, *log, *run;
} wfa_child_paths;

struct wfa_children {
    wfa_child *first;
    int fresh; /* ended and not yet told by wfa_children_poll() */
};

enum { WFA_MARK_SIZE = 256 };

struct wfa_child {
    wfa_child *next;
    wfa_children *children;

    wfa_child_paths paths;
    int64_t timeout, grace;
    size_t max_output, max_log;

    wfa_child_state state;
    wfa_child_end end;   /* valid once ENDED; while STOPPING: why */
    int code;
    int forgotten;      /* nothing needs it any more: free it at the end */
    int adopted;        /* started by an earlier host: not ours to reap */
    int log_overflow;   /* the limit that was hit is that of stderr */

    pid_t pid;          /* 0 if it never ran */
    int watch;          /* pidfd, readable at its end; -1 where there is none */
    int out, log;       /* open files, to see their sizes and to read */
    wfa_run_record record;
    int64_t begun, ended; /* monotonic clock */
    int64_t kill_at;      /* while STOPPING */

    char *output;
    size_t output_length;
    char message[768];
    /* An entry of its environment, which those that it starts inherit. */
    char mark[WFA_MARK_SIZE];
};

/* A new child in `children`, not yet running; NULL when out of memory. */
wfa_child *wfa_child_new(wfa_children *children, const wfa_child_spec *spec);
void wfa_child_free(wfa_child *child);

/* Watches child->pid, which exists. */
void wfa_child_watch(wfa_child *child);

/* Enters its end in the child, in its record and in the count of fresh ones. */
void wfa_child_finish(wfa_child *child, wfa_child_end end, int code);

int64_t wfa_monotonic_ms(void);
int64_t wfa_wall_ms(void);

#endif
