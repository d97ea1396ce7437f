/* A hundred programs at once, in one engine and one thread. */
#include <dirent.h>
#include <wfsm/wfsm.h>

#include "children_support.h"
#include "toml_agents.h"

enum { MANY = 100 };

static const char machine_text[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"work\",\"context\":{\"items\":[],\"out\":null},"
    "\"states\":{\"work\":{\"invoke\":{\"src\":\"coder\",\"items\":{\"var\":"
    "\"context.items\"},\"onDone\":{\"target\":\"done\",\"actions\":{\"type\":\"assign\","
    "\"params\":{\"out\":{\"var\":\"event.data\"}}}},\"onError\":{\"target\":\"failed\","
    "\"actions\":{\"type\":\"assign\",\"params\":{\"out\":{\"var\":\"event.data\"}}}}}},"
    "\"done\":{},\"failed\":{}}}";

void setUp(void)
{
    begin_children();
    begin_agents();
}

void tearDown(void)
{
    end_agents();
    end_children();
}

/* It waits until all are there: so they are there at once. */
static wfa_process_agent *make_agent(void)
{
    static char runs[200], text[600];
    static wfa_process_host host;
    wfa_process_agent *agent = NULL;
    host = (wfa_process_host){.children = children, .runs = runs, .folder = workspace};
    (void)snprintf(runs, sizeof runs, "%s/runs", workspace);
    (void)snprintf(
        text, sizeof text,
        "[agents.coder]\ncommand = [\"sh\", \"-c\", '''touch here.$$; set -- here.*; "
        "while [ $# -lt %d ]; do sleep 0.5; set -- here.*; done; "
        "echo \"{\\\"seen\\\":$#}\"''']\n",
        MANY);
    if (read_agents(text) != 0)
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
    return agent;
}

static int threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int found = 0;

    while (folder && readdir(folder))
        found++;
    (void)closedir(folder);
    return found - 2; /* . and .. */
}

static void start_all(wfsm_engine *engine)
{
    wfsm_machine *machine = NULL;
    char input[1000] = "{\"items\":[0";
    size_t used = strlen(input);

    for (int i = 1; i < MANY; i++)
        used += (size_t)snprintf(input + used, sizeof input - used, ",%d", i);
    used += (size_t)snprintf(input + used, sizeof input - used, "]}");
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&machine, machine_text,
                                                 sizeof machine_text - 1, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, machine, error));
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_engine_start(engine, "m", "x", input, used, now_ms(), error));
    wfsm_machine_unref(machine);
}

static void test_a_hundred_at_once(void)
{
    wfsm_engine_options options = {.size = sizeof options, .session = "many", .slots = MANY};
    wfsm_engine *engine = NULL;
    wfsm_store *store = NULL;
    wfa_process_agent *agent = make_agent();
    wfsm_agent callbacks;
    size_t most = 0;
    const char *out;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_new(&engine, store, &options, error));
    wfa_process_agent_callbacks(agent, &callbacks);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_agent_full(engine, "coder", &callbacks, error));
    start_all(engine);
    while (!wfsm_engine_idle(engine)) {
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, now_ms(), error));
        if (wfa_children_running(children) > most)
            most = wfa_children_running(children);
        TEST_ASSERT_EQUAL_INT(1, threads());
        (void)wfa_children_poll(children, 100);
    }
    TEST_ASSERT_EQUAL_size_t(MANY, most);
    out = wfsm_instance_context(wfsm_engine_instance(engine, "x"), NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, "{\"seen\":100}"), out);
    TEST_ASSERT_NULL_MESSAGE(strstr(out, "null"), out);
    wfsm_engine_free(engine);
    wfa_process_agent_free(agent);
    wfsm_store_free(store);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_hundred_at_once);
    return UNITY_END() != 0;
}
