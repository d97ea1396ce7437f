#include "commit.h"
#include "../base/invariant.h"

#include <string.h>

static bool follows(const wf_writing *before, const wfsm_commit *commit)
{
    return before->head_waits && !strcmp(commit->instance, before->commit->instance);
}

/* Every reason to refuse a commit is checked before anything is written, so a refusal
 * leaves nothing to undo. */
static int32_t write_one(wf_writing *at, const wf_writing *before)
{
    int32_t status = wf_sqlite_check(at);
    if (status)
        return status;
    at->stored = follows(before, at->commit) ? before->stored : at->found.last;
    int code = wf_sqlite_write(at);
    if (code)
        return wf_sqlite_broken(at, code);
    /* The next commit of this instance is checked against this head. */
    WF_INVARIANT(at->found.head.revision == at->commit->base + 1);
    at->head_waits = true;
    return WFSM_OK;
}

/* Of consecutive revisions of an instance, only the last one writes the head. */
static int32_t write_waiting_head(wf_writing *at)
{
    if (!at->head_waits)
        return WFSM_OK;
    at->head_waits = false;
    int code = wf_sqlite_write_head(at);
    return code ? wf_sqlite_broken(at, code) : WFSM_OK;
}

static bool refused_before(const wfsm_commit *const *commits, const int32_t *answers,
                           size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (answers[i] && !strcmp(commits[i]->instance, commits[index]->instance))
            return true;
    return false;
}

/* Returns the status of the whole batch. *accepted counts the commits that need a sync. */
static int32_t write_all(wf_sqlite *db, const wfsm_commit *const *commits, size_t count,
                         int32_t *answers, size_t *accepted, wfsm_error *error)
{
    wf_writing before = {.commit = NULL};
    *accepted = 0;
    for (size_t i = 0; i < count; i++) {
        wf_writing at = {.db = db, .commit = commits[i], .error = error};
        int32_t status = follows(&before, commits[i]) ? WFSM_OK : write_waiting_head(&before);
        if (!status && *accepted < i && refused_before(commits, answers, i))
            answers[i] = WFSM_CONFLICT;
        else if (!status)
            answers[i] = write_one(&at, &before);
        if (status || at.broken)
            return status ? status : answers[i];
        if (answers[i])
            continue;
        before = at;
        ++*accepted;
    }
    WF_INVARIANT(*accepted <= count);
    return write_waiting_head(&before);
}

int32_t wf_sqlite_commits(void *self, const wfsm_commit *const *commits, size_t count,
                          int32_t *answers, wfsm_error *error)
{
    wf_sqlite *db = self;
    size_t accepted;
    int32_t status = wf_sqlite_begin(db, error);
    if (status)
        return status;
    status = write_all(db, commits, count, answers, &accepted, error);
    if (!status && !accepted && !db->joined) {
        wf_sqlite_rollback(db);
        return WFSM_OK;
    }
    return wf_sqlite_end(db, status, error);
}
