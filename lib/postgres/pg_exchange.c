/* postgres/pg_exchange.c: an exchange is one pipeline, and one round trip. It is repeated if others were in
 * the way: then the server has written nothing. */
#include "pg.h"

#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 20 };

/* ---- sending ---- */

/* What concerns instances is done under the locks of their heads. */
static bool locks(const wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;
    bool found = exchange->commit_count > 0 || exchange->post_count > 0;

    for (size_t i = 0; i < exchange->request_count && !found; i++)
        found = wf_pg_request_writes(exchange->requests[i]->kind);
    return found;
}

static bool writes(const wf_pg_job *job)
{
    return job->claims || job->exchange->permit_count > 0 || job->exchange->rate_count > 0 ||
           locks(job);
}

static size_t put_locked(wf_pg_values *values, const wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;
    size_t count = job->chains.count + exchange->post_count;

    for (size_t i = 0; i < job->chains.count; i++)
        wf_pg_put_text(values, job->chains.list[i].instance);
    for (size_t i = 0; i < exchange->post_count; i++)
        wf_pg_put_text(values, exchange->posts[i]->instance);
    for (size_t i = 0; i < exchange->request_count; i++)
        if (wf_pg_request_writes(exchange->requests[i]->kind)) {
            wf_pg_put_text(values, exchange->requests[i]->instance);
            count++;
        }
    return count;
}

/* What is behind the locks sees the last state of what they protect. */
static bool send_locks(wf_pg_job *job)
{
    wf_pg_values values;
    size_t count;
    bool fine;

    wf_pg_values_init(&values, job->db);
    wf_pg_text(&values, job->db->tenant);
    wf_pg_columns(&values, "t");
    count = put_locked(&values, job);
    wf_pg_columns_end(&values);
    fine = !values.failed;
    if (fine && count > 0)
        wf_pg_pipe_add(&job->pipe, WF_PG_LOCK, &values);
    wf_pg_values_fini(&values);
    return fine;
}

/* The epochs of heads fence what a commit writes, and nothing else. Without an instance there is no lock. */
static bool send_pass(wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;
    bool needed = exchange->post_count > 0;

    for (size_t i = 0; i < exchange->request_count && !needed; i++)
        needed = exchange->requests[i]->kind == WFSM_REQUEST_GIVE_UP ||
                 exchange->requests[i]->kind == WFSM_REQUEST_TAKE;
    return !needed || wf_pg_pass_add(&job->pipe);
}

/* A pool does not tell that the server was another one in between. */
static bool send_mark(wf_pg_job *job)
{
    return !job->claims || job->db->named || wf_pg_mark_add(&job->pipe, &job->marked);
}

/* A look at what others have done has plans that are made for it. */
static void send_mode(wf_pg_job *job)
{
    wf_pg_values none;

    if (!locks(job))
        return;
    job->pipe.named = job->db->named;
    if (wf_pg_names_renew(job->db))
        wf_pg_pipe_add_text(&job->pipe, 0, "DEALLOCATE ALL", NULL);
    wf_pg_values_init(&none, job->db);
    wf_pg_pipe_add(&job->pipe, WF_PG_MODE, &none);
}

/* The lease comes last of what is written, so that all take their locks in the same order: heads before
 * sessions. */
static bool send(wf_pg_job *job)
{
    job->acknowledged = job->gave_up = job->took = job->started = job->committed = -1;
    job->posted = job->claimed = job->loaded = job->changes = job->waiting = job->owned = -1;
    job->permitted = job->rated = job->marked = -1;
    wf_pg_pipe_begin(&job->pipe, job->db);
    send_mode(job);
    return send_locks(job) && send_mark(job) && send_pass(job) && wf_pg_permits_send(job) &&
           wf_pg_rates_send(job) && wf_pg_requests_send(job) && wf_pg_commits_send(job, true) &&
           wf_pg_commits_send(job, false) && wf_pg_posts_send(job) && wf_pg_lease_send(job) &&
           wf_pg_loads_send(job) && wf_pg_news_send(job);
}

