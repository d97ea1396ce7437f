/*
 * sqlite/database.h: the SQLite store from the inside. It implements the vtable of
 * wfsm/store.h over the tables of doc/sqlite-schema.md, and sees public headers only.
 *
 * In reading order:
 *   database.c      opens and closes a store; new_file.c makes the file of a new one, connect.c
 *                   opens it and waits for locks
 *   beside.c        notices that the log is no longer the one that was opened
 *   generation.c    notices that the store is an older one than before; seen_file.c keeps what was
 *                   seen of it
 *   schema.c        creates the tables and recognises a file
 *   statement.c     all SQL; binds parameters and reads columns, and checks what it reads
 *   transaction.c   begins, commits and rolls back; decides between FAILED and UNKNOWN
 *   commits.c       a batch of commits: commit_check.c refuses, commit_write.c writes
 *   find.c          reads a head; head_cache.c keeps heads while nobody else writes
 *   conditions.c    conditions on attributes
 *   heads.c, journal.c, marks.c, snapshots.c, posts.c, ownership.c, row.c, cut.c
 *                   the other calls of the vtable
 *   since.c         what was committed since an earlier call
 *   shared.c        limits and rates that sessions share; their tables are made when they are needed
 *   integrity.c     wfsm_sqlite_check(); checksum.c has the SQL function behind it
 *   sqlite_error.c  error messages; sqlite_utf8.c checks text
 *
 * The journal is the truth. The head is a row of a dozen bytes that names its last row.
 */
#ifndef WF_SQLITE_DATABASE_H
#define WF_SQLITE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <wfsm/sqlite.h>
#include "statement.h"

/* marks.c: the keys of some rows of the journal that was read last, so that reading it page by
 * page does not walk back from its end for every page. */
enum { WF_SQLITE_MARKS = 1024 };
typedef struct wf_sqlite_marks {
    int64_t instance;              /* its key; 0: none */
    uint64_t spacing;              /* revisions from one to the next */
    int64_t keys[WF_SQLITE_MARKS]; /* of the row of revision (index * spacing); 0: unknown */
} wf_sqlite_marks;

/* find.c: a head, and the keys that lead from it to other rows. */
typedef struct wf_sqlite_found {
    wfsm_head head; /* its texts are valid until the next head is read */
    int64_t key, last, document;
    int64_t snapshot; /* the row of the last full snapshot; 0: none */
} wf_sqlite_found;

/* posts.c: the row of the journal that this handle wrote last. It is gone when the store was set back. */
typedef struct wf_sqlite_written {
    int64_t key; /* 0: none */
    char token[256];
    uint64_t losses; /* how often it was gone */
} wf_sqlite_written;

/* head_cache.c: a hash table of heads by instance id, bounded in bytes */
typedef struct wf_sqlite_entry wf_sqlite_entry;
typedef struct wf_sqlite_cache {
    wf_sqlite_entry **slots;
    size_t slot_count, count, bytes;
    uint64_t generation; /* entries of an earlier generation are invalid */
    uint32_t version; /* SQLite's data version of the file, for which the entries hold */
} wf_sqlite_cache;

/* beside.c: which file the log or its index was when the store was opened. */
enum { WF_SQLITE_BESIDE = 2 };
typedef struct wf_sqlite_identity {
    char *name;
    bool known;
    uint64_t device, node;
} wf_sqlite_identity;

/* generation.c: which store it is, by a random name, and how often it was begun to be written. */
enum { WF_SQLITE_NAME = 32 };
typedef struct wf_sqlite_generation {
    char store[WF_SQLITE_NAME + 1];
    int64_t number;
} wf_sqlite_generation;

