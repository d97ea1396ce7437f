/*
 * store/decode.h: stored bytes are read back into a snapshot. Everything is checked: format,
 * fingerprint, revision, names, types, order, and whether the whole state is legal. An unknown
 * member is an error, as a missing one is. Writing what was read gives the same JSON again.
 */
#ifndef WF_STORE_DECODE_H
#define WF_STORE_DECODE_H

#include "store/record.h"

/* The members of a text, by the number of their key. NULL: the member is missing. */
enum { WF_FIELDS = 64 };
typedef struct wf_fields {
    const char *keys[WF_FIELDS]; /* in the order in which they are written; NULL ends them */
    const wf_value *found[WF_FIELDS];
    uint32_t count;   /* of keys; 0: they are not filled in yet */
    uint32_t state;   /* the first key of the state, WF_STATE_FROM */
    uint32_t singles; /* the first key of the fields of wf_singles */
} wf_fields;

/* Memory for a snapshot and many records that are applied to it. The snapshot borrows the values of
 * its context from here, so that a record costs what it changes, not what it leaves. */
typedef struct wf_reader {
    wf_arena scratch; /* of the present text */
    wf_arena values; /* of the context, with some that are no longer used */
    size_t used; /* bytes of values after they were last swept */
    wf_fields fields; /* of records */
} wf_reader;

/* Takes over the values of the context. When out of memory the reader has ended. */
int32_t wf_reader_begin(wf_reader *reader, wf_snapshot *snapshot, wfsm_error *error);
/* If the status is OK, gives each value of the context a block of its own, and the snapshot can be
 * used as any other. Else, also when out of memory, its context is empty and it can be freed. */
int32_t wf_reader_end(wf_reader *reader, wf_snapshot *snapshot, int32_t status,
                      wfsm_error *error);

/* Stored text, and what it should belong to. */
typedef struct wf_stored {
    const char *instance; /* id */
    const char *checkpoint; /* the id that a snapshot must have; NULL: any or none */
    const char *text;
    size_t length;
    wf_reader *reader; /* NULL: the snapshot has its own values */
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
/* Reads the budgets of a snapshot or of a fork. False if it is anything else. */
bool wf_budgets_read(wf_snapshot *snapshot, const wf_value *budgets);

/* Applies the changes of the next record. `digest` is the digest of the record before, and
 * becomes that of this one. Fails as wf_snapshot_read(). Whether the text is what was
 * committed shows only in the digest that the next record, or the head, has of it. */
int32_t wf_record_apply(wf_snapshot *snapshot, const wf_stored *stored,
                        char digest[WF_DIGEST_HEX], wfsm_error *error);

#endif
