#include "postgres/server.h"

#include <errno.h>
#include <glob.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { PATH_BYTES = 300, MOST_TRIES = 3000 };

static char binaries[PATH_BYTES], folder[PATH_BYTES];
static pid_t server, standby, pool, owner;
static const char *data = "data";
static int port = 5432;
static PGconn *admin;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void pause_ms(long ms)
{
    const struct timespec time = {0, ms * 1000000};

    nanosleep(&time, NULL);
}

/* The newest that is installed, where Debian and Fedora have them. */
static bool find_binaries(void)
{
    static const char *const places[] = {"/usr/lib/postgresql/[2-9][0-9]/bin/postgres",
                                         "/usr/lib/postgresql/1[5-9]/bin/postgres",
                                         "/usr/bin/postgres", "/usr/local/bin/postgres"};

    for (size_t i = 0; i < 4 && *binaries == '\0'; i++) {
        glob_t found = {0};

        if (glob(places[i], 0, NULL, &found) == 0) {
            snprintf(binaries, sizeof binaries, "%s", found.gl_pathv[found.gl_pathc - 1]);
            *strrchr(binaries, '/') = '\0';
        }
        globfree(&found);
    }
    return *binaries != '\0';
}

/* The server refuses to run as root. */
static const struct passwd *server_user(void)
{
    const struct passwd *user = getuid() == 0 ? getpwnam("postgres") : NULL;

    return user || getuid() != 0 ? user : getpwnam("nobody");
}

void server_follow_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void become_user(void)
{
    const struct passwd *user = server_user();

    setsid();
    if (user && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
        _exit(126);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
#endif
    if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout))
        _exit(126);
}

/* In the server's folder. */
static const char *file(const char *name)
{
    static char paths[4][PATH_BYTES + 64];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static pid_t run(const char *program, const char *const *arguments, const char *log)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child != 0)
        return child;
    become_user();
    if (!freopen(file(log), "a", stderr) || chdir(folder) != 0)
        _exit(126);
    execvp(program, (char *const *)arguments);
    _exit(127);
}

static void run_to_end(const char *program, const char *const *arguments)
{
    int status = 0;
    pid_t child = run(program, arguments, "log");

    waitpid(child, &status, 0);
    if (status != 0) {
        char command[PATH_BYTES * 2];

        snprintf(command, sizeof command, "cat %s >&2", file("log"));
        if (system(command) == 0)
            fail(program, "does not end well");
        exit(1);
    }
}

/* In memory a sync costs nothing. Several tests run at once, and each needs some hundred megabytes. */
static const char *base_folder(void)
{
    const char *given = getenv("WFSM_TEST_FOLDER");
    struct statvfs memory;

    if (given)
        return given;
    return access("/dev/shm", W_OK) == 0 && statvfs("/dev/shm", &memory) == 0 &&
                   memory.f_bavail * memory.f_frsize > (unsigned long)3 << 30
               ? "/dev/shm"
               : "/tmp";
}

static void make_folder(void)
{
    const struct passwd *user = server_user();

    snprintf(folder, sizeof folder, "%s/wfsm-pg-XXXXXX", base_folder());
    if (!mkdtemp(folder) || (user && chown(folder, user->pw_uid, user->pw_gid) != 0))
        fail(folder, strerror(errno));
}

static void write_file(const char *name, const char *text, const char *mode)
{
    const struct passwd *user = server_user();
    FILE *out = fopen(file(name), mode);

    if (!out || fputs(text, out) < 0 || fclose(out) != 0 ||
        (user && chown(file(name), user->pw_uid, user->pw_gid) != 0))
        fail(name, strerror(errno));
}

static pid_t launch_on(const char *place, int on)
{
    char program[PATH_BYTES + 16], number[16];
    const char *arguments[] = {program, "-D", place, "-k", folder, "-p", number, NULL};

    snprintf(program, sizeof program, "%s/postgres", binaries);
    snprintf(number, sizeof number, "%d", on);
    return run(program, arguments, "log");
}

static void launch(void)
{
    server = launch_on(data, port);
}

/* An earlier server may still hold its memory for a moment, and then the new one ends at once. */
static void await_server(void)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        if (waitpid(server, NULL, WNOHANG) == server)
            launch();
        if (PQping(server_address()) == PQPING_OK)
            return;
        pause_ms(10);
    }
    fail("the server", "does not start");
}

static void stop(pid_t *process, int with)
{
    if (*process > 0) {
        kill(with == SIGKILL ? -*process : *process, with);
        waitpid(*process, NULL, 0);
    }
    *process = 0;
}

