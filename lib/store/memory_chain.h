/* store/memory_chain.h: consecutive commits of one instance, on their way into the memory store. */
#ifndef WF_STORE_MEMORY_CHAIN_H
#define WF_STORE_MEMORY_CHAIN_H

#include "store/memory.h"

/* What a commit adds, allocated before anything changes. */
typedef struct wf_draft {
    wf_stored_record *record;
    wf_blob snapshot;
    wf_stored_checkpoint checkpoint;
    wf_document new_document;
    uint32_t document;
    uint32_t event;
    uint8_t event_before; /* its state */
    wf_stored_post *post;
} wf_draft;

/* Consecutive commits of one instance. Those that are prepared count as stored for the next one. */
typedef struct wf_chain {
    wf_memory *memory;
    const wfsm_commit *const *commits;
    size_t count;
    wf_draft *drafts; /* one for each commit */
    size_t prepared;
    wf_stored_instance *instance; /* NULL: there is none, and none is prepared */
    bool new_instance;
    size_t new_documents;
} wf_chain;

/* Refuses the next commit of the chain if it cannot be stored. Changes nothing. */
int32_t wf_chain_check(const wf_chain *self, const wfsm_commit *commit, wfsm_error *error);
/* The number of a document that is stored, or that a commit of the chain brings; WF_NONE without one. */
uint32_t wf_chain_document(const wf_chain *self, const char *fingerprint);
#endif
