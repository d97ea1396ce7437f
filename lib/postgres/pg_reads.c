/* postgres/pg_reads.c: the calls that read one instance. A result has at least one row if the instance is
 * there. */
#include "pg.h"

static void put_instance(wf_pg_values *values, wf_pg *db, const char *instance)
{
    wf_pg_values_init(values, db);
    wf_pg_text(values, db->tenant);
    wf_pg_text(values, instance);
}

/* Frees the values. NOT_FOUND: no row. */
static int32_t ask(wf_pg *db, enum wf_pg_sql which, wf_pg_values *values, const char *instance,
                   PGresult **result, wfsm_error *error)
{
    int32_t status = wf_pg_read(db, which, values, result, error);

    wf_pg_values_fini(values);
    if (status != WFSM_OK || PQntuples(*result) > 0)
        return status;
    PQclear(*result);
    *result = NULL;
    return wf_pg_no_instance(db, instance, error);
}

int32_t wf_pg_head(void *self, const char *instance, wfsm_head *head, wfsm_error *error)
{
    wf_pg *db = self;
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    put_instance(&values, db, instance);
    status = ask(db, WF_PG_HEAD, &values, instance, &result, error);
    if (status != WFSM_OK)
        return status;
    *head = wf_pg_head_of(db, result, 0, 0);
    db->kept = result;
    return WFSM_OK;
}

/* The columns are the revision, the time, the text and perhaps an id. A row of nulls is none. */
static int32_t pass(const PGresult *result, int row, const char *id, wfsm_row_sink sink,
                    void *user)
{
    wfsm_row out = {.size = sizeof out, .id = id};

    if (wf_pg_is_null(result, row, 0))
        return WFSM_OK;
    if (PQnfields(result) > 3)
        out.id = wf_pg_text_of(result, row, 3);
    out.revision = wf_pg_count_of(result, row, 0);
    out.now = wf_pg_int_of(result, row, 1);
    out.text = PQgetvalue(result, row, 2);
    out.length = wf_pg_length_of(result, row, 2);
    return sink(user, &out);
}

static int32_t pass_all(const PGresult *result, wfsm_row_sink sink, void *user)
{
    int32_t status = WFSM_OK;

    for (int i = 0; i < PQntuples(result) && status == WFSM_OK; i++)
        status = pass(result, i, NULL, sink, user);
    return status;
}

/* Moves *from behind the rows of the page; 0: it was the last one. */
static int32_t read_page(wf_pg *db, const char *instance, uint64_t *from, uint64_t to,
                         wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;
    int rows;

    put_instance(&values, db, instance);
    wf_pg_number(&values, (int64_t)*from);
    wf_pg_number(&values, (int64_t)to);
    status = ask(db, WF_PG_RECORDS, &values, instance, &result, error);
    if (status != WFSM_OK)
        return status;
    rows = PQntuples(result);
    *from = rows < 100 ? 0 : wf_pg_count_of(result, rows - 1, 0) + 1;
    status = pass_all(result, sink, user);
    PQclear(result);
    return status;
}

int32_t wf_pg_records(void *self, const char *instance, uint64_t from, uint64_t to,
                      wfsm_row_sink sink, void *user, wfsm_error *error)
{
    int32_t status;

    from = from > 0 ? wf_pg_bounded(from) : 1;
    do
        status = read_page(self, instance, &from, wf_pg_bounded(to), sink, user, error);
    while (status == WFSM_OK && from > 0 && from <= to);
    return status;
}

static int32_t pass_one(wf_pg *db, const PGresult *result, const char *id, const char *what,
                        wfsm_row_sink sink, void *user, wfsm_error *error)
{
    if (wf_pg_is_null(result, 0, 0))
        return wf_pg_refuse(db, WFSM_NOT_FOUND, error, "there is no %s%s%s%s", what,
                            id ? " '" : "", id ? id : "", id ? "'" : "");
    return pass(result, 0, id, sink, user);
}

static int32_t read_kind(wf_pg *db, const char *instance, int kind, const char *what,
                         wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    put_instance(&values, db, instance);
    wf_pg_number(&values, kind);
    status = ask(db, WF_PG_SNAPSHOT, &values, instance, &result, error);
    if (status == WFSM_OK)
        status = pass_one(db, result, NULL, what, sink, user, error);
    PQclear(result);
    return status;
}

static int32_t read_checkpoint(wf_pg *db, const char *instance, const char *id,
                               wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    put_instance(&values, db, instance);
    wf_pg_text(&values, id);
    status = ask(db, WF_PG_CHECKPOINT, &values, instance, &result, error);
    if (status == WFSM_OK)
        status = pass_one(db, result, id, "checkpoint", sink, user, error);
    PQclear(result);
    return status;
}

int32_t wf_pg_snapshot(void *self, const char *instance, const char *checkpoint,
                       wfsm_row_sink sink, void *user, wfsm_error *error)
{
    if (checkpoint)
        return read_checkpoint(self, instance, checkpoint, sink, user, error);
    return read_kind(self, instance, 1, "snapshot", sink, user, error);
}

int32_t wf_pg_anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                     wfsm_error *error)
{
    return read_kind(self, instance, 2, "state from which the journal begins", sink, user,
                     error);
}

int32_t wf_pg_checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                          wfsm_error *error)
{
    wf_pg *db = self;
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    put_instance(&values, db, instance);
    status = ask(db, WF_PG_CHECKPOINTS, &values, instance, &result, error);
    if (status == WFSM_OK)
        status = pass_all(result, sink, user);
    PQclear(result);
    return status;
}

int32_t wf_pg_seen(void *self, const char *instance, const char *event_id, int32_t *seen,
                   wfsm_error *error)
{
    wf_pg *db = self;
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    put_instance(&values, db, instance);
    wf_pg_text(&values, event_id);
    status = ask(db, WF_PG_SEEN_ID, &values, instance, &result, error);
    if (status == WFSM_OK)
        *seen = *PQgetvalue(result, 0, 0) == 't';
    PQclear(result);
    return status;
}

int32_t wf_pg_document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                       wfsm_error *error)
{
    wf_pg *db = self;
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    put_instance(&values, db, fingerprint);
    status = wf_pg_read(db, WF_PG_DOCUMENT, &values, &result, error);
    wf_pg_values_fini(&values);
    if (status == WFSM_OK && PQntuples(result) == 0)
        status =
            wf_pg_refuse(db, WFSM_NOT_FOUND, error, "there is no document '%s'", fingerprint);
    else if (status == WFSM_OK)
        status = sink(user, &(wfsm_row){.size = sizeof(wfsm_row),
                                        .id = fingerprint,
                                        .text = PQgetvalue(result, 0, 0),
                                        .length = wf_pg_length_of(result, 0, 0)});
    PQclear(result);
    return status;
}
