/* A host with the agents of a configuration and one instance, for the tests of HTTP agents:
 *
 *     http_host CONFIG STORE MACHINE ID
 *
 * starts the instance of the machine document, or takes it over if it is stored, and drives
 * it until nothing is left to do. Progress goes to stdout. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wfsm/agents.h>
#include <wfsm/sqlite.h>

static wfsm_agents *agents;
static wfsm_progress *progress;
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
    wfsm_progress_line(progress, wfsm_agents_now(), instance, WFSM_TONE_QUIET, line);
}

static void open_all(const char *store_path, const char *config_path)
{
    char owner[64];
    wfsm_engine_options named = {.size = sizeof named, .session = owner, .lapse_ms = 300};
    wfsm_progress_options begun = {.size = sizeof begun, .now = wfsm_agents_now()};
    wfsm_agents_options options = {.size = sizeof options, .runs = "runs", .tell = tell};

    (void)snprintf(owner, sizeof owner, "http_host:%ld", (long)getpid());
    error = wfsm_error_new(NULL);
    need(wfsm_progress_new(&progress, &begun, error));
    need(wfsm_sqlite_open(&store, store_path, NULL, NULL, error));
    need(wfsm_engine_new(&engine, store, &named, error));
    need(wfsm_agents_new(&agents, error));
    need(wfsm_agents_load_toml(agents, config_path, error));
    options.store = store;
    need(wfsm_agents_register(agents, engine, &options, error));
}

static void begin(const char *machine_path, const char *id)
{
    static char text[1 << 20];
    FILE *file = fopen(machine_path, "rb");
    wfsm_machine *machine = NULL;
    int32_t status;

    if (!file)
        fail(machine_path);
    need(wfsm_machine_load(&machine, text, fread(text, 1, sizeof text, file), NULL, NULL,
                           error));
    (void)fclose(file);
    need(wfsm_engine_add_machine(engine, machine, error));
    status = wfsm_engine_start(engine, wfsm_machine_id(machine), id, NULL, 0, wfsm_agents_now(),
                               error);
    wfsm_machine_unref(machine);
    if (status != WFSM_EXISTS) {
        need(status);
        return;
    }
    while ((status = wfsm_engine_adopt(engine, id, wfsm_agents_now(), error)) == WFSM_DENIED)
        (void)wfsm_agents_wait(agents, 20);
    need(status);
}

static void drive(void)
{
    need(wfsm_engine_run(engine, wfsm_agents_now(), error));
    while (!wfsm_engine_idle(engine)) {
        int64_t left = wfsm_engine_deadline(engine) - wfsm_agents_now();
        (void)wfsm_agents_wait(agents, left < 100 ? left : 100);
        need(wfsm_engine_run(engine, wfsm_agents_now(), error));
    }
}

static void close_all(void)
{
    wfsm_engine_free(engine);
    wfsm_agents_free(agents);
    wfsm_progress_free(progress);
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
