/* postgres/pg_pipe.c: statements in one pipeline. They make one round trip, and one transaction: the
 * server commits at the end of the pipeline, or nothing at all. */
#include "pg.h"

#include <string.h>

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

int wf_pg_pipe_add_text(wf_pg_pipe *pipe, const char *sql, const wf_pg_values *values)
{
    const char *texts[WF_PG_VALUES];
    int lengths[WF_PG_VALUES], formats[WF_PG_VALUES];
    int count = values ? values->count : 0;

    for (int i = 0; i < count; i++) {
        const wf_pg_buffer *buffer = &values->buffers[i];

        texts[i] = values->null[i] ? NULL : buffer->data ? buffer->data : "";
        lengths[i] = (int)buffer->length;
        formats[i] = 1;
    }
    pipe->broken =
        pipe->broken || pipe->count == WF_PG_STEPS ||
        !PQsendQueryParams(pipe->db->connection, sql, count, values ? values->types : NULL,
                           texts, lengths, formats, 0);
    return pipe->broken ? -1 : pipe->count++;
}

int wf_pg_pipe_add(wf_pg_pipe *pipe, enum wf_pg_sql which, const wf_pg_values *values)
{
    return wf_pg_pipe_add_text(pipe, pipe->db->sql[which], values);
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
    if (!receive(pipe))
        return give_up(pipe, WF_PG_LOST);
    if (!PQexitPipelineMode(db->connection))
        wf_pg_disconnect(db);
    if (pipe->failed)
        return WF_PG_REFUSED;
    return db->unsure ? WF_PG_LOST : WF_PG_DONE;
}

static int32_t read_once(wf_pg *db, enum wf_pg_sql which, const wf_pg_values *values,
                         PGresult **result, enum wf_pg_end *end, wfsm_error *error)
{
    wf_pg_pipe pipe;
    int32_t status = wf_pg_ready(db, WFSM_IO, error);

    *end = WF_PG_DONE;
    if (status != WFSM_OK)
        return status;
    wf_pg_pipe_begin(&pipe, db);
    wf_pg_pipe_add(&pipe, which, values);
    *end = wf_pg_pipe_end(&pipe);
    if (*end == WF_PG_REFUSED)
        status = wf_pg_fail(db, pipe.failed, WFSM_IO, error);
    *result = pipe.results[0];
    pipe.results[0] = NULL;
    wf_pg_pipe_free(&pipe);
    return status;
}

/* A connection that was idle may be broken without anybody having noticed it. */
int32_t wf_pg_read(wf_pg *db, enum wf_pg_sql which, const wf_pg_values *values,
                   PGresult **result, wfsm_error *error)
{
    enum wf_pg_end end = WF_PG_LOST;
    int32_t status = values->failed ? wf_pg_no_memory(error) : WFSM_OK;

    *result = NULL;
    for (int attempt = 0; attempt < 2 && status == WFSM_OK && !*result; attempt++)
        status = read_once(db, which, values, result, &end, error);
    if (status == WFSM_OK && !*result)
        status = wf_pg_refuse(db, WFSM_IO, error, "the server does not answer");
    return status;
}

static enum wf_pg_end write_once(wf_pg *db, wf_pg_pipe *pipe, const enum wf_pg_sql *list,
                                 size_t count, const wf_pg_values *values)
{
    wf_pg_pipe_begin(pipe, db);
    for (size_t i = 0; i < count; i++)
        wf_pg_pipe_add(pipe, list[i], values);
    return wf_pg_pipe_end(pipe);
}

enum { ATTEMPTS = 20 };

int32_t wf_pg_write(wf_pg *db, wf_pg_pipe *pipe, const enum wf_pg_sql *list, size_t count,
                    const wf_pg_values *values, wfsm_error *error)
{
    enum wf_pg_end end = WF_PG_REFUSED;
    int32_t status = values->failed ? wf_pg_no_memory(error) : WFSM_OK;

    memset(pipe, 0, sizeof *pipe);
    for (int attempt = 0; status == WFSM_OK && end == WF_PG_REFUSED; attempt++) {
        status = wf_pg_ready(db, WFSM_STORE_FAILED, error);
        if (status != WFSM_OK)
            return status;
        end = write_once(db, pipe, list, count, values);
        if (end != WF_PG_REFUSED)
            break;
        if (attempt == ATTEMPTS || !wf_pg_may_repeat(pipe->failed))
            return wf_pg_fail(db, pipe->failed, WFSM_STORE_FAILED, error);
        wf_pg_pipe_free(pipe);
        wf_pg_back_off(db, attempt);
    }
    if (end == WF_PG_UNSENT)
        return wf_pg_refuse(db, WFSM_STORE_FAILED, error, "the connection is broken");
    return status == WFSM_OK && end == WF_PG_LOST ? wf_pg_lost(db, error) : status;
}
