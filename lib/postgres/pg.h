/*
 * postgres/pg.h: the PostgreSQL store from the inside. It implements the vtable of wfsm/store.h over
 * the tables of doc/postgres-schema.md, and sees public headers only.
 *
 * In reading order:
 *   pg_open.c       opens a store; pg_options.c makes a handle of its options, pg_schema.c has the tables,
 *                   pg_memory.c the allocator
 *   pg_connect.c    connects, and refuses servers that do not fit; pg_address.c keeps passwords out of
 *                   messages
 *   pg_sql.c        all SQL of the calls that read and write; pg_sql_commit.c that of commits
 *   pg_values.c     parameters of a statement, also arrays; pg_utf8.c checks text
 *   pg_pipe.c       several statements in one round trip, which are one transaction; pg_wait.c waits
 *                   for the server, but not for ever; pg_calls.c runs single statements
 *   pg_error.c      what the server's errors mean, and messages
 *   pg_resolve.c    lost answers: nothing is read before it is certain what they were; pg_epochs.c
 *                   remembers what was found
 *   pg_exchange.c   an exchange; pg_chains.c sorts its commits, pg_chain_check.c checks them, pg_commits.c, pg_checkpoints.c,
 *                   pg_sentence.c, pg_verdicts.c, pg_requests.c, pg_mail.c and pg_lease.c write its parts and read
 *                   their answers
 *   pg_rows.c       rows of results; pg_loads.c those that an exchange returns
 *   pg_reads.c, pg_list.c, pg_changes.c   the other calls of the vtable
 *
 * A round of an engine is one pipeline: lock the heads in the order of their ids, write, read last.
 * Every statement after the first sees what the locks protect.
 */
#ifndef WF_PG_H
#define WF_PG_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <wfsm/postgres.h>
#include "pg_sql.h"

#define WF_PG_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* ---- pg_values.c ---- */

enum { WF_PG_VALUES = 40 };

typedef struct wf_pg_buffer {
    char *data;
    size_t length, room;
} wf_pg_buffer;

typedef struct wf_pg wf_pg;

/* The parameters of one statement. */
typedef struct wf_pg_values {
    wf_pg *db;
    int count, first, at; /* columns of arrays: the first of them, and the next one to be set */
    bool failed; /* out of memory, or too large */
    Oid types[WF_PG_VALUES];
    bool null[WF_PG_VALUES];
    uint32_t elements[WF_PG_VALUES];
    wf_pg_buffer buffers[WF_PG_VALUES];
} wf_pg_values;

void wf_pg_values_init(wf_pg_values *values, wf_pg *db);
void wf_pg_values_fini(wf_pg_values *values);
void wf_pg_text(wf_pg_values *values, const char *text); /* NULL: null */
void wf_pg_bytes(wf_pg_values *values, const char *text, size_t length);
void wf_pg_number(wf_pg_values *values, int64_t number);
void wf_pg_null_number(wf_pg_values *values);
/* Begins arrays, one for each letter: t text, i numbers. What follows fills them row by row. */
void wf_pg_columns(wf_pg_values *values, const char *letters);
void wf_pg_put_bytes(wf_pg_values *values, const char *text, size_t length); /* NULL: null */
void wf_pg_put_text(wf_pg_values *values, const char *text);
void wf_pg_put_number(wf_pg_values *values, int64_t number);
void wf_pg_put_null(wf_pg_values *values);
/* The arrays are complete: their lengths are known. */
void wf_pg_columns_end(wf_pg_values *values);

/* ---- pg_epochs.c ---- */

typedef struct wf_pg_epoch {
    char instance[256];
    int64_t epoch;
} wf_pg_epoch;

/* Instances whose head has an epoch that is not 0, sorted by id. */
typedef struct wf_pg_epochs {
    wf_pg_epoch *list;
    size_t count, room;
} wf_pg_epochs;

/* ---- pg_resolve.c ---- */

/* A chain whose answer was lost. */
typedef struct wf_pg_doubt {
    char instance[256];
    int64_t base;
} wf_pg_doubt;

typedef struct wf_pg_doubts {
    wf_pg_doubt *list;
    size_t count, room;
} wf_pg_doubts;

/* ---- pg_mail.c: numbers of posts that were returned lately ---- */

enum { WF_PG_SEEN = 512 };

