/* agentd/config.toml (003-150 to 153). */
#include "agentd/config.h"
#include "agents/each_fault.h"
#include "hosts/workspace.h"
#include "shared/files.h"

static agentd_config config;
static host_error error;
static char path[256];
static long refused;

void setUp(void)
{
    workspace_make_fast();
    memset(&config, 0, sizeof config);
    strcpy(path, in_workspace("config.toml"));
}

void tearDown(void)
{
    agentd_config_clear(&config);
    workspace_remove();
}

static int read_text(const char *text)
{
    agentd_config_clear(&config);
    write_file(path, text);
    return agentd_config_read(&config, path, &error);
}

static void assert_standard(void)
{
    static const char *const sections[] = {"Why", "What Changes", "Impact"};
    size_t index;

    TEST_ASSERT_EQUAL_INT64(2, config.planning_iterations);       /* 003-76, 003-151 */
    TEST_ASSERT_EQUAL_INT64(2, config.implementation_iterations); /* 003-120, 003-152 */
    TEST_ASSERT_FALSE(config.is_shared);
    TEST_ASSERT_TRUE(config.sequential_implementation);           /* 003-153 */
    for (index = 0; index < 3; index++)
        TEST_ASSERT_EQUAL_STRING(sections[index], config.required_sections[index]);
    TEST_ASSERT_NULL(config.required_sections[3]);
    TEST_ASSERT_NULL(config.test);
    TEST_ASSERT_NULL(config.scan);
    TEST_ASSERT_EQUAL_INT64(1800000, config.check_timeout);
    TEST_ASSERT_EQUAL(1048576, config.check_output);
    TEST_ASSERT_NULL(wfsm_agents_name(config.agents, 0));
}

static const char *described(agent_role role)
{
    return wfsm_agents_describe(config.agents, agent_role_name(role), NULL);
}

static void assert_runs(const char *program, agent_role role)
{
    char expected[100];

    (void)snprintf(expected, sizeof expected, "\"command\":[\"%s\"", program);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(described(role), expected), described(role));
}

static void test_the_seed_s_own_file(void)
{
    static const char seed[] = "[workflow]\n"
                               "# Max reproposal iterations in plan workflow\n"
                               "planning_iterations = 2\n\n"
                               "# Max resolve iterations in impl workflow\n"
                               "implementation_iterations = 2\n\n"
                               "# Sequential spec-by-spec implementation (vs all-at-once)\n"
                               "sequential_implementation = true\n";

    TEST_ASSERT_EQUAL_MESSAGE(0, read_text(seed), error.message);
    assert_standard();
}

static void test_defaults(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(0, read_text(""), error.message);
    assert_standard();
    TEST_ASSERT_EQUAL(0, read_text("[workflow]\n[proposal]\n[checks]\n[agents]\n"));
    assert_standard();
}

static void test_what_init_writes(void)
{
    static const char *const behind_signs[] = {
        "\n# kind = \"gemini\"",    "\n# kind = \"codex\"",    "\n# kind = \"claude\"",
        "\n# [agents.proposer]",    "\n# [agents.challenger]", "\n# [agents.reviewer]",
        "\n# [agents.implementer]", "\n# type = \"http\""};
    size_t index;

    TEST_ASSERT_EQUAL_MESSAGE(0, read_text(agentd_config_text), error.message);
    assert_standard();
    for (index = 0; index < sizeof behind_signs / sizeof *behind_signs; index++)
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(agentd_config_text, behind_signs[index]),
                                     behind_signs[index]);
}

/* 003-59, 003-66, 003-106, 003-110: the lines behind the signs are right as they stand. */
static void test_the_examples_without_their_signs(void)
{
    char *text = strdup(agentd_config_text), *line, *http, *to;

    TEST_ASSERT_NOT_NULL(text);
    http = strstr(text, "# A model behind HTTP");
    TEST_ASSERT_NOT_NULL(http);
    *http = '\0';
    for (line = to = text; *line; line++)
        if ((line == text || line[-1] == '\n') && line[0] == '#' &&
            (strncmp(line, "# [", 3) == 0 || strstr(line, " = ") < strchr(line, '\n')) &&
            strstr(line, " = "))
            line += 1;
        else
            *to++ = *line;
    *to = '\0';
    TEST_ASSERT_EQUAL(0, host_folder_make(in_workspace("prompts"), NULL));
    (void)write_text("prompts/proposer.md", "propose");
    (void)write_text("prompts/challenger.md", "challenge");
    (void)write_text("prompts/implementer.md", "implement");
    (void)write_text("prompts/reviewer.md", "review");
    TEST_ASSERT_EQUAL_MESSAGE(0, read_text(text), error.message);
    free(text);
    assert_runs("gemini", ROLE_PROPOSER);
    assert_runs("codex", ROLE_CHALLENGER);
    assert_runs("claude", ROLE_IMPLEMENTER);
    assert_runs("codex", ROLE_REVIEWER);
    TEST_ASSERT_EQUAL(0, agentd_config_need(&config, ROLE_CHALLENGER, &error));
}

