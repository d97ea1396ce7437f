/* The agent pool of seed 004: every function, and every defect of the seed's own pool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "agent_pool.h"
#include "ids/ids.h"
#include "agent_types.h"

static wfsm_store *store;
#define IDS(text) ids_in(store, text)
static wfsm_engine *engine;
static agent_pool *pool;
static host_error why;
static int64_t now;

static int32_t later(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

static void open_engine(const char *owner, const char *config)
{
    wfsm_engine_options options = {.size = sizeof options, .session = owner};
    json_t *read = config ? json_loads(config, 0, NULL) : NULL;
    size_t index;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_new(&engine, store, &options, NULL));
    for (index = 0; index < AGENT_TYPES; index++)
        TEST_ASSERT_EQUAL(WFSM_OK,
                          wfsm_engine_add_agent(engine, agent_types[index], later, NULL, NULL));
    TEST_ASSERT_EQUAL_MESSAGE(0, agent_pool_new(&pool, engine, read, FOLDER, &why),
                              why.message);
    json_decref(read);
}

static void close_engine(void)
{
    agent_pool_free(pool);
    wfsm_engine_free(engine);
    pool = NULL;
    engine = NULL;
}

void setUp(void)
{
    now = 1700000000000;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, NULL));
}

void tearDown(void)
{
    close_engine();
    wfsm_store_free(store);
}

/* ---- short forms ---- */

/* The value must be this JSON; it is consumed. */
static void is(const char *expected, json_t *got)
{
    json_t *want = json_loads(expected, JSON_DECODE_ANY, NULL);
    char *text = got ? json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

    TEST_ASSERT_NOT_NULL_MESSAGE(want, expected);
    TEST_ASSERT_TRUE_MESSAGE(json_equal(want, got), text ? text : why.message);
    free(text);
    json_decref(want);
    json_decref(got);
}

static json_t *request(const char *type, const char *feature, const char *phase,
                       const char *priority)
{
    json_t *made = json_pack("{s:s, s:s, s:s, s:{s:s}}", "agentType", type, "phase", phase,
                             "priority", priority, "context", "of", type);

    if (feature)
        json_object_set_new(made, "featureId", json_string(feature));
    return made;
}

static json_t *spawn(const char *type, const char *feature, const char *priority)
{
    json_t *asked = request(type, feature, "development", priority);
    json_t *result = agent_pool_spawn(pool, asked, ++now, &why);

    json_decref(asked);
    TEST_ASSERT_NOT_NULL_MESSAGE(result, why.message);
    return result;
}

static const char *spawn_id(const char *type, const char *feature, const char *priority)
{
    static char ids[64][80];
    static int next;
    json_t *result = spawn(type, feature, priority);
    char *id = ids[next++ % 64];

    (void)snprintf(id, sizeof ids[0], "%s",
                   json_string_value(json_object_get(result, "agentId")));
    json_decref(result);
    return id;
}

static const char *reason_of(const json_t *result)
{
    const char *text = json_string_value(json_object_get(result, "reason"));

    return text ? text : "";
}

/* Ends an agent. The agent that then begins to work must be this one (NULL: none). */
static void completes(const char *id, const char *next)
{
    json_t *output = json_pack("{s:b}", "success", 1);
    int32_t outcome;
    json_t *result = agent_pool_complete(pool, id, output, ++now, &outcome, &why);

    json_decref(output);
    TEST_ASSERT_NOT_NULL_MESSAGE(result, why.message);
    TEST_ASSERT_NOT_EQUAL(WFSM_STALE, outcome);
    if (next)
        TEST_ASSERT_EQUAL_STRING(next, json_string_value(json_object_get(result, "agentId")));
    else
        TEST_ASSERT_TRUE(json_is_null(result));
    json_decref(result);
}

static size_t counted(json_t *list)
{
    size_t count = json_array_size(list);

    json_decref(list);
    return count;
}

