/* postgres/pg_pipe.c: statements in one pipeline. They make one round trip, and one transaction: the
 * server commits at the end of the pipeline, or nothing at all. */
#include "pg.h"

#include <stdio.h>
#include <string.h>

void wf_pg_disconnect(wf_pg *db)
{
    wf_pg_names_forget(db);
    PQfinish(db->connection);
    db->connection = NULL;
}

void wf_pg_pipe_begin(wf_pg_pipe *pipe, wf_pg *db)
{
    memset(pipe, 0, sizeof *pipe);
    pipe->db = db;
    pipe->broken = !PQenterPipelineMode(db->connection);
    db->unsure = false;
}

void wf_pg_pipe_free(wf_pg_pipe *pipe)
{
    for (int i = 0; i < pipe->count; i++)
        PQclear(pipe->results[i]);
    PQclear(pipe->failed);
    memset(pipe, 0, sizeof *pipe);
}

/* The parameters of a statement as libpq wants them. */
typedef struct parameters {
    const char *texts[WF_PG_VALUES];
    int lengths[WF_PG_VALUES], formats[WF_PG_VALUES];
    int count;
} parameters;

static void read_values(parameters *out, const wf_pg_values *values)
{
    out->count = values ? values->count : 0;
    for (int i = 0; i < out->count; i++) {
        const wf_pg_buffer *buffer = &values->buffers[i];

        out->texts[i] = values->null[i] ? NULL : buffer->data ? buffer->data : "";
        out->lengths[i] = (int)buffer->length;
        out->formats[i] = 1;
    }
}

static bool is_prepared(const wf_pg_pipe *pipe, int number)
{
    bool found = wf_pg_names_has(pipe->db, number);

    for (int i = 0; i < pipe->count && !found; i++)
        found = pipe->prepares[i] == number + 1;
    return found;
}

bool wf_pg_pipe_needs_text(const wf_pg_pipe *pipe, int number)
{
    return !pipe->named || !is_prepared(pipe, number);
}

static void prepare(wf_pg_pipe *pipe, int number, const char *name, const char *sql,
                    const wf_pg_values *values)
{
    if (is_prepared(pipe, number))
        return;
    pipe->broken =
        pipe->broken || pipe->count == WF_PG_STEPS ||
        !PQsendPrepare(pipe->db->connection, name, sql, values->count, values->types);
    if (!pipe->broken)
        pipe->prepares[pipe->count++] = number + 1;
}

int wf_pg_pipe_add_text(wf_pg_pipe *pipe, int number, const char *sql,
                        const wf_pg_values *values)
{
    PGconn *connection = pipe->db->connection;
    bool named = pipe->named && number >= 0 && values && wf_pg_names_may(pipe->db, number);
    parameters given;
    char name[32];

    snprintf(name, sizeof name, "wfsm_%d", number);
    read_values(&given, values);
    if (named)
        prepare(pipe, number, name, sql, values);
    pipe->broken =
        pipe->broken || pipe->count == WF_PG_STEPS ||
        !(named ? PQsendQueryPrepared(connection, name, given.count, given.texts, given.lengths,
                                      given.formats, 0)
                : PQsendQueryParams(connection, sql, given.count, values ? values->types : NULL,
                                    given.texts, given.lengths, given.formats, 0));
    return pipe->broken ? -1 : pipe->count++;
}

int wf_pg_pipe_add(wf_pg_pipe *pipe, enum wf_pg_sql which, const wf_pg_values *values)
{
    return wf_pg_pipe_add_text(pipe, (int)which, pipe->db->sql[which], values);
}

/* The next result; NULL ends those of one statement. False: the connection is broken. */
static bool next_result(wf_pg *db, const wf_pg_deadline *deadline, PGresult **result)
{
    while (PQisBusy(db->connection))
        if (!wf_pg_wait(db->connection, true, deadline))
            return false;
    *result = PQgetResult(db->connection);
    return PQstatus(db->connection) == CONNECTION_OK;
}

static void keep(wf_pg_pipe *pipe, int step, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    if (status == PGRES_FATAL_ERROR && !pipe->failed) {
        pipe->failed = result;
        pipe->failed_step = step;
    } else if (status == PGRES_TUPLES_OK && step < pipe->count && !pipe->results[step]) {
        pipe->results[step] = result;
    } else {
        if (status == PGRES_COMMAND_OK && step < pipe->count && pipe->prepares[step] > 0)
            wf_pg_names_learn(pipe->db, pipe->prepares[step] - 1);
        PQclear(result);
    }
}

/* Reads up to the end of the pipeline. */
static bool receive(wf_pg_pipe *pipe)
{
    wf_pg_deadline deadline = wf_pg_deadline_in(pipe->db->answer_ms);
    PGresult *result = NULL;
    int step = 0;

    while (next_result(pipe->db, &deadline, &result)) {
        if (PQresultStatus(result) == PGRES_PIPELINE_SYNC && result) {
            PQclear(result);
            return true;
        }
        if (result)
            keep(pipe, step, result);
        else
            step++;
        result = NULL;
    }
    if (result)
        keep(pipe, step, result);
    return false;
}

static enum wf_pg_end give_up(wf_pg_pipe *pipe, enum wf_pg_end end)
{
    wf_pg_disconnect(pipe->db);
    return end;
}

/* Without its end the server carries out nothing of a pipeline. */
enum wf_pg_end wf_pg_pipe_end(wf_pg_pipe *pipe)
{
    wf_pg *db = pipe->db;

    if (pipe->broken || !PQpipelineSync(db->connection))
        return give_up(pipe, WF_PG_UNSENT);
    db->trips++;
    db->statements += (uint64_t)pipe->count;
    if (!receive(pipe))
        return give_up(pipe, WF_PG_LOST);
    if (!PQexitPipelineMode(db->connection))
        wf_pg_disconnect(db);
    if (pipe->failed)
        return WF_PG_REFUSED;
    return db->unsure ? WF_PG_LOST : WF_PG_DONE;
}
