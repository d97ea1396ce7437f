/* Programs as agents: what they see, what becomes of what they do. */
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
    (void)snprintf(runs, sizeof runs, "%s/deep/runs", workspace);
    host = (wfa_process_host){.children = children, .runs = runs, .folder = workspace};
    agent = NULL;
}

void tearDown(void)
{
    wfa_process_agent_free(agent);
    end_agents();
    end_children();
}

/* An agent that is a shell script, with more lines of TOML. */
static void make_agent(const char *script_text, const char *more)
{
    char text[2000];
    (void)snprintf(text, sizeof text,
                   "[agents.coder]\ngrace_ms = 50\ncommand = [\"sh\", \"-c\", '''%s'''%s]\n"
                   "%s\n",
                   script_text, strstr(more, "prompt =") ? ", \"{prompt}\"" : "", more);
    if (read_agents(text) != 0)
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
    wfa_process_agent_callbacks(agent, &added_agent);
}

static wfsm_call a_call(void)
{
    return (wfsm_call){.id = "task-42/3/0",
                       .instance = "task-42",
                       .state = "loop.build",
                       .input = "{\"goal\":\"fix\"}",
                       .schema = "{\"type\":\"object\"}",
                       .attempt = 1,
                       .claimed = 1700000000123};
}

static void poll_to_end(wfsm_call *call)
{
    int64_t limit = now_ms() + 60000;

    while (call->answer == NO_ANSWER && now_ms() < limit) {
        (void)wfa_children_poll(children, 100);
        TEST_ASSERT_EQUAL(WFSM_OK, added_agent.poll(added_agent.user, call));
    }
}

static void start_and_poll(wfsm_call *call)
{
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.start(added_agent.user, call));
    poll_to_end(call);
}

static void assert_done(const wfsm_call *call, const char *json)
{
    TEST_ASSERT_EQUAL_MESSAGE(DONE, call->answer, call->text);
    TEST_ASSERT_EQUAL_STRING(json, call->text);
}

static void assert_failed(const wfsm_call *call, const char *failure_class, const char *part)
{
    TEST_ASSERT_EQUAL_MESSAGE(FAILED, call->answer, call->text);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(failure_class, call->failure_class, call->text);
    if (!strstr(call->text, part))
        TEST_ASSERT_EQUAL_STRING(part, call->text);
}

static void test_what_the_program_sees(void)
{
    wfsm_call call = a_call();
    char expected[600], *asked, *real = realpath(workspace, NULL);
    size_t length;

    make_agent("cat > asked; echo \"{\\\"env\\\":\\\"$WFSM_INVOCATION_ID $WFSM_ATTEMPT "
               "$WFSM_AGENT $X\\\",\\\"in\\\":\\\"$(pwd -P)\\\"}\"",
               "env = { X = \"own\", WFSM_AGENT = \"other\" }");
    start_and_poll(&call);
    (void)snprintf(expected, sizeof expected,
                   "{\"env\":\"task-42/3/0 1 coder own\",\"in\":\"%s\"}", real);
    free(real);
    assert_done(&call, expected);
    TEST_ASSERT_EQUAL(0, wfa_file_read(in_workspace("asked"), 1000, &asked, &length, NULL));
    TEST_ASSERT_EQUAL_STRING(
        "{\"id\":\"task-42/3/0\",\"attempt\":1,\"agent\":\"coder\",\"instance\":\"task-42\","
        "\"state\":\"loop.build\",\"input\":{\"goal\":\"fix\"},"
        "\"output_schema\":{\"type\":\"object\"}}\n",
        asked);
    free(asked);
}

static void test_files_of_a_run(void)
{
    wfsm_call call = a_call();
    char *text;
    size_t length;

    make_agent("echo why >&2; echo '{}'", "");
    start_and_poll(&call);
    assert_done(&call, "{}");
    TEST_ASSERT_EQUAL(0, wfa_file_read(in_workspace("deep/runs/task-42+3+0.1.log"), 100, &text,
                                       &length, NULL));
    TEST_ASSERT_EQUAL_STRING("why\n", text);
    free(text);
}

static void test_prompt_on_stdin_and_answer_in_prose(void)
{
    wfsm_call call = a_call();

    (void)write_text("p.md", "Do {input} in {state}, {nothing}.");
    make_agent("echo 'Well {maybe}.'; echo '```json'; printf '{\"asked\":\"%s\"}' \"$(tr "
               "'\"{}' ... )\"; echo '```'; echo Bye.",
               "stdin = \"prompt\"\nanswer = \"last-json-block\"\n"
               "prompt = \"{dir}/p.md\"");
    start_and_poll(&call);
    assert_done(&call, "{\"asked\":\"Do ..goal.:.fix.. in loop.build, .nothing..\"}");
}

