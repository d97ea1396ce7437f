/* The tables of agents. */
#include "agents/agent_config.h"
#include "workspace.h"

static wfa_config *config;
static wfa_agent_config *agents;
static size_t count;
static wfa_error error;

void setUp(void)
{
    workspace_make();
    config = NULL;
    agents = NULL;
    count = 0;
}

static void clean(void)
{
    wfa_agents_free(agents, count);
    wfa_config_close(config);
    agents = NULL;
    config = NULL;
}

void tearDown(void)
{
    clean();
    workspace_remove();
}

static int read_text(const char *text)
{
    clean();
    TEST_ASSERT_EQUAL(0, wfa_config_open(&config, write_text("c.toml", text), &error));
    if (wfa_agents_read(config, &agents, &count, &error) != 0)
        return -1;
    return wfa_config_check(config, &error);
}

static void test_defaults(void)
{
    TEST_ASSERT_EQUAL(0, read_text("[agents.a]\ncommand = [\"x\"]\n"));
    TEST_ASSERT_EQUAL(1, count);
    TEST_ASSERT_EQUAL_STRING("a", agents[0].name);
    TEST_ASSERT_EQUAL_STRING("x", agents[0].command[0]);
    TEST_ASSERT_NULL(agents[0].command[1]);
    TEST_ASSERT_NULL(agents[0].folder);
    TEST_ASSERT_NULL(agents[0].prompt);
    TEST_ASSERT_NULL(agents[0].env[0]);
    TEST_ASSERT_EQUAL(WFA_STDIN_JSON, agents[0].input);
    TEST_ASSERT_EQUAL(WFA_ANSWER_JSON, agents[0].answer);
    TEST_ASSERT_EQUAL(600000, agents[0].timeout_ms);
    TEST_ASSERT_EQUAL(5000, agents[0].grace_ms);
    TEST_ASSERT_EQUAL(1048576, agents[0].max_output);
    TEST_ASSERT_EQUAL_STRING("exit", wfa_agent_exit_class(&agents[0], 75));
}

static void test_all_keys(void)
{
    char expected[200], *real = realpath(workspace, NULL);

    (void)write_text("p.md", "Do {input}");
    TEST_ASSERT_EQUAL(0, read_text("[agents.b]\ncommand = [\"{dir}/x\", \"-{dir}-{prompt}\"]\n"
                                   "stdin = \"json\"\nprompt = \"{dir}/p.md\"\n"
                                   "answer = \"last-json-block\"\nfolder = \"{dir}/w\"\n"
                                   "timeout_ms = 1\ngrace_ms = 2\nmax_output_bytes = 3\n"
                                   "max_log_bytes = 4\nenv = { A = \"{dir}\", B = \"\" }\n"
                                   "exit_classes = { 75 = \"network\", 77 = \"auth\" }\n"
                                   "[agents.a]\ncommand = [\"y\"]\n"));
    TEST_ASSERT_EQUAL(2, count);
    TEST_ASSERT_EQUAL_STRING("b", agents[1].name);
    (void)snprintf(expected, sizeof expected, "-%s-{prompt}", real);
    TEST_ASSERT_EQUAL_STRING(expected, agents[1].command[1]);
    (void)snprintf(expected, sizeof expected, "%s/w", real);
    TEST_ASSERT_EQUAL_STRING(expected, agents[1].folder);
    (void)snprintf(expected, sizeof expected, "A=%s", real);
    TEST_ASSERT_EQUAL_STRING(expected, agents[1].env[0]);
    TEST_ASSERT_EQUAL_STRING("B=", agents[1].env[1]);
    TEST_ASSERT_NULL(agents[1].env[2]);
    TEST_ASSERT_EQUAL_STRING("Do {input}", agents[1].prompt);
    TEST_ASSERT_EQUAL(WFA_STDIN_JSON, agents[1].input);
    TEST_ASSERT_EQUAL(WFA_ANSWER_LAST_BLOCK, agents[1].answer);
    TEST_ASSERT_EQUAL(1, agents[1].timeout_ms);
    TEST_ASSERT_EQUAL(2, agents[1].grace_ms);
    TEST_ASSERT_EQUAL(3, agents[1].max_output);
    TEST_ASSERT_EQUAL(4, agents[1].max_log);
    TEST_ASSERT_EQUAL_STRING("network", wfa_agent_exit_class(&agents[1], 75));
    TEST_ASSERT_EQUAL_STRING("auth", wfa_agent_exit_class(&agents[1], 77));
    TEST_ASSERT_EQUAL_STRING("exit", wfa_agent_exit_class(&agents[1], 1));
    free(real);
}

