/*
 * store/decode_parts.h: the inside of decoding.
 *   decode.c            snapshots
 *   decode_record.c     records
 *   decode_parts.c      what all parts need: members, numbers, lists, errors
 *   decode_states.c     configuration and histories
 *   decode_context.c    context; decode_change.c: changes of its values; decode_values.c: where
 *                       they are
 *   decode_state.c      everything else, by the table of step/durable.c
 *   check_entries.c     what an entry must be beyond the types of its members
 *   decode_whole.c      whether the parts together are a state that an instance can be in
 */
#ifndef WF_STORE_DECODE_PARTS_H
#define WF_STORE_DECODE_PARTS_H

#include "store/decode.h"

/* What is being decoded. The text is parsed into the arena; its parts are copied into the
 * snapshot. */
typedef struct wf_decoder {
    wf_snapshot *snapshot;
    const wfsm_machine *machine;
    const wf_stored *stored;
    uint64_t record;  /* revision of the record that is applied, 0: a snapshot is read */
    int64_t format; /* of the text */
    uint64_t timers_before; /* number of the last timer before this record */
    uint64_t effects_before; /* number of the last effect before the one that is read */
    const char *list; /* for messages: the list that is being read; NULL: none */
    uint32_t index;
    wf_arena *arena, own;
    wfsm_error *error;
} wf_decoder;

/* WFSM_CORRUPT. The message gives the place, and what was expected. */
int32_t wf_corrupt(const wf_decoder *decoder, const char *format, ...) WF_PRINTF(2, 3);

/* The value must be an object with no other keys than these; a NULL ends the list. */
int32_t wf_read_fields(const wf_decoder *decoder, const wf_value *object,
                       const char *const *keys, wf_fields *fields);
/* One member; NULL if it is missing or of another type. */
const wf_value *wf_found(const wf_fields *fields, int key, enum wf_type type);
/* The same, with CORRUPT instead of NULL. */
int32_t wf_need(const wf_decoder *decoder, const wf_fields *fields, int key, enum wf_type type,
                const wf_value **found);
/* "a number", … */
const char *wf_type_name(enum wf_type type);
bool wf_is_number(const wf_value *value, int64_t *number);
/* A whole number from `least` to 2^53. */
int32_t wf_need_number(const wf_decoder *decoder, const wf_fields *fields, int key,
                       int64_t least, int64_t *number);
/* The string must be there and be this one. */
int32_t wf_need_text(const wf_decoder *decoder, const wf_fields *fields, int key,
                     const char *text);
/* The state of a path, or WF_NONE. */
uint32_t wf_state_of(const wf_decoder *decoder, const wf_value *path);

typedef int32_t wf_decode(wf_decoder *decoder, const wf_value *value);
/* The arena: that of the caller, or one of its own. */
void wf_decode_begin(wf_decoder *decoder);
void wf_decode_end(wf_decoder *decoder);
/* Reads the text as an object with these keys, and those of the state. "format" is checked first,
 * so that a newer format is recognized whatever else has changed. */
int32_t wf_decode_parse(wf_decoder *decoder, const char *const *keys, wf_fields *fields);
/* A part that may be missing only if `required` is false. */
int32_t wf_decode_part(wf_decoder *decoder, const wf_fields *fields, int key, enum wf_type type,
                       bool required, wf_decode *decode);
/* The keys with which records and snapshots begin. */
enum {
    WF_HEAD_FORMAT,
    WF_HEAD_MACHINE,
    WF_HEAD_FINGERPRINT,
    WF_HEAD_REVISION,
    WF_HEAD_NOW,
    WF_HEAD_LIMITS,
    WF_HEAD_KEYS
};
#define WF_HEAD "format", "machine", "fingerprint", "revision", "now", "limits"
/* The time, which must not run backwards. */
int32_t wf_decode_now(wf_decoder *decoder, const wf_fields *fields);
/* Machine and fingerprint, which must be those of the decoder's machine. */
int32_t wf_decode_document(const wf_decoder *decoder, const wf_fields *fields);
wf_decode wf_decode_step_limits; /* object: the limits in force */
wf_decode wf_decode_configuration; /* array of leaves, in document order */
wf_decode wf_decode_histories; /* object */
wf_decode wf_decode_set; /* object: keys and their values */
wf_decode wf_decode_unset; /* object: removed keys, each null */
wf_decode wf_decode_changed; /* object: keys and their changes */
/* decode_change.c: applies a change to an object or array. The result borrows from `old`, and from
 * the reader's values or, without a reader, from the change. */
int32_t wf_decode_change(wf_decoder *decoder, const wf_value *old, const wf_value *change,
                         wf_value *result);
/* decode_values.c: throws away what no key of the context uses any more, if it is much. */
int32_t wf_reader_sweep(wf_reader *reader, wf_snapshot *snapshot, wfsm_error *error);

/* Keys of the state, before those of the lists (two of each) and of wf_singles. */
enum {
    WF_STATE_FROM,
    WF_STATE_CONFIGURATION,
    WF_STATE_HISTORIES,
    WF_STATE_SET,
    WF_STATE_UNSET,
    WF_STATE_CHANGED,
    WF_STATE_LISTS
};
int32_t wf_decode_state(wf_decoder *decoder, const wf_fields *fields);
/* CORRUPT unless the entry fits the document and the state. `before` is what a record changes. */
int32_t wf_check_entry(wf_decoder *decoder, int kind, void *made, const void *before);
/* CORRUPT unless the items of each invocation are complete. */
int32_t wf_check_sets(const wf_decoder *decoder);

/* CORRUPT unless the parts together are a state that an instance can be in. */
int32_t wf_check_whole(const wf_decoder *decoder);
#endif
