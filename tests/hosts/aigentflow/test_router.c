/* The router of seed 004: rules alone, and rules with a model. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include <wfsm/wfsm.h>

#include "router.h"
#include "router_rules.h"

static wfsm_error *error;
static wfsm_machine *hub;
static wfsm_store *store;
static wfsm_engine *engine;
static router decider;
static const char *model_says; /* NULL: there is no model */
static int model_asked;
static int64_t now;

void setUp(void)
{
    model_says = NULL;
    model_asked = 0;
    now = 1000;
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
    wfsm_store_free(store);
}

/* ---- the rules alone ---- */

#define ALL                                                                                    \
    "\"allowedAgents\":[\"architect\",\"tester\",\"reviewer\",\"bug_fixer\",\"analyst\"],"

static void next(const char *input, const char *wanted)
{
    json_t *given = json_loads(input, 0, NULL), *made = rules_next(given);
    json_t *expected = json_loads(wanted, 0, NULL);
    char *text = json_dumps(made, 0);

    TEST_ASSERT_NOT_NULL(given);
    TEST_ASSERT_NOT_NULL(expected);
    json_object_del(made, "reason");
    TEST_ASSERT_TRUE_MESSAGE(json_equal(made, expected), text);
    free(text);
    json_decref(given);
    json_decref(made);
    json_decref(expected);
}

static void test_next(void)
{
    /* 004-12, 004-170, 004-171: the queue first, whatever is suggested */
    next("{" ALL "\"agentQueue\":[\"tester\",\"reviewer\"],\"completedAgents\":[\"tester\"],"
         "\"lastOutput\":{\"routingHints\":{\"suggestNext\":[\"architect\"]}}}",
         "{\"next\":\"tester\",\"by\":\"queue\",\"candidates\":[\"tester\",\"reviewer\"]}");
    /* 004-172: the first suggestion */
    next("{" ALL "\"agentQueue\":[],\"completedAgents\":[],"
         "\"lastOutput\":{\"routingHints\":{\"suggestNext\":[\"tester\",\"reviewer\"]}}}",
         "{\"next\":\"tester\",\"by\":\"hints\",\"candidates\":[\"tester\",\"reviewer\"]}");
    /* 004-172, 004-175: the first that has not completed */
    next("{" ALL "\"agentQueue\":[],\"completedAgents\":[\"tester\"],"
         "\"lastOutput\":{\"routingHints\":{\"suggestNext\":[\"tester\",\"reviewer\"]}}}",
         "{\"next\":\"reviewer\",\"by\":\"hints\",\"candidates\":[\"reviewer\"]}");
    /* ... and is allowed */
    next("{" ALL "\"agentQueue\":[],\"completedAgents\":[],"
         "\"lastOutput\":{\"routingHints\":{\"suggestNext\":[\"git_agent\",\"analyst\"]}}}",
         "{\"next\":\"analyst\",\"by\":\"hints\",\"candidates\":[\"analyst\"]}");
    /* 004-174: nobody */
    next("{" ALL "\"agentQueue\":[],\"completedAgents\":[\"tester\"],"
         "\"lastOutput\":{\"routingHints\":{\"suggestNext\":[\"tester\"]}}}",
         "{\"next\":null,\"by\":\"none\",\"candidates\":[]}");
    next("{" ALL "\"agentQueue\":[],\"completedAgents\":[],\"lastOutput\":null}",
         "{\"next\":null,\"by\":\"none\",\"candidates\":[]}");
    next("{}", "{\"next\":null,\"by\":\"none\",\"candidates\":[]}");
}

static void test_when_a_model_is_needed(void) /* 004-173, 004-176 */
{
    static const struct {
        const char *input;
        int needed;
    } cases[] = {
        {"\"taskAnalysis\":{},\"agentQueue\":[],\"lastOutput\":{\"routingHints\":{}}", 0},
        {"\"taskAnalysis\":{},\"agentQueue\":[],\"lastOutput\":null", 0},
        {"\"taskAnalysis\":{},\"agentQueue\":[],"
         "\"lastOutput\":{\"routingHints\":{\"hasFailures\":true}}",
         1},
        {"\"taskAnalysis\":{},\"agentQueue\":[\"tester\"],"
         "\"lastOutput\":{\"routingHints\":{\"hasFailures\":true}}",
         0},
        {"\"taskAnalysis\":{},\"agentQueue\":[],\"rejectionReason\":\"too blue\"", 1},
        {"\"taskAnalysis\":{},\"agentQueue\":[],\"rejectionReason\":null", 0},
        {"\"taskAnalysis\":null,\"agentQueue\":[]", 1},
        {"\"taskAnalysis\":{},\"agentQueue\":[],\"completedAgents\":[\"tester\"],"
         "\"lastOutput\":{\"routingHints\":{\"suggestNext\":[\"tester\"]}}",
         1},
        {"\"taskAnalysis\":{},\"agentQueue\":[],\"completedAgents\":[],"
         "\"lastOutput\":{\"routingHints\":{\"hasFailures\":true,\"suggestNext\":[\"tester\"]}"
         "}",
         0},
    };
    char text[1024];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "{%s%s}", ALL, cases[i].input);
        json_t *input = json_loads(text, 0, NULL);
        TEST_ASSERT_NOT_NULL(input);
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].needed, rules_need_model(input), cases[i].input);
        json_decref(input);
    }
}

