/*
 * postgres/pg.h: the PostgreSQL store from the inside. It implements the vtable of wfsm/store.h over
 * the tables of doc/postgres-schema.md, and sees public headers only.
 *
 * In reading order:
 *   pg_open.c       opens a store; pg_options.c makes a handle of its options, pg_schema.c has the tables,
 *                   pg_version.c their version, pg_tenant.c their row security, pg_grant.c the rights of a role, pg_text.c writes SQL,
 *                   pg_memory.c is the allocator
 *   pg_connect.c    connects, and refuses servers that do not fit; pg_address.c keeps passwords out of
 *                   messages, pg_parameters.c takes from the address what is not libpq's,
 *                   pg_version.c checks the version of the tables
 *   pg_sql.c        all SQL of the calls that read and write; pg_sql_commit.c that of commits
 *   pg_values.c     parameters of a statement, also arrays; pg_utf8.c checks text
 *   pg_names.c      statements that the server has prepared
 *   pg_pipe.c       several statements in one round trip, which are one transaction; pg_wait.c waits
 *                   for the server, but not for ever; pg_calls.c runs single statements
 *   pg_error.c      what the server's errors mean, and messages
 *   pg_resolve.c    lost answers: nothing is read before it is certain what they were; pg_epochs.c
 *                   remembers what was found; pg_mark.c notices a server that was set back
 *   pg_exchange.c   an exchange; pg_chains.c sorts its commits, pg_chain_check.c checks them, pg_commits.c, pg_checkpoints.c,
 *                   pg_sentence.c, pg_verdicts.c, pg_requests.c, pg_mail.c, pg_lease.c, pg_permits.c and pg_rates.c write its parts and read
 *                   their answers
 *   pg_listen.c     is told when others have done something, and tells them
 *   pg_rows.c       rows of results; pg_loads.c those that an exchange returns
 *   pg_where.c      conditions on attributes
 *   pg_reads.c, pg_list.c, pg_since.c, pg_share.c, pg_changes.c   the other calls of the vtable
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

enum { WF_PG_VALUES = 41 };

typedef struct wf_pg_buffer {
    char *data;
    size_t length, room;
} wf_pg_buffer;

typedef struct wf_pg wf_pg;
typedef struct wf_pg_pipe wf_pg_pipe;

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

/* A chain whose answer was lost, or an instance that another lost write concerns. */
enum { WF_PG_NO_CHAIN = -1 };
typedef struct wf_pg_doubt {
    char instance[256];
    int64_t base; /* or WF_PG_NO_CHAIN */
} wf_pg_doubt;

typedef struct wf_pg_doubts {
    wf_pg_doubt *list;
    size_t count, room;
    int64_t attempts[8]; /* of writes without a chain */
    size_t attempt_count;
} wf_pg_doubts;

/* ---- pg_names.c ---- */

/* Numbers of statements: those of enum wf_pg_sql, and behind them the forms of the two that write commits. */
enum { WF_PG_FORMS = 2048, WF_PG_NAMES = 2112 };

/* ---- pg_mark.c ---- */

/* What the server has acknowledged last. If it is older when somebody looks again, the store was set back. */
typedef struct wf_pg_mark {
    char instance[256], session[256]; /* "": none */
    int64_t created; /* tells an instance from the next one of its name */
    int64_t revision, written;
} wf_pg_mark;

/* ---- pg_mail.c: numbers of posts that were returned lately ---- */

enum { WF_PG_SEEN = 512 };

/* ---- pg_listen.c ---- */

enum wf_pg_listening {
    WF_PG_APART, /* there is no connection */
    WF_PG_CONNECTING,
    WF_PG_ASKING, /* a command is on its way */
    WF_PG_LISTENING
};

