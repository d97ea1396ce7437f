/* Two agents: agents MACHINE.json STORE.db BASE-URL PROGRAM [ARGUMENT…]. PROGRAM gets a prompt and
 * prints JSON; the model behind BASE-URL reviews it. Killed and started again, it continues. */
#include <stdio.h>
#include <wfsm/loop.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

static int32_t add_agents(wfsm_agents *agents, char **argv, wfsm_error *error)
{
    wfsm_process_options writer = {.size = sizeof writer,
                                   .command = (const char *const *)argv + 4,
                                   .prompt = "Write about {input}. End with {output_schema}.",
                                   .answer = WFSM_ANSWER_LAST_BLOCK};
    wfsm_http_options reviewer = {
        .size = sizeof reviewer, .api = "openai", .model = "any", .base_url = argv[3]};
    int32_t status = wfsm_agents_add_process(agents, "writer", &writer, error);
    return status ? status : wfsm_agents_add_http(agents, "reviewer", &reviewer, error);
}

int main(int argc, char **argv)
{
    wfsm_loop_options options = {.size = sizeof options, .runs = "runs", .progress = 1};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    wfsm_loop *loop = NULL;
    int32_t status;

    if (argc < 5) {
        fputs("usage: agents MACHINE.json STORE.db BASE-URL PROGRAM [ARGUMENT…]\n", stderr);
        return 2;
    }
    if (!(status = wfsm_sqlite_open(&store, argv[2], NULL, NULL, error)) &&
        !(status = wfsm_agents_new(&options.agents, error)) &&
        !(status = add_agents(options.agents, argv, error)) &&
        !(status = wfsm_loop_new(&loop, store, &options, error)) &&
        !(status = wfsm_loop_load(loop, argv[1], error)) &&
        !(status = wfsm_loop_take(loop, "note", "n1", NULL, 0, error)))
        status = wfsm_loop_run(loop, error);
    if (status)
        fprintf(stderr, "agents: %s\n", wfsm_error_message(error));
    else
        puts(wfsm_instance_context(wfsm_engine_instance(wfsm_loop_engine(loop), "n1"), NULL));
    wfsm_loop_free(loop);
    wfsm_agents_free(options.agents);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return status ? 1 : 0;
}
