/* postgres/pg_chains.c: the commits of an exchange by their instances. Those of one instance are stored
 * together, or none of them is. */
#include "pg.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const wf_pg_link *a = left, *b = right;
    int order = strcmp(a->commit->instance, b->commit->instance);

    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

const wfsm_commit *wf_pg_chain_first(const wf_pg_chains *chains, size_t chain)
{
    return chains->links[chains->list[chain].first].commit;
}

const wfsm_commit *wf_pg_chain_last(const wf_pg_chains *chains, size_t chain)
{
    return chains->links[chains->list[chain].first + chains->list[chain].count - 1].commit;
}

bool wf_pg_chain_is_in(const wf_pg_chains *chains, size_t chain, bool starts)
{
    return !chains->list[chain].masked &&
           (wf_pg_chain_first(chains, chain)->base == 0) == starts;
}

size_t wf_pg_chains_in(const wf_pg_chains *chains, bool starts)
{
    size_t count = 0;

    for (size_t i = 0; i < chains->count; i++)
        count += wf_pg_chain_is_in(chains, i, starts);
    return count;
}

static void sort(wf_pg_chains *chains, const wfsm_exchange *exchange)
{
    for (size_t i = 0; i < exchange->commit_count; i++)
        chains->links[i] = (wf_pg_link){.commit = exchange->commits[i], .index = i};
    qsort(chains->links, exchange->commit_count, sizeof *chains->links, compare);
    for (size_t i = 0; i < exchange->commit_count; i++) {
        const char *instance = chains->links[i].commit->instance;

        if (chains->count == 0 ||
            strcmp(chains->list[chains->count - 1].instance, instance) != 0)
            chains->list[chains->count++] = (wf_pg_chain){.instance = instance, .first = i};
        chains->list[chains->count - 1].count++;
    }
}

bool wf_pg_chains_make(const wf_pg *db, wf_pg_chains *chains, const wfsm_exchange *exchange)
{
    *chains = (wf_pg_chains){.link_count = exchange->commit_count};
    if (exchange->commit_count == 0)
        return true;
    chains->links = wf_pg_take(db, exchange->commit_count * sizeof *chains->links);
    chains->list = wf_pg_take(db, exchange->commit_count * sizeof *chains->list);
    if (!chains->links || !chains->list) {
        wf_pg_chains_free(db, chains);
        return false;
    }
    sort(chains, exchange);
    return true;
}

void wf_pg_chains_free(const wf_pg *db, wf_pg_chains *chains)
{
    wf_pg_give(db, chains->links);
    wf_pg_give(db, chains->list);
    *chains = (wf_pg_chains){.count = 0};
}
