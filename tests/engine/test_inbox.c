#include <stdio.h>
#include <string.h>

#include "world.h"

#define COUNTER                                                                                \
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"s\",\"context\":{\"n\":0,\"last\":null},"          \
    "\"states\":{\"s\":{\"on\":{"                                                              \
    "\"add\":{\"actions\":{\"type\":\"assign\",\"params\":{"                                   \
    "\"n\":{\"+\":[{\"var\":\"context.n\"},1]},"                                               \
    "\"last\":{\"var\":\"event.id\"}}}},"                                                      \
    "\"end\":\"e\"}},\"e\":{\"type\":\"final\"}}}"

static wfsm_engine *engine;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    add_machine(engine, COUNTER);
    start(engine, "m", "x", 0);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static const char *context(const char *id)
{
    return wfsm_instance_context(wfsm_engine_instance(engine, id), NULL);
}

static void a_post_is_consumed_once(void)
{
    post("x", "add", "p1");
    STATUS(WFSM_EXISTS, wfsm_store_post(store, "x", "add", "p1", NULL, 0, 0, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("{\"n\":1,\"last\":\"p1\"}", context("x"));
    TEST_ASSERT_EQUAL_size_t(0, posts());
    STATUS(WFSM_EXISTS, wfsm_store_post(store, "x", "add", "p1", NULL, 0, 0, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_STRING("{\"n\":1,\"last\":\"p1\"}", context("x"));
}

static void a_post_that_nothing_handles_is_consumed_too(void)
{
    post("x", "what", "p1");
    run(engine, 1);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_EQUAL_size_t(2, records("x", ""));
}

static void posts_come_in_order(void)
{
    char id[20];

    for (int i = 0; i < 200; i++) {
        snprintf(id, sizeof id, "p%d", i);
        post("x", "add", i % 2 ? id : NULL);
    }
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("{\"n\":200,\"last\":\"p199\"}", context("x"));
    TEST_ASSERT_EQUAL_size_t(0, posts());
}

static void other_peoples_posts_are_left_alone(void)
{
    wfsm_engine *two = engine_of("two", 0);

    add_machine(two, COUNTER);
    start(two, "m", "y", 0);
    for (int i = 0; i < 100; i++)
        post("y", "add", NULL);
    post("x", "add", "mine");
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("{\"n\":1,\"last\":\"mine\"}", context("x"));
    TEST_ASSERT_EQUAL_size_t(100, posts());
    run(two, 1);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    wfsm_engine_free(two);
}

static void what_was_posted_before_a_crash_is_found(void)
{
    size_t count;

    post("x", "add", "p1");
    wf_engine_abandon(engine);
    post("x", "add", "p2");
    engine = engine_of("one", 0);
    OK(wfsm_engine_adopt_all(engine, 1, &count, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("{\"n\":2,\"last\":\"p2\"}", context("x"));
}

static void posts_for_an_ended_instance_are_consumed_too(void)
{
    start(engine, "m", "y", 0);
    post("x", "end", NULL);
    for (int i = 0; i < 100; i++)
        post("x", "add", NULL);
    post("y", "add", "late");
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"e\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("{\"n\":1,\"last\":\"late\"}", context("y"));
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_post_is_consumed_once);
    RUN_TEST(a_post_that_nothing_handles_is_consumed_too);
    RUN_TEST(posts_come_in_order);
    RUN_TEST(other_peoples_posts_are_left_alone);
    RUN_TEST(what_was_posted_before_a_crash_is_found);
    RUN_TEST(posts_for_an_ended_instance_are_consumed_too);
    return UNITY_END() != 0;
}
