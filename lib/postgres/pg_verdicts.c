/* postgres/pg_verdicts.c: the answers to the commits of an exchange. All commits of a chain have the same. */
#include "pg.h"

#include <string.h>

/* What a row of the statement says about a chain. */
typedef struct verdict {
    const char *code; /* of the refusal, or "" */
    const wfsm_commit *commit; /* that was refused */
    uint64_t found; /* the head's revision */
    const char *owner; /* of the head */
} verdict;

static int32_t refuse_head(wf_pg_job *job, const verdict *self)
{
    const wfsm_commit *commit = self->commit;

    switch (*self->code) {
    case 'n':
        return wf_pg_job_refuse(job, WFSM_NOT_FOUND, "there is no instance '%s'",
                                commit->instance);
    case 'x':
        return wf_pg_job_refuse(job, WFSM_EXISTS, "there is an instance '%s' already",
                                commit->instance);
    case 'r':
        return wf_pg_job_refuse(
            job, WFSM_CONFLICT, "instance '%s' is at revision %llu, not %llu", commit->instance,
            (unsigned long long)self->found, (unsigned long long)commit->base);
    case 'o':
        return wf_pg_job_refuse(job, WFSM_CONFLICT,
                                "instance '%s' is owned by '%s', not by '%s'", commit->instance,
                                self->owner, commit->owner);
    case 'l':
        return wf_pg_job_refuse(
            job, WFSM_CONFLICT,
            "instance '%s' was looked at since after a lost answer, so this "
            "commit comes too late",
            commit->instance);
    default:
        return wf_pg_job_refuse(
            job, WFSM_CONFLICT,
            "revision %llu of instance '%s' is not the one that was committed",
            (unsigned long long)commit->base, commit->instance);
    }
}

static int32_t refuse_commit(wf_pg_job *job, const verdict *self)
{
    const wfsm_commit *commit = self->commit;

    switch (*self->code) {
    case 'e':
        return wf_pg_job_refuse(job, WFSM_EXISTS, "instance '%s' has taken event '%s' already",
                                commit->instance, commit->event_id);
    case 'p':
        return wf_pg_job_refuse(job, WFSM_NOT_FOUND, "instance '%s' has no post %llu",
                                commit->instance, (unsigned long long)commit->inbox);
    case 'c':
        return wf_pg_job_refuse(job, WFSM_NOT_FOUND, "instance '%s' has no checkpoint '%s'",
                                commit->instance, commit->checkpoint_deleted);
    case 'd':
        return wf_pg_job_refuse(job, WFSM_NOT_FOUND,
                                "there is no document '%s', and the commit brings none",
                                commit->fingerprint);
    case 'z':
        return wf_pg_job_refuse(job, WFSM_LIMIT,
                                "a commit of instance '%s' is larger than a row can be",
                                commit->instance);
    case 'u':
        return wf_pg_job_refuse(job, WFSM_INVALID,
                                "a text of a commit of instance '%s' is not UTF-8 without NUL",
                                commit->instance);
    default:
        return refuse_head(job, self);
    }
}

static void answer_chain(wf_pg_job *job, const wf_pg_chain *chain, int32_t answer)
{
    for (size_t i = chain->first; i < chain->first + chain->count; i++)
        job->exchange->commit_answers[job->chains.links[i].index] = answer;
    if (answer == WFSM_OK)
        wf_pg_epoch_learn(job->db, chain->instance, 0);
}

/* The step is a number among those that were sent: those of a chain follow each other, and the last one
 * is the one that is refused, if this end has refused it. */
static const wfsm_commit *find_commit(const wf_pg_chains *chains, bool starts, int64_t step,
                                      const wf_pg_chain *own)
{
    int64_t number = 0;

    for (size_t i = 0; i < chains->count && step > 0; i++) {
        const wf_pg_chain *chain = &chains->list[i];
        bool more = wf_pg_chain_is_in(chains, i, starts);

        for (size_t link = chain->first; link < chain->first + chain->count && more; link++) {
            if (++number == step)
                return chains->links[link].commit;
            more = !chains->links[link].refused;
        }
    }
    return chains->links[own->first].commit;
}

/* What is known to be stored. The head of one that starts is made with the time of its first commit. */
static void mark(wf_pg_job *job, const PGresult *result, int row, bool starts,
                 const wf_pg_chain *chain)
{
    const wf_pg_link *links = job->chains.links + chain->first;

    wf_pg_mark_commit(job->db, chain->instance,
                      starts ? links->commit->now : wf_pg_int_of(result, row, 7),
                      links[chain->count - 1].commit->base + 1);
}

/* One that started at the same time has written the head first. */
static int32_t answer_of(wf_pg_job *job, const PGresult *result, int row, bool starts,
                         const wf_pg_chain *chain)
{
    const char *code = wf_pg_text_of(result, row, 1);
    bool wrote = *PQgetvalue(result, row, 5) == 't';
    verdict self = {.code = code     ? code
                            : starts ? "x"
                                     : "t",
                    .found = wf_pg_count_of(result, row, 3),
                    .owner = PQgetvalue(result, row, 4)};

    if (!code && wrote) {
        mark(job, result, row, starts, chain);
        return WFSM_OK;
    }
    self.commit = strchr("epcdzubx", *self.code)
                      ? find_commit(&job->chains, starts, wf_pg_int_of(result, row, 2), chain)
                      : job->chains.links[chain->first].commit;
    return refuse_commit(job, &self);
}

static void answer_all(wf_pg_job *job, int step, bool starts)
{
    const PGresult *result = job->pipe.results[step];
    int row = 0;

    for (size_t i = 0; i < job->chains.count; i++)
        if (wf_pg_chain_is_in(&job->chains, i, starts)) {
            answer_chain(job, &job->chains.list[i],
                         answer_of(job, result, row, starts, &job->chains.list[i]));
            row++;
        }
}

static void answer_masked(wf_pg_job *job)
{
    for (size_t i = 0; i < job->chains.count; i++)
        if (job->chains.list[i].masked)
            answer_chain(job, &job->chains.list[i],
                         wf_pg_job_refuse(job, WFSM_CORRUPT,
                                          "the tables of instance '%s' do not agree with each "
                                          "other: its head is behind its journal",
                                          job->chains.list[i].instance));
}

void wf_pg_commits_answer(wf_pg_job *job)
{
    if (job->started >= 0)
        answer_all(job, job->started, true);
    if (job->committed >= 0)
        answer_all(job, job->committed, false);
    answer_masked(job);
}
