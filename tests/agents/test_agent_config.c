/* The tables of agents. */
#include "toml_agents.h"

void setUp(void)
{
    workspace_make();
    begin_agents();
}

void tearDown(void)
{
    end_agents();
    workspace_remove();
}

static void test_defaults(void)
{
    TEST_ASSERT_EQUAL(0, read_agents("[agents.a]\ncommand = [\"x\"]\n"));
    TEST_ASSERT_EQUAL(1, agent_count());
    TEST_ASSERT_EQUAL_STRING("a", config_at(0)->name);
    TEST_ASSERT_EQUAL_STRING("x", config_at(0)->command[0]);
    TEST_ASSERT_NULL(config_at(0)->command[1]);
    TEST_ASSERT_NULL(config_at(0)->folder);
    TEST_ASSERT_NULL(config_at(0)->prompt);
    TEST_ASSERT_NULL(config_at(0)->env[0]);
    TEST_ASSERT_EQUAL(WFA_STDIN_JSON, config_at(0)->input);
    TEST_ASSERT_EQUAL(WFA_ANSWER_JSON, config_at(0)->answer);
    TEST_ASSERT_EQUAL(600000, config_at(0)->timeout_ms);
    TEST_ASSERT_EQUAL(5000, config_at(0)->grace_ms);
    TEST_ASSERT_EQUAL(1048576, config_at(0)->max_output);
    TEST_ASSERT_EQUAL_STRING("exit", wfa_agent_exit_class(config_at(0), 75));
}

static void test_all_keys(void)
{
    char expected[200], *real = realpath(workspace, NULL);

    (void)write_text("p.md", "Do {input}");
    TEST_ASSERT_EQUAL(0,
                      read_agents("[agents.b]\ncommand = [\"{dir}/x\", \"-{dir}-{prompt}\"]\n"
                                  "stdin = \"json\"\nprompt = \"{dir}/p.md\"\n"
                                  "answer = \"last-json-block\"\nfolder = \"{dir}/w\"\n"
                                  "timeout_ms = 1\ngrace_ms = 2\nmax_output_bytes = 3\n"
                                  "max_log_bytes = 4\nenv = { A = \"{dir}\", B = \"\" }\n"
                                  "exit_classes = { 75 = \"network\", 77 = \"auth\" }\n"
                                  "[agents.a]\ncommand = [\"y\"]\n"));
    TEST_ASSERT_EQUAL(2, agent_count());
    TEST_ASSERT_EQUAL_STRING("b", config_at(1)->name);
    (void)snprintf(expected, sizeof expected, "-%s-{prompt}", real);
    TEST_ASSERT_EQUAL_STRING(expected, config_at(1)->command[1]);
    (void)snprintf(expected, sizeof expected, "%s/w", real);
    TEST_ASSERT_EQUAL_STRING(expected, config_at(1)->folder);
    (void)snprintf(expected, sizeof expected, "A=%s", real);
    TEST_ASSERT_EQUAL_STRING(expected, config_at(1)->env[0]);
    TEST_ASSERT_EQUAL_STRING("B=", config_at(1)->env[1]);
    TEST_ASSERT_NULL(config_at(1)->env[2]);
    TEST_ASSERT_EQUAL_STRING("Do {input}", config_at(1)->prompt);
    TEST_ASSERT_EQUAL(WFA_STDIN_JSON, config_at(1)->input);
    TEST_ASSERT_EQUAL(WFA_ANSWER_LAST_BLOCK, config_at(1)->answer);
    TEST_ASSERT_EQUAL(1, config_at(1)->timeout_ms);
    TEST_ASSERT_EQUAL(2, config_at(1)->grace_ms);
    TEST_ASSERT_EQUAL(3, config_at(1)->max_output);
    TEST_ASSERT_EQUAL(4, config_at(1)->max_log);
    TEST_ASSERT_EQUAL_STRING("network", wfa_agent_exit_class(config_at(1), 75));
    TEST_ASSERT_EQUAL_STRING("auth", wfa_agent_exit_class(config_at(1), 77));
    TEST_ASSERT_EQUAL_STRING("exit", wfa_agent_exit_class(config_at(1), 1));
    free(real);
}

static void test_where_a_prompt_goes(void)
{
    (void)write_text("p.md", "Do it");
    TEST_ASSERT_EQUAL(0, read_agents("[agents.a]\ncommand = [\"x\"]\nprompt = \"{dir}/p.md\"\n"
                                     "[agents.b]\ncommand = [\"x\", \"-p={prompt}\"]\n"
                                     "prompt = \"{dir}/p.md\"\n"));
    TEST_ASSERT_EQUAL(WFA_STDIN_PROMPT, config_at(0)->input);
    TEST_ASSERT_EQUAL(WFA_STDIN_NONE, config_at(1)->input);
}

static void test_no_agents(void)
{
    TEST_ASSERT_EQUAL(0, read_agents(""));
    TEST_ASSERT_EQUAL(0, agent_count());
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
        TEST_ASSERT_EQUAL_MESSAGE(-1, read_agents(text), text);
        if (!strstr(wfsm_error_message(error), cases[index].message))
            TEST_ASSERT_EQUAL_STRING(cases[index].message, wfsm_error_message(error));
    }
}

static void test_agents_is_no_table(void)
{
    TEST_ASSERT_EQUAL(-1, read_agents("agents = 3"));
    TEST_ASSERT_EQUAL(-1, read_agents("agents = { a = 3 }"));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), ":1:16: a: expected a table"));
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
