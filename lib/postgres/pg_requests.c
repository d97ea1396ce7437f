/* postgres/pg_requests.c: requests about instances of which the exchange has no commit. */
#include "pg.h"

#include <string.h>

bool wf_pg_request_writes(int32_t kind)
{
    return kind == WFSM_REQUEST_ACKNOWLEDGE || kind == WFSM_REQUEST_GIVE_UP ||
           kind == WFSM_REQUEST_TAKE;
}

static size_t count_kind(const wfsm_exchange *exchange, int32_t kind)
{
    size_t count = 0;

    for (size_t i = 0; i < exchange->request_count; i++)
        count += exchange->requests[i]->kind == kind;
    return count;
}

static void put_requests(wf_pg_values *values, const wfsm_exchange *exchange, int32_t kind)
{
    bool acknowledges = kind == WFSM_REQUEST_ACKNOWLEDGE;

    wf_pg_columns(values, acknowledges ? "tii" : "t");
    for (size_t i = 0; i < exchange->request_count; i++) {
        const wfsm_request *request = exchange->requests[i];

        if (request->kind != kind)
            continue;
        wf_pg_put_text(values, request->instance);
        if (acknowledges) {
            wf_pg_put_number(values, (int64_t)wf_pg_bounded(request->number));
            wf_pg_put_number(values, request->gives_up);
        }
    }
    wf_pg_columns_end(values);
}

static bool send_kind(wf_pg_job *job, int32_t kind, enum wf_pg_sql which, int *step)
{
    wf_pg_values values;
    bool fine;

    if (count_kind(job->exchange, kind) == 0)
        return true;
    wf_pg_values_init(&values, job->db);
    wf_pg_text(&values, job->db->tenant);
    put_requests(&values, job->exchange, kind);
    wf_pg_text(&values, job->exchange->session);
    if (kind == WFSM_REQUEST_TAKE)
        wf_pg_put_now(&values, job->exchange->now);
    fine = !values.failed;
    if (fine)
        *step = wf_pg_pipe_add(&job->pipe, which, &values);
    wf_pg_values_fini(&values);
    return fine;
}

bool wf_pg_requests_send(wf_pg_job *job)
{
    return send_kind(job, WFSM_REQUEST_ACKNOWLEDGE, WF_PG_ACKNOWLEDGE, &job->acknowledged) &&
           send_kind(job, WFSM_REQUEST_GIVE_UP, WF_PG_GIVE_UP, &job->gave_up) &&
           send_kind(job, WFSM_REQUEST_TAKE, WF_PG_TAKE, &job->took);
}

/* The columns are a number, whether the instance is there, whether it was done, and who owns it until
 * when. */
static int32_t refuse(wf_pg_job *job, const wfsm_request *request, const PGresult *result,
                      int row)
{
    switch (request->kind) {
    case WFSM_REQUEST_ACKNOWLEDGE:
        return wf_pg_job_refuse(job, WFSM_NOT_FOUND, "instance '%s' has no effect %llu",
                                request->instance, (unsigned long long)request->number);
    case WFSM_REQUEST_GIVE_UP:
        return wf_pg_job_refuse(job, WFSM_DENIED, "instance '%s' is owned by '%s'",
                                request->instance, PQgetvalue(result, row, 3));
    default:
        return wf_pg_job_refuse(
            job, WFSM_DENIED, "instance '%s' is owned by '%s', which is alive until %s",
            request->instance, PQgetvalue(result, row, 3), PQgetvalue(result, row, 4));
    }
}

static int32_t answer_of(wf_pg_job *job, const wfsm_request *request, const PGresult *result,
                         int row)
{
    if (*PQgetvalue(result, row, 1) != 't')
        return wf_pg_job_refuse(job, WFSM_NOT_FOUND, "there is no instance '%s'",
                                request->instance);
    return *PQgetvalue(result, row, 2) == 't' ? WFSM_OK : refuse(job, request, result, row);
}

/* Each statement has answered its requests in their order. */
void wf_pg_requests_answer(wf_pg_job *job)
{
    const int steps[] = {job->acknowledged, job->gave_up, job->took};
    int rows[] = {0, 0, 0};

    for (size_t i = 0; i < job->exchange->request_count; i++) {
        const wfsm_request *request = job->exchange->requests[i];
        int kind = request->kind - WFSM_REQUEST_ACKNOWLEDGE;

        job->exchange->request_answers[i] =
            wf_pg_request_writes(request->kind)
                ? answer_of(job, request, job->pipe.results[steps[kind]], rows[kind]++)
                : WFSM_OK;
    }
}
