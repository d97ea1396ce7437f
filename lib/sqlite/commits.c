#include "commit.h"
#include "../base/invariant.h"

#include <string.h>

/* Consecutive commits of one instance. */
typedef struct chain {
    wf_sqlite *db;
    const wfsm_commit *const *commits;
    size_t count;
    wfsm_error *error;
    /* SQLite itself failed: everything is rolled back. */
    bool broken;
} chain;

/* Every reason to refuse a commit is checked before anything of it is written. The next commit of the
 * chain is checked against the head of this one, which is not in the file yet. */
static int32_t write_one(chain *self, wf_writing *at)
{
    int32_t status = wf_sqlite_check(at);
    int code;
    if (!status && at->commit == self->commits[0])
        at->stored = at->found.last;
    if (!status && (code = wf_sqlite_write(at)))
        status = wf_sqlite_broken(at, code);
    self->broken = at->broken;
    WF_INVARIANT(status || at->found.head.revision == at->commit->base + 1);
    return status;
}

static int32_t write_all(chain *self)
{
    wf_writing at = {.db = self->db, .error = self->error};
    int32_t status = WFSM_OK;
    int code;
    for (size_t i = 0; i < self->count && !status; i++) {
        at = (wf_writing){.db = self->db,
                          .commit = self->commits[i],
                          .error = self->error,
                          .stored = at.stored};
        status = write_one(self, &at);
    }
    if (!status && (code = wf_sqlite_write_head(&at)))
        status = wf_sqlite_broken(&at, code);
    self->broken = at.broken;
    return status;
}

static int32_t run(chain *self, enum wf_sql which)
{
    wf_sql_binder binder = wf_sql_bind(self->db, which);
    int code = wf_sql_run(&binder);
    self->broken = code != SQLITE_OK;
    return code ? wf_sqlite_fail(self->db, code, "a commit cannot be written", self->error)
                : WFSM_OK;
}

static int32_t take_back(chain *self, const wf_sqlite_written *written)
{
    int32_t status = run(self, WF_SQL_TAKE_BACK);
    self->db->written = *written;
    self->db->fingerprint[0] = '\0';
    wf_sqlite_cache_forget(self->db, self->commits[0]->instance);
    return status ? status : run(self, WF_SQL_CHAIN_END);
}

/* A chain is written whole, or nothing of it is. A single commit has nothing to take back. */
static int32_t write_chain(chain *self)
{
    const wf_sqlite_written written = self->db->written;
    int32_t status, answer;
    if (self->count == 1)
        return write_all(self);
    status = run(self, WF_SQL_CHAIN);
    if (status)
        return status;
    answer = write_all(self);
    if (self->broken)
        return answer;
    status = answer ? take_back(self, &written) : run(self, WF_SQL_CHAIN_END);
    return status ? status : answer;
}

static size_t chain_length(const wfsm_commit *const *commits, size_t count)
{
    size_t length = 1;
    while (length < count && !strcmp(commits[length]->instance, commits[0]->instance))
        length++;
    return length;
}

/* Returns the status of the whole batch. *accepted counts the commits that need a sync. Of several
 * refusals, the error describes the first. */
static int32_t write_batch(wf_sqlite *db, const wfsm_commit *const *commits, size_t count,
                           int32_t *answers, size_t *accepted, wfsm_error *error)
{
    *accepted = 0;
    for (size_t i = 0, length; i < count; i += length) {
        length = chain_length(commits + i, count - i);
        chain at = {.db = db, .commits = commits + i, .count = length, .error = error};
        int32_t answer = write_chain(&at);
        if (at.broken)
            return answer;
        for (size_t j = i; j < i + length; j++)
            answers[j] = answer;
        if (answer)
            error = NULL;
        else
            *accepted += length;
    }
    WF_INVARIANT(*accepted <= count);
    return WFSM_OK;
}

int32_t wf_sqlite_commits(void *self, const wfsm_commit *const *commits, size_t count,
                          int32_t *answers, wfsm_error *error)
{
    wf_sqlite *db = self;
    size_t accepted;
    int32_t status = wf_sqlite_begin(db, error);
    if (status)
        return status;
    status = write_batch(db, commits, count, answers, &accepted, error);
    if (!status && !accepted && !db->joined) {
        wf_sqlite_rollback(db);
        return WFSM_OK;
    }
    return wf_sqlite_end(db, status, error);
}
