/*
 * store/memory.h: the inside of the memory store. It copies what it is given. What it
 * returns is borrowed until the next call. A call that runs out of memory changes nothing: it
 * allocates everything first, and linking it in cannot fail.
 *
 *   memory_store.c     opening and closing
 *   memory_table.c     instances by id
 *   memory_instance.c  one instance
 *   memory_commit.c    commits; memory_check.c refuses those that cannot be stored (memory_chain.h)
 *   memory_read.c      heads, records, snapshots, checkpoints, lists, documents
 *   memory_inbox.c     posts
 *   memory_owner.c     acknowledgements, owners and what concerns them, removal
 *   memory_permits.c   permits of limits that sessions share
 *   memory_rates.c     rates that sessions share
 *   memory_cut.c       compaction
 */
#ifndef WF_STORE_MEMORY_H
#define WF_STORE_MEMORY_H

#include <stdbool.h>
#include <wfsm/store.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "store/token_bucket.h"

/* Text that is replaced often, so its memory is kept. */
typedef struct wf_slot {
    char *data;
    size_t capacity;
} wf_slot;

typedef struct wf_blob {
    char *data;
    size_t length;
} wf_blob;

typedef struct wf_document {
    char *fingerprint;
    wf_blob text;
} wf_document;

/* One block of memory: the record, its event id and its text. */
typedef struct wf_stored_record {
    int64_t now;
    const char *event_id;
    const char *text;
    size_t length;
} wf_stored_record;

typedef struct wf_stored_checkpoint {
    char *id;
    uint64_t revision;
    int64_t now;
    wf_blob snapshot, artifacts;
} wf_stored_checkpoint;

/* What became of an event id; event_states has it by the number of the id in `events`. */
enum wf_event_state { WF_EVENT_FREE = 0, WF_EVENT_POSTED = 1, WF_EVENT_RECORDED = 2 };

/* One block of memory, in two lists: all posts of the store, and those of its instance. */
typedef struct wf_stored_post {
    struct wf_stored_post *next, *previous;
    struct wf_stored_post *next_here, *previous_here;
    struct wf_stored_instance *instance;
    uint64_t number;
    uint32_t event; /* number of its id in the instance's `events`, or WF_NONE */
    int64_t now;
    const char *name;
    const char *data;
    size_t length;
    const char *sender; /* may be NULL */
    int32_t kind, interface;
    bool taken; /* by a commit that is being prepared */
} wf_stored_post;

typedef struct wf_stored_instance {
    struct wf_stored_instance *next; /* in the same bucket */
    uint32_t hash;
    char *id;
    wf_slot machine, owner, token, tags, attributes;
    uint32_t document; /* index */
    uint64_t revision, snapshot_revision, effects, acknowledged;
    int32_t status;
    int64_t deadline, created, updated;
    wf_blob snapshot;           /* the latest full one */
    uint64_t first;             /* revision of the oldest record that is kept */
    wf_blob anchor; /* the state after that record, once older ones were removed */
    wf_stored_record **records; /* of revision first + i */
    size_t record_count, record_capacity;
    wf_stored_checkpoint *checkpoints; /* oldest first */
    size_t checkpoint_count, checkpoint_capacity;
    wf_names events;
    uint8_t *event_states;
    size_t event_capacity;
    wf_stored_post *first_post, *last_post;
} wf_stored_instance;

typedef struct wf_owner {
    char *name;
    int64_t until;
    uint64_t changes; /* how many of its instances were taken over or removed */
} wf_owner;

/* What a session has of a limit that sessions share, and wants. */
typedef struct wf_permit_row {
    int32_t kind;
    char *name, *session;
    uint32_t count, wanted;
    int64_t since; /* when it began to wait for more */
} wf_permit_row;

/* A rate that sessions share. */
typedef struct wf_rate_row {
    int32_t kind;
    char *name;
    wf_token_bucket bucket;
} wf_rate_row;

typedef struct wf_memory {
    wfsm_allocator allocator;
    wf_stored_instance **buckets; /* a power of two of them */
    size_t bucket_count;
    size_t instance_count;
    wf_document *documents;
    size_t document_count, document_capacity;
    wf_owner *owners;
    size_t owner_count, owner_capacity;
    wf_permit_row *permits;
    size_t permit_count, permit_capacity;
    wf_rate_row *rates;
    size_t rate_count, rate_capacity;
    wf_stored_post *first_post, *last_post;
    uint64_t last_number;
} wf_memory;

/* memory_table.c: instances by id */
wf_stored_instance *wf_memory_find(const wf_memory *memory, const char *id);
/* Makes room for one more; false when out of memory. */
bool wf_memory_reserve(wf_memory *memory);
void wf_memory_link(wf_memory *memory, wf_stored_instance *instance);
void wf_memory_unlink(wf_memory *memory, wf_stored_instance *instance);
/* As wf_memory_find(); NOT_FOUND if there is no such instance. */
int32_t wf_memory_need(const wf_memory *memory, const char *id, wf_stored_instance **out,
                       wfsm_error *error);

