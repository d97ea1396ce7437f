/* sqlite/cut.c: compaction. It deletes the oldest rows of a journal and stores, with the
 * oldest row that remains, the state to begin from. SQLite reuses the freed pages for
 * later writes. */
#include "database.h"
#include "../base/invariant.h"

static int32_t check(wf_sqlite *db, const char *instance, const wf_sqlite_found *found,
                     uint64_t revision, wfsm_error *error)
{
    if (revision > found->head.first && revision <= found->head.snapshot_revision)
        return WFSM_OK;
    return wf_sqlite_refuse(db, WFSM_CONFLICT, error,
                            "the journal of instance '%s' cannot be cut at revision %llu: "
                            "it begins at %llu, and its last snapshot is that of %llu",
                            instance, (unsigned long long)revision,
                            (unsigned long long)found->head.first,
                            (unsigned long long)found->head.snapshot_revision);
}

static int32_t done(wf_sqlite *db, int code, wfsm_error *error)
{
    return code ? wf_sqlite_fail(db, code, "cannot be written", error) : WFSM_OK;
}

static int32_t drop_rows(wf_sqlite *db, const wf_sqlite_found *found, uint64_t revision,
                         int64_t key, wfsm_error *error)
{
    wf_sql_binder cut = wf_sql_bind(db, WF_SQL_CUT_JOURNAL);
    wf_sql_bind_int(&cut, found->key);
    wf_sql_bind_int(&cut, key);
    int32_t status = done(db, wf_sql_run(&cut), error);
    WF_INVARIANT(revision > found->head.first);
    uint64_t gone = (uint64_t)sqlite3_changes64(db->connection);
    if (status || gone == revision - found->head.first)
        return status;
    return wf_sqlite_refuse(db, WFSM_CORRUPT, error,
                            "table journal has %llu rows of the instance with key %lld "
                            "before revision %llu, %llu were expected",
                            (unsigned long long)gone, (long long)found->key,
                            (unsigned long long)revision,
                            (unsigned long long)(revision - found->head.first));
}

static int32_t set_anchor(wf_sqlite *db, const wf_sqlite_found *found, uint64_t revision,
                          int64_t key, const char *snapshot, size_t length, wfsm_error *error)
{
    wf_sql_binder anchor = wf_sql_bind(db, WF_SQL_CUT_ANCHOR);
    wf_sql_bind_blob(&anchor, snapshot, length);
    wf_sql_bind_int(&anchor, key);
    int code = wf_sql_run(&anchor);
    wf_sql_binder head = wf_sql_bind(db, WF_SQL_CUT_HEAD);
    wf_sql_bind_count(&head, revision);
    wf_sql_bind_int(&head, key);
    wf_sql_bind_int(&head, found->key);
    return done(db, code ? code : wf_sql_run(&head), error);
}

static int32_t cut(wf_sqlite *db, const char *instance, uint64_t revision, const char *snapshot,
                   size_t length, wfsm_error *error)
{
    wf_sqlite_found found;
    int64_t key = 0;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (!status)
        status = check(db, instance, &found, revision, error);
    if (!status)
        status = wf_sqlite_row_of(db, &found, revision, &key, error);
    wf_sqlite_cache_forget(db, instance);
    if (!status)
        status = drop_rows(db, &found, revision, key, error);
    if (!status)
        status = set_anchor(db, &found, revision, key, snapshot, length, error);
    return status;
}

int32_t wf_sqlite_cut(void *self, const char *instance, uint64_t revision, const char *snapshot,
                      size_t length, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin(db, error);
    if (status)
        return status;
    status = cut(db, instance, revision, snapshot, length, error);
    wf_sqlite_forget_marks(db);
    return wf_sqlite_end(db, status, error);
}
