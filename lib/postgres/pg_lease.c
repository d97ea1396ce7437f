/* postgres/pg_lease.c: the lease of a session. Its row says until when by the clock that counts, and keeps
 * beside it what the host wrote, which the host compares. */
#include "pg.h"

/* Longer leases would exceed what the server can add. */
#define MOST_LENGTH ((int64_t)1 << 53)

void wf_pg_put_now(wf_pg_values *values, int64_t now)
{
    if (values->db->host_clock)
        wf_pg_number(values, now);
    else
        wf_pg_null_number(values);
}

static int64_t length_of(const wfsm_exchange *exchange)
{
    int64_t length = exchange->until - exchange->now; /* neither is negative */

    return length < MOST_LENGTH ? length : MOST_LENGTH;
}

bool wf_pg_lease_send(wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;
    wf_pg_values values;
    bool fine;

    if (!job->claims)
        return true;
    wf_pg_values_init(&values, job->db);
    wf_pg_text(&values, job->db->tenant);
    wf_pg_text(&values, exchange->session);
    wf_pg_number(&values, exchange->mine);
    wf_pg_put_now(&values, exchange->now);
    wf_pg_number(&values, exchange->until);
    wf_pg_number(&values, length_of(exchange));
    fine = !values.failed;
    if (fine)
        job->claimed = wf_pg_pipe_add(
            &job->pipe, exchange->until > 0 ? WF_PG_CLAIM : WF_PG_END_SESSION, &values);
    wf_pg_values_fini(&values);
    return fine;
}

int32_t wf_pg_lease_refused(wf_pg_job *job)
{
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    wf_pg_values_init(&values, job->db);
    wf_pg_text(&values, job->db->tenant);
    wf_pg_text(&values, job->exchange->session);
    status = wf_pg_read(job->db, WF_PG_SESSION, &values, &result, NULL);
    wf_pg_values_fini(&values);
    job->exchange->lease = wf_pg_job_refuse(
        job, WFSM_DENIED, "another process has the session '%s'; it is alive until %s",
        job->exchange->session,
        status == WFSM_OK && PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "a moment ago");
    PQclear(result);
    return WFSM_OK;
}