static void test_prompt_as_an_argument(void)
{
    wfsm_call call = a_call();

    call.input = "\"{id}\""; /* is not filled again */
    (void)write_text("p.md", "{input}");
    make_agent("printf '{\"arg\":%s}' \"$0\"; cat", "prompt = \"{dir}/p.md\"");
    start_and_poll(&call);
    assert_done(&call, "{\"arg\":\"{id}\"}");
}

static void test_prompt_without_a_place_for_the_input(void)
{
    wfsm_call call = a_call();
    char *asked;
    size_t length;

    (void)write_text("p.md", "Do this:\n");
    make_agent("cat > asked; echo '{}'", "stdin = \"prompt\"\nprompt = \"{dir}/p.md\"");
    start_and_poll(&call);
    assert_done(&call, "{}");
    TEST_ASSERT_EQUAL(0, wfa_file_read(in_workspace("asked"), 1000, &asked, &length, NULL));
    TEST_ASSERT_EQUAL_STRING_LEN("Do this:\n\n{\"id\":\"task-42/3/0\",", asked, 30);
    TEST_ASSERT_EQUAL('\n', asked[length - 1]);
    free(asked);
}

static void test_classes(void)
{
    static const struct {
        const char *script, *more, *failure_class, *message;
    } cases[] = {
        {"exit 3", "", "exit", "exit code 3, see "},
        {"exit 75", "exit_classes = { 75 = \"network\" }", "network", "exit code 75, see "},
        {"echo '{}'; exit 1", "", "exit", "deep/runs/task-42+3+0.1.log"},
        {"kill -9 $$", "", "exit", "killed by signal 9 (Killed)"},
        {"sleep 60", "timeout_ms = 50", "timeout", "time limit of 50 ms"},
        {"true", "", "schema", "stdout: expected one JSON object, found nothing, see "},
        {"echo hi", "", "schema", "found 'hi', see "},
        {"echo '{}{}'", "", "schema", "found a second one"},
        {"printf '{\"a\":\"\\377\"}'", "", "schema", "unable to decode byte 0xff"},
        {"head -c 200 /dev/zero", "max_output_bytes = 100", "schema", "more than 100 bytes"},
        {"", "", "exit", "/no/such: cannot be run"},
        {"echo '{}'", "folder = \"{dir}/none\"", "exit", "cannot work in this folder"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        wfsm_call call = a_call();
        if (*cases[index].script) {
            make_agent(cases[index].script, cases[index].more);
        } else {
            make_agent("true", "");
            read_agents("[agents.coder]\ncommand = [\"/no/such\"]\n");
            wfa_process_agent_free(agent);
            TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
            wfa_process_agent_callbacks(agent, &added_agent);
        }
        start_and_poll(&call);
        assert_failed(&call, cases[index].failure_class, cases[index].message);
        tearDown();
        setUp();
    }
}

/* Words are no failure class: they may come from anywhere. */
static void test_what_it_says_of_its_failure(void)
{
    static const struct {
        const char *script, *more, *failure_class, *message;
        int64_t retry_after;
    } cases[] = {
        {"echo '{\"error\":{\"class\":\"network\",\"message\":\"429 Too Many Requests\","
         "\"retry_after\":30}}'; exit 1",
         "", "network", "429 Too Many Requests; exit code 1, see ", 30000},
        {"echo '{\"error\":{\"class\":\"auth\"}}'; exit 9", "", "auth", "exit code 9, see ",
         -1},
        {"echo '{\"error\":{\"class\":\"network\",\"retry_after\":1.5}}'; exit 75",
         "exit_classes = { 75 = \"auth\" }", "network", "exit code 75", 1500},
        {"echo wait; echo '{\"error\":{\"class\":\"timeout\",\"retry_after\":-1}}'; exit 1",
         "answer = \"last-json-block\"", "timeout", "exit code 1", -1},
        {"printf '{\"error\":{\"class\":\"network\",\"message\":\"a\\\\u001b[31m\"}}'; exit 1",
         "", "network", "exit code 1", -1},
        {"echo '{\"error\":{\"class\":\"network\",\"retry_after\":1e300}}'; exit 1", "",
         "network", "exit code 1", -1},
        {"echo '{\"error\":{\"class\":\"quota\"}}'; exit 1", "", "exit", "exit code 1", -1},
        {"echo '{\"error\":{\"class\":7}}'; exit 1", "", "exit", "exit code 1", -1},
        {"echo '{\"error\":\"network\"}'; exit 1", "", "exit", "exit code 1", -1},
        {"echo '{\"class\":\"network\"}'; exit 1", "", "exit", "exit code 1", -1},
        {"echo '{\"error\":{\"class\":\"network\"}'; exit 1", "", "exit", "exit code 1", -1},
        {"echo '{\"error\":{\"class\":\"network\"}}'; kill -9 $$", "", "exit", "killed", -1},
        {"echo 429; exit 1", "", "exit", "exit code 1", -1},
        {"echo 'Error: 429 Too Many Requests' >&2; exit 1", "", "exit", "exit code 1", -1},
        {"echo rate limit; exit 1", "", "exit", "exit code 1", -1},
        {"echo 'quota exceeded, RESOURCE_EXHAUSTED'; exit 1", "", "exit", "exit code 1", -1},
        {"echo '{\"status\":429,\"message\":\"rate_limit\"}'; exit 1", "", "exit",
         "exit code 1", -1},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        wfsm_call call = a_call();
        call.retry_after = -1;
        make_agent(cases[index].script, cases[index].more);
        start_and_poll(&call);
        assert_failed(&call, cases[index].failure_class, cases[index].message);
        TEST_ASSERT_EQUAL_MESSAGE(cases[index].retry_after, call.retry_after,
                                  cases[index].script);
        tearDown();
        setUp();
    }
}

/* With exit code 0 it is an answer. */
static void test_an_answer_with_an_error(void)
{
    wfsm_call call = a_call();

    make_agent("echo '{\"error\":{\"class\":\"network\"}}'", "");
    start_and_poll(&call);
    assert_done(&call, "{\"error\":{\"class\":\"network\"}}");
}

static void test_folder_of_the_instance(void)
{
    wfsm_call call = a_call();
    char *real = realpath(workspace, NULL), expected[256];

    call.instance = "a/../b";
    make_agent("echo \"{\\\"in\\\":\\\"$(pwd -P)\\\"}\"", "folder = \"{dir}/w/{instance}\"");
    TEST_ASSERT_EQUAL(0, wfa_folder_make_own(in_workspace("w/a+..+b"), NULL));
    start_and_poll(&call);
    (void)snprintf(expected, sizeof expected, "{\"in\":\"%s/w/a+..+b\"}", real);
    free(real);
    assert_done(&call, expected);
}

/* The first call names a worktree, the second does not. */
static void test_folder_of_the_worktree(void)
{
    wfsm_call named = a_call(), unnamed = a_call();
    char *real = realpath(workspace, NULL), input[256], expected[256];

    (void)snprintf(input, sizeof input, "{\"worktreePath\":\"%s/tree\"}", real);
    named.input = input;
    make_agent("echo \"{\\\"in\\\":\\\"$(pwd -P)\\\"}\"", "folder = \"{worktree}\"");
    TEST_ASSERT_EQUAL(0, wfa_folder_make_own(in_workspace("tree"), NULL));
    start_and_poll(&named);
    (void)snprintf(expected, sizeof expected, "{\"in\":\"%s/tree\"}", real);
    assert_done(&named, expected);
    unnamed.id = "task-42/4/0";
    start_and_poll(&unnamed);
    (void)snprintf(expected, sizeof expected, "{\"in\":\"%s\"}", real);
    free(real);
    assert_done(&unnamed, expected);
}

static void test_cancel_stops_it(void)
{
    wfsm_call call = a_call();
    pid_t pid;

    make_agent("echo $$ > pid; sleep 60", "");
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.start(added_agent.user, &call));
    pid = told_pid("pid");
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.cancel(added_agent.user, &call));
    while (wfa_children_running(children) > 0)
        (void)wfa_children_poll(children, 100);
    TEST_ASSERT_FALSE(is_there(pid));
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.cancel(added_agent.user, &call));
    TEST_ASSERT_EQUAL(NO_ANSWER, call.answer);
}

