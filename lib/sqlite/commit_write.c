#include "commit.h"

#include <stdio.h>
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

/* No post can wait for a new instance. */
static int insert_instance(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    at->left = commit->gives_up;
    wf_sql_binder insert = wf_sql_bind(at->db, WF_SQL_INSTANCE_INSERT);
    wf_sql_bind_text(&insert, commit->instance);
    wf_sql_bind_text(&insert, commit->machine);
    wf_sql_bind_int(&insert, at->document);
    wf_sql_bind_text(&insert, at->left ? "" : commit->owner);
    wf_sql_bind_int(&insert, commit->status);
    wf_sql_bind_int(&insert, commit->now);
    int code = wf_sql_run(&insert);
    at->found.key = sqlite3_last_insert_rowid(at->db->connection);
    return code;
}

static int update_status(const wf_writing *at, enum wf_sql which)
{
    wf_sql_binder update = wf_sql_bind(at->db, which);
    wf_sql_bind_int(&update, at->commit->status);
    wf_sql_bind_int(&update, at->found.key);
    return wf_sql_run(&update);
}

static int write_status(wf_writing *at)
{
    if (at->commit->gives_up) {
        int code = update_status(at, WF_SQL_INSTANCE_LEAVE);
        at->left = !code && sqlite3_changes(at->db->connection) > 0;
        if (code || at->left)
            return code;
    }
    return at->found.head.status == at->commit->status
               ? SQLITE_OK
               : update_status(at, WF_SQL_INSTANCE_STATUS);
}

static int write_machine(const wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    if (at->found.document == at->document && !strcmp(at->found.head.machine, commit->machine))
        return SQLITE_OK;
    wf_sql_binder update = wf_sql_bind(at->db, WF_SQL_INSTANCE_MACHINE);
    wf_sql_bind_text(&update, commit->machine);
    wf_sql_bind_int(&update, at->document);
    wf_sql_bind_int(&update, at->found.key);
    return wf_sql_run(&update);
}

static const char *attributes_of(const wfsm_commit *commit)
{
    return commit->attributes ? commit->attributes : "{}";
}

static int index_attributes(const wf_writing *at)
{
    wf_sql_binder drop = wf_sql_bind(at->db, WF_SQL_ATTRIBUTES_DELETE);
    wf_sql_bind_int(&drop, at->found.key);
    int code = wf_sql_run(&drop);
    if (code)
        return code;
    wf_sql_binder put = wf_sql_bind(at->db, WF_SQL_ATTRIBUTES_PUT);
    wf_sql_bind_int(&put, at->found.key);
    wf_sql_bind_text(&put, attributes_of(at->commit));
    return wf_sql_run(&put);
}

/* Most commits leave them as they are. */
static int write_attributes(wf_writing *at)
{
    const char *before = at->known ? at->found.head.attributes : "{}";
    if (strcmp(before, attributes_of(at->commit)) == 0)
        return SQLITE_OK;
    wf_sql_binder set = wf_sql_bind(at->db, WF_SQL_ATTRIBUTES_SET);
    wf_sql_bind_text(&set, attributes_of(at->commit));
    wf_sql_bind_int(&set, at->found.key);
    int code = wf_sql_run(&set);
    return code ? code : index_attributes(at);
}

/* Those that have ended and still have effects to deliver are found without a search. */
static int write_owing(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    uint64_t acknowledged = at->known ? at->found.head.acknowledged : 0;
    bool ended = at->known && at->found.head.status == WFSM_DONE;
    bool owes = commit->status == WFSM_DONE && commit->effects > acknowledged;
    if (!owes && !ended)
        return SQLITE_OK;
    wf_sql_binder write = wf_sql_bind(at->db, owes ? WF_SQL_OWING_PUT : WF_SQL_OWING_DELETE);
    wf_sql_bind_int(&write, at->found.key);
    return wf_sql_run(&write);
}

/* Most commits change nothing of an instance but its head. */
static int write_instance(wf_writing *at)
{
    if (!at->known)
        return insert_instance(at);
    int code = write_status(at);
    return code ? code : write_machine(at);
}

/* The journal row holds what the head says about its revision, so it is written once. */
static void bind_state(wf_sql_binder *insert, const wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    wf_sql_bind_text(insert, commit->token);
    wf_sql_bind_text(insert, commit->tags);
    wf_sql_bind_count(insert, commit->effects);
    if (commit->deadline == WFSM_NEVER)
        wf_sql_bind_null(insert);
    else
        wf_sql_bind_int(insert, commit->deadline);
    wf_sql_bind_count(insert,
                      commit->snapshot ? commit->base + 1 : at->found.head.snapshot_revision);
    if (commit->snapshot || !at->found.snapshot)
        wf_sql_bind_null(insert);
    else
        wf_sql_bind_int(insert, at->found.snapshot);
}

