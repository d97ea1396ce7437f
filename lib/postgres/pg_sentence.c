/* postgres/pg_sentence.c: the statement that writes the commits, put together from the parts that they need. */
#include "pg.h"

#include <stddef.h>
#include <string.h>

enum {
    DOCUMENT = 1,
    SNAPSHOT = 2,
    CHECKPOINT = 4,
    DELETED = 8,
    POST = 16,
    BY_HAND = 32,
    DUE = 64,
    CALM = 128,
    EVENT = 256,
    LEAVES = 512
};

static unsigned needs_of(const wfsm_commit *commit)
{
    bool by_hand = commit->size >= offsetof(wfsm_commit, by_hand) + sizeof commit->by_hand &&
                   commit->by_hand == 1;

    return (commit->document ? DOCUMENT : 0u) | (commit->snapshot ? SNAPSHOT : 0u) |
           (commit->checkpoint ? CHECKPOINT : 0u) |
           (commit->checkpoint_deleted ? DELETED : 0u) | (commit->inbox > 0 ? POST : 0u) |
           (commit->event_id ? EVENT : 0u) | (commit->gives_up ? LEAVES : 0u) |
           (by_hand ? BY_HAND : 0u) | (commit->deadline == WFSM_NEVER ? CALM : DUE);
}

static unsigned all_needs(const wf_pg_chains *chains, bool starts)
{
    unsigned needs = 0;

    for (size_t i = 0; i < chains->count; i++) {
        const wf_pg_chain *chain = &chains->list[i];

        for (size_t link = chain->first; link < chain->first + chain->count; link++)
            if (wf_pg_chain_is_in(chains, i, starts))
                needs |= needs_of(chains->links[link].commit);
    }
    return needs;
}

/* A start has no timer that could be removed. */
static bool is_needed(enum wf_pg_part part, unsigned needs, bool starts)
{
    switch (part) {
    case WF_PG_PART_START:
    case WF_PG_PART_START_ANSWER:
        return starts;
    case WF_PG_PART_COMMIT:
    case WF_PG_PART_COMMIT_END:
    case WF_PG_PART_COMMIT_ANSWER:
        return !starts;
    case WF_PG_PART_COMMIT_LEAVES:
        return !starts && needs & LEAVES;
    case WF_PG_PART_BAD_EVENT:
        return needs & EVENT;
    case WF_PG_PART_BAD_CHAIN:
        return needs & (EVENT | POST | DELETED);
    case WF_PG_PART_BAD_CHECKPOINT:
    case WF_PG_PART_DROPPED:
        return needs & DELETED;
    case WF_PG_PART_BAD_POST:
    case WF_PG_PART_CONSUMED:
        return needs & POST;
    case WF_PG_PART_DOCUMENTS:
        return needs & DOCUMENT;
    case WF_PG_PART_SNAPSHOTS:
        return needs & SNAPSHOT;
    case WF_PG_PART_KEPT:
        return needs & CHECKPOINT;
    case WF_PG_PART_DUE:
        return needs & DUE;
    case WF_PG_PART_CALM:
        return !starts && needs & CALM;
    case WF_PG_PART_TOLD:
        return needs & BY_HAND;
    default:
        return true;
    }
}

/* Its number: what it needs, and whether it starts. */
int wf_pg_commits_form(const wf_pg_job *job, bool starts)
{
    return (int)(all_needs(&job->chains, starts) * 2 + starts);
}

char *wf_pg_commits_text(const wf_pg *db, int form)
{
    unsigned needs = (unsigned)form / 2;
    bool starts = form % 2;
    size_t bytes = 1, used = 0;
    char *text;

    for (int i = 0; i < WF_PG_PARTS; i++)
        bytes += is_needed((enum wf_pg_part)i, needs, starts) ? strlen(db->parts[i]) : 0;
    text = wf_pg_take(db, bytes);
    for (int i = 0; i < WF_PG_PARTS && text; i++)
        if (is_needed((enum wf_pg_part)i, needs, starts)) {
            memcpy(text + used, db->parts[i], strlen(db->parts[i]));
            used += strlen(db->parts[i]);
        }
    if (text)
        text[used] = '\0';
    return text;
}
