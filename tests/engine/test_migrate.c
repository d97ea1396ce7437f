/* An instance of an engine continues under another document while its agents work. */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "world.h"

/* Two agents at work side by side; `b` in the first document, `c` in its place in the next,
 * where `a` is at work in a state of another name. */
static const char first[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"1\",\"type\":\"parallel\",\"states\":{"
    "\"left\":{\"initial\":\"work\",\"states\":{\"work\":{\"invoke\":{\"id\":\"job\",\"src\":"
    "\"a\","
    "\"onDone\":\"over\"}},\"over\":{}}},"
    "\"right\":{\"invoke\":{\"src\":\"b\"}}}}";
static const char second[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"2\",\"type\":\"parallel\","
    "\"migrate\":[{\"from\":\"1\",\"states\":{\"left.work\":\"left.build\"}}],\"states\":{"
    "\"right\":{\"invoke\":{\"src\":\"c\"}},"
    "\"left\":{\"initial\":\"none\",\"states\":{\"none\":{},"
    "\"build\":{\"invoke\":{\"id\":\"job\",\"src\":{\"if\":[true,\"a\",\"c\"]},\"srcs\":[\"c\","
    "\"a\"],\"timeoutMs\":9000,"
    "\"onDone\":\"built\"}},\"built\":{}}}}}";
static const char stranger[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"3\",\"initial\":\"x\",\"states\":{\"x\":{}}}";

static wfsm_engine *engine;
static actor a, b, c;
static int32_t outcome;
static shortage memory; /* of the machines and what stands on them */

static wfsm_machine *machine_of(const char *text)
{
    wfsm_allocator allocator = shortage_allocator(&memory);
    shortage before = memory;
    wfsm_machine *machine = NULL;

    memory.at = 0;
    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, &allocator, error));
    memory = before;
    return machine;
}

static int32_t migrate(const char *text, int64_t now)
{
    wfsm_machine *machine = machine_of(text);
    int32_t status = wfsm_engine_migrate(engine, "x", machine, now, &outcome, error);

    wfsm_machine_unref(machine);
    return status;
}

static void add_agents(wfsm_engine *to)
{
    add_actor(to, "a", &a);
    add_actor(to, "b", &b);
    add_actor(to, "c", &c);
}

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    a = b = c = (actor){0};
    add_machine(engine, first);
    add_agents(engine);
    start(engine, "m", "x", 0);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static void work_that_is_still_wanted_goes_on(void)
{
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("left.work", a.state);
    OK(migrate(second, 2));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    a.on_poll = "\"good\"";
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(1, a.starts);
    TEST_ASSERT_EQUAL_INT(0, a.cancels);
    TEST_ASSERT_EQUAL_INT(0, a.probes);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/1"), a.id);
    TEST_ASSERT_EQUAL_STRING("left.build", a.state);
    TEST_ASSERT_EQUAL_INT64(9000, a.timeout);
    TEST_ASSERT_EQUAL_STRING("[\"right\",\"left.built\"]", where(engine, "x"));
}

static void what_is_not_wanted_any_more_is_told(void)
{
    run(engine, 1);
    OK(migrate(second, 2));
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(1, b.cancels);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/2"), b.id);
    TEST_ASSERT_EQUAL_STRING("right", b.state);
    TEST_ASSERT_EQUAL_INT(1, c.starts);
    TEST_ASSERT_EQUAL_STRING(IDS("x/2/1"), c.id);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    OK(wfsm_engine_result(engine, IDS("x/1/2"), "1", 1, 4, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    OK(wfsm_engine_result(engine, IDS("x/1/1"), "1", 1, 4, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
}

static void what_nobody_has_begun_begins_there(void)
{
    OK(migrate(second, 1));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(1, a.starts);
    TEST_ASSERT_EQUAL_STRING("left.build", a.state);
    TEST_ASSERT_EQUAL_INT(0, b.starts);
    TEST_ASSERT_EQUAL_INT(1, c.starts);
}

static void what_waits_for_a_slot_waits_there(void)
{
    wfsm_engine_free(engine);
    engine = engine_of("one", 1);
    add_agents(engine);
    OK(wfsm_engine_adopt(engine, "x", 1, error));
    a.on_probe = "gone";
    b.on_probe = "gone";
    run(engine, 2);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    OK(migrate(second, 3));
    run(engine, 4);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_INT(1, a.starts);
    TEST_ASSERT_EQUAL_INT(0, c.starts);
    OK(wfsm_engine_result(engine, a.id, "1", 1, 5, &outcome, error));
    run(engine, 6);
    TEST_ASSERT_EQUAL_INT(1, c.starts);
}

static void what_cannot_move_stays_as_it_is(void)
{
    run(engine, 1);
    STATUS(WFSM_DENIED, migrate(stranger, 2));
    STATUS(WFSM_DENIED, migrate(first, 2));
    STATUS(WFSM_INVALID, wfsm_engine_migrate(engine, "x", NULL, 2, &outcome, error));
    run(engine, 3);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_INT(0, a.cancels + b.cancels);
    OK(wfsm_engine_result(engine, a.id, "1", 1, 4, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"left.over\",\"right\"]", where(engine, "x"));
    wfsm_machine *machine = machine_of(second);
    STATUS(WFSM_NOT_FOUND, wfsm_engine_migrate(engine, "y", machine, 5, &outcome, error));
    wfsm_machine_unref(machine);
    wfsm_engine_free(engine);
    engine = NULL;
    STATUS(WFSM_INVALID, wfsm_engine_migrate(engine, "x", machine, 5, &outcome, error));
}

/* The machine that was given is not the one the engine has: both have one fingerprint. */
static void twice_and_under_another_owner(void)
{
    run(engine, 1);
    add_machine(engine, second);
    OK(migrate(second, 2));
    run(engine, 3);
    wf_engine_abandon(engine);
    engine = engine_of("two", 0);
    add_agents(engine);
    OK(wfsm_store_remove_owner(store, "one", error));
    OK(wfsm_engine_adopt(engine, "x", 4, error));
    run(engine, 5);
    TEST_ASSERT_EQUAL_INT(1, a.probes);
    TEST_ASSERT_EQUAL_INT(0, b.probes);
    TEST_ASSERT_EQUAL_INT(1, c.probes);
    TEST_ASSERT_EQUAL_STRING("left.build", a.state);
}

static void somebody_elses_migration_is_seen_and_taken_in(void)
{
    wfsm_instance *other = NULL;
    wfsm_machine *machine = machine_of(second);

    run(engine, 1);
    OK(wfsm_instance_load(&other, NULL, store, NULL, "x", error));
    OK(wfsm_instance_migrate(&other, machine, NULL, 2, &outcome, error));
    wfsm_instance_free(other);
    wfsm_machine_unref(machine);
    for (int64_t now = 3; now < 5000; now += 1000)
        run(engine, now);
    TEST_ASSERT_EQUAL_STRING("[\"right\",\"left.build\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(1, a.starts);
    TEST_ASSERT_EQUAL_INT(0, a.cancels);
    TEST_ASSERT_EQUAL_INT(1, b.cancels);
    TEST_ASSERT_EQUAL_INT(1, c.starts);
}

/* ---- faults ---- */

/* As a host does: told of a failure, it asks again; DENIED: it has been done. */
static void insist(int64_t now)
{
    int32_t status = WFSM_STORE_FAILED;

    for (int i = 0; i < 5 && status != WFSM_OK && status != WFSM_DENIED; i++) {
        status = migrate(second, now);
        wfsm_engine_run(engine, now + 1, error);
    }
    TEST_ASSERT_TRUE(status == WFSM_OK || status == WFSM_DENIED);
}

static void check_moved(const char *message)
{
    run(engine, 2000);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("[\"right\",\"left.build\"]", where(engine, "x"), message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, a.starts, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, a.cancels, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, b.cancels, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, c.starts, message);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(1, records("x", "\"migrate\""), message);
}

/* Starts over, with this store and allocator under the engine. */
static void begin_on(wfsm_store *outer, const wfsm_allocator *allocator)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .lapse_ms = 100000, .allocator = allocator};

    OK(wfsm_engine_new(&engine, outer, &options, error));
    a = b = c = (actor){0};
    wfsm_machine *machine = machine_of(first);
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    add_agents(engine);
    start(engine, "m", "x", 0);
    run(engine, 1);
}

static bool faulty_call(int kind, int at)
{
    faults trouble = {.kind = kind};
    char message[40];

    snprintf(message, sizeof message, "fault %d at call %d", kind, at);
    tearDown();
    world_open();
    wfsm_store *outer = faults_open(&trouble, store);
    begin_on(outer, NULL);
    trouble.at = at;
    trouble.count = 1;
    trouble.calls = 0;
    insist(2);
    bool more = trouble.calls >= at;
    trouble.at = 0;
    check_moved(message);
    wfsm_engine_free(engine);
    wfsm_store_free(outer);
    engine = NULL;
    return more;
}

static void a_store_that_fails_changes_nothing_in_the_end(void)
{
    for (int kind = FAULT_FAILED; kind <= FAULT_LOST_AFTER; kind++) {
        int at = 1;

        while (faulty_call(kind, at))
            at++;
        TEST_ASSERT_GREATER_THAN_INT(2, at);
    }
}

static bool short_of_memory(int at)
{
    wfsm_allocator allocator = shortage_allocator(&memory);
    char message[40];

    snprintf(message, sizeof message, "allocation %d", at);
    tearDown();
    world_open();
    memory = (shortage){0};
    begin_on(store, &allocator);
    memory = (shortage){.at = at, .count = 1};
    insist(2);
    bool more = memory.calls >= at;
    memory.at = 0;
    check_moved(message);
    wfsm_engine_free(engine);
    engine = NULL;
    return more;
}

static void a_shortage_of_memory_changes_nothing_in_the_end(void)
{
    int at = 1;

    while (short_of_memory(at))
        at++;
    TEST_ASSERT_GREATER_THAN_INT(20, at);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(work_that_is_still_wanted_goes_on);
    RUN_TEST(what_is_not_wanted_any_more_is_told);
    RUN_TEST(what_nobody_has_begun_begins_there);
    RUN_TEST(what_waits_for_a_slot_waits_there);
    RUN_TEST(what_cannot_move_stays_as_it_is);
    RUN_TEST(twice_and_under_another_owner);
    RUN_TEST(somebody_elses_migration_is_seen_and_taken_in);
    RUN_TEST(a_store_that_fails_changes_nothing_in_the_end);
    RUN_TEST(a_shortage_of_memory_changes_nothing_in_the_end);
    return UNITY_END() != 0;
}
