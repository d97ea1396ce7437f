/*
 * instance/past.h: the state that an instance had at a revision. It begins with a state that the
 * store has, at or before that revision, and applies the records after it, as loading does. It
 * does not run steps: a record has everything that changed. So a state of the past does not
 * depend on the rules of today's step, and costs what loading that many records costs.
 */
#ifndef WF_INSTANCE_PAST_H
#define WF_INSTANCE_PAST_H

#include "instance/inner.h"
#include "instance/replay.h"
#include "store/decode.h"

typedef struct wf_past {
    wfsm_store *store;
    wfsm_error *error;
    /* Its snapshot is the state, its digest that of the record, its machine the document. */
    wf_replay replay;
    wf_reader reader;
    bool reading; /* the reader has the values of the context */
    /* the head */
    uint64_t last, first, snapshot_revision, acknowledged;
    char token[WF_DIGEST_HEX];
    uint64_t target; /* the revision that it goes to */
    bool confirmed; /* by the digest that the next record, or the head, has */
    bool waits; /* for the document that the next record needs */
} wf_past;

/*
 * Goes to a revision. INVALID: 0. NOT_FOUND: the journal does not have it; the message says what
 * it has. CORRUPT: the journal does not lead there. NO_MEMORY, or the store's error.
 * wf_past_begin() begins in the best state that the store has. wf_past_end() must be called in any
 * case. wf_past_continue() goes forward from there.
 */
int32_t wf_past_begin(wf_past *past, wfsm_store *store, const char *instance, uint64_t revision,
                      wfsm_error *error);
int32_t wf_past_continue(wf_past *past, uint64_t revision);
void wf_past_end(wf_past *past);

/* Appends the state as text, a snapshot without effects, from which an instance can be restored
 * or forked. The effects belong to the instance that made them. */
int32_t wf_past_write(wf_past *past, wf_buffer *out);

/* A function that reads the state at revision `from`. */
typedef struct wf_past_reader {
    uint64_t from;
    int32_t (*read)(void *user, wf_past *past);
    void *user;
} wf_past_reader;
/* Calls the reader in one view of the store. In a store without views it is called again if
 * somebody has committed or compacted meanwhile, and what is stored did not agree. */
int32_t wf_past_read(wfsm_store *store, const char *instance, const wf_past_reader *reader,
                     wfsm_error *error);
/* Appends the text of a revision, as wf_past_write(). */
int32_t wf_past_text(wfsm_store *store, const char *instance, uint64_t revision, wf_buffer *out,
                     wfsm_error *error);
#endif
