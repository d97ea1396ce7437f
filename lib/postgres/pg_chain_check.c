/* postgres/pg_chain_check.c: refuses commits that are wrong in themselves, before the server is asked. */
#include "pg.h"

#include <string.h>

enum { MOST_BYTES = 256 << 20 };

static bool same(const char *left, const char *right)
{
    return left && right && strcmp(left, right) == 0;
}

static bool follows(const wfsm_commit *before, const wfsm_commit *commit)
{
    return commit->base == before->base + 1 && same(commit->owner, before->owner) &&
           (!commit->previous || same(commit->previous, before->token));
}

static bool is_large(size_t length)
{
    return length > MOST_BYTES;
}

static bool is_too_large(const wfsm_commit *commit)
{
    return is_large(commit->record_length) || is_large(commit->snapshot_length) ||
           is_large(commit->checkpoint_length) || is_large(commit->artifacts_length) ||
           is_large(commit->document_length) || commit->base >= INT64_MAX ||
           commit->effects > INT64_MAX;
}

static bool is_text(const char *text, size_t length)
{
    return !text || wf_pg_utf8(text, length);
}

static bool is_string(const char *text)
{
    return !text || wf_pg_utf8(text, strlen(text));
}

/* Otherwise the server would refuse everything that comes with it. */
static bool has_texts(const wfsm_commit *commit)
{
    return is_text(commit->record, commit->record_length) &&
           is_text(commit->snapshot, commit->snapshot_length) &&
           is_text(commit->checkpoint_snapshot, commit->checkpoint_length) &&
           is_text(commit->artifacts, commit->artifacts_length) &&
           is_text(commit->document, commit->document_length) && is_string(commit->tags) &&
           is_string(commit->token) && is_string(commit->attributes) &&
           is_string(commit->previous) && is_string(commit->owner);
}

/* Within its chain: e the event, p the post was there already. */
static char is_repeated(const wf_pg_chains *chains, size_t first, size_t link)
{
    const wfsm_commit *commit = chains->links[link].commit;

    for (size_t i = first; i < link; i++) {
        const wfsm_commit *other = chains->links[i].commit;

        if (same(other->event_id, commit->event_id))
            return 'e';
        if (commit->inbox > 0 && other->inbox == commit->inbox)
            return 'p';
    }
    return 0;
}

static char why_refused(const wf_pg_chains *chains, size_t chain, size_t link)
{
    size_t first = chains->list[chain].first;
    const wfsm_commit *commit = chains->links[link].commit;

    if (is_too_large(commit))
        return 'z';
    if (!has_texts(commit))
        return 'u';
    if (link > first && commit->base == 0)
        return 'x';
    if (link > first && !follows(chains->links[link - 1].commit, commit))
        return 'b';
    if (is_repeated(chains, first, link))
        return is_repeated(chains, first, link);
    return wf_pg_checkpoint_state(chains, chain, link) < 0 ? 'c' : 0;
}

/* Nothing behind the first refusal counts. */
static void check(wf_pg_chains *chains, size_t chain)
{
    const wf_pg_chain *self = &chains->list[chain];
    bool fine = true;

    for (size_t i = self->first; i < self->first + self->count && fine; i++) {
        chains->links[i].refused = why_refused(chains, chain, i);
        fine = chains->links[i].refused == 0;
    }
}

void wf_pg_chains_check(wf_pg_chains *chains)
{
    for (size_t i = 0; i < chains->count; i++)
        check(chains, i);
}
