/*
 * sqlite/database.h: the inside of the SQLite store. database.c opens, schema.c knows
 * the tables, statement.c the SQL, transaction.c when things become durable, places.c what is
 * known of heads; the others are the vtable's calls.
 */
#ifndef WF_SQLITE_DATABASE_H
#define WF_SQLITE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <wfsm/sqlite.h>
#include "statement.h"

/* marks.c: where some rows of the journal that was read last are, so that who reads it in
 * pages does not walk back from its end for each of them. */
enum { WF_SQLITE_MARKS = 1024 };
typedef struct wf_sqlite_marks {
    int64_t instance;              /* key; 0: none */
    uint64_t spacing;              /* revisions from one to the next */
    int64_t keys[WF_SQLITE_MARKS]; /* of the row of revision index * spacing; 0: unknown */
} wf_sqlite_marks;

/* find.c: a head, and what other rows hang on. */
typedef struct wf_sqlite_place {
    wfsm_head head; /* its texts stay until the next place is looked for */
    int64_t key, last, document;
    int64_t snapshot; /* the row of the last full snapshot; 0: none */
} wf_sqlite_place;

/* places.c: places by id, some megabytes of them */
typedef struct wf_sqlite_entry wf_sqlite_entry;
typedef struct wf_sqlite_places {
    wf_sqlite_entry **slots;
    size_t slot_count, count, bytes;
    uint64_t generation; /* places of an earlier one are not believed */
    uint32_t version;    /* of the file, as SQLite counts its changes */
} wf_sqlite_places;

typedef struct wf_sqlite {
    wfsm_allocator allocator;
    sqlite3 *connection;
    char *path; /* as given, for messages */
    bool read_only;
    int busy_ms, waited_ms; /* connect.c: how long to wait for others; waited already */
    /* A commit failed so late that its bytes may come back after a crash; no answer may
     * be given before another commit has been written over them. */
    bool unsettled;
    int readings; /* that are open, one within another */
    sqlite3_stmt *statements[WF_SQL_COUNT];
    /* The document that was looked up last: most commits are of the same machine. */
    char fingerprint[256];
    sqlite3_int64 document;
    wf_sqlite_marks marks;
    wf_sqlite_places places;
} wf_sqlite;

/* error.c: all messages name the file. `code` is SQLite's; the sentence says what
 * failed. */
int32_t wf_sqlite_fail(const wf_sqlite *db, int code, const char *what, wfsm_error *error);
/* The same for a refusal of our own. */
int32_t wf_sqlite_refuse(const wf_sqlite *db, int32_t status, wfsm_error *error,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* utf8.c: well-formed UTF-8 without NUL? */
bool wf_sqlite_utf8(const char *text, size_t length);

/* checksum.c: the SQL function wfsm_checksum(…): a number from 0. */
int wf_sqlite_add_checksum(sqlite3 *connection);

/* Memory of the store's own, not SQLite's */
void *wf_sqlite_take(const wf_sqlite *db, size_t bytes);
void wf_sqlite_give(const wf_sqlite *db, void *block);

/* database.c: opens and prepares; *made is new and ends with wf_sqlite_close(). */
int32_t wf_sqlite_make(wf_sqlite **made, const char *path, const wfsm_sqlite_options *options,
                       const wfsm_allocator *allocator, wfsm_error *error);

/* connect.c: opens the file, for reading only also where its folder may not be written.
 */
int32_t wf_sqlite_connect(wf_sqlite *db, const wfsm_sqlite_options *options, wfsm_error *error);
/* Sleeps; what counts as slept, at least ms. */
int wf_sqlite_sleep(int ms);

/* transaction.c */
/* Before a reading: is everything settled? */
int32_t wf_sqlite_ready(wf_sqlite *db, wfsm_error *error);
/* Begins to write: DENIED when read-only, BUSY when another process takes too long. */
int32_t wf_sqlite_begin(wf_sqlite *db, wfsm_error *error);
/* Syncs. STORE_FAILED: surely nothing was written; STORE_UNKNOWN: cannot tell. */
int32_t wf_sqlite_commit(wf_sqlite *db, wfsm_error *error);
void wf_sqlite_rollback(wf_sqlite *db);
/* Commits if status is WFSM_OK, else rolls back; returns what became of it. */
int32_t wf_sqlite_end(wf_sqlite *db, int32_t status, wfsm_error *error);
/* A reading of several statements sees one state of the file. */
int32_t wf_sqlite_begin_reading(wf_sqlite *db, wfsm_error *error);
void wf_sqlite_end_reading(wf_sqlite *db);

/* find.c: only within a transaction. key 0: there is no such instance. */
int32_t wf_sqlite_look_for(wf_sqlite *db, const char *instance, wf_sqlite_place *place,
                           wfsm_error *error);
/* The same, but NOT_FOUND. */
int32_t wf_sqlite_find(wf_sqlite *db, const char *instance, wf_sqlite_place *place,
                       wfsm_error *error);
/* Out of the row of a statement that selects heads, and kept. */
int32_t wf_sqlite_take_place(wf_sqlite *db, enum wf_sql which, wf_sqlite_place *place,
                             wfsm_error *error);
/* CORRUPT: a row of the journal that is not where another one says. */
int32_t wf_sqlite_astray(const wf_sqlite *db, int64_t instance, uint64_t revision,
                         wfsm_error *error);

/* places.c. Once in each transaction, before the first look: did anybody else write? */
void wf_sqlite_check_places(wf_sqlite *db);
/* This connection has committed: that was not anybody else. */
void wf_sqlite_settle_places(wf_sqlite *db);
bool wf_sqlite_known_place(wf_sqlite *db, const char *instance, wf_sqlite_place *place);
/* The texts of the place are those of the copy from now on; false: no memory. */
bool wf_sqlite_keep_place(wf_sqlite *db, wf_sqlite_place *place);
/* Before a head is changed otherwise than by a commit */
void wf_sqlite_forget_place(wf_sqlite *db, const char *instance);
void wf_sqlite_forget_places(wf_sqlite *db);
void wf_sqlite_free_places(wf_sqlite *db);

/* marks.c: a mark is a guess, and whoever starts from one must look at the row: others
 * may have removed it. */
void wf_sqlite_mark(wf_sqlite *db, int64_t instance, uint64_t revision, int64_t key);
/* The key of the row that is nearest behind *revision, or its own, below `below`; *revision
 * becomes its own. 0: none is known. */
int64_t wf_sqlite_marked(const wf_sqlite *db, int64_t instance, uint64_t *revision,
                         uint64_t below);
void wf_sqlite_forget_marks(wf_sqlite *db);

/* journal.c: the key of the row of that revision; CORRUPT if the rows do not lead there. */
int32_t wf_sqlite_row_of(wf_sqlite *db, const wf_sqlite_place *place, uint64_t revision,
                         int64_t *key, wfsm_error *error);

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
int32_t wf_sqlite_acknowledge(void *self, const char *instance, uint64_t effect,
                              wfsm_error *error);
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
void wf_sqlite_close(void *self);
#endif