/* The connection that listens. */
typedef struct wf_pg_listener {
    char *address; /* NULL: the store's */
    char channel[64];
    PGconn *connection;
    int state; /* enum wf_pg_listening */
    PostgresPollingStatusType polled; /* CONNECTING: what it waits for */
    int events,
        timer; /* the descriptor that the host waits for; -1: the store does not listen */
    int socket; /* that is in it */
    bool woken; /* others have told something since the last look */
    bool pending; /* others are to be told */
    int64_t notified; /* when they were, by the monotonic clock, ms */
    int64_t retry; /* when a new connection is made */
    int failures; /* in a row */
    uint64_t sent; /* notifications, for tests */
} wf_pg_listener;

struct wf_pg {
    wfsm_allocator allocator;
    wf_pg_listener listener;
    char *address, *secret; /* secret: what no message may contain; or NULL */
    char *hosts[3]; /* host, hostaddr and port of an address with several hosts; or NULL */
    char *schema;
    char
        *tenant; /* the namespace; NULL before the tables were checked, if none was asked for */
    char place[128]; /* host and database, for messages */
    bool host_clock, allow_unsafe, listens;
    int connect_ms, answer_ms;
    PGconn *connection; /* NULL: there is none */
    char *sql[WF_PG_COUNT], *parts[WF_PG_PARTS];
    PGresult *kept; /* has the texts of the head that was read last */
    wf_pg_epochs epochs;
    wf_pg_doubts doubts;
    bool checked; /* the tables were those that this release knows */
    bool ended; /* the server has said that it ends the connection */
    wf_pg_mark mark;
    bool looked; /* the mark was compared since the connection was made */
    bool set_back; /* what this handle knows is wrong */
    bool unsure; /* the server warned that what it has committed is on no standby */
    bool named; /* statements of rounds have names */
    int name_count, rounds,
        renewal; /* rounds: since names were given; renewal: how many they are for */
    uint64_t names[WF_PG_NAMES / 64]; /* a bit for each that the server knows */
    uint64_t random;
    uint64_t trips, statements; /* round trips and statements so far, for tests */
    uint64_t seen[WF_PG_SEEN];
    size_t seen_next;
};

/* pg_names.c. Called when a connection begins, with what the server says is its process. */
void wf_pg_names_begin(wf_pg *db, const char *server_process);
void wf_pg_names_forget(wf_pg *db);
/* Called once for each round. True: its first statement has to be DEALLOCATE ALL. */
bool wf_pg_names_renew(wf_pg *db);
bool wf_pg_names_has(const wf_pg *db, int number);
/* The server knows it. */
void wf_pg_names_learn(wf_pg *db, int number);
/* It has a name, or may get one. */
bool wf_pg_names_may(const wf_pg *db, int number);
/* The error concerns names: from now on this connection uses none, and what failed is to be repeated. */
bool wf_pg_names_refused(wf_pg *db, const PGresult *failed);

/* pg_epochs.c. 0 if nothing is known. */
int64_t wf_pg_epoch_of(const wf_pg *db, const char *instance);
bool wf_pg_epoch_learn(wf_pg *db, const char *instance, int64_t epoch);

/* pg_resolve.c. Makes room for more doubts; false: out of memory. Noting one then cannot fail. */
bool wf_pg_doubts_reserve(wf_pg *db, size_t count);
void wf_pg_doubt_note(wf_pg *db, const char *instance, int64_t base);
/* A write that WF_PG_PASS lets through, unless it is noted here and then resolved. */
void wf_pg_doubt_note_attempt(wf_pg *db, int64_t attempt);
/* Finds out what became of lost answers, and makes sure that it stays so. `failure` is the status if the server cannot be asked. */
int32_t wf_pg_resolve(wf_pg *db, int32_t failure, wfsm_error *error);

/* pg_listen.c. Opens the connection, and waits until it listens. IO, DENIED: it goes through a pool. */
int32_t wf_pg_listen_open(wf_pg *db, wfsm_error *error);
void wf_pg_listen_close(wf_pg *db);
/* Does what can be done without waiting, and makes the descriptor unreadable. If the caller does not look for what
 * others have done, and there is something, it soon becomes readable again. */