static void test_next_attempt_ends_the_one_before(void)
{
    wfsm_call first = a_call(), second = a_call();
    pid_t pid;

    make_agent("if [ $WFSM_ATTEMPT = 1 ]; then echo $$ > pid; sleep 60; fi; echo '{}'", "");
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.start(added_agent.user, &first));
    pid = told_pid("pid");
    wfa_process_agent_free(agent); /* as a new host would not know it */
    TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
    wfa_process_agent_callbacks(agent, &added_agent);
    second.attempt = 2;
    start_and_poll(&second);
    assert_done(&second, "{}");
    assert_goes_away(pid);
}

/* A host that starts the call's work and is killed. */
static void die_at_work(wfsm_call *call)
{
    pid_t dying = fork();

    if (dying == 0) {
        (void)added_agent.start(added_agent.user, call);
        (void)kill(getpid(), SIGKILL);
    }
    TEST_ASSERT_EQUAL(dying, waitpid(dying, NULL, 0));
}

static void probe(wfsm_call *call)
{
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.probe(added_agent.user, call));
}

static void test_probe_finds_it_at_work(void)
{
    wfsm_call call = a_call();

    make_agent("sleep 0.4; echo '{\"ok\":true}'", "");
    die_at_work(&call);
    probe(&call);
    TEST_ASSERT_EQUAL(NO_ANSWER, call.answer);
    probe(&call); /* asked again */
    TEST_ASSERT_EQUAL(NO_ANSWER, call.answer);
    poll_to_end(&call);
    assert_done(&call, "{\"ok\":true}");
}

