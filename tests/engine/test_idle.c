/* An instance that waits costs the engine nothing: neither a call of the store nor an
 * allocation, however many there are. */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "world.h"

enum { FEW = 10, MANY = 10000 };

static faults counted;
static shortage memory;
static wfsm_store *counting;
static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = "one",
                                   .lapse_ms = 100000,
                                   .round_inputs = WF_RUN_INPUTS};
    wfsm_allocator allocator;

    world_open();
    memset(&counted, 0, sizeof counted);
    memset(&memory, 0, sizeof memory);
    who = (actor){0};
    allocator = shortage_allocator(&memory);
    options.allocator = &allocator;
    counting = faults_open(&counted, store);
    OK(wfsm_engine_new(&engine, counting, &options, error));
    add_machine(engine, "{\"wfsm\":1,\"id\":\"event\",\"initial\":\"a\",\"states\":{"
                        "\"a\":{\"on\":{\"go\":\"b\"}},\"b\":{}}}");
    add_machine(engine, "{\"wfsm\":1,\"id\":\"timer\",\"initial\":\"a\",\"states\":{"
                        "\"a\":{\"after\":{\"1000000\":\"b\"}},\"b\":{}}}");
    add_machine(engine, WORK("agent", "a", ""));
    add_plain(engine, "a", &who);
}

void tearDown(void)
{
    wf_engine_abandon(engine);
    wfsm_store_free(counting);
    world_close();
}

/* What one run costs with so many of them, after those that make them. */
static void begin(const char *machine, int from, int to)
{
    char id[20];

    for (int i = from; i < to; i++) {
        snprintf(id, sizeof id, "x%d", i);
        start(engine, machine, id, 0);
    }
    run(engine, 1);
    run(engine, 2);
}

static void check_nothing_is_done(const char *machine)
{
    int calls;

    begin(machine, 0, FEW);
    counted.calls = 0;
    run(engine, 3);
    calls = counted.calls;
    begin(machine, FEW, MANY);
    counted.calls = memory.calls = 0;
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT_MESSAGE(calls, counted.calls, machine);
    TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(1, counted.calls, machine); /* the inbox */
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, memory.calls, machine);
    TEST_ASSERT_EQUAL_UINT32_MESSAGE(WF_RUN_INPUTS, engine->inputs, machine);
    TEST_ASSERT_TRUE(wf_link_alone(&engine->todo) && wf_link_alone(&engine->later));
}

static void those_that_wait_for_events(void)
{
    check_nothing_is_done("event");
    TEST_ASSERT_EQUAL_size_t(0, engine->timers.count);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void those_that_wait_for_their_time(void)
{
    check_nothing_is_done("timer");
    TEST_ASSERT_EQUAL_size_t(MANY, engine->timers.count);
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
}

/* 15 are at work, and the rest waits for a slot. */
static void those_that_wait_for_a_slot(void)
{
    check_nothing_is_done("agent");
    TEST_ASSERT_EQUAL_INT(15, who.starts);
    TEST_ASSERT_EQUAL_size_t(MANY - 15, wfsm_engine_waiting(engine));
}

/* One that gets an event costs as much as if it were alone. */
static void one_among_many_costs_as_much_as_alone(void)
{
    int32_t outcome = 0;
    int calls;

    begin("event", 0, FEW);
    counted.calls = 0;
    OK(wfsm_engine_send(engine, "x1", "go", NULL, NULL, 0, 3, &outcome, error));
    run(engine, 3);
    calls = counted.calls;
    begin("event", FEW, MANY);
    counted.calls = 0;
    OK(wfsm_engine_send(engine, "x7000", "go", NULL, NULL, 0, 3, &outcome, error));
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(calls, counted.calls);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(those_that_wait_for_events);
    RUN_TEST(those_that_wait_for_their_time);
    RUN_TEST(those_that_wait_for_a_slot);
    RUN_TEST(one_among_many_costs_as_much_as_alone);
    return UNITY_END() != 0;
}
