/* The agent that runs the commands of a plan, without an engine around it. */
#include <wfsm/wfsm.h>

#include "children_support.h"
#include "fake_calls.h"
#include "toml_agents.h"

static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_commands_options options;

void setUp(void)
{
    begin_children();
    begin_agents();
    options = (wfsm_commands_options){.size = sizeof options};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 error));
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    end_agents();
    wfsm_store_free(store);
    end_children();
}

static wfsm_agents *register_commands(void)
{
    static char runs[300];
    const wfsm_agents_options with = {.size = sizeof with, .runs = runs, .folder = workspace};
    wfsm_agents *made = NULL;

    (void)snprintf(runs, sizeof runs, "%s/runs", workspace);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&made, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_add_commands(made, "commands", &options, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_register(made, engine, &with, error));
    added_agent.size = sizeof added_agent;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_callbacks(made, "commands", &added_agent, error));
    return made;
}

static wfsm_call a_call(const char *id, const char *input)
{
    return (wfsm_call){
        .id = id, .instance = "task", .state = "test", .input = input, .attempt = 1};
}

static void start_call(wfsm_call *call)
{
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.start(added_agent.user, call));
}

static void poll_to_end(wfsm_call *call)
{
    int64_t limit = now_ms() + 60000;

    while (call->answer == NO_ANSWER && now_ms() < limit) {
        (void)wfsm_agents_wait(agents, 100);
        TEST_ASSERT_EQUAL(WFSM_OK, added_agent.poll(added_agent.user, call));
    }
}

static void assert_answer(const wfsm_call *call, fake_answer answer, const char *part)
{
    TEST_ASSERT_EQUAL_MESSAGE(answer, call->answer, call->text);
    if (!strstr(call->text, part))
        TEST_ASSERT_EQUAL_STRING(part, call->text);
}

static void run_plan(const char *plan, fake_answer answer, const char *part)
{
    wfsm_call call = a_call("task/1/0", plan);

    start_call(&call);
    poll_to_end(&call);
    assert_answer(&call, answer, part);
}

static void test_plans_that_are_none(void)
{
    static const struct {
        const char *plan, *part;
    } bad[] = {
        {"nothing", "the plan of the commands: "},
        {"{\"a\":1,\"a\":2}", "duplicate"},
        {"[]", "expected {\"folder\": FOLDER, \"commands\": [COMMAND, …]}"},
        {"{\"commands\":{}}", "expected {\"folder\": FOLDER, \"commands\": [COMMAND, …]}"},
        {"{\"commands\":[1]}", "command 1: expected {\"argv\""},
        {"{\"commands\":[{\"argv\":\"true\"}]}", "command 1: expected"},
        {"{\"commands\":[{\"argv\":[]}]}", "command 1: expected"},
        {"{\"commands\":[{\"argv\":[\"\"]}]}", "command 1: expected"},
        {"{\"commands\":[{\"argv\":[\"true\"]},{\"argv\":[\"true\",1]}]}",
         "command 2: expected"},
        {"{\"commands\":[{\"argv\":[\"true\"],\"timeout_ms\":\"1\"}]}", "command 1: expected"},
        {"{\"commands\":[{\"argv\":[\"true\"],\"timeout_ms\":-1}]}", "command 1: expected"},
    };
    size_t index;

    agents = register_commands();
    for (index = 0; index < sizeof bad / sizeof *bad; index++)
        run_plan(bad[index].plan, FAILED, bad[index].part);
}

static void test_results(void)
{
    agents = register_commands();
    run_plan("{\"commands\":[]}", DONE, "{\"passed\":true,\"results\":[]}");
    run_plan("{\"commands\":[{\"argv\":[\"x\"],\"skip\":\"no need\",\"kind\":\"lint\"}]}", DONE,
             "{\"passed\":true,\"results\":[{\"argv\":[\"x\"],\"exit_code\":null,"
             "\"reason\":\"no need\",\"tail\":\"\",\"skipped\":true,\"kind\":\"lint\"}]}");
    /* The first failure is the last command. */
    run_plan("{\"commands\":[{\"argv\":[\"sh\",\"-c\",\"exit 3\"]},{\"argv\":[\"true\"]}]}",
             DONE, "\"exit_code\":3");
    run_plan("{\"commands\":[{\"argv\":[\"no-such-program\"]}]}", DONE, "\"passed\":false");
}