/* memory_instance.c: one instance */
wf_stored_instance *wf_stored_instance_new(const wfsm_allocator *allocator, const char *id);
/* Its posts have been freed. */
void wf_stored_instance_free(const wfsm_allocator *allocator, wf_stored_instance *instance);
void wf_stored_head(const wf_memory *memory, const wf_stored_instance *instance,
                    wfsm_head *head);
/* It has ended, and not all of its effects are acknowledged. */
bool wf_stored_owes_effects(const wf_stored_instance *instance);
bool wf_slot_reserve(const wfsm_allocator *allocator, wf_slot *slot, const char *text);
/* wf_slot_reserve() has made room. */
void wf_slot_set(wf_slot *slot, const char *text);
void wf_stored_checkpoint_fini(const wfsm_allocator *allocator,
                               wf_stored_checkpoint *checkpoint);
/* Its index in the list, or the length of the list. */
size_t wf_stored_checkpoint_find(const wf_stored_instance *instance, const char *id);
bool wf_blob_copy(const wfsm_allocator *allocator, wf_blob *blob, const char *text,
                  size_t length);
/* The number of an event id, made if it is new; WF_NONE when out of memory. */
uint32_t wf_stored_event(const wfsm_allocator *allocator, wf_stored_instance *instance,
                         const char *event_id);
enum wf_event_state wf_stored_event_state(const wf_stored_instance *instance,
                                          const char *event_id);

/* memory_inbox.c */
/* Passes the post on. */
int32_t wf_memory_pass_post(const wf_stored_post *post, wfsm_row_sink sink, void *user);
wf_stored_post *wf_memory_post_of(const wf_stored_instance *instance, uint64_t number);
void wf_memory_post_free(wf_memory *memory, wf_stored_post *post);

/* memory_owner.c: somebody else does something to the instance: its owner is to know it. */
void wf_memory_tell_owner(const wf_memory *memory, const wf_stored_instance *instance);
/* The session has a row that has not lapsed. */
bool wf_memory_is_alive(const wf_memory *memory, const char *session, int64_t now);

/* memory_permits.c */
void wf_memory_permits_free(wf_memory *memory);

/* memory_rates.c */
void wf_memory_rates_free(wf_memory *memory);

/* The vtable's calls. */
int32_t wf_memory_commit(void *self, const wfsm_commit *const *commits, size_t count,
                         int32_t *answers, wfsm_error *error);
int32_t wf_memory_head(void *self, const char *instance, wfsm_head *head, wfsm_error *error);
int32_t wf_memory_records(void *self, const char *instance, uint64_t from, uint64_t to,
                          wfsm_row_sink sink, void *user, wfsm_error *error);
int32_t wf_memory_snapshot(void *self, const char *instance, const char *checkpoint,
                           wfsm_row_sink sink, void *user, wfsm_error *error);
int32_t wf_memory_checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                              wfsm_error *error);
int32_t wf_memory_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                       wfsm_error *error);
int32_t wf_memory_document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                           wfsm_error *error);
int32_t wf_memory_seen(void *self, const char *instance, const char *event_id, int32_t *seen,
                       wfsm_error *error);
int32_t wf_memory_post(void *self, const wfsm_post *post, wfsm_error *error);
int32_t wf_memory_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                        void *user, wfsm_error *error);
int32_t wf_memory_changes(void *self, wfsm_changes *asked, wfsm_row_sink sink, void *user,
                          wfsm_error *error);
int32_t wf_memory_lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                         wfsm_error *error);
int32_t wf_memory_permits(void *self, const char *session, int64_t now,
                          wfsm_permit *const *permits, size_t count, wfsm_error *error);
int32_t wf_memory_rates(void *self, int64_t now, wfsm_rate *const *rates, size_t count,
                        wfsm_error *error);
int32_t wf_memory_acknowledge(void *self, const char *instance, uint64_t effect,
                              wfsm_error *error);
int32_t wf_memory_claim(void *self, const char *session, int64_t mine, int64_t now,
                        int64_t until, wfsm_error *error);
int32_t wf_memory_owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error);
int32_t wf_memory_disown(void *self, const char *instance, const char *owner,
                         wfsm_error *error);
int32_t wf_memory_own(void *self, const char *instance, const char *owner, int64_t now,
                      wfsm_error *error);
int32_t wf_memory_remove(void *self, const char *instance, wfsm_error *error);
int32_t wf_memory_cut(void *self, const char *instance, uint64_t revision, const char *snapshot,
                      size_t length, wfsm_error *error);
int32_t wf_memory_anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                         wfsm_error *error);
#endif