/* The input that an invocation of a stored instance was given. */
static json_t *input_of(const char *instance, size_t index)
{
    size_t length;
    const char *text =
        wfsm_instance_invocations(wfsm_engine_instance(engine, instance), &length);
    json_t *list = json_loadb(text, length, 0, NULL);
    json_t *input = json_deep_copy(json_object_get(json_array_get(list, index), "input"));

    json_decref(list);
    return input;
}

/* ---- settings: 004-187, 004-188, 004-189, 004-190, 004-202 ---- */

static void test_defaults(void)
{
    open_engine("a", NULL);
    is("{\"active\":0,\"available\":15,\"max\":15}", agent_pool_utilization(pool));
}

static void test_values_given_replace_the_defaults(void)
{
    open_engine("a", "{\"maxConcurrent\":3}");
    is("{\"active\":0,\"available\":3,\"max\":3}", agent_pool_utilization(pool));
}

static void test_bad_settings(void)
{
    static const char *const bad[] = {"{\"maxConcurrent\":0}",
                                      "{\"maxConcurrent\":-1}",
                                      "{\"maxConcurrent\":1.5}",
                                      "{\"maxConcurrent\":\"3\"}",
                                      "{\"competitiveDesignCount\":0}",
                                      "{\"maxAgentsPerFeature\":null}",
                                      "{\"max\":3}"};
    agent_pool *refused;
    size_t index;

    open_engine("a", NULL);
    for (index = 0; index < sizeof bad / sizeof *bad; index++) {
        json_t *config = json_loads(bad[index], 0, NULL);
        TEST_ASSERT_EQUAL_MESSAGE(-1, agent_pool_new(&refused, engine, config, FOLDER, &why),
                                  bad[index]);
        TEST_ASSERT_NULL(refused);
        json_decref(config);
    }
}

/* ---- spawn: 004-191, 004-192, 004-193, 004-194, 004-195, 004-196, 004-197, 004-198,
 * 004-203, 004-204, 004-205, 004-206, 004-207, 004-73, 004-74, 004-75, 004-76, 004-77,
 * 004-78 ---- */

static void test_spawn(void)
{
    json_t *result, *agents, *agent;
    const char *id;

    open_engine("a", "{\"maxConcurrent\":2}");
    result = spawn("tester", "login", "normal");
    TEST_ASSERT_TRUE(json_is_true(json_object_get(result, "spawned")));
    id = json_string_value(json_object_get(result, "agentId"));
    TEST_ASSERT_EQUAL_STRING(IDS("agent-1700000000001-1/1/1"), id);
    agents = agent_pool_active(pool);
    agent = json_array_get(agents, 0);
    TEST_ASSERT_EQUAL_STRING(id, json_string_value(json_object_get(agent, "id")));
    json_object_del(agent, "id");
    is("{\"type\":\"tester\",\"featureId\":\"login\",\"phase\":\"development\","
       "\"startedAt\":\"2023-11-14T22:13:20.001Z\",\"status\":\"running\"}",
       json_incref(agent));
    is("{\"of\":\"tester\"}", input_of("agent-1700000000001-1", 0)); /* 004-195 */
    is("{\"active\":1,\"available\":1,\"max\":2}", agent_pool_utilization(pool));
    TEST_ASSERT_TRUE(agent_pool_can_spawn(pool, 1));
    TEST_ASSERT_FALSE(agent_pool_can_spawn(pool, 2));
    json_decref(agents);
    json_decref(result);
}

static void test_who_waits_has_an_id(void)
{
    json_t *result;

    open_engine("a", "{\"maxConcurrent\":1}");
    json_decref(spawn("tester", NULL, "normal"));
    result = spawn("reviewer", NULL, "normal");
    TEST_ASSERT_TRUE(json_is_false(json_object_get(result, "spawned")));
    TEST_ASSERT_EQUAL_STRING("Pool at capacity, queued for later", reason_of(result));
    TEST_ASSERT_NOT_NULL(json_object_get(result, "agentId"));
    json_decref(result);
}

