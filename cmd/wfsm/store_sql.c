#include "wfsm/store_sql.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include "wfsm/address.h"
#include "wfsm/cli.h"
#include "wfsm/shown.h"
#ifdef WFSM_HAVE_POSTGRES
#include <wfsm/postgres.h>
#endif

/* A new store in a folder of its own; its schema is read from there. */
typedef struct sample {
    char folder[256], path[300];
} sample;

static bool make_sample(sample *self)
{
    const char *asked = getenv("TMPDIR");
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = NULL;
    snprintf(self->folder, sizeof self->folder, "%.200s/wfsm-sql-XXXXXX",
             asked && *asked ? asked : "/tmp");
    bool made = mkdtemp(self->folder) != NULL;
    if (!made)
        cli_say("%s: %s", self->folder, strerror(errno));
    snprintf(self->path, sizeof self->path, "%s/s.db", self->folder);
    bool fine = made && wfsm_sqlite_open(&store, self->path, NULL, NULL, error) == WFSM_OK;
    if (made && !fine)
        cli_say_error(self->path, error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return fine;
}

static void remove_sample(const sample *self)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-seen"};
    char path[320];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", self->path, ends[i]);
        unlink(path);
    }
    rmdir(self->folder);
}

static int print_rows(sqlite3 *file, const char *sql)
{
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(file, sql, -1, &rows, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(rows, 0);
        shown_text(stdout, text ? text : "", text ? strlen(text) : 0);
        shown_fputs(";\n", stdout);
        code = SQLITE_OK;
    }
    sqlite3_finalize(rows);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static bool print_file(const char *path)
{
    sqlite3 *file = NULL;
    int code = sqlite3_open_v2(path, &file, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK)
        code = print_rows(file, "SELECT 'PRAGMA application_id = ' || application_id"
                                " FROM pragma_application_id");
    if (code == SQLITE_OK)
        code = print_rows(file, "SELECT 'PRAGMA user_version = ' || user_version"
                                " FROM pragma_user_version");
    if (code == SQLITE_OK)
        code = print_rows(file, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
                                " AND name NOT LIKE 'sqlite_%' ORDER BY rowid");
    if (code != SQLITE_OK)
        cli_say("%s: %s", path, sqlite3_errmsg(file));
    sqlite3_close(file);
    return code == SQLITE_OK;
}

#ifdef WFSM_HAVE_POSTGRES
/* *schema is NULL if the address has none. */
static bool read_schema(const char *address, char *room, size_t size, const char **schema)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    const char *text;
    bool fine = address_text(address, &text, error) == WFSM_OK;
    if (fine)
        *schema = wfsm_postgres_parameter(text, "wfsm_schema", room, size) > 0 ? room : NULL;
    else
        cli_say_error(address, error);
    wfsm_error_free(error);
    return fine;
}

static bool print_server_sql(const char *address)
{
    char room[64];
    const char *schema;
    if (!read_schema(address, room, sizeof room, &schema))
        return false;
    size_t length = wfsm_postgres_sql(schema, NULL, 0);
    char *sql = cli_need(malloc(length + 1));
    wfsm_postgres_sql(schema, sql, length + 1);
    shown_text(stdout, sql, length);
    free(sql);
    return true;
}

static bool print_tenant_sql(const char *address, const char *role, const char *tenant)
{
    char room[64];
    const char *schema;
    if (!read_schema(address, room, sizeof room, &schema))
        return false;
    size_t length = wfsm_postgres_tenant_sql(schema, tenant, role, NULL, 0);
    char *sql = cli_need(malloc(length + 1));
    wfsm_postgres_tenant_sql(schema, tenant, role, sql, length + 1);
    shown_text(stdout, sql, length);
    free(sql);
    if (length == 0)
        cli_say("%s: a role has 1 to 63 bytes, and a namespace 1 to 255", address);
    return length > 0;
}
#else
static bool without_postgres(const char *address)
{
    cli_say("%s: this wfsm was built without PostgreSQL", address);
    return false;
}

#define print_server_sql(address) without_postgres(address)
#define print_tenant_sql(address, role, tenant) without_postgres(address)
#endif

bool store_print_sql(const char *address)
{
    sample made = {.folder = ""};
    if (!address_is_file(address))
        return print_server_sql(address);
    bool fine = make_sample(&made) && print_file(made.path);
    remove_sample(&made);
    return fine;
}

bool store_print_tenant_sql(const char *address, const char *role, const char *tenant)
{
    if (!address_is_file(address))
        return print_tenant_sql(address, role, tenant);
    cli_say("%s: a file has no roles", address);
    return false;
}
