/* What a child process is made of; shared by the files that make process.h. */
#ifndef HK_CHILD_H
#define HK_CHILD_H

#include "process.h"
#include "run_record.h"

typedef struct hk_child_paths {
    char *in, *out, *log, *run;
} hk_child_paths;

struct hk_children {
    hk_child *first;
    int fresh; /* ended and not yet told by hk_children_poll() */
};

struct hk_child {
    hk_child *next;
    hk_children *children;

    hk_child_paths paths;
    int64_t timeout, grace;
    size_t max_output, max_log;

    hk_child_state state;
    hk_child_end end;   /* valid once ENDED; while STOPPING: why */
    int code;
    int forgotten;      /* nobody asks any more: free at the end */
    int adopted;        /* started by an earlier host: not ours to reap */
    int log_overflow;   /* the limit that was hit is that of stderr */

    pid_t pid;          /* 0 if it never ran */
    int watch;          /* pidfd, readable at its end; -1 where there is none */
    int out, log;       /* open files, to see their sizes and to read */
    hk_run_record record;
    int64_t begun, ended; /* monotonic clock */
    int64_t kill_at;      /* while STOPPING */

    char *output;
    size_t output_length;
    char message[768];
};

/* A new child in `children`, not yet running; NULL when out of memory. */
hk_child *hk_child_new(hk_children *children, const hk_child_spec *spec);
void hk_child_free(hk_child *child);

/* Watches child->pid, which exists. */
void hk_child_watch(hk_child *child);

/* Enters its end in the child, in its record and in the count of fresh ones. */
void hk_child_finish(hk_child *child, hk_child_end end, int code);

int64_t hk_monotonic_ms(void);
int64_t hk_wall_ms(void);

#endif