static void test_requests_that_are_not_right(void)
{
    static const char *const bad[] = {
        "{\"agentType\":\"planner\",\"phase\":\"planning\",\"priority\":\"high\"}",
        "{\"agentType\":\"tester\",\"phase\":\"tests\",\"priority\":\"high\"}",
        "{\"agentType\":\"tester\",\"phase\":\"testing\",\"priority\":\"urgent\"}",
        "{\"agentType\":\"tester\",\"phase\":\"testing\",\"priority\":\"low\",\"featureId\":\"\"}",
        "{\"agentType\":\"tester\",\"phase\":\"testing\",\"priority\":\"low\",\"context\":7}",
    };
    size_t index;

    open_engine("a", NULL);
    for (index = 0; index < sizeof bad / sizeof *bad; index++) {
        json_t *asked = json_loads(bad[index], 0, NULL);
        TEST_ASSERT_NULL_MESSAGE(agent_pool_spawn(pool, asked, now, &why), bad[index]);
        TEST_ASSERT_EQUAL(0, wfsm_engine_working(engine));
        json_decref(asked);
    }
}

/* 004-190: a fifth agent of one feature waits, though slots are free. */
static void test_limit_per_feature(void)
{
    const char *first;
    json_t *fifth;
    int index;

    open_engine("a", NULL);
    first = spawn_id("frontend_developer", "login", "normal");
    for (index = 0; index < 3; index++)
        (void)spawn_id("tester", "login", "normal");
    fifth = spawn("bug_fixer", "login", "high");
    TEST_ASSERT_TRUE(json_is_false(json_object_get(fifth, "spawned")));
    json_decref(spawn("tester", "search", "low"));
    TEST_ASSERT_EQUAL(4, counted(agent_pool_for_feature(pool, "login")));
    TEST_ASSERT_EQUAL(1, counted(agent_pool_for_feature(pool, "search")));
    completes(first, json_string_value(json_object_get(fifth, "agentId"))); /* 004-212 */
    json_decref(fifth);
}

/* ---- batches: 004-208, 004-209, 004-210 ---- */

static void test_batch(void)
{
    json_t *requests = json_pack("[o, o, o]", request("tester", NULL, "testing", "low"),
                                 request("reviewer", NULL, "review", "high"),
                                 request("analyst", NULL, "planning", "normal"));
    json_t *results;

    open_engine("a", "{\"maxConcurrent\":2}");
    results = agent_pool_spawn_batch(pool, requests, now, &why);
    TEST_ASSERT_EQUAL(3, json_array_size(results));
    TEST_ASSERT_EQUAL_STRING("Pool at capacity, queued", reason_of(json_array_get(results, 0)));
    TEST_ASSERT_TRUE(json_is_true(json_object_get(json_array_get(results, 1), "spawned")));
    TEST_ASSERT_TRUE(json_is_true(json_object_get(json_array_get(results, 2), "spawned")));
    json_decref(results);
    json_decref(requests);
}

static void test_empty_batch(void)
{
    json_t *none = json_array();

    open_engine("a", NULL);
    is("[]", agent_pool_spawn_batch(pool, none, now, &why));
    json_decref(none);
}

/* Priority, then age, over those that waited and those that come. */
static void test_who_is_next(void)
{
    const char *working, *low, *first, *second, *high;

    open_engine("a", "{\"maxConcurrent\":1}");
    working = spawn_id("tester", NULL, "normal");
    low = spawn_id("tester", NULL, "low");
    first = spawn_id("tester", NULL, "normal");
    second = spawn_id("tester", NULL, "normal");
    high = spawn_id("tester", NULL, "high");
    completes(working, high);
    completes(high, first);
    completes(first, second);
    completes(second, low);
    completes(low, NULL);
}

