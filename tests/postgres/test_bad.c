/* What cannot work gives a clear error, and no message has a password. */
#include "postgres/server.h"
#include "store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

static wfsm_error *error;

void setUp(void)
{
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wfsm_error_free(error);
}

static void refused(const char *address, const wfsm_postgres_options *options, int32_t status,
                    const char *words)
{
    wfsm_store *store = NULL;

    TEST_ASSERT_EQUAL_STRING_MESSAGE(
        wfsm_status_name(status),
        wfsm_status_name(wfsm_postgres_open(&store, address, options, NULL, error)),
        wfsm_error_message(error));
    TEST_ASSERT_NULL(store);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), words),
                                 wfsm_error_message(error));
    TEST_ASSERT_NULL_MESSAGE(strstr(wfsm_error_message(error), "hunter2"),
                             wfsm_error_message(error));
}

static void wrong_addresses(void)
{
    refused(NULL, NULL, WFSM_INVALID, "address");
    refused("", NULL, WFSM_INVALID, "address");
    refused("postgres://me:hunter2%zz@/x", NULL, WFSM_INVALID, "libpq understands");
    refused("host=/nowhere password=hunter2 nonsense=1", NULL, WFSM_INVALID, "libpq");
    refused("host=/nowhere password=hunter2", NULL, WFSM_IO, "/nowhere");
    refused("postgres://me:hunter2@127.0.0.1:1/x", NULL, WFSM_IO, "127.0.0.1:1");
    refused(server_address_with("dbname=nothing password=hunter2"), NULL, WFSM_IO, "nothing");
}

static void parameter(const char *address, const char *schema, const char *tenant)
{
    char value[300];

    wfsm_postgres_parameter(address, "wfsm_schema", value, sizeof value);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(schema, value, address);
    wfsm_postgres_parameter(address, "wfsm_namespace", value, sizeof value);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(tenant, value, address);
}

static void parameters_of_wfsm(void)
{
    wfsm_postgres_options options = {.size = sizeof options, .schema = "a"};
    char value[4] = "";

    parameter("postgres://h/d?wfsm_schema=a&wfsm_namespace=b", "a", "b");
    parameter("postgres://h/d?wfsm_listen=1&wfsm_namespace=b", "", "b");
    parameter("postgres://h/d?wfsm_listen=2&wfsm_namespace=b", "", "");
    parameter("postgres://h/d?wfsm_listen=1&wfsm_listen=1&wfsm_namespace=b", "", "");
    parameter("postgresql://h/d?sslmode=prefer&wfsm_namespace=%62%4A", "", "bJ");
    parameter("postgres://u:p?wfsm_schema=x@h/d?wfsm_schema=a", "a", "");
    parameter("postgres://h/d", "", "");
    parameter("postgres://h?wfsm_schema=a", "a", "");
    parameter("host=h?wfsm_schema=a", "", "");
    parameter("", "", "");
    TEST_ASSERT_EQUAL_size_t(0, wfsm_postgres_parameter(NULL, "wfsm_schema", value, 4));
    TEST_ASSERT_EQUAL_size_t(
        6, wfsm_postgres_parameter("postgres://h?wfsm_schema=abcdef", "wfsm_schema", value, 4));
    TEST_ASSERT_EQUAL_STRING("abc", value);
    refused("postgres://me:hunter2@h/d?wfsm_schema=b", &options, WFSM_INVALID,
            "another schema");
    refused("postgres://me:hunter2@h/d?wfsm_nothing=b", NULL, WFSM_INVALID,
            "wfsm_schema, with");
}

static void wrong_passwords(void)
{
    server_run("CREATE ROLE guarded LOGIN PASSWORD 'secret'");
    refused(server_address_with("user=guarded password=hunter2"), NULL, WFSM_IO, "guarded");
    refused(server_address_with("user=guarded"), NULL, WFSM_IO, "password");
    refused(server_address_with("user=stranger password=hunter2"), NULL, WFSM_IO, "stranger");
    refused(server_address_with("user=guarded password=secret"), NULL, WFSM_NOT_FOUND,
            "tables");
}

/* The first one that can be written is taken. */
static void several_hosts(void)
{
    char folder[200], address[400];
    wfsm_store *store = NULL;

    sscanf(server_address(), "host=%199s", folder);
    snprintf(address, sizeof address, "host=/nowhere,%s,/elsewhere dbname=postgres user=wfsm",
             folder);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_postgres_open(&store, address, NULL, NULL, error));
    refused("host=/nowhere,/elsewhere dbname=x", NULL, WFSM_IO, "/elsewhere");
    refused("host=/a,/b,/c port=1,2 dbname=x", NULL, WFSM_IO, "/c");
}

