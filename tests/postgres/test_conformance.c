/* The PostgreSQL store passes the suite for stores; with "pool", through pgbouncer in transaction mode; with
 * "tenants", as two roles that have a namespace each; with "plans", no statement reads a table without an
 * index. */
#include "postgres/server.h"
#include "store/conformance.h"

#include "pg_sql.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>

static const char *(*address_with)(const char *words) = server_address_with;
static bool as_tenants;

void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t open_store(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .tenant = which ? "one" : "zero",
                                           .clock = WFSM_POSTGRES_HOST_CLOCK};
    const char *role = which ? "user=one" : "user=zero";

    (void)user;
    return wfsm_postgres_open(store, address_with(as_tenants ? role : ""), &options, NULL,
                              error);
}

static void wipe(void *user)
{
    (void)user;
    server_wipe();
}

/* ---- plans ---- */

static bool is_listed(const char *table)
{
    char name[64] = ",", all[200] = "," WF_PG_TABLES ",";

    sscanf(table, "%60[a-z]", name + 1);
    return strstr(all, strcat(name, ",")) != NULL;
}

/* An index that is read from its beginning to its end is no better than the table. */
static bool is_bad(const char *line, const char *next)
{
    const char *at = strstr(line, "Seq Scan on ");

    if (at)
        return is_listed(at + strlen("Seq Scan on "));
    return (strstr(line, "Index Scan") || strstr(line, "Index Only Scan")) &&
           strstr(line, "rows=") && !strstr(line, "on version ") && !strstr(line, "on pg_") &&
           !strstr(next, "Index Cond:");
}

/* The statement that compares the columns reads no row. */
static int check_plans(void)
{
    static char lines[2][100000];
    FILE *log = fopen(server_log(), "r");
    int plans = 0, bad = 0;
    bool reads = true;

    for (int i = 0; log && fgets(lines[i & 1], sizeof *lines, log); i++) {
        const char *line = lines[~i & 1], *next = lines[i & 1];

        plans += strstr(line, " plan:") != NULL;
        if (strstr(line, "Query Text:"))
            reads = !strstr(line, "LIMIT 0");
        if (reads && is_bad(line, next) && ++bad < 10)
            fprintf(stderr, "%s", line);
    }
    if (log)
        fclose(log);
    printf("%d plans, %d of them bad\n", plans, bad);
    return plans < 1000 || bad > 0;
}

/* ---- the program ---- */

static bool has_word(int count, char **arguments, const char *word)
{
    bool found = false;

    for (int i = 1; i < count; i++)
        found = found || strcmp(arguments[i], word) == 0;
    return found;
}

int main(int count, char **arguments)
{
    const wfsm_testkit_store_options store = {
        .size = sizeof store, .open = open_store, .wipe = wipe, .durable = 1};
    int failed;

    if (!server_start())
        return 77;
    as_tenants = has_word(count, arguments, "tenants");
    if (has_word(count, arguments, "pool")) {
        if (!pool_start())
            return 77;
        address_with = pool_address_with;
    }
    wfsm_store_free(server_open(address_with(""), "zero"));
    if (as_tenants) {
        server_tenant("zero");
        server_tenant("one");
    }
    if (has_word(count, arguments, "plans") && !server_log_plans())
        return 77;
    failed = conformance_run(&store, 52);
    return has_word(count, arguments, "plans") ? check_plans() || failed : failed;
}
