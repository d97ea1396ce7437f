/*
 * instance/replay.h: replays a journal. The inputs and the answers of the host come from the
 * records. What the step then writes must equal what is stored.
 */
#ifndef WF_INSTANCE_REPLAY_H
#define WF_INSTANCE_REPLAY_H

#include <wfsm/store.h>
#include "base/digest.h"
#include "step/step.h"

/* A checkpoint as the replay made it. */
typedef struct wf_kept {
    char *id, *text, *artifacts; /* artifacts: JSON */
    size_t length;
    uint64_t revision;
    int64_t now;
    wfsm_machine *machine; /* a reference: its document */
} wf_kept;

typedef struct wf_replay wf_replay;
struct wf_replay {
    wfsm_allocator allocator;
    char id[256];
    wfsm_machine *machine;  /* a reference; NULL before the first record */
    wf_snapshot snapshot;
    wf_step step;
    wf_snapshot before;     /* a migration: the state under the old document */
    wfsm_machine *left;     /* and that document, a reference; else NULL */
    wf_arena arena;         /* of the present record */
    wf_value record;        /* as it is stored */
    uint32_t next_answer;   /* index of the host's answer that is used next */
    uint32_t asked;         /* the place in the ledger's changes that was read last */
    bool cut; /* it began at an anchor: there may be checkpoints from before it */
    wf_names gone; /* ids of such checkpoints that were deleted since then */
    char digest[WF_DIGEST_HEX]; /* of the last record */
    wf_buffer written;      /* the record as it should be */
    wf_buffer full;         /* the snapshot after it */
    wf_kept *kept;
    size_t kept_count, kept_capacity;
    const char *checkpoint; /* made by the last record, or ""; lives as long as the record */
    const char *wrong; /* what is wrong with the record; static */
    char wanted[WF_DIGEST_HEX]; /* fingerprint of the document that the record needs */
    /* NULL: replay->written must be the stored record. Otherwise the document is another one than
     * the journal's, and this compares the two: OK, CORRUPT or NO_MEMORY. */
    int32_t (*compare)(wf_replay *replay);
};

void wf_replay_init(wf_replay *replay, const char *id, const wfsm_allocator *allocator);
void wf_replay_fini(wf_replay *replay);
/* Sets the document of the next records, whose fingerprint is replay->wanted: the first
 * document, or that of a migration. Takes a reference. False when out of memory. */
bool wf_replay_enter(wf_replay *replay, wfsm_machine *machine);

/*
 * Replays the next record. WFSM_OK: the result is byte for byte the same, and replay->snapshot
 * is the state after it; with `full`, replay->full is its snapshot as text.
 * WFSM_NOT_FOUND: the record needs another document. Call wf_replay_enter(), then this again.
 * WFSM_CORRUPT: replay->wrong says why; the replay cannot continue. NO_MEMORY.
 */
int32_t wf_replay_record(wf_replay *replay, const char *text, size_t length, bool full,
                         wfsm_error *error);
/* Loads the document that the next record needs, and enters it. NOT_FOUND if it is missing or
 * has another fingerprint. */
int32_t wf_replay_document(wf_replay *replay, wfsm_store *store, wfsm_error *error);
/* Begins where a journal that was cut begins: after the record of its anchor, in the state that
 * the anchor has. NOT_FOUND without an anchor; CORRUPT: replay->wrong. */
int32_t wf_replay_anchor(wf_replay *replay, wfsm_store *store, wfsm_error *error);
/* The same from the last full snapshot (checkpoint NULL), or from that of a checkpoint. */
int32_t wf_replay_snapshot(wf_replay *replay, wfsm_store *store, const char *checkpoint,
                           wfsm_error *error);
/* True if this is the record that the anchor was made of. Only right after
 * wf_replay_anchor(). */
bool wf_replay_is_anchor(const wf_replay *replay, const wfsm_row *row);
/* Reads a record into replay->record without replaying it. CORRUPT, NO_MEMORY. */
int32_t wf_replay_look(wf_replay *replay, const char *text, size_t length, wfsm_error *error);
/* What the last record did besides changing the state. */
typedef struct wf_replay_note {
    const char *checkpoint, *deleted; /* ids of checkpoints, or "" */
    bool migrates;
} wf_replay_note;
wf_replay_note wf_replay_noted(const wf_replay *replay);
/* The event id of the last record that was replayed or read; "": none; NULL: its input is of a kind
 * whose record does not say under which id it was posted. */
const char *wf_replay_event_id(const wf_replay *replay);
/* The revision that the last record restored, or 0; and the state that it went back to, as text. */
uint64_t wf_replay_restored(const wf_replay *replay);
void wf_replay_write_restored(const wf_replay *replay, wf_buffer *out);
/* The digest that this record has of the one before it. */
const char *wf_replay_previous(const wf_replay *replay);
/* Writes the state as it is now to replay->full. */
int32_t wf_replay_write(wf_replay *replay, wfsm_error *error);
/* Whether a checkpoint of that id, made before the anchor, may be there. */
bool wf_replay_may_have(const wf_replay *replay, const char *id);
/* The newest checkpoint of that id; NULL if there is none. */
const wf_kept *wf_replay_checkpoint(const wf_replay *replay, const char *id);
#endif
