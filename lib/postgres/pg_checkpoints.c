/* postgres/pg_checkpoints.c: checkpoints that the commits of a chain make and delete. The statement writes
 * what is left of them at its end. */
#include "pg.h"

#include <string.h>

static bool makes(const wfsm_commit *commit, const char *id)
{
    return commit->checkpoint && strcmp(commit->checkpoint, id) == 0;
}

static bool deletes(const wfsm_commit *commit, const char *id)
{
    return commit->checkpoint_deleted && strcmp(commit->checkpoint_deleted, id) == 0;
}

int wf_pg_checkpoint_state(const wf_pg_chains *chains, size_t chain, size_t link)
{
    const char *id = chains->links[link].commit->checkpoint_deleted;

    if (!id)
        return 0;
    for (size_t i = link; i > chains->list[chain].first; i--) {
        const wfsm_commit *before = chains->links[i - 1].commit;

        if (makes(before, id))
            return 0;
        if (deletes(before, id))
            return -1;
    }
    return 1;
}

/* A later commit of the chain may say something else about the same checkpoint. */
static bool is_last_word(const wf_pg_chains *chains, const wf_pg_chain *chain, size_t link)
{
    const wfsm_commit *commit = chains->links[link].commit;
    const char *id = commit->checkpoint ? commit->checkpoint : commit->checkpoint_deleted;

    if (!id)
        return false;
    for (size_t i = link + 1; i < chain->first + chain->count; i++)
        if (makes(chains->links[i].commit, id) || deletes(chains->links[i].commit, id))
            return false;
    return true;
}

static void put(wf_pg_values *values, int64_t number, const wfsm_commit *commit)
{
    bool made = commit->checkpoint != NULL;

    wf_pg_put_number(values, number);
    wf_pg_put_text(values, made ? commit->checkpoint : commit->checkpoint_deleted);
    if (!made) {
        for (int i = 0; i < 4; i++)
            wf_pg_put_null(values);
        return;
    }
    wf_pg_put_number(values, (int64_t)commit->base + 1);
    wf_pg_put_number(values, commit->now);
    if (commit->artifacts)
        wf_pg_put_bytes(values, commit->artifacts, commit->artifacts_length);
    else
        wf_pg_put_text(values, "[]");
    wf_pg_put_bytes(values, commit->checkpoint_snapshot, commit->checkpoint_length);
}

void wf_pg_checkpoints_put(wf_pg_values *values, const wf_pg_chains *chains, bool starts)
{
    int64_t number = 0;

    wf_pg_columns(values, "itiitt");
    for (size_t i = 0; i < chains->count; i++) {
        const wf_pg_chain *chain = &chains->list[i];

        if (!wf_pg_chain_is_in(chains, i, starts))
            continue;
        number++;
        for (size_t link = chain->first; link < chain->first + chain->count; link++)
            if (is_last_word(chains, chain, link) && !chains->links[link].refused)
                put(values, number, chains->links[link].commit);
    }
    wf_pg_columns_end(values);
}
