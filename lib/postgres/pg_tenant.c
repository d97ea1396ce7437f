/* postgres/pg_tenant.c: tenants. Each role has one namespace at most, and row security shows it no other
 * one. The owner of the tables and superusers are not bound. Row security asks for current_user, so it needs
 * no setting of a session, and a pool may share sessions among the clients of one role. */
#include "pg.h"

#include <string.h>

static const char policy[] =
    "ALTER TABLE @# ENABLE ROW LEVEL SECURITY;\n"
    "CREATE POLICY tenant ON @# USING (namespace =\n"
    "  (SELECT t.namespace FROM @tenant AS t WHERE t.role = current_user::text));\n";

/* Nobody but the owner writes these, whatever has been granted. */
static const char fixed_policies[] =
    "ALTER TABLE @tenant ENABLE ROW LEVEL SECURITY;\n"
    "CREATE POLICY tenant ON @tenant FOR SELECT USING (role = current_user::text);\n"
    "ALTER TABLE @version ENABLE ROW LEVEL SECURITY;\n"
    "CREATE POLICY tenant ON @version FOR SELECT USING (true);\n";

void wf_pg_policies_put(wf_pg_writing *to)
{
    for (const char *table = wf_pg_tables; *table; table = wf_pg_next_table(table))
        wf_pg_text_fill(to, policy, table);
    wf_pg_text_fill(to, fixed_policies, NULL);
}

/* ---- opening ---- */

static int32_t take_namespace(wf_pg *db, const char *tenant, wfsm_error *error)
{
    if (!db->tenant)
        db->tenant = wf_pg_copy(db, tenant);
    return db->tenant ? WFSM_OK : wf_pg_no_memory(error);
}

/* The columns: whether row security binds the role, its name, and its namespace. */
static int32_t check_current(wf_pg *db, const PGresult *result, wfsm_error *error)
{
    bool is_bound = PQntuples(result) == 1 && *PQgetvalue(result, 0, 0) == 't';
    const char *tenant = is_bound ? wf_pg_text_of(result, 0, 2) : NULL;

    if (!is_bound)
        return take_namespace(db, "default", error);
    if (!tenant)
        return wf_pg_refuse(
            db, WFSM_DENIED, error,
            "the role \"%s\" has no namespace in the schema \"%s\"; `wfsm store "
            "tenant` gives it one",
            PQgetvalue(result, 0, 1), db->schema);
    if (db->tenant && strcmp(db->tenant, tenant) != 0)
        return wf_pg_refuse(db, WFSM_DENIED, error,
                            "the role \"%s\" has the namespace \"%s\", and may not use \"%s\"",
                            PQgetvalue(result, 0, 1), tenant, db->tenant);
    return take_namespace(db, tenant, error);
}

static int32_t check_policies(const wf_pg *db, const PGresult *result, wfsm_error *error)
{
    if (PQntuples(result) == 0)
        return WFSM_OK;
    return wf_pg_refuse(
        db, WFSM_CORRUPT, error,
        "the row security of the table \"%s\" in the schema \"%s\" is not as wfsm "
        "made it",
        PQgetvalue(result, 0, 0), db->schema);
}

static int32_t judge(wf_pg *db, const wf_pg_pipe *pipe, enum wf_pg_end end, wfsm_error *error)
{
    int32_t status;

    if (end == WF_PG_REFUSED)
        return wf_pg_fail(db, pipe->failed, WFSM_IO, error);
    if (end != WF_PG_DONE)
        return wf_pg_refuse(db, WFSM_IO, error, "the server does not answer");
    status = check_policies(db, pipe->results[0], error);
    return status == WFSM_OK ? check_current(db, pipe->results[1], error) : status;
}

int32_t wf_pg_tenant_check(wf_pg *db, wfsm_error *error)
{
    wf_pg_values values;
    wf_pg_pipe pipe;
    int32_t status;

    wf_pg_values_init(&values, db);
    wf_pg_text(&values, db->schema);
    if (values.failed) {
        wf_pg_values_fini(&values);
        return wf_pg_no_memory(error);
    }
    wf_pg_pipe_begin(&pipe, db);
    wf_pg_pipe_add(&pipe, WF_PG_POLICIES, &values);
    wf_pg_pipe_add(&pipe, WF_PG_CURRENT_ROLE, &values);
    status = judge(db, &pipe, wf_pg_pipe_end(&pipe), error);
    wf_pg_pipe_free(&pipe);
    wf_pg_values_fini(&values);
    return status;
}