/* ---- ends: 004-211, 004-213, 004-214, 004-215 ---- */

static void test_unknown_and_ended_ids_free_nothing(void)
{
    const char *id;
    int32_t outcome;

    open_engine("a", "{\"maxConcurrent\":1}");
    id = spawn_id("tester", NULL, "normal");
    (void)spawn_id("reviewer", NULL, "normal");
    (void)spawn_id("analyst", NULL, "normal");
    json_decref(agent_pool_complete(pool, id, NULL, ++now, NULL, &why));
    is("null", agent_pool_complete(pool, id, NULL, ++now, &outcome, &why));
    TEST_ASSERT_EQUAL(WFSM_STALE, outcome);
    is("null", agent_pool_complete(pool, "agent-1-1/1/1", NULL, ++now, &outcome, &why));
    TEST_ASSERT_EQUAL(WFSM_STALE, outcome);
    is("null", agent_pool_fail(pool, "nonsense", "other", "", ++now, &outcome, &why));
    TEST_ASSERT_EQUAL(WFSM_STALE, outcome);
    TEST_ASSERT_EQUAL(1, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL(1, wfsm_engine_waiting(engine));
}

static void test_fail_drains_and_is_recorded(void)
{
    const char *id, *next, *last;
    json_t *result;
    size_t length;

    open_engine("a", "{\"maxConcurrent\":1}");
    id = spawn_id("tester", NULL, "normal");
    next = spawn_id("reviewer", NULL, "normal");
    last = spawn_id("analyst", NULL, "normal");
    result = agent_pool_fail(pool, id, "exit", "it broke", ++now, NULL, &why);
    TEST_ASSERT_EQUAL_STRING(next, json_string_value(json_object_get(result, "agentId")));
    json_decref(result);
    TEST_ASSERT_NOT_NULL(strstr(
        wfsm_instance_output(wfsm_engine_instance(engine, "agent-1700000000001-1"), &length),
        "it broke"));
    result = agent_pool_cancel(pool, next, "not needed", ++now, NULL, &why);
    TEST_ASSERT_EQUAL_STRING(last, json_string_value(json_object_get(result, "agentId")));
    json_decref(result);
}

static void test_cancel_one_that_waits(void)
{
    const char *waits;

    open_engine("a", "{\"maxConcurrent\":1}");
    (void)spawn_id("tester", NULL, "normal");
    waits = spawn_id("reviewer", NULL, "normal");
    is("null", agent_pool_cancel(pool, waits, "no", ++now, NULL, &why));
    TEST_ASSERT_EQUAL(0, wfsm_engine_waiting(engine));
}

/* 004-206, 004-216: another process has the same pool. */
static void test_survives_a_restart(void)
{
    const char *working;
    int index;

    open_engine("a", "{\"maxConcurrent\":3}");
    working = spawn_id("tester", "login", "normal");
    for (index = 0; index < 4; index++)
        (void)spawn_id("reviewer", "search", "normal");
    close_engine();
    open_engine("a", "{\"maxConcurrent\":3}");
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_adopt_all(engine, ++now, NULL, NULL));
    now++;
    while (wfsm_engine_deadline(engine) <= now)
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, now, NULL));
    TEST_ASSERT_EQUAL(3, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL(2, wfsm_engine_waiting(engine));
    json_decref(agent_pool_complete(pool, working, NULL, ++now, NULL, &why));
    TEST_ASSERT_EQUAL(3, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL(1, wfsm_engine_waiting(engine));
}

/* ---- questions: 004-217, 004-218, 004-219, 004-234, 004-235, 004-236, 004-237, 004-65,
 * 004-66 ---- */

static void test_phases(void)
{
    json_t *asked = request("tester", NULL, "testing", "normal");

    open_engine("a", NULL);
    json_decref(agent_pool_spawn(pool, asked, now, &why));
    (void)spawn_id("backend_developer", "login", "normal");
    TEST_ASSERT_EQUAL(1, counted(agent_pool_in_phase(pool, "testing")));
    TEST_ASSERT_EQUAL(1, counted(agent_pool_in_phase(pool, "development")));
    TEST_ASSERT_EQUAL(0, counted(agent_pool_in_phase(pool, "review")));
    is("{\"utilization\":{\"active\":2,\"available\":13,\"max\":15},"
       "\"byPhase\":{\"planning\":0,\"design_competition\":0,\"development\":1,"
       "\"testing\":1,\"fixing\":0,\"review\":0},\"byFeature\":{\"login\":1},"
       "\"pending\":0}",
       agent_pool_status(pool));
    json_decref(asked);
}

static size_t posts(const char *instance)
{
    size_t length;
    const char *text =
        wfsm_instance_configuration(wfsm_engine_instance(engine, instance), &length);

    return text && strstr(text, "over");
}

static void test_wait_for_phase(void)
{
    static const char document[] =
        "{\"id\":\"w\",\"initial\":\"waits\",\"states\":{\"waits\":{\"on\":"
        "{\"empty\":\"over\"}},\"over\":{}}}";
    wfsm_machine *machine;
    const char *one, *two;

    open_engine("a", "{\"maxConcurrent\":1}");
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, machine, NULL));
    wfsm_machine_unref(machine);
    wfsm_engine_start(engine, "w", "at-once", NULL, 0, now, NULL);
    wfsm_engine_start(engine, "w", "later", NULL, 0, now, NULL);
    TEST_ASSERT_EQUAL(
        0, agent_pool_wait_for_phase(pool, "development", "at-once", "empty", "1", now, &why));
    TEST_ASSERT_EQUAL(
        -1, agent_pool_wait_for_phase(pool, "lunch", "at-once", "empty", "1", now, &why));
    one = spawn_id("tester", NULL, "normal");
    two = spawn_id("tester", NULL, "normal");
    TEST_ASSERT_EQUAL(
        0, agent_pool_wait_for_phase(pool, "development", "later", "empty", "1", now, &why));
    TEST_ASSERT_EQUAL(1, posts("at-once"));
    completes(one, two);
    TEST_ASSERT_EQUAL(0, posts("later"));
    completes(two, NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, ++now, NULL));
    TEST_ASSERT_EQUAL(1, posts("later"));
}

