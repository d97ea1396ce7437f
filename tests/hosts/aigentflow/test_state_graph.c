/* StateGraph of seed 004: its test scenarios as they are written, and its interface. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "state_graph.h"

static wfsm_error *error;
static wfsm_store *store;
static wfsm_machine *linear, *hub;
static state_graph *graph;
static char heard[4096], logged[8192], last[65536];
static int64_t clock_ms;

/* ---- a graph of the project test-project on a memory store ---- */

static int64_t tick(void *user)
{
    (void)user;
    return clock_ms += 1000;
}

static void note(void *user, int level, const char *line)
{
    static const char *const names[] = {"debug: ", "info: ", "warning: ", "error: "};
    (void)user;
    if (strlen(logged) + strlen(line) + 16 > sizeof logged)
        logged[0] = '\0';
    strcat(logged, names[level]);
    strcat(strcat(logged, line), "\n");
}

static void hear(void *user, const char *name, const char *json)
{
    (void)user;
    strcat(strcat(heard, name), " ");
    snprintf(last, sizeof last, "%s", json);
}

static wfsm_machine *load(const char *file)
{
    json_t *document = json_load_file(file, 0, NULL);
    char *text = json_dumps(document, JSON_COMPACT);
    wfsm_machine *machine = NULL;
    TEST_ASSERT_EQUAL_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error),
        wfsm_error_message(error));
    json_decref(document);
    free(text);
    return machine;
}

static state_graph *of(wfsm_machine *machine, const char *project)
{
    state_graph_options options = {
        .machine = machine, .store = store, .project = project, .now = tick, .log = note};
    state_graph *made = NULL;
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, state_graph_new(&made, &options, error),
                              wfsm_error_message(error));
    return made;
}

void setUp(void)
{
    clock_ms = 1700000000000;
    heard[0] = logged[0] = last[0] = '\0';
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    graph = of(linear, "test-project");
}

void tearDown(void)
{
    state_graph_free(graph);
    wfsm_store_free(store);
}

static void use(wfsm_machine *machine)
{
    state_graph_free(graph);
    graph = of(machine, "test-project");
}

static int sent(const char *event, const char *metadata)
{
    int taken;
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK,
                              state_graph_transition(graph, event, metadata, &taken, error),
                              wfsm_error_message(error));
    return taken;
}

static int go(const char *event)
{
    return sent(event, NULL);
}

static void all(const char *events)
{
    char copy[512], *next;
    snprintf(copy, sizeof copy, "%s", events);
    for (char *one = strtok_r(copy, " ", &next); one; one = strtok_r(NULL, " ", &next))
        TEST_ASSERT_TRUE_MESSAGE(go(one), one);
}

static void in(const char *state)
{
    TEST_ASSERT_EQUAL_STRING(state, state_graph_state(graph));
}

static void update(const char *json)
{
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, state_graph_update(graph, json, error),
                              wfsm_error_message(error));
}

/* A member of JSON by its path: "0.from"; the caller looks at it at once. */
static const char *at(const char *json, const char *path)
{
    static char text[4096];
    char copy[256], *next;
    json_t *root = json_loads(json, JSON_DECODE_ANY, NULL), *value = root;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *key = strtok_r(copy, ".", &next); key; key = strtok_r(NULL, ".", &next))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                     : json_object_get(value, key);
    char *made = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    snprintf(text, sizeof text, "%s", made ? made : "(none)");
    free(made);
    json_decref(root);
    return text;
}

static size_t count(const char *json)
{
    json_t *list = json_loads(json, 0, NULL);
    size_t length = json_array_size(list);
    json_decref(list);
    return length;
}

#define HAS(json, path, value) TEST_ASSERT_EQUAL_STRING(value, at(json, path))

static const char *const TO_TESTS_FAIL =
    "START ANALYSIS_COMPLETE PLAN_COMPLETE ARCHITECTURE_COMPLETE DESIGN_COMPLETE APPROVE "
    "START_BUILD BUILD_COMPLETE TESTS_FAILED";

/* ---- the scenarios, in their order ---- */

