/* libwfsm-agents while calls of the system and of the allocator fail, one after the other, in it,
 * in jansson, in libcurl and in the children that it forks. Whatever fails: an error has words, an
 * attempt has an answer, and nothing is left behind (which the sanitizers see). */
#include <curl/curl.h>
#include <jansson.h>
#include <wfsm/wfsm.h>

#include "children_support.h"
#include "each_fault.h"
#include "fake_calls.h"
#include "toml_agents.h"

static const char text_of_agents[] =
    "[agents.coder]\n"
    "command = [\"sh\", \"-c\", \"cat > asked; echo '{}'\", \"{prompt}\"]\n"
    "prompt = \"prompt.txt\"\nenv = { X = \"own\" }\ngrace_ms = 0\n"
    "exit_classes = { 75 = \"network\" }\ntimeout_ms = 10000\n"
    "[agents.plain]\ncommand = [\"sh\", \"-c\", \"echo '{\\\"n\\\":1}'; echo why >&2\"]\n"
    "[agents.openai]\ntype = \"http\"\napi = \"openai\"\nmodel = \"m\"\n"
    "base_url = \"http://127.0.0.1:1/v1/\"\nsystem = \"prompt.txt\"\nmax_tokens = 10\n"
    "max_tokens_name = \"max_completion_tokens\"\nprice_input = 1\nkey_file = \"key\"\n"
    "[agents.claude]\ntype = \"http\"\napi = \"anthropic\"\nmodel = \"m\"\nstream = false\n"
    "base_url = \"http://127.0.0.1:1\"\nprompt = \"prompt.txt\"\nidle_timeout_ms = 0\n";

static const char plan[] =
    "{\"commands\":[{\"argv\":[\"sh\",\"-c\",\"echo out; echo err >&2\"],"
    "\"kind\":\"test\"},{\"argv\":[\"false\"],\"timeout_ms\":9000},"
    "{\"argv\":[\"true\"]}]}";

static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_call call;
static const char *path, *name;

void setUp(void)
{
    workspace_make();
    begin_agents();
    (void)write_text("prompt.txt", "Do {input} for {instance}.");
    (void)write_text("key", "secret-1\n");
    path = write_text("agents.toml", text_of_agents);
    TEST_ASSERT_EQUAL(0, chdir(workspace));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 error));
    json_set_alloc_funcs(malloc, free);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    end_agents();
    wfsm_store_free(store);
    json_set_alloc_funcs(NULL, NULL);
    TEST_ASSERT_EQUAL(0, chdir("/"));
    workspace_remove();
}

/* ---- reading and describing ---- */

static void prepare_nothing(void)
{
    wfsm_agents_free(agents);
    agents = NULL;
    wfsm_error_free(error);
    error = wfsm_error_new(NULL);
}

static int add_all(void)
{
    static const char *const command[] = {"true", NULL}, *const classes[] = {"1=auth", NULL},
                             *const env[] = {"A=b", NULL};
    const wfsm_process_options process = {.size = sizeof process,
                                          .command = command,
                                          .prompt = "p",
                                          .folder = "{worktree}",
                                          .env = env,
                                          .exit_classes = classes};
    const wfsm_http_options http = {.size = sizeof http,
                                    .api = "openai",
                                    .model = "m",
                                    .key_env = "A_KEY",
                                    .system = "s",
                                    .ca_file = "c"};
    const wfsm_commands_options commands = {.size = sizeof commands, .all = 1};

    return wfsm_agents_add_process(agents, "process", &process, error) ||
           wfsm_agents_add_http(agents, "http", &http, error) ||
           wfsm_agents_add_commands(agents, "commands", &commands, error) ||
           wfsm_agents_copy(agents, "process", "copy", error);
}

static int read_and_describe(void)
{
    int failed = 0;

    if (wfsm_agents_new(&agents, error) || wfsm_agents_load_toml(agents, path, error) ||
        add_all())
        return -1;
    for (size_t index = 0; wfsm_agents_name(agents, index); index++)
        failed |= !wfsm_agents_describe(agents, wfsm_agents_name(agents, index), NULL);
    return failed ? 1 : 0;
}

/* A description that cannot be made is NULL, and no error. */
static void check_has_words(int status)
{
    if (status < 0)
        TEST_ASSERT_NOT_EQUAL_INT('\0', wfsm_error_message(error)[0]);
    else if (status == 0)
        TEST_ASSERT_EQUAL(8, agent_count());
}

static void test_agents_are_read_or_there_is_an_error(void)
{
    TEST_ASSERT_GREATER_THAN(
        300, each_fault(FAULT_ERROR, prepare_nothing, read_and_describe, check_has_words));
    TEST_ASSERT_GREATER_THAN(
        300, each_fault(FAULT_BROKEN, prepare_nothing, read_and_describe, check_has_words));
}

/* ---- attempts ---- */