struct wf_pg {
    wfsm_allocator allocator;
    char *address, *secret; /* secret: what no message may contain; or NULL */
    char *hosts[3]; /* host, hostaddr and port of an address with several hosts; or NULL */
    char *schema, *tenant;
    char place[128]; /* host and database, for messages */
    bool host_clock, allow_unsafe;
    int connect_ms, answer_ms;
    PGconn *connection; /* NULL: there is none */
    char *sql[WF_PG_COUNT], *parts[WF_PG_PARTS];
    PGresult *kept; /* has the texts of the head that was read last */
    wf_pg_epochs epochs;
    wf_pg_doubts doubts;
    bool ended; /* the server has said that it ends the connection */
    bool unsure; /* the server warned that what it has committed is on no standby */
    uint64_t random;
    uint64_t trips; /* round trips so far, for tests */
    uint64_t seen[WF_PG_SEEN];
    size_t seen_next;
};

/* pg_epochs.c. 0 if nothing is known. */
int64_t wf_pg_epoch_of(const wf_pg *db, const char *instance);
bool wf_pg_epoch_learn(wf_pg *db, const char *instance, int64_t epoch);

/* pg_resolve.c. Makes room for more doubts; false: out of memory. Noting one then cannot fail. */
bool wf_pg_doubts_reserve(wf_pg *db, size_t count);
void wf_pg_doubt_note(wf_pg *db, const char *instance, uint64_t base);
/* Finds out what became of lost answers, and makes sure that it stays so. `failure` is the status if the server cannot be asked. */
int32_t wf_pg_resolve(wf_pg *db, int32_t failure, wfsm_error *error);

/* ---- pg_memory.c ---- */

void *wf_pg_take(const wf_pg *db, size_t bytes);
void *wf_pg_grow(const wf_pg *db, void *block, size_t bytes);
void wf_pg_give(const wf_pg *db, void *block);
/* NULL: out of memory. */
char *wf_pg_copy(const wf_pg *db, const char *text);
int32_t wf_pg_no_memory(wfsm_error *error);

/* ---- opening ---- */

/* pg_options.c: checks the options, and makes what is the same for open and init. */
int32_t wf_pg_make(wf_pg **made, const char *address, const wfsm_postgres_options *options,
                   const wfsm_allocator *allocator, wfsm_error *error);
void wf_pg_close(void *self);

/* pg_address.c: sets secret and hosts. INVALID: libpq does not understand the address. */
int32_t wf_pg_read_address(wf_pg *db, wfsm_error *error);
/* How many hosts are to be tried. */
size_t wf_pg_host_count(const wf_pg *db);
/* One item of a list with commas, NULL if there is none; room is WF_PG_ITEM bytes. A list of one item holds
 * for all hosts. */
enum { WF_PG_ITEM = 300 };
const char *wf_pg_item(const char *list, size_t index, char *room);
/* Replaces the secret wherever it is in the text. */
void wf_pg_hide_secret(const wf_pg *db, char *text);

/* pg_connect.c: has a connection that worked when it was last used. IO. */
int32_t wf_pg_connect(wf_pg *db, wfsm_error *error);
/* The same, and what was in doubt is resolved. To be called first by every call of the vtable. */
int32_t wf_pg_ready(wf_pg *db, int32_t failure, wfsm_error *error);
int32_t wf_pg_check_server(wf_pg *db, wfsm_error *error);

/* pg_schema.c */
/* The text of the tables for a schema that is quoted. Written as snprintf() does. */
size_t wf_pg_schema_text(const char *quoted, char *out, size_t room);
/* "name" with quotes. False: it is no name. out has room for WF_PG_QUOTED bytes. */
enum { WF_PG_QUOTED = 132 };
bool wf_pg_quote(const char *name, char *out);
int32_t wf_pg_schema_make(wf_pg *db, wfsm_error *error);
/* NOT_FOUND, VERSION, CORRUPT. */
int32_t wf_pg_schema_check(wf_pg *db, wfsm_error *error);

/* ---- pg_wait.c ---- */

/* The time that an answer may still take. */
typedef struct wf_pg_deadline {
    int64_t ends; /* of the monotonic clock, ms */
} wf_pg_deadline;

wf_pg_deadline wf_pg_deadline_in(int ms);
bool wf_pg_deadline_over(const wf_pg_deadline *deadline);
/* Sends what is to be sent, and waits until something came. False: the connection is broken, or the
 * time is over. */
bool wf_pg_wait(PGconn *connection, bool to_read, const wf_pg_deadline *deadline);
/* Waits until its socket can be read, or written. */
bool wf_pg_wait_socket(PGconn *connection, bool to_read, const wf_pg_deadline *deadline);
/* Waits a little, at random, and longer with every attempt. */
void wf_pg_back_off(wf_pg *db, int attempt);
uint64_t wf_pg_random(wf_pg *db);

/* ---- pg_pipe.c ---- */

enum { WF_PG_STEPS = 16 };