static void test_probe_finds_its_answer(void)
{
    wfsm_call call = a_call();

    make_agent("echo $$ > pid; echo '{\"ok\":true}'", "");
    die_at_work(&call);
    assert_goes_away(told_pid("pid"));
    probe(&call);
    assert_done(&call, "{\"ok\":true}");
}

static void test_probe_finds_half_an_answer(void)
{
    wfsm_call call = a_call();

    make_agent("echo $$ > pid; printf '{\"ok\":'; kill -9 $$", "");
    die_at_work(&call);
    assert_goes_away(told_pid("pid"));
    probe(&call);
    TEST_ASSERT_EQUAL(GONE, call.answer);
}

static void test_found_at_work_and_ends_without_answer(void)
{
    wfsm_call call = a_call();

    make_agent("sleep 0.2; exit 3", "");
    die_at_work(&call);
    probe(&call);
    poll_to_end(&call);
    assert_failed(&call, "exit", "no host was there");
}

static void test_probe_for_what_never_started(void)
{
    wfsm_call call = a_call();

    make_agent("true", "");
    probe(&call);
    TEST_ASSERT_EQUAL(GONE, call.answer);
}

static void test_probe_does_not_take_the_answer_of_another_store(void)
{
    wfsm_call old = a_call(), call = a_call();

    make_agent("echo '{}'", "");
    start_and_poll(&old);
    call.claimed++;
    probe(&call);
    TEST_ASSERT_EQUAL(GONE, call.answer);
    probe(&old);
    assert_done(&old, "{}");
}

static void test_probe_tells_the_end_that_was_seen(void)
{
    wfsm_call call = a_call(), again = a_call();

    make_agent("echo '{}'; exit 4", "");
    start_and_poll(&call);
    probe(&again);
    assert_failed(&again, "exit", "exit code 4");
}

static void test_probe_after_an_orderly_end_of_the_host(void)
{
    wfsm_call call = a_call();

    make_agent("sleep 60", "");
    TEST_ASSERT_EQUAL(WFSM_OK, added_agent.start(added_agent.user, &call));
    wfa_process_agent_free(agent);
    wfa_children_free(children);
    children = host.children = wfa_children_new();
    TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
    wfa_process_agent_callbacks(agent, &added_agent);
    probe(&call);
    TEST_ASSERT_EQUAL(GONE, call.answer);
}

static void test_probe_of_a_damaged_record(void)
{
    wfsm_call call = a_call();

    make_agent("true", "");
    (void)write_text("deep/runs/task-42+3+0.1.run", "?");
    probe(&call);
    TEST_ASSERT_EQUAL(UNSURE, call.answer);
}

static void test_poll_of_an_unknown_run(void)
{
    wfsm_call call = a_call();

    make_agent("true", "");
    (void)added_agent.poll(added_agent.user, &call);
    assert_failed(&call, "other", "does not know the run");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_the_program_sees);
    RUN_TEST(test_files_of_a_run);
    RUN_TEST(test_prompt_on_stdin_and_answer_in_prose);
    RUN_TEST(test_prompt_as_an_argument);
    RUN_TEST(test_prompt_without_a_place_for_the_input);
    RUN_TEST(test_classes);
    RUN_TEST(test_what_it_says_of_its_failure);
    RUN_TEST(test_an_answer_with_an_error);
    RUN_TEST(test_folder_of_the_instance);
    RUN_TEST(test_folder_of_the_worktree);
    RUN_TEST(test_cancel_stops_it);
    RUN_TEST(test_next_attempt_ends_the_one_before);
    RUN_TEST(test_probe_finds_it_at_work);
    RUN_TEST(test_probe_finds_its_answer);
    RUN_TEST(test_probe_finds_half_an_answer);
    RUN_TEST(test_found_at_work_and_ends_without_answer);
    RUN_TEST(test_probe_for_what_never_started);
    RUN_TEST(test_probe_does_not_take_the_answer_of_another_store);
    RUN_TEST(test_probe_tells_the_end_that_was_seen);
    RUN_TEST(test_probe_after_an_orderly_end_of_the_host);
    RUN_TEST(test_probe_of_a_damaged_record);
    RUN_TEST(test_poll_of_an_unknown_run);
    return UNITY_END() != 0;
}