/* ---- on an engine ---- */

static int32_t ready(void *user, wfsm_call *call)
{
    const char *output = user;

    return wfsm_call_done(call, output, strlen(output));
}

static int32_t model(void *user, wfsm_call *call)
{
    (void)user;
    model_asked++;
    return wfsm_call_done(call, model_says, strlen(model_says));
}

static void agent(const char *name, const char *output)
{
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_add_agent(engine, name, ready, (void *)(uintptr_t)output, error));
}

/* All agents answer `output`, but the architect; returns the instance when nothing is left to
 * do. */
static wfsm_instance *run(const char *prompt, const char *architect)
{
    static const char good[] = "{\"success\":true}";
    static const char *const names[] = {
        "project_manager",   "ui_designer",      "frontend_developer",
        "backend_developer", "tester",           "bug_fixer",
        "reviewer",          "project_analyzer", "analyst"};
    wfsm_agent asked = {.size = sizeof asked, .start = model};
    char input[256];

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, hub, error));
    TEST_ASSERT_EQUAL(WFSM_OK, router_add(&decider, model_says ? &asked : NULL, engine, error));
    TEST_ASSERT_EQUAL(WFSM_OK, router_add_analyzer(engine, error));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        agent(names[i], good);
    agent("architect", architect ? architect : good);
    snprintf(input, sizeof input, "{\"prompt\":\"%s\"}", prompt);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_start(engine, "aigentflow", "t", input,
                                                 strlen(input), now, error));
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_engine_send(engine, "t", "START", NULL, NULL, 0, now, NULL, error));
    for (int i = 0; i < 50; i++)
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, now += 1000, error));
    return wfsm_engine_instance(engine, "t");
}

static void is_in(wfsm_instance *instance, const char *state)
{
    size_t length;

    TEST_ASSERT_TRUE_MESSAGE(wfsm_instance_in(instance, state),
                             wfsm_instance_context(instance, &length));
}

static void completed(wfsm_instance *instance, const char *wanted)
{
    size_t length;
    json_t *context = json_loads(wfsm_instance_context(instance, &length), 0, NULL);
    char *text = json_dumps(json_object_get(context, "completedAgents"), JSON_COMPACT);

    TEST_ASSERT_EQUAL_STRING(wanted, text);
    free(text);
    json_decref(context);
}

static void test_the_five_rows_by_rules(void)
{
    /* 004-156 to 004-162: by the words of the task; the first and the third are
     * buildAgentQueue's, the others suggested */
    static const char *const rows[][2] = {
        {"Add login page",
         "[\"project_manager\",\"architect\",\"ui_designer\","
         "\"frontend_developer\",\"backend_developer\",\"tester\",\"reviewer\"]"},
        {"Fix null pointer bug", "[\"project_analyzer\",\"bug_fixer\",\"tester\"]"},
        {"Add API endpoint",
         "[\"project_manager\",\"backend_developer\",\"tester\",\"reviewer\"]"},
        {"Refactor utils",
         "[\"project_analyzer\",\"backend_developer\",\"tester\",\"reviewer\"]"},
        {"Update button color", "[\"ui_designer\",\"frontend_developer\",\"tester\"]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wfsm_instance *instance = run(rows[i][0], NULL);
        is_in(instance, "COMPLETED");
        completed(instance, rows[i][1]);
        tearDown();
        setUp();
    }
}

static int32_t find_decisions(void *user, const wfsm_row *row)
{
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    const json_t *input = json_object_get(record, "input");
    const json_t *output = json_object_get(input, "output");

    if (json_object_get(output, "by"))
        json_array_append(user, json_object_get(input, "output"));
    json_decref(record);
    return WFSM_OK;
}

static void test_choice_candidates_and_reason_are_in_the_journal(void) /* 004-12 */
{
    json_t *found = json_array();

    run("Fix null pointer bug", NULL);
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_store_records(store, "t", 1, UINT64_MAX, find_decisions, found, error));
    char *text = json_dumps(found, JSON_COMPACT);
    TEST_ASSERT_EQUAL_STRING(
        "[{\"next\":\"project_analyzer\",\"by\":\"queue\",\"candidates\":[\"project_analyzer\","
        "\"bug_fixer\",\"tester\"],\"reason\":\"it is the next in the queue\"},"
        "{\"next\":\"bug_fixer\",\"by\":\"queue\",\"candidates\":[\"bug_fixer\",\"tester\"],"
        "\"reason\":\"it is the next in the queue\"},"
        "{\"next\":\"tester\",\"by\":\"queue\",\"candidates\":[\"tester\"],"
        "\"reason\":\"it is the next in the queue\"},"
        "{\"next\":null,\"by\":\"none\",\"candidates\":[],\"reason\":\"no agent is left\"}]",
        text);
    free(text);
    json_decref(found);
}

