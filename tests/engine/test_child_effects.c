/* The effects of a child workflow's last step. The host is asked to take them before its parent has the
 * result, and if it refuses, the parent does not wait. */
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
static size_t results; /* that the parent had at the last effect */
static bool refuses, forgets;
static wfsm_store *memory;

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    effects += !refuses;
    results = records("x", "\"kind\":\"result\"");
    return refuses ? WFSM_HOST : WFSM_OK;
}

static int32_t acknowledge(void *self, const char *instance, uint64_t effect, wfsm_error *why)
{
    return forgets ? wfsm_error_set(why, WFSM_STORE_FAILED, "not now")
                   : memory->vtable.acknowledge(self, instance, effect, why);
}

static void fill(void)
{
    add_machine(engine, parent);
    add_machine(engine, child);
    add_actor(engine, "a", &who);
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
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
    fill();
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
    TEST_ASSERT_EQUAL_size_t(0, results);
}

static void by_a_call_of_the_host(void)
{
    int32_t outcome = 0;

    OK(wfsm_engine_result(engine, who.id, "1", 1, 1, &outcome, error));
    run(engine, 1);
    expect_end();
    TEST_ASSERT_EQUAL_size_t(0, results);
}

static void skip(void)
{
    int32_t outcome = 0;

    OK(wfsm_engine_send(engine, IDS("x/1/1/1"), "SKIP", NULL, NULL, 0, 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
}

static void by_an_event_for_the_child(void)
{
    skip();
    run(engine, 1);
    expect_end();
    TEST_ASSERT_EQUAL_size_t(0, results);
}

/* The child has ended, and its engine is gone before the host has the effects. */
static void after_a_crash(void)
{
    skip();
    wf_engine_abandon(engine);
    TEST_ASSERT_EQUAL_INT(0, effects);
    engine = engine_of("two", 0);
    fill();
    OK(wfsm_engine_adopt_all(engine, 20000, NULL, error));
    run(engine, 20000);
    expect_end();
    TEST_ASSERT_EQUAL_size_t(0, results);
}

/* Another engine takes the parent only: the child is adopted by it, because it has effects. */
static void found_by_the_parent(void)
{
    skip();
    wf_engine_abandon(engine);
    engine = engine_of("two", 0);
    fill();
    OK(wfsm_engine_adopt(engine, "x", 20000, error));
    run(engine, 20000);
    expect_end();
    TEST_ASSERT_EQUAL_size_t(0, results);
}

/* Another engine has the child: its effects are with that one, and the parent does not wait. */
static void with_another_engine(void)
{
    wfsm_engine *other;

    skip();
    wf_engine_abandon(engine);
    refuses = true;
    other = engine_of("three", 0);
    OK(wfsm_engine_on_effect(other, deliver, NULL, error));
    add_machine(other, child);
    OK(wfsm_engine_adopt(other, IDS("x/1/1/1"), 20000, error));
    run(other, 20000);
    engine = engine_of("two", 0);
    fill();
    OK(wfsm_engine_adopt(engine, "x", 20000, error));
    run(engine, 20000);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, effects);
    wfsm_engine_free(other);
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
    RUN_TEST(by_an_event_for_the_child);
    RUN_TEST(after_a_crash);
    RUN_TEST(found_by_the_parent);
    RUN_TEST(with_another_engine);
    RUN_TEST(refused_at_first);
    RUN_TEST(not_acknowledged_at_first);
    return UNITY_END() != 0;
}
