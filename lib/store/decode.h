/*
 * store/decode.h: stored bytes back to a snapshot. Nothing is believed: format, fingerprint,
 * revision, names, types, order and the legality of the whole state are checked, and nothing
 * is ignored: a member that is not known is as wrong as one that is missing. What is read
 * would be written again as the same JSON.
 */
#ifndef WF_STORE_DECODE_H
#define WF_STORE_DECODE_H

#include "store/record.h"

/* Stored text, and where it should come from. */
typedef struct wf_stored {
    const char *instance;   /* id */
    const char *checkpoint; /* of a snapshot: its id; NULL: whatever it says */
    const char *text;
    size_t length;
    wf_arena *arena; /* to read it with, empty before and after; NULL: one is made */
} wf_stored;

/*
 * Fills in a snapshot that wf_snapshot_init() made. *digest receives that of its last
 * record. Fails with CORRUPT (what and where), VERSION, NO_MEMORY; the snapshot is then good
 * for wf_snapshot_fini() only.
 */
int32_t wf_snapshot_read(wf_snapshot *snapshot, const wf_stored *stored,
                         char digest[WF_DIGEST_HEX], wfsm_error *error);

/* What wf_write_budgets() wrote of all budgets; false if it is not that. */
bool wf_budgets_read(wf_snapshot *snapshot, const wf_value *budgets);

/* Applies the changes of the next record; `digest` is that of the one before and becomes
 * this one's. As above. That the text is what was committed shows only in the digest that
 * the next record, or the head, has of it. */
int32_t wf_record_apply(wf_snapshot *snapshot, const wf_stored *stored,
                        char digest[WF_DIGEST_HEX], wfsm_error *error);

#endif