static int write_journal(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    wf_sql_binder insert = wf_sql_bind(at->db, WF_SQL_JOURNAL_INSERT);
    wf_sql_bind_int(&insert, at->found.key);
    wf_sql_bind_count(&insert, commit->base + 1);
    if (at->known)
        wf_sql_bind_int(&insert, at->found.last);
    else
        wf_sql_bind_null(&insert);
    wf_sql_bind_int(&insert, commit->now);
    wf_sql_bind_text(&insert, commit->event_id);
    bind_state(&insert, at);
    wf_sql_bind_blob(&insert, commit->record, commit->record_length);
    if (commit->snapshot)
        wf_sql_bind_blob(&insert, commit->snapshot, commit->snapshot_length);
    else
        wf_sql_bind_null(&insert);
    int code = wf_sql_run(&insert);
    at->found.last = sqlite3_last_insert_rowid(at->db->connection);
    return code;
}

/* The head has moved although SQLite reports no other writer: the file is damaged. */
int wf_sqlite_write_head(wf_writing *at)
{
    wf_sql_binder write =
        wf_sql_bind(at->db, at->stored ? WF_SQL_HEAD_SWAP : WF_SQL_HEAD_INSERT);
    wf_sql_bind_count(&write, at->found.head.revision);
    wf_sql_bind_int(&write, at->found.last);
    wf_sql_bind_int(&write, at->found.key);
    if (at->stored)
        wf_sql_bind_int(&write, at->stored);
    int code = wf_sql_run(&write);
    if (!code && sqlite3_changes(at->db->connection) != 1)
        code = SQLITE_CORRUPT;
    return code;
}

static int delete_post(wf_writing *at)
{
    if (!at->commit->inbox)
        return SQLITE_OK;
    wf_sql_binder delete = wf_sql_bind(at->db, WF_SQL_POST_DELETE);
    wf_sql_bind_count(&delete, at->commit->inbox);
    return wf_sql_run(&delete);
}

static int delete_checkpoint(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    if (!commit->checkpoint_deleted)
        return SQLITE_OK;
    wf_sql_binder delete = wf_sql_bind(at->db, WF_SQL_CHECKPOINT_DELETE);
    wf_sql_bind_int(&delete, at->found.key);
    wf_sql_bind_text(&delete, commit->checkpoint_deleted);
    return wf_sql_run(&delete);
}

static int write_checkpoint(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    if (!commit->checkpoint)
        return SQLITE_OK;
    wf_sql_binder put = wf_sql_bind(at->db, WF_SQL_CHECKPOINT_PUT);
    wf_sql_bind_int(&put, at->found.key);
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

/* The next commit of this instance in the batch is checked against what this one writes. */
static int keep_place(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    wf_sqlite_found *found = &at->found;
    wfsm_head before = found->head;
    found->document = at->document;
    if (commit->snapshot)
        found->snapshot = found->last;
    found->head = (wfsm_head){
        .size = sizeof found->head,
        .instance = commit->instance,
        .machine = commit->machine,
        .fingerprint = commit->fingerprint,
        .owner = at->left ? "" : commit->owner,
        .token = commit->token,
        .tags = commit->tags,
        .revision = commit->base + 1,
        .snapshot_revision = commit->snapshot ? commit->base + 1 : before.snapshot_revision,
        .effects = commit->effects,
        .acknowledged = before.acknowledged,
        .status = commit->status,
        .deadline = commit->deadline,
        .created = at->known ? before.created : commit->now,
        .updated = commit->now,
        .first = at->known ? before.first : 1,
        .attributes = attributes_of(commit),
    };
    return wf_sqlite_cache_keep(at->db, found) ? SQLITE_OK : SQLITE_NOMEM;
}

static int tell_others(wf_writing *at)
{
    const wfsm_commit *commit = at->commit;
    wf_sqlite_written *written = &at->db->written;
    written->key = at->found.last;
    snprintf(written->token, sizeof written->token, "%s", commit->token);
    return commit->by_hand ? wf_sqlite_tell_owner(at->db, commit->owner) : SQLITE_OK;
}

int wf_sqlite_write(wf_writing *at)
{
    int (*const parts[])(wf_writing *) = {
        write_document, delete_post,       write_instance,   write_attributes, write_owing,
        write_journal,  delete_checkpoint, write_checkpoint, keep_place,       tell_others};
    int code = SQLITE_OK;
    for (size_t i = 0; !code && i < sizeof parts / sizeof *parts; i++)
        code = parts[i](at);
    return code;
}