static const char WORRIED[] = "{\"success\":true,\"routingHints\":{\"hasFailures\":true}}";

/* The login page, and the router is asked by itself what to do about an architect's worry. */
static wfsm_instance *worry(const char *says)
{
    model_says = says;
    wfsm_instance *instance = run("Add login page", NULL);
    TEST_ASSERT_EQUAL(0, model_asked);
    return instance;
}

static void test_a_model_is_not_asked_where_rules_decide(void) /* 004-173 */
{
    is_in(worry("{\"next\":null,\"reason\":\"never asked\"}"), "COMPLETED");
}

/* An analysis that only suggests the architect, who then has failures. */
static int32_t only_architect(void *user, wfsm_call *call)
{
    static const char text[] =
        "{\"taskType\":\"docs\",\"complexity\":\"simple\",\"requiresUI\":false,"
        "\"requiresBackend\":false,\"requiresArchitecture\":true,\"requiresApproval\":false,"
        "\"suggestedAgents\":[\"architect\"]}";
    (void)user;
    return wfsm_call_done(call, text, strlen(text));
}

static wfsm_instance *failures(const char *says)
{
    static const char good[] = "{\"success\":true}";
    wfsm_agent asked = {.size = sizeof asked, .start = model};

    model_says = says;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, hub, error));
    TEST_ASSERT_EQUAL(WFSM_OK, router_add(&decider, says ? &asked : NULL, engine, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_add_agent(engine, "task_analyzer", only_architect, NULL, error));
    agent("architect", WORRIED);
    agent("analyst", good);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_start(engine, "aigentflow", "t",
                                                 "{\"maxAgentRuns\":5}", 18, now, error));
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_engine_send(engine, "t", "START", NULL, NULL, 0, now, NULL, error));
    for (int i = 0; i < 50; i++)
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, now += 1000, error));
    return wfsm_engine_instance(engine, "t");
}

static void test_a_model_chooses_where_rules_leave_it_open(void) /* 004-173, 004-177 */
{
    wfsm_instance *instance =
        failures("{\"next\":\"analyst\",\"by\":\"model\",\"reason\":\"somebody has to look\"}");

    is_in(instance, "COMPLETED");
    completed(instance, "[\"architect\",\"analyst\"]");
    TEST_ASSERT_EQUAL(1, model_asked);
}

static void test_without_a_model_it_ends(void) /* 004-174 */
{
    wfsm_instance *instance = failures(NULL);

    is_in(instance, "COMPLETED");
    completed(instance, "[\"architect\"]");
}

static void fails(const char *says, int asked, const char *message)
{
    size_t length;
    wfsm_instance *instance = failures(says);

    is_in(instance, "ERROR");
    TEST_ASSERT_EQUAL(asked, model_asked);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_instance_context(instance, &length), message),
                                 wfsm_instance_context(instance, &length));
    tearDown();
    setUp();
}

static void test_a_model_that_chooses_badly(void)
{
    /* not one of the thirteen; no agent at all; no reason; nothing: asked once more */
    fails("{\"next\":\"developer\",\"reason\":\"x\"}", 2, "\"class\":\"schema\"");
    fails("{\"next\":7,\"reason\":\"x\"}", 2, "\"class\":\"schema\"");
    fails("{\"next\":\"analyst\"}", 2, "\"class\":\"schema\"");
    fails("null", 2, "\"class\":\"schema\"");
    /* one who goes round in circles */
    fails("{\"next\":\"architect\",\"reason\":\"again\"}", 5, "has not come to an end");
}

int main(void)
{
    json_t *document = json_load_file(FOLDER "/aigentflow.json", 0, NULL);
    char *text = json_dumps(document, JSON_COMPACT);

    UNITY_BEGIN();
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&hub, text, strlen(text), NULL, NULL, error));
    RUN_TEST(test_next);
    RUN_TEST(test_when_a_model_is_needed);
    RUN_TEST(test_the_five_rows_by_rules);
    RUN_TEST(test_choice_candidates_and_reason_are_in_the_journal);
    RUN_TEST(test_a_model_is_not_asked_where_rules_decide);
    RUN_TEST(test_a_model_chooses_where_rules_leave_it_open);
    RUN_TEST(test_without_a_model_it_ends);
    RUN_TEST(test_a_model_that_chooses_badly);
    wfsm_machine_unref(hub);
    wfsm_error_free(error);
    json_decref(document);
    free(text);
    return UNITY_END() != 0;
}
