/* A collection of agents: adding, copying, removing, registering. */
#include <wfsm/wfsm.h>

#include "toml_agents.h"

static wfsm_store *store;
static wfsm_engine *engine;

void setUp(void)
{
    workspace_make();
    begin_agents();
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, error));
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    end_agents();
    wfsm_store_free(store);
    workspace_remove();
}

static int32_t add_program(const char *name)
{
    static const char *const command[] = {"true", NULL};
    wfsm_process_options options = {.size = sizeof options, .command = command};

    return wfsm_agents_add_process(agents, name, &options, error);
}

static int32_t register_all(wfsm_store *with)
{
    static char runs[300];
    wfsm_agents_options options = {.size = sizeof options, .runs = runs, .store = with};

    (void)snprintf(runs, sizeof runs, "%s/runs", workspace);
    return wfsm_agents_register(agents, engine, &options, error);
}

static void assert_says(const char *text)
{
    if (!strstr(wfsm_error_message(error), text))
        TEST_ASSERT_EQUAL_STRING(text, wfsm_error_message(error));
}

static void test_names(void)
{
    char *name = malloc(300);

    memset(name, 'x', 299);
    name[299] = '\0';
    TEST_ASSERT_EQUAL(WFSM_INVALID, add_program(name));
    free(name);
    TEST_ASSERT_EQUAL(WFSM_INVALID, add_program(""));
    TEST_ASSERT_EQUAL(WFSM_INVALID, add_program(NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, add_program("b"));
    TEST_ASSERT_EQUAL(WFSM_OK, add_program("a"));
    TEST_ASSERT_EQUAL(WFSM_EXISTS, add_program("b"));
    assert_says("agent b: there is one of this name");
    TEST_ASSERT_EQUAL_STRING("b", wfsm_agents_name(agents, 0));
    TEST_ASSERT_EQUAL_STRING("a", wfsm_agents_name(agents, 1));
    TEST_ASSERT_NULL(wfsm_agents_name(agents, 2));
}

static void test_a_copy_and_what_it_was_made_of(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, add_program("a"));
    TEST_ASSERT_EQUAL(WFSM_NOT_FOUND, wfsm_agents_copy(agents, "z", "y", error));
    TEST_ASSERT_EQUAL(WFSM_EXISTS, wfsm_agents_copy(agents, "a", "a", error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_copy(agents, "a", "b", error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_remove(agents, "a", error));
    TEST_ASSERT_EQUAL(WFSM_NOT_FOUND, wfsm_agents_remove(agents, "a", error));
    TEST_ASSERT_EQUAL_STRING("b", wfsm_agents_name(agents, 0));
    TEST_ASSERT_NULL(wfsm_agents_name(agents, 1));
    TEST_ASSERT_NULL(wfsm_agents_describe(agents, "a", NULL));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_agents_describe(agents, "b", NULL), "[\"true\"]"));
    TEST_ASSERT_EQUAL(WFSM_OK, register_all(NULL));
}

static void test_options_that_are_wrong(void)
{
    static const char *const command[] = {"true", NULL}, *const prompted[] = {"x{prompt}",
                                                                              NULL};
    static const char *const env[] = {"NAME", NULL}, *const codes[] = {"300=exit", NULL};
    const struct {
        wfsm_process_options options;
        const char *message;
    } cases[] = {
        {{.command = NULL}, "agent a: command: expected a program"},
        {{.command = prompted}, "agent a: command: {prompt} needs the key prompt"},
        {{.command = command, .input = 9},
         "stdin: expected an enum wfsm_process_input, found 9"},
        {{.command = command, .answer = -1}, "answer: expected an enum wfsm_agent_answer"},
        {{.command = command, .env = env}, "env: expected NAME=value, found \"NAME\""},
        {{.command = command, .exit_classes = codes}, "exit_classes: expected CODE=CLASS"},
        {{.command = command, .timeout_ms = -1}, "timeout_ms: expected milliseconds from 1"},
        {{.command = command, .max_log_bytes = UINT64_MAX}, "max_log_bytes: expected at most"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        wfsm_process_options options = cases[index].options;
        options.size = sizeof options;
        TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_process(agents, "a", &options, error));
        assert_says(cases[index].message);
        TEST_ASSERT_NULL(wfsm_agents_name(agents, 0));
    }
}