/* ---- competition: 004-189, 004-200, 004-220, 004-221, 004-222, 004-223, 004-224, 004-225
 * ---- */

static json_t *compete(void)
{
    json_t *context = json_loads("{\"colour\":\"red\",\"designVariant\":99}", 0, NULL);
    json_t *made = agent_pool_compete(pool, "a login page", context, ++now, &why);

    json_decref(context);
    TEST_ASSERT_NOT_NULL_MESSAGE(made, why.message);
    return made;
}

static void make_designs(const json_t *competition)
{
    json_t *ids = json_object_get(competition, "agentIds"), *id;
    size_t index;

    json_array_foreach(ids, index, id)
    {
        json_t *design = json_pack("{s:I}", "mockup", (json_int_t)index + 1);
        json_decref(
            agent_pool_complete(pool, json_string_value(id), design, ++now, NULL, &why));
        json_decref(design);
    }
}

static const char *name_of(const json_t *competition)
{
    return json_string_value(json_object_get(competition, "competition"));
}

static void test_fifteen_designers(void)
{
    json_t *made;
    json_t *input;

    open_engine("a", NULL);
    made = compete();
    TEST_ASSERT_EQUAL(15, json_integer_value(json_object_get(made, "expectedOutputs")));
    TEST_ASSERT_EQUAL(15, json_array_size(json_object_get(made, "agentIds")));
    TEST_ASSERT_EQUAL(15, counted(agent_pool_in_phase(pool, "design_competition")));
    input = input_of(name_of(made), 4);
    is("{\"colour\":\"red\",\"requirement\":\"a login page\",\"designVariant\":5,"
       "\"totalVariants\":15,\"competitionMode\":true}",
       input);
    json_decref(made);
    /* A full pool: nobody, and nothing waits. */
    is("{\"competition\":null,\"agentIds\":[],\"expectedOutputs\":0}", compete());
    TEST_ASSERT_EQUAL(0, wfsm_engine_waiting(engine));
}

