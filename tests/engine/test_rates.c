/* How often work may begin: in one engine, and in all engines of a store together. */
#include <string.h>

#include "world.h"

enum { ENGINES = 3, MOST = 1000 };

static wfsm_engine *engines[ENGINES];
static actor who[ENGINES];
static const char *const names[ENGINES] = {"one", "two", "three"};
static int64_t begun[MOST]; /* when each attempt began */
static size_t begun_count;

#define RETRY                                                                                  \
    ",\"pool\":{\"group\":\"g\"},\"retry\":[{\"errors\":[\"network\"],\"intervalMs\":0,"       \
    "\"maxAttempts\":5}]"
static const char machine[] = WORK("m", "a", RETRY);

static void set_rate(int which, uint32_t count, int64_t per_ms, bool shared)
{
    const wfsm_pool_rate rate = {.size = sizeof rate,
                                 .kind = WFSM_POOL_GROUP,
                                 .name = "g",
                                 .count = count,
                                 .per_ms = per_ms,
                                 .shared = shared};

    OK(wfsm_engine_rate(engines[which], &rate, error));
}

static void open_engine(int which, uint32_t slots)
{
    engines[which] = engine_of(names[which], slots);
    add_machine(engines[which], machine);
    add_actor(engines[which], "a", &who[which]);
}

void setUp(void)
{
    world_open();
    memset(who, 0, sizeof who);
    begun_count = 0;
}

void tearDown(void)
{
    close_engines(engines, ENGINES);
    world_close();
}

static void note(int64_t now)
{
    size_t starts = (size_t)(who[0].starts + who[1].starts + who[2].starts);

    TEST_ASSERT_TRUE(starts <= MOST);
    while (begun_count < starts)
        begun[begun_count++] = now;
}

/* Each engine runs when it says that it has something to do, and else not. */
static void drive(int64_t from, int64_t until)
{
    for (int64_t now = from; now < until;) {
        int64_t next = until;

        for (int i = 0; i < ENGINES; i++) {
            if (engines[i] && wfsm_engine_deadline(engines[i]) <= now)
                once(engines[i], now);
            note(now);
        }
        for (int i = 0; i < ENGINES; i++) {
            int64_t due = engines[i] ? wfsm_engine_deadline(engines[i]) : until;

            next = due < next ? due : next;
        }
        now = next > now ? next : now;
    }
}

/* In any time T at most count + T * count / per_ms, and so many more. */
static void expect_rate(int64_t count, int64_t per_ms, int64_t more)
{
    for (size_t i = 0; i < begun_count; i++)
        for (size_t j = i; j < begun_count; j++) {
            int64_t found = (int64_t)(j - i) + 1;

            TEST_ASSERT_TRUE(found <= count + more + (begun[j] - begun[i]) * count / per_ms);
        }
}

static void expect_begun(size_t count, const int64_t *times)
{
    TEST_ASSERT_EQUAL_size_t(count, begun_count);
    for (size_t i = 0; i < count; i++)
        TEST_ASSERT_EQUAL_INT64(times[i], begun[i]);
}

static void expect_rate_of_one_engine(bool shared)
{
    static const int64_t times[] = {0, 0, 500, 1000, 1500};

    open_engine(0, 0);
    set_rate(0, 2, 1000, shared);
    start_several(engines[0], names[0], 5);
    drive(0, 5000);
    expect_begun(5, times);
}

static void work_of_one_engine_begins_at_its_rate(void)
{
    expect_rate_of_one_engine(false);
    TEST_ASSERT_EQUAL_STRING(
        "{\"slots\":15,\"working\":5,\"free\":10,\"waiting\":0,\"agents\":{\"a\":{\"working\":5,"
        "\"waiting\":0}},\"phases\":{},\"groups\":{\"g\":{\"working\":5,\"waiting\":0,"
        "\"rate\":2,\"perMs\":1000}}}",
        wfsm_engine_pool(engines[0], NULL));
}

static void a_step_does_not_overtake_the_rate(void)
{
    open_engine(0, 0);
    set_rate(0, 1, 1000, false);
    who[0].on_poll = "!network"; /* every attempt fails, and the next one is due at once */
    start_several(engines[0], names[0], 2);
    drive(0, 8500);
    TEST_ASSERT_EQUAL_size_t(9, begun_count);
    expect_rate(1, 1000, 0);
}

static void one_engine_alone_has_the_shared_rate(void)
{
    expect_rate_of_one_engine(true);
}

/* Each gets its turns, whatever engine asks first. */
static void engines_share_a_rate(void)
{
    for (int i = 0; i < ENGINES; i++) {
        open_engine(i, 100);
        set_rate(i, 3, 700, true);
        start_several(engines[i], names[i], 40);
    }
    drive(0, 14000);
    TEST_ASSERT_EQUAL_size_t(3 + 59, begun_count);
    expect_rate(3, 700, 0);
    for (int i = 0; i < ENGINES; i++)
        TEST_ASSERT_GREATER_OR_EQUAL_INT(18, who[i].starts);
}

