/* Two agents: agents MACHINE.json STORE.db BASE-URL PROGRAM [ARGUMENT…]. PROGRAM gets a prompt and
 * prints JSON; the model behind BASE-URL reviews it. Killed and started again, it continues. */
#include <stdio.h>
#include <wfsm/agents.h>
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

/* Another engine has the note now: this process was stopped for longer than its lease. */
static int32_t lost(void *user, wfsm_call *call)
{
    fprintf(stderr, "%s: another engine has taken it over\n", wfsm_call_instance(call));
    *(int *)user = 1;
    return WFSM_OK;
}

int main(int argc, char **argv)
{
    static char text[100000], owner[WFSM_OWNER_SIZE];
    FILE *file = argc > 4 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    wfsm_engine_options named = {
        .size = sizeof named, .session = wfsm_session_name(owner), .now = wfsm_agents_now()};
    wfsm_agents_options host = {
        .size = sizeof host, .runs = "runs", .tell = wfsm_progress_note};
    wfsm_progress_options begun = {.size = sizeof begun, .now = wfsm_agents_now()};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_progress *progress = NULL;
    wfsm_machine *machine = NULL;
    wfsm_agents *agents = NULL;
    wfsm_engine *engine = NULL;
    int32_t status;
    int is_lost = 0;

    if (!(status = wfsm_machine_load(&machine, text, length, NULL, NULL, error)) &&
        !(status = wfsm_sqlite_open(&host.store, argv[2], NULL, NULL, error)) &&
        !(status = wfsm_engine_new(&engine, host.store, &named, error)) &&
        !(status = wfsm_engine_add_machine(engine, machine, error)) &&
        !(status = wfsm_engine_on_lost(engine, lost, &is_lost, error)) &&
        !(status = wfsm_progress_new(&progress, &begun, error)) &&
        !(status = wfsm_engine_observe(engine, wfsm_progress_commit, progress, error)) &&
        !(status =
              wfsm_engine_on_diagnostic(engine, wfsm_progress_diagnostic, progress, error)) &&
        !(status = wfsm_agents_new(&agents, error)) &&
        !(status = add_agents(agents, argv, error)) && (host.user = progress) &&
        !(status = wfsm_agents_register(agents, engine, &host, error)) &&
        !(status = wfsm_owner_release(host.store, "n1", error)) &&
        (status = wfsm_engine_adopt(engine, "n1", begun.now, error)) == WFSM_NOT_FOUND)
        status = wfsm_engine_start(engine, "note", "n1", NULL, 0, begun.now, error);
    while (!status && !(status = wfsm_engine_run(engine, wfsm_agents_now(), error)) &&
           !is_lost && !wfsm_engine_idle(engine))
        wfsm_agents_wait(agents, wfsm_engine_deadline(engine) - wfsm_agents_now());
    if (status || !is_lost)
        puts(status ? wfsm_error_message(error)
                    : wfsm_instance_context(wfsm_engine_instance(engine, "n1"), NULL));
    wfsm_engine_free(engine);
    wfsm_agents_free(agents);
    wfsm_progress_free(progress);
    wfsm_store_free(host.store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return status || is_lost ? 1 : 0;
}