static void test_initial_state(void) /* 004-351, 004-352, 004-243 */
{
    in("IDLE");
    TEST_ASSERT_EQUAL(0, count(state_graph_history(graph)));
}

static void test_start(void) /* 004-353, 004-371 */
{
    TEST_ASSERT_TRUE(go("START"));
    in("ANALYZING");
}

static void test_happy_path(void) /* 004-354 */
{
    static const struct {
        const char *event, *state;
    } steps[] = {{"START", "ANALYZING"},
                 {"ANALYSIS_COMPLETE", "PLANNING"},
                 {"PLAN_COMPLETE", "ARCHITECTING"},
                 {"ARCHITECTURE_COMPLETE", "DESIGNING"},
                 {"DESIGN_COMPLETE", "AWAITING_APPROVAL"}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        TEST_ASSERT_TRUE(go(steps[i].event));
        in(steps[i].state);
    }
}

static void test_history(void) /* 004-355, 004-248, 004-117, 004-118, 004-119, 004-120 */
{
    all("START ANALYSIS_COMPLETE");
    TEST_ASSERT_EQUAL(2, count(state_graph_history(graph)));
    HAS(state_graph_history(graph), "0.from", "\"IDLE\"");
    HAS(state_graph_history(graph), "0.to", "\"ANALYZING\"");
    HAS(state_graph_history(graph), "1.event", "\"ANALYSIS_COMPLETE\"");
    TEST_ASSERT_NOT_NULL(strstr(at(state_graph_history(graph), "0.timestamp"), "2023-11-14T"));
}

static void test_invalid(void) /* 004-356, 004-357, 004-250, 004-287, 004-372 */
{
    TEST_ASSERT_FALSE(go("APPROVE"));
    in("IDLE");
    TEST_ASSERT_FALSE(go("BUILD_COMPLETE"));
    TEST_ASSERT_EQUAL(0, count(state_graph_history(graph)));
    TEST_ASSERT_EQUAL_STRING(
        "warning: No transition rule for event 'APPROVE' from state 'IDLE'\n"
        "warning: No transition rule for event 'BUILD_COMPLETE' from state 'IDLE'\n",
        logged);
}

static void test_approval(void) /* 004-358 */
{
    all("START ANALYSIS_COMPLETE PLAN_COMPLETE ARCHITECTURE_COMPLETE DESIGN_COMPLETE");
    in("AWAITING_APPROVAL");
    all("APPROVE");
    in("APPROVED");
}

static void test_rejection_and_redesign(void) /* 004-359 */
{
    all("START ANALYSIS_COMPLETE PLAN_COMPLETE ARCHITECTURE_COMPLETE DESIGN_COMPLETE REJECT");
    in("REJECTED");
    all("REDESIGN");
    in("DESIGNING");
}

static void test_max_retries(void) /* 004-360, 004-373 */
{
    all(TO_TESTS_FAIL);
    TEST_ASSERT_TRUE(state_graph_can(graph, "START_FIX"));
    update("{\"retryCount\":3}");
    TEST_ASSERT_FALSE(state_graph_can(graph, "START_FIX"));
    TEST_ASSERT_TRUE(state_graph_can(graph, "MAX_RETRIES_EXCEEDED"));
}

static void test_create_checkpoint(void) /* 004-361, 004-261, 004-262, 004-374 */
{
    const char *checkpoint;
    all("START");
    TEST_ASSERT_EQUAL(WFSM_OK,
                      state_graph_checkpoint(graph, "[\"file1.ts\"]", &checkpoint, error));
    HAS(checkpoint, "state", "\"ANALYZING\"");
    HAS(checkpoint, "artifacts", "[\"file1.ts\"]");
    HAS(checkpoint, "context.prompt", "\"\"");
    TEST_ASSERT_NOT_NULL(strstr(logged, " at state ANALYZING\n"));
    in("ANALYZING");
    TEST_ASSERT_EQUAL(1, count(state_graph_history(graph)));
}

/* Its id, to be kept. */
static void checkpointed(char id[64])
{
    const char *checkpoint;
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_checkpoint(graph, NULL, &checkpoint, error));
    snprintf(id, 64, "%.36s", at(checkpoint, "id") + 1);
}

