/* sqlite/shared.c: limits and rates that all sessions of the store share. Their tables are made when they are
 * first needed, so a store whose engines share neither has none. A transaction holds the lock for writing
 * from its beginning, so what is granted is decided by one after the other. */
#include "database.h"
#include "schema.h"

static int32_t fail(const wf_sqlite *db, int code, wfsm_error *error)
{
    return wf_sqlite_fail(db, code, "cannot be written", error);
}

/* A row that is damaged may be another session's, which would seem to be gone. */
static int32_t check_rows(wf_sqlite *db, enum wf_sql which, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    wf_sql_binder check = wf_sql_bind(db, which);
    int code = wf_sql_step(&check);
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, which);
        wf_sql_column_proof(&row);
        status = wf_sql_columns_end(&row, error);
    } else {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&check);
    return status;
}

static int32_t begin(wf_sqlite *db, wfsm_error *error)
{
    int32_t status = wf_sqlite_begin(db, error);
    if (status)
        return status;
    int code = wf_sqlite_create_shared(db);
    status = code ? fail(db, code, error) : wf_sqlite_prepare_shared(db, error);
    return status ? wf_sqlite_end(db, status, error) : WFSM_OK;
}

/* ---- limits ---- */

/* It can count on nothing if its lease has lapsed: others may have its permits. */
static int32_t check_lease(wf_sqlite *db, const char *session, int64_t now, wfsm_error *error)
{
    int64_t until;
    int32_t status = wf_sqlite_alive_until(db, session, &until, error);
    if (status || until > now)
        return status;
    return wf_sqlite_refuse(
        db, WFSM_STORE_FAILED, error,
        "the lease of the session '%s' has lapsed, and others may have its permits", session);
}

static int32_t drop_lapsed(wf_sqlite *db, const char *session, int64_t now, wfsm_error *error)
{
    wf_sql_binder drop = wf_sql_bind(db, WF_SQL_PERMIT_DROP);
    wf_sql_bind_text(&drop, session);
    wf_sql_bind_int(&drop, now);
    int code = wf_sql_run(&drop);
    return code ? fail(db, code, error) : WFSM_OK;
}

static void bind_limit(wf_sql_binder *binder, const wfsm_permit *permit, const char *session)
{
    wf_sql_bind_int(binder, permit->kind);
    wf_sql_bind_text(binder, permit->name);
    wf_sql_bind_text(binder, session);
}

/* *since is since when the session waits for more. */
static int32_t decide(wf_sqlite *db, const char *session, int64_t now, wfsm_permit *permit,
                      int64_t *since, wfsm_error *error)
{
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_PERMIT_DECIDE);
    bind_limit(&read, permit, session);
    wf_sql_bind_int(&read, permit->most);
    wf_sql_bind_int(&read, permit->working);
    wf_sql_bind_int(&read, permit->wanted);
    wf_sql_bind_int(&read, now);
    int code = wf_sql_step(&read);
    int32_t status = WFSM_OK;
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_PERMIT_DECIDE);
        permit->granted = (uint32_t)wf_sql_column_count(&row);
        permit->contended = wf_sql_column_int(&row) > 0;
        *since = wf_sql_column_int(&row);
        status = wf_sql_columns_end(&row, error);
    } else {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&read);
    return status;
}

static int32_t grant(wf_sqlite *db, const char *session, int64_t now, wfsm_permit *permit,
                     wfsm_error *error)
{
    int64_t since = 0;
    int32_t status = decide(db, session, now, permit, &since, error);
    if (status)
        return status;
    wf_sql_binder put = wf_sql_bind(db, WF_SQL_PERMIT_PUT);
    bind_limit(&put, permit, session);
    wf_sql_bind_int(&put, permit->granted);
    wf_sql_bind_int(&put, permit->wanted);
    wf_sql_bind_int(&put, since);
    int code = wf_sql_run(&put);
    return code ? fail(db, code, error) : WFSM_OK;
}

static int32_t grant_all(wf_sqlite *db, const char *session, int64_t now,
                         wfsm_permit *const *permits, size_t count, wfsm_error *error)
{
    uint32_t held = 0;
    for (size_t i = 0; i < count; i++)
        held |= permits[i]->held;
    int32_t status = held ? check_lease(db, session, now, error) : WFSM_OK;
    if (!status)
        status = check_rows(db, WF_SQL_PERMIT_CHECK, error);
    if (!status)
        status = check_rows(db, WF_SQL_OWNERS_CHECK, error);
    if (!status)
        status = drop_lapsed(db, session, now, error);
    for (size_t i = 0; !status && i < count; i++)
        status = grant(db, session, now, permits[i], error);
    return status;
}

int32_t wf_sqlite_permits(void *self, const char *session, int64_t now,
                          wfsm_permit *const *permits, size_t count, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = begin(db, error);
    if (status)
        return status;
    return wf_sqlite_end(db, grant_all(db, session, now, permits, count, error), error);
}

/* ---- rates ---- */

/* What a rate's row keeps, as lib/store/token_bucket.h describes it. */
typedef struct token_row {
    int64_t owed, at;
} token_row;

static void bind_rate(wf_sql_binder *binder, const wfsm_rate *rate)
{
    wf_sql_bind_int(binder, rate->kind);
    wf_sql_bind_text(binder, rate->name);
    wf_sql_bind_int(binder, rate->count);
    wf_sql_bind_int(binder, rate->per_ms);
}

static int32_t compute(wf_sqlite *db, int64_t now, wfsm_rate *rate, token_row *bucket,
                       wfsm_error *error)
{
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_RATE_TAKE);
    bind_rate(&read, rate);
    wf_sql_bind_int(&read, rate->wanted);
    wf_sql_bind_int(&read, now);
    int code = wf_sql_step(&read);
    int32_t status = WFSM_OK;
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_RATE_TAKE);
        rate->granted = (uint32_t)wf_sql_column_count(&row);
        rate->wait_ms = wf_sql_column_int(&row);
        bucket->owed = wf_sql_column_int(&row);
        bucket->at = wf_sql_column_int(&row);
        status = wf_sql_columns_end(&row, error);
    } else {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&read);
    return status;
}

static int32_t take(wf_sqlite *db, int64_t now, wfsm_rate *rate, wfsm_error *error)
{
    token_row bucket = {0, 0};
    int32_t status = compute(db, now, rate, &bucket, error);
    if (status)
        return status;
    wf_sql_binder put = wf_sql_bind(db, WF_SQL_RATE_PUT);
    bind_rate(&put, rate);
    wf_sql_bind_int(&put, bucket.owed);
    wf_sql_bind_int(&put, bucket.at);
    int code = wf_sql_run(&put);
    return code ? fail(db, code, error) : WFSM_OK;
}

static int32_t take_all(wf_sqlite *db, int64_t now, wfsm_rate *const *rates, size_t count,
                        wfsm_error *error)
{
    int32_t status = check_rows(db, WF_SQL_RATE_CHECK, error);
    for (size_t i = 0; !status && i < count; i++)
        status = take(db, now, rates[i], error);
    return status;
}

int32_t wf_sqlite_rates(void *self, int64_t now, wfsm_rate *const *rates, size_t count,
                        wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = begin(db, error);
    return status ? status : wf_sqlite_end(db, take_all(db, now, rates, count, error), error);
}
