/* Two agents and a file: essay MACHINE.json STORE.db. You may kill it at any moment. When it
 * is started again, it continues where it was. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

static int64_t now(void)
{
    return (int64_t)time(NULL) * 1000;
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

int main(int argc, char **argv)
{
    static char text[100000], topic[] = "{\"topic\":\"state machines\"}";
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    int times = 0;
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_engine *engine = NULL;
    int32_t status;

    if ((status = wfsm_machine_load(&machine, text, length, NULL, NULL, error)) ||
        (status = wfsm_sqlite_open(&store, argv[2], NULL, NULL, error)) ||
        (status = wfsm_engine_new(&engine, store, NULL, error)) ||
        (status = wfsm_engine_add_machine(engine, machine, error)) ||
        (status = wfsm_engine_add_agent(engine, "writer", write_it, NULL, error)) ||
        (status = wfsm_engine_add_agent(engine, "reader", read_it, &times, error)))
        fprintf(stderr, "essay: %s\n", wfsm_error_message(error));
    else if (wfsm_engine_adopt(engine, "essay-1", now(), error) == WFSM_NOT_FOUND)
        status =
            wfsm_engine_start(engine, "essay", "essay-1", topic, strlen(topic), now(), error);
    while (!status && !(status = wfsm_engine_run(engine, now(), error)) &&
           !wfsm_engine_idle(engine))
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    if (engine && !status)
        puts(wfsm_instance_configuration(wfsm_engine_instance(engine, "essay-1"), NULL));
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return status != WFSM_OK;
}
