/*
 * store/decode.h: stored bytes back to a snapshot. Nothing is believed: format, fingerprint,
 * revision, names, types and the legality of the configuration are checked.
 */
#ifndef WF_STORE_DECODE_H
#define WF_STORE_DECODE_H

#include "store/record.h"

/*
 * Fills in a snapshot that wf_snapshot_init() made. *digest receives that of its last
 * record. Fails with CORRUPT (what and where), VERSION, NO_MEMORY; the snapshot is then good
 * for wf_snapshot_fini() only.
 */
int32_t wf_snapshot_read(wf_snapshot *snapshot, const char *text, size_t length,
                         char digest[WF_DIGEST_HEX], wfsm_error *error);

/* Applies the changes of the next record; `digest` is that of the one before and becomes
 * this one's. As above. */
int32_t wf_record_apply(wf_snapshot *snapshot, const char *text, size_t length,
                        char digest[WF_DIGEST_HEX], wfsm_error *error);

#endif