enum wf_pg_end {
    WF_PG_DONE = 1, /* all statements are carried out and committed */
    WF_PG_REFUSED = 2, /* one has failed, and nothing was written; `failed` is its result */
    WF_PG_UNSENT = 3, /* nothing was written, and the connection is broken */
    WF_PG_LOST = 4 /* it may have been written; the connection is broken */
};

typedef struct wf_pg_pipe {
    wf_pg *db;
    int count; /* statements */
    bool broken;
    PGresult *results[WF_PG_STEPS];
    PGresult *failed;
    int failed_step; /* of which statement it is */
} wf_pg_pipe;

void wf_pg_disconnect(wf_pg *db);
void wf_pg_pipe_begin(wf_pg_pipe *pipe, wf_pg *db);
/* Returns the index of its result. */
int wf_pg_pipe_add(wf_pg_pipe *pipe, enum wf_pg_sql which, const wf_pg_values *values);
int wf_pg_pipe_add_text(wf_pg_pipe *pipe, const char *sql, const wf_pg_values *values);
enum wf_pg_end wf_pg_pipe_end(wf_pg_pipe *pipe);
void wf_pg_pipe_free(wf_pg_pipe *pipe);
/* pg_calls.c */
/* Runs one statement that reads, again if the connection was broken. *result is yours. */
int32_t wf_pg_read(wf_pg *db, enum wf_pg_sql which, const wf_pg_values *values,
                   PGresult **result, wfsm_error *error);
/* Runs statements that write, with the same parameters, again if others were in the way. Results are
 * in the pipe, which is to be freed in any case. */
int32_t wf_pg_write(wf_pg *db, wf_pg_pipe *pipe, const enum wf_pg_sql *list, size_t count,
                    const wf_pg_values *values, wfsm_error *error);

/* ---- pg_error.c ---- */

/* Sets the error to a sentence after the place of the store, and returns status. */
int32_t wf_pg_refuse(const wf_pg *db, int32_t status, wfsm_error *error, const char *format,
                     ...) WF_PG_PRINTF(4, 5);
/* What the server's error means. `failure` is the status of errors that mean nothing else. */
int32_t wf_pg_fail(const wf_pg *db, const PGresult *result, int32_t failure, wfsm_error *error);
/* The last error of the connection. */
int32_t wf_pg_fail_connection(const wf_pg *db, int32_t failure, const char *what,
                              wfsm_error *error);
/* A lost answer: UNKNOWN. */
int32_t wf_pg_lost(const wf_pg *db, wfsm_error *error);
bool wf_pg_has_state(const PGresult *result,
                     const char *sqlstate); /* or its class, two letters */
/* Others were in the way: it may be tried again. */
bool wf_pg_may_repeat(const PGresult *result);

/* ---- pg_rows.c ---- */

bool wf_pg_is_null(const PGresult *result, int row, int column);
int64_t wf_pg_int_of(const PGresult *result, int row, int column); /* 0 for null */
uint64_t wf_pg_count_of(const PGresult *result, int row, int column);
const char *wf_pg_text_of(const PGresult *result, int row, int column); /* NULL for null */
size_t wf_pg_length_of(const PGresult *result, int row, int column);
/* Reads the columns of a head from `column` on, and learns its epoch. */
wfsm_head wf_pg_head_of(wf_pg *db, const PGresult *result, int row, int column);
/* A post: its columns begin with the second one. */
wfsm_row wf_pg_post_of(const PGresult *result, int row);
/* NOT_FOUND, with the message. */
int32_t wf_pg_no_instance(const wf_pg *db, const char *instance, wfsm_error *error);
uint64_t wf_pg_bounded(uint64_t number); /* at most INT64_MAX */

/* ---- pg_chains.c ---- */

/* The commits of one instance. */
typedef struct wf_pg_chain {
    const char *instance;
    size_t first, count; /* of its links */
    bool masked; /* the server has objected to its rows */
} wf_pg_chain;

typedef struct wf_pg_link {
    const wfsm_commit *commit;
    size_t index; /* in the exchange */
    char refused; /* why no server need be asked, as in the statement; 0: it has to be */
} wf_pg_link;

typedef struct wf_pg_chains {
    wf_pg_chain *list; /* by id */
    wf_pg_link *links; /* those of one chain follow each other */
    size_t count, link_count;
} wf_pg_chains;

