/* Coding agents: scripts in place of claude, codex and gemini, which write what these programs do. */
#include "agents/coding.h"
#include "children_support.h"
#include "fake_calls.h"
#include "toml_agents.h"

static wfa_process_agent *agent;
static wfa_process_host host;
static char runs[128];

void setUp(void)
{
    begin_children();
    begin_agents();
    (void)snprintf(runs, sizeof runs, "%s/runs", workspace);
    host = (wfa_process_host){.children = children, .runs = runs, .folder = workspace};
    agent = NULL;
}

void tearDown(void)
{
    wfa_process_agent_free(agent);
    end_agents();
    end_children();
}

/* An agent of a kind whose program is a script that keeps its arguments and its stdin. */
static void make_agent(const char *kind, const char *more, const char *lines)
{
    char text[4000];

    (void)snprintf(text, sizeof text,
                   "#!/bin/sh\nprintf '%%s\\n' \"$@\" > \"%s/args\"\ncat > \"%s/stdin\"\n%s\n",
                   workspace, workspace, lines);
    TEST_ASSERT_EQUAL(0, chmod(write_text("program", text), 0700));
    (void)snprintf(text, sizeof text,
                   "[agents.coder]\nkind = \"%s\"\ncommand = [\"{dir}/program\", \"--own\"]\n"
                   "prompt = \"{dir}/p.md\"\n%s\n",
                   kind, more);
    (void)write_text("p.md", "Do {input}");
    if (read_agents(text) != 0)
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    wfa_process_agent_free(agent);
    TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
    wfa_process_agent_callbacks(agent, &added_agent);
}

#define STRICT                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"string\"}},\"required\":[\"v\"],"  \
    "\"additionalProperties\":false}"

static wfsm_call a_call(int32_t attempt)
{
    return (wfsm_call){.id = "t/3/0",
                       .instance = "t",
                       .state = "build",
                       .input = "{\"goal\":\"fix\"}",
                       .schema = STRICT,
                       .attempt = attempt,
                       .claimed = 1700000000123,
                       .retry_after = -1};
}

static void run_call(wfsm_call *call)
{
    int64_t limit = now_ms() + 60000;

    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.start(added_agent.user, call));
    while (call->answer == NO_ANSWER && now_ms() < limit) {
        (void)wfa_children_poll(children, 100);
        TEST_ASSERT_EQUAL(WFSM_OK, added_agent.poll(added_agent.user, call));
    }
}

