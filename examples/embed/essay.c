/* Two agents and a file: essay MACHINE.json STORE.db. You may kill it at any moment. When it
 * is started again, it continues where it was. */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

static int64_t now(void)
{
    return (int64_t)time(NULL) * 1000;
}

/* The name of this run's session, which no other run has. wfsm_session_name() makes better ones. */
static const char *session(void)
{
    static char name[64];
    unsigned long long random;

    if (getentropy(&random, sizeof random))
        random = 0; /* process and time are left */
    snprintf(name, sizeof name, "%ld-%lld-%016llx", (long)getpid(), (long long)now(), random);
    return name;
}

static int32_t write_it(void *user, wfsm_call *call)
{
    (void)user;
    printf("writing: %s\n", wfsm_call_input(call, NULL));
    return wfsm_call_done(call, "{\"text\":\"On state machines.\"}", 29);
}

static int32_t read_it(void *user, wfsm_call *call)
{
    printf("reading: %s\n", wfsm_call_input(call, NULL));
    if ((*(int *)user)++ == 0)
        return wfsm_call_done(call, "{\"verdict\":\"bad\",\"remark\":\"why?\"}", 33);
    return wfsm_call_done(call, "{\"verdict\":\"good\"}", 18);
}

/* Another engine has the essay now: this process was stopped for longer than its lease. */
static int32_t lost(void *user, wfsm_call *call)
{
    fprintf(stderr, "%s: another engine has taken it over\n", wfsm_call_instance(call));
    *(int *)user = 1;
    return WFSM_OK;
}

/* Takes the essay over, or starts it. After a kill this waits until the lease of the killed process
 * has lapsed: 10 seconds at most. */
static int32_t take(wfsm_engine *engine, wfsm_error *error)
{
    static const char input[] = "{\"topic\":\"state machines\"}";
    int32_t status;

    while ((status = wfsm_engine_adopt(engine, "essay-1", now(), error)) == WFSM_DENIED)
        nanosleep(&(struct timespec){0, 100 * 1000 * 1000}, NULL);
    if (status == WFSM_NOT_FOUND)
        status =
            wfsm_engine_start(engine, "essay", "essay-1", input, strlen(input), now(), error);
    return status;
}

int main(int argc, char **argv)
{
    static char text[100000];
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    int times = 0, is_lost = 0;
    wfsm_engine_options options = {.size = sizeof options, .session = session(), .now = now()};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_engine *engine = NULL;
    int32_t status;

    if ((status = wfsm_machine_load(&machine, text, length, NULL, NULL, error)) ||
        (status = wfsm_sqlite_open(&store, argv[2], NULL, NULL, error)) ||
        (status = wfsm_engine_new(&engine, store, &options, error)) ||
        (status = wfsm_engine_add_machine(engine, machine, error)) ||
        (status = wfsm_engine_add_agent(engine, "writer", write_it, NULL, error)) ||
        (status = wfsm_engine_add_agent(engine, "reader", read_it, &times, error)) ||
        (status = wfsm_engine_on_lost(engine, lost, &is_lost, error)))
        fprintf(stderr, "essay: %s\n", wfsm_error_message(error));
    else if ((status = take(engine, error)))
        fprintf(stderr, "essay: %s\n", wfsm_error_message(error));
    while (!status && !(status = wfsm_engine_run(engine, now(), error)) && !is_lost &&
           !wfsm_engine_idle(engine))
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    if (!status && !is_lost)
        puts(wfsm_instance_configuration(wfsm_engine_instance(engine, "essay-1"), NULL));
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return status || is_lost ? 1 : 0;
}
