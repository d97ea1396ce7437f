/* store/batch.h: commits that wait for wfsm_store_flush(). */
#ifndef WF_STORE_BATCH_H
#define WF_STORE_BATCH_H

#include "machine/model.h"
#include "store/store.h"

/* One commit. Everything is copied when it is gathered. */
typedef struct wf_gathered {
    wfsm_commit commit;
    const char *log; /* for observers */
    size_t log_length;
    void *user; /* its maker; NULL: the maker has been freed since */
    /* Called with the answer, in the order of gathering. Must not open or flush a batch. */
    void (*settle)(void *user, const struct wf_gathered *self, int32_t answer);
    int32_t answer; /* of the store, set by the flush */
    uint32_t
        failed; /* 1 + enum wf_class of the attempt that has failed in this step; 0: none has */
    const void *maker; /* the user when it was gathered */
    bool second; /* of two makers of one instance: the store does not get it */
    /* Chains, made by the flush. Numbers from 1. */
    bool follows; /* it is not the first commit of its instance */
    uint32_t next, last; /* the next one of the chain, or 0; in the first one, the last */
} wf_gathered;

/* What became of commits since the tally was zeroed. */
typedef struct wf_tally {
    uint64_t stored, refused;
    uint64_t failed[WF_CLASSES]; /* attempts, in commits that are stored */
} wf_tally;

/* While a batch is open, commits are collected instead of being passed to the store. */
bool wf_store_gathers(const wfsm_store *store);
/* NO_MEMORY: it is not in the batch. */
int32_t wf_store_gather(wfsm_store *store, const wf_gathered *given, wfsm_error *error);
/* True if a commit of this maker in the open batch has that event id. */
bool wf_batch_has_event(const wfsm_store *store, const void *user, const char *event_id);
/* The two halves of wfsm_store_flush(): the store is asked, and then the makers are told. The first
 * makes the exchange with the commits of the batch added, and returns what the store says of the
 * whole. The second returns the first refusal, and adds to the tally. */
int32_t wf_batch_exchange(wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error);
bool wf_batch_is_empty(const wfsm_store *store);
/* Of the records, snapshots and documents in it; 0 without a batch. */
size_t wf_batch_bytes(const wfsm_store *store);
/* Instead of the first half: the store is not asked, and every commit has this answer. */
void wf_batch_refuse(wfsm_store *store, int32_t answer);
int32_t wf_batch_settle(wfsm_store *store, wf_tally *tally);
/* The maker is freed. Its commits stay in the batch. */
void wf_batch_forget(wfsm_store *store, const void *user);
#endif
