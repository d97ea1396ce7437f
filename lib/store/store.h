/*
 * store/store.h: a store as the core sees it. Every call goes through the public wfsm_store_*
 * functions, which check the arguments and what the author's vtable answers.
 *
 * The files of lib/store, in reading order:
 *   store.c, store_read.c   the public calls: commits and changes; reading. store_check.c
 *                           checks their arguments
 *   exchange.c, exchange_*.c  everything that a session wants at one time (exchange.h)
 *   where.c                 conditions on attributes; attributes.c writes and checks these
 *   submit.c, approve.c     posts; votes of people
 *   batch.c                 commits that wait for wfsm_store_flush()
 *   rows.c                  rows that are kept
 *   shard.c                 the shard of an instance
 *   token_bucket.c          a rate
 *   memory_*.c              the memory store (memory.h)
 *   record_write.c, write_state.c, context_*.c, snapshot_write.c, record_parts.c
 *                           records and snapshots as JSON (record.h)
 *   decode.c, decode_*.c, check_entries.c   the same read back, and checked (decode_parts.h)
 * A commit of an instance writes one record, and now and then a snapshot (record_write.c).
 * Loading reads the latest snapshot, and applies the records after it (decode.c,
 * decode_record.c).
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
    wf_batch *batch; /* NULL until the first one is opened; see store/batch.h */
    void (*free_batch)(wfsm_store *store);
    bool out; /* a round of an engine has it, perhaps on another thread */
    bool reading; /* a sink receives rows, and must not call the store */
};

/* BUSY from inside a sink, INVALID without a store. */
int32_t wf_store_ready(const wfsm_store *store, wfsm_error *error);
/* INVALID unless the id is 1 to 255 bytes of UTF-8. The message begins with `what`. */
int32_t wf_store_check_id(const char *id, const char *what, wfsm_error *error);

/* Between open and not open, reads see the store as it was at one moment, if the store supports
 * that. Closing cannot fail. */
int32_t wf_store_view(wfsm_store *store, bool open, wfsm_error *error);

/* wfsm_store_exchange() of what needs no check. A round that has the store may call it. */
int32_t wf_store_exchange_all(const wfsm_store *store, wfsm_exchange *exchange,
                              wfsm_error *error);
/* wfsm_store_commit() with one commit: returns its answer. */
int32_t wf_store_commit_one(wfsm_store *store, const wfsm_commit *commit, wfsm_error *error);
#endif