void wf_pg_listen_on(wf_pg *db, bool looks);
/* The exchange was made. If it concerns others, they are told, now or soon. */
void wf_pg_listen_tell(wf_pg *db, const wfsm_exchange *exchange);
int32_t wf_pg_fd(void *self);

/* pg_mark.c */
void wf_pg_mark_commit(wf_pg *db, const char *instance, int64_t created, uint64_t revision);
void wf_pg_mark_session(wf_pg *db, const char *session,
                        int64_t written); /* 0: nothing is known of it */
void wf_pg_mark_forget(wf_pg *db, const char *instance); /* it is to be removed */
/* Compares. Sets the index of its result. False: out of memory. */
bool wf_pg_mark_add(wf_pg_pipe *pipe, int *step);
/* Compares, once for each connection. CONFLICT: the store was set back, now or before. */
int32_t wf_pg_mark_look(wf_pg *db, int32_t failure, wfsm_error *error);
/* Remembers that it was. CONFLICT. */
int32_t wf_pg_set_back(wf_pg *db, wfsm_error *error);

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

/* pg_parameters.c: what an address says about wfsm; "": nothing. */
typedef struct wf_pg_parameters {
    char schema[64], tenant[256], listen[2];
} wf_pg_parameters;

/* Also copies the address without it, which takes no more room than the address. False: a parameter whose
 * name begins with wfsm_ is unknown, malformed or there twice. */
bool wf_pg_parameters_take(const char *address, char *rest, wf_pg_parameters *found);

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

/* pg_text.c */
/* "name" with quotes. False: it is no name. out has room for WF_PG_QUOTED bytes. */
enum { WF_PG_QUOTED = 132 };
bool wf_pg_quote(const char *name, char *out);
/* A text of SQL as it is written; what does not fit is only counted, as by snprintf(). */
typedef struct wf_pg_writing {
    const char *schema; /* quoted */
    char *out;
    size_t room, used;
} wf_pg_writing;

void wf_pg_text_put(wf_pg_writing *to, const char *text, size_t length);
/* The same, with the schema and a dot for "@", and the table, which ends at a comma, for "#". */
void wf_pg_text_fill(wf_pg_writing *to, const char *text, const char *table);
/* Ends the text. Returns its length. */
size_t wf_pg_text_end(const wf_pg_writing *to);
/* WF_PG_TABLES, and what follows the first one of a list. */
extern const char wf_pg_tables[];
const char *wf_pg_next_table(const char *table);

/* pg_version.c */
/* `result` is that of WF_PG_VERSION. */
int32_t wf_pg_version_check(const wf_pg *db, const PGresult *result, wfsm_error *error);

/* pg_schema.c */
/* Runs several statements as one transaction. True: another process was in the way. */
bool wf_pg_run_text(wf_pg *db, const char *text, wfsm_error *error, int32_t *status);
/* The text of the tables for a schema that is quoted. Written as snprintf() does. */
size_t wf_pg_schema_text(const char *quoted, char *out, size_t room);
int32_t wf_pg_schema_make(wf_pg *db, wfsm_error *error);
/* NOT_FOUND, VERSION, CORRUPT, DENIED. Sets the namespace, if none was asked for. */
int32_t wf_pg_schema_check(wf_pg *db, wfsm_error *error);
/* pg_tenant.c */
/* Row security for all tables. */
void wf_pg_policies_put(wf_pg_writing *to);
/* CORRUPT: row security is not as it was made. DENIED: the role has another namespace. */
int32_t wf_pg_tenant_check(wf_pg *db, wfsm_error *error);

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

enum { WF_PG_STEPS = 32 };

enum wf_pg_end {
    WF_PG_DONE = 1, /* all statements are carried out and committed */
    WF_PG_REFUSED = 2, /* one has failed, and nothing was written; `failed` is its result */
    WF_PG_UNSENT = 3, /* nothing was written, and the connection is broken */
    WF_PG_LOST = 4 /* it may have been written; the connection is broken */
};