static void wrong_options(void)
{
    wfsm_postgres_options options = {.size = 3};

    refused(server_address(), &options, WFSM_INVALID, "options");
    options = (wfsm_postgres_options){.size = sizeof options, .schema = ""};
    refused(server_address(), &options, WFSM_INVALID, "options");
    options = (wfsm_postgres_options){.size = sizeof options, .tenant = ""};
    refused(server_address(), &options, WFSM_INVALID, "options");
    options = (wfsm_postgres_options){.size = sizeof options, .clock = 2};
    refused(server_address(), &options, WFSM_INVALID, "options");
    options = (wfsm_postgres_options){.size = sizeof options, .answer_ms = -1};
    refused(server_address(), &options, WFSM_INVALID, "options");
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_postgres_open(NULL, server_address(), NULL, NULL, error));
}

static void no_tables(void)
{
    const wfsm_postgres_options options = {.size = sizeof options, .schema = "odd \" name"};

    refused(server_address(), NULL, WFSM_NOT_FOUND, "wfsm store init");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_postgres_init(server_address(), &options, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_postgres_init(server_address(), &options, error));
    TEST_ASSERT_EQUAL_INT64(1, server_number("SELECT number FROM \"odd \"\" name\".version"));
}

/* Several programs that were started at the same time. */
static void tables_are_made_once(void)
{
    enum { PROCESSES = 6 };
    int status, fine = 0;

    server_run("SET client_min_messages = warning");
    server_run("DROP SCHEMA IF EXISTS wfsm CASCADE");
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            server_forget();
            _exit(wfsm_postgres_init(server_address(), NULL, NULL) == WFSM_OK ? 0 : 1);
        }
    for (int i = 0; i < PROCESSES; i++)
        fine += wait(&status) > 0 && status == 0;
    TEST_ASSERT_EQUAL_INT(PROCESSES, fine);
    TEST_ASSERT_EQUAL_INT64(1, server_number("SELECT count(*) FROM wfsm.version"));
}

static void make_tables(void)
{
    server_run("SET client_min_messages = warning");
    server_run("DROP SCHEMA IF EXISTS wfsm CASCADE");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_postgres_init(server_address(), NULL, error));
}

/* What is done to the tables, and what the error says then. */
typedef struct damage {
    const char *sql;
    int32_t status;
    const char *words;
} damage;

static void refused_after(const damage *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        make_tables();
        server_run(list[i].sql);
        refused(server_address(), NULL, list[i].status, list[i].words);
    }
}

static void other_tables(void)
{
    static const damage list[] = {
        {"UPDATE wfsm.version SET number = 9", WFSM_VERSION, "newer"},
        {"DELETE FROM wfsm.version", WFSM_CORRUPT, "version"},
        {"ALTER TABLE wfsm.head DROP COLUMN tags", WFSM_CORRUPT, "tags"},
        {"DROP TABLE wfsm.due", WFSM_CORRUPT, "due"},
    };

    refused_after(list, sizeof list / sizeof *list);
}

static void other_row_security(void)
{
    static const damage list[] = {
        {"ALTER TABLE wfsm.record DISABLE ROW LEVEL SECURITY", WFSM_CORRUPT,
         "row security of the table \"record\""},
        {"CREATE POLICY more ON wfsm.post USING (true)", WFSM_CORRUPT, "\"post\""},
        {"ALTER POLICY tenant ON wfsm.due USING (true)", WFSM_CORRUPT, "\"due\""},
        {"ALTER POLICY tenant ON wfsm.session WITH CHECK (true)", WFSM_CORRUPT, "\"session\""},
        {"DROP POLICY tenant ON wfsm.head", WFSM_CORRUPT, "\"head\""},
    };

    refused_after(list, sizeof list / sizeof *list);
}

/* A table that is added later is not forgotten. */
static void each_table_has_row_security(void)
{
    make_tables();
    TEST_ASSERT_EQUAL_INT64(
        0,
        server_number("SELECT count(*) FROM pg_class WHERE relnamespace = 'wfsm'::regnamespace"
                      " AND relkind IN ('r', 'p') AND NOT relrowsecurity"));
}

/* While it is in use. */
static void tables_that_change(void)
{
    wfsm_store *store = NULL;
    wfsm_commit commit = commit_of("a", 0);
    const wfsm_commit *list[] = {&commit};
    wfsm_head head = {.size = sizeof head};
    int32_t answer;

    make_tables();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_postgres_open(&store, server_address(), NULL, NULL, error));
    server_run("ALTER TABLE wfsm.head RENAME COLUMN tags TO labels");
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, wfsm_store_commit(store, list, 1, &answer, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "tags"));
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, wfsm_store_head(store, "a", &head, error));
    server_run("ALTER TABLE wfsm.head RENAME COLUMN labels TO tags");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, list, 1, &answer, error));
    server_run(
        "REVOKE ALL ON wfsm.record FROM wfsm; CREATE ROLE reader LOGIN;"
        " GRANT USAGE ON SCHEMA wfsm TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA wfsm"
        " TO reader; INSERT INTO wfsm.tenant VALUES ('reader', 'default')");
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_postgres_open(&store, server_address_with("user=reader"), NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, error));
    commit.base = 1;
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wfsm_store_commit(store, list, 1, &answer, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "right"));
    wfsm_store_free(store);
}

