/* A PostgreSQL server for the test, in a folder of its own and on a socket in it, and a pool before it. */
#ifndef TESTS_POSTGRES_SERVER_H
#define TESTS_POSTGRES_SERVER_H

#include <stdbool.h>
#include <wfsm/postgres.h>

/* False: there is no server program here, and the test is to be skipped. A server that does not start
 * ends the test. It is stopped and removed when the test ends. */
bool server_start(void);
/* The same server again, after server_kill(). */
void server_start_again(void);
/* As kill -9 of all its processes. */
void server_kill(void);
/* The same from a child of the test. */
void server_kill_from_child(void);
/* Starts it again if it was killed. */
void server_revive(void);
/* Stops the server for as long as its files are copied. */
void server_save(void);
/* Kills the server, and starts it with the files of server_save(). */
void server_set_back(void);
/* A synchronous standby of it. Ends the test if it does not become one. */
void standby_start(void);
/* The standby takes the place of the server, which is killed. */
void standby_promote(void);
/* Valid until the next call but three. */
const char *server_address(void);
/* A URI, for another database of the server. */
const char *server_url(const char *database);
/* With more words at the end. */
const char *server_address_with(const char *words);
/* Runs SQL as the superuser; ends the test if it fails. */
void server_run(const char *sql);
/* The first column of the first row, -1: none. */
long long server_number(const char *sql);
/* Waits until the number is what is wanted; ends the test after half a minute. */
void server_await(const char *sql, long long wanted);
/* Ends all sessions but that of server_run(). */
void server_end_sessions(void);

/* In a child: until the test has started a killed server again. */
void server_await_restart(void);
/* In a child: it needs a session of its own. */
void server_forget(void);
/* In a child: it ends with the test, also if that is killed. server_forget() does this, too. */
void server_follow_parent(void);

/* From now on the server writes how it carries out each statement into its log, and takes an index wherever it can.
 * False: it cannot write that. */
bool server_log_plans(void);
/* Where its log is. */
const char *server_log(void);

/* pgbouncer in transaction mode. False: there is none. */
bool pool_start(void);
const char *pool_address(void);
const char *pool_address_with(const char *words);
/* Makes a role that may log in and has a namespace, both of the same name. The pool knows acme, beta, one,
 * zero and gone. */
void server_tenant(const char *name);

/* The tables of all namespaces are empty afterwards. */
void server_wipe(void);
/* A store in a namespace, with the host's clock; makes the tables. Ends the test if it cannot be opened. */
wfsm_store *server_open(const char *address, const char *tenant);
#endif