static int restored(const char *id)
{
    int yes;
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, state_graph_restore(graph, id, &yes, error),
                              wfsm_error_message(error));
    return yes;
}

static void test_restore_checkpoint(void) /* 004-362, 004-267, 004-268, 004-375 */
{
    char id[64], line[128];
    all("START ANALYSIS_COMPLETE");
    checkpointed(id);
    all("PLAN_COMPLETE ERROR START_RECOVERY");
    TEST_ASSERT_TRUE(restored(id));
    in("PLANNING");
    HAS(state_graph_history(graph), "5.from", "\"RECOVERING\"");
    HAS(state_graph_history(graph), "5.to", "\"PLANNING\"");
    HAS(state_graph_history(graph), "5.event", "\"RESTORE_CHECKPOINT\"");
    snprintf(line, sizeof line, "\"%s\"", id);
    HAS(state_graph_history(graph), "5.metadata.checkpointId", line);
    snprintf(line, sizeof line, "info: Restored checkpoint: %s to state PLANNING\n", id);
    TEST_ASSERT_NOT_NULL(strstr(logged, line));
}

static void test_error(void) /* 004-363, 004-279, 004-376 */
{
    all("START ANALYSIS_COMPLETE");
    TEST_ASSERT_FALSE(state_graph_is_error(graph));
    all("ERROR");
    in("ERROR");
    TEST_ASSERT_TRUE(state_graph_is_error(graph));
}

static void test_abort(void) /* 004-364, 004-377 */
{
    all("START ABORT");
    in("ABORTED");
}

/* 004-365, 004-256, 004-275, 004-288, 004-289, 004-290, 004-291, 004-378 */
static void test_persist(void)
{
    char name[300];
    wfsm_instance *saved;
    size_t length;
    update("{\"prompt\":\"Test prompt\"}");
    all("START");
    snprintf(name, sizeof name, "test-project/%s", state_graph_task(graph));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_instance_load(&saved, NULL, store, NULL, name, error));
    TEST_ASSERT_EQUAL_STRING("[\"ANALYZING\"]", wfsm_instance_configuration(saved, &length));
    HAS(wfsm_instance_context(saved, &length), "prompt", "\"Test prompt\"");
    wfsm_instance_free(saved);
}

static void test_load(void) /* 004-366, 004-277, 004-286, 004-03, 004-378 */
{
    state_graph *other = of(linear, "test-project");
    int loaded;
    all("START ANALYSIS_COMPLETE");
    state_graph_on(other, "loaded", hear, NULL, error);
    TEST_ASSERT_EQUAL(WFSM_OK,
                      state_graph_load(other, state_graph_task(graph), &loaded, error));
    TEST_ASSERT_TRUE(loaded);
    TEST_ASSERT_EQUAL_STRING("PLANNING", state_graph_state(other));
    TEST_ASSERT_EQUAL(2, count(state_graph_history(other)));
    TEST_ASSERT_EQUAL_STRING("loaded ", heard);
    HAS(last, "state", "\"PLANNING\"");
    HAS(last, "context.projectId", "\"test-project\"");
    state_graph_free(other);
}

static void test_terminal(void) /* 004-367, 004-278, 004-380 */
{
    TEST_ASSERT_FALSE(state_graph_is_terminal(graph));
    all("ABORT");
    TEST_ASSERT_TRUE(state_graph_is_terminal(graph));
}

static void test_transition_events(void) /* 004-368, 004-06, 004-282, 004-379 */
{
    state_graph_on(graph, "transition", hear, NULL, error);
    all("START");
    TEST_ASSERT_EQUAL_STRING("transition ", heard);
    HAS(last, "event", "\"START\"");
}

static void test_state_events(void) /* 004-369, 004-283 */
{
    state_graph_on(graph, "state:ANALYZING", hear, NULL, error);
    state_graph_on(graph, "state:PLANNING", hear, NULL, error);
    all("START");
    TEST_ASSERT_EQUAL_STRING("state:ANALYZING ", heard);
    HAS(last, "maxRetries", "3");
}

