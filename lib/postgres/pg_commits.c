/* postgres/pg_commits.c: the chains of an exchange as the parameters of one statement. */
#include "pg.h"

#include <stddef.h>
#include <string.h>

/* ---- one row for each chain ---- */

static uint64_t most_acknowledged(const wf_pg_chains *chains, const wf_pg_chain *chain)
{
    uint64_t most = 0;

    for (size_t i = chain->first; i < chain->first + chain->count; i++)
        if (chains->links[i].commit->acknowledged > most)
            most = chains->links[i].commit->acknowledged;
    return most;
}

static bool is_by_hand(const wf_pg_chains *chains, const wf_pg_chain *chain)
{
    bool found = false;

    for (size_t i = chain->first; i < chain->first + chain->count && !found; i++) {
        const wfsm_commit *commit = chains->links[i].commit;

        found = commit->size >= offsetof(wfsm_commit, by_hand) + sizeof commit->by_hand &&
                commit->by_hand == 1;
    }
    return found;
}

static const wf_pg_link *latest_snapshot(const wf_pg_chains *chains, const wf_pg_chain *chain)
{
    for (size_t i = chain->first + chain->count; i > chain->first; i--)
        if (chains->links[i - 1].commit->snapshot)
            return &chains->links[i - 1];
    return NULL;
}

static bool is_refused(const wf_pg_chains *chains, const wf_pg_chain *chain)
{
    bool found = false;

    for (size_t i = chain->first; i < chain->first + chain->count && !found; i++)
        found = chains->links[i].refused != 0;
    return found;
}

/* The texts of a chain that is refused anyway may be ones that the server cannot read. */
static void put_text_of(wf_pg_values *values, const char *text, bool refused)
{
    wf_pg_put_text(values, refused && text && !wf_pg_utf8(text, strlen(text)) ? "" : text);
}

static void put_snapshot(wf_pg_values *values, const wf_pg_link *link, bool refused)
{
    if (!link || refused) {
        for (int i = 0; i < 3; i++)
            wf_pg_put_null(values);
        return;
    }
    wf_pg_put_number(values, (int64_t)link->commit->base + 1);
    wf_pg_put_number(values, link->commit->now);
    wf_pg_put_bytes(values, link->commit->snapshot, link->commit->snapshot_length);
}

static void put_chain(wf_pg_job *job, wf_pg_values *values, size_t index)
{
    const wf_pg_chains *chains = &job->chains;
    const wf_pg_chain *chain = &chains->list[index];
    const wfsm_commit *first = wf_pg_chain_first(chains, index);
    const wfsm_commit *last = wf_pg_chain_last(chains, index);
    bool refused = is_refused(chains, chain);

    wf_pg_put_text(values, first->instance);
    wf_pg_put_number(values, (int64_t)wf_pg_bounded(first->base));
    wf_pg_put_number(values, (int64_t)wf_pg_bounded(last->base + 1));
    wf_pg_put_number(values, wf_pg_epoch_of(job->db, first->instance));
    put_text_of(values, first->owner, refused);
    put_text_of(values, first->previous, refused);
    put_text_of(values, last->token, refused);
    put_text_of(values, last->tags, refused);
    wf_pg_put_number(values, (int64_t)wf_pg_bounded(last->effects));
    wf_pg_put_number(values, (int64_t)wf_pg_bounded(most_acknowledged(chains, chain)));
    wf_pg_put_number(values, last->status);
    if (last->deadline == WFSM_NEVER)
        wf_pg_put_null(values);
    else
        wf_pg_put_number(values, last->deadline);
    wf_pg_put_number(values, first->now);
    wf_pg_put_number(values, last->now);
    wf_pg_put_number(values, last->gives_up);
    wf_pg_put_number(values, is_by_hand(chains, chain));
    wf_pg_put_text(values, last->machine);
    wf_pg_put_text(values, last->fingerprint);
    put_snapshot(values, latest_snapshot(chains, chain), refused);
    wf_pg_put_number(values, wfsm_shard(first->instance));
    wf_pg_put_text(values, last->attributes && !refused ? last->attributes : "{}");
}

