/*
 * store/store.h: a store as the core sees it. Reading and posting go through the public
 * wfsm_store_* calls; what only an instance or an engine may do is declared here. All
 * of them check their arguments, and what an author's vtable answers, in one place:
 * store.c and store_read.c.
 */
#ifndef WF_STORE_STORE_H
#define WF_STORE_STORE_H

#include <stdbool.h>
#include <wfsm/store.h>
#include "base/error.h"
#include "base/memory.h"

struct wfsm_store {
    wfsm_allocator allocator;
    wfsm_store_vtable vtable;
    void *self;
    bool reading; /* a sink is at work: the store must not be called again */
};

/* The size of a struct of release 0.1: its last member is the last it had then. */
#define WF_SIZE_UP_TO(type, member)                                                    \
    (offsetof(type, member) + sizeof(((type *)0)->member))

/* BUSY from inside a sink, INVALID without a store. */
int32_t wf_store_ready(const wfsm_store *store, wfsm_error *error);
/* INVALID, naming `what`, unless the id is 1 to 255 bytes of UTF-8. */
int32_t wf_store_check_id(const char *id, const char *what, wfsm_error *error);

/*
 * Commits a batch. Every answer is set, also when the call as a whole fails; then they
 * are its status. An answer that the store forgot to give, or that is no status, is
 * STORE_UNKNOWN. After the first refusal of an instance its later commits of the batch
 * are refused, too (CONFLICT).
 */
int32_t wf_store_commit(wfsm_store *store, const wfsm_commit *const *commits,
                        size_t count, int32_t *answers, wfsm_error *error);
/* The same with one: returns its answer. */
int32_t wf_store_commit_one(wfsm_store *store, const wfsm_commit *commit,
                            wfsm_error *error);

/* The latest full snapshot, or that of a checkpoint: one row, else NOT_FOUND. */
int32_t wf_store_snapshot(wfsm_store *store, const char *instance,
                          const char *checkpoint, wfsm_row_sink sink, void *user,
                          wfsm_error *error);
/* Is there a record or a waiting post with this event id? */
int32_t wf_store_seen(wfsm_store *store, const char *instance, const char *event_id,
                      bool *seen, wfsm_error *error);
/* NOT_FOUND for an effect that was never made. */
int32_t wf_store_acknowledge(wfsm_store *store, const char *instance, uint64_t effect,
                             wfsm_error *error);
int32_t wf_store_owner_alive(wfsm_store *store, const char *owner, int64_t until,
                             wfsm_error *error);
/* owner "" gives the instance up, whoever has it: only its owner may ask for that. */
int32_t wf_store_own(wfsm_store *store, const char *instance, const char *owner,
                     int64_t now, wfsm_error *error);
#endif