static void test_registering(void)
{
    wfsm_agent callbacks = {.size = sizeof callbacks};

    TEST_ASSERT_EQUAL(WFSM_OK, add_program("a"));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_callbacks(agents, "a", &callbacks, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_sweep(agents, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, register_all(store));
    TEST_ASSERT_EQUAL(WFSM_BUSY, register_all(store));
    TEST_ASSERT_EQUAL(WFSM_BUSY, add_program("b"));
    TEST_ASSERT_EQUAL(WFSM_BUSY, wfsm_agents_remove(agents, "a", error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_callbacks(agents, "a", &callbacks, error));
    TEST_ASSERT_NOT_NULL(callbacks.start);
    TEST_ASSERT_EQUAL(WFSM_NOT_FOUND, wfsm_agents_callbacks(agents, "b", &callbacks, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_sweep(agents, NULL, error));
    TEST_ASSERT_EQUAL(0, wfsm_agents_working(agents));
    TEST_ASSERT_EQUAL(0, wfsm_agents_wait(agents, 0));
    TEST_ASSERT_EQUAL(0, wfsm_agents_drain(agents, WFSM_NEVER));
}

static void test_programs_need_a_folder_of_runs(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, add_program("a"));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_register(agents, engine, NULL, error));
    assert_says("agent a: expected `runs`");
}

static void test_a_file_is_taken_whole_or_not(void)
{
    static const char text[] = "[agents.b]\ncommand = [\"x\"]\n[agents.c]\nkommand = [\"x\"]\n";

    TEST_ASSERT_EQUAL(WFSM_OK, add_program("a"));
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC,
                      wfsm_agents_load_toml(agents, write_text("c.toml", text), error));
    TEST_ASSERT_NULL(wfsm_agents_name(agents, 1));
    TEST_ASSERT_EQUAL(
        WFSM_SEMANTIC,
        wfsm_agents_load_toml(agents, write_text("c.toml", "[agents.a]\ncommand = [\"x\"]\n"),
                              NULL));
    TEST_ASSERT_EQUAL(
        WFSM_SEMANTIC,
        wfsm_agents_load_toml(
            agents, write_text("c.toml", "agent = 1\n[agents.b]\ncommand = [\"x\"]\n"), error));
    assert_says("c.toml:1:1: unknown key 'agent', expected agents");
    TEST_ASSERT_NULL(wfsm_agents_name(agents, 1));
}

static void expect_rate(wfsm_engine *of, const char *expected)
{
    TEST_ASSERT_NOT_NULL(strstr(wfsm_engine_pool(of, NULL), expected));
}

/* A rate is that of the engine. Without one, rate_ms is a mistake. */
static void test_a_rate(void)
{
    static const char text[] = "[agents.b]\ncommand = [\"x\"]\nrate = 7\n"
                               "[agents.c]\ncommand = [\"x\"]\nrate = 2\nrate_ms = 500\n";
    static const char *const bad[] = {"rate = 0", "rate = 2147483648", "rate = \"7/1m\"",
                                      "rate = 1\nrate_ms = 0", "rate_ms = 5"};
    char file[100];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(file, sizeof file, "[agents.b]\ncommand = [\"x\"]\n%s\n", bad[i]);
        TEST_ASSERT_EQUAL(WFSM_SEMANTIC,
                          wfsm_agents_load_toml(agents, write_text("c.toml", file), error));
    }
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_agents_load_toml(agents, write_text("c.toml", text), error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_copy(agents, "c", "d", error));
    TEST_ASSERT_NOT_NULL(
        strstr(wfsm_agents_describe(agents, "d", NULL), "\"rate\":2,\"rate_ms\":500"));
    TEST_ASSERT_EQUAL(WFSM_OK, register_all(NULL));
    expect_rate(engine, "\"b\":{\"working\":0,\"waiting\":0,\"rate\":7,\"perMs\":60000}");
    expect_rate(engine, "\"d\":{\"working\":0,\"waiting\":0,\"rate\":2,\"perMs\":500}");
}

static void test_null(void)
{
    wfsm_agents_free(NULL);
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_new(NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_load(agents, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_load_toml(agents, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_copy(NULL, "a", "b", error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_copy(agents, NULL, "b", error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_process(NULL, "a", NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_process(agents, "a", NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_http(NULL, "a", NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_http(agents, "a", NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_load_toml(NULL, "a", error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_register(NULL, engine, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_register(agents, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_callbacks(NULL, "a", NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_callbacks(agents, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_sweep(NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_sweep(agents, NULL, error));
    TEST_ASSERT_NULL(wfsm_agents_describe(NULL, "a", NULL));
    TEST_ASSERT_NULL(wfsm_agents_describe(agents, NULL, NULL));
    TEST_ASSERT_EQUAL(0, wfsm_agents_drain(NULL, 0));
    TEST_ASSERT_NULL(wfsm_agents_name(NULL, 0));
    TEST_ASSERT_EQUAL(0, wfsm_agents_wait(NULL, 0));
    TEST_ASSERT_EQUAL(0, wfsm_agents_working(NULL));
}

static void test_owners(void)
{
    char name[WFSM_OWNER_SIZE], gone[WFSM_OWNER_SIZE], text[WFSM_OWNER_TEXT_SIZE], expected[40];

    (void)snprintf(gone, sizeof gone, "%s0", wfsm_session_name(name)); /* another boot */
    TEST_ASSERT_EQUAL(WFSM_OWNER_ALIVE, wfsm_owner_state(name));
    TEST_ASSERT_EQUAL(WFSM_OWNER_GONE, wfsm_owner_state(gone));
    TEST_ASSERT_EQUAL(WFSM_OWNER_NONE, wfsm_owner_state(NULL));
    TEST_ASSERT_EQUAL(WFSM_OWNER_ELSEWHERE, wfsm_owner_state("engine"));
    (void)snprintf(expected, sizeof expected, "process %ld on ", (long)getpid());
    TEST_ASSERT_EQUAL_STRING_LEN(expected, wfsm_owner_describe(name, text), strlen(expected));
    TEST_ASSERT_EQUAL_STRING("nobody", wfsm_owner_describe("", text));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_owner_release(store, "none", error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_names);
    RUN_TEST(test_a_copy_and_what_it_was_made_of);
    RUN_TEST(test_options_that_are_wrong);
    RUN_TEST(test_registering);
    RUN_TEST(test_programs_need_a_folder_of_runs);
    RUN_TEST(test_a_file_is_taken_whole_or_not);
    RUN_TEST(test_a_rate);
    RUN_TEST(test_null);
    RUN_TEST(test_owners);
    return UNITY_END() != 0;
}
