/*
 * copy.h: copies instances from one store to another: journals byte for byte, checkpoints with their
 * artifacts, documents, waiting posts, and which effects are acknowledged.
 *
 * While an instance is being copied, it belongs to COPY_OWNER in the other store. This owner never
 * lapses, so no engine adopts the instance. copy_release() gives it up when all of it is there. If a copy
 * was interrupted, the next one copies the unfinished instance again.
 */
#ifndef WFSM_COPY_H
#define WFSM_COPY_H

#include "wfsm/owned.h"
#include "wfsm/stored.h"

#define COPY_OWNER "(copying)"

typedef struct copying {
    wfsm_store *from, *to;
    const char *from_path, *to_path;
    wfsm_error *error;
    char name[OWNED_NAME_BYTES]; /* the owner in `from` of what is being copied */
    int64_t alive; /* until when that owner is alive */
} copying;

enum copy_result {
    COPY_DONE, /* all of it is there, and belongs to COPY_OWNER */
    COPY_THERE, /* it was there before: the same instance, perhaps further on */
    COPY_REFUSED /* nothing can use what is there of it; the reason is said */
};

enum copy_result copy_instance(copying *self, const char *id);
/* Nobody owns the copy from now on. False with the reason said. */
bool copy_release(copying *self, const char *id);
/* Is called before the first and after the last. */
bool copy_begin(copying *self);
void copy_end(copying *self);

/* ---- for copy_instance() ---- */

typedef struct copy_checkpoint {
    char *id, *artifacts;
    uint64_t revision;
    int64_t now;
} copy_checkpoint;

/* What `from` has of an instance beside its records and posts. */
typedef struct copy_source {
    stored_head head;
    cli_text snapshot; /* the last */
    cli_text anchor;   /* of a compacted journal */
    copy_checkpoint *checkpoints;
    size_t checkpoint_count;
} copy_source;

int32_t copy_read_source(copy_source *source, wfsm_store *store, const char *id,
                         wfsm_error *error);
void copy_source_free(copy_source *source);
/* The checkpoint of that revision; NULL: none. */
const copy_checkpoint *copy_checkpoint_at(const copy_source *source, uint64_t revision);
/* The fingerprint of the document in a record or snapshot; NULL: it names none. To be freed. */
char *copy_fingerprint(const char *text, size_t length);
/* For reading one row. */
int32_t copy_row_text(void *user, const wfsm_row *row);

/* Writes the journal and what belongs to its commits. */
int32_t copy_write(copying *self, const copy_source *source);
/* Renews the lease of the process that copies; a long journal takes a while. */
int32_t copy_stay_alive(copying *self);

/* Copies the posts that wait. */
int32_t copy_posts(copying *self, const char *id);
/* *same: both stores have the same posts for the instance. */
int32_t copy_same_posts(copying *self, const char *id, bool *same);
#endif