/* ---- the rest of the interface ---- */

/* 004-239, 004-240, 004-241, 004-242, 004-243, 004-244, 004-245, 004-57, 004-58,
 * 004-59, 004-60, 004-61, 004-62, 004-63, 004-64, 004-65, 004-66, 004-67, 004-68,
 * 004-69, 004-70, 004-71, 004-72 */
static void test_new_context(void)
{
    static const struct {
        const char *key, *value;
    } expected[] = {{"projectId", "\"test-project\""},
                    {"prompt", "\"\""},
                    {"taskAnalysis", "null"},
                    {"currentAgent", "null"},
                    {"agentQueue", "[]"},
                    {"completedAgents", "[]"},
                    {"agentOutputs", "{}"},
                    {"activeAgents", "[]"},
                    {"maxConcurrentAgents", "15"},
                    {"epicContext", "null"},
                    {"error", "null"},
                    {"retryCount", "0"},
                    {"maxRetries", "3"},
                    {"checkpoints", "[]"},
                    {"metadata", "{}"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        HAS(state_graph_context(graph), expected[i].key, expected[i].value);
    const char *task = state_graph_task(graph);
    TEST_ASSERT_EQUAL(36, strlen(task));
    TEST_ASSERT_EQUAL('4', task[14]);
    TEST_ASSERT_NOT_NULL(strchr("89ab", task[19]));
}

static void test_options(void) /* 004-241, 004-242, 004-187 */
{
    state_graph_options options = {.machine = hub,
                                   .store = store,
                                   .project = "p",
                                   .max_retries = 5,
                                   .max_concurrent_agents = 2};
    state_graph *made;
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_new(&made, &options, error));
    HAS(state_graph_context(made), "maxRetries", "5");
    HAS(state_graph_context(made), "maxConcurrentAgents", "2");
    state_graph_free(made);
    options.max_retries = -1;
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_new(&made, &options, error));
    HAS(state_graph_context(made), "maxRetries", "0");
    state_graph_free(made);
    static const char *const bad[] = {NULL, "", "a/b"};
    for (size_t i = 0; i < 3; i++) {
        options.project = bad[i];
        TEST_ASSERT_EQUAL(WFSM_INVALID, state_graph_new(&made, &options, error));
    }
}

static void test_a_copy_is_a_copy(void) /* 004-246, 004-247, 004-297 */
{
    char copy[65536];
    all("START");
    snprintf(copy, sizeof copy, "%s", state_graph_context(graph));
    memset(copy, 'x', 20);
    HAS(state_graph_context(graph), "projectId", "\"test-project\"");
}

static void test_metadata_and_log(void) /* 004-121, 004-249, 004-255, 004-257 */
{
    TEST_ASSERT_TRUE(sent("START", "{\"by\":\"ada\"}"));
    HAS(state_graph_history(graph), "0.metadata", "{\"by\":\"ada\"}");
    TEST_ASSERT_EQUAL_STRING("debug: Transition: IDLE -> ANALYZING (START)\n", logged);
    all("ANALYSIS_COMPLETE");
    HAS(state_graph_history(graph), "1.metadata", "(none)");
}

static void test_a_guard_blocks(void) /* 004-251, 004-287 */
{
    use(hub);
    state_graph_on(graph, "transition", hear, NULL, error);
    all("START ANALYSIS_COMPLETE");
    heard[0] = logged[0] = '\0';
    TEST_ASSERT_FALSE(go("SPAWN_AGENT"));
    TEST_ASSERT_EQUAL_STRING("debug: Guard blocked transition for event 'SPAWN_AGENT'\n",
                             logged);
    TEST_ASSERT_EQUAL_STRING("", heard);
    in("ORCHESTRATING");
}

static void test_can_changes_nothing(void) /* 004-259 */
{
    TEST_ASSERT_TRUE(state_graph_can(graph, "START"));
    TEST_ASSERT_FALSE(state_graph_can(graph, "APPROVE"));
    TEST_ASSERT_FALSE(state_graph_can(graph, "RESTORE_CHECKPOINT"));
    in("IDLE");
    TEST_ASSERT_EQUAL_STRING("", logged);
}

