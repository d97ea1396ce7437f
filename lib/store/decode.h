/*
 * store/decode.h: stored bytes are read back into a snapshot. Everything is checked: format,
 * fingerprint, revision, names, types, order, and whether the whole state is legal. An unknown
 * member is an error, as a missing one is. Writing what was read gives the same JSON again.
 */
#ifndef WF_STORE_DECODE_H
#define WF_STORE_DECODE_H

#include "store/record.h"

/* Stored text, and what it should belong to. */
typedef struct wf_stored {
    const char *instance;   /* id */
    const char *checkpoint; /* the id that a snapshot must have; NULL: any or none */
    const char *text;
    size_t length;
    wf_arena *arena; /* scratch memory, empty before and after; NULL: one is made */
} wf_stored;

/*
 * Fills in a snapshot that wf_snapshot_init() made. *digest receives the digest of its last
 * record. Fails with CORRUPT (the message says what and where), VERSION or NO_MEMORY. The
 * snapshot may then only be passed to wf_snapshot_fini().
 */
int32_t wf_snapshot_read(wf_snapshot *snapshot, const wf_stored *stored,
                         char digest[WF_DIGEST_HEX], wfsm_error *error);

/* Reads `limits` of a record. False if it is anything else. */
bool wf_limits_read(wf_limits *limits, const wf_value *object);
/* Reads what wf_write_budgets() wrote of all budgets. False if it is anything else. */
bool wf_budgets_read(wf_snapshot *snapshot, const wf_value *budgets);

/* Applies the changes of the next record. `digest` is the digest of the record before, and
 * becomes that of this one. Fails as wf_snapshot_read(). Whether the text is what was
 * committed shows only in the digest that the next record, or the head, has of it. */
int32_t wf_record_apply(wf_snapshot *snapshot, const wf_stored *stored,
                        char digest[WF_DIGEST_HEX], wfsm_error *error);

#endif