/* Sorts the commits. False: out of memory. */
bool wf_pg_chains_make(const wf_pg *db, wf_pg_chains *chains, const wfsm_exchange *exchange);
/* pg_chain_check.c: refuses what no server need be asked about. */
void wf_pg_chains_check(wf_pg_chains *chains);
void wf_pg_chains_free(const wf_pg *db, wf_pg_chains *chains);
const wfsm_commit *wf_pg_chain_first(const wf_pg_chains *chains, size_t chain);
const wfsm_commit *wf_pg_chain_last(const wf_pg_chains *chains, size_t chain);
/* Whether it is in the statement for starts, or in the other one. */
bool wf_pg_chain_is_in(const wf_pg_chains *chains, size_t chain, bool starts);
size_t wf_pg_chains_in(const wf_pg_chains *chains, bool starts); /* how many are */
/* pg_utf8.c: UTF-8 without NUL. */
bool wf_pg_utf8(const char *text, size_t length);

/* ---- an exchange ---- */

/* Passed to all parts of an exchange. */
typedef struct wf_pg_job {
    wf_pg *db;
    wfsm_exchange *exchange;
    wfsm_error *error; /* describes the first refusal: NULL once it is set */
    wf_pg_chains chains;
    bool claims; /* the lease is written */
    wf_pg_pipe pipe;
    /* Results in the pipe; -1: none. */
    int acknowledged, gave_up, took, started, committed, posted, claimed;
    int loaded, changes, waiting, owned;
} wf_pg_job;

int32_t wf_pg_exchange(void *self, wfsm_exchange *exchange, wfsm_error *error);
/* The same, with a lease that is compared even if it stays as it is. */
int32_t wf_pg_claim_by_exchange(wf_pg *db, wfsm_exchange *exchange, wfsm_error *error);
/* A refusal of one part. Only the first is described. */
int32_t wf_pg_job_refuse(wf_pg_job *job, int32_t status, const char *format, ...)
    WF_PG_PRINTF(3, 4);

/* Each adds what it has to the pipe. False: out of memory. */
/* pg_commits.c */
bool wf_pg_commits_send(wf_pg_job *job, bool starts);
/* pg_verdicts.c */
void wf_pg_commits_answer(wf_pg_job *job);
/* pg_sentence.c: the statement for the chains, without what they do not need; to be freed. */
char *wf_pg_commits_text(const wf_pg_job *job, bool starts);
/* pg_checkpoints.c: the columns of checkpoints. */
void wf_pg_checkpoints_put(wf_pg_values *values, const wf_pg_chains *chains, bool starts);
/* Of the checkpoint that a commit deletes: 1, the table must have it; 0, its chain has made it; -1, its chain
 * has deleted it. */
int wf_pg_checkpoint_state(const wf_pg_chains *chains, size_t chain, size_t link);
/* pg_requests.c */
bool wf_pg_requests_send(wf_pg_job *job);
void wf_pg_requests_answer(wf_pg_job *job);
bool wf_pg_request_writes(int32_t kind);
/* pg_mail.c */
bool wf_pg_posts_send(wf_pg_job *job);
void wf_pg_posts_answer(wf_pg_job *job);
bool wf_pg_news_send(wf_pg_job *job);
void wf_pg_news_answer(wf_pg_job *job);
/* pg_lease.c */
bool wf_pg_lease_send(wf_pg_job *job);
/* The session belongs to another process: sets the answer to the lease, after asking until when. */
int32_t wf_pg_lease_refused(wf_pg_job *job);
/* The host's time, or null if the server's counts. */
void wf_pg_put_now(wf_pg_values *values, int64_t now);
/* pg_loads.c */
bool wf_pg_loads_send(wf_pg_job *job);
void wf_pg_loads_answer(wf_pg_job *job);

/* ---- the vtable's other calls ---- */

int32_t wf_pg_head(void *self, const char *instance, wfsm_head *head, wfsm_error *error);
int32_t wf_pg_records(void *self, const char *instance, uint64_t from, uint64_t to,
                      wfsm_row_sink sink, void *user, wfsm_error *error);
int32_t wf_pg_snapshot(void *self, const char *instance, const char *checkpoint,
                       wfsm_row_sink sink, void *user, wfsm_error *error);
int32_t wf_pg_anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                     wfsm_error *error);
int32_t wf_pg_checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                          wfsm_error *error);
int32_t wf_pg_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                   wfsm_error *error);
int32_t wf_pg_lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                     wfsm_error *error);
int32_t wf_pg_document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                       wfsm_error *error);
int32_t wf_pg_seen(void *self, const char *instance, const char *event_id, int32_t *seen,
                   wfsm_error *error);
int32_t wf_pg_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                    void *user, wfsm_error *error);
int32_t wf_pg_owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error);
int32_t wf_pg_claim(void *self, const char *session, int64_t mine, int64_t now, int64_t until,
                    wfsm_error *error);
int32_t wf_pg_remove(void *self, const char *instance, wfsm_error *error);
int32_t wf_pg_cut(void *self, const char *instance, uint64_t revision, const char *snapshot,
                  size_t length, wfsm_error *error);
#endif
