/* postgres/pg_mail.c: posts, and what others have done. */
#include "pg.h"

#include <string.h>

static void put_post(wf_pg_values *values, const wfsm_post *post)
{
    wf_pg_put_text(values, post->instance);
    wf_pg_put_text(values, post->id);
    wf_pg_put_text(values, post->name);
    wf_pg_put_bytes(values, post->data, post->length);
    wf_pg_put_number(values, post->now);
    wf_pg_put_number(values, post->kind);
    wf_pg_put_number(values, post->interface);
    wf_pg_put_text(values, post->sender);
}

bool wf_pg_posts_send(wf_pg_job *job)
{
    wf_pg_values values;
    bool fine;

    if (job->exchange->post_count == 0)
        return true;
    wf_pg_values_init(&values, job->db);
    wf_pg_text(&values, job->db->tenant);
    wf_pg_columns(&values, "ttttiiit");
    for (size_t i = 0; i < job->exchange->post_count; i++)
        put_post(&values, job->exchange->posts[i]);
    wf_pg_columns_end(&values);
    fine = !values.failed;
    if (fine)
        job->posted = wf_pg_pipe_add(&job->pipe, WF_PG_POST, &values);
    wf_pg_values_fini(&values);
    return fine;
}

/* The columns are a number, whether the instance is there, and whether the id is known. */
void wf_pg_posts_answer(wf_pg_job *job)
{
    for (size_t i = 0; i < job->exchange->post_count; i++) {
        const wfsm_post *post = job->exchange->posts[i];
        const PGresult *result = job->pipe.results[job->posted];
        int32_t *answer = &job->exchange->post_answers[i];

        if (*PQgetvalue(result, (int)i, 1) != 't')
            *answer = wf_pg_job_refuse(job, WFSM_NOT_FOUND, "there is no instance '%s'",
                                       post->instance);
        else if (*PQgetvalue(result, (int)i, 2) == 't')
            *answer = wf_pg_job_refuse(job, WFSM_EXISTS, "instance '%s' has event '%s' already",
                                       post->instance, post->id);
        else
            *answer = WFSM_OK;
    }
}

/* ---- what others have done ---- */

/* Numbers are given before a post is committed, so one may appear below another that was read before. A
 * look goes back this far, and passes on what it has not passed on yet. */
static uint64_t look_back(uint64_t after)
{
    uint64_t number = wf_pg_bounded(after);

    return number > WF_PG_SEEN ? number - WF_PG_SEEN : 0;
}

static bool was_seen(const wf_pg *db, uint64_t number)
{
    bool found = false;

    for (size_t i = 0; i < WF_PG_SEEN && !found; i++)
        found = db->seen[i] == number;
    return found;
}

static void note_seen(wf_pg *db, uint64_t number)
{
    if (was_seen(db, number))
        return;
    db->seen[db->seen_next] = number;
    db->seen_next = (db->seen_next + 1) % WF_PG_SEEN;
}

static void put_session(wf_pg_values *values, wf_pg_job *job)
{
    wf_pg_values_init(values, job->db);
    wf_pg_text(values, job->db->tenant);
    wf_pg_text(values, job->exchange->session);
}

/* The counter is read first: what happens behind it, the next exchange sees. */
bool wf_pg_news_send(wf_pg_job *job)
{
    wf_pg_values session, posts, owned;
    bool fine;

    if (!job->exchange->inbox)
        return true;
    put_session(&session, job);
    put_session(&posts, job);
    wf_pg_number(&posts, (int64_t)look_back(job->exchange->after));
    put_session(&owned, job);
    wf_pg_number(&owned, (int64_t)wf_pg_bounded(job->exchange->known));
    fine = !session.failed && !posts.failed && !owned.failed;
    if (fine) {
        job->changes = wf_pg_pipe_add(&job->pipe, WF_PG_CHANGES, &session);
        job->waiting = wf_pg_pipe_add(&job->pipe, WF_PG_WAITING, &posts);
        job->owned = wf_pg_pipe_add(&job->pipe, WF_PG_OWNED, &owned);
    }
    wf_pg_values_fini(&session);
    wf_pg_values_fini(&posts);
    wf_pg_values_fini(&owned);
    return fine;
}

static int32_t pass_post(wf_pg_job *job, const PGresult *result, int row)
{
    wfsm_row post = wf_pg_post_of(result, row);
    bool is_nobodys = *PQgetvalue(result, row, 0) == '1';
    int32_t status;

    if (is_nobodys && post.number <= job->exchange->after && was_seen(job->db, post.number))
        return WFSM_OK;
    post.part = WFSM_ROW_POST;
    status = job->exchange->sink(job->exchange->user, &post);
    if (is_nobodys && status == WFSM_OK)
        note_seen(job->db, post.number);
    return status;
}

static int32_t pass_owned(wf_pg_job *job)
{
    const PGresult *result = job->pipe.results[job->owned];
    int32_t status = WFSM_OK;

    for (int i = 0; i < PQntuples(result) && status == WFSM_OK; i++) {
        wfsm_head head = wf_pg_head_of(job->db, result, i, 0);
        const wfsm_row row = {.size = sizeof row, .head = &head, .part = WFSM_ROW_OWNED};

        status = job->exchange->sink(job->exchange->user, &row);
    }
    return status;
}

void wf_pg_news_answer(wf_pg_job *job)
{
    wfsm_exchange *exchange = job->exchange;
    int32_t status = WFSM_OK;

    exchange->more = 0;
    exchange->inbox_answer = WFSM_OK;
    if (!exchange->inbox)
        return;
    exchange->changes = wf_pg_count_of(job->pipe.results[job->changes], 0, 0);
    for (int i = 0; i < PQntuples(job->pipe.results[job->waiting]) && status == WFSM_OK; i++)
        status = pass_post(job, job->pipe.results[job->waiting], i);
    exchange->more = status == WFSM_LIMIT;
    exchange->inbox_answer = exchange->more ? WFSM_OK : status;
    if (exchange->inbox_answer == WFSM_OK)
        exchange->inbox_answer = pass_owned(job);
}
