/* store/decode_parts.h: reading checked members of stored JSON, and the parts that records
 * and snapshots share. */
#ifndef WF_STORE_DECODE_PARTS_H
#define WF_STORE_DECODE_PARTS_H

#include "store/decode.h"

/* What is being decoded: the text is parsed into the arena, parts land in the snapshot. */
typedef struct wf_decoder {
    wf_snapshot *snapshot;
    const wfsm_machine *machine;
    wf_arena *arena;
    wfsm_error *error;
} wf_decoder;

/* WFSM_CORRUPT with a message. */
int32_t wf_corrupt(const wf_decoder *decoder, const char *format, ...) WF_PRINTF(2, 3);

/* The member of an object; NULL if it is missing or of another type. */
const wf_value *wf_member_of(const wf_value *object, const char *key, enum wf_type type);
/* Whole numbers from 0 to 2^53; false if it is missing or something else. */
bool wf_number_of(const wf_value *object, const char *key, int64_t *number);

/* Format, fingerprint, revision and time, which must not run back. */
int32_t wf_decode_head(const wf_decoder *decoder, const wf_value *object, uint64_t *revision);
int32_t wf_decode_configuration(const wf_decoder *decoder, const wf_value *leaves);
int32_t wf_decode_histories(const wf_decoder *decoder, const wf_value *histories);
int32_t wf_decode_set(const wf_decoder *decoder, const wf_value *context);
int32_t wf_decode_unset(const wf_decoder *decoder, const wf_value *keys);
int32_t wf_decode_timer(const wf_decoder *decoder, const wf_value *timer);
int32_t wf_decode_invocation(const wf_decoder *decoder, const wf_value *invocation);
int32_t wf_decode_effect(const wf_decoder *decoder, const wf_value *effect);
int32_t wf_decode_output(const wf_decoder *decoder, const wf_value *output);

/* Calls `each` for every element; a missing list is an empty one. */
int32_t wf_decode_list(const wf_decoder *decoder, const wf_value *object, const char *key,
                       int32_t (*each)(const wf_decoder *, const wf_value *));
#endif
