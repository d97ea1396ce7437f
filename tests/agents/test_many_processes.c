/* A hundred programs at once, in one engine and one thread. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
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

/* Each says that it is there, and waits for a line. */
static wfa_process_agent *make_agent(void)
{
    static const char text[] = "[agents.coder]\ncommand = [\"sh\", \"-c\", '''"
                               ": > here.$$; read line < gate; set -- here.*; "
                               "echo \"{\\\"seen\\\":$#}\"''']\n";
    static char runs[200];
    static wfa_process_host host;
    wfa_process_agent *agent = NULL;
    host = (wfa_process_host){.children = children, .runs = runs, .folder = workspace};
    (void)snprintf(runs, sizeof runs, "%s/runs", workspace);
    if (read_agents(text) != 0)
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
    return agent;
}

static int open_gate(void)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/gate", workspace);
    TEST_ASSERT_EQUAL_INT(0, mkfifo(path, 0600));
    int gate = open(path, O_RDWR | O_CLOEXEC);
    TEST_ASSERT_GREATER_OR_EQUAL_INT(0, gate);
    return gate;
}

static int count_here(void)
{
    DIR *folder = opendir(workspace);
    const struct dirent *entry;
    int found = 0;

    while (folder && (entry = readdir(folder)))
        found += strncmp(entry->d_name, "here.", 5) == 0;
    (void)closedir(folder);
    return found;
}

/* All are there at once: each of them gets its line. */
static void let_go(int gate)
{
    char lines[MANY];
    memset(lines, '\n', sizeof lines);
    TEST_ASSERT_EQUAL_size_t(MANY, wfa_children_running(children));
    TEST_ASSERT_EQUAL_INT(MANY, write(gate, lines, sizeof lines));
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
    int gate = open_gate();
    bool waiting = true;
    const char *out;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_new(&engine, store, &options, error));
    wfa_process_agent_callbacks(agent, &callbacks);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_agent_full(engine, "coder", &callbacks, error));
    start_all(engine);
    while (!wfsm_engine_idle(engine)) {
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, now_ms(), error));
        if (waiting && count_here() == MANY) {
            let_go(gate);
            waiting = false;
        }
        TEST_ASSERT_EQUAL_INT(1, threads());
        (void)wfa_children_poll(children, 100);
    }
    (void)close(gate);
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
