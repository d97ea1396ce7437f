/* A tenant cannot see, count, post to, commit to, lock or remove what another one has, by no call of the store
 * and by no SQL of its own; with "pool", through pgbouncer in transaction mode. acme has the data, and beta
 * tries. */
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include "pg_sql.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static const char *(*address_with)(const char *words) = server_address_with;
static wfsm_error *error;
static wfsm_store *acme, *beta;

static wfsm_store *open_as(const char *role)
{
    char words[40];
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .clock = WFSM_POSTGRES_HOST_CLOCK};
    wfsm_store *store = NULL;

    snprintf(words, sizeof words, "user=%s", role);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_postgres_open(&store, address_with(words), &options, NULL, error),
        wfsm_error_message(error));
    return store;
}

/* Each table has rows of acme. */
static void fill(void)
{
    wfsm_commit first = commit_of("a", 0), second = commit_of("a", 1);

    first.owner = second.owner = "me";
    first.document = "{}";
    first.document_length = 2;
    first.fingerprint = second.fingerprint = "print";
    first.deadline = second.deadline = 50;
    first.effects = second.effects = 2;
    first.snapshot = "{}";
    first.snapshot_length = 2;
    second.checkpoint = "point";
    second.checkpoint_snapshot = "{}";
    second.checkpoint_length = 2;
    expect_commit(acme, &first, WFSM_OK);
    expect_commit(acme, &second, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_post(acme, "a", "go", "id", "{}", 2, 3, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(acme, "me", 0, 1, 1000, error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    server_wipe();
    acme = open_as("acme");
    beta = open_as("beta");
    fill();
}

void tearDown(void)
{
    wfsm_store_free(acme);
    wfsm_store_free(beta);
    wfsm_error_free(error);
}

/* A number that stands for all that acme has. */
static long long digest(void)
{
    char sql[2000] = "SELECT 0", table[40];
    const char *at = WF_PG_TABLES;

    while (*at) {
        size_t length = strcspn(at, ","), used = strlen(sql);

        snprintf(table, sizeof table, "%.*s", (int)length, at);
        snprintf(sql + used, sizeof sql - used,
                 " + (SELECT coalesce(sum(hashtext(t::text)::bigint), 0) FROM wfsm.%s AS t"
                 " WHERE namespace = 'acme')",
                 table);
        at += length + (at[length] == ',');
    }
    return server_number(sql);
}

/* ---- calls of the store ---- */

static int32_t count_row(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(int *)user;
    return WFSM_OK;
}

static void reads_find_nothing(void)
{
    wfsm_head head = {.size = sizeof head};
    const wfsm_query all = {.size = sizeof all};
    wfsm_changes changes = {.size = sizeof changes, .session = "me"};
    int rows = 0;
    int32_t seen = 0;

    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_head(beta, "a", &head, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_records(beta, "a", 0, 9, count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_snapshot(beta, "a", NULL, count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_snapshot(beta, "a", "point", count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_anchor(beta, "a", count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_checkpoints(beta, "a", count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_document(beta, "print", count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_seen(beta, "a", "id", &seen, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_inbox(beta, "a", 9, count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_inbox(beta, NULL, 9, count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_list(beta, &all, count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_lapsed(beta, 5000, count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_changes(beta, &changes, count_row, &rows, error));
    TEST_ASSERT_EQUAL_INT(0, rows);
}

static void requests_find_nothing(void)
{
    enum { KINDS = WFSM_REQUEST_LOAD };
    wfsm_request list[KINDS];
    const wfsm_request *requests[KINDS];
    int32_t answers[KINDS];
    int rows = 0;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "me",
                              .now = 5,
                              .requests = requests,
                              .request_count = 1,
                              .request_answers = answers,
                              .inbox = 1,
                              .sink = count_row,
                              .user = &rows};

    for (int kind = 1; kind <= KINDS; kind++) {
        list[0] = (wfsm_request){
            .size = sizeof *list, .instance = "a", .number = 1, .kind = kind, .gives_up = 0};
        requests[0] = &list[0];
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_exchange(beta, &exchange, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, answers[0]);
    }
    TEST_ASSERT_EQUAL_INT(0, rows);
}

static void writes_change_nothing(void)
{
    long long before = digest();
    wfsm_commit next = commit_of("a", 2), first = commit_of("a", 0);

    next.owner = first.owner = "me";
    expect_commit(beta, &next, WFSM_NOT_FOUND);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_post(beta, "a", "go", "other", "{}", 2, 3, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_acknowledge(beta, "a", 1, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_own(beta, "a", "you", 5000, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_disown(beta, "a", "me", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_cut(beta, "a", 2, "{}", 2, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(beta, "a", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove_owner(beta, "me", error));
    /* The names of one tenant mean nothing to another. */
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(beta, "me", 0, 1, 9, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_owner_alive(beta, "me", 0, error));
    expect_commit(beta, &first, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_post(beta, "a", "go", "id", "{}", 2, 3, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(beta, "a", error));
    TEST_ASSERT_EQUAL_INT64(before, digest());
}

/* ---- SQL ---- */

static void ignore(void *user, const char *text)
{
    (void)user, (void)text;
}

static PGconn *connect_as(const char *role)
{
    char words[40];
    PGconn *connection;

    snprintf(words, sizeof words, "user=%s", role);
    connection = PQconnectdb(address_with(words));
    TEST_ASSERT_EQUAL_INT(CONNECTION_OK, PQstatus(connection));
    PQsetNoticeProcessor(connection, ignore, NULL);
    return connection;
}

/* The SQLSTATE of an error; otherwise the first value, or how many rows were written. */
static const char *outcome(PGconn *connection, const char *sql)
{
    static char text[100];
    PGresult *result = PQexec(connection, sql);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    if (PQresultStatus(result) == PGRES_COPY_OUT) {
        char *row = NULL;

        strcpy(text, PQgetCopyData(connection, &row, 0) < 0 ? "no rows" : "rows");
        PQfreemem(row);
    } else if (state) {
        snprintf(text, sizeof text, "%s", state);
    } else {
        snprintf(text, sizeof text, "%s",
                 PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : PQcmdTuples(result));
    }
    PQclear(result);
    while ((result = PQgetResult(connection)))
        PQclear(result);
    return text;
}

typedef struct attempt {
    const char *sql, *outcome;
} attempt;

/* Where # is the name of a table. */
static const attempt on_each_table[] = {
    {"SELECT count(*) FROM wfsm.#", "0"},
    {"SELECT count(*) FROM wfsm.# WHERE namespace = 'acme'", "0"},
    {"SELECT count(*) FROM (SELECT 1 FROM wfsm.# FOR UPDATE) AS t", "0"},
    {"SELECT count(*) FROM (SELECT 1 FROM wfsm.# FOR KEY SHARE) AS t", "0"},
    {"UPDATE wfsm.# SET namespace = 'beta'", "0"},
    {"UPDATE wfsm.# SET namespace = 'beta' WHERE namespace = 'acme'", "0"},
    {"DELETE FROM wfsm.#", "0"},
    {"DELETE FROM wfsm.# WHERE namespace = 'acme' AND length(namespace) / 0 = 1", "0"},
    {"COPY wfsm.# TO STDOUT", "no rows"},
    {"COPY wfsm.# (namespace) FROM STDIN", "0A000"},
    {"TRUNCATE wfsm.#", "42501"},
    {"TRUNCATE wfsm.# RESTART IDENTITY CASCADE", "42501"},
    {"ALTER TABLE wfsm.# DISABLE ROW LEVEL SECURITY", "42501"},
    {"CREATE POLICY mine ON wfsm.# USING (true)", "42501"},
    {"DROP POLICY tenant ON wfsm.#", "42501"},
    {"DROP TABLE wfsm.#", "42501"},
    {"VACUUM FULL wfsm.#", ""},
    {"CREATE INDEX mine ON wfsm.# (namespace)", "42501"},
    {"SET LOCAL row_security = off; SELECT count(*) FROM wfsm.#", "42501"},
    {"SELECT count(*) FROM pg_stats WHERE schemaname = 'wfsm' AND tablename = '#'", "0"},
};

static const attempt others[] = {
    {"SELECT count(*) FROM wfsm.tenant WHERE role <> 'beta'", "0"},
    {"INSERT INTO wfsm.tenant VALUES ('beta', 'acme')", "42501"},
    {"UPDATE wfsm.tenant SET namespace = 'acme'", "42501"},
    {"DELETE FROM wfsm.tenant", "42501"},
    {"UPDATE wfsm.version SET number = 9", "42501"},
    {"DELETE FROM wfsm.version", "42501"},
    {"SET ROLE acme", "42501"},
    {"SET ROLE wfsm", "42501"},
    {"SET SESSION AUTHORIZATION acme", "42501"},
    {"CREATE TABLE wfsm.mine (x int)", "42501"},
    {"CREATE FUNCTION wfsm.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", "42501"},
    {"DROP SCHEMA wfsm CASCADE", "42501"},
    {"SELECT last_value FROM wfsm.post_number_seq", "42501"},
    {"SELECT setval('wfsm.post_number_seq', 1)", "42501"},
    {"SELECT nextval('wfsm.post_number_seq')", "42501"},
    /* Rows of one's own, for acme. */
    {"INSERT INTO wfsm.session VALUES ('acme', 'mine', 1, 1, 0)", "42501"},
    {"INSERT INTO wfsm.session VALUES ('acme', 'me', 1, 1, 0)", "42501"},
    {"INSERT INTO wfsm.session VALUES ('acme', 'me', 1, 1, 0) ON CONFLICT (namespace, name)"
     " DO UPDATE SET until = 0",
     "42501"},
    {"INSERT INTO wfsm.session VALUES ('acme', 'me', 1, 1, 0) ON CONFLICT DO NOTHING", "42501"},
    {"INSERT INTO wfsm.record VALUES ('acme', 'a', 1, 1, 'e', '{}')", "42501"},
    {"INSERT INTO wfsm.snapshot VALUES ('acme', 'a', 1, 1, 1, '{}')", "42501"},
    {"INSERT INTO wfsm.checkpoint VALUES ('acme', 'a', 'point', 1, 1, '[]', '{}')", "42501"},
    {"INSERT INTO wfsm.document VALUES ('acme', 'print', '{}')", "42501"},
    {"INSERT INTO wfsm.due VALUES ('acme', 'a', 1)", "42501"},
    {"INSERT INTO wfsm.post (namespace, instance, owner, name, data, now, kind, interface)"
     " VALUES ('acme', 'a', 'me', 'go', '{}', 1, 0, 1)",
     "42501"},
    {"INSERT INTO wfsm.head (namespace, instance, revision, epoch, token, owner, tags, effects,"
     " acknowledged, status, created, updated, first, snapshot, machine, fingerprint)"
     " VALUES ('acme', 'b', 1, 0, '', '', '', 0, 0, 1, 0, 0, 1, 1, '', '')",
     "42501"},
    {"MERGE INTO wfsm.due AS d USING (VALUES ('acme', 'a', 1)) AS v (namespace, instance,"
     " deadline) ON d.namespace = v.namespace WHEN MATCHED THEN DELETE"
     " WHEN NOT MATCHED THEN INSERT VALUES (v.namespace, v.instance, v.deadline)",
     "42501"},
    {"INSERT INTO wfsm.session VALUES ('beta', 'mine', 1, 1, 0)", "1"},
    {"UPDATE wfsm.session SET namespace = 'acme' WHERE name = 'mine'", "42501"},
    {"DELETE FROM wfsm.session", "1"},
};

static void expect(PGconn *connection, const attempt *made, const char *table)
{
    char sql[600], *to = sql;

    for (const char *at = made->sql; *at; at++)
        if (*at == '#')
            to += sprintf(to, "%s", table);
        else
            *to++ = *at;
    *to = '\0';
    TEST_ASSERT_EQUAL_STRING_MESSAGE(made->outcome, outcome(connection, sql), sql);
}

static void try_table(PGconn *connection, const char *table)
{
    for (size_t i = 0; i < sizeof on_each_table / sizeof *on_each_table; i++)
        expect(connection, &on_each_table[i], table);
}

static void try_all(const char *role)
{
    PGconn *connection = connect_as(role);
    const char *at = WF_PG_TABLES;
    char table[40];

    while (*at) {
        size_t length = strcspn(at, ",");

        snprintf(table, sizeof table, "%.*s", (int)length, at);
        try_table(connection, table);
        at += length + (at[length] == ',');
    }
    PQfinish(connection);
}

static void sql_reaches_nothing(void)
{
    long long before = digest();
    PGconn *connection = connect_as("beta");

    TEST_ASSERT_TRUE(before != 0);
    try_all("beta");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect(connection, &others[i], "");
    PQfinish(connection);
    TEST_ASSERT_EQUAL_INT64(before, digest());
}

/* A function that tells what it is given does not get rows that row security hides. */
static void functions_see_nothing(void)
{
    static const attempt attempts[] = {
        {"CREATE FUNCTION pg_temp.tell(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS"
         " 'BEGIN RAISE EXCEPTION ''%'', $1; END'",
         ""},
        {"SELECT count(*) FROM wfsm.record WHERE pg_temp.tell(text)", "0"},
        {"DROP FUNCTION pg_temp.tell(text)", ""},
    };
    PGconn *connection = connect_as("beta");

    PQclear(PQexec(connection, "BEGIN"));
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        expect(connection, &attempts[i], "");
    PQclear(PQexec(connection, "ROLLBACK"));
    PQfinish(connection);
}

/* What was granted by mistake does not help, but for TRUNCATE, which row security does not cover. */
static void too_many_rights_do_not_help(void)
{
    static const attempt attempts[] = {
        {"INSERT INTO wfsm.tenant VALUES ('zero', 'acme')", "42501"},
        {"UPDATE wfsm.tenant SET namespace = 'acme'", "0"},
        {"DELETE FROM wfsm.tenant", "0"},
        {"UPDATE wfsm.version SET number = 9", "0"},
        {"INSERT INTO wfsm.version VALUES (9)", "42501"},
        {"SELECT count(*) FROM wfsm.head WHERE namespace = 'acme'", "0"},
    };
    PGconn *connection = connect_as("beta");

    server_run("GRANT ALL ON ALL TABLES IN SCHEMA wfsm TO beta");
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        expect(connection, &attempts[i], "");
    server_run("REVOKE ALL ON ALL TABLES IN SCHEMA wfsm FROM beta");
    PQfinish(connection);
    wfsm_store_free(beta);
    beta = NULL;
}

/* ---- roles ---- */

static void refused(const char *role, const char *tenant, int32_t status, const char *words)
{
    char user[40];
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = tenant};
    wfsm_store *store = NULL;

    snprintf(user, sizeof user, "user=%s", role);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        status, wfsm_postgres_open(&store, address_with(user), &options, NULL, error),
        wfsm_error_message(error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), words),
                                 wfsm_error_message(error));
}

static void a_role_has_one_namespace(void)
{
    refused("beta", "acme", WFSM_DENIED,
            "the role \"beta\" has the namespace \"beta\", and may not use \"acme\"");
    refused("beta", "default", WFSM_DENIED, "\"default\"");
    server_run("CREATE ROLE gone LOGIN");
    refused("gone", NULL, WFSM_DENIED, "permission denied");
    server_run("GRANT USAGE ON SCHEMA wfsm TO gone;"
               " GRANT SELECT ON ALL TABLES IN SCHEMA wfsm TO gone");
    refused("gone", NULL, WFSM_DENIED, "the role \"gone\" has no namespace");
    refused("gone", "acme", WFSM_DENIED, "`wfsm store tenant`");
    server_run("DROP OWNED BY gone; DROP ROLE gone");
}

static void not_made(const char *role, const char *tenant, int32_t status, const char *words)
{
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = tenant};

    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        status, wfsm_postgres_tenant(server_address(), &options, role, error),
        wfsm_error_message(error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), words),
                                 wfsm_error_message(error));
}

static void wrong_tenants(void)
{
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = "beta"};

    not_made("nobody", "x", WFSM_NOT_FOUND, "there is no role \"nobody\"");
    not_made("beta", "acme", WFSM_EXISTS, "has the namespace \"beta\" already");
    not_made("wfsm", "x", WFSM_DENIED, "owner of the tables");
    not_made("beta", NULL, WFSM_INVALID, "namespace");
    not_made(NULL, "x", WFSM_INVALID, "role");
    not_made("", "x", WFSM_INVALID, "role");
    server_run("CREATE ROLE sees BYPASSRLS");
    not_made("sees", "x", WFSM_DENIED, "bypasses row security");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_postgres_tenant(server_address(), &options, "beta", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wfsm_postgres_tenant(server_address_with("user=acme"),
                                                              &options, "beta", error));
    server_run("DROP ROLE sees");
}

static void names_are_quoted(void)
{
    const char *role = "o'b\"r\\i@#en", *tenant = "n'a\\m\"e";
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = tenant};
    char text[2000];
    size_t length = wfsm_postgres_tenant_sql(NULL, tenant, role, text, sizeof text);

    TEST_ASSERT_EQUAL_size_t(length, strlen(text));
    TEST_ASSERT_EQUAL_size_t(length, wfsm_postgres_tenant_sql(NULL, tenant, role, NULL, 0));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_postgres_tenant_sql("", tenant, role, text, 9));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_postgres_tenant_sql(NULL, "", role, text, 9));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_postgres_tenant_sql(NULL, NULL, role, text, 9));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_postgres_tenant_sql(NULL, tenant, NULL, text, 9));
    TEST_ASSERT_EQUAL_STRING("", text);
    server_run("CREATE ROLE \"o'b\"\"r\\i@#en\"");
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_postgres_tenant(server_address(), &options, role, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT64(
        1, server_number("SELECT count(*) FROM wfsm.tenant"
                         " WHERE role = E'o''b\"r\\\\i@#en' AND namespace = E'n''a\\\\m\"e'"));
    server_run("DELETE FROM wfsm.tenant WHERE role LIKE 'o%'");
    server_run("DROP OWNED BY \"o'b\"\"r\\i@#en\"; DROP ROLE \"o'b\"\"r\\i@#en\"");
}

int main(int count, char **arguments)
{
    if (!server_start())
        return 77;
    if (count > 1 && strcmp(arguments[1], "pool") == 0) {
        if (!pool_start())
            return 77;
        address_with = pool_address_with;
    }
    wfsm_store_free(server_open(server_address(), "default"));
    server_tenant("acme");
    server_tenant("beta");
    UNITY_BEGIN();
    RUN_TEST(reads_find_nothing);
    RUN_TEST(requests_find_nothing);
    RUN_TEST(writes_change_nothing);
    RUN_TEST(sql_reaches_nothing);
    RUN_TEST(functions_see_nothing);
    RUN_TEST(a_role_has_one_namespace);
    RUN_TEST(wrong_tenants);
    RUN_TEST(names_are_quoted);
    RUN_TEST(too_many_rights_do_not_help);
    return UNITY_END() != 0;
}