static void test_as_many_designers_as_slots(void)
{
    json_t *made;

    open_engine("a", "{\"maxConcurrent\":4,\"competitiveDesignCount\":9}");
    (void)spawn_id("tester", NULL, "normal");
    made = compete();
    TEST_ASSERT_EQUAL(3, json_integer_value(json_object_get(made, "expectedOutputs")));
    json_decref(made);
}

static void test_a_person_chooses(void)
{
    json_t *made;
    size_t length;
    wfsm_instance *one;

    open_engine("a", "{\"competitiveDesignCount\":3}");
    made = compete();
    TEST_ASSERT_EQUAL(-1, agent_pool_choose(pool, name_of(made), 1, "ada", NULL, now, &why));
    make_designs(made);
    TEST_ASSERT_EQUAL(-1, agent_pool_choose(pool, name_of(made), 4, "ada", NULL, now, &why));
    TEST_ASSERT_EQUAL(-1, agent_pool_choose(pool, name_of(made), 0, "ada", NULL, now, &why));
    TEST_ASSERT_EQUAL_MESSAGE(
        0, agent_pool_choose(pool, name_of(made), 2, "ada", "calm", now, &why), why.message);
    one = wfsm_engine_instance(engine, name_of(made));
    TEST_ASSERT_EQUAL_STRING("{\"variant\":2,\"design\":{\"mockup\":2},\"chosenBy\":\"ada\"}",
                             wfsm_instance_output(one, &length));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_instance_record(one, &length), "\"by\":\"ada\""));
    TEST_ASSERT_NULL(strstr(wfsm_instance_context(one, &length), "\"mockup\":1"));
    json_decref(made);
}

/* ---- epics: 004-86, 004-87, 004-88, 004-89, 004-90, 004-91, 004-92, 004-93, 004-94,
 * 004-199, 004-201, 004-226, 004-227, 004-228, 004-229, 004-230, 004-231, 004-232, 004-233
 * ---- */

static json_t *epic(size_t features, json_int_t parallel)
{
    json_t *list = json_array();
    char id[32], name[40];
    size_t index;

    for (index = 0; index < features; index++) {
        (void)snprintf(id, sizeof id, "f%zu", index);
        (void)snprintf(name, sizeof name, "feature %zu", index);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "featureId", id, "name", name,
                                              "status", "pending"));
    }
    return json_pack("{s:s, s:o, s:I}", "epicId", "e", "features", list, "parallelFeatures",
                     parallel);
}

static void test_planners(void)
{
    json_t *made = epic(5, 5), *results;

    open_engine("a", NULL);
    json_object_set_new(json_array_get(json_object_get(made, "features"), 1), "status",
                        json_string("testing"));
    results = agent_pool_plan_epic(pool, made, now, &why);
    TEST_ASSERT_EQUAL(4, json_array_size(results));
    TEST_ASSERT_EQUAL(4, counted(agent_pool_in_phase(pool, "planning")));
    is("{\"featureName\":\"feature 0\",\"epicId\":\"e\"}", input_of("wave-1700000000000-1", 0));
    is(IDS("{\"featureId\":\"f2\",\"name\":\"feature 2\",\"status\":\"planning\","
           "\"assignedAgents\":[\"wave-1700000000000-1/1/2\"]}"),
       json_incref(json_array_get(json_object_get(made, "features"), 2)));
    is("[]", agent_pool_plan_epic(pool, made, now, &why)); /* not planned twice */
    json_decref(results);
    json_decref(made);
}

