/* bench/postgres_server.c: see postgres_server.h. The server itself is that of the tests. */
#include "postgres_server.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "postgres/server.h"

static int postmaster;

/* ---- the processor time of its processes ---- */

typedef struct process {
    int pid, parent;
    long long ticks, children; /* children: those that have ended */
} process;

static bool read_process(const char *name, process *out)
{
    char path[300], text[1000];
    long long user, kernel, user_below, kernel_below;
    bool fine = false;

    snprintf(path, sizeof path, "/proc/%s/stat", name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    const char *behind = strrchr(text, ')');
    if (behind)
        fine = sscanf(behind + 1,
                      " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld",
                      &out->parent, &user, &kernel, &user_below, &kernel_below) == 5;
    fclose(file);
    if (fine)
        *out = (process){atoi(name), out->parent, user + kernel, user_below + kernel_below};
    return fine;
}

static int64_t read_busy(void)
{
    long long ticks = 0;
    DIR *all = opendir("/proc");
    process one = {0};

    if (!all)
        bench_fail("/proc", "cannot be read");
    for (struct dirent *entry = readdir(all); entry; entry = readdir(all))
        if (isdigit((unsigned char)*entry->d_name) && read_process(entry->d_name, &one)) {
            if (one.pid == postmaster)
                ticks += one.ticks + one.children;
            else if (one.parent == postmaster)
                ticks += one.ticks;
        }
    closedir(all);
    return ticks * (1000000000LL / sysconf(_SC_CLK_TCK));
}

void pg_spent_read(pg_spent *spent)
{
    spent->wal = server_number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
    spent->busy = read_busy();
}

/* ---- starting ---- */

static void make_tables(const char *schema)
{
    const wfsm_postgres_options options = {
        .size = sizeof options, .schema = schema, .allow_unsafe = 1};
    wfsm_error *error = wfsm_error_new(NULL);

    if (wfsm_postgres_init(server_address(), &options, error) != WFSM_OK)
        bench_fail("the tables", wfsm_error_message(error));
    wfsm_error_free(error);
}

/* Each with a record, a snapshot, and every tenth with a post; in a namespace that has no engine. */
static void make_others(const char *schema)
{
    static const char *const texts[] = {
        "INSERT INTO %s.head (namespace, instance, revision, epoch, token, owner, tags, effects,"
        " acknowledged, status, created, updated, first, snapshot, machine, fingerprint, attributes,"
        " shard) SELECT 'others', 'other-' || n, 1, 0, 'token', 'owner-' || n %% 50, 'tags', 0, 0, 1, 0, 0,"
        " 1, 1, 'loop', repeat('f', 64), '{}', n %% 64 FROM generate_series(1, 10000) AS s (n)",
        "INSERT INTO %s.record (namespace, instance, revision, now, event, text) SELECT 'others',"
        " 'other-' || n, r, 0, 'event-' || r, repeat('r', 300) FROM generate_series(1, 10000) AS s (n),"
        " generate_series(1, 4) AS t (r)",
        "INSERT INTO %s.snapshot (namespace, instance, kind, revision, now, text) SELECT 'others',"
        " 'other-' || n, 1, 1, 0, repeat('s', 300) FROM generate_series(1, 10000) AS s (n)",
        "INSERT INTO %s.post (namespace, instance, owner, event, name, data, now, kind, interface)"
        " SELECT 'others', 'other-' || n, 'owner-' || n %% 50, 'event', 'go', '{}', 0, 0, 1"
        " FROM generate_series(1, 1000) AS s (n)"};
    char sql[600];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(sql, sizeof sql, texts[i], schema);
        server_run(sql);
    }
}

/* The buffers that PostgreSQL has by default; the tests have less. */
bool pg_server_start(const char *folder, bool fsync)
{
    process backend = {0};
    char name[32];

    setenv("WFSM_TEST_FOLDER", folder, 1);
    if (!server_start())
        return false;
    server_run("ALTER SYSTEM SET shared_buffers = '128MB'");
    server_run("ALTER SYSTEM SET max_wal_size = '2GB'");
    server_run("ALTER SYSTEM SET autovacuum_naptime = '1min'");
    server_run(fsync ? "ALTER SYSTEM SET fsync = on" : "ALTER SYSTEM SET fsync = off");
    server_run("CHECKPOINT");
    server_kill();
    server_start_again();
    make_tables("wfsm");
    make_tables("floor");
    make_others("wfsm");
    make_others("floor");
    server_run("VACUUM ANALYZE");
    snprintf(name, sizeof name, "%lld", server_number("SELECT pg_backend_pid()"));
    if (!read_process(name, &backend))
        bench_fail("/proc", "does not know the server");
    postmaster = backend.parent;
    return true;
}
