/* postgres/pg_rates.c: rates that sessions share. The row of a rate is a token bucket, as in the memory store; one
 * statement fills it and takes from it. */
#include "pg.h"

static void put_rates(wf_pg_values *values, const wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;

    wf_pg_text(values, job->db->tenant);
    wf_pg_columns(values, "itiii");
    for (size_t i = 0; i < exchange->rate_count; i++) {
        const wfsm_rate *rate = exchange->rates[i];

        wf_pg_put_number(values, rate->kind);
        wf_pg_put_text(values, rate->name);
        wf_pg_put_number(values, rate->count);
        wf_pg_put_number(values, rate->per_ms);
        wf_pg_put_number(values, rate->wanted);
    }
    wf_pg_columns_end(values);
    wf_pg_put_now(values, exchange->now);
}

bool wf_pg_rates_send(wf_pg_job *job)
{
    wf_pg_values values;
    bool fine;

    if (job->exchange->rate_count == 0)
        return true;
    wf_pg_values_init(&values, job->db);
    put_rates(&values, job);
    fine = !values.failed;
    if (fine)
        job->rated = wf_pg_pipe_add(&job->pipe, WF_PG_RATES, &values);
    wf_pg_values_fini(&values);
    return fine;
}

void wf_pg_rates_answer(wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;

    for (size_t i = 0; i < exchange->rate_count; i++) {
        const PGresult *result = job->pipe.results[job->rated];

        exchange->rates[i]->granted = (uint32_t)wf_pg_int_of(result, (int)i, 1);
        exchange->rates[i]->wait_ms = wf_pg_int_of(result, (int)i, 2);
    }
}