static void test_planners_beyond_the_bound_wait(void)
{
    json_t *made = epic(5, 2), *results;

    open_engine("a", NULL);
    results = agent_pool_plan_epic(pool, made, now, &why);
    TEST_ASSERT_EQUAL(5, json_array_size(results));
    TEST_ASSERT_EQUAL(2, counted(agent_pool_in_phase(pool, "planning")));
    TEST_ASSERT_EQUAL_STRING("Pool at capacity, queued", reason_of(json_array_get(results, 2)));
    completes(IDS("wave-1700000000000-1/1/1"), IDS("wave-1700000000000-1/1/3"));
    json_decref(results);
    json_decref(made);
}

static void test_epics_that_are_not_right(void)
{
    static const char *const bad[] = {
        "{}", "{\"epicId\":\"e\",\"features\":[]}",
        "{\"epicId\":\"e\",\"features\":[],\"parallelFeatures\":0}",
        "{\"epicId\":\"e\",\"features\":[{\"featureId\":\"f\"}],\"parallelFeatures\":1}"};
    size_t index;

    open_engine("a", NULL);
    for (index = 0; index < sizeof bad / sizeof *bad; index++) {
        json_t *made = json_loads(bad[index], 0, NULL);
        TEST_ASSERT_NULL_MESSAGE(agent_pool_plan_epic(pool, made, now, &why), bad[index]);
        json_decref(made);
    }
}

static void test_development_wave(void)
{
    json_t *made = epic(4, 4), *features = json_object_get(made, "features");
    json_t *frontend = json_loads("[true, false, true]", 0, NULL);
    json_t *backend = json_loads("[true, true, false]", 0, NULL), *map, *one;

    open_engine("a", "{\"maxConcurrent\":3}");
    map = agent_pool_develop(pool, features, frontend, backend, now, &why);
    TEST_ASSERT_EQUAL(4, json_object_size(map));
    TEST_ASSERT_EQUAL(2, json_array_size(json_object_get(map, "f0")));
    TEST_ASSERT_EQUAL(1, json_array_size(json_object_get(map, "f1")));
    one = json_array_get(json_object_get(map, "f2"), 0);
    TEST_ASSERT_EQUAL_STRING("Pool at capacity, queued", reason_of(one));
    is("[]", json_incref(json_object_get(map, "f3")));
    is("\"developing\"", json_incref(json_object_get(json_array_get(features, 2), "status")));
    is("\"pending\"", json_incref(json_object_get(json_array_get(features, 3), "status")));
    TEST_ASSERT_EQUAL(3, counted(agent_pool_in_phase(pool, "development")));
    json_decref(map);
    json_decref(frontend);
    json_decref(backend);
    json_decref(made);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_defaults);
    RUN_TEST(test_values_given_replace_the_defaults);
    RUN_TEST(test_bad_settings);
    RUN_TEST(test_spawn);
    RUN_TEST(test_who_waits_has_an_id);
    RUN_TEST(test_requests_that_are_not_right);
    RUN_TEST(test_limit_per_feature);
    RUN_TEST(test_batch);
    RUN_TEST(test_empty_batch);
    RUN_TEST(test_who_is_next);
    RUN_TEST(test_unknown_and_ended_ids_free_nothing);
    RUN_TEST(test_fail_drains_and_is_recorded);
    RUN_TEST(test_cancel_one_that_waits);
    RUN_TEST(test_survives_a_restart);
    RUN_TEST(test_phases);
    RUN_TEST(test_wait_for_phase);
    RUN_TEST(test_fifteen_designers);
    RUN_TEST(test_as_many_designers_as_slots);
    RUN_TEST(test_a_person_chooses);
    RUN_TEST(test_planners);
    RUN_TEST(test_planners_beyond_the_bound_wait);
    RUN_TEST(test_epics_that_are_not_right);
    RUN_TEST(test_development_wave);
    return UNITY_END() != 0;
}