typedef struct wf_sqlite {
    wfsm_allocator allocator;
    sqlite3 *connection;
    char *path; /* as given, for messages */
    bool read_only;
    int busy_ms, waited_ms; /* connect.c: how long to wait for a lock; the time waited so far */
    /* A commit failed so late that its bytes could come back after a crash. Nothing may be
     * answered until another commit has overwritten them. */
    bool unsettled;
    wf_sqlite_identity beside[WF_SQLITE_BESIDE];
    wf_sqlite_generation generation; /* the newest one that this handle knows */
    char *seen_file; /* its name */
    bool begun; /* this handle has begun a generation */
    bool changed; /* another connection has written since the generation was read */
    bool begins; /* the transaction that is open begins one */
    bool joined; /* calls that write are part of a transaction that is open */
    bool set_back; /* the store is older than what this handle knows of it */
    bool normal; /* commits are not synced */
    int readings; /* depth of nested read transactions */
    sqlite3_stmt *statements[WF_SQL_COUNT];
    /* The document found last: most commits are of the same machine. */
    char fingerprint[256];
    sqlite3_int64 document;
    wf_sqlite_marks marks;
    wf_sqlite_written written;
    wf_sqlite_cache cache;
} wf_sqlite;

/* sqlite_error.c: every message names the file. `code` is SQLite's; `what` says what failed. */
int32_t wf_sqlite_fail(const wf_sqlite *db, int code, const char *what, wfsm_error *error);
/* The same for a status that is not SQLite's. */
/* new_file.c: makes the file with the mode that was asked for, if there is none. */
int32_t wf_sqlite_make_file(wf_sqlite *db, const wfsm_sqlite_options *options,
                            wfsm_error *error);

