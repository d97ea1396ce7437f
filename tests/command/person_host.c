/* A host for the tests of approvals. It has no agents, only people and files.
 *
 *     person_host STORE MACHINE ID FOLDER
 *
 * starts the instance of the machine document, or takes it over if it is stored, and drives it
 * until it has ended. It may be killed at any time.
 *
 *     person_host STORE ID EVENT
 *
 * posts an event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>

#include <wfsm/agents.h>
#include "shared/digest_files.h"
#include "shared/files.h"

static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_error *error;

static void fail(const char *what)
{
    (void)fprintf(stderr, "person_host: %s\n", what);
    exit(2);
}

static void need(int32_t status)
{
    if (status != WFSM_OK)
        fail(wfsm_error_message(error));
}

/* AHEAD_MS: how far the host's clock is ahead of ours. */
static int64_t now(void)
{
    const char *ahead = getenv("AHEAD_MS");

    return wfsm_agents_now() + (ahead ? atoll(ahead) : 0);
}

static void nap(void)
{
    const struct timespec time = {0, 5 * 1000000};

    (void)nanosleep(&time, NULL);
}

static void open_all(const char *path, char *folder)
{
    char owner[64];
    wfsm_engine_options options = {.size = sizeof options, .session = owner, .lapse_ms = 150};

    (void)snprintf(owner, sizeof owner, "person_host:%ld", (long)getpid());
    error = wfsm_error_new(NULL);
    need(wfsm_sqlite_open(&store, path, NULL, NULL, error));
    need(wfsm_engine_new(&engine, store, &options, error));
    need(host_digest_agent_add(engine, "digests", folder, error));
}

static void begin(const char *path, const char *id)
{
    wfsm_machine *machine = NULL;
    host_error why;
    char *text;
    size_t length;
    int32_t status;

    if (host_file_read(path, 1 << 20, &text, &length, &why) != 0)
        fail(why.message);
    need(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    free(text);
    need(wfsm_engine_add_machine(engine, machine, error));
    status = wfsm_engine_start(engine, wfsm_machine_id(machine), id, NULL, 0, now(), error);
    wfsm_machine_unref(machine);
    while (status == WFSM_EXISTS || status == WFSM_DENIED) {
        status = wfsm_engine_adopt(engine, id, now(), error);
        nap();
    }
    need(status);
}

static int post(char **list)
{
    error = wfsm_error_new(NULL);
    need(wfsm_sqlite_open(&store, list[1], NULL, NULL, error));
    need(wfsm_store_post(store, list[2], list[3], NULL, NULL, 0, now(), error));
    wfsm_store_free(store);
    wfsm_error_free(error);
    return 0;
}

int main(int count, char **list)
{
    const wfsm_instance *instance;

    if (count == 4)
        return post(list);
    if (count != 5)
        fail("usage: person_host STORE MACHINE ID FOLDER, or STORE ID EVENT");
    open_all(list[1], list[4]);
    begin(list[2], list[3]);
    do {
        need(wfsm_engine_run(engine, now(), error));
        nap();
        instance = wfsm_engine_instance(engine, list[3]);
    } while (instance && wfsm_instance_status(instance) == WFSM_RUNNING);
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return 0;
}
