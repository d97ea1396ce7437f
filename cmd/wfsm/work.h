/*
 * work.h: a worker, `wfsm work`. It runs an engine over a store, and takes instances that nobody alive
 * owns: those of its machines whose agents it has.
 */
#ifndef WFSM_WORK_H
#define WFSM_WORK_H

#include <wfsm/loop.h>
#include "wfsm/many.h"
#include "wfsm/trace.h"

struct MHD_Daemon;
struct http_clients;

typedef struct work_machine {
    wfsm_machine *machine;
    bool is_served;
} work_machine;

typedef struct work {
    const char *path;
    wfsm_store *store;
    wfsm_agents *agents;
    wfsm_loop *loop;
    wfsm_error *error;
    char session[WFSM_OWNER_SIZE];
    int64_t lapse_ms;
    bool is_file; /* the store */
    work_machine *machines;
    size_t machine_count;
    bool has_more;    /* not all could be taken at once */
    int64_t next_all; /* when owners whose processes have ended are looked for again */
    int64_t look_ms; /* how long after the last look the next one is */
    int timer;        /* a descriptor */
    bool is_hurried;  /* the timer is set to a moment from now */
    unsigned seed;    /* of work_jitter() */
    wfsm_store *archive; /* or NULL */
    int64_t sweep_ms;    /* from one sweep to the next; 0: there is none */
    int64_t next_sweep;  /* when the next part of one is due */
    trace_exporter exporter;
    struct MHD_Daemon *metrics; /* serves what the engine counts; NULL: none does */
    struct http_clients *clients; /* of it */
    char swept[256];     /* the last instance that it has looked at; "": it has not begun */
} work;

/* work_machines.c */
/* Reads a document, or all in a folder; false with the reason said. */
bool work_read_machines(work *self, const char *path);
/* Decides which of them this worker serves, and names the others. False: it serves none. */
bool work_choose_machines(work *self);
void work_free_machines(work *self);

/* work_adopt.c: takes its share of what nobody alive owns, and gives up what is that of others. True:
 * there was something. */
bool work_adopt(work *self, int64_t now);
/* Between 0.75 and 1.25 times as long, so that workers do not look all at the same time. */
int64_t work_jitter(work *self, int64_t ms);

/* work_sweep.c: the next part of a sweep, if it is due. */
void work_sweep(work *self, int64_t now);

/* work_schedules.c: creates or updates the schedules that the documents of its machines name. False with the
 * reason said: one of them is no schedule. */
bool work_add_schedules(work *self);

/* work_share.c: limits that workers share. */
typedef struct work_share {
    int32_t kind; /* enum wfsm_pool_kind */
    char name[256];
    uint32_t most;
} work_share;
/* "agent:NAME=N" and so on. CLI_USAGE, which is said: it is none. */
int work_share_parse(const char *text, work_share *out);
/* Sets all of them for the engine. */
int32_t work_share_all(work *self, const many *texts);

/* work_metrics.c, and work_no_metrics.c without libmicrohttpd. CLI_USAGE, which is said: it is no
 * address. */
int work_metrics_check(const char *address);
/* Serves them while the loop runs. False with the reason said. */
bool work_metrics_begin(work *self, const char *address);
/* Now and then, for connections that are idle. */
void work_metrics_run(work *self);
/* Before the loop is freed. */
void work_metrics_end(work *self);

/* work_run.c */
/* Runs until a signal. The exit code. */
int work_run(work *self);
#endif