/* A newer release may have changed the tables while the server was down. */
static void tables_that_are_newer_after_a_restart(void)
{
    wfsm_store *store = NULL;
    wfsm_commit commit = commit_of("a", 0);
    const wfsm_commit *list[] = {&commit};
    wfsm_head head = {.size = sizeof head};
    int32_t answer;

    make_tables();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_postgres_open(&store, server_address(), NULL, NULL, error));
    server_run("UPDATE wfsm.version SET number = 9");
    server_end_sessions();
    TEST_ASSERT_EQUAL_INT32(WFSM_VERSION, wfsm_store_commit(store, list, 1, &answer, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_VERSION, answer);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "have version 9, which a newer"));
    TEST_ASSERT_EQUAL_INT32(WFSM_VERSION, wfsm_store_head(store, "a", &head, error));
    server_run("UPDATE wfsm.version SET number = 1");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, list, 1, &answer, error));
    wfsm_store_free(store);
}

/* Without sync, what was acknowledged may be gone after a power cut. */
static void servers_that_lose(void)
{
    const wfsm_postgres_options options = {.size = sizeof options, .allow_unsafe = 1};
    wfsm_store *store = NULL;

    make_tables();
    server_run("ALTER ROLE wfsm SET synchronous_commit = off");
    refused(server_address(), NULL, WFSM_DENIED, "synchronous_commit = off");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_postgres_open(&store, server_address(), &options, NULL, error));
    wfsm_store_free(store);
    server_run("ALTER ROLE wfsm RESET synchronous_commit");
    server_run("ALTER ROLE wfsm SET default_transaction_read_only = on");
    refused(server_address(), NULL, WFSM_IO, "read-only");
    refused(server_address_with("target_session_attrs=any"), NULL, WFSM_DENIED, "read-only");
    server_run("ALTER ROLE wfsm RESET default_transaction_read_only");
    server_run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    refused(server_address_with("dbname=latin"), NULL, WFSM_INVALID, "UTF8");
}

static void namespaces_have_nothing_in_common(void)
{
    wfsm_store *one, *two;
    wfsm_head head = {.size = sizeof head};

    make_tables();
    one = server_open(server_address(), "one");
    two = server_open(server_address(), "two");
    start_instance(one, "a", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_head(two, "a", &head, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(two, "a", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(one, "a", &head, error));
    wfsm_store_free(one);
    wfsm_store_free(two);
}

static void the_sql_is_what_is_run(void)
{
    char text[16000];
    size_t length = wfsm_postgres_sql("other", text, sizeof text);

    TEST_ASSERT_TRUE(length > 0 && length < sizeof text);
    TEST_ASSERT_EQUAL_size_t(length, strlen(text));
    TEST_ASSERT_EQUAL_size_t(length, wfsm_postgres_sql("other", NULL, 0));
    TEST_ASSERT_EQUAL_size_t(length, wfsm_postgres_sql("other", text, 20));
    TEST_ASSERT_EQUAL_size_t(19, strlen(text));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_postgres_sql("", text, sizeof text));
    wfsm_postgres_sql("other", text, sizeof text);
    server_run(text);
    TEST_ASSERT_EQUAL_INT64(1, server_number("SELECT number FROM other.version"));
}

/* The page of the documentation has the same text, with comments. */
static void the_page_has_the_schema(void)
{
    char text[16000], *page = malloc(1 << 16), *to = page;
    FILE *file = fopen(SCHEMA_PAGE, "r");
    size_t length;
    int comment = 0, last = '\n';

    TEST_ASSERT_NOT_NULL(file);
    length = fread(page, 1, (1 << 16) - 1, file);
    fclose(file);
    page[length] = '\0';
    for (char *at = page; *at; at++) {
        comment = *at == '\n' ? 0 : comment || (at[0] == '-' && at[1] == '-');
        if (comment || (*at == '\n' && last == '\n'))
            continue;
        while (*at == '\n' && to > page && to[-1] == ' ')
            to--;
        *to++ = *at;
        last = *at;
    }
    *to = '\0';
    wfsm_postgres_sql(NULL, text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(page, text));
    free(page);
}

int main(void)
{
    if (!server_start())
        return 77;
    UNITY_BEGIN();
    RUN_TEST(wrong_addresses);
    RUN_TEST(parameters_of_wfsm);
    RUN_TEST(wrong_passwords);
    RUN_TEST(several_hosts);
    RUN_TEST(wrong_options);
    RUN_TEST(no_tables);
    RUN_TEST(tables_are_made_once);
    RUN_TEST(other_tables);
    RUN_TEST(other_row_security);
    RUN_TEST(each_table_has_row_security);
    RUN_TEST(tables_that_change);
    RUN_TEST(tables_that_are_newer_after_a_restart);
    RUN_TEST(servers_that_lose);
    RUN_TEST(namespaces_have_nothing_in_common);
    RUN_TEST(the_sql_is_what_is_run);
    RUN_TEST(the_page_has_the_schema);
    return UNITY_END() != 0;
}
