#include "commit.h"

#include <string.h>

static int write_document(wf_writing *at)
{
    wf_sqlite *db = at->db;
    int code = SQLITE_OK;
    if (!at->document) {
        wf_sql_binder put = wf_sql_bind(db, WF_SQL_DOCUMENT_PUT);
        wf_sql_bind_text(&put, at->commit->fingerprint);
        wf_sql_bind_blob(&put, at->commit->document, at->commit->document_length);
        code = wf_sql_run(&put);
        at->document = sqlite3_last_insert_rowid(db->connection);
    }
    size_t length = strlen(at->commit->fingerprint);
    if (!code && length < sizeof db->fingerprint) {
        memcpy(db->fingerprint, at->commit->fingerprint, length + 1);
        db->document = at->document;
    }
    return code;
}

static int write_instance(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    if (at->known)
        return SQLITE_OK;
    wf_sql_binder insert = wf_sql_bind(at->db, WF_SQL_INSTANCE_INSERT);
    wf_sql_bind_text(&insert, commit->instance);
    wf_sql_bind_text(&insert, commit->machine);
    wf_sql_bind_int(&insert, at->document);
    wf_sql_bind_text(&insert, commit->owner);
    wf_sql_bind_text(&insert, commit->token);
    wf_sql_bind_text(&insert, commit->tags);
    wf_sql_bind_int(&insert, commit->status);
    wf_sql_bind_int(&insert, commit->now);
    int code = wf_sql_run(&insert);
    at->place.key = sqlite3_last_insert_rowid(at->db->connection);
    at->place.status = commit->status;
    at->place.first = 1;
    return code;
}

static int write_journal(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    wf_sql_binder insert = wf_sql_bind(at->db, WF_SQL_JOURNAL_INSERT);
    wf_sql_bind_int(&insert, at->place.key);
    wf_sql_bind_count(&insert, commit->base + 1);
    if (at->known)
        wf_sql_bind_int(&insert, at->place.last);
    else
        wf_sql_bind_null(&insert);
    wf_sql_bind_int(&insert, commit->now);
    wf_sql_bind_text(&insert, commit->event_id);
    wf_sql_bind_blob(&insert, commit->record, commit->record_length);
    if (commit->snapshot)
        wf_sql_bind_blob(&insert, commit->snapshot, commit->snapshot_length);
    else
        wf_sql_bind_null(&insert);
    int code = wf_sql_run(&insert);
    at->place.last = sqlite3_last_insert_rowid(at->db->connection);
    return code;
}

static void bind_snapshot(wf_sql_binder *update, const wf_writing *at)
{
    if (at->commit->snapshot) {
        wf_sql_bind_count(update, at->commit->base + 1);
        wf_sql_bind_int(update, at->place.last);
    } else {
        wf_sql_bind_null(update);
        wf_sql_bind_null(update);
    }
}

int wf_sqlite_write_head(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    wf_sql_binder update = wf_sql_bind(at->db, WF_SQL_INSTANCE_UPDATE);
    wf_sql_bind_text(&update, commit->machine);
    wf_sql_bind_int(&update, at->document);
    wf_sql_bind_text(&update, commit->token);
    wf_sql_bind_text(&update, commit->tags);
    wf_sql_bind_count(&update, commit->base + 1);
    wf_sql_bind_int(&update, at->place.last);
    bind_snapshot(&update, at);
    wf_sql_bind_count(&update, commit->effects);
    if (commit->deadline == WFSM_NEVER)
        wf_sql_bind_null(&update);
    else
        wf_sql_bind_int(&update, commit->deadline);
    wf_sql_bind_int(&update, commit->now);
    wf_sql_bind_int(&update, at->place.key);
    int code = wf_sql_run(&update);
    if (code || at->place.status == commit->status)
        return code;
    wf_sql_binder status = wf_sql_bind(at->db, WF_SQL_INSTANCE_STATUS);
    wf_sql_bind_int(&status, commit->status);
    wf_sql_bind_int(&status, at->place.key);
    return wf_sql_run(&status);
}

static int write_rest(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    int code = SQLITE_OK;
    if (commit->inbox) {
        wf_sql_binder delete = wf_sql_bind(at->db, WF_SQL_POST_DELETE);
        wf_sql_bind_count(&delete, commit->inbox);
        code = wf_sql_run(&delete);
    }
    if (code || !commit->checkpoint_deleted)
        return code;
    wf_sql_binder delete = wf_sql_bind(at->db, WF_SQL_CHECKPOINT_DELETE);
    wf_sql_bind_int(&delete, at->place.key);
    wf_sql_bind_text(&delete, commit->checkpoint_deleted);
    return wf_sql_run(&delete);
}

static int write_checkpoint(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    if (!commit->checkpoint)
        return SQLITE_OK;
    wf_sql_binder put = wf_sql_bind(at->db, WF_SQL_CHECKPOINT_PUT);
    wf_sql_bind_int(&put, at->place.key);
    wf_sql_bind_text(&put, commit->checkpoint);
    wf_sql_bind_count(&put, commit->base + 1);
    wf_sql_bind_int(&put, commit->now);
    if (commit->artifacts)
        wf_sql_bind_blob(&put, commit->artifacts, commit->artifacts_length);
    else
        wf_sql_bind_text(&put, "[]");
    wf_sql_bind_blob(&put, commit->checkpoint_snapshot, commit->checkpoint_length);
    return wf_sql_run(&put);
}

/* The next commit of this instance is compared with what this one has written. */
static int keep_place(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    at->place.revision = commit->base + 1;
    at->place.effects = commit->effects;
    at->place.owner = commit->owner;
    if (commit->snapshot)
        at->place.snapshot_revision = commit->base + 1;
    wf_sqlite_place kept = at->place;
    kept.status = commit->status;
    return wf_sqlite_keep_place(at->db, commit->instance, &kept) ? SQLITE_OK : SQLITE_NOMEM;
}

int wf_sqlite_write(wf_writing *at)
{
    int (*const parts[])(wf_writing *) = {write_document, write_instance, write_journal,
                                          write_rest, write_checkpoint, keep_place};
    int code = SQLITE_OK;
    for (size_t i = 0; !code && i < sizeof parts / sizeof *parts; i++)
        code = parts[i](at);
    return code;
}