int32_t wf_sqlite_refuse(const wf_sqlite *db, int32_t status, wfsm_error *error,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* True if the last failure of the file, or of its log, was a read that the system refused. */
bool wf_sqlite_unreadable(const wf_sqlite *db);
/* Forgets such failures. To be called when an operation begins. */
void wf_sqlite_forget_errors(const wf_sqlite *db);

/* sqlite_utf8.c: true for well-formed UTF-8 without NUL. */
bool wf_sqlite_utf8(const char *text, size_t length);

/* checksum.c: adds the SQL function wfsm_checksum(…), whose result is never negative. */
int wf_sqlite_add_checksum(sqlite3 *connection);

/* Memory from the store's allocator, not SQLite's. */
void *wf_sqlite_take(const wf_sqlite *db, size_t bytes);
void wf_sqlite_give(const wf_sqlite *db, void *block);

/* database.c: opens a file and prepares its statements. wf_sqlite_close() frees *made. */
int32_t wf_sqlite_make(wf_sqlite **made, const char *path, const wfsm_sqlite_options *options,
                       const wfsm_allocator *allocator, wfsm_error *error);

/* connect.c: opens the file. A read-only store may be in a read-only folder. */
int32_t wf_sqlite_connect(wf_sqlite *db, const wfsm_sqlite_options *options, wfsm_error *error);
/* Sleeps and returns the milliseconds to count as slept, at least `ms`. */
int wf_sqlite_sleep(int ms);

/* beside.c: to be called once the connection has read. */
int32_t wf_sqlite_remember_beside(wf_sqlite *db, wfsm_error *error);
void wf_sqlite_forget_beside(wf_sqlite *db);
/* The name of one that was deleted or replaced since then. NULL: none was. */
const char *wf_sqlite_lost_beside(const wf_sqlite *db);

/* generation.c: to be called when the store was opened. CONFLICT: it is older than what was seen of
 * it beside it. */
int32_t wf_sqlite_generation_look(wf_sqlite *db, wfsm_error *error);
/* CONFLICT if the store was set back since it was opened. */
int32_t wf_sqlite_generation_ready(const wf_sqlite *db, wfsm_error *error);
/* To be called when a transaction for writing has begun. CONFLICT as above. */
int32_t wf_sqlite_generation_begin(wf_sqlite *db, wfsm_error *error);
/* This transaction begins the next generation, if it does not yet. */
int32_t wf_sqlite_generation_next(wf_sqlite *db, wfsm_error *error);
/* To be called after a commit. */
void wf_sqlite_generation_settle(wf_sqlite *db);

/* seen_file.c: what the file beside the store says; an empty name if nothing. IO: it is a link. */
int32_t wf_sqlite_seen_read(const wf_sqlite *db, wf_sqlite_generation *seen, wfsm_error *error);
/* Writes the handle's generation into the file, unless it has a newer one. */
void wf_sqlite_seen_write(const wf_sqlite *db);

/* transaction.c */
/* Before a read: overwrites what a failed commit left behind, if there is any. */
int32_t wf_sqlite_ready(wf_sqlite *db, wfsm_error *error);
/* Begins to write. DENIED if the store is read-only, BUSY if another process holds the lock
 * for too long. */
int32_t wf_sqlite_begin(wf_sqlite *db, wfsm_error *error);
/* Commits and syncs. STORE_FAILED: nothing was written. STORE_UNKNOWN: it may have been. */
int32_t wf_sqlite_commit(wf_sqlite *db, wfsm_error *error);
void wf_sqlite_rollback(wf_sqlite *db);
/* Commits if status is WFSM_OK, or rolls back. Returns the status of the whole. */
int32_t wf_sqlite_end(wf_sqlite *db, int32_t status, wfsm_error *error);
/* All statements of a read transaction see one state of the file. */
int32_t wf_sqlite_begin_reading(wf_sqlite *db, wfsm_error *error);
void wf_sqlite_end_reading(wf_sqlite *db);

/* find.c: to be called within a transaction. Sets found->key to 0 if there is no such
 * instance. */
int32_t wf_sqlite_look_for(wf_sqlite *db, const char *instance, wf_sqlite_found *found,
                           wfsm_error *error);
/* The same, but returns NOT_FOUND if there is no such instance. */
int32_t wf_sqlite_find(wf_sqlite *db, const char *instance, wf_sqlite_found *found,
                       wfsm_error *error);
/* Reads the present row of a statement that selects heads, and adds it to the cache. */
int32_t wf_sqlite_read_found(wf_sqlite *db, enum wf_sql which, wf_sqlite_found *found,
                             wfsm_error *error);
/* Returns CORRUPT: a row of the journal is not where another row says. */
int32_t wf_sqlite_misplaced(const wf_sqlite *db, int64_t instance, uint64_t revision,
                            wfsm_error *error);

/* conditions.c: prepares the statement that lists those that meet the conditions; its parameters follow those of
 * the other lists. */
enum { WF_SQLITE_WHERE = 10 };
int32_t wf_sqlite_where(wf_sqlite *db, const wfsm_query *query, wfsm_error *error);
void wf_sqlite_where_bind(wf_sql_binder *select, const wfsm_query *query);
void wf_sqlite_where_end(wf_sqlite *db);

/* head_cache.c. Clears the cache if another connection has written. To be called once in each
 * transaction, before the first head is read. */
void wf_sqlite_cache_validate(wf_sqlite *db);
/* This connection has committed: the new data version is its own. */
void wf_sqlite_cache_settle(wf_sqlite *db);
bool wf_sqlite_cache_find(wf_sqlite *db, const char *instance, wf_sqlite_found *found);
/* Adds a head; its texts then point into the cache. False if memory runs out. */
bool wf_sqlite_cache_keep(wf_sqlite *db, wf_sqlite_found *found);
/* To be called before a head changes other than by a commit. */
void wf_sqlite_cache_forget(wf_sqlite *db, const char *instance);
void wf_sqlite_cache_clear(wf_sqlite *db);
void wf_sqlite_cache_free(wf_sqlite *db);

/* marks.c: a mark is a hint. The row that it names must be checked, because others may have
 * removed it. */
void wf_sqlite_mark(wf_sqlite *db, int64_t instance, uint64_t revision, int64_t key);
/* Returns the key of the marked row with the lowest revision from *revision up and below
 * `below`, and sets *revision to that revision. 0 if no such row is marked. */
int64_t wf_sqlite_marked(const wf_sqlite *db, int64_t instance, uint64_t *revision,
                         uint64_t below);
void wf_sqlite_forget_marks(wf_sqlite *db);

/* journal.c: the key of the row of a revision. CORRUPT if the rows do not lead to it. */
int32_t wf_sqlite_row_of(wf_sqlite *db, const wf_sqlite_found *found, uint64_t revision,
                         int64_t *key, wfsm_error *error);

/* ownership.c: somebody else does something to an instance of this owner, who is to know it. Returns an
 * SQLite code. */
int wf_sqlite_tell_owner(const wf_sqlite *db, const char *owner);
/* *found is until when the session is alive; 0 without a row. */
int32_t wf_sqlite_alive_until(wf_sqlite *db, const char *session, int64_t *found,
                              wfsm_error *error);

/* heads.c: passes on the heads that a bound statement selects. */
int32_t wf_sqlite_pass_heads(wf_sqlite *db, wf_sql_binder *select, enum wf_sql which,
                             wfsm_row_sink sink, void *user, wfsm_error *error);

/* posts.c: SQLITE_ROW if the instance has a post, SQLITE_DONE if it has none, or an error code. */
int wf_sqlite_any_post(const wf_sqlite *db, int64_t key);

/* The vtable's calls. */
int32_t wf_sqlite_commits(void *self, const wfsm_commit *const *commits, size_t count,
                          int32_t *answers, wfsm_error *error);
int32_t wf_sqlite_head(void *self, const char *instance, wfsm_head *head, wfsm_error *error);
int32_t wf_sqlite_records(void *self, const char *instance, uint64_t from, uint64_t to,
                          wfsm_row_sink sink, void *user, wfsm_error *error);
int32_t wf_sqlite_snapshot(void *self, const char *instance, const char *checkpoint,
                           wfsm_row_sink sink, void *user, wfsm_error *error);
int32_t wf_sqlite_checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                              wfsm_error *error);
int32_t wf_sqlite_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                       wfsm_error *error);
int32_t wf_sqlite_document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                           wfsm_error *error);
int32_t wf_sqlite_seen(void *self, const char *instance, const char *event_id, int32_t *seen,
                       wfsm_error *error);
