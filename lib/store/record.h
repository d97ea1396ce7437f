/*
 * store/record.h: what is stored of a step, as JSON text: the record of one commit (input
 * and changes) and the full snapshot. doc/records.md describes both. Reading them back is
 * decode.h.
 */
#ifndef WF_STORE_RECORD_H
#define WF_STORE_RECORD_H

#include "base/buffer.h"
#include "base/digest.h"
#include "step/step.h"

/* Version of both formats; a newer one is answered with WFSM_VERSION. */
enum { WF_FORMAT = 1 };

typedef struct wf_record {
    const wf_value *input; /* {"kind", …} */
    int32_t outcome;
    const char *previous; /* digest of the record before, "" for the first */
    bool migrates;        /* goes on under another document */
} wf_record;

/* Appends the record of an open draft; its revision is the snapshot's + 1. It names the
 * document only where that begins: the chain of digests ties the others to this one. */
void wf_record_write(wf_buffer *out, const wf_step *step, const wf_record *record);

/* What a snapshot says of itself beyond the state. */
typedef struct wf_snapshot_note {
    const char *instance;   /* id */
    const char *checkpoint; /* id, or NULL */
    uint64_t revision;      /* an open draft's is one more than the snapshot's own */
    const char *digest;     /* of the record of that revision */
} wf_snapshot_note;

/* Appends the snapshot, with a checksum over its own text as the last member. */
void wf_snapshot_write(wf_buffer *out, const wf_snapshot *snapshot,
                       const wf_snapshot_note *note);

/* Parts that others print as well. */
void wf_write_configuration(wf_buffer *out, const wfsm_machine *machine,
                            const uint64_t *active);
/* {NAME: {"used" or "since", "limit", "raised"?}, …} of those that differ from `before` (NULL:
 * all), in the order of the document. */
void wf_write_budgets(wf_buffer *out, const wfsm_machine *machine, const wf_spent *budgets,
                      const wf_spent *before);
void wf_write_state_path(wf_buffer *out, const wf_state *state);
/* Tags of the active states, separated by spaces; "" is written, too. */
void wf_write_tags(wf_buffer *out, const wf_snapshot *snapshot);
void wf_digest_text(const char *text, size_t length, char out[WF_DIGEST_HEX]);
/* The end of a snapshot whose text before it is this: `,"checksum":"…"}`. */
enum { WF_CHECKSUM_BYTES = WF_DIGEST_HEX + 14 };
void wf_checksum_text(const char *text, size_t length, char out[WF_CHECKSUM_BYTES + 1]);
#endif