static void test_valid_events(void) /* 004-260, 004-151 */
{
    static const struct {
        const char *way, *patch, *events;
    } cases[] = {
        {"", "{}", "[\"START\",\"ERROR\",\"ABORT\"]"},
        {"START ANALYSIS_COMPLETE", "{}", "[\"WORKFLOW_COMPLETE\",\"ERROR\",\"ABORT\"]"},
        {"START ANALYSIS_COMPLETE", "{\"agentQueue\":[\"tester\"]}",
         "[\"SPAWN_AGENT\",\"ERROR\",\"ABORT\"]"},
        {"ERROR", "{}", "[\"ABORT\",\"START_RECOVERY\"]"},
        {"ERROR START_RECOVERY", "{}", "[\"ERROR\",\"ABORT\"]"},
        {"ABORT", NULL, "[]"},
        {"START ANALYSIS_COMPLETE WORKFLOW_COMPLETE FINALIZE", "{}", "[\"ERROR\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use(hub);
        all(cases[i].way);
        if (cases[i].patch)
            update(cases[i].patch);
        TEST_ASSERT_EQUAL_STRING(cases[i].events, state_graph_valid_events(graph));
    }
}

static void test_a_tester_can_go_two_ways(void) /* 004-152 */
{
    use(hub);
    all("START ANALYSIS_COMPLETE");
    update("{\"agentQueue\":[\"tester\"]}");
    all("SPAWN_AGENT AGENT_DONE");
    TEST_ASSERT_EQUAL_STRING("[\"ROUTE_NEXT\",\"ENTER_TEST_PHASE\",\"ERROR\",\"ABORT\"]",
                             state_graph_valid_events(graph));
}

static void test_guards_read_the_outputs_that_are_set(void) /* 004-127, 004-133, 004-134 */
{
    use(hub);
    all("START ANALYSIS_COMPLETE");
    update("{\"agentQueue\":[\"architect\"]}");
    all("SPAWN_AGENT AGENT_DONE");
    update("{\"agentOutputs\":{\"architect\":{\"routingHints\":{\"needsApproval\":true}}}}");
    TEST_ASSERT_TRUE(state_graph_can(graph, "NEEDS_APPROVAL"));
    TEST_ASSERT_FALSE(state_graph_can(graph, "ROUTE_NEXT"));
    update("{\"currentAgent\":\"analyst\"}");
    TEST_ASSERT_TRUE(state_graph_can(graph, "ROUTE_NEXT"));
}

static void test_the_loop_of_fixes(void) /* 004-155, 004-273, 004-274, 004-346 */
{
    int64_t retries;
    all(TO_TESTS_FAIL);
    for (int i = 0; i < 3; i++)
        all("START_FIX FIX_COMPLETE TESTS_FAILED");
    TEST_ASSERT_FALSE(go("START_FIX"));
    all("MAX_RETRIES_EXCEEDED");
    TEST_ASSERT_TRUE(state_graph_is_terminal(graph) && state_graph_is_awaiting_input(graph));
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_reset_retries(graph, error));
    HAS(state_graph_context(graph), "retryCount", "0");
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_increment_retry(graph, &retries, error));
    TEST_ASSERT_EQUAL(1, retries);
}

static void test_update(void) /* 004-272 */
{
    update("{\"prompt\":\"a\",\"metadata\":{\"x\":1}}");
    HAS(state_graph_context(graph), "metadata", "{\"x\":1}");
    static const char *const bad[] = {"{\"nothing\":1}", "{\"retryCount\":\"3\"}",
                                      "{\"checkpoints\":[]}", "{\"prompt\":null}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_SEMANTIC, state_graph_update(graph, bad[i], error),
                                  bad[i]);
        HAS(state_graph_context(graph), "prompt", "\"a\"");
    }
    TEST_ASSERT_EQUAL(WFSM_SYNTAX, state_graph_update(graph, "[]", error));
    TEST_ASSERT_EQUAL(WFSM_SYNTAX, state_graph_update(graph, "{\"prompt\":\"\xff\"}", error));
}

