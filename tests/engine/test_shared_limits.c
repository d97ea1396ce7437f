/* Limits that all engines of a store share. */
#include <string.h>

#include "world.h"

enum { ENGINES = 3 };

static wfsm_engine *engines[ENGINES];
static actor who[ENGINES];
static const char *const names[ENGINES] = {"one", "two", "three"};

static const char machine[] = WORK("m", "a", ",\"pool\":{\"group\":\"g\"}");

static void open_engine(int which, uint32_t most)
{
    engines[which] = engine_of(names[which], 0);
    add_machine(engines[which], machine);
    add_actor(engines[which], "a", &who[which]);
    OK(wfsm_engine_limit_shared(engines[which], WFSM_POOL_GROUP, "g", most, error));
}

void setUp(void)
{
    world_open();
    memset(who, 0, sizeof who);
}

void tearDown(void)
{
    close_engines(engines, ENGINES);
    world_close();
}

static size_t working(void)
{
    return wfsm_engine_working(engines[0]) + wfsm_engine_working(engines[1]) +
           wfsm_engine_working(engines[2]);
}

/* A round of each, several times. */
static void turn(int64_t now, size_t most)
{
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < ENGINES; i++) {
            if (engines[i])
                once(engines[i], now);
            TEST_ASSERT_TRUE(working() <= most);
        }
}

static int starts(void)
{
    return who[0].starts + who[1].starts + who[2].starts;
}

static void one_engine_alone_uses_all(void)
{
    open_engine(0, 3);
    start_several(engines[0], names[0], 5);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engines[0]));
    run(engines[0], 10);
    TEST_ASSERT_EQUAL_size_t(3, wfsm_engine_working(engines[0]));
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_waiting(engines[0]));
    who[0].on_poll = "1";
    for (int64_t now = 20; now < 30; now++)
        run(engines[0], now);
    TEST_ASSERT_EQUAL_INT(5, who[0].starts);
    TEST_ASSERT_EQUAL_INT(3, who[0].most);
    TEST_ASSERT_EQUAL_STRING(
        "{\"slots\":15,\"working\":0,\"free\":15,\"waiting\":0,\"agents\":{},"
        "\"phases\":{},\"groups\":{\"g\":{\"working\":0,\"waiting\":0,"
        "\"shared\":3,\"permits\":0}}}",
        wfsm_engine_pool(engines[0], NULL));
}

static void the_sum_is_bounded(void)
{
    for (int i = 0; i < ENGINES; i++)
        open_engine(i, 4);
    for (int i = 0; i < ENGINES; i++)
        start_several(engines[i], names[i], 10);
    turn(10, 4);
    TEST_ASSERT_EQUAL_size_t(4, working());
    for (int i = 0; i < ENGINES; i++)
        who[i].on_poll = "1";
    for (int64_t now = 20; starts() < 30; now += 1000) {
        TEST_ASSERT_TRUE(now < 100000);
        turn(now, 4);
    }
    turn(200000, 4);
    TEST_ASSERT_EQUAL_size_t(0, working());
}

/* Every engine gets its turn, also if there are fewer permits than engines. */
static void nobody_starves(void)
{
    for (int i = 0; i < ENGINES; i++) {
        open_engine(i, 1);
        who[i].on_poll = "1";
    }
    for (int i = 0; i < ENGINES; i++)
        start_several(engines[i], names[i], 30);
    for (int64_t now = 10; now < 10000; now += 1000)
        turn(now, 1);
    for (int i = 0; i < ENGINES; i++)
        TEST_ASSERT_GREATER_OR_EQUAL_INT(3, who[i].starts);
}

static void what_one_gives_back_another_gets(void)
{
    for (int i = 0; i < 2; i++)
        open_engine(i, 2);
    start_several(engines[0], names[0], 2);
    turn(10, 2);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engines[0]));
    start_several(engines[1], names[1], 2);
    turn(20, 2);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engines[1]));
    who[0].on_poll = "1";
    turn(30, 2);
    turn(1100, 2);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engines[0]));
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engines[1]));
}