struct wf_pg_pipe {
    wf_pg *db;
    int count; /* statements, and preparations of statements */
    bool broken;
    bool named; /* what it is given is prepared under a name */
    int prepares[WF_PG_STEPS]; /* which it is, and 1; 0: it is no preparation */
    PGresult *results[WF_PG_STEPS];
    PGresult *failed;
    int failed_step; /* of which statement it is */
    int64_t attempt; /* the number of WF_PG_PASS; 0: it is not there */
};

void wf_pg_disconnect(wf_pg *db);
void wf_pg_pipe_begin(wf_pg_pipe *pipe, wf_pg *db);
/* Returns the index of its result. */
int wf_pg_pipe_add(wf_pg_pipe *pipe, enum wf_pg_sql which, const wf_pg_values *values);
/* The same for a text, whose number is in WF_PG_COUNT to WF_PG_COUNT + WF_PG_FORMS - 1, or -1, for one that is
 * not prepared. sql may be NULL if the server knows it. */
int wf_pg_pipe_add_text(wf_pg_pipe *pipe, int number, const char *sql,
                        const wf_pg_values *values);
/* Adding it needs its text. */
bool wf_pg_pipe_needs_text(const wf_pg_pipe *pipe, int number);
enum wf_pg_end wf_pg_pipe_end(wf_pg_pipe *pipe);
void wf_pg_pipe_free(wf_pg_pipe *pipe);
/* pg_calls.c */
/* Runs one statement that reads, again if the connection was broken. *result is yours. */
int32_t wf_pg_read(wf_pg *db, enum wf_pg_sql which, const wf_pg_values *values,
                   PGresult **result, wfsm_error *error);
/* The same for a text, in a transaction that begins with a statement without parameters; WF_PG_COUNT: with
 * none. */
int32_t wf_pg_read_after(wf_pg *db, enum wf_pg_sql before, const char *sql,
                         const wf_pg_values *values, PGresult **result, wfsm_error *error);
/* pg_where.c: the text of WF_PG_LIST with the conditions of the query; NULL if memory runs out. */
char *wf_pg_where_text(const wf_pg *db, const wfsm_query *query);
void wf_pg_where_put(wf_pg_values *values, const wfsm_query *query);
/* Runs statements that write, with the same parameters, again if others were in the way. WF_PG_PASS comes
 * behind the first one if that is WF_PG_LOCK. Results are in the pipe, which is to be freed in any case. */
int32_t wf_pg_write(wf_pg *db, wf_pg_pipe *pipe, const enum wf_pg_sql *list, size_t count,
                    const wf_pg_values *values, wfsm_error *error);
/* To be added behind the locks: what follows can be given up if its answer is lost. False: out of memory. */
bool wf_pg_pass_add(wf_pg_pipe *pipe);

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
    int acknowledged, gave_up, took, started, committed, posted, claimed, marked;
    int loaded, changes, waiting, owned, permitted, rated;
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
/* pg_sentence.c: the statement for the chains, without what they do not need. Its text is to be freed. */
int wf_pg_commits_form(const wf_pg_job *job, bool starts);
char *wf_pg_commits_text(const wf_pg *db, int form);
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
/* pg_permits.c */
bool wf_pg_permits_send(wf_pg_job *job);
void wf_pg_permits_answer(wf_pg_job *job);
/* The session is not alive any more. */
int32_t wf_pg_permits_refused(wf_pg_job *job);
/* pg_rates.c */
bool wf_pg_rates_send(wf_pg_job *job);
void wf_pg_rates_answer(wf_pg_job *job);
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
int32_t wf_pg_permits(void *self, const char *session, int64_t now, wfsm_permit *const *permits,
                      size_t count, wfsm_error *error);
int32_t wf_pg_rates(void *self, int64_t now, wfsm_rate *const *rates, size_t count,
                    wfsm_error *error);
int32_t wf_pg_share(void *self, const wfsm_sharing *asked, wfsm_row_sink sink, void *user,
                    wfsm_error *error);
int32_t wf_pg_since(void *self, wfsm_since *asked, wfsm_row_sink sink, void *user,
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