static void test_a_task_that_is_too_long(void) /* bad input: 10 MB */
{
    size_t length = 10000000;
    char *json = malloc(length + 64);
    strcpy(json, "{\"prompt\":\"");
    memset(json + 11, 'x', length);
    strcpy(json + 11 + length, "\"}");
    use(hub);
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, state_graph_update(graph, json, error));
    TEST_ASSERT_NOT_NULL(
        strstr(wfsm_error_message(error),
               "the value does not fit schemas.context: at /prompt: expected "));
    HAS(state_graph_context(graph), "prompt", "\"\"");
    free(json);
}

static void test_restore_is_refused(void) /* 004-264, 004-265, 004-266, 004-270, 004-287 */
{
    char id[64];
    all("START");
    checkpointed(id);
    TEST_ASSERT_FALSE(restored("no such id"));
    TEST_ASSERT_NOT_NULL(strstr(logged, "error: Checkpoint not found: no such id\n"));
    TEST_ASSERT_TRUE(restored(id)); /* from any state, as the seed's code has it */
    in("ANALYZING");
    all("ERROR");
    TEST_ASSERT_FALSE(restored("no such id"));
    in("ERROR");
    TEST_ASSERT_TRUE(restored(id)); /* by START_RECOVERY */
    in("ANALYZING");
    all("ERROR START_RECOVERY");
    TEST_ASSERT_FALSE(go("RESTORE_CHECKPOINT"));
    in("RECOVERING");
    all("ABORT");
    TEST_ASSERT_FALSE(restored(id));
    in("ABORTED");
}

static void test_restore_brings_back_all(void) /* 004-263, 004-269, 004-285, 004-388 */
{
    char first[64], second[64];
    use(hub);
    all("START ANALYSIS_COMPLETE");
    update("{\"agentQueue\":[\"architect\",\"tester\"],\"retryCount\":1}");
    checkpointed(first);
    all("SPAWN_AGENT");
    checkpointed(second);
    all("AGENT_DONE ERROR");
    state_graph_on(graph, "transition", hear, NULL, error);
    state_graph_on(graph, "state:ORCHESTRATING", hear, NULL, error);
    state_graph_on(graph, "restore", hear, NULL, error);
    for (int i = 0; i < 2; i++) { /* it keeps, and so do later ones */
        TEST_ASSERT_TRUE(restored(first));
        HAS(state_graph_context(graph), "agentQueue", "[\"architect\",\"tester\"]");
        HAS(state_graph_context(graph), "currentAgent", "null");
        HAS(state_graph_context(graph), "retryCount", "1");
        TEST_ASSERT_EQUAL(2, count(at(state_graph_context(graph), "checkpoints")));
        TEST_ASSERT_EQUAL_STRING("transition transition state:ORCHESTRATING restore ", heard);
        heard[0] = '\0';
        all("ERROR");
        heard[0] = '\0';
    }
    TEST_ASSERT_TRUE(restored(second));
    in("AGENT_WORKING");
}

/* 004-271, 004-284, 004-112, 004-113, 004-114, 004-115, 004-116 */
static void test_latest_checkpoint(void)
{
    char id[64];
    TEST_ASSERT_EQUAL_STRING("null", state_graph_latest_checkpoint(graph));
    state_graph_on(graph, "checkpoint", hear, NULL, error);
    checkpointed(id);
    all("START");
    checkpointed(id);
    TEST_ASSERT_EQUAL_STRING("checkpoint checkpoint ", heard);
    TEST_ASSERT_NOT_NULL(strstr(last, id));
    TEST_ASSERT_NOT_NULL(strstr(state_graph_latest_checkpoint(graph), id));
    HAS(state_graph_latest_checkpoint(graph), "state", "\"ANALYZING\"");
}

static void test_recovering_shows_the_way_out(void) /* 004-150, 004-260, 004-387 */
{
    char id[64];
    checkpointed(id);
    all("ERROR START_RECOVERY");
    TEST_ASSERT_EQUAL_STRING("[\"ERROR\",\"ABORT\",\"RESTORE_CHECKPOINT\"]",
                             state_graph_valid_events(graph));
}

