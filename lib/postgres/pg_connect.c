/* postgres/pg_connect.c: the connection, and what the server must be like. */
#include "pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The server has committed, but a wait for its standby was ended: "canceling the wait for synchronous
 * replication", of class 01000, or 57P01 if the connection ends, too. */
static void note_notice(void *user, const PGresult *notice)
{
    wf_pg *db = user;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);

    if (severity && strcmp(severity, "WARNING") == 0 &&
        (wf_pg_has_state(notice, "01000") || wf_pg_has_state(notice, "57P01")))
        db->unsure = true;
    if (severity && strcmp(severity, "FATAL") == 0)
        db->ended = true;
}

/* What stands before the address is a default; what stands behind it is fixed. */
static PGconn *begin(const wf_pg *db, size_t host)
{
    static const char *const keys[] = {"application_name",
                                       "target_session_attrs",
                                       "tcp_user_timeout",
                                       "dbname",
                                       "client_encoding",
                                       "host",
                                       "hostaddr",
                                       "port",
                                       NULL};
    const char *values[] = {"wfsm", "read-write", NULL, db->address, "UTF8",
                            NULL,   NULL,         NULL, NULL};
    char ms[16], rooms[3][WF_PG_ITEM];

    snprintf(ms, sizeof ms, "%d", db->answer_ms);
    values[2] = ms;
    for (int i = 0; i < 3 && wf_pg_host_count(db) > 1; i++)
        values[5 + i] = wf_pg_item(db->hosts[i], host, rooms[i]);
    return PQconnectStartParams(keys, values, 1);
}

/* As PQconnectdb() does, but it prints nothing that the server says meanwhile. */
static bool finish(wf_pg *db)
{
    wf_pg_deadline deadline = wf_pg_deadline_in(db->connect_ms);
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;

    PQsetNoticeReceiver(db->connection, note_notice, db);
    while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED &&
           PQstatus(db->connection) != CONNECTION_BAD) {
        if (!wf_pg_wait_socket(db->connection, status == PGRES_POLLING_READING, &deadline))
            return false;
        status = PQconnectPoll(db->connection);
    }
    return status == PGRES_POLLING_OK && PQsetnonblocking(db->connection, 1) == 0;
}

static int32_t connect_to(wf_pg *db, size_t host, wfsm_error *error)
{
    int32_t status;

    wf_pg_disconnect(db);
    db->ended = db->looked = false;
    db->connection = begin(db, host);
    if (!db->connection)
        return wf_pg_no_memory(error);
    status = finish(db) ? wf_pg_check_server(db, error)
                        : wf_pg_fail_connection(db, WFSM_IO, "cannot connect", error);
    if (status != WFSM_OK)
        wf_pg_disconnect(db);
    return status;
}

/* The first host that fits. Otherwise the error is that of the last one. */
static int32_t connect_now(wf_pg *db, wfsm_error *error)
{
    int32_t status = WFSM_IO;

    for (size_t i = 0; i < wf_pg_host_count(db) && status != WFSM_OK; i++)
        status = connect_to(db, i, error);
    return status;
}

/* An idle connection has nothing to read, unless the server has ended it: its reason comes first, and then
 * the end. */
static bool is_alive(const wf_pg *db)
{
    wf_pg_deadline now = wf_pg_deadline_in(0);

    for (int i = 0; i < 3 && PQstatus(db->connection) == CONNECTION_OK; i++)
        if (!wf_pg_wait(db->connection, true, &now))
            break;
    return PQstatus(db->connection) == CONNECTION_OK && !PQisBusy(db->connection) && !db->ended;
}

int32_t wf_pg_connect(wf_pg *db, wfsm_error *error)
{
    return is_alive(db) ? WFSM_OK : connect_now(db, error);
}

int32_t wf_pg_ready(wf_pg *db, int32_t failure, wfsm_error *error)
{
    int32_t status;

    PQclear(db->kept);
    db->kept = NULL;
    status = wf_pg_connect(db, error);
    if (status == WFSM_IO && failure != WFSM_IO && error)
        wfsm_error_set(error, failure, wfsm_error_message(error));
    if (status != WFSM_OK)
        return status == WFSM_IO ? failure : status;
    status = wf_pg_mark_look(db, failure, error);
    return status == WFSM_OK ? wf_pg_resolve(db, failure, error) : status;
}

static bool is(const PGresult *result, int column, const char *text)
{
    return strcmp(PQgetvalue(result, 0, column), text) == 0;
}

static int32_t check_settings(const wf_pg *db, const PGresult *result, wfsm_error *error)
{
    if (atoi(PQgetvalue(result, 0, 0)) < 150000)
        return wf_pg_refuse(db, WFSM_VERSION, error,
                            "the server has the version number %s, and PostgreSQL 15 or later "
                            "was expected",
                            PQgetvalue(result, 0, 0));
    if (is(result, 1, "t") || is(result, 2, "on"))
        return wf_pg_refuse(db, WFSM_DENIED, error,
                            "the server is %s, and one that can be written was expected",
                            is(result, 1, "t") ? "in recovery" : "read-only");
    if (!is(result, 6, "UTF8"))
        return wf_pg_refuse(db, WFSM_INVALID, error,
                            "the database has the encoding %s, and UTF8 was expected",
                            PQgetvalue(result, 0, 6));
    if (!db->allow_unsafe &&
        (is(result, 3, "off") || !is(result, 4, "on") || !is(result, 5, "on")))
        return wf_pg_refuse(db, WFSM_DENIED, error,
                            "the server has synchronous_commit = %s, fsync = %s and "
                            "full_page_writes = %s, so it may lose what it has acknowledged; a "
                            "program can admit that with the option allow_unsafe",
                            PQgetvalue(result, 0, 3), PQgetvalue(result, 0, 4),
                            PQgetvalue(result, 0, 5));
    return WFSM_OK;
}

/* When a connection is made again, a newer release may have changed the tables meanwhile. */
int32_t wf_pg_check_server(wf_pg *db, wfsm_error *error)
{
    wf_pg_pipe pipe;
    enum wf_pg_end end;
    int32_t status = WFSM_OK;

    wf_pg_pipe_begin(&pipe, db);
    wf_pg_pipe_add(&pipe, WF_PG_SERVER, NULL);
    if (db->checked)
        wf_pg_pipe_add(&pipe, WF_PG_VERSION, NULL);
    end = wf_pg_pipe_end(&pipe);
    if (end == WF_PG_REFUSED)
        status = wf_pg_fail(db, pipe.failed, WFSM_IO, error);
    else if (end != WF_PG_DONE || PQntuples(pipe.results[0]) != 1)
        status = wf_pg_refuse(db, WFSM_IO, error, "the server does not answer");
    else
        status = check_settings(db, pipe.results[0], error);
    if (status == WFSM_OK && db->checked)
        status = wf_pg_version_check(db, pipe.results[1], error);
    if (status == WFSM_OK)
        wf_pg_names_begin(db, PQgetvalue(pipe.results[0], 0, 7));
    wf_pg_pipe_free(&pipe);
    return status;
}
