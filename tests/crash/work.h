/*
 * A host at work: an engine with three instances of work.json on a store, with events,
 * posts, timers, agents that fail and try again, effects, checkpoints, and a batch of
 * commits. It can be stopped anywhere and run again until it is done; every answer that
 * it gets is told.
 */
#ifndef TESTS_CRASH_WORK_H
#define TESTS_CRASH_WORK_H

#include "crash/told.h"

enum { WORK_INSTANCES = 3, WORK_TIMERS = 3, WORK_BATCH = 3 };

typedef struct work {
    wfsm_machine *machine;
    told told;
    int64_t now, real;
    uint32_t jumps; /* not 0: the clock jumps, up to a day both ways, by this seed */
    const wfsm_allocator *allocator; /* of the engine, may be NULL */
    size_t in_flight; /* commits that may be there although nobody was told */
    int patience;     /* failed runs of the engine until the host gives up */
    long failures;    /* calls that were answered with one */
    int32_t status;   /* of the last of them */
    bool ended;       /* all instances have */
    void (*failed)(int32_t status); /* told of each of them, may be NULL */
} work;

/* Compiles the machine: `path` is that of work.json. */
void work_new(work *self, const char *path);
void work_free(work *self);
/* Forgets what was told, for an empty store. */
void work_reset(work *self);

/* Continues with the first `rounds` rounds of the work (0: all of it, to the end), or
 * until patience is lost: then the status is that of the failure. */
int32_t work_run(work *self, wfsm_store *store, int rounds);

/* The contexts of all instances, one line each, to be freed; "" if they cannot be read.
 */
char *work_answer(wfsm_store *store);
#endif