static void test_where_a_prompt_goes(void)
{
    (void)write_text("p.md", "Do it");
    TEST_ASSERT_EQUAL(0, read_text("[agents.a]\ncommand = [\"x\"]\nprompt = \"{dir}/p.md\"\n"
                                   "[agents.b]\ncommand = [\"x\", \"-p={prompt}\"]\n"
                                   "prompt = \"{dir}/p.md\"\n"));
    TEST_ASSERT_EQUAL(WFA_STDIN_PROMPT, agents[0].input);
    TEST_ASSERT_EQUAL(WFA_STDIN_NONE, agents[1].input);
}

static void test_no_agents(void)
{
    TEST_ASSERT_EQUAL(0, read_text(""));
    TEST_ASSERT_EQUAL(0, count);
}

static void test_complaints(void)
{
    static const struct {
        const char *lines; /* behind [agents.a], from line 2 on */
        const char *message;
    } cases[] = {
        {"", ":1:1: command: missing"},
        {"command = \"x\"", ":2:11: command: expected an array of strings"},
        {"command = []", ":2:11: command: expected a program and its arguments"},
        {"command = [\"\"]", ":2:11: command: expected a program and its arguments"},
        {"command = [\"x\"]\nansver = \"json\"",
         ":3:1: unknown key 'ansver', expected answer, command, env"},
        {"command = [\"x\"]\nanswer = \"yaml\"",
         ":3:10: answer: expected \"json\" or \"last-json-block\", found \"yaml\""},
        {"command = [\"x\"]\nstdin = \"tty\"", ":3:9: stdin: expected \"json\" or \"prompt\" "
                                               "or \"none\", found \"tty\""},
        {"command = [\"x\"]\nstdin = \"prompt\"",
         ":3:9: stdin: \"prompt\" needs the key prompt"},
        {"command = [\"x\", \"{prompt}\"]", ":2:11: command: {prompt} needs the key prompt"},
        {"command = [\"x\"]\nprompt = \"/no/such\"",
         ":3:10: prompt: expected a file: /no/such: No such file"},
        {"command = [\"x\"]\ntimeout_ms = -1", ":3:14: timeout_ms: expected an integer from 0"},
        {"command = [\"x\"]\nmax_output_bytes = 0", ":3:20: max_output_bytes: expected"},
        {"command = [\"x\"]\nenv = [\"A=b\"]", ":3:7: env: expected a table"},
        {"command = [\"x\"]\nenv = { A = 1 }", ":3:13: A: expected a string"},
        {"command = [\"x\"]\nenv = { \"A=\" = \"1\" }", "expected the name of a variable"},
        {"command = [\"x\"]\nexit_classes = { 75 = \"net\" }",
         ":3:23: 75: expected network, timeout, auth"},
        {"command = [\"x\"]\nexit_classes = { 0 = \"exit\" }", "an exit code from 1 to 255"},
        {"command = [\"x\"]\nexit_classes = { x = \"exit\" }", "an exit code from 1 to 255"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        char text[400];
        (void)snprintf(text, sizeof text, "[agents.a]\n%s\n", cases[index].lines);
        TEST_ASSERT_EQUAL_MESSAGE(-1, read_text(text), text);
        if (!strstr(error.message, cases[index].message))
            TEST_ASSERT_EQUAL_STRING(cases[index].message, error.message);
    }
}

static void test_agents_is_no_table(void)
{
    TEST_ASSERT_EQUAL(-1, read_text("agents = 3"));
    TEST_ASSERT_EQUAL(-1, read_text("agents = { a = 3 }"));
    TEST_ASSERT_NOT_NULL(strstr(error.message, ":1:16: a: expected a table"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_defaults);
    RUN_TEST(test_all_keys);
    RUN_TEST(test_where_a_prompt_goes);
    RUN_TEST(test_no_agents);
    RUN_TEST(test_complaints);
    RUN_TEST(test_agents_is_no_table);
    return UNITY_END() != 0;
}
