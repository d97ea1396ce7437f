/* The effects of a child workflow's last step. Its parent has the result, and the host the effects,
 * no matter which of them comes first. */
#include "store/store.h"
#include "world.h"

static const char child[] =
    "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"work\",\"states\":{"
    "\"work\":{\"invoke\":{\"src\":\"a\",\"onDone\":\"good\"},\"on\":{\"SKIP\":\"good\"}},"
    "\"good\":{\"type\":\"final\",\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"bye\"}}}}}";
static const char parent[] =
    "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"wait\",\"states\":{"
    "\"wait\":{\"invoke\":{\"src\":\"machine:c\",\"onDone\":\"done\"}},\"done\":{}}}";

static wfsm_engine *engine;
static actor who;
static int effects;
static bool refuses, forgets;
static wfsm_store *memory;

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    effects += !refuses;
    return refuses ? WFSM_HOST : WFSM_OK;
}

static int32_t acknowledge(void *self, const char *instance, uint64_t effect, wfsm_error *why)
{
    return forgets ? wfsm_error_set(why, WFSM_STORE_FAILED, "not now")
                   : memory->vtable.acknowledge(self, instance, effect, why);
}

void setUp(void)
{
    wfsm_store_vtable vtable;

    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&memory, NULL, error));
    vtable = memory->vtable;
    vtable.acknowledge = acknowledge;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, memory->self, NULL, error));
    forgets = false;
    engine = engine_of("one", 0);
    who = (actor){0};
    effects = 0;
    refuses = false;
    add_machine(engine, parent);
    add_machine(engine, child);
    add_actor(engine, "a", &who);
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    start(engine, "p", "x", 0);
    run(engine, 0);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
    wfsm_store_free(memory);
}

static void expect_end(void)
{
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"kind\":\"result\""));
    TEST_ASSERT_EQUAL_INT(1, effects);
    TEST_ASSERT_EQUAL_size_t(1, engine->entry_count); /* the child has left */
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void in_a_round(void)
{
    who.on_poll = "1";
    run(engine, 1);
    expect_end();
}

static void by_a_call_of_the_host(void)
{
    int32_t outcome = 0;

    OK(wfsm_engine_result(engine, who.id, "1", 1, 1, &outcome, error));
    run(engine, 1);
    expect_end();
}

/* The parent does not wait for the host. */
static void refused_at_first(void)
{
    refuses = true;
    who.on_poll = "1";
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    TEST_ASSERT_EQUAL_INT64(1 + WF_RETRY_MS, wfsm_engine_deadline(engine));
    refuses = false;
    run(engine, 1 + WF_RETRY_MS);
    expect_end();
}

/* It is acknowledged later, and the host is not kept busy until then. */
static void not_acknowledged_at_first(void)
{
    forgets = true;
    who.on_poll = "1";
    for (int i = 0; i < 10; i++)
        (void)wfsm_engine_run(engine, 1, NULL);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_GREATER_THAN_INT64(1, wfsm_engine_deadline(engine));
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    forgets = false;
    run(engine, 1 + WF_RETRY_MS);
    expect_end();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(in_a_round);
    RUN_TEST(by_a_call_of_the_host);
    RUN_TEST(refused_at_first);
    RUN_TEST(not_acknowledged_at_first);
    return UNITY_END() != 0;
}
