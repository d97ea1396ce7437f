/* postgres/pg_permits.c: permits of limits that sessions share. The row of a limit, whose session is "", is
 * locked first, so that what is granted is decided by one transaction after the other. */
#include "pg.h"

/* Both statements have these parameters; the first one reads those of the limits only. */
static void put_permits(wf_pg_values *values, const wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;
    uint32_t held = 0;

    wf_pg_text(values, job->db->tenant);
    wf_pg_columns(values, "itiii");
    for (size_t i = 0; i < exchange->permit_count; i++) {
        const wfsm_permit *permit = exchange->permits[i];

        wf_pg_put_number(values, permit->kind);
        wf_pg_put_text(values, permit->name);
        wf_pg_put_number(values, permit->most);
        wf_pg_put_number(values, permit->working);
        wf_pg_put_number(values, permit->wanted);
        held |= permit->held;
    }
    wf_pg_columns_end(values);
    wf_pg_text(values, exchange->session);
    wf_pg_put_now(values, exchange->now);
    wf_pg_number(values, held > 0);
}

bool wf_pg_permits_send(wf_pg_job *job)
{
    wf_pg_values values;
    bool fine;

    if (job->exchange->permit_count == 0)
        return true;
    wf_pg_values_init(&values, job->db);
    put_permits(&values, job);
    fine = !values.failed;
    if (fine) {
        wf_pg_pipe_add(&job->pipe, WF_PG_LOCK_LIMITS, &values);
        job->permitted = wf_pg_pipe_add(&job->pipe, WF_PG_PERMITS, &values);
    }
    wf_pg_values_fini(&values);
    return fine;
}

void wf_pg_permits_answer(wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;

    for (size_t i = 0; i < exchange->permit_count; i++) {
        const PGresult *result = job->pipe.results[job->permitted];

        exchange->permits[i]->granted = (uint32_t)wf_pg_int_of(result, (int)i, 1);
        exchange->permits[i]->contended = *PQgetvalue(result, (int)i, 2) == 't';
    }
}

int32_t wf_pg_permits_refused(wf_pg_job *job)
{
    return wf_pg_refuse(
        job->db, WFSM_STORE_FAILED, job->error,
        "the lease of the session '%s' has lapsed, and others may have its permits",
        job->exchange->session);
}
