/* postgres/pg_changes.c: the calls that write and are no part of an exchange. */
#include "pg.h"

#include <string.h>

/* The parameters of WF_PG_LOCK, and the instance for the statement behind it. */
static void put_locked(wf_pg_values *values, wf_pg *db, const char *instance)
{
    wf_pg_values_init(values, db);
    wf_pg_text(values, db->tenant);
    wf_pg_columns(values, "t");
    wf_pg_put_text(values, instance);
    wf_pg_columns_end(values);
    wf_pg_text(values, instance);
}

static int32_t write_locked(wf_pg *db, wf_pg_pipe *pipe, enum wf_pg_sql which,
                            const wf_pg_values *values, const char *instance, wfsm_error *error)
{
    const enum wf_pg_sql list[] = {WF_PG_LOCK, which};
    int32_t status;

    memset(pipe, 0, sizeof *pipe);
    if (!wf_pg_doubts_reserve(db, 1))
        return wf_pg_no_memory(error);
    status = wf_pg_write(db, pipe, list, 2, values, error);
    if (status == WFSM_STORE_UNKNOWN) {
        wf_pg_doubt_note_attempt(db, pipe->attempt);
        wf_pg_doubt_note(db, instance, WF_PG_NO_CHAIN);
    }
    return status;
}

int32_t wf_pg_remove(void *self, const char *instance, wfsm_error *error)
{
    wf_pg_values values;
    wf_pg_pipe pipe;
    int32_t status;

    put_locked(&values, self, instance);
    wf_pg_mark_forget(self, instance);
    status = write_locked(self, &pipe, WF_PG_REMOVE, &values, instance, error);
    wf_pg_pipe_free(&pipe);
    wf_pg_values_fini(&values);
    return status;
}

static int32_t check_cut(const wf_pg *db, const PGresult *result, const char *instance,
                         uint64_t revision, wfsm_error *error)
{
    if (PQntuples(result) == 0)
        return wf_pg_no_instance(db, instance, error);
    if (*PQgetvalue(result, 0, 2) == 't')
        return WFSM_OK;
    return wf_pg_refuse(
        db, WFSM_CONFLICT, error,
        "the journal of instance '%s' cannot be cut at revision %llu: it begins at "
        "%s, and its last snapshot is that of %s",
        instance, (unsigned long long)revision, PQgetvalue(result, 0, 0),
        PQgetvalue(result, 0, 1));
}

int32_t wf_pg_cut(void *self, const char *instance, uint64_t revision, const char *snapshot,
                  size_t length, wfsm_error *error)
{
    wf_pg_values values;
    wf_pg_pipe pipe;
    int32_t status;

    put_locked(&values, self, instance);
    wf_pg_number(&values, (int64_t)wf_pg_bounded(revision));
    wf_pg_bytes(&values, snapshot, length);
    status = write_locked(self, &pipe, WF_PG_CUT, &values, instance, error);
    if (status == WFSM_OK)
        status = check_cut(self, pipe.results[2], instance, revision, error);
    wf_pg_pipe_free(&pipe);
    wf_pg_values_fini(&values);
    return status;
}

int32_t wf_pg_owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    const enum wf_pg_sql list[] = {until ? WF_PG_ALIVE : WF_PG_GONE};
    wf_pg *db = self;
    wf_pg_values values;
    wf_pg_pipe pipe;
    int32_t status;

    wf_pg_values_init(&values, db);
    wf_pg_text(&values, db->tenant);
    wf_pg_text(&values, owner);
    wf_pg_number(&values, until);
    wf_pg_mark_session(db, "", 0);
    status = wf_pg_write(db, &pipe, list, 1, &values, error);
    wf_pg_pipe_free(&pipe);
    wf_pg_values_fini(&values);
    return status;
}

/* Everything about a lease is in an exchange. */
int32_t wf_pg_claim(void *self, const char *session, int64_t mine, int64_t now, int64_t until,
                    wfsm_error *error)
{
    wfsm_exchange exchange = {
        .size = sizeof exchange, .session = session, .now = now, .mine = mine, .until = until};
    int32_t status = wf_pg_claim_by_exchange(self, &exchange, error);

    return status != WFSM_OK ? status : exchange.lease;
}

/* So are permits and rates, beside what else an exchange asks for. */
int32_t wf_pg_permits(void *self, const char *session, int64_t now, wfsm_permit *const *permits,
                      size_t count, wfsm_error *error)
{
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = session,
                              .now = now,
                              .permits = permits,
                              .permit_count = count};

    return wf_pg_exchange(self, &exchange, error);
}

int32_t wf_pg_rates(void *self, int64_t now, wfsm_rate *const *rates, size_t count,
                    wfsm_error *error)
{
    wfsm_exchange exchange = {
        .size = sizeof exchange, .now = now, .rates = rates, .rate_count = count};

    return wf_pg_exchange(self, &exchange, error);
}