static void remove_all(void)
{
    char command[PATH_BYTES + 16];

    if (getpid() != owner)
        return;
    PQfinish(admin);
    admin = NULL;
    stop(&pool, SIGKILL);
    stop(&server, SIGQUIT);
    stop(&standby, SIGQUIT);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (!getenv("WFSM_TEST_KEEP") && system(command) != 0)
        fprintf(stderr, "%s is left behind\n", folder);
}

bool server_start(void)
{
    char program[PATH_BYTES + 16];
    const char *arguments[] = {program, "-D", "data", "-U",         "wfsm", "-A",
                               "trust", "-E", "UTF8", "--locale=C", "-N",   "--no-instructions",
                               NULL};

    if (!find_binaries())
        return false;
    make_folder();
    owner = getpid();
    atexit(remove_all);
    snprintf(program, sizeof program, "%s/initdb", binaries);
    run_to_end(program, arguments);
    write_file(
        "data/postgresql.conf",
        "listen_addresses = ''\nshared_buffers = 32MB\nmax_connections = 40\n"
        "max_wal_size = 64MB\nautovacuum_naptime = 5s\nlogging_collector = off\n"
        "deadlock_timeout = 100ms\nwal_retrieve_retry_interval = 100ms\ndynamic_shared_memory_type = mmap\n",
        "a");
    write_file(
        "data/pg_hba.conf",
        "local all guarded scram-sha-256\nlocal all all trust\nlocal replication all trust\n",
        "w");
    launch();
    await_server();
    return true;
}

void server_await_restart(void)
{
    bool works = false;

    while (!works) {
        PGconn *one = PQconnectdb(server_address());
        PGresult *result = PQexec(one, "SELECT 1");

        works = PQresultStatus(result) == PGRES_TUPLES_OK;
        PQclear(result);
        PQfinish(one);
        pause_ms(5);
    }
}

void server_forget(void)
{
    server_follow_parent();
    admin = NULL;
}

static char *next_address(void)
{
    static char addresses[4][PATH_BYTES + 200];
    static int next;

    return addresses[next++ % 4];
}

const char *server_address_with(const char *words)
{
    char *address = next_address();

    snprintf(address, PATH_BYTES + 200, "host=%s port=%d dbname=postgres user=wfsm %s", folder,
             port, words);
    return address;
}

const char *server_url(const char *database)
{
    char *address = next_address();

    snprintf(address, PATH_BYTES + 200, "postgresql://wfsm@localhost:%d/%s?host=%s", port,
             database, folder);
    return address;
}

const char *server_address(void)
{
    return server_address_with("");
}

static PGresult *ask(const char *sql)
{
    PGresult *result;

    if (!admin)
        admin = PQconnectdb(server_address_with("application_name=admin"));
    result = PQexec(admin, sql);
    if (PQresultStatus(result) == PGRES_FATAL_ERROR ||
        PQresultStatus(result) == PGRES_BAD_RESPONSE || !result)
        fail(sql, PQerrorMessage(admin));
    return result;
}

void server_start_again(void)
{
    launch();
    await_server();
}

/* Each process of the server has a group of its own. */
void server_kill_from_child(void)
{
    PGresult *all = ask("SELECT pid FROM pg_stat_activity");

    kill(server, SIGKILL);
    for (int i = 0; i < PQntuples(all); i++)
        kill((pid_t)atoi(PQgetvalue(all, i, 0)), SIGKILL);
    PQclear(all);
}

void server_kill(void)
{
    server_kill_from_child();
    PQfinish(admin);
    admin = NULL;
    stop(&server, SIGKILL);
}

void server_revive(void)
{
    if (waitpid(server, NULL, WNOHANG) != server)
        return;
    PQfinish(admin);
    admin = NULL;
    server_start_again();
}

void server_run(const char *sql)
{
    PQclear(ask(sql));
}

long long server_number(const char *sql)
{
    PGresult *result = ask(sql);
    long long number = PQntuples(result) > 0 ? strtoll(PQgetvalue(result, 0, 0), NULL, 10) : -1;

    PQclear(result);
    return number;
}

void server_await(const char *sql, long long wanted)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        if (server_number(sql) == wanted)
            return;
        pause_ms(10);
    }
    fail(sql, "does not become what is wanted");
}

static void run_shell(const char *command)
{
    const char *arguments[] = {"sh", "-c", command, NULL};

    run_to_end("sh", arguments);
}

void server_save(void)
{
    PQfinish(admin);
    admin = NULL;
    stop(&server, SIGINT);
    run_shell("rm -rf saved && cp -a data saved");
    server_start_again();
}

void server_set_back(void)
{
    server_kill();
    run_shell("rm -rf data && cp -a saved data");
    server_start_again();
}

