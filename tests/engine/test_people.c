/* People take no slot, no call and no time. An engine only passes their votes on. */
#include <stdio.h>
#include <string.h>

#include "world.h"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    who = (actor){0};
    engine = engine_of("one", 1);
    add_machine(engine, WORK("ask", "person", ""));
    add_machine(engine, WORK("legal", "person.legal", ""));
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static void vote(const char *instance, const char *decision, const char *post_id)
{
    char digest[WFSM_DIGEST_SIZE], invocation[100];

    OK(wfsm_digest("null", 4, digest)); /* they were given no input */
    snprintf(invocation, sizeof invocation, "%s/1/1", instance);
    const wfsm_approval given = {.size = sizeof given,
                                 .instance = instance,
                                 .invocation = IDS(invocation),
                                 .by = "ada",
                                 .digest = digest,
                                 .decision = strcmp(decision, "approve") == 0 ? WFSM_APPROVE
                                                                              : WFSM_REJECT,
                                 .id = post_id};
    OK(wfsm_approve(store, &given, 0, error));
}

static void they_hold_no_slot(void)
{
    for (int i = 0; i < 20; i++) {
        char id[20];
        snprintf(id, sizeof id, "p%d", i);
        start(engine, i % 2 ? "ask" : "legal", id, 0);
    }
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_waiting(engine));
    who.on_poll = "1";
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "p7"));
    TEST_ASSERT_EQUAL_INT(1, wfsm_engine_idle(engine));
}

static void votes_come_from_the_inbox(void)
{
    start(engine, "ask", "x", 0);
    start(engine, "ask", "y", 0);
    run(engine, 0);
    vote("x", "approve", "1");
    vote("y", "reject", NULL);
    run(engine, 1);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "y"));
    TEST_ASSERT_EQUAL_size_t(1, records("y", "\"decision\":\"reject\""));
}

static void another_engine_takes_them_over(void)
{
    start(engine, "ask", "x", 0);
    run(engine, 0);
    wfsm_engine_free(engine);
    vote("x", "approve", NULL);
    engine = engine_of("two", 1);
    OK(wfsm_engine_adopt(engine, "x", 20000, error));
    run(engine, 20000);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(0, records("x", "\"probe\""));
}

static void nobody_plays_a_person(void)
{
    wfsm_agent agent = {.size = sizeof agent, .start = NULL};

    STATUS(WFSM_INVALID, wfsm_engine_add_agent_full(engine, "person", &agent, error));
    STATUS(WFSM_INVALID, wfsm_engine_add_agent_full(engine, "person.legal", &agent, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "is a person"));
    add_actor(engine, "personnel", &who);
}

/* A step claims at once what it makes beside a person. */
static void agents_beside_people_are_claimed_at_once(void)
{
    add_machine(engine,
                "{\"wfsm\":1,\"id\":\"both\",\"initial\":\"s\",\"states\":{\"s\":{\"invoke\":["
                "{\"id\":\"p\",\"src\":\"person\"},{\"id\":\"q\",\"src\":\"a\"}]}}}");
    start(engine, "both", "x", 0);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"status\":\"running\""));
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_size_t(0, records("x", "\"kind\":\"claim\""));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(they_hold_no_slot);
    RUN_TEST(votes_come_from_the_inbox);
    RUN_TEST(another_engine_takes_them_over);
    RUN_TEST(nobody_plays_a_person);
    RUN_TEST(agents_beside_people_are_claimed_at_once);
    return UNITY_END() != 0;
}
