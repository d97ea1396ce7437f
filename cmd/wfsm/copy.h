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

/* Instances of a group, and of an exchange that gives them up. */
enum { COPY_GROUP = 256 };

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
    COPY_REFUSED, /* nothing can use what is there of it; the reason is said */
    COPY_ALONE /* of a group only: it has to be copied by itself */
};

/* Copies one instance, whatever is there of it. */
enum copy_result copy_instance(copying *self, const char *id);
/* Copies up to COPY_GROUP different instances with few exchanges. The ids are in the order of strcmp().
 * Those that are COPY_ALONE afterwards are for copy_instance(). Returns the bytes that were read of
 * them at once. */
size_t copy_group(copying *self, const char *const *ids, size_t count,
                  enum copy_result *results);
/* Nobody owns the copy from now on. False with the reason said. */
bool copy_release(copying *self, const char *id);
/* The same for up to COPY_GROUP of them; released[] tells which. */
void copy_release_group(copying *self, const char *const *ids, size_t count, bool *released);
/* Is called before the first and after the last. */
bool copy_begin(copying *self);
void copy_end(copying *self);

/* ---- for copy_instance() and copy_group() ---- */

typedef struct copy_checkpoint {
    char *id, *artifacts;
    uint64_t revision;
    int64_t now;
} copy_checkpoint;

/* What `from` has of an instance beside its records and posts. */
typedef struct copy_source {
    stored_head head;
    cli_text snapshot; /* the last */
    cli_text anchor; /* of a compacted journal */
    copy_checkpoint *checkpoints;
    size_t checkpoint_count;
    int32_t answer; /* of `to`, to the first of its commits that it has not stored */
} copy_source;

int32_t copy_read_source(copy_source *source, wfsm_store *store, const char *id,
                         wfsm_error *error);
/* All but the head and the last snapshot, which are there. */
int32_t copy_read_rest(copy_source *source, wfsm_store *store, wfsm_error *error);
void copy_source_free(copy_source *source);
/* The checkpoint of that revision; NULL: none. */
const copy_checkpoint *copy_checkpoint_at(const copy_source *source, uint64_t revision);
/* The fingerprint of the document in a record or snapshot; NULL: it names none. To be freed. */
char *copy_fingerprint(const char *text, size_t length);
/* For reading one row. */
int32_t copy_row_text(void *user, const wfsm_row *row);
bool copy_same_head(const stored_head *here, const wfsm_head *there);

/* Writes journals and what belongs to their commits, of any number of instances one after the other.
 * copy_write() gathers, and may write when enough has been gathered; copy_flush() writes the rest. The
 * sources must live until then. If a call does not return WFSM_OK, those that were not flushed may or may
 * not be stored. */
typedef struct copy_writing copy_writing;
copy_writing *copy_writing_new(copying *self);
int32_t copy_write(copy_writing *at, copy_source *source);
int32_t copy_flush(copy_writing *at);
void copy_writing_free(copy_writing *at);

/* Renews the lease of the process that copies; a long journal takes a while. */
int32_t copy_stay_alive(copying *self);

/* The same request for many instances: one exchange. */
typedef struct copy_question {
    wfsm_store *store;
    const char *session;
    int32_t kind; /* enum wfsm_request_kind */
    int32_t inbox; /* 1: posts for the instances of the session are rows, too */
    wfsm_row_sink sink; /* may be NULL if no rows come */
    void *user;
} copy_question;

/* Sets each answer, and returns what failed as a whole. */
int32_t copy_ask(const copy_question *asked, const char *const *ids, size_t count,
                 int32_t *answers, wfsm_error *error);

/* Posts that wait for an instance, oldest first. */
typedef struct copy_posts {
    wfsm_post *list;
    size_t count;
} copy_posts;

/* The sink of an inbox; `user` is copy_posts. */
int32_t copy_posts_add(void *user, const wfsm_row *row);
bool copy_posts_equal(const copy_posts *one, const copy_posts *two);
void copy_posts_free(copy_posts *all);
/* Copies the posts that wait. */
int32_t copy_posts_of(copying *self, const char *id);
/* *same: both stores have the same posts for the instance. */
int32_t copy_same_posts(copying *self, const char *id, bool *same);
#endif
