#include "database.h"

static int32_t none(const wf_sqlite *db, enum wf_sql which, const wf_sqlite_found *found,
                    const char *id, wfsm_error *error)
{
    if (which == WF_SQL_CHECKPOINT_GET)
        return wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "there is no checkpoint '%s'", id);
    if (which == WF_SQL_JOURNAL_ANCHOR)
        return wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "the journal has no anchor");
    if (!found->snapshot)
        return wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "there is no snapshot");
    return wf_sqlite_misplaced(db, found->key, found->head.snapshot_revision, error);
}

static wf_sql_binder select_row(const wf_sqlite *db, enum wf_sql which,
                                const wf_sqlite_found *found, const char *id)
{
    wf_sql_binder select = wf_sql_bind(db, which);
    wf_sql_bind_int(&select, found->key);
    if (which == WF_SQL_CHECKPOINT_GET)
        wf_sql_bind_text(&select, id);
    if (which != WF_SQL_JOURNAL_SNAPSHOT)
        return select;
    wf_sql_bind_int(&select, found->snapshot);
    wf_sql_bind_count(&select, found->head.snapshot_revision);
    return select;
}

/* Reads the columns revision, now and text. */
static int32_t hand_out(wf_sql_columns *columns, wfsm_row *row, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    row->revision = wf_sql_column_count(columns);
    row->now = wf_sql_column_int(columns);
    row->text = wf_sql_column_text(columns, &row->length);
    int32_t status = wf_sql_columns_end(columns, error);
    return status ? status : sink(user, row);
}

static int32_t read_row(wf_sqlite *db, enum wf_sql which, const wf_sqlite_found *found,
                        const char *id, wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_sql_binder select = select_row(db, which, found, id);
    int code = wf_sql_step(&select);
    int32_t status;
    if (code == SQLITE_ROW) {
        wf_sql_columns columns = wf_sql_columns_of(db, which);
        wfsm_row row = {.size = sizeof row, .id = id};
        status = hand_out(&columns, &row, sink, user, error);
    } else if (code == SQLITE_DONE) {
        status = none(db, which, found, id, error);
    } else {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&select);
    return status;
}

static int32_t read_one(wf_sqlite *db, enum wf_sql which, const char *instance,
                        const char *checkpoint, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = wf_sqlite_find(db, instance, &found, error);
    if (!status)
        status = read_row(db, which, &found, checkpoint, sink, user, error);
    wf_sqlite_end_reading(db);
    return status;
}

int32_t wf_sqlite_snapshot(void *self, const char *instance, const char *checkpoint,
                           wfsm_row_sink sink, void *user, wfsm_error *error)
{
    return read_one(self, checkpoint ? WF_SQL_CHECKPOINT_GET : WF_SQL_JOURNAL_SNAPSHOT,
                    instance, checkpoint, sink, user, error);
}

int32_t wf_sqlite_anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                         wfsm_error *error)
{
    return read_one(self, WF_SQL_JOURNAL_ANCHOR, instance, NULL, sink, user, error);
}

static int32_t read_checkpoints(wf_sqlite *db, const char *instance, wfsm_row_sink sink,
                                void *user, wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (status)
        return status;
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_CHECKPOINTS);
    wf_sql_bind_int(&select, found.key);
    int code = SQLITE_DONE;
    while (!status && (code = wf_sql_step(&select)) == SQLITE_ROW) {
        wf_sql_columns columns = wf_sql_columns_of(db, WF_SQL_CHECKPOINTS);
        wfsm_row row = {.size = sizeof row};
        row.id = wf_sql_column_text(&columns, NULL);
        status = hand_out(&columns, &row, sink, user, error);
    }
    if (!status && code != SQLITE_DONE)
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(&select);
    return status;
}

int32_t wf_sqlite_checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                              wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = read_checkpoints(db, instance, sink, user, error);
    wf_sqlite_end_reading(db);
    return status;
}

int32_t wf_sqlite_document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_ready(db, error);
    if (status)
        return status;
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_DOCUMENT_GET);
    wf_sql_bind_text(&select, fingerprint);
    int code = wf_sql_step(&select);
    if (code == SQLITE_ROW) {
        wf_sql_columns columns = wf_sql_columns_of(db, WF_SQL_DOCUMENT_GET);
        wfsm_row row = {.size = sizeof row};
        row.id = wf_sql_column_text(&columns, NULL);
        row.text = wf_sql_column_text(&columns, &row.length);
        wf_sql_column_proof(&columns);
        status = wf_sql_columns_end(&columns, error);
        if (!status)
            status = sink(user, &row);
    } else if (code == SQLITE_DONE) {
        status = wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "there is no document '%s'",
                                  fingerprint);
    } else {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&select);
    return status;
}