/* ---- what the server refuses ---- */

/* A lost start that was given up has left an epoch that this handle does not know. */
static int32_t learn_tombstones(wf_pg_job *job)
{
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;
    bool fine = true;

    wf_pg_values_init(&values, job->db);
    wf_pg_text(&values, job->db->tenant);
    wf_pg_columns(&values, "t");
    for (size_t i = 0; i < job->chains.count; i++)
        wf_pg_put_text(&values, job->chains.list[i].instance);
    wf_pg_columns_end(&values);
    status = wf_pg_read(job->db, WF_PG_TOMBSTONES, &values, &result, job->error);
    wf_pg_values_fini(&values);
    for (int i = 0; status == WFSM_OK && i < PQntuples(result) && fine; i++)
        fine = wf_pg_epoch_learn(job->db, PQgetvalue(result, i, 0), wf_pg_int_of(result, i, 1));
    PQclear(result);
    return fine ? status : wf_pg_no_memory(job->error);
}

/* Is the instance one of the values in "Key (namespace, instance, …)=(default, a, 6) already exists."? */
static bool detail_names(const char *detail, const char *instance)
{
    const char *values = strstr(detail, ")=(");
    const char *at = values ? values : detail;
    char value[300];
    size_t length = (size_t)snprintf(value, sizeof value, ", %s", instance);

    while ((at = strstr(at, value)) && at[length] != ',' && at[length] != ')')
        at++;
    return at != NULL;
}

/* Leaves out the chains that the server names, so that they do not refuse the others. */
static bool mask_offenders(wf_pg_job *job)
{
    const char *detail = PQresultErrorField(job->pipe.failed, PG_DIAG_MESSAGE_DETAIL);
    bool found = false;

    for (size_t i = 0; i < job->chains.count && detail; i++) {
        wf_pg_chain *chain = &job->chains.list[i];

        if (!chain->masked && detail_names(detail, chain->instance))
            chain->masked = found = true;
    }
    return found;
}

/* Sets *again if the exchange is to be sent once more. */
static int32_t refused(wf_pg_job *job, int attempt, bool *again)
{
    const PGresult *failed = job->pipe.failed;
    int step = job->pipe.failed_step;

    if (wf_pg_has_state(failed, "22012") && step == job->marked)
        return wf_pg_set_back(job->db, job->error);
    if (wf_pg_has_state(failed, "22012") && step == job->claimed)
        return wf_pg_lease_refused(job);
    if (wf_pg_has_state(failed, "22012") && step == job->permitted)
        return wf_pg_permits_refused(job);
    *again = attempt < ATTEMPTS;
    if (wf_pg_names_refused(job->db, failed) && *again)
        return WFSM_OK;
    if (wf_pg_has_state(failed, "22012") && step == job->started && *again)
        return learn_tombstones(job);
    if (wf_pg_may_repeat(failed) && *again) {
        wf_pg_back_off(job->db, attempt);
        return WFSM_OK;
    }
    *again = *again && wf_pg_has_state(failed, "23") && mask_offenders(job);
    if (*again)
        return WFSM_OK;
    return wf_pg_fail(job->db, failed, writes(job) ? WFSM_STORE_FAILED : WFSM_IO, job->error);
}

/* ---- answers ---- */

static void answer(wf_pg_job *job)
{
    job->exchange->lease = WFSM_OK;
    if (job->claims)
        wf_pg_mark_session(job->db, job->exchange->session, job->exchange->until);
    wf_pg_permits_answer(job);
    wf_pg_rates_answer(job);
    wf_pg_requests_answer(job);
    wf_pg_commits_answer(job);
    wf_pg_posts_answer(job);
    wf_pg_loads_answer(job);
    wf_pg_news_answer(job);
}