int32_t wf_sqlite_post(void *self, const wfsm_post *post, wfsm_error *error);
int32_t wf_sqlite_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                        void *user, wfsm_error *error);
int32_t wf_sqlite_lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                         wfsm_error *error);
int32_t wf_sqlite_since(void *self, wfsm_since *asked, wfsm_row_sink sink, void *user,
                        wfsm_error *error);
int32_t wf_sqlite_changes(void *self, wfsm_changes *asked, wfsm_row_sink sink, void *user,
                          wfsm_error *error);
int32_t wf_sqlite_permits(void *self, const char *session, int64_t now,
                          wfsm_permit *const *permits, size_t count, wfsm_error *error);
int32_t wf_sqlite_rates(void *self, int64_t now, wfsm_rate *const *rates, size_t count,
                        wfsm_error *error);
int32_t wf_sqlite_acknowledge(void *self, const char *instance, uint64_t effect,
                              wfsm_error *error);
int32_t wf_sqlite_claim(void *self, const char *session, int64_t mine, int64_t now,
                        int64_t until, wfsm_error *error);
int32_t wf_sqlite_owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error);
int32_t wf_sqlite_disown(void *self, const char *instance, const char *owner,
                         wfsm_error *error);
int32_t wf_sqlite_own(void *self, const char *instance, const char *owner, int64_t now,
                      wfsm_error *error);
int32_t wf_sqlite_remove(void *self, const char *instance, wfsm_error *error);
int32_t wf_sqlite_cut(void *self, const char *instance, uint64_t revision, const char *snapshot,
                      size_t length, wfsm_error *error);
int32_t wf_sqlite_anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                         wfsm_error *error);
int32_t wf_sqlite_view(void *self, int32_t open, wfsm_error *error);
int32_t wf_sqlite_transaction(void *self, int32_t step, wfsm_error *error);
void wf_sqlite_close(void *self);
#endif
