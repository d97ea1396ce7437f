/*
 * work.h: a worker, `wfsm work`. It runs an engine over a store, and takes instances that nobody alive
 * owns: those of its machines whose agents it has.
 */
#ifndef WFSM_WORK_H
#define WFSM_WORK_H

#include <wfsm/loop.h>
#include "wfsm/many.h"

typedef struct work_machine {
    wfsm_machine *machine;
    bool is_served;
} work_machine;

/* A document in the store, by its fingerprint, which may be older than the worker's. */
typedef struct work_document {
    char *fingerprint;
    bool is_served;
} work_document;

typedef struct work {
    const char *path;
    wfsm_store *store;
    wfsm_agents *agents;
    wfsm_loop *loop;
    wfsm_error *error;
    char session[WFSM_OWNER_SIZE];
    int64_t lapse_ms;
    work_machine *machines;
    size_t machine_count;
    work_document *documents;
    size_t document_count;
    int64_t next_all; /* when the instances of others are looked at again */
    int timer;        /* a descriptor */
    unsigned seed;    /* of work_jitter() */
} work;

/* work_machines.c */
/* Reads a document, or all in a folder; false with the reason said. */
bool work_read_machines(work *self, const char *path);
/* Decides which of them this worker serves, and names the others. False: it serves none. */
bool work_choose_machines(work *self);
/* Whether the stored document of a fingerprint is served. The first time the answer is no, it is said. */
bool work_serves(work *self, const char *machine, const char *fingerprint);
void work_free_machines(work *self);

/* work_adopt.c: takes what nobody alive owns. */
void work_adopt(work *self, int64_t now);
/* Between 0.75 and 1.25 times as long, so that workers do not look all at the same time. */
int64_t work_jitter(work *self, int64_t ms);

/* work_run.c */
/* Runs until a signal. The exit code. */
int work_run(work *self);
#endif