static const char *file_text(const char *name)
{
    static char text[4000];
    FILE *file = fopen(in_workspace(name), "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;

    text[length] = '\0';
    if (file)
        (void)fclose(file);
    return text;
}

static void assert_done(const wfsm_call *call, const char *json)
{
    TEST_ASSERT_EQUAL_MESSAGE(DONE, call->answer, call->text);
    TEST_ASSERT_EQUAL_STRING(json, call->text);
}

/* Has it these arguments, one a line? */
static void assert_args(const char *part)
{
    if (!strstr(file_text("args"), part))
        TEST_ASSERT_EQUAL_STRING(part, file_text("args"));
}

static void refute_args(const char *part)
{
    if (strstr(file_text("args"), part))
        TEST_FAIL_MESSAGE(file_text("args"));
}

/* ---- what the programs write ---- */

#define CLAUDE_BEGINS                                                                          \
    "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-0\"}'\n"
#define CLAUDE_WORKS                                                                           \
    CLAUDE_BEGINS                                                                              \
    "echo '{\"type\":\"assistant\",\"message\":{\"content\":[]},\"session_id\":\"s-1\"}'\n"
#define CLAUDE_GOOD                                                                              \
    CLAUDE_WORKS                                                                                 \
    "echo '{\"type\":\"result\",\"is_error\":false,\"result\":\"Done.\",\"session_id\":\"s-1\"," \
    "\"total_cost_usd\":0.0125,\"usage\":{\"input_tokens\":100,"                                 \
    "\"cache_creation_input_tokens\":30,\"cache_read_input_tokens\":20,\"output_tokens\":12},"   \
    "\"permission_denials\":[],\"structured_output\":{\"v\":\"good\"}}'"
#define CODEX_GOOD                                                                             \
    "echo '{\"type\":\"thread.started\",\"thread_id\":\"s-1\"}'\n"                             \
    "echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","                 \
    "\"text\":\"First I look.\"}}'\n"                                                          \
    "echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","                 \
    "\"text\":\"{\\\"v\\\":\\\"good\\\"}\"}}'\n"                                               \
    "echo '{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":100,\"output_tokens\":12}}'"
#define GEMINI_BEGINS                                                                          \
    "echo '{\"type\":\"init\",\"session_id\":\"s-1\"}'\n"                                      \
    "echo '{\"type\":\"message\",\"role\":\"user\",\"content\":\"Do {}\"}'\n"
#define GEMINI_WORKS                                                                           \
    GEMINI_BEGINS "echo '{\"type\":\"tool_use\",\"tool_name\":\"read_file\"}'\n"
#define GEMINI_SAYS(text)                                                                      \
    "echo '{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"" text                   \
    "\",\"delta\":true}'\n"
#define GEMINI_ENDS                                                                            \
    "echo '{\"type\":\"result\",\"status\":\"success\",\"stats\":{\"total_tokens\":112,"       \
    "\"input_tokens\":100,\"output_tokens\":10}}'\n"
/* What it says before it uses a tool is no answer. */
#define GEMINI_GOOD                                                                            \
    GEMINI_BEGINS                                                                              \
    GEMINI_SAYS("{\\\"v\\\":\\\"bad\\\"}")                                                     \
    "echo '{\"type\":\"tool_use\"}'\necho '{\"type\":\"tool_result\"}'\n" GEMINI_SAYS(         \
        "Done. {\\\"v\\\"") GEMINI_SAYS(":\\\"good\\\"}") GEMINI_ENDS

static const struct {
    const char *kind, *good, *usage;
    const char *read, *write, *model, *schema, *resume;
} kinds[] = {
    {"claude", CLAUDE_GOOD, "input_tokens=150 output_tokens=12 tokens=162 micros=12500 ",
     "--permission-mode\ndontAsk\n--disallowed-tools\nEdit,Write,NotebookEdit\n",
     "--permission-mode\nacceptEdits\n", "--model\nbig\n", "--json-schema\n" STRICT "\n",
     "--resume\ns-1\n"},
    {"codex", CODEX_GOOD, "input_tokens=100 output_tokens=12 tokens=112 ",
     "sandbox_mode=\"read-only\"\n", "sandbox_mode=\"workspace-write\"\n", "--model\nbig\n",
     "--output-schema\n", "exec\nresume\n"},
    {"gemini", GEMINI_GOOD, "input_tokens=100 output_tokens=12 tokens=112 ",
     "--approval-mode\nplan\n", "--approval-mode\nauto_edit\n", "--model\nbig\n", NULL,
     "--resume\ns-1\n"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void test_answer_and_usage(void)
{
    size_t index;

    for (index = 0; index < KINDS; index++) {
        wfsm_call call = a_call(1);
        make_agent(kinds[index].kind, "", kinds[index].good);
        run_call(&call);
        assert_done(&call, "{\"v\":\"good\"}");
        TEST_ASSERT_EQUAL_STRING(kinds[index].usage, call.usage);
    }
}

static void test_flags_and_the_prompt(void)
{
    size_t index;

    for (index = 0; index < KINDS; index++) {
        wfsm_call call = a_call(1);
        make_agent(kinds[index].kind, "", kinds[index].good);
        run_call(&call);
        TEST_ASSERT_EQUAL_STRING("Do {\"goal\":\"fix\"}", file_text("stdin"));
        refute_args("goal");
        TEST_ASSERT_EQUAL_STRING_LEN("--own\n", file_text("args"), 6);
        assert_args(kinds[index].read);
        refute_args(kinds[index].write);
        refute_args("--model");
        refute_args(kinds[index].resume);
        if (kinds[index].schema)
            assert_args(kinds[index].schema);
        make_agent(kinds[index].kind, "access = \"write\"\nmodel = \"big\"", kinds[index].good);
        call = a_call(1);
        run_call(&call);
        assert_args(kinds[index].write);
        refute_args(kinds[index].read);
        assert_args(kinds[index].model);
    }
}

/* codex reads the schema from a file, and takes only strict ones. */
static void test_schema_file(void)
{
    wfsm_call call = a_call(1);

    make_agent("codex", "", CODEX_GOOD);
    run_call(&call);
    TEST_ASSERT_EQUAL_STRING(STRICT, file_text("runs/t+3+0.1.schema"));
    call = a_call(2);
    call.schema = "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"string\"}}}";
    run_call(&call);
    refute_args("--output-schema");
    call = a_call(3);
    call.schema = "null";
    run_call(&call);
    refute_args("--output-schema");
}

static void test_next_attempt_continues(void)
{
    size_t index;

    for (index = 0; index < KINDS; index++) {
        wfsm_call call = a_call(1);
        make_agent(kinds[index].kind, "", kinds[index].good);
        run_call(&call);
        call = a_call(2);
        run_call(&call);
        assert_args(kinds[index].resume);
        assert_args("s-1\n");
    }
}

#define GEMINI_FAILED(code, message)                                                             \
    "printf '%s\\n' '{\"type\":\"result\",\"status\":\"error\",\"error\":{\"type\":\"unknown\"," \
    "\"message\":\"" message "\"}}'; exit " code

/* They tell their session while they work, and know it again if the model has answered in it. */
static const struct {
    const char *kind, *begins, *works, *failed;
} sessions[] = {
    {"claude", CLAUDE_BEGINS, CLAUDE_WORKS,
     "echo '{\"type\":\"result\",\"is_error\":true,\"result\":\"Overloaded\"}'; exit 1"},
    {"gemini", GEMINI_BEGINS, GEMINI_WORKS, GEMINI_FAILED("247", "[API Error: Overloaded]")}};

static void fail_as(const char *kind, const char *works, const char *ends)
{
    char lines[1000];
    wfsm_call call = a_call(1);

    (void)snprintf(lines, sizeof lines, "%s%s", works, ends);
    make_agent(kind, "", lines);
    run_call(&call);
    call = a_call(2);
    run_call(&call);
}

static void test_next_attempt_continues_after_a_kill_or_a_failure(void)
{
    size_t index;

    for (index = 0; index < sizeof sessions / sizeof sessions[0]; index++) {
        fail_as(sessions[index].kind, sessions[index].works, "kill -9 $$");
        assert_args("--resume\ns-1\n");
        fail_as(sessions[index].kind, sessions[index].works, sessions[index].failed);
        assert_args("--resume\ns-1\n");
        fail_as(sessions[index].kind, sessions[index].begins, "kill -9 $$");
        refute_args("--resume");
        fail_as(sessions[index].kind, sessions[index].begins, sessions[index].failed);
        refute_args("--resume");
    }
}

static void test_no_session_when_it_was_too_long(void)
{
    wfsm_call call = a_call(1);

    make_agent("claude", "",
               "echo '{\"is_error\":true,\"session_id\":\"s-1\","
               "\"result\":\"Prompt is too long\"}'; exit 1");
    run_call(&call);
    call = a_call(2);
    run_call(&call);
    refute_args("--resume");
}

/* ---- failures ---- */

static const struct {
    const char *kind, *lines, *failure_class, *message;
    int64_t retry_after;
} failures[] = {
    {"claude",
     "echo '{\"is_error\":true,\"api_error_status\":401,\"result\":\"Invalid API key\"}'; exit 1",
     "auth", "auth: Invalid API key; ", -1},
    {"claude",
     "echo '{\"is_error\":true,\"result\":\"Not logged in · Please run /login\"}'; exit 1",
     "auth", "auth: Not logged in", -1},
    {"claude",
     "echo '{\"is_error\":true,\"api_error_status\":429,\"result\":\"API Error: Request rejected "
     "(429)\"}'; exit 1",
     "network", "quota: API Error", -1},
    {"claude", "echo '{\"is_error\":true,\"result\":\"Prompt is too long\"}'; exit 1", "other",
     "context: ", -1},
    {"claude",
     "echo '{\"is_error\":false,\"result\":\"I may not.\",\"permission_denials\":[{\"tool_name\":"
     "\"Bash\"}]}'",
     "auth", "permission: permission denied for the tool Bash", -1},
    {"claude", "echo '{\"is_error\":true,\"subtype\":\"error_max_turns\"}'; exit 1", "exit",
     "error_max_turns; ", -1},
    {"claude", "echo '{\"is_error\":false,\"result\":\"Well.\"}'", "schema", "the answer", -1},
    {"claude", "exit 0", "schema", "without an answer", -1},
    {"codex",
     "echo '{\"type\":\"turn.failed\",\"error\":{\"message\":\"unexpected status 401 "
     "Unauthorized\"}}'; exit 1",
     "auth", "auth: ", -1},
    {"codex",
     "echo '{\"type\":\"turn.failed\",\"error\":{\"message\":\"exceeded retry limit, last status: "
     "429 Too Many Requests\"}}'; exit 1",
     "network", "quota: ", -1},
    {"codex",
     "echo '{\"type\":\"error\",\"message\":\"Rate limit reached. Please try again in "
     "1.5s.\"}'; exit 1",
     "network", "quota: ", 1500},
    {"codex",
     "echo '{\"type\":\"error\",\"message\":\"Codex ran out of room in the context window\"}'; "
     "exit 1",
     "other", "context: ", -1},
    {"codex",
     "echo '{\"type\":\"error\",\"message\":\"stream disconnected before completion\"}'; exit 1",
     "network", "network: ", -1},
    /* Cut off: its last words are no answer. */
    {"codex",
     "echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"{}\"}}'",
     "schema", "without an answer", -1},
    {"gemini", "echo 'Please set an Auth method' >&2; exit 41", "auth",
     "auth: Please set an Auth method", -1},
    {"gemini",
     GEMINI_FAILED("173", "[API Error: Quota exceeded. Please retry in 1m30s.]\\nPlease wait"),
     "network", "quota: Quota exceeded. Please retry in 1m30s.; exit", 90000},
    {"gemini", GEMINI_FAILED("1", "[API Error: The input token count (9) exceeds the maximum]"),
     "other", "context: ", -1},
    {"gemini",
     "echo '{\"type\":\"error\",\"severity\":\"warning\",\"message\":\"Loop detected\"}'\n"
     "echo '{\"type\":\"error\",\"severity\":\"error\",\"message\":\"It said nothing.\"}'\n"
     "echo '{\"type\":\"result\",\"status\":\"error\"}'",
     "exit", "It said nothing.; ", -1},
    /* A part of the answer is lost. */
    {"gemini",
     GEMINI_SAYS("{\\\"v\\\":\\\"go") "echo '{\"type\":\"message\",\"content\":\"od'\n" GEMINI_SAYS(
         "\\\"}") GEMINI_ENDS,
     "schema", "without an answer", -1},
    {"gemini", "echo 'cannot read its settings' >&2; exit 52", "exit",
     "cannot read its settings", -1},
    {"gemini", "exit 75", "timeout", "exit code 75", -1},
    {"codex",
     "echo '{\"type\":\"turn.failed\",\"error\":{\"message\":\"We are currently experiencing high "
     "demand, which may cause temporary errors.\"}}'; exit 1",
     "network", "network: We are currently", -1},
    {"codex",
     "echo '{\"type\":\"turn.failed\",\"error\":{\"message\":\"Selected model is at capacity. Please "
     "try a different model.\"}}'; exit 1",
     "network", "network: Selected model", -1},
    /* It has connected again, and then not answered. */
    {"codex",
     "echo '{\"type\":\"error\",\"message\":\"Reconnecting... (stream disconnected)\"}'\n"
     "echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Well.\"}}'\n"
     "echo '{\"type\":\"turn.completed\"}'",
     "schema", "the answer", -1},
    {"codex",
     "echo 'ERROR codex_core::tools::router: error=patch rejected: writing is blocked' >&2\n"
     "echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"No.\"}}'\n"
     "echo '{\"type\":\"turn.completed\"}'",
     "auth", "permission: permission denied for the tool: ERROR codex_core", -1},
    {"gemini",
     "echo 'Error executing tool write_file: Access denied: plan path' >&2\n" GEMINI_SAYS("No.")
         GEMINI_ENDS,
     "auth", "permission: permission denied for the tool: Error executing tool write_file", -1},
    /* The reply of the service as a text, beside a trace. */
    {"gemini",
     "echo 'ERROR: quota' >&2\n" GEMINI_FAILED(
         "144", "[API Error: {\\\"error\\\":{\\\"message\\\":\\\"API key not valid.\\\"}}]"),
     "auth", "auth: API key not valid.; exit", -1},
    {"gemini",
     GEMINI_FAILED("173",
                   "[API Error: {\\\"error\\\":{\\\"message\\\":\\\"Wait.\\\",\\\"details\\\":"
                   "[{},{\\\"retryDelay\\\":\\\"2.5s\\\"}]}}]"),
     "network", "quota: Wait.; retry in 2.5s; exit", 2500},
    /* 503, of which a byte is left; and codes of its own. */
    {"gemini", GEMINI_FAILED("247", "[API Error: It cannot.]"), "network",
     "network: It cannot.; exit", -1},
    {"gemini", GEMINI_FAILED("54", "[API Error: It cannot.]"), "exit", "It cannot.; exit", -1},
    {"gemini", GEMINI_FAILED("247", "Well."), "exit", "Well.; exit", -1},
};

static void test_failures(void)
{
    size_t index;

    for (index = 0; index < sizeof failures / sizeof failures[0]; index++) {
        wfsm_call call = a_call(1);
        make_agent(failures[index].kind, "exit_classes = { 75 = \"timeout\" }",
                   failures[index].lines);
        run_call(&call);
        TEST_ASSERT_EQUAL_MESSAGE(FAILED, call.answer, failures[index].lines);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(failures[index].failure_class, call.failure_class,
                                         call.text);
        if (!strstr(call.text, failures[index].message))
            TEST_ASSERT_EQUAL_STRING(failures[index].message, call.text);
        TEST_ASSERT_NOT_EQUAL(';', call.text[0]); /* nothing comes before it */
        TEST_ASSERT_EQUAL_INT64(failures[index].retry_after, call.retry_after);
    }
}

/* codex waits for its network until it is ended. */
static void test_timeout_says_what_it_waited_for(void)
{
    wfsm_call call = a_call(1);

    make_agent("codex", "timeout_ms = 300\ngrace_ms = 100",
               "echo '{\"type\":\"error\",\"message\":\"Reconnecting... waiting for network "
               "(Connection failed)\"}'; exec sleep 60");
    run_call(&call);
    TEST_ASSERT_EQUAL_STRING("network", call.failure_class);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(call.text, "network: Reconnecting"), call.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(call.text, "time limit"), call.text);
    call = a_call(2);
    make_agent("codex", "timeout_ms = 300\ngrace_ms = 100", "exec sleep 60");
    run_call(&call);
    TEST_ASSERT_EQUAL_STRING("timeout", call.failure_class);
}

/* What an attempt that failed has used is counted, too. */
static void test_usage_of_a_failure(void)
{
    wfsm_call call = a_call(1);

    make_agent("claude", "",
               "echo '{\"is_error\":true,\"total_cost_usd\":1,\"usage\":{\"input_tokens\":5},"
               "\"result\":\"overloaded\"}'; exit 1");
    run_call(&call);
    TEST_ASSERT_EQUAL_STRING("input_tokens=5 tokens=5 micros=1000000 ", call.usage);
}

/* ---- the file ---- */

static void test_defaults(void)
{
    TEST_ASSERT_EQUAL(0, read_agents("[agents.a]\nkind = \"codex\"\n"));
    TEST_ASSERT_EQUAL_STRING("codex", config_at(0)->command[0]);
    TEST_ASSERT_NULL(config_at(0)->command[1]);
    TEST_ASSERT_EQUAL(WFA_ANSWER_LAST_BLOCK, config_at(0)->answer);
    TEST_ASSERT_FALSE(config_at(0)->may_write);
    TEST_ASSERT_EQUAL_STRING("CODEX_API_KEY", config_at(0)->pass_env[0]);
    TEST_ASSERT_EQUAL(0, read_agents("[agents.a]\nkind = \"command\"\ncommand = [\"x\"]\n"));
    TEST_ASSERT_NULL(config_at(0)->coding);
}

static void test_complaints(void)
{
    static const struct {
        const char *lines, *message;
    } cases[] = {
        {"kind = \"clod\"\ncommand = [\"x\"]",
         "expected \"claude\" or \"codex\" or \"gemini\" or \"command\", found \"clod\""},
        {"kind = \"command\"", "command"},
        {"command = [\"x\"]\naccess = \"read\"", "unknown key 'access'"},
        {"kind = \"claude\"\naccess = \"all\"", "expected \"read\" or \"write\""},
        {"kind = \"claude\"\ncommand = [\"x\", \"{prompt}\"]\nprompt = \"{dir}/p.md\"",
         "a coding agent gets its prompt on stdin"},
        {"kind = \"claude\"\nstdin = \"none\"", "a coding agent gets its prompt on stdin"},
    };
    char text[400];
    size_t index;

    (void)write_text("p.md", "Do it");
    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        (void)snprintf(text, sizeof text, "[agents.a]\n%s\n", cases[index].lines);
        TEST_ASSERT_EQUAL(-1, read_agents(text));
        if (!strstr(wfsm_error_message(error), cases[index].message))
            TEST_ASSERT_EQUAL_STRING(cases[index].message, wfsm_error_message(error));
    }
}

static void test_description(void)
{
    const char *text;

    TEST_ASSERT_EQUAL(0, read_agents("[agents.a]\nkind = \"gemini\"\naccess = \"write\"\n"
                                     "model = \"m\"\n"));
    text = wfsm_agents_describe(agents, "a", NULL);
    TEST_ASSERT_NOT_NULL(
        strstr(text, "\"kind\":\"gemini\",\"access\":\"write\",\"model\":\"m\""));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_answer_and_usage);
    RUN_TEST(test_flags_and_the_prompt);
    RUN_TEST(test_schema_file);
    RUN_TEST(test_next_attempt_continues);
    RUN_TEST(test_next_attempt_continues_after_a_kill_or_a_failure);
    RUN_TEST(test_no_session_when_it_was_too_long);
    RUN_TEST(test_failures);
    RUN_TEST(test_timeout_says_what_it_waited_for);
    RUN_TEST(test_usage_of_a_failure);
    RUN_TEST(test_defaults);
    RUN_TEST(test_complaints);
    RUN_TEST(test_description);
    return UNITY_END() != 0;
}