static void put_chains(wf_pg_job *job, wf_pg_values *values, bool starts)
{
    wf_pg_columns(values, "tiiittttiiiiiiiittiitit");
    for (size_t i = 0; i < job->chains.count; i++)
        if (wf_pg_chain_is_in(&job->chains, i, starts))
            put_chain(job, values, i);
    wf_pg_columns_end(values);
}

/* ---- one row for each commit ---- */

static void put_step(wf_pg_values *values, const wf_pg_chains *chains, size_t chain,
                     size_t index, int64_t number)
{
    const wf_pg_link *link = &chains->links[index];
    const wfsm_commit *commit = link->commit;
    char refused[2] = {link->refused, '\0'};

    wf_pg_put_number(values, number);
    wf_pg_put_number(values, (int64_t)wf_pg_bounded(commit->base + 1));
    wf_pg_put_number(values, commit->now);
    wf_pg_put_text(values, commit->event_id);
    if (commit->inbox > 0)
        wf_pg_put_number(values, (int64_t)wf_pg_bounded(commit->inbox));
    else
        wf_pg_put_null(values);
    wf_pg_put_text(values, commit->fingerprint);
    wf_pg_put_text(values, wf_pg_checkpoint_state(chains, chain, index) == 1
                               ? commit->checkpoint_deleted
                               : NULL);
    wf_pg_put_text(values, link->refused ? refused : NULL);
    wf_pg_put_bytes(values, link->refused ? NULL : commit->record, commit->record_length);
}

static void put_steps(wf_pg_values *values, const wf_pg_chains *chains, bool starts)
{
    int64_t number = 0;

    wf_pg_columns(values, "iiititttt");
    for (size_t i = 0; i < chains->count; i++) {
        const wf_pg_chain *chain = &chains->list[i];
        bool more = wf_pg_chain_is_in(chains, i, starts);

        number += more;
        for (size_t link = chain->first; link < chain->first + chain->count && more; link++) {
            put_step(values, chains, i, link, number);
            more = !chains->links[link].refused;
        }
    }
    wf_pg_columns_end(values);
}

/* Starts of one machine bring the same document. */
static void put_documents(wf_pg_values *values, const wf_pg_chains *chains)
{
    const wfsm_commit *last = NULL;

    wf_pg_columns(values, "tt");
    for (size_t i = 0; i < chains->link_count; i++) {
        const wfsm_commit *commit = chains->links[i].commit;

        if (!commit->document || chains->links[i].refused ||
            (last && strcmp(last->fingerprint, commit->fingerprint) == 0))
            continue;
        wf_pg_put_text(values, commit->fingerprint);
        wf_pg_put_bytes(values, commit->document, commit->document_length);
        last = commit;
    }
    wf_pg_columns_end(values);
}

static void put_all(wf_pg_job *job, wf_pg_values *values, bool starts)
{
    wf_pg_values_init(values, job->db);
    wf_pg_text(values, job->db->tenant);
    put_chains(job, values, starts);
    put_steps(values, &job->chains, starts);
    put_documents(values, &job->chains);
    wf_pg_checkpoints_put(values, &job->chains, starts);
}

static bool send_all(wf_pg_job *job, const wf_pg_values *values, bool starts)
{
    int form = wf_pg_commits_form(job, starts), number = WF_PG_COUNT + form;
    bool spells = wf_pg_pipe_needs_text(&job->pipe, number);
    char *text = spells ? wf_pg_commits_text(job->db, form) : NULL;

    if (spells && !text)
        return false;
    *(starts ? &job->started : &job->committed) =
        wf_pg_pipe_add_text(&job->pipe, number, text, values);
    wf_pg_give(job->db, text);
    return true;
}

bool wf_pg_commits_send(wf_pg_job *job, bool starts)
{
    wf_pg_values values;
    bool fine;

    if (wf_pg_chains_in(&job->chains, starts) == 0)
        return true;
    put_all(job, &values, starts);
    fine = !values.failed && send_all(job, &values, starts);
    wf_pg_values_fini(&values);
    return fine;
}