void standby_start(void)
{
    char program[PATH_BYTES + 16];
    const char *arguments[] = {program, "-h", folder,   "-U", "wfsm", "-D", "standby",
                               "-R",    "-X", "stream", "-c", "fast", NULL};

    snprintf(program, sizeof program, "%s/pg_basebackup", binaries);
    run_to_end(program, arguments);
    standby = launch_on("standby", 5433);
    server_await("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", 1);
    server_run("ALTER SYSTEM SET synchronous_standby_names = '*'");
    server_run("SELECT pg_reload_conf()");
    server_await("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", 1);
}

void standby_promote(void)
{
    stop(&server, SIGKILL);
    PQfinish(admin);
    admin = NULL;
    server = standby;
    standby = 0;
    data = "standby";
    port = 5433;
    server_run("SELECT pg_promote()");
    server_await("SELECT pg_is_in_recovery()::int", 0);
}

void server_end_sessions(void)
{
    server_run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
               " WHERE backend_type = 'client backend' AND application_name <> 'admin'");
    server_await("SELECT count(*) FROM pg_stat_activity"
                 " WHERE backend_type = 'client backend' AND application_name <> 'admin'",
                 0);
}

bool server_log_plans(void)
{
    if (server_number("SELECT (pg_stat_file(setting || '/auto_explain.so', true)).size"
                      " FROM pg_config WHERE name = 'PKGLIBDIR'") <= 0)
        return false;
    server_run("ALTER SYSTEM SET session_preload_libraries = 'auto_explain'");
    server_run("ALTER SYSTEM SET enable_seqscan = off");
    server_run("ALTER DATABASE postgres SET auto_explain.log_min_duration = 0");
    server_run("SELECT pg_reload_conf()");
    server_end_sessions();
    return true;
}

const char *server_log(void)
{
    return file("log");
}

const char *pool_address_with(const char *words)
{
    char *address = next_address();

    snprintf(address, PATH_BYTES + 200, "host=%s port=6432 dbname=postgres user=wfsm %s",
             folder, words);
    return address;
}

const char *pool_address(void)
{
    return pool_address_with("");
}

bool pool_start(void)
{
    static const char *const programs[] = {"/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"};
    const char *program = access(programs[0], X_OK) == 0 ? programs[0] : programs[1];
    const char *arguments[] = {"pgbouncer", "-q", "pool.ini", NULL};
    char text[PATH_BYTES * 3];

    if (access(program, X_OK) != 0)
        return false;
    snprintf(
        text, sizeof text,
        "[databases]\n* = host=%s\n[pgbouncer]\nlisten_port = 6432\nlisten_addr =\n"
        "unix_socket_dir = %s\nauth_type = trust\nauth_file = users\npool_mode = transaction\n"
        "default_pool_size = 3\nlogfile = pool.log\n",
        folder, folder);
    write_file("pool.ini", text, "w");
    write_file("users",
               "\"wfsm\" \"\"\n\"acme\" \"\"\n\"beta\" \"\"\n\"one\" \"\"\n"
               "\"zero\" \"\"\n\"gone\" \"\"\n",
               "w");
    pool = run(program, arguments, "pool.log");
    for (int i = 0; i < MOST_TRIES && PQping(pool_address()) != PQPING_OK; i++)
        pause_ms(10);
    return PQping(pool_address()) == PQPING_OK;
}

void server_tenant(const char *name)
{
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = name};
    wfsm_error *error = wfsm_error_new(NULL);
    char sql[100];

    snprintf(sql, sizeof sql, "CREATE ROLE %s LOGIN", name);
    server_run(sql);
    if (wfsm_postgres_tenant(server_address(), &options, name, error) != WFSM_OK)
        fail(name, wfsm_error_message(error));
    wfsm_error_free(error);
}

void server_wipe(void)
{
    server_run(
        "SET client_min_messages = warning; DELETE FROM wfsm.head;"
        " DELETE FROM wfsm.record; DELETE FROM wfsm.snapshot; DELETE FROM wfsm.checkpoint;"
        " DELETE FROM wfsm.document; DELETE FROM wfsm.post; DELETE FROM wfsm.session;"
        " DELETE FROM wfsm.due; DELETE FROM wfsm.permit; DELETE FROM wfsm.rate; DELETE FROM wfsm.fence;"
        " DELETE FROM wfsm.service");
}

wfsm_store *server_open(const char *address, const char *tenant)
{
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .tenant = tenant,
                                           .clock = WFSM_POSTGRES_HOST_CLOCK,
                                           .create = 1};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;

    if (wfsm_postgres_open(&store, address, &options, NULL, error) != WFSM_OK)
        fail("opening a store", wfsm_error_message(error));
    wfsm_error_free(error);
    return store;
}
