/* A host with a full pool, for kill_pool.py, and the program that is its agent.
 *
 *     pool_host drive STORE MACHINE FOLDER INSTANCES NUMBER
 *
 * drives the instances i0, i1, … of the machine until all have ended; programs leave their
 * files in FOLDER. It is host number NUMBER, and those before it have been killed.
 *
 *     pool_host blind STORE …
 *
 * the same, by a host whose probes always answer that the work is gone.
 *
 *     pool_host leave STORE …
 *
 * continues until a program is at work, sends `leave` to i0, and ends at once, without telling
 * the programs.
 *
 *     pool_host work FOLDER
 *
 * works for `ms`, and fails with status 3 in its first `failures` attempts. It notes when it
 * begins and ends, and whether its slot is really free. A slot is a lock, which ends with the
 * process that holds it. */
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

#include "agents/files.h"
#include "agents/process_agent.h"
#include "agents/process_sweep.h"

enum { SLOTS = 15, GROUP = 4 };

static wfsm_error *error;
static wfsm_store *store;
static wfsm_engine *engine;
static wfa_children *children;

static void fail(const char *what)
{
    (void)fprintf(stderr, "pool_host: %s\n", what);
    exit(2);
}

static void need(int32_t status)
{
    if (status != WFSM_OK && status != WFSM_EXISTS)
        fail(wfsm_error_message(error));
}

/* One line, by one write: a kill leaves it whole, or out. */
static void note(const char *folder, const char *name, const char *line)
{
    char path[500];
    int file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || write(file, line, strlen(line)) != (ssize_t)strlen(line))
        fail(path);
    (void)close(file);
}

/* ---- the agent ---- */

static int take(const char *folder, const char *name)
{
    char path[500];
    int file;

    (void)snprintf(path, sizeof path, "%s/lock-%s", folder, name);
    file = open(path, O_RDWR | O_CREAT, 0644);
    if (file < 0)
        fail(path);
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        return 1;
    (void)close(file);
    return 0;
}

static int take_one_of(const char *folder, const char *name, int count)
{
    char number[100];

    for (int i = 0; i < count; i++) {
        (void)snprintf(number, sizeof number, "%s-%d", name, i);
        if (take(folder, number))
            return 1;
    }
    return 0;
}

static void tell(const char *folder, const char *what)
{
    char line[400];

    (void)snprintf(line, sizeof line, "%s %s %s %ld\n", what, getenv("WFSM_INVOCATION_ID"),
                   getenv("WFSM_ATTEMPT"), (long)getpid());
    note(folder, "notes", line);
}

static void check_slots(const char *folder, json_t *input)
{
    char mine[300];

    (void)snprintf(mine, sizeof mine, "%s", getenv("WFSM_INVOCATION_ID"));
    for (char *at = mine; *at; at++)
        *at = *at == '/' ? '.' : *at;
    if (!take(folder, mine))
        tell(folder, "twice");
    if (!take_one_of(folder, "slot", SLOTS))
        tell(folder, "no-slot");
    if (!take_one_of(folder, json_string_value(json_object_get(input, "group")), GROUP))
        tell(folder, "no-room");
}

static int work(const char *folder)
{
    json_t *given = json_loadf(stdin, 0, NULL), *input = json_object_get(given, "input");
    int64_t ms = json_integer_value(json_object_get(input, "ms"));
    const struct timespec nap = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    if (!input)
        fail("no input");
    tell(folder, "begin");
    check_slots(folder, input);
    (void)nanosleep(&nap, NULL);
    if (json_integer_value(json_object_get(input, "failures")) >= atoi(getenv("WFSM_ATTEMPT")))
        return 3;
    tell(folder, "end");
    (void)printf("{\"n\":%d}\n", (int)json_integer_value(json_object_get(input, "n")));
    json_decref(given);
    return 0;
}

/* ---- the host ---- */

static int32_t deliver(void *user, wfsm_call *call)
{
    char line[400];

    (void)snprintf(line, sizeof line, "%s\n", wfsm_call_id(call));
    note(user, "effects", line);
    return WFSM_OK;
}

static int32_t see_nothing(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_gone(call);
}

static wfa_process_agent *add_agent(const char *self, const char *folder, int blind)
{
    static char work[] = "work", *command[4], *environment[1];
    static wfa_agent_config config;
    static wfa_process_host host;
    static char runs[500];
    wfa_process_agent *agent = NULL;
    wfsm_agent callbacks;
    wfa_error why;

    (void)snprintf(runs, sizeof runs, "%s/runs", folder);
    command[0] = (char *)(uintptr_t)self;
    command[1] = work;
    command[2] = (char *)(uintptr_t)folder;
    config = (wfa_agent_config){.name = "worker",
                                .command = command,
                                .env = environment,
                                .timeout_ms = 60000,
                                .grace_ms = 1000,
                                .max_output = 1000,
                                .max_log = 10000};
    host = (wfa_process_host){.children = children, .runs = runs};
    if (wfa_process_agent_new(&agent, &config, &host, &why) != 0)
        fail(why.message);
    wfa_process_agent_callbacks(agent, &callbacks);
    if (blind)
        callbacks.probe = see_nothing;
    need(wfsm_engine_add_agent_full(engine, "worker", &callbacks, error));
    return agent;
}