/* What the attempt writes besides its commits is under the locks of these instances. */
static void note_attempt(wf_pg_job *job)
{
    const wfsm_exchange *exchange = job->exchange;

    wf_pg_doubt_note_attempt(job->db, job->pipe.attempt);
    for (size_t i = 0; i < exchange->post_count; i++)
        wf_pg_doubt_note(job->db, exchange->posts[i]->instance, WF_PG_NO_CHAIN);
    for (size_t i = 0; i < exchange->request_count; i++)
        if (wf_pg_request_writes(exchange->requests[i]->kind))
            wf_pg_doubt_note(job->db, exchange->requests[i]->instance, WF_PG_NO_CHAIN);
}

static int32_t lost(wf_pg_job *job)
{
    if (job->claims)
        wf_pg_mark_session(job->db, "", 0);
    if (job->pipe.attempt != 0)
        note_attempt(job);
    for (size_t i = 0; i < job->chains.count; i++)
        if (!job->chains.list[i].masked)
            wf_pg_doubt_note(job->db, job->chains.list[i].instance,
                             (int64_t)wf_pg_bounded(wf_pg_chain_first(&job->chains, i)->base));
    return wf_pg_lost(job->db, job->error);
}

/* The connection broke before anything could be written. An idle one may have been broken for long. */
static int32_t unsent(wf_pg_job *job, int attempt, bool *again)
{
    *again = attempt < 2;
    if (*again)
        return WFSM_OK;
    return wf_pg_refuse(job->db, writes(job) ? WFSM_STORE_FAILED : WFSM_IO, job->error,
                        "the connection to the server is broken");
}

static int32_t make_once(wf_pg_job *job, int attempt, bool *again)
{
    bool fine = send(job);
    enum wf_pg_end end;

    job->pipe.broken |= !fine; /* nothing of it counts */
    end = wf_pg_pipe_end(&job->pipe);
    if (!fine)
        return wf_pg_no_memory(job->error);
    switch (end) {
    case WF_PG_DONE:
        answer(job);
        return WFSM_OK;
    case WF_PG_REFUSED:
        return refused(job, attempt, again);
    case WF_PG_LOST:
        if (writes(job))
            return lost(job);
        return unsent(job, attempt, again);
    default:
        return unsent(job, attempt, again);
    }
}

static int32_t make(wf_pg_job *job)
{
    int32_t status = WFSM_OK;
    bool again = true;

    for (int attempt = 0; again && status == WFSM_OK; attempt++) {
        again = false;
        status = wf_pg_ready(job->db, writes(job) ? WFSM_STORE_FAILED : WFSM_IO, job->error);
        if (status == WFSM_OK) {
            status = make_once(job, attempt, &again);
            wf_pg_pipe_free(&job->pipe);
        }
    }
    return status;
}

static int32_t exchange_with(wf_pg *db, wfsm_exchange *exchange, bool claims, wfsm_error *error)
{
    wf_pg_job job = {.db = db, .exchange = exchange, .error = error, .claims = claims};
    int32_t status;

    wf_pg_listen_on(db, exchange->inbox); /* before the exchange reads: it then sees what
                                                was notified so far */
    if (!wf_pg_chains_make(db, &job.chains, exchange) ||
        !wf_pg_doubts_reserve(db, job.chains.count + exchange->post_count +
                                      exchange->request_count))
        status = wf_pg_no_memory(error);
    else {
        wf_pg_chains_check(&job.chains);
        status = make(&job);
    }
    wf_pg_chains_free(db, &job.chains);
    if (status == WFSM_OK)
        wf_pg_listen_tell(db, exchange);
    return status;
}

int32_t wf_pg_exchange(void *self, wfsm_exchange *exchange, wfsm_error *error)
{
    return exchange_with(self, exchange, exchange->mine != exchange->until, error);
}

int32_t wf_pg_claim_by_exchange(wf_pg *db, wfsm_exchange *exchange, wfsm_error *error)
{
    return exchange_with(db, exchange, true, error);
}
