/* postgres/pg_loads.c: instances that an exchange returns: the head, the latest snapshot, and the records
 * behind it. */
#include "pg.h"

#include <string.h>

static bool loads(int32_t kind)
{
    return kind == WFSM_REQUEST_TAKE || kind == WFSM_REQUEST_LOAD;
}

static bool returns_rows(int32_t kind)
{
    return loads(kind) || kind == WFSM_REQUEST_LOOK;
}

static size_t put_ids(wf_pg_values *values, const wfsm_exchange *exchange,
                      bool (*wanted)(int32_t))
{
    size_t count = 0;

    wf_pg_columns(values, "t");
    for (size_t i = 0; i < exchange->request_count; i++)
        if (wanted(exchange->requests[i]->kind)) {
            wf_pg_put_text(values, exchange->requests[i]->instance);
            count++;
        }
    wf_pg_columns_end(values);
    return count;
}

bool wf_pg_loads_send(wf_pg_job *job)
{
    wf_pg_values values;
    size_t count;
    bool fine;

    wf_pg_values_init(&values, job->db);
    wf_pg_text(&values, job->db->tenant);
    count = put_ids(&values, job->exchange, returns_rows);
    put_ids(&values, job->exchange, loads);
    fine = !values.failed;
    if (fine && count > 0)
        job->loaded = wf_pg_pipe_add(&job->pipe, WF_PG_LOADED, &values);
    wf_pg_values_fini(&values);
    return fine;
}

enum { PART = 0, INSTANCE = 1, REVISION = 7, NOW = 18, TEXT = 19, EVENT = 20 };

/* Rows are sorted by instance and part. */
static int first_row(const PGresult *result, const char *instance)
{
    int low = 0, high = PQntuples(result);

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (strcmp(PQgetvalue(result, middle, INSTANCE), instance) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of(const PGresult *result, int row, const char *instance)
{
    return row < PQntuples(result) && strcmp(PQgetvalue(result, row, INSTANCE), instance) == 0;
}

static int32_t pass_head(wf_pg_job *job, const PGresult *result, int row)
{
    wfsm_head head = wf_pg_head_of(job->db, result, row, INSTANCE);
    const wfsm_row out = {.size = sizeof out, .head = &head, .part = WFSM_ROW_HEAD};

    return job->exchange->sink(job->exchange->user, &out);
}

static int32_t pass_text(wf_pg_job *job, const PGresult *result, int row)
{
    const wfsm_row out = {.size = sizeof out,
                          .part = (int32_t)wf_pg_int_of(result, row, PART),
                          .revision = wf_pg_count_of(result, row, REVISION),
                          .now = wf_pg_int_of(result, row, NOW),
                          .text = PQgetvalue(result, row, TEXT),
                          .length = wf_pg_length_of(result, row, TEXT),
                          .id = wf_pg_text_of(result, row, EVENT)};

    return job->exchange->sink(job->exchange->user, &out);
}

static int32_t pass_instance(wf_pg_job *job, const wfsm_request *request)
{
    const PGresult *result = job->pipe.results[job->loaded];
    int row = first_row(result, request->instance);
    int32_t status;

    if (!is_of(result, row, request->instance))
        return wf_pg_job_refuse(job, WFSM_NOT_FOUND, "there is no instance '%s'",
                                request->instance);
    status = pass_head(job, result, row++);
    for (; status == WFSM_OK && loads(request->kind) && is_of(result, row, request->instance);
         row++)
        status = pass_text(job, result, row);
    return status;
}

void wf_pg_loads_answer(wf_pg_job *job)
{
    for (size_t i = 0; i < job->exchange->request_count; i++) {
        const wfsm_request *request = job->exchange->requests[i];
        int32_t *answer = &job->exchange->request_answers[i];

        if (*answer == WFSM_OK && returns_rows(request->kind))
            *answer = pass_instance(job, request);
    }
}
