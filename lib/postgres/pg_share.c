/* postgres/pg_share.c: who serves which documents, and what is free. */
#include "pg.h"

static void put(wf_pg_values *values, wf_pg *db, const wfsm_sharing *asked)
{
    wf_pg_values_init(values, db);
    wf_pg_text(values, db->tenant);
    wf_pg_text(values, asked->session);
    wf_pg_put_now(values, asked->now);
    wf_pg_columns(values, "t");
    for (size_t i = 0; i < asked->count; i++)
        wf_pg_put_text(values, asked->fingerprints[i]);
    wf_pg_columns_end(values);
}

static int32_t pass(const PGresult *result, int32_t part, wfsm_row_sink sink, void *user)
{
    int32_t status = WFSM_OK;

    for (int i = 0; i < PQntuples(result) && status == WFSM_OK; i++) {
        const wfsm_row row = {.size = sizeof row,
                              .part = part,
                              .id = PQgetvalue(result, i, 0),
                              .name = PQgetvalue(result, i, 1)};

        status = sink(user, &row);
    }
    return status;
}

/* What is noted is the same every time, so after a lost answer all of it is done again. */
int32_t wf_pg_share(void *self, const wfsm_sharing *asked, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    static const enum wf_pg_sql list[] = {WF_PG_SERVE, WF_PG_SERVING, WF_PG_LEFT};
    int32_t status = WFSM_STORE_UNKNOWN;
    wf_pg_values values;
    wf_pg_pipe pipe;

    put(&values, self, asked);
    for (int attempt = 0; attempt < 2 && status == WFSM_STORE_UNKNOWN; attempt++) {
        status = wf_pg_write(self, &pipe, list, 3, &values, error);
        if (status == WFSM_OK)
            status = pass(pipe.results[1], WFSM_ROW_SERVES, sink, user);
        if (status == WFSM_OK)
            status = pass(pipe.results[2], WFSM_ROW_LEFT, sink, user);
        wf_pg_pipe_free(&pipe);
    }
    wf_pg_values_fini(&values);
    return status;
}
