#include <stdio.h>
#include <string.h>

#include "world.h"

static wfsm_engine *engine;
static actor who, other;

void setUp(void)
{
    world_open();
    engine = NULL;
    who = other = (actor){0};
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

#define POOL                                                                                   \
    ",\"pool\":{\"priority\":{\"var\":\"context.priority\"},\"phase\":{\"var\":"               \
    "\"context.phase\"},\"group\":{\"var\":\"context.feature\"}}"

/* `m` takes its place in the pool from its input; `o` is the same with another agent. */
static void open_engine(uint32_t slots, int64_t promote)
{
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = "one",
                                   .lapse_ms = 10000000,
                                   .slots = slots,
                                   .promote_ms = promote};

    OK(wfsm_store_remove_owner(store, "one",
                               error)); /* it has crashed, and the host knows it */
    OK(wfsm_engine_new(&engine, store, &options, error));
    add_machine(engine, WORK("m", "a", POOL));
    add_machine(engine, WORK("o", "b", POOL));
    add_actor(engine, "a", &who);
    add_actor(engine, "b", &other);
}

static void begin(const char *machine, const char *id, const char *priority, const char *phase,
                  const char *feature, int64_t now)
{
    char input[300];
    size_t length = (size_t)snprintf(
        input, sizeof input,
        "{\"priority\":%s%s%s,\"phase\":%s%s%s,"
        "\"feature\":%s%s%s}",
        priority ? "\"" : "", priority ? priority : "null", priority ? "\"" : "",
        phase ? "\"" : "", phase ? phase : "null", phase ? "\"" : "", feature ? "\"" : "",
        feature ? feature : "null", feature ? "\"" : "");

    OK(wfsm_engine_start(engine, machine, id, input, length, now, error));
}

static void check_count(int32_t kind, const char *name, size_t working, size_t waiting)
{
    size_t at_work = 99, in_line = 99;

    OK(wfsm_engine_pool_count(engine, kind, name, &at_work, &in_line));
    TEST_ASSERT_EQUAL_size_t_MESSAGE(working, at_work, name ? name : "working");
    TEST_ASSERT_EQUAL_size_t_MESSAGE(waiting, in_line, name ? name : "waiting");
}

/* 004-190: at most four agents of a feature; a spawn beyond it waits, and holds up nobody of
 * another feature. */