static int32_t give_plan(void *user, wfsm_call *of, const char **json, size_t *length,
                         wfsm_error *why)
{
    (void)user;
    (void)of;
    (void)why;
    *json = plan;
    *length = strlen(plan);
    return WFSM_OK;
}

static void prepare_agents(void)
{
    static char runs[300];
    static char id[40];
    static int number;
    const wfsm_agents_options options = {
        .size = sizeof options, .runs = runs, .folder = workspace, .store = store};
    const wfsm_commands_options commands = {
        .size = sizeof commands, .plan = give_plan, .all = number % 2};

    (void)snprintf(runs, sizeof runs, "%s/runs", workspace);
    (void)snprintf(id, sizeof id, "task/%d/0", ++number);
    wfsm_engine_free(engine);
    prepare_nothing();
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_load_toml(agents, path, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_add_commands(agents, "checks", &commands, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_register(agents, engine, &options, error));
    added_agent.size = sizeof added_agent;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_callbacks(agents, name, &added_agent, error));
    call = (wfsm_call){.id = id,
                       .instance = "task",
                       .state = "build",
                       .input = "{\"worktree\":\".\"}",
                       .schema = "{}",
                       .attempt = 1 + number % 2,
                       .claimed = 1700000000123};
}

static int attempt(void)
{
    int64_t limit = now_ms() + 60000;
    int32_t status = added_agent.start(added_agent.user, &call);

    while (!status && call.answer == NO_ANSWER && now_ms() < limit) {
        (void)wfsm_agents_wait(agents, 20);
        status = added_agent.poll(added_agent.user, &call);
    }
    return status;
}

/* What may go wrong with an attempt is told as its failure, in words. */
static void check_answered(int status)
{
    TEST_ASSERT_EQUAL(WFSM_OK, status);
    TEST_ASSERT_TRUE_MESSAGE(call.answer == DONE || call.answer == FAILED, call.id);
    TEST_ASSERT_NOT_EQUAL_INT('\0', call.text[0]);
}

static void fail_each(const char *agent, fault kind, long least)
{
    long tried;

    name = agent;
    tried = each_fault(kind, prepare_agents, attempt, check_answered);
    TEST_ASSERT_GREATER_OR_EQUAL(least, tried);
}

static void test_a_program_s_attempt_has_an_answer(void)
{
    fail_each("coder", FAULT_ERROR, 80);
    fail_each("plain", FAULT_ERROR, 80);
}

/* The calls of the child before its program runs: this process does not see how many. */
static void test_the_child_may_fail(void)
{
    int failed = 0;

    name = "coder";
    for (long at = 1; at <= 8; at++) {
        int status;
        prepare_agents();
        faults_arm(FAULT_CHILD, at);
        status = attempt();
        (void)faults_disarm();
        check_answered(status);
        failed += call.answer == FAILED;
    }
    /* It can do without close_range(), and has no eighth call. */
    TEST_ASSERT_GREATER_THAN(2, failed);
    TEST_ASSERT_LESS_THAN(8, failed);
}

static void test_signals_interrupt(void)
{
    fail_each("coder", FAULT_SIGNAL, 5);
}

static void test_an_attempt_of_commands_has_an_answer(void)
{
    fail_each("checks", FAULT_ERROR, 100);
}

static void test_a_call_of_a_model_has_an_answer(void)
{
    fail_each("openai", FAULT_ERROR, 100);
    fail_each("claude", FAULT_ERROR, 100);
}

/* ---- the rest ---- */

static wfsm_progress *progress;

static void prepare_progress(void)
{
    wfsm_progress_free(progress);
    progress = NULL;
}

static int show_progress(void)
{
    char owner[WFSM_OWNER_SIZE], text[WFSM_OWNER_TEXT_SIZE];

    if (wfsm_progress_new(&progress, NULL, error))
        return -1;
    wfsm_progress_live(progress, "one line\nanother");
    return strlen(wfsm_owner_describe(wfsm_session_name(owner), text)) > 0 ? 0 : -1;
}

static void check_progress(int status)
{
    TEST_ASSERT_EQUAL(status != 0, !progress);
}

static void test_names_and_progress(void)
{
    TEST_ASSERT_GREATER_THAN(
        3, each_fault(FAULT_ERROR, prepare_progress, show_progress, check_progress));
    prepare_progress();
}

int main(void)
{
    TEST_ASSERT_EQUAL(
        0, curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, free, realloc, strdup, calloc));
    UNITY_BEGIN();
    RUN_TEST(test_agents_are_read_or_there_is_an_error);
    RUN_TEST(test_a_program_s_attempt_has_an_answer);
    RUN_TEST(test_the_child_may_fail);
    RUN_TEST(test_signals_interrupt);
    RUN_TEST(test_an_attempt_of_commands_has_an_answer);
    RUN_TEST(test_a_call_of_a_model_has_an_answer);
    RUN_TEST(test_names_and_progress);
    curl_global_cleanup();
    return UNITY_END() != 0;
}
