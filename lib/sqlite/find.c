#include "database.h"

int32_t wf_sqlite_misplaced(const wf_sqlite *db, int64_t instance, uint64_t revision,
                            wfsm_error *error)
{
    return wf_sqlite_refuse(db, WFSM_CORRUPT, error,
                            "row of revision %llu of the instance with key %lld is not "
                            "where table journal should have it",
                            (unsigned long long)revision, (long long)instance);
}

static void make_bad(wf_sql_columns *row)
{
    if (!row->bad)
        row->bad = row->next;
}

static int32_t read_status(wf_sql_columns *row)
{
    int64_t status = wf_sql_column_int(row);
    if (status != WFSM_RUNNING && status != WFSM_DONE)
        make_bad(row);
    return status == WFSM_DONE ? WFSM_DONE : WFSM_RUNNING;
}

/* Reads the columns of the tables instance and head. */
static void read_instance(wf_sql_columns *row, wf_sqlite_found *found)
{
    wfsm_head *head = &found->head;
    head->size = sizeof *head;
    head->instance = wf_sql_column_text(row, NULL);
    head->machine = wf_sql_column_text(row, NULL);
    head->fingerprint = wf_sql_column_text(row, NULL);
    head->owner = wf_sql_column_text(row, NULL);
    head->acknowledged = wf_sql_column_count(row);
    head->status = read_status(row);
    head->created = wf_sql_column_int(row);
    wf_sql_column_proof(row);
    found->key = wf_sql_column_int(row);
    found->document = wf_sql_column_int(row);
    head->revision = wf_sql_column_count(row);
    found->last = wf_sql_column_int(row);
    head->first = wf_sql_column_count(row);
    if (!head->first || head->first > head->revision)
        make_bad(row);
    head->attributes = wf_sql_column_text(row, NULL);
}

/* Reads the columns that the journal has about the head's revision. */
static void read_state(wf_sql_columns *row, wf_sqlite_found *found)
{
    wfsm_head *head = &found->head;
    head->token = wf_sql_column_text(row, NULL);
    head->tags = wf_sql_column_text(row, NULL);
    head->effects = wf_sql_column_count(row);
    head->deadline = wf_sql_column_deadline(row);
    head->updated = wf_sql_column_int(row);
    head->snapshot_revision = wf_sql_column_count(row);
    found->snapshot = wf_sql_column_link(row);
    if (head->snapshot_revision == head->revision)
        found->snapshot = found->last;
    if (head->snapshot_revision > head->revision ||
        !head->snapshot_revision != !found->snapshot)
        make_bad(row);
}

int32_t wf_sqlite_read_found(wf_sqlite *db, enum wf_sql which, wf_sqlite_found *found,
                             wfsm_error *error)
{
    wf_sql_columns row = wf_sql_columns_of(db, which);
    read_instance(&row, found);
    int32_t status = wf_sql_columns_end(&row, error);
    if (!status && !wf_sql_column_link(&row))
        status = wf_sqlite_misplaced(db, found->key, found->head.revision, error);
    if (status)
        return status;
    read_state(&row, found);
    status = wf_sql_columns_end(&row, error);
    if (!status && !wf_sqlite_cache_keep(db, found))
        status = wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be read", error);
    return status;
}

int32_t wf_sqlite_look_for(wf_sqlite *db, const char *instance, wf_sqlite_found *found,
                           wfsm_error *error)
{
    int32_t status = WFSM_OK;
    if (wf_sqlite_cache_find(db, instance, found))
        return WFSM_OK;
    *found = (wf_sqlite_found){.key = 0};
    wf_sql_binder find = wf_sql_bind(db, WF_SQL_HEAD);
    wf_sql_bind_text(&find, instance);
    int code = wf_sql_step(&find);
    if (code == SQLITE_ROW)
        status = wf_sqlite_read_found(db, WF_SQL_HEAD, found, error);
    else if (code != SQLITE_DONE)
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(&find);
    return status;
}

int32_t wf_sqlite_find(wf_sqlite *db, const char *instance, wf_sqlite_found *found,
                       wfsm_error *error)
{
    int32_t status = wf_sqlite_look_for(db, instance, found, error);
    if (status || found->key)
        return status;
    return wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "there is no instance '%s'", instance);
}