static void a_group_at_its_limit_waits_and_others_do_not(void)
{
    open_engine(15, 0);
    OK(wfsm_engine_limit(engine, WFSM_POOL_GROUP, NULL, 4, error));
    for (char id[] = "f0"; id[1] < '6'; id[1]++)
        begin("m", id, NULL, NULL, "login", 0);
    for (char id[] = "g0"; id[1] < '6'; id[1]++)
        begin("o", id, NULL, NULL, "search", 0);
    begin("m", "free", NULL, NULL, NULL, 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("f0 f1 f2 f3 free ", who.order);
    TEST_ASSERT_EQUAL_INT(4, other.starts);
    check_count(WFSM_POOL_GROUP, "login", 4, 2);
    check_count(WFSM_POOL_GROUP, "search", 4, 2);
    check_count(WFSM_POOL_ALL, NULL, 9, 4);
    TEST_ASSERT_GREATER_THAN_INT64(0, wfsm_engine_deadline(engine));
    who.on_poll = who.on_start = "1";
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(7, who.starts);
    TEST_ASSERT_EQUAL_INT(4, other.starts);
    check_count(WFSM_POOL_GROUP, "login", 0, 0);
}

/* What a step makes by itself obeys the limits as well. */
static void a_step_claims_no_more_than_the_limits_allow(void)
{
    const char *three = "{\"wfsm\":1,\"id\":\"three\",\"initial\":\"s\",\"states\":{\"s\":{"
                        "\"invoke\":[{\"id\":\"x\",\"src\":\"a\",\"pool\":{\"group\":\"g\"}},"
                        "{\"id\":\"y\",\"src\":\"a\",\"pool\":{\"group\":\"g\","
                        "\"priority\":\"high\"}},{\"id\":\"z\",\"src\":\"a\",\"pool\":{"
                        "\"group\":\"g\"}}]}}}";

    open_engine(15, 0);
    add_machine(engine, three);
    OK(wfsm_engine_limit(engine, WFSM_POOL_GROUP, NULL, 2, error));
    start(engine, "three", "t", 0);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    run(engine, 0);
    check_count(WFSM_POOL_GROUP, "g", 2, 1);
    TEST_ASSERT_EQUAL_INT(2, who.most);
}

/* With one slot free, the most urgent of a step gets it. */
static void a_step_claims_the_most_urgent_first(void)
{
    open_engine(1, 0);
    add_machine(engine,
                "{\"wfsm\":1,\"id\":\"two\",\"initial\":\"s\",\"states\":{\"s\":{"
                "\"invoke\":[{\"id\":\"x\",\"src\":\"a\",\"pool\":{\"priority\":\"low\"}},"
                "{\"id\":\"y\",\"src\":\"a\",\"input\":\"urgent\","
                "\"pool\":{\"priority\":\"high\"}}]}}}");
    start(engine, "two", "t", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("\"urgent\"", who.input);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
}

static void agents_and_phases_have_limits_too(void)
{
    open_engine(15, 0);
    OK(wfsm_engine_limit(engine, WFSM_POOL_AGENT, "a", 1, error));
    OK(wfsm_engine_limit(engine, WFSM_POOL_PHASE, "review", 2, error));
    begin("m", "a1", NULL, "review", NULL, 0);
    begin("m", "a2", NULL, "review", NULL, 0);
    for (char id[] = "b0"; id[1] < '3'; id[1]++)
        begin("o", id, NULL, "review", NULL, 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_INT(1, other.starts);
    check_count(WFSM_POOL_PHASE, "review", 2, 3);
    check_count(WFSM_POOL_AGENT, "a", 1, 1);
    OK(wfsm_engine_limit(engine, WFSM_POOL_PHASE, "review", 0, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_INT(3, other.starts);
    who.on_poll = "1";
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
}

/* A step that ends one group's work and makes other work leaves the slot to those who waited
 * for that group. */
static void the_next_state_does_not_overtake_those_who_wait_for_its_group(void)
{
    open_engine(2, 0);
    add_machine(engine, "{\"wfsm\":1,\"id\":\"chain\",\"initial\":\"one\",\"states\":{"
                        "\"one\":{\"invoke\":{\"src\":\"b\",\"pool\":{\"group\":\"g\"},"
                        "\"onDone\":\"two\"}},\"two\":{\"invoke\":{\"src\":\"a\",\"pool\":{"
                        "\"priority\":\"low\"}}}}}");
    OK(wfsm_engine_limit(engine, WFSM_POOL_GROUP, "g", 1, error));
    start(engine, "chain", "c", 0);
    begin("m", "parked", "high", NULL, "g", 0);
    run(engine, 0);
    begin("m", "q", NULL, NULL, NULL, 1);
    run(engine, 1);
    other.on_poll = "1";
    run(engine, 2);
    TEST_ASSERT_EQUAL_STRING("q parked ", who.order);
    check_count(WFSM_POOL_ALL, NULL, 2, 1);
}

/* 004-212: the highest priority, then the oldest, whose feature limit allows. */
static void the_next_is_the_most_urgent_that_there_is_room_for(void)
{
    open_engine(2, 0);
    OK(wfsm_engine_limit(engine, WFSM_POOL_GROUP, "login", 1, error));
    begin("m", "l1", NULL, NULL, "login", 0);
    begin("o", "s1", NULL, NULL, "search", 0);
    run(engine, 0);
    begin("m", "l2", "high", NULL, "login", 1);
    begin("m", "n1", NULL, NULL, "search", 2);
    begin("m", "n2", "high", NULL, "search", 3);
    other.on_poll = "1";
    run(engine, 4);
    TEST_ASSERT_EQUAL_STRING("l1 n2 ", who.order);
    who.on_poll = "1";
    run(engine, 5);
    run(engine, 6);
    TEST_ASSERT_EQUAL_STRING("l1 n2 l2 n1 ", who.order);
}

/* Nobody starves: under a constant load of urgent work the others come through, because
 * waiting is worth a priority now and then. */
static void constant_urgent_work_starves_nobody(void)
{
    int64_t low = 0, normal = 0;
    char id[20];

    open_engine(1, 100);
    who.on_poll = "1";
    begin("m", "busy", "high", NULL, NULL, 0);
    begin("m", "low", "low", NULL, NULL, 0);
    begin("m", "normal", NULL, NULL, NULL, 0);
    for (int64_t now = 1; now < 400; now++) {
        snprintf(id, sizeof id, "h%d", (int)now);
        begin("m", id, "high", NULL, NULL, now);
        run(engine, now);
        low = low == 0 && strstr(who.order, " low ") ? now : low;
        normal = normal == 0 && strstr(who.order, " normal ") ? now : normal;
        who.order[0] = ' ';
        who.order[1] = '\0';
    }
    TEST_ASSERT_INT64_WITHIN(10, 100, normal);
    TEST_ASSERT_INT64_WITHIN(10, 200, low);
}

static void without_promotion_priority_is_strict(void)
{
    char id[20];

    open_engine(1, WFSM_NEVER);
    who.on_poll = "1";
    begin("m", "busy", "high", NULL, NULL, 0);
    begin("m", "low", "low", NULL, NULL, 0);
    for (int64_t now = 1; now < 300; now++) {
        snprintf(id, sizeof id, "h%d", (int)now);
        begin("m", id, "high", NULL, NULL, now * 100000);
        run(engine, now * 100000);
        TEST_ASSERT_NULL(strstr(who.order, "low"));
        who.order[0] = '\0';
    }
    run(engine, INT64_C(40000000));
    run(engine, INT64_C(40000001));
    TEST_ASSERT_EQUAL_STRING("h299 low ", who.order);
}

/* The place in the pool stands in the ledger: a new engine knows it. */
static void a_restart_knows_priority_phase_and_group(void)
{
    size_t count;

    open_engine(1, 0);
    begin("m", "busy", NULL, "dev", "login", 0);
    run(engine, 0);
    begin("m", "low", "low", "dev", "login", 1);
    begin("m", "high", "high", "test", "login", 2);
    wf_engine_abandon(engine);
    who = (actor){.on_probe = NULL};
    open_engine(1, 0);
    OK(wfsm_engine_adopt_all(engine, 3, &count, error));
    check_count(WFSM_POOL_PHASE, "dev", 1, 1);
    check_count(WFSM_POOL_PHASE, "test", 0, 1);
    check_count(WFSM_POOL_GROUP, "login", 1, 2);
    who.on_poll = "1";
    run(engine, 3);
    run(engine, 4);
    run(engine, 5);
    run(engine, 6);
    TEST_ASSERT_EQUAL_STRING("high low ", who.order);
    check_count(WFSM_POOL_GROUP, "login", 0, 0);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

/* 004-203, 004-204 */
static void utilisation_and_can_spawn(void)
{
    open_engine(3, 0);
    TEST_ASSERT_EQUAL_size_t(3, wfsm_engine_slots(engine));
    TEST_ASSERT_TRUE(wfsm_engine_can_spawn(engine, 3));
    TEST_ASSERT_FALSE(wfsm_engine_can_spawn(engine, 4));
    begin("m", "x", NULL, NULL, NULL, 0);
    run(engine, 0);
    TEST_ASSERT_TRUE(wfsm_engine_can_spawn(engine, 2));
    TEST_ASSERT_FALSE(wfsm_engine_can_spawn(engine, 3));
    TEST_ASSERT_FALSE(wfsm_engine_can_spawn(engine, SIZE_MAX));
    OK(wfsm_engine_limit(engine, WFSM_POOL_ALL, NULL, 1, error));
    TEST_ASSERT_FALSE(wfsm_engine_can_spawn(engine, 1));
    TEST_ASSERT_TRUE(wfsm_engine_can_spawn(engine, 0));
    TEST_ASSERT_FALSE(wfsm_engine_can_spawn(NULL, 0));
}

/* 004-234 to 004-237, and 004-217, 004-218 */
static void what_goes_on_is_told_as_json(void)
{
    open_engine(2, 0);
    OK(wfsm_engine_limit(engine, WFSM_POOL_GROUP, NULL, 4, error));
    OK(wfsm_engine_limit(engine, WFSM_POOL_AGENT, "z", 7, error));
    TEST_ASSERT_EQUAL_STRING("{\"slots\":2,\"working\":0,\"free\":2,\"waiting\":0,"
                             "\"agents\":{\"z\":{\"working\":0,\"waiting\":0,\"most\":7}},"
                             "\"phases\":{},\"groups\":{}}",
                             wfsm_engine_pool(engine, NULL));
    begin("m", "x", "high", "dev", "login", 5);
    begin("m", "y", NULL, "test", NULL, 6);
    begin("m", "w", NULL, "dev", "login", 7);
    run(engine, 8);
    TEST_ASSERT_EQUAL_STRING(
        "{\"slots\":2,\"working\":2,\"free\":0,\"waiting\":1,"
        "\"agents\":{\"a\":{\"working\":2,\"waiting\":1},\"z\":{\"working\":0,"
        "\"waiting\":0,\"most\":7}},\"phases\":{\"dev\":{\"working\":1,\"waiting\":1},"
        "\"test\":{\"working\":1,\"waiting\":0}},"
        "\"groups\":{\"login\":{\"working\":1,\"waiting\":1,\"most\":4}}}",
        wfsm_engine_pool(engine, NULL));
    TEST_ASSERT_EQUAL_STRING(
        IDS("[{\"id\":\"x/1/1\",\"instance\":\"x\",\"state\":\"work\",\"agent\":\"a\","
            "\"status\":\"working\",\"attempt\":1,\"claimed\":5,\"pool\":{\"priority\":\"high\","
            "\"phase\":\"dev\",\"group\":\"login\"}},{\"id\":\"w/1/1\",\"instance\":\"w\","
            "\"state\":\"work\",\"agent\":\"a\",\"status\":\"waiting\",\"attempt\":0,\"due\":7,"
            "\"pool\":{\"phase\":\"dev\",\"group\":\"login\"}}]"),
        wfsm_engine_work(engine, WFSM_POOL_GROUP, "login", NULL));
    TEST_ASSERT_EQUAL_STRING("[]", wfsm_engine_work(engine, WFSM_POOL_PHASE, "no", NULL));
    TEST_ASSERT_NOT_NULL(
        strstr(wfsm_engine_work(engine, WFSM_POOL_ALL, NULL, NULL), IDS("y/1/1")));
    TEST_ASSERT_NULL(wfsm_engine_work(engine, WFSM_POOL_PHASE, NULL, NULL));
    TEST_ASSERT_NULL(wfsm_engine_work(engine, 9, "x", NULL));
}

/* 004-202: what is no limit is refused. */
static void nonsense_is_refused(void)
{
    open_engine(0, 0);
    STATUS(WFSM_INVALID, wfsm_engine_limit(engine, WFSM_POOL_ALL, NULL, 0, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit(engine, WFSM_POOL_ALL, "x", 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit(engine, WFSM_POOL_GROUP, "", 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit(engine, -1, NULL, 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit(engine, 4, NULL, 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit(NULL, WFSM_POOL_ALL, NULL, 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_pool_count(engine, WFSM_POOL_GROUP, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_size_t(15, wfsm_engine_slots(engine));
}

/* `pool` that gives nothing of use is an error of the chart, and no work is begun. */
static void a_pool_that_cannot_be_had_is_an_error(void)
{
    open_engine(0, 0);
    begin("m", "x", "urgent", NULL, NULL, 0);
    begin("m", "y", NULL, "", NULL, 0);
    begin("m", "z", "low", NULL, NULL, 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("z ", who.order);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "`pool` gave a priority that is not"));
    TEST_ASSERT_EQUAL_size_t(1, records("y", "`pool` gave a priority that is not"));
}

#define WAITER                                                                                 \
    "{\"wfsm\":1,\"id\":\"waiter\",\"initial\":\"wait\",\"states\":{\"wait\":{"                \
    "\"on\":{\"phase.empty\":{\"target\":\"on\",\"guard\":{\"==\":[{\"var\":"                  \
    "\"event.data.phase\"},\"dev\"]}}}},\"on\":{}}}"

static int32_t await(const char *event_id, int64_t now)
{
    const wfsm_pool_wait wait = {.size = sizeof wait,
                                 .kind = WFSM_POOL_PHASE,
                                 .name = "dev",
                                 .instance = "w",
                                 .event = "phase.empty",
                                 .event_id = event_id};
    return wfsm_engine_await_empty(engine, &wait, now, error);
}

/* 004-219: done when no agent of the phase is at work or waits; at once when none is. */
static void an_empty_phase_is_an_event(void)
{
    size_t count;

    open_engine(1, 0);
    add_machine(engine, WAITER);
    start(engine, "waiter", "w", 0);
    begin("m", "x", NULL, "dev", NULL, 0);
    begin("m", "y", NULL, "dev", NULL, 0);
    OK(await("one", 0));
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("[\"wait\"]", where(engine, "w"));
    who.on_poll = "1";
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"wait\"]", where(engine, "w"));
    wf_engine_abandon(engine);
    who = (actor){.on_probe = "1"};
    open_engine(1, 0);
    OK(wfsm_engine_adopt_all(engine, 2, &count, error));
    OK(await("one", 2)); /* asked again after the restart */
    run(engine, 2);
    TEST_ASSERT_EQUAL_STRING("[\"on\"]", where(engine, "w"));
    TEST_ASSERT_EQUAL_size_t(0, posts());
    OK(await("one", 3)); /* known already */
    TEST_ASSERT_EQUAL_size_t(0, posts());
    OK(await("two", 3)); /* at once, for there is none */
    TEST_ASSERT_EQUAL_size_t(1, posts());
    TEST_ASSERT_EQUAL_INT64(3, wfsm_engine_deadline(engine));
    run(engine, 3);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    wfsm_pool_wait wait = {.size = sizeof wait,
                           .kind = WFSM_POOL_ALL,
                           .name = "dev",
                           .instance = "nobody",
                           .event = "e",
                           .event_id = "i"};
    STATUS(WFSM_INVALID, wfsm_engine_await_empty(engine, &wait, 0, error));
    wait.kind = WFSM_POOL_PHASE;
    STATUS(WFSM_NOT_FOUND, wfsm_engine_await_empty(engine, &wait, 0, error));
    STATUS(WFSM_INVALID, wfsm_engine_await_empty(engine, NULL, 0, error));
}

static int32_t spawn(const char *id, const char *requests)
{
    return wfsm_engine_spawn(engine, id, requests, strlen(requests), 0, error);
}

/* 004-207 to 004-210: every id is known at once, results are those of the requests in their
 * order, the most urgent begin first. */
static void a_batch_is_one_commit_with_results_in_request_order(void)
{
    open_engine(2, 0);
    OK(wfsm_engine_limit(engine, WFSM_POOL_GROUP, NULL, 1, error));
    OK(spawn("b", "[{\"agent\":\"a\",\"input\":1,\"priority\":\"low\",\"group\":\"f\"},"
                  "{\"agent\":\"b\",\"input\":{\"x\":2},\"priority\":\"high\",\"phase\":"
                  "\"dev\"},{\"agent\":\"a\",\"group\":\"f\"}]"));
    TEST_ASSERT_EQUAL_size_t(1, records("b", ""));
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING(IDS("b/1/2"), other.id);
    TEST_ASSERT_EQUAL_STRING("{\"x\":2}", other.input);
    TEST_ASSERT_EQUAL_STRING(IDS("b/1/3"), who.id);
    TEST_ASSERT_EQUAL_STRING("null", who.input);
    who.on_poll = "\"three\"";
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING(IDS("b/1/1"), who.id);
    who.on_poll = "!exit";
    run(engine, 2);
    other.on_poll = "2";
    run(engine, 3);
    TEST_ASSERT_EQUAL_STRING(
        "[{\"error\":{\"class\":\"exit\",\"message\":\"as told\",\"attempts\":1}},"
        "{\"output\":2},{\"output\":\"three\"}]",
        wfsm_instance_output(wfsm_engine_instance(engine, "b"), NULL));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void a_batch_with_a_bad_request_begins_nothing(void)
{
    open_engine(0, 0);
    STATUS(WFSM_INVALID, spawn("b", "[]"));
    STATUS(WFSM_INVALID, spawn("b", "{}"));
    STATUS(WFSM_INVALID, spawn("b", "[{\"agent\":\"a\"},{\"agent\":\"nobody\"}]"));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "request 1"));
    STATUS(WFSM_INVALID, spawn("b", "[{\"agent\":\"a\",\"prio\":1}]"));
    STATUS(WFSM_INVALID, spawn("b", "[{\"agent\":\"a\",\"priority\":\"urgent\"}]"));
    STATUS(WFSM_INVALID, spawn("", "[{\"agent\":\"a\"}]"));
    STATUS(WFSM_SYNTAX, spawn("b", "[{\"agent\":\"a\"}"));
    OK(spawn("b", "[{\"agent\":\"a\",\"priority\":null}]"));
    STATUS(WFSM_EXISTS, spawn("b", "[{\"agent\":\"a\"}]"));
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_group_at_its_limit_waits_and_others_do_not);
    RUN_TEST(a_step_claims_no_more_than_the_limits_allow);
    RUN_TEST(a_step_claims_the_most_urgent_first);
    RUN_TEST(agents_and_phases_have_limits_too);
    RUN_TEST(the_next_state_does_not_overtake_those_who_wait_for_its_group);
    RUN_TEST(the_next_is_the_most_urgent_that_there_is_room_for);
    RUN_TEST(constant_urgent_work_starves_nobody);
    RUN_TEST(without_promotion_priority_is_strict);
    RUN_TEST(a_restart_knows_priority_phase_and_group);
    RUN_TEST(utilisation_and_can_spawn);
    RUN_TEST(what_goes_on_is_told_as_json);
    RUN_TEST(nonsense_is_refused);
    RUN_TEST(a_pool_that_cannot_be_had_is_an_error);
    RUN_TEST(an_empty_phase_is_an_event);
    RUN_TEST(a_batch_is_one_commit_with_results_in_request_order);
    RUN_TEST(a_batch_with_a_bad_request_begins_nothing);
    return UNITY_END() != 0;
}
