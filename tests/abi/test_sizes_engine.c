/* Structs of an engine and its loop. */
#include <wfsm/loop.h>
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
    TAKES(wfsm_loop_options, take_loop_options, NO_MORE, .no_signals = 1);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    return UNITY_END() != 0;
}