static void test_all_keys(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(
        0,
        read_text("version = 1\n[workflow]\nplanning_iterations = 0\n"
                  "implementation_iterations = 7\nsequential_implementation = false\n"
                  "workspace = \"shared\"\n"
                  "[proposal]\nrequired_sections = [\"Ziel\", \"Wie es geht\"]\n"
                  "[checks]\ntest = [\"make\", \"-k\", \"test\"]\nscan = []\n"
                  "timeout_ms = 1000\nmax_output_bytes = 99\n"
                  "[agents.proposer]\ncommand = [\"p\", \"{dir}\"]\n"
                  "[agents.challenger]\ntype = \"http\"\napi = \"anthropic\"\nmodel = \"m\"\n"),
        error.message);
    TEST_ASSERT_EQUAL_INT64(0, config.planning_iterations);
    TEST_ASSERT_EQUAL_INT64(7, config.implementation_iterations);
    TEST_ASSERT_FALSE(config.sequential_implementation);
    TEST_ASSERT_TRUE(config.is_shared);
    TEST_ASSERT_EQUAL_STRING("Wie es geht", config.required_sections[1]);
    TEST_ASSERT_NULL(config.required_sections[2]);
    TEST_ASSERT_EQUAL_STRING("-k", config.test[1]);
    TEST_ASSERT_NOT_NULL(config.scan);
    TEST_ASSERT_NULL(config.scan[0]);
    TEST_ASSERT_EQUAL_INT64(1000, config.check_timeout);
    TEST_ASSERT_EQUAL(99, config.check_output);
    TEST_ASSERT_NULL(wfsm_agents_name(config.agents, 2));
    TEST_ASSERT_NOT_NULL(strstr(described(ROLE_CHALLENGER), "\"type\":\"http\""));
    TEST_ASSERT_NULL(described(ROLE_REVIEWER));
    TEST_ASSERT_EQUAL(0, agentd_config_need(&config, ROLE_PROPOSER, &error));
    TEST_ASSERT_EQUAL(0, agentd_config_need(&config, ROLE_CHALLENGER, &error));
}

static const struct {
    const char *text, *said; /* behind the path */
} wrong[] = {
    {"plannning = 2\n", ":1:1: unknown key 'plannning'"},
    {"[workflow]\nplanning_iteration = 2\n",
     ":2:1: unknown key 'planning_iteration', expected"},
    {"\n\n[checks]\n\ntests = []\n", ":5:1: unknown key 'tests'"},
    {"[agents.proposer]\ncommand = [\"x\"]\nmodel = \"m\"\n", ":3:1: unknown key 'model'"},
    {"[agents.coder]\ncommand = [\"x\"]\n", ":1:1: coder: expected proposer, challenger"},
    {"version = 2\n",
     ":1:11: version: expected 1, the version that this agentd reads, found 2"},
    /* The version first: that explains the rest. */
    {"new_key = 1\nversion = 2\n", ":2:11: version: expected 1"},
    {"version = 0\n", "found 0"},
    {"version = \"1\"\n", ":1:11: version: expected an integer"},
    {"[workflow]\nplanning_iterations = -1\n",
     ":2:23: planning_iterations: expected an integer from 0 to 100"},
    {"[workflow]\nimplementation_iterations = 101\n", "expected an integer from 0 to 100"},
    {"[workflow]\nimplementation_iterations = 2.0\n", "expected an integer from 0 to 100"},
    {"[workflow]\nsequential_implementation = 1\n",
     ":2:29: sequential_implementation: expected true or false"},
    {"[workflow]\nworkspace = \"mine\"\n", ":2:13: workspace: expected \"own\" or \"shared\""},
    {"workflow = 1\n", "workflow: expected a table"},
    {"[proposal]\nrequired_sections = [\"\"]\n",
     ":2:21: required_sections: expected the words"},
    {"[proposal]\nrequired_sections = [\"## Why\"]\n", "found '## Why'"},
    {"[proposal]\nrequired_sections = [\"Why:\"]\n", "found 'Why:'"},
    {"[proposal]\nrequired_sections = [\"a\\nb\"]\n", "expected the words of a heading"},
    {"[proposal]\nrequired_sections = \"Why\"\n", "expected an array of strings"},
    {"[checks]\ntest = [\"\"]\n", ":2:8: test: expected a program"},
    {"[checks]\nscan = \"cargo audit\"\n", "scan: expected an array of strings"},
    {"[checks]\ntimeout_ms = 0\n", "expected an integer from 1 to"},
    {"[agents.proposer]\n", "command: missing"},
    {"[workflow]\nplanning_iterations = 2\nplanning_iterations = 3\n", ":3:"},
    {"[workflow\n", ":1:"},
};

