/* postgres/pg_calls.c: statements that need no exchange. */
#include "pg.h"

#include <string.h>

/* `before` is a statement without parameters; WF_PG_COUNT: none. */
static int32_t read_once(wf_pg *db, enum wf_pg_sql before, const char *sql,
                         const wf_pg_values *values, PGresult **result, enum wf_pg_end *end,
                         wfsm_error *error)
{
    wf_pg_pipe pipe;
    int32_t status = wf_pg_ready(db, WFSM_IO, error);
    int index = before != WF_PG_COUNT; /* of the result */

    *end = WF_PG_DONE;
    if (status != WFSM_OK)
        return status;
    wf_pg_pipe_begin(&pipe, db);
    if (before != WF_PG_COUNT)
        wf_pg_pipe_add_text(&pipe, -1, db->sql[before], NULL);
    wf_pg_pipe_add_text(&pipe, -1, sql, values);
    *end = wf_pg_pipe_end(&pipe);
    if (*end == WF_PG_REFUSED)
        status = wf_pg_fail(db, pipe.failed, WFSM_IO, error);
    *result = pipe.results[index];
    pipe.results[index] = NULL;
    wf_pg_pipe_free(&pipe);
    return status;
}

/* A connection that was idle may be broken without anybody having noticed it. */
int32_t wf_pg_read_after(wf_pg *db, enum wf_pg_sql before, const char *sql,
                         const wf_pg_values *values, PGresult **result, wfsm_error *error)
{
    enum wf_pg_end end = WF_PG_LOST;
    int32_t status = values->failed ? wf_pg_no_memory(error) : WFSM_OK;

    *result = NULL;
    for (int attempt = 0; attempt < 2 && status == WFSM_OK && !*result; attempt++)
        status = read_once(db, before, sql, values, result, &end, error);
    if (status == WFSM_OK && !*result)
        status = wf_pg_refuse(db, WFSM_IO, error, "the server does not answer");
    return status;
}

int32_t wf_pg_read(wf_pg *db, enum wf_pg_sql which, const wf_pg_values *values,
                   PGresult **result, wfsm_error *error)
{
    return wf_pg_read_after(db, WF_PG_COUNT, db->sql[which], values, result, error);
}

bool wf_pg_pass_add(wf_pg_pipe *pipe)
{
    wf_pg_values values;
    bool fine;

    pipe->attempt = (int64_t)(wf_pg_random(pipe->db) >> 1) | 1;
    wf_pg_values_init(&values, pipe->db);
    wf_pg_text(&values, pipe->db->tenant);
    wf_pg_number(&values, pipe->attempt);
    fine = !values.failed;
    if (fine)
        wf_pg_pipe_add(pipe, WF_PG_PASS, &values);
    wf_pg_values_fini(&values);
    return fine;
}

static enum wf_pg_end write_once(wf_pg *db, wf_pg_pipe *pipe, const enum wf_pg_sql *list,
                                 size_t count, const wf_pg_values *values)
{
    wf_pg_pipe_begin(pipe, db);
    for (size_t i = 0; i < count; i++) {
        wf_pg_pipe_add(pipe, list[i], values);
        if (list[i] == WF_PG_LOCK)
            pipe->broken |= !wf_pg_pass_add(pipe);
    }
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
