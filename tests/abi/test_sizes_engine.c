/* Structs of an engine and its loop. */
#include <stdbool.h>
#include <wfsm/loop.h>
#include <wfsm/schedule.h>
#include "sizes.h"

static int32_t take_engine_options(const void *given)
{
    wfsm_engine *made = NULL;
    int32_t status = wfsm_engine_new(&made, store, given, NULL);
    wfsm_engine_free(made);
    return status;
}

static int32_t work(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

static int32_t take_agent(const void *given)
{
    wfsm_engine *engine = an_engine();
    int32_t status = wfsm_engine_add_agent_full(engine, "worker", given, NULL);
    wfsm_engine_free(engine);
    return status;
}

static int32_t take_start(const void *given)
{
    const wfsm_start *const starts[] = {given};
    wfsm_engine *engine = an_engine();
    int32_t answer = -1;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, machine, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_remove(store, "started", NULL));
    int32_t status = wfsm_engine_start_all(engine, starts, 1, 1, &answer, NULL);
    TEST_ASSERT_EQUAL(status, answer);
    wfsm_engine_free(engine);
    return status;
}

static int32_t take_share(const void *given)
{
    wfsm_engine *engine = an_engine();
    int32_t status = wfsm_engine_share(engine, 1, (wfsm_share *)(uintptr_t)given, NULL);
    wfsm_engine_free(engine);
    return status;
}

static int32_t take_pool_wait(const void *given)
{
    wfsm_engine *engine = an_engine();
    int32_t status = wfsm_engine_await_empty(engine, given, 1, NULL);
    wfsm_engine_free(engine);
    return status;
}

static int32_t take_pool_rate(const void *given)
{
    wfsm_engine *engine = an_engine();
    int32_t status = wfsm_engine_rate(engine, given, NULL);
    wfsm_engine_free(engine);
    return status;
}

static int32_t take_loop_options(const void *given)
{
    wfsm_loop *loop = NULL;
    int32_t status = wfsm_loop_new(&loop, store, given, NULL);
    wfsm_loop_free(loop);
    return status;
}

static int32_t give_engine_counts(void *to)
{
    wfsm_engine *engine = an_engine();
    int32_t status = wfsm_engine_count(engine, to);
    wfsm_engine_free(engine);
    return status;
}

/* Whether the loop knows the machine of schedules. */
static bool serves_schedules(size_t size)
{
    const wfsm_loop_options given = {.size = size, .no_signals = 1, .schedules = 1};
    wfsm_loop *loop = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_new(&loop, store, &given, NULL));
    int32_t status =
        wfsm_engine_start(wfsm_loop_engine(loop), WFSM_SCHEDULE_MACHINE, "s", "[]", 2, 1, NULL);
    wfsm_loop_free(loop);
    TEST_ASSERT_NOT_EQUAL(WFSM_OK, status); /* the input is none */
    return status != WFSM_NOT_FOUND;
}

/* A host of a release that had no such member does not ask for schedules, whatever stands behind its
 * struct. */
static void the_size_says_whether_schedules_are_asked_for(void)
{
    TEST_ASSERT_TRUE(serves_schedules(sizeof(wfsm_loop_options)));
    TEST_ASSERT_FALSE(serves_schedules(offsetof(wfsm_loop_options, schedules)));
}

static void structs_that_are_handed_in(void)
{
    TAKES(wfsm_engine_options, take_engine_options, UP_TO(wfsm_engine_options, allocator),
          .session = "test", .slots = 3);
    TAKES(wfsm_agent, take_agent, ALL(wfsm_agent), .start = work, .poll = work);
    TAKES(wfsm_start, take_start, ALL(wfsm_start), .machine = "m", .id = "started");
    TAKES(wfsm_share, take_share, NO_MORE, .most = 1);
    TAKES(wfsm_pool_wait, take_pool_wait, ALL(wfsm_pool_wait), .kind = WFSM_POOL_PHASE,
          .name = "p", .instance = "i", .event = "e", .event_id = "1");
    TAKES(wfsm_pool_rate, take_pool_rate, UP_TO(wfsm_pool_rate, count), .name = "g", .kind = 1);
    TAKES(wfsm_loop_options, take_loop_options, NO_MORE, .no_signals = 1, .schedules = 1);
}

static void structs_that_are_asked_for(void)
{
    gives("wfsm_engine_counts", give_engine_counts, sizeof(wfsm_engine_counts), NO_MORE);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    RUN_TEST(structs_that_are_asked_for);
    RUN_TEST(the_size_says_whether_schedules_are_asked_for);
    return UNITY_END() != 0;
}
