/* postgres/pg_grant.c: gives a role its namespace, and the rights that a store needs. */
#include "pg.h"

#include <string.h>

enum { TENANT_BYTES = 255 };

static void put_word(wf_pg_writing *to, const char *text)
{
    wf_pg_text_put(to, text, strlen(text));
}

/* The form with E means the same with every setting of standard_conforming_strings. */
static void put_literal(wf_pg_writing *to, const char *text)
{
    put_word(to, strchr(text, '\\') ? "E'" : "'");
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            wf_pg_text_put(to, text, 1);
        wf_pg_text_put(to, text, 1);
    }
    put_word(to, "'");
}

static void put_grants(wf_pg_writing *to, const char *role)
{
    put_word(to, "GRANT USAGE ON SCHEMA ");
    put_word(to, to->schema);
    put_word(to, " TO ");
    put_word(to, role);
    wf_pg_text_fill(to, ";\nGRANT SELECT ON @version, @tenant TO ", NULL);
    put_word(to, role);
    put_word(to, ";\nGRANT SELECT, INSERT, UPDATE, DELETE ON");
    for (const char *table = wf_pg_tables; *table; table = wf_pg_next_table(table))
        wf_pg_text_fill(to, table == wf_pg_tables ? " @#" : ", @#", table);
    put_word(to, " TO ");
    put_word(to, role);
    put_word(to, ";\n");
}

static bool is_tenant(const char *name)
{
    return name && *name && strlen(name) <= TENANT_BYTES;
}

size_t wfsm_postgres_tenant_sql(const char *schema, const char *tenant, const char *role,
                                char *out, size_t room)
{
    char quoted[WF_PG_QUOTED], name[WF_PG_QUOTED];
    wf_pg_writing to = {.schema = quoted, .out = out, .room = room};

    if (!is_tenant(tenant) || !role || !wf_pg_quote(role, name) ||
        !wf_pg_quote(schema ? schema : "wfsm", quoted))
        return wf_pg_text_end(&to);
    put_grants(&to, name);
    wf_pg_text_fill(&to, "INSERT INTO @tenant VALUES (", NULL);
    put_literal(&to, role);
    put_word(&to, ", ");
    put_literal(&to, tenant);
    put_word(&to, ") ON CONFLICT (role) DO NOTHING;\n");
    return wf_pg_text_end(&to);
}

/* ---- giving a role a namespace ---- */

/* *has: it has the namespace. */
static int32_t check_role(wf_pg *db, const PGresult *result, const char *role, bool *has,
                          wfsm_error *error)
{
    const char *tenant;

    if (PQntuples(result) == 0)
        return wf_pg_refuse(db, WFSM_NOT_FOUND, error,
                            "there is no role \"%s\"; CREATE ROLE makes one", role);
    if (*PQgetvalue(result, 0, 0) == 't')
        return wf_pg_refuse(
            db, WFSM_DENIED, error,
            "the role \"%s\" may act as the owner of the tables, or bypasses row "
            "security, so a namespace would not bind it",
            role);
    tenant = wf_pg_text_of(result, 0, 1);
    *has = tenant && strcmp(tenant, db->tenant) == 0;
    if (tenant && !*has)
        return wf_pg_refuse(db, WFSM_EXISTS, error,
                            "the role \"%s\" has the namespace \"%s\" already", role, tenant);
    return WFSM_OK;
}

static int32_t ask_role(wf_pg *db, const char *role, bool *has, wfsm_error *error)
{
    wf_pg_values values;
    PGresult *result;
    int32_t status;

    wf_pg_values_init(&values, db);
    wf_pg_text(&values, db->schema);
    wf_pg_text(&values, role);
    status = wf_pg_read(db, WF_PG_ROLE, &values, &result, error);
    if (status == WFSM_OK)
        status = check_role(db, result, role, has, error);
    PQclear(result);
    wf_pg_values_fini(&values);
    return status;
}

static int32_t grant(wf_pg *db, const char *role, wfsm_error *error)
{
    size_t length = wfsm_postgres_tenant_sql(db->schema, db->tenant, role, NULL, 0);
    char *text = wf_pg_take(db, length + 1);
    int32_t status;

    if (!text)
        return wf_pg_no_memory(error);
    wfsm_postgres_tenant_sql(db->schema, db->tenant, role, text, length + 1);
    wf_pg_run_text(db, text, error, &status);
    wf_pg_give(db, text);
    return status;
}

static int32_t make_tenant(wf_pg *db, const char *role, wfsm_error *error)
{
    bool has = false;
    int32_t status = wf_pg_connect(db, error);

    if (status == WFSM_OK)
        status = wf_pg_schema_check(db, error);
    if (status == WFSM_OK)
        status = ask_role(db, role, &has, error);
    if (status == WFSM_OK)
        status = grant(db, role, error);
    /* Another process may have given it another one meanwhile. */
    if (status == WFSM_OK && !has)
        status = ask_role(db, role, &has, error);
    return status;
}

int32_t wfsm_postgres_tenant(const char *address, const wfsm_postgres_options *options,
                             const char *role, wfsm_error *error)
{
    char quoted[WF_PG_QUOTED];
    wf_pg *db;
    int32_t status = wf_pg_make(&db, address, options, NULL, error);

    if (status != WFSM_OK)
        return status;
    if (!db->tenant || !role || !wf_pg_quote(role, quoted))
        status = wf_pg_refuse(db, WFSM_INVALID, error,
                              "a role of 1 to 63 bytes and a namespace are needed");
    else
        status = make_tenant(db, role, error);
    wf_pg_close(db);
    return status;
}