static void test_all_are_run_where_it_is_asked_for(void)
{
    options.all = 1;
    agents = register_commands();
    run_plan("{\"commands\":[{\"argv\":[\"false\"]},{\"argv\":[\"echo\",\"second\"]}]}", DONE,
             "second");
}

/* A plan whose command prints its process id, and then runs for a minute. */
static const char *sleeper(void)
{
    static char plan[200];

    (void)snprintf(plan, sizeof plan,
                   "{\"folder\":\"%s\",\"commands\":[{\"argv\":[\"sh\",\"-c\",\"echo $$ > pid; "
                   "exec sleep 60\"]}]}",
                   workspace);
    return plan;
}

static void test_a_canceled_command_ends(void)
{
    wfsm_call quick = a_call("task/1/0", "{\"commands\":[{\"argv\":[\"true\"]}]}"),
              slow = a_call("task/2/0", sleeper());
    pid_t pid;

    agents = register_commands();
    start_call(&slow);
    start_call(&quick);
    pid = told_pid("pid");
    poll_to_end(&quick);
    assert_answer(&quick, DONE, "\"passed\":true");
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.probe(added_agent.user, &slow));
    TEST_ASSERT_EQUAL(NO_ANSWER, slow.answer);
    TEST_ASSERT_EQUAL(1, wfsm_agents_working(agents));
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.cancel(added_agent.user, &slow));
    TEST_ASSERT_EQUAL(0, wfsm_agents_drain(agents, 60000));
    assert_goes_away(pid);
}

static void test_calls_that_are_not_known(void)
{
    wfsm_call call = a_call("task/1/0", "{}");

    agents = register_commands();
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.poll(added_agent.user, &call));
    assert_answer(&call, FAILED, "the commands are not known any more");
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.probe(added_agent.user, &call));
    TEST_ASSERT_EQUAL(GONE, call.answer);
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.cancel(added_agent.user, &call));
}

/* The host before has gone, and its command has not. */
static void test_the_command_of_a_host_before_is_ended(void)
{
    wfsm_call first = a_call("task/1/0", sleeper()),
              second = a_call("task/1/0", "{\"commands\":[{\"argv\":[\"true\"]}]}");
    wfsm_agents *before = register_commands();
    pid_t pid;

    start_call(&first);
    pid = told_pid("pid");
    wfsm_engine_free(engine);
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 error));
    agents = register_commands();
    second.attempt = 2;
    start_call(&second);
    poll_to_end(&second);
    assert_answer(&second, DONE, "\"passed\":true");
    assert_goes_away(pid);
    wfsm_agents_free(before);
}

static int32_t no_plan(void *user, wfsm_call *call, const char **json, size_t *length,
                       wfsm_error *why)
{
    (void)user;
    (void)call;
    (void)json;
    (void)length;
    return wfsm_error_set(why, WFSM_IO, "the plan is lost");
}

static int32_t answer_short(void *user, wfsm_call *call, const char *results, size_t length)
{
    (void)user;
    TEST_ASSERT_EQUAL(strlen(results), length);
    return wfsm_call_done(call, "{\"short\":1}", 11);
}

static void test_the_host_makes_the_plan_and_the_answer(void)
{
    options.answer = answer_short;
    agents = register_commands();
    run_plan("{\"commands\":[{\"argv\":[\"true\"]}]}", DONE, "{\"short\":1}");
    wfsm_engine_free(engine);
    wfsm_agents_free(agents);
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 error));
    options.plan = no_plan;
    agents = register_commands();
    run_plan("{}", FAILED, "the plan is lost");
}

static void test_options_that_are_wrong(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, error));
    options.timeout_ms = -2;
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_commands(agents, "c", &options, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "timeout_ms"));
    options.timeout_ms = 0;
    options.max_output_bytes = UINT64_MAX;
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_commands(agents, "c", &options, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "max_output_bytes"));
    options.size = 3;
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_commands(agents, "c", &options, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_agents_add_commands(NULL, "c", NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_add_commands(agents, "c", NULL, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_agents_describe(agents, "c", NULL), "\"commands\""));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_plans_that_are_none);
    RUN_TEST(test_results);
    RUN_TEST(test_all_are_run_where_it_is_asked_for);
    RUN_TEST(test_a_canceled_command_ends);
    RUN_TEST(test_calls_that_are_not_known);
    RUN_TEST(test_the_command_of_a_host_before_is_ended);
    RUN_TEST(test_the_host_makes_the_plan_and_the_answer);
    RUN_TEST(test_options_that_are_wrong);
    return UNITY_END() != 0;
}