static void permits_lapse_with_the_lease(void)
{
    for (int i = 0; i < 2; i++)
        open_engine(i, 2);
    start_several(engines[0], names[0], 2);
    turn(10, 2);
    start_several(engines[1], names[1], 2);
    turn(20, 2);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engines[0]));
    wf_engine_abandon(engines[0]);
    engines[0] = NULL;
    turn(9000, 2);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engines[1]));
    turn(10001, 2);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engines[1]));
}

/* It was stopped for too long, and finds its permits gone. */
static void an_engine_that_slept_asks_again(void)
{
    for (int i = 0; i < 2; i++)
        open_engine(i, 2);
    start_several(engines[0], names[0], 4);
    turn(10, 2);
    start_several(engines[1], names[1], 2);
    once(engines[1], 9000);
    once(engines[1], 10001);
    once(engines[1], 10002);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engines[1]));
    who[0].on_poll = "1";
    for (int i = 0; i < 5; i++)
        once(engines[0], 10003 + i);
    TEST_ASSERT_EQUAL_INT(2,
                          who[0].starts); /* those of before, which were at work all the time */
    who[1].on_poll = "1";
    turn(11100, 4);
    turn(12200, 4);
    TEST_ASSERT_EQUAL_INT(4, who[0].starts);
}

static void it_holds_beside_the_engines_own_limit(void)
{
    open_engine(0, 5);
    OK(wfsm_engine_limit(engines[0], WFSM_POOL_GROUP, "g", 1, error));
    start_several(engines[0], names[0], 3);
    run(engines[0], 10);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engines[0]));
    OK(wfsm_engine_limit(engines[0], WFSM_POOL_GROUP, "g", 0, error));
    run(engines[0], 20);
    TEST_ASSERT_EQUAL_size_t(3, wfsm_engine_working(engines[0]));
    OK(wfsm_engine_limit_shared(engines[0], WFSM_POOL_GROUP, "g", 0, error));
    run(engines[0], 30);
}

static void without_it_nothing_waits(void)
{
    open_engine(0, 1);
    start_several(engines[0], names[0], 3);
    OK(wfsm_engine_limit_shared(engines[0], WFSM_POOL_GROUP, "g", 0, error));
    run(engines[0], 10);
    TEST_ASSERT_EQUAL_size_t(3, wfsm_engine_working(engines[0]));
}

static void bad_limits_are_refused(void)
{
    engines[0] = engine_of("one", 0);
    STATUS(WFSM_INVALID, wfsm_engine_limit_shared(engines[0], WFSM_POOL_ALL, "g", 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit_shared(engines[0], WFSM_POOL_GROUP, NULL, 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit_shared(engines[0], WFSM_POOL_GROUP, "", 1, error));
    STATUS(WFSM_INVALID, wfsm_engine_limit_shared(NULL, WFSM_POOL_GROUP, "g", 1, error));
}

static void a_store_that_cannot_is_named(void)
{
    wfsm_store *inner = store;
    wfsm_store_vtable vtable = store->vtable;

    vtable.permits = NULL;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, inner->self, NULL, error));
    engines[0] = engine_of("one", 0);
    STATUS(WFSM_DENIED, wfsm_engine_limit_shared(engines[0], WFSM_POOL_GROUP, "g", 1, error));
    TEST_ASSERT_EQUAL_STRING(
        "this store cannot share limits between engines; those of wfsm can",
        wfsm_error_message(error));
    wfsm_engine_free(engines[0]);
    engines[0] = NULL;
    wfsm_store_free(store);
    store = inner;
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(one_engine_alone_uses_all);
    RUN_TEST(the_sum_is_bounded);
    RUN_TEST(nobody_starves);
    RUN_TEST(what_one_gives_back_another_gets);
    RUN_TEST(permits_lapse_with_the_lease);
    RUN_TEST(an_engine_that_slept_asks_again);
    RUN_TEST(it_holds_beside_the_engines_own_limit);
    RUN_TEST(without_it_nothing_waits);
    RUN_TEST(bad_limits_are_refused);
    RUN_TEST(a_store_that_cannot_is_named);
    return UNITY_END() != 0;
}
