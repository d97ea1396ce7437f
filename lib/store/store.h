/*
 * store/store.h: a store as the core sees it. The public wfsm_store_* calls check their
 * arguments, and what an author's vtable answers, in one place: store.c and
 * store_read.c.
 */
#ifndef WF_STORE_STORE_H
#define WF_STORE_STORE_H

#include <stdbool.h>
#include <wfsm/store.h>
#include "base/error.h"
#include "base/memory.h"

typedef struct wf_batch wf_batch;

struct wfsm_store {
    wfsm_allocator allocator;
    wfsm_store_vtable vtable;
    void *self;
    wf_batch *batch; /* NULL: there was none yet; see store/batch.h */
    void (*free_batch)(wfsm_store *store);
    bool reading; /* a sink is at work: the store must not be called again */
};

/* BUSY from inside a sink, INVALID without a store. */
int32_t wf_store_ready(const wfsm_store *store, wfsm_error *error);
/* INVALID, naming `what`, unless the id is 1 to 255 bytes of UTF-8. */
int32_t wf_store_check_id(const char *id, const char *what, wfsm_error *error);

/* What is read between open and not open is of one moment, if the store can do that; the
 * second call cannot fail. */
int32_t wf_store_view(wfsm_store *store, bool open, wfsm_error *error);

/* wfsm_store_commit() with one commit: returns its answer. */
int32_t wf_store_commit_one(wfsm_store *store, const wfsm_commit *commit, wfsm_error *error);
#endif