/* An engine whose slot is taken when its turn comes keeps one token, and no more. */
static void tokens_are_not_collected(void)
{
    for (int i = 0; i < ENGINES; i++) {
        open_engine(i, 1);
        set_rate(i, 4, 1000, true);
        start_several(engines[i], names[i], 10);
    }
    drive(0, 20000);
    for (int i = 0; i < ENGINES; i++)
        who[i].on_poll = "1";
    drive(20000, 90000);
    TEST_ASSERT_EQUAL_size_t(30, begun_count);
    expect_rate(4, 1000, ENGINES);
}

static void a_changed_rate_keeps_what_was_taken(void)
{
    static const int64_t times[] = {0, 0, 0, 100, 200};

    open_engine(0, 0);
    set_rate(0, 3, 60000, true);
    start_several(engines[0], names[0], 5);
    drive(0, 50);
    set_rate(0, 3, 300, true);
    drive(50, 5000);
    TEST_ASSERT_EQUAL_size_t(5, begun_count);
    for (size_t i = 0; i < 5; i++)
        TEST_ASSERT_TRUE(begun[i] >= times[i] && begun[i] <= times[i] + 150);
}

static void nothing_waits_without_a_rate(bool shared)
{
    open_engine(0, 0);
    set_rate(0, 1, 1000, shared);
    start_several(engines[0], names[0], 4);
    drive(0, 50);
    TEST_ASSERT_EQUAL_size_t(1, begun_count);
    set_rate(0, 0, 0, shared);
    drive(50, 60);
    TEST_ASSERT_EQUAL_size_t(4, begun_count);
}

static void nothing_waits_for_a_rate_that_was_ended(void)
{
    nothing_waits_without_a_rate(false);
}

static void nothing_waits_for_a_shared_rate_that_was_ended(void)
{
    nothing_waits_without_a_rate(true);
}

/* By 5 seconds: the bucket counts from there, and nobody waits for these seconds. */
static void a_clock_may_be_set_back(void)
{
    open_engine(0, 0);
    set_rate(0, 1, 1000, false);
    start_several(engines[0], names[0], 3);
    for (int64_t now = 5000; begun_count < 1; now++) {
        once(engines[0], now);
        note(now);
    }
    for (int64_t now = 0; now < 3000; now += 500) {
        once(engines[0], now);
        note(now);
    }
    TEST_ASSERT_EQUAL_size_t(3, begun_count);
}

static void bad_rates_are_refused(void)
{
    wfsm_pool_rate rate = {
        .size = sizeof rate, .kind = WFSM_POOL_GROUP, .name = "g", .count = 1, .per_ms = 1};
    wfsm_pool_rate bad[9];

    open_engine(0, 0);
    for (int i = 0; i < 9; i++)
        bad[i] = rate;
    bad[0].size = 3;
    bad[1].kind = WFSM_POOL_ALL;
    bad[2].kind = WFSM_POOL_GROUP + 1;
    bad[3].name = NULL;
    bad[4].name = "";
    bad[5].per_ms = 0;
    bad[6].per_ms = (int64_t)INT32_MAX + 1;
    bad[7].count = (uint32_t)INT32_MAX + 1;
    bad[8].shared = 2;
    for (int i = 0; i < 9; i++)
        STATUS(WFSM_INVALID, wfsm_engine_rate(engines[0], &bad[i], error));
    STATUS(WFSM_INVALID, wfsm_engine_rate(NULL, &rate, error));
    STATUS(WFSM_INVALID, wfsm_engine_rate(engines[0], NULL, error));
    OK(wfsm_engine_rate(engines[0], &rate, error));
}

static void a_store_that_cannot_is_named(void)
{
    wfsm_store *inner = store;
    wfsm_store_vtable vtable = store->vtable;
    const wfsm_pool_rate rate = {.size = sizeof rate,
                                 .kind = WFSM_POOL_GROUP,
                                 .name = "g",
                                 .count = 1,
                                 .per_ms = 1,
                                 .shared = 1};

    vtable.rates = NULL;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, inner->self, NULL, error));
    open_engine(0, 0);
    STATUS(WFSM_DENIED, wfsm_engine_rate(engines[0], &rate, error));
    TEST_ASSERT_EQUAL_STRING("this store cannot share rates between engines; those of wfsm can",
                             wfsm_error_message(error));
    wfsm_engine_free(engines[0]);
    engines[0] = NULL;
    wfsm_store_free(store);
    store = inner;
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(work_of_one_engine_begins_at_its_rate);
    RUN_TEST(a_step_does_not_overtake_the_rate);
    RUN_TEST(one_engine_alone_has_the_shared_rate);
    RUN_TEST(engines_share_a_rate);
    RUN_TEST(tokens_are_not_collected);
    RUN_TEST(a_changed_rate_keeps_what_was_taken);
    RUN_TEST(nothing_waits_for_a_rate_that_was_ended);
    RUN_TEST(nothing_waits_for_a_shared_rate_that_was_ended);
    RUN_TEST(a_clock_may_be_set_back);
    RUN_TEST(bad_rates_are_refused);
    RUN_TEST(a_store_that_cannot_is_named);
    return UNITY_END() != 0;
}