static void test_what_is_refused(void)
{
    size_t index;

    for (index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        TEST_ASSERT_EQUAL_MESSAGE(-1, read_text(wrong[index].text), wrong[index].text);
        TEST_ASSERT_EQUAL_STRING_LEN(path, error.message, strlen(path));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, wrong[index].said), error.message);
    }
    agentd_config_clear(&config);
    TEST_ASSERT_EQUAL(-1, agentd_config_read(&config, in_workspace("gone"), &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(error.message, "gone: No such file; `agentd init` writes one"), error.message);
}

static void test_an_agent_that_is_not_set(void)
{
    TEST_ASSERT_EQUAL(0, read_text(""));
    TEST_ASSERT_EQUAL(-1, agentd_config_need(&config, ROLE_IMPLEMENTER, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "[agents.implementer] is missing"),
                                 error.message);
    TEST_ASSERT_EQUAL_STRING_LEN(path, error.message, strlen(path));
}

/* 003-66: another than the proposer. */
static void test_nobody_challenges_their_own_work(void)
{
    static const char *const pairs[][2] = {
        {"command = [\"x\", \"y\"]\n", "command = [\"x\", \"y\"]\n"},
        {"command = [\"x\", \"y\"]\n", "command = [\"x\", \"z\"]\n"},
        {"command = [\"x\", \"y\"]\n", "command = [\"x\"]\n"},
        {"command = [\"x\"]\n", "command = [\"x\"]\nprompt = \"{dir}/p\"\n"},
        {"command = [\"x\"]\n", "type = \"http\"\napi = \"anthropic\"\nmodel = \"m\"\n"},
        {"type = \"http\"\napi = \"anthropic\"\nmodel = \"m\"\n",
         "type = \"http\"\napi = \"anthropic\"\nmodel = \"m\"\n"},
        {"type = \"http\"\napi = \"anthropic\"\nmodel = \"m\"\n",
         "type = \"http\"\napi = \"anthropic\"\nmodel = \"n\"\n"},
    };
    static const int same[] = {1, 0, 0, 0, 0, 1, 0};
    char text[512];
    size_t index;

    (void)write_text("p", "prompt");
    for (index = 0; index < sizeof pairs / sizeof *pairs; index++) {
        (void)snprintf(text, sizeof text, "[agents.proposer]\n%s[agents.challenger]\n%s",
                       pairs[index][0], pairs[index][1]);
        TEST_ASSERT_EQUAL_MESSAGE(0, read_text(text), error.message);
        TEST_ASSERT_EQUAL_MESSAGE(
            same[index], agentd_config_need(&config, ROLE_CHALLENGER, &error) != 0, text);
        TEST_ASSERT_EQUAL(0, agentd_config_need(&config, ROLE_PROPOSER, &error));
    }
}

static void prepare(void)
{
    memset(&error, 0, sizeof error);
    write_file(path, agentd_config_text);
}

static int read_it(void)
{
    agentd_config_clear(&config);
    return agentd_config_read(&config, path, &error);
}

/* Nobody minds when the file cannot be closed after it was read. */
static void check(int status)
{
    TEST_ASSERT_EQUAL(status != 0, error.message[0] != '\0');
    if (status == 0)
        assert_standard();
    refused += status != 0;
}

static void test_every_call_can_fail(void)
{
    long tried = each_fault(FAULT_ERROR, prepare, read_it, check);

    TEST_ASSERT_EQUAL(tried - 1, refused);
    TEST_ASSERT_GREATER_THAN(3, refused);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_seed_s_own_file);
    RUN_TEST(test_defaults);
    RUN_TEST(test_what_init_writes);
    RUN_TEST(test_the_examples_without_their_signs);
    RUN_TEST(test_all_keys);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_an_agent_that_is_not_set);
    RUN_TEST(test_nobody_challenges_their_own_work);
    RUN_TEST(test_every_call_can_fail);
    return UNITY_END() != 0;
}