static void test_load_what_is_not_there(void) /* 004-276, 004-277 */
{
    state_graph *other = of(linear, "another-project");
    char task[64];
    int loaded = 1;
    all("START");
    snprintf(task, sizeof task, "%s", state_graph_task(graph));
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_load(other, task, &loaded, error));
    TEST_ASSERT_FALSE(loaded);
    TEST_ASSERT_EQUAL_STRING("IDLE", state_graph_state(other));
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_load(graph, "unknown", &loaded, error));
    TEST_ASSERT_FALSE(loaded);
    in("ANALYZING");
    state_graph_free(other);
}

static void test_list_and_delete(void) /* 004-293, 004-294, 004-295, 004-296 */
{
    state_graph_options options = {
        .machine = linear, .store = store, .project = "test-project"};
    char *tasks, first[64];
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_list(&options, &tasks, error));
    TEST_ASSERT_EQUAL_STRING("[]", tasks);
    free(tasks);
    all("START");
    snprintf(first, sizeof first, "%s", state_graph_task(graph));
    use(linear);
    all("START ANALYSIS_COMPLETE");
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_list(&options, &tasks, error));
    TEST_ASSERT_EQUAL(2, count(tasks));
    free(tasks);
    for (int i = 0; i < 2; i++) /* an unknown one is no error */
        TEST_ASSERT_EQUAL(WFSM_OK, state_graph_delete(store, "test-project", first, error));
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_list(&options, &tasks, error));
    TEST_ASSERT_EQUAL(1, count(tasks));
    HAS(tasks, "0.state", "\"PLANNING\"");
    HAS(tasks, "0.history.1.event", "\"ANALYSIS_COMPLETE\"");
    HAS(tasks, "0.context.projectId", "\"test-project\"");
    free(tasks);
}

static void test_two_graphs_on_one_task(void) /* 004-258, 004-297 */
{
    state_graph *other = of(linear, "test-project");
    int loaded, taken;
    all("START");
    state_graph_load(other, state_graph_task(graph), &loaded, error);
    all("ANALYSIS_COMPLETE");
    state_graph_on(other, "transition", hear, NULL, error);
    TEST_ASSERT_EQUAL(WFSM_CONFLICT,
                      state_graph_transition(other, "ABORT", NULL, &taken, error));
    TEST_ASSERT_FALSE(taken);
    TEST_ASSERT_EQUAL_STRING("", heard);
    in("PLANNING");
    state_graph_load(other, state_graph_task(graph), &loaded, error);
    TEST_ASSERT_EQUAL_STRING("PLANNING", state_graph_state(other));
    state_graph_free(other);
}

static int32_t measure(void *user, const wfsm_row *row)
{
    *(size_t *)user = row->length;
    return WFSM_OK;
}

/* Of the last commit, in bytes. */
static size_t written(void)
{
    char name[300];
    size_t length = 0;
    wfsm_head head = {.size = sizeof head};
    snprintf(name, sizeof name, "test-project/%s", state_graph_task(graph));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_head(store, name, &head, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_records(store, name, head.revision, head.revision,
                                                  measure, &length, error));
    return length;
}

static void test_a_commit_does_not_grow_with_the_history(void) /* 004-292 */
{
    size_t early, late;
    all("START ANALYSIS_COMPLETE PLAN_COMPLETE ARCHITECTURE_COMPLETE DESIGN_COMPLETE REJECT");
    all("REDESIGN");
    early = written();
    for (int i = 0; i < 200; i++)
        all("DESIGN_COMPLETE REJECT REDESIGN");
    late = written();
    TEST_ASSERT_EQUAL(607, count(state_graph_history(graph)));
    TEST_ASSERT_TRUE_MESSAGE(late < early + 32, "a commit has grown");
}

/* ---- actions that fail: a machine of the test's ---- */

