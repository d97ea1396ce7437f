/* Two agents and a file: essay MACHINE.json STORE.db. You may kill it at any moment. When it
 * is started again, it continues where it was. */
#include <stdio.h>
#include <wfsm/loop.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

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

static int32_t add_agents(wfsm_engine *engine, int *times, wfsm_error *error)
{
    int32_t status = wfsm_engine_add_agent(engine, "writer", write_it, NULL, error);

    return status ? status : wfsm_engine_add_agent(engine, "reader", read_it, times, error);
}

int main(int argc, char **argv)
{
    static const char input[] = "{\"topic\":\"state machines\"}";
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    wfsm_loop *loop = NULL;
    int32_t status;
    int times = 0;

    if (argc != 3)
        return 2;
    if (!(status = wfsm_sqlite_open(&store, argv[2], NULL, NULL, error)) &&
        !(status = wfsm_loop_new(&loop, store, NULL, error)) &&
        !(status = wfsm_loop_load(loop, argv[1], error)) &&
        !(status = add_agents(wfsm_loop_engine(loop), &times, error)) &&
        !(status = wfsm_loop_take(loop, "essay", "essay-1", input, sizeof input - 1, error)))
        status = wfsm_loop_run(loop, error);
    if (status)
        fprintf(stderr, "essay: %s\n", wfsm_error_message(error));
    else
        puts(wfsm_instance_configuration(
            wfsm_engine_instance(wfsm_loop_engine(loop), "essay-1"), NULL));
    wfsm_loop_free(loop);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return status ? 1 : 0;
}
