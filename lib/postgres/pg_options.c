/* postgres/pg_options.c: a handle, made of its options. */
#include "pg.h"

#include "../base/sized.h"

#include <string.h>
#include <time.h>

enum { CONNECT_MS = 10000, ANSWER_MS = 30000, MOST_MS = 3600000, TENANT_BYTES = 255 };

/* A password does not stay in memory. */
static void wipe(const wf_pg *db, char *text)
{
    volatile char *at = text;

    for (size_t i = text ? strlen(text) : 0; i > 0; i--)
        *at++ = 0;
    wf_pg_give(db, text);
}

void wf_pg_close(void *self)
{
    wf_pg *db = self, copy;

    wf_pg_listen_close(db);
    PQclear(db->kept);
    wf_pg_disconnect(db);
    for (int i = 0; i < WF_PG_COUNT; i++)
        wf_pg_give(db, db->sql[i]);
    for (int i = 0; i < WF_PG_PARTS; i++)
        wf_pg_give(db, db->parts[i]);
    wf_pg_give(db, db->epochs.list);
    wf_pg_give(db, db->doubts.list);
    for (int i = 0; i < 3; i++)
        wf_pg_give(db, db->hosts[i]);
    wf_pg_give(db, db->schema);
    wf_pg_give(db, db->tenant);
    wipe(db, db->secret);
    wipe(db, db->address);
    wipe(db, db->listener.address);
    copy = *db;
    wf_pg_give(&copy, db);
}

static int32_t invalid(wfsm_error *error, const char *message)
{
    if (error)
        wfsm_error_set(error, WFSM_INVALID, message);
    return WFSM_INVALID;
}

static bool is_time(int32_t ms)
{
    return ms > 0 && ms <= MOST_MS;
}

static bool is_flag(int32_t flag)
{
    return (flag | 1) == 1;
}

static bool is_tenant(const char *name)
{
    return !name || (*name && strlen(name) <= TENANT_BYTES);
}

static bool read_options(wfsm_postgres_options *out, const wfsm_postgres_options *given)
{
    char quoted[WF_PG_QUOTED];

    *out = (wfsm_postgres_options){.size = sizeof *out};
    if (given && !wf_struct_check(out, sizeof *out, given, sizeof given->size))
        return false;
    out->connect_ms = out->connect_ms ? out->connect_ms : CONNECT_MS;
    out->answer_ms = out->answer_ms ? out->answer_ms : ANSWER_MS;
    return (!out->schema || wf_pg_quote(out->schema, quoted)) && is_tenant(out->tenant) &&
           is_time(out->connect_ms) && is_time(out->answer_ms) && is_flag(out->clock) &&
           is_flag(out->create) && is_flag(out->allow_unsafe) && is_flag(out->listen);
}

static bool complete(const wfsm_allocator *allocator)
{
    return !allocator || (wf_struct_fits(allocator, sizeof *allocator, sizeof *allocator) &&
                          allocator->allocate && allocator->resize && allocator->release);
}

/* Writes a statement with the schema in place of "@"; `to` NULL: only counts. */
static size_t expand_to(char *to, const char *text, const char *quoted)
{
    size_t length = strlen(quoted), used = 0;

    for (const char *at = text; *at; at++) {
        bool schema = *at == '@';

        if (to)
            memcpy(to + used, schema ? quoted : at, schema ? length : 1);
        used += schema ? length : 1;
        if (schema && to)
            to[used] = '.';
        used += schema;
    }
    return used;
}

static char *expand(const wf_pg *db, const char *text, const char *quoted)
{
    size_t bytes = expand_to(NULL, text, quoted);
    char *out = wf_pg_take(db, bytes + 1);

    if (!out)
        return NULL;
    expand_to(out, text, quoted);
    out[bytes] = '\0';
    return out;
}

static bool expand_all(wf_pg *db)
{
    char quoted[WF_PG_QUOTED];
    bool fine = wf_pg_quote(db->schema, quoted);

    for (int i = 0; i < WF_PG_COUNT && fine; i++)
        fine = (db->sql[i] = expand(db, wf_pg_sql_texts[i], quoted)) != NULL;
    for (int i = 0; i < WF_PG_PARTS && fine; i++)
        fine = (db->parts[i] = expand(db, wf_pg_sql_parts[i], quoted)) != NULL;
    return fine;
}

/* What the address says takes the place of an option that is not given. */
static bool merge(const char **option, const char *value)
{
    bool fine = !*option || *value == '\0' || strcmp(*option, value) == 0;

    *option = *option || *value == '\0' ? *option : value;
    return fine;
}

static int32_t read_parameters(wf_pg *db, const char *address, wf_pg_parameters *found,
                               wfsm_postgres_options *options, wfsm_error *error)
{
    db->address = wf_pg_copy(db, address);
    if (!db->address)
        return wf_pg_no_memory(error);
    if (!wf_pg_parameters_take(address, db->address, found))
        return invalid(error,
                       "a parameter of the address is wrong: of those that begin with "
                       "wfsm_ there are wfsm_schema, with 1 to 63 bytes, "
                       "wfsm_namespace, with 1 to 255, and wfsm_listen, which is 0 or 1");
    if (!merge(&options->schema, found->schema) || !merge(&options->tenant, found->tenant))
        return invalid(error, "the address names another schema or namespace than the options");
    options->schema = options->schema ? options->schema : "wfsm";
    options->listen = options->listen || *found->listen == '1';
    return WFSM_OK;
}

static bool copy_options(wf_pg *db, const wfsm_postgres_options *options)
{
    db->host_clock = options->clock == WFSM_POSTGRES_HOST_CLOCK;
    db->allow_unsafe = options->allow_unsafe;
    db->connect_ms = options->connect_ms;
    db->answer_ms = options->answer_ms;
    db->listens = options->listen;
    if (options->listen_address &&
        !(db->listener.address = wf_pg_copy(db, options->listen_address)))
        return false;
    db->schema = wf_pg_copy(db, options->schema);
    db->tenant = options->tenant ? wf_pg_copy(db, options->tenant) : NULL;
    return db->schema && (db->tenant || !options->tenant) && expand_all(db);
}

/* Different in every handle: for pauses only. */
static uint64_t seed(const wf_pg *db)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_nsec << 20 ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)db) | 1;
}

int32_t wf_pg_make(wf_pg **made, const char *address, const wfsm_postgres_options *options,
                   const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_postgres_options checked;
    wf_pg_parameters found;
    wf_pg blank = {.listener = {.events = -1, .timer = -1, .socket = -1}}, *db;
    int32_t status;

    if (!address || !*address)
        return invalid(error, "the address of a server is needed");
    if (!read_options(&checked, options))
        return invalid(error, "the options of the PostgreSQL store are of a wrong size, or a "
                              "member is out of its range");
    if (!complete(allocator))
        return invalid(error, "the allocator is not complete");
    if (allocator)
        blank.allocator = *allocator;
    db = wf_pg_take(&blank, sizeof *db);
    if (!db)
        return wf_pg_no_memory(error);
    *db = blank;
    db->random = seed(db);
    status = read_parameters(db, address, &found, &checked, error);
    if (status == WFSM_OK && !copy_options(db, &checked))
        status = wf_pg_no_memory(error);
    if (status == WFSM_OK)
        status = wf_pg_read_address(db, error);
    if (status != WFSM_OK)
        wf_pg_close(db);
    else
        *made = db;
    return status;
}
