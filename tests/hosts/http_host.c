/* A host with the agents of a configuration and one instance, for the tests of HTTP agents:
 *
 *     http_host CONFIG STORE MACHINE ID
 *
 * starts the instance of the machine document, or takes it over if it is stored, and drives
 * it until nothing is left to do. Progress goes to stdout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>

#include "agents/clock.h"
#include "agents/files.h"
#include "agents/http_agent.h"
#include "agents/process_agent.h"
#include "agents/progress.h"
#include "agents/wait.h"

enum { MOST_AGENTS = 8 };

static wfa_config *config;
static wfa_agent_config *agents;
static size_t agent_count;
static wfa_http_agent *http_agents[MOST_AGENTS];
static wfa_children *children;
static wfa_http *http;
static wfa_http_host http_host;
static wfa_progress progress;
static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_error *error;

static void fail(const char *what)
{
    (void)fprintf(stderr, "http_host: %s\n", what);
    exit(2);
}

static void need(int32_t status)
{
    if (status != WFSM_OK)
        fail(wfsm_error_message(error));
}

static void tell(void *user, const char *instance, const char *line)
{
    (void)user;
    wfa_progress_line(&progress, wfa_now(), instance, WFA_QUIET, "%s", line);
}

static void read_agents(const char *path)
{
    wfa_error why;
    size_t index;

    http_host = (wfa_http_host){.http = http, .store = store, .tell = tell};
    if (wfa_config_open(&config, path, &why) != 0 ||
        wfa_agents_read(config, &agents, &agent_count, &why) != 0 ||
        wfa_config_check(config, &why) != 0)
        fail(why.message);
    for (index = 0; index < agent_count && index < MOST_AGENTS; index++) {
        if (wfa_http_agent_new(&http_agents[index], &agents[index], &http_host, &why) != 0)
            fail(why.message);
        need(wfa_http_agent_add(http_agents[index], engine, error));
    }
}

static void open_all(const char *store_path, const char *config_path)
{
    char owner[64];
    wfsm_engine_options options = {.size = sizeof options, .owner = owner, .lapse_ms = 300};
    wfa_error why;

    (void)snprintf(owner, sizeof owner, "http_host:%ld", (long)getpid());
    error = wfsm_error_new(NULL);
    children = wfa_children_new();
    wfa_progress_begin(&progress, stdout, wfa_now());
    if (wfa_http_new(&http, &why) != 0)
        fail(why.message);
    need(wfsm_sqlite_open(&store, store_path, NULL, NULL, error));
    need(wfsm_engine_new(&engine, store, &options, error));
    read_agents(config_path);
}

static void begin(const char *machine_path, const char *id)
{
    wfsm_machine *machine = NULL;
    wfa_error why;
    char *text;
    size_t length;
    int32_t status;

    if (wfa_file_read(machine_path, 1 << 20, &text, &length, &why) != 0)
        fail(why.message);
    need(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    free(text);
    need(wfsm_engine_add_machine(engine, machine, error));
    status = wfsm_engine_start(engine, wfsm_machine_id(machine), id, NULL, 0, wfa_now(), error);
    wfsm_machine_unref(machine);
    if (status != WFSM_EXISTS) {
        need(status);
        return;
    }
    while ((status = wfsm_engine_adopt(engine, id, wfa_now(), error)) == WFSM_DENIED)
        (void)wfa_children_poll(children, 20);
    need(status);
}

static void drive(void)
{
    need(wfsm_engine_run(engine, wfa_now(), error));
    while (!wfsm_engine_idle(engine)) {
        int64_t left = wfsm_engine_deadline(engine) - wfa_now();
        (void)wfa_wait(children, http, left < 0 ? 0 : left < 100 ? left : 100);
        need(wfsm_engine_run(engine, wfa_now(), error));
    }
}

static void close_all(void)
{
    size_t index;

    wfsm_engine_free(engine);
    for (index = 0; index < agent_count; index++)
        wfa_http_agent_free(http_agents[index]);
    wfa_agents_free(agents, agent_count);
    wfa_config_close(config);
    wfa_http_free(http);
    wfa_children_free(children);
    wfsm_store_free(store);
    wfsm_error_free(error);
}

int main(int count, char **list)
{
    if (count != 5)
        fail("usage: http_host CONFIG STORE MACHINE ID");
    open_all(list[2], list[1]);
    begin(list[3], list[4]);
    drive();
    close_all();
    return 0;
}
