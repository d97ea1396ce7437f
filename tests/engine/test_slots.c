#include <stdio.h>
#include <string.h>

#include "world.h"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    engine = NULL;
    who = (actor){0};
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static void open_engine(uint32_t slots)
{
    engine = engine_of("one", slots);
    add_machine(engine, WORK("m", "a", ""));
    add_machine(engine, WORK("high", "a", ",\"pool\":{\"priority\":\"high\"}"));
    add_machine(engine, WORK("low", "a", ",\"pool\":{\"priority\":\"low\"}"));
    add_actor(engine, "a", &who);
}

/* 004-188: 15 by default. */
static void no_more_work_at_once_than_there_are_slots(void)
{
    char id[20];

    open_engine(0);
    for (int i = 0; i < 40; i++) {
        snprintf(id, sizeof id, "x%d", i);
        start(engine, "m", id, 0);
    }
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(15, who.starts);
    TEST_ASSERT_EQUAL_size_t(15, wfsm_engine_working(engine));
    TEST_ASSERT_GREATER_THAN_INT64(0, wfsm_engine_deadline(engine));
    who.on_poll = "1";
    for (int64_t now = 1; !wfsm_engine_idle(engine) && now < 100; now++)
        run(engine, now);
    TEST_ASSERT_EQUAL_INT(40, who.starts);
    TEST_ASSERT_EQUAL_INT(15, who.most);
    TEST_ASSERT_EQUAL_INT(0, who.working);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
}

/* 004-210: priority, then age, over old and new together. */
static void priority_comes_first_then_age(void)
{
    open_engine(1);
    start(engine, "m", "busy", 0);
    run(engine, 0);
    start(engine, "low", "l", 1);
    start(engine, "m", "n1", 2);
    start(engine, "high", "h1", 3);
    start(engine, "m", "n2", 4);
    start(engine, "high", "h2", 5);
    who.on_start = who.on_poll = "1";
    run(engine, 6);
    TEST_ASSERT_EQUAL_STRING("busy h1 h2 n1 n2 l ", who.order);
    TEST_ASSERT_EQUAL_INT(1, who.most);
}

static void age_survives_a_restart(void)
{
    size_t count;

    open_engine(1);
    start(engine, "m", "busy", 0);
    start(engine, "m", "z", 1);
    start(engine, "m", "y", 2);
    start(engine, "m", "x", 3);
    wf_engine_abandon(engine);
    open_engine(1);
    OK(wfsm_engine_adopt_all(engine, 4, &count, error));
    who.on_start = who.on_probe = "1";
    run(engine, 4);
    TEST_ASSERT_EQUAL_STRING("z y x ", who.order);
}

/* A step that ends one agent's work and calls for the next must not jump the queue. */
static void the_next_state_does_not_overtake_those_who_wait(void)
{
    open_engine(1);
    add_machine(engine, "{\"wfsm\":1,\"id\":\"chain\",\"initial\":\"one\",\"states\":{"
                        "\"one\":{\"invoke\":{\"src\":\"a\",\"onDone\":\"two\"}},"
                        "\"two\":{\"invoke\":{\"src\":\"a\",\"onDone\":\"end\"}},"
                        "\"end\":{\"type\":\"final\"}}}");
    start(engine, "chain", "c", 0);
    run(engine, 0);
    start(engine, "m", "x", 1);
    who.on_start = who.on_poll = "1";
    run(engine, 2);
    TEST_ASSERT_EQUAL_STRING("c x c ", who.order);
}

static void withdrawn_work_frees_its_slot_and_its_place(void)
{
    int32_t outcome = 0;

    open_engine(1);
    start(engine, "m", "x", 0);
    start(engine, "m", "y", 1);
    start(engine, "m", "z", 2);
    run(engine, 2);
    OK(wfsm_engine_send(engine, "y", "stop", NULL, NULL, 0, 3, &outcome, error));
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 3, &outcome, error));
    run(engine, 3);
    TEST_ASSERT_EQUAL_STRING("x z ", who.order);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
}

/* Two events before the next run: both cannot claim the one slot. */
static void steps_between_runs_do_not_claim_too_much(void)
{
    int32_t outcome = 0;

    open_engine(1);
    start(engine, "m", "x", 0);
    start(engine, "m", "y", 0);
    run(engine, 0);
    for (int i = 0; i < 2; i++) {
        const char *id = i ? "y" : "x";

        OK(wfsm_engine_send(engine, id, "stop", NULL, NULL, 0, 1, &outcome, error));
    }
    run(engine, 1);
    for (int i = 0; i < 2; i++) {
        const char *id = i ? "y" : "x";

        OK(wfsm_engine_send(engine, id, "again", NULL, NULL, 0, 2, &outcome, error));
        TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    }
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT(1, who.most);
}

/* A run comes back even when there is no end to the work. */
static void a_run_is_bounded(void)
{
    who.on_start = "1";
    open_engine(0);
    add_machine(engine, "{\"wfsm\":1,\"id\":\"loop\",\"initial\":\"one\",\"states\":{"
                        "\"one\":{\"invoke\":{\"src\":\"a\",\"onDone\":\"two\"}},"
                        "\"two\":{\"invoke\":{\"src\":\"a\",\"onDone\":\"one\"}}}}");
    start(engine, "loop", "x", 0);
    for (int i = 1; i <= 5; i++) {
        once(engine, 0);
        TEST_ASSERT_EQUAL_INT64(0, wfsm_engine_deadline(engine));
        TEST_ASSERT_EQUAL_INT(i, who.starts);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(no_more_work_at_once_than_there_are_slots);
    RUN_TEST(priority_comes_first_then_age);
    RUN_TEST(age_survives_a_restart);
    RUN_TEST(the_next_state_does_not_overtake_those_who_wait);
    RUN_TEST(withdrawn_work_frees_its_slot_and_its_place);
    RUN_TEST(steps_between_runs_do_not_claim_too_much);
    RUN_TEST(a_run_is_bounded);
    return UNITY_END() != 0;
}