static void add_machine(const char *path)
{
    wfsm_machine *machine = NULL;
    wfa_error why;
    size_t length;
    char *text;

    if (wfa_file_read(path, 1 << 20, &text, &length, &why) != 0)
        fail(why.message);
    need(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    need(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    free(text);
}

/* What works for nobody gets a second to end. */
static void need_sweep(const char *folder)
{
    char runs[500];
    wfa_process_host host = {.children = children, .runs = runs};
    int64_t end = wfsm_agents_now() + 5000;
    wfa_error why;

    (void)snprintf(runs, sizeof runs, "%s/runs", folder);
    if (wfa_process_sweep(&host, store, NULL, &why) != 0)
        fail(why.message);
    while (wfa_children_running(children) > 0 && wfsm_agents_now() < end)
        (void)wfa_children_poll(children, 10);
}

static void start_all(int instances)
{
    char id[32], input[32];

    need(wfsm_engine_adopt_all(engine, wfsm_agents_now(), NULL, error));
    for (int i = 0; i < instances; i++) {
        (void)snprintf(id, sizeof id, "i%d", i);
        int length = snprintf(input, sizeof input, "{\"seed\":%d}", i);
        need(wfsm_engine_start(engine, "full", id, input, (size_t)length, wfsm_agents_now(),
                               error));
    }
}

static int all_over(int instances)
{
    for (int i = 0; i < instances; i++) {
        wfsm_head head = {.size = sizeof head};
        char id[32];

        (void)snprintf(id, sizeof id, "i%d", i);
        if (wfsm_store_head(store, id, &head, error) != WFSM_OK || head.status != WFSM_DONE)
            return 0;
    }
    return 1;
}

static void check_empty(void)
{
    size_t working = 0, waiting = 0;

    need(wfsm_engine_pool_count(engine, WFSM_POOL_ALL, NULL, &working, &waiting));
    if (working + waiting != 0 || !wfsm_engine_idle(engine))
        fail("all is over, and the pool is not empty");
}

/* A process that was killed before it could say so leaves that to the next. */
static void open_all(const char *path, int number)
{
    char owner[32];
    wfsm_engine_options options = {
        .size = sizeof options, .session = owner, .slots = SLOTS, .promote_ms = 100};

    error = wfsm_error_new(NULL);
    children = wfa_children_new();
    need(wfsm_sqlite_open(&store, path, NULL, NULL, error));
    for (int i = 1; i < number; i++) {
        (void)snprintf(owner, sizeof owner, "host-%d", i);
        need(wfsm_store_remove_owner(store, owner, error));
    }
    (void)snprintf(owner, sizeof owner, "host-%d", number);
    need(wfsm_engine_new(&engine, store, &options, error));
}

static void leave(const char *folder)
{
    char path[500];
    int32_t outcome = 0;

    (void)snprintf(path, sizeof path, "%s/notes", folder);
    while (access(path, F_OK) != 0) {
        need(wfsm_engine_run(engine, wfsm_agents_now(), error));
        (void)wfa_children_poll(children, 10);
    }
    need(wfsm_engine_send(engine, "i0", "leave", NULL, NULL, 0, wfsm_agents_now(), &outcome,
                          error));
    _exit(outcome == WFSM_ENDED ? 0 : 1);
}

static int drive(char **list, int blind)
{
    char *folder = list[4];
    int instances = atoi(list[5]);
    wfa_process_agent *agent;

    open_all(list[2], atoi(list[6]));
    need(wfsm_engine_on_effect(engine, deliver, folder, error));
    need(wfsm_engine_limit(engine, WFSM_POOL_GROUP, NULL, GROUP, error));
    agent = add_agent(list[0], folder, blind);
    add_machine(list[3]);
    start_all(instances);
    if (strcmp(list[1], "leave") == 0)
        leave(folder);
    need_sweep(folder);
    while (!all_over(instances)) {
        need(wfsm_engine_run(engine, wfsm_agents_now(), error));
        (void)wfa_children_poll(children, 10);
    }
    do
        need(wfsm_engine_run(engine, wfsm_agents_now(), error));
    while (wfsm_engine_deadline(engine) <= wfsm_agents_now());
    check_empty();
    wfsm_engine_free(engine);
    wfa_process_agent_free(agent);
    wfa_children_free(children);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return 0;
}

int main(int count, char **list)
{
    if (count == 3 && strcmp(list[1], "work") == 0)
        return work(list[2]);
    if (count != 7)
        fail("usage: pool_host drive|blind|leave STORE MACHINE FOLDER INSTANCES NUMBER");
    return drive(list, strcmp(list[1], "blind") == 0);
}
