#include "commit.h"

#include <string.h>

int32_t wf_sqlite_broken(wf_writing *at, int code)
{
    at->broken = true;
    return wf_sqlite_fail(at->db, code, "a commit cannot be written", at->error);
}

static int32_t compare(const wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    if (!commit->base)
        return wf_sqlite_refuse(at->db, WFSM_EXISTS, at->error,
                                "there is an instance '%s' already", commit->instance);
    if (at->found.head.revision != commit->base)
        return wf_sqlite_refuse(at->db, WFSM_CONFLICT, at->error,
                                "instance '%s' is at revision %llu, not %llu", commit->instance,
                                (unsigned long long)at->found.head.revision,
                                (unsigned long long)commit->base);
    if (strcmp(at->found.head.owner, commit->owner) != 0)
        return wf_sqlite_refuse(at->db, WFSM_CONFLICT, at->error,
                                "instance '%s' is owned by '%s', not by '%s'", commit->instance,
                                at->found.head.owner, commit->owner);
    if (commit->previous && strcmp(at->found.head.token, commit->previous) != 0)
        return wf_sqlite_refuse(
            at->db, WFSM_CONFLICT, at->error,
            "revision %llu of instance '%s' is not the one that was committed",
            (unsigned long long)commit->base, commit->instance);
    return WFSM_OK;
}

/* Compares the base revision and the owner with the head. A damaged head refuses the
 * commits of its own instance only. */
static int32_t check_head(wf_writing *at)
{
    int32_t status = wf_sqlite_look_for(at->db, at->commit->instance, &at->found, at->error);
    at->broken = status && status != WFSM_CORRUPT;
    at->known = at->found.key != 0;
    if (status)
        return status;
    if (at->known)
        return compare(at);
    if (!at->commit->base)
        return WFSM_OK;
    return wf_sqlite_refuse(at->db, WFSM_NOT_FOUND, at->error, "there is no instance '%s'",
                            at->commit->instance);
}

static int32_t check_post(wf_writing *at)
{
    if (!at->commit->inbox)
        return WFSM_OK;
    wf_sql_binder find = wf_sql_bind(at->db, WF_SQL_POST_FIND);
    wf_sql_bind_count(&find, at->commit->inbox);
    wf_sql_bind_int(&find, at->found.key);
    int code = at->known ? wf_sql_step(&find) : SQLITE_DONE;
    wf_sql_reset(&find);
    if (code == SQLITE_ROW)
        return WFSM_OK;
    if (code != SQLITE_DONE)
        return wf_sqlite_broken(at, code);
    return wf_sqlite_refuse(at->db, WFSM_NOT_FOUND, at->error, "instance '%s' has no post %llu",
                            at->commit->instance, (unsigned long long)at->commit->inbox);
}

static int32_t check_checkpoint(wf_writing *at)
{
    if (!at->commit->checkpoint_deleted)
        return WFSM_OK;
    wf_sql_binder find = wf_sql_bind(at->db, WF_SQL_CHECKPOINT_FIND);
    wf_sql_bind_int(&find, at->found.key);
    wf_sql_bind_text(&find, at->commit->checkpoint_deleted);
    int code = at->known ? wf_sql_step(&find) : SQLITE_DONE;
    wf_sql_reset(&find);
    if (code == SQLITE_ROW)
        return WFSM_OK;
    if (code != SQLITE_DONE)
        return wf_sqlite_broken(at, code);
    return wf_sqlite_refuse(at->db, WFSM_NOT_FOUND, at->error,
                            "instance '%s' has no checkpoint '%s'", at->commit->instance,
                            at->commit->checkpoint_deleted);
}

/* Refuses what SQLite itself would refuse only after part of the commit is written. */
static int32_t check_size(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    sqlite3_uint64 most =
        (sqlite3_uint64)sqlite3_limit(at->db->connection, SQLITE_LIMIT_LENGTH, -1) - 4096;
    if (commit->record_length <= most && commit->snapshot_length <= most &&
        commit->record_length + commit->snapshot_length <= most &&
        commit->checkpoint_length <= most && commit->artifacts_length <= most &&
        commit->checkpoint_length + commit->artifacts_length <= most &&
        commit->document_length <= most && strlen(commit->tags) <= most / 2 &&
        strlen(commit->token) <= most / 2 && commit->base < INT64_MAX &&
        commit->effects <= INT64_MAX)
        return WFSM_OK;
    return wf_sqlite_refuse(at->db, WFSM_LIMIT, at->error,
                            "a commit of instance '%s' is larger than a row can be",
                            commit->instance);
}

static int find_document(wf_writing *at)
{
    wf_sqlite *db = at->db;
    const char *fingerprint = at->commit->fingerprint;
    at->document = db->document;
    if (!strcmp(db->fingerprint, fingerprint))
        return SQLITE_ROW;
    wf_sql_binder find = wf_sql_bind(db, WF_SQL_DOCUMENT_FIND);
    wf_sql_bind_text(&find, fingerprint);
    int code = wf_sql_step(&find);
    if (code == SQLITE_ROW)
        at->document = sqlite3_column_int64(find.statement, 0);
    wf_sql_reset(&find);
    return code;
}

static int32_t check_document(wf_writing *at)
{
    int code = find_document(at);
    if (code == SQLITE_ROW)
        return WFSM_OK;
    at->document = 0;
    if (code != SQLITE_DONE)
        return wf_sqlite_broken(at, code);
    if (at->commit->document)
        return WFSM_OK;
    return wf_sqlite_refuse(at->db, WFSM_NOT_FOUND, at->error,
                            "there is no document '%s', and the commit brings none",
                            at->commit->fingerprint);
}

static int32_t check_event(wf_writing *at)
{
    if (!at->known || !at->commit->event_id)
        return WFSM_OK;
    wf_sql_binder seen = wf_sql_bind(at->db, WF_SQL_SEEN_RECORD);
    wf_sql_bind_int(&seen, at->found.key);
    wf_sql_bind_text(&seen, at->commit->event_id);
    int code = wf_sql_step(&seen);
    wf_sql_reset(&seen);
    if (code == SQLITE_DONE)
        return WFSM_OK;
    if (code != SQLITE_ROW)
        return wf_sqlite_broken(at, code);
    return wf_sqlite_refuse(at->db, WFSM_EXISTS, at->error,
                            "instance '%s' has taken event '%s' already", at->commit->instance,
                            at->commit->event_id);
}

int32_t wf_sqlite_check(wf_writing *at)
{
    int32_t (*const parts[])(wf_writing *) = {check_size, check_head,       check_event,
                                              check_post, check_checkpoint, check_document};
    int32_t status = WFSM_OK;
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](at);
    return status;
}
