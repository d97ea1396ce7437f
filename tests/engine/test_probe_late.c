/* A probe has found an agent at work, and before this is stored nobody asks for its work any more: it
 * is told to stop. */
#include "world.h"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    who = (actor){0};
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    wf_engine_abandon(engine);
    engine = engine_of("two", 0);
    add_actor(engine, "a", &who);
    OK(wfsm_engine_adopt_all(engine, 20000, NULL, error));
    once(engine, 20000);
    TEST_ASSERT_EQUAL_INT(1, who.probes);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static void expect_stopped(void)
{
    run(engine, 20001);
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void by_a_post_in_the_same_round(void)
{
    OK(wfsm_store_post(store, "x", "stop", NULL, NULL, 0, 20000, error));
    expect_stopped();
}

static void by_a_send_before_that_round(void)
{
    int32_t outcome = 0;

    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 20000, &outcome, error));
    expect_stopped();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(by_a_post_in_the_same_round);
    RUN_TEST(by_a_send_before_that_round);
    return UNITY_END() != 0;
}
