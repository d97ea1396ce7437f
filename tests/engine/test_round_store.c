/* Preparing and finishing a round does not use the store: only the exchange does. */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "world.h"
#include "../given.h"

static faults counted;
static wfsm_store *counting;
static wfsm_engine *engine;
static actor who;

static int32_t take_effect(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

static void open_engine(const char *session, uint32_t cached)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = session, .look_ms = 50, .cached_instances = cached};

    OK(wfsm_engine_new(&engine, counting, &options, error));
    add_machine(engine,
                "{\"wfsm\":1,\"id\":\"wait\",\"initial\":\"a\",\"states\":{"
                "\"a\":{\"on\":{\"go\":\"b\"},\"after\":{\"5000\":\"b\"}},"
                "\"b\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"said\"}}}}}");
    add_machine(engine, WORK("m", "a", ""));
    add_machine(engine, WORK("p", "machine:m", ""));
    add_actor(engine, "a", &who);
    OK(wfsm_engine_on_effect(engine, take_effect, NULL, error));
}

void setUp(void)
{
    world_open();
    who = (actor){0};
    memset(&counted, 0, sizeof counted);
    counting = faults_open(&counted, store);
    open_engine("one", 0);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(counting);
    world_close();
}

static void one_round(int64_t now)
{
    wfsm_round *round = NULL;
    int before = counted.calls;

    OK(wfsm_engine_prepare(engine, now, &round, error));
    TEST_ASSERT_EQUAL_INT_MESSAGE(before, counted.calls, "prepare");
    OK(wfsm_round_exchange(round));
    before = counted.calls;
    OK(wfsm_engine_finish(engine, round, now, error));
    TEST_ASSERT_EQUAL_INT_MESSAGE(before, counted.calls, "finish");
}

static void rounds(int64_t now)
{
    int count = 0;

    do
        one_round(now);
    while (wfsm_engine_deadline(engine) <= now && ++count < 20);
    TEST_ASSERT_LESS_THAN_INT(20, count);
}

static void inputs_of_every_kind(void)
{
    start(engine, "m", "x", 0);
    start(engine, "wait", "t", 0);
    start(engine, "wait", "y", 0);
    rounds(1);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    post("y", "go", "1");
    rounds(100);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "y"));
    who.on_poll = "1";
    rounds(5000);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "t"));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void child_workflows(void)
{
    start(engine, "p", "x", 0);
    rounds(1);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    who.on_poll = "1";
    rounds(2);
    rounds(4000); /* a sign of life */
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void instances_that_were_evicted(void)
{
    char id[20];

    wfsm_engine_free(engine);
    open_engine("two", 1);
    for (int i = 0; i < 600; i++) {
        snprintf(id, sizeof id, "x%d", i);
        start(engine, "wait", id, 0);
    }
    post("x1", "go", "1");
    rounds(100);
    TEST_ASSERT_EQUAL_size_t(1, records("x1", "\"kind\":\"event\""));
    rounds(5000);
    for (int i = 0; i < 600; i += 50) {
        snprintf(id, sizeof id, "x%d", i);
        TEST_ASSERT_EQUAL_size_t_MESSAGE(1, records(id, "\"kind\":\"timer\""), id);
    }
}

static void instances_that_were_adopted(void)
{
    size_t count;

    start(engine, "m", "x", 0);
    start(engine, "wait", "y", 0);
    rounds(1);
    wfsm_engine_free(engine);
    post("y", "go", "1");
    open_engine("two", 0);
    OK(wfsm_engine_adopt_all(engine, 1, &count, error));
    TEST_ASSERT_EQUAL_size_t(2, count);
    who.on_probe = "7";
    rounds(1);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "y"));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void what_others_have_done(void)
{
    wfsm_instance *by_hand = NULL;
    int32_t outcome;

    start(engine, "wait", "x", 0);
    start(engine, "wait", "gone", 0);
    rounds(1);
    OK(wfsm_instance_load(&by_hand, NULL, store, NULL, "x", error));
    OK(wfsm_instance_send(by_hand, EVENT("go"), 2, &outcome, error));
    wfsm_instance_free(by_hand);
    OK(wfsm_store_remove(store, "gone", error));
    rounds(4000); /* a store that cannot tell is asked with each sign of life */
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "gone"));
}

static void a_lease_that_has_lapsed(void)
{
    wfsm_engine *other;

    start(engine, "wait", "x", 0);
    start(engine, "m", "y", 0);
    rounds(1);
    other = engine_of("other", 0);
    OK(wfsm_engine_adopt(other, "x", 20000, error));
    rounds(20000);
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x"));
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "y"));
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    wfsm_engine_free(other);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(inputs_of_every_kind);
    RUN_TEST(child_workflows);
    RUN_TEST(instances_that_were_evicted);
    RUN_TEST(instances_that_were_adopted);
    RUN_TEST(what_others_have_done);
    RUN_TEST(a_lease_that_has_lapsed);
    return UNITY_END() != 0;
}
