/* Agents whose JSON library runs out of memory, at each of its allocations: they answer as they
 * should, or fail, if in the words of a parser that misses a token. None takes a part of an
 * answer for the whole. */
#include <jansson.h>

#include "children_support.h"
#include "fake_calls.h"
#include "agents/json_answer.h"
#include "toml_agents.h"

static const char agents_text[] =
    "[agents.coder]\ngrace_ms = 50\n"
    "command = [\"sh\", \"-c\", '''cat > asked; echo \"{\\\"a\\\":{\\\"b\\\":[1,2]}}\"''']\n";

static wfa_process_agent *agent;
static wfa_process_host host;
static char runs[128];
static int calls, fail_at; /* 0: never */

static void *scarce(size_t bytes)
{
    return ++calls == fail_at ? NULL : malloc(bytes);
}

void setUp(void)
{
    begin_children();
    begin_agents();
    (void)snprintf(runs, sizeof runs, "%s/runs", workspace);
    host = (wfa_process_host){.children = children, .runs = runs, .folder = workspace};
    if (read_agents(agents_text) != 0)
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    TEST_ASSERT_EQUAL(0, wfa_process_agent_new(&agent, config_at(0), &host, NULL));
    wfa_process_agent_callbacks(agent, &added_agent);
    calls = fail_at = 0;
    json_set_alloc_funcs(scarce, free);
}

void tearDown(void)
{
    json_set_alloc_funcs(malloc, free);
    wfa_process_agent_free(agent);
    end_agents();
    end_children();
}

static void test_an_answer_is_found_whole_or_not_at_all(void)
{
    static const char text[] = "Here: {\"a\": {\"b\": [1, {\"c\": \"d\"}]}, \"e\": {}}\n";
    int refused = 0, found = 0;
    wfa_error why = {.status = WFSM_OK};

    for (int all = 0; !all;) {
        const char *answer = NULL;
        size_t length = 0;
        calls = 0;
        fail_at++;
        if (wfa_answer_find(text, strlen(text), WFA_ANSWER_LAST_BLOCK, &answer, &length,
                            &why) == 0) {
            TEST_ASSERT_EQUAL_PTR(text + 6, answer);
            TEST_ASSERT_EQUAL_size_t(strlen(text) - 7, length);
            found++;
        } else {
            TEST_ASSERT_NOT_EQUAL_INT('\0', why.message[0]);
            refused++;
        }
        all = calls < fail_at;
    }
    printf("%d shortages of %d refused\n", refused, refused + found);
    TEST_ASSERT_GREATER_THAN_INT(10, refused);
}

static void poll_to_end(wfsm_call *call)
{
    int64_t limit = now_ms() + 60000;

    while (call->answer == NO_ANSWER && now_ms() < limit) {
        (void)wfa_children_poll(children, 100);
        TEST_ASSERT_EQUAL(WFSM_OK, added_agent.poll(added_agent.user, call));
    }
}

static void test_a_program_s_answer_is_told_or_it_has_failed(void)
{
    int failed = 0, done = 0;

    for (int all = 0; !all;) {
        char id[40];
        wfsm_call call = {.id = id,
                          .instance = "task",
                          .state = "build",
                          .input = "{\"n\":1}",
                          .schema = "{}",
                          .attempt = 1,
                          .claimed = 1700000000123};

        calls = 0;
        fail_at++;
        (void)snprintf(id, sizeof id, "task/%d/0", fail_at);
        TEST_ASSERT_EQUAL(WFSM_OK, added_agent.start(added_agent.user, &call));
        poll_to_end(&call);
        if (call.answer == DONE) {
            TEST_ASSERT_EQUAL_STRING("{\"a\":{\"b\":[1,2]}}", call.text);
            done++;
        } else {
            TEST_ASSERT_EQUAL_MESSAGE(FAILED, call.answer, call.text);
            failed++;
        }
        all = calls < fail_at;
    }
    printf("%d of %d programs failed for memory\n", failed, failed + done);
    TEST_ASSERT_GREATER_THAN_INT(10, failed);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_answer_is_found_whole_or_not_at_all);
    RUN_TEST(test_a_program_s_answer_is_told_or_it_has_failed);
    return UNITY_END() != 0;
}
