/* The smallest host: embed MACHINE.json STORE.db. You may kill it at any moment. When it
 * is started again, it continues where it was. */
#include <stdio.h>
#include <wfsm/loop.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

/* The agent. It may also return without an answer and give it later, by wfsm_call_id(). */
static int32_t review(void *user, wfsm_call *call)
{
    (void)user;
    printf("reviewing %s\n", wfsm_call_input(call, NULL));
    return wfsm_call_done(call, "{\"decision\":\"approve\"}", 22);
}

int main(int argc, char **argv)
{
    static const char input[] = "{\"change\":\"fix the overflow\"}";
    const char *machine = argc > 1 ? argv[1] : "review.json";
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    wfsm_loop *loop = NULL;
    int failed =
        wfsm_sqlite_open(&store, argc > 2 ? argv[2] : "tasks.db", NULL, NULL, error) ||
        wfsm_loop_new(&loop, store, NULL, error) || wfsm_loop_load(loop, machine, error) ||
        wfsm_engine_add_agent(wfsm_loop_engine(loop), "reviewer", review, NULL, error) ||
        wfsm_loop_take(loop, "review", "task-1", input, sizeof input - 1, error) ||
        wfsm_loop_run(loop, error);
    if (failed)
        fprintf(stderr, "embed: %s\n", wfsm_error_message(error));
    else
        puts(wfsm_instance_configuration(wfsm_engine_instance(wfsm_loop_engine(loop), "task-1"),
                                         NULL));
    wfsm_loop_free(loop);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return failed;
}
