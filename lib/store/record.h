/*
 * store/record.h: what is stored of a step, as JSON text: the record of one commit (its input
 * and changes), and the full snapshot. doc/records.md describes both. decode.h reads them back.
 */
#ifndef WF_STORE_RECORD_H
#define WF_STORE_RECORD_H

#include "base/buffer.h"
#include "base/digest.h"
#include "step/step.h"

/* Version of both formats. A newer one is refused with WFSM_VERSION. */
enum { WF_FORMAT = 1 };

typedef struct wf_record {
    const wf_value *input; /* {"kind", …} */
    int32_t outcome;
    const char *previous; /* digest of the record before, "" for the first */
    bool migrates;        /* the instance continues under another document */
} wf_record;

/* Appends the record of an open draft; its revision is the snapshot's + 1. Only the first
 * record of a document names it. The chain of digests binds the others to it. */
void wf_record_write(wf_buffer *out, const wf_step *step, const wf_record *record);

/* What a snapshot contains besides the state. */
typedef struct wf_snapshot_note {
    const char *instance; /* id */
    const char *checkpoint; /* id, or NULL */
    uint64_t revision; /* of an open draft: one more than the snapshot's own */
    const char *digest; /* of the record of that revision */
} wf_snapshot_note;

/* Appends the snapshot. Its last member is a checksum of the text before it. */
void wf_snapshot_write(wf_buffer *out, const wf_snapshot *snapshot,
                       const wf_snapshot_note *note);

/* Parts that are printed elsewhere too. */
void wf_write_configuration(wf_buffer *out, const wfsm_machine *machine,
                            const uint64_t *active);
void wf_write_state_path(wf_buffer *out, const wf_state *state);
/* Tags of the active states, separated by spaces; "" if there are none. */
void wf_write_tags(wf_buffer *out, const wf_snapshot *snapshot);
/* The attributes that the document names, a JSON object with ascending names; "{}" without any. One whose
 * rule fails, or gives what no attribute can be, is not in it. */
void wf_write_attributes(wf_buffer *out, const wf_snapshot *snapshot);
/* Whether these are the same. A store may have written the numbers in its own way. False, too, if memory
 * runs out. */
bool wf_attributes_same(const char *left, const char *right, const wfsm_allocator *allocator);
/* INVALID unless this is such an object. NULL is fine. */
int32_t wf_attributes_check(const char *text, const wfsm_allocator *allocator,
                            wfsm_error *error);
void wf_digest_text(const char *text, size_t length, char out[WF_DIGEST_HEX]);
/* The end of a snapshot, `,"checksum":"…"}`, computed from the text before it. */
enum { WF_CHECKSUM_BYTES = WF_DIGEST_HEX + 14 };
void wf_checksum_text(const char *text, size_t length, char out[WF_CHECKSUM_BYTES + 1]);
#endif