static const char FAILING[] =
    "{\"id\":\"m\",\"initial\":\"IDLE\",\"context\":{\"n\":0,\"projectId\":\"\",\"taskId\":"
    "\"\","
    "\"maxRetries\":0,\"maxConcurrentAgents\":0},\"states\":{"
    "\"IDLE\":{\"on\":{\"START\":{\"target\":\"ANALYZING\",\"actions\":["
    "{\"type\":\"assign\",\"params\":{\"n\":1}},\"burn\"]},\"ERROR\":\"ERROR\"}},"
    "\"ANALYZING\":{},\"ERROR\":{\"tags\":\"error\",\"on\":{\"START\":{\"actions\":\"burn\"}}}}"
    "}";

static int32_t burn(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_failed(call, NULL, "the house is on fire");
}

static void test_an_action_fails(void) /* 004-126, 004-252, 004-253, 004-254 */
{
    wfsm_machine *machine;
    wfsm_functions *functions;
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_machine_load(&machine, FAILING, strlen(FAILING), NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    wfsm_functions_add_action(functions, "burn", burn, NULL, error);
    state_graph_options options = {.machine = machine,
                                   .store = store,
                                   .functions = functions,
                                   .project = "p",
                                   .now = tick,
                                   .log = note};
    state_graph_free(graph);
    TEST_ASSERT_EQUAL(WFSM_OK, state_graph_new(&graph, &options, error));
    TEST_ASSERT_FALSE(go("START"));
    in("ERROR");
    HAS(state_graph_context(graph), "n", "0");
    TEST_ASSERT_EQUAL_STRING("error: Action failed for transition: the house is on fire\n"
                             "debug: Transition: IDLE -> ERROR (ERROR)\n",
                             logged);
    HAS(state_graph_history(graph), "0.metadata.error", "\"the house is on fire\"");
    TEST_ASSERT_FALSE(go("START")); /* where ERROR has no rule */
    in("ERROR");
    TEST_ASSERT_EQUAL(1, count(state_graph_history(graph)));
    state_graph_free(graph);
    graph = NULL;
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
}

int main(void)
{
    UNITY_BEGIN();
    error = wfsm_error_new(NULL);
    linear = load(FOLDER "/linear.json");
    hub = load(FOLDER "/aigentflow.json");
    RUN_TEST(test_initial_state);
    RUN_TEST(test_start);
    RUN_TEST(test_happy_path);
    RUN_TEST(test_history);
    RUN_TEST(test_invalid);
    RUN_TEST(test_approval);
    RUN_TEST(test_rejection_and_redesign);
    RUN_TEST(test_max_retries);
    RUN_TEST(test_create_checkpoint);
    RUN_TEST(test_restore_checkpoint);
    RUN_TEST(test_error);
    RUN_TEST(test_abort);
    RUN_TEST(test_persist);
    RUN_TEST(test_load);
    RUN_TEST(test_terminal);
    RUN_TEST(test_transition_events);
    RUN_TEST(test_state_events);
    RUN_TEST(test_new_context);
    RUN_TEST(test_options);
    RUN_TEST(test_a_copy_is_a_copy);
    RUN_TEST(test_metadata_and_log);
    RUN_TEST(test_a_guard_blocks);
    RUN_TEST(test_can_changes_nothing);
    RUN_TEST(test_valid_events);
    RUN_TEST(test_a_tester_can_go_two_ways);
    RUN_TEST(test_guards_read_the_outputs_that_are_set);
    RUN_TEST(test_the_loop_of_fixes);
    RUN_TEST(test_update);
    RUN_TEST(test_a_task_that_is_too_long);
    RUN_TEST(test_restore_is_refused);
    RUN_TEST(test_restore_brings_back_all);
    RUN_TEST(test_latest_checkpoint);
    RUN_TEST(test_recovering_shows_the_way_out);
    RUN_TEST(test_load_what_is_not_there);
    RUN_TEST(test_list_and_delete);
    RUN_TEST(test_two_graphs_on_one_task);
    RUN_TEST(test_a_commit_does_not_grow_with_the_history);
    RUN_TEST(test_an_action_fails);
    wfsm_machine_unref(linear);
    wfsm_machine_unref(hub);
    wfsm_error_free(error);
    return UNITY_END() != 0;
}
