/* Engines that are killed: nothing is lost, and nothing is done twice. */
#include <string.h>

#include "world.h"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 2);
    who = (actor){0};
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

/* The same name, as a host with a fixed one has it. */
static void crash(int64_t now)
{
    size_t count;

    wf_engine_abandon(engine);
    engine = engine_of("one", 2);
    add_actor(engine, "a", &who);
    OK(wfsm_engine_adopt_all(engine, now, &count, error));
}

typedef struct found {
    const char *unknown; /* onUnknown */
    const char *probe;   /* "none": the agent has no probe */
    const char *where;   /* after the first run */
    int starts, cancels; /* then */
    bool polled;         /* is it taken for running? */
} found;

static const found cases[] = {
    {"reattach", NULL, "[\"work\"]", 0, 0, true},
    {"retry", NULL, "[\"work\"]", 0, 0, true},
    {"escalate", NULL, "[\"work\"]", 0, 0, true},
    {"reattach", "{\"late\":1}", "[\"done\"]", 0, 0, false},
    {"retry", "{\"late\":1}", "[\"done\"]", 0, 0, false},
    {"escalate", "{\"late\":1}", "[\"done\"]", 0, 0, false},
    {"reattach", "!exit", "[\"failed\"]", 0, 0, false},
    {"retry", "!exit", "[\"failed\"]", 0, 0, false},
    {"reattach", "gone", "[\"work\"]", 1, 0, true},
    {"retry", "gone", "[\"work\"]", 1, 0, true},
    {"escalate", "gone", "[\"failed\"]", 0, 0, false},
    {"reattach", "unsure", "[\"work\"]", 0, 0, true},
    {"retry", "unsure", "[\"work\"]", 1, 0, true},
    {"escalate", "unsure", "[\"failed\"]", 0, 0, false},
    {"reattach", "status", "[\"work\"]", 0, 0, true},
    {"retry", "status", "[\"work\"]", 1, 0, true},
    {"reattach", "none", "[\"work\"]", 1, 0, false},
    {"retry", "none", "[\"work\"]", 1, 0, false},
    {"escalate", "none", "[\"failed\"]", 0, 0, false},
};

static void add_machine_for(const found *c)
{
    if (strcmp(c->unknown, "reattach") == 0)
        add_machine(engine, WORK("m", "a", ",\"onUnknown\":\"reattach\""));
    else if (strcmp(c->unknown, "retry") == 0)
        add_machine(engine, WORK("m", "a", ",\"onUnknown\":\"retry\""));
    else
        add_machine(engine, WORK("m", "a", ",\"onUnknown\":\"escalate\""));
}

static void check_found(const found *c)
{
    bool has_probe = !c->probe || strcmp(c->probe, "none") != 0;
    char id[WF_INVOCATION_ID_BYTES];
    size_t count = 0;

    add_machine_for(c);
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
    run(engine, 0);
    strcpy(id, who.id);
    wf_engine_abandon(engine);
    who = (actor){.on_probe = has_probe ? c->probe : NULL};
    engine = engine_of("two", 2);
    if (has_probe)
        add_actor(engine, "a", &who);
    else
        add_plain(engine, "a", &who);
    OK(wfsm_engine_adopt_all(engine, 10000, &count, error));
    TEST_ASSERT_EQUAL_size_t(1, count);
    run(engine, 10000);
    TEST_ASSERT_EQUAL_STRING(c->where, where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(has_probe, who.probes);
    TEST_ASSERT_EQUAL_INT(c->starts, who.starts);
    TEST_ASSERT_EQUAL_INT(c->cancels, who.cancels);
    if (who.starts > 0)
        TEST_ASSERT_EQUAL_INT32(2, who.attempt);
    if (has_probe || who.starts > 0)
        TEST_ASSERT_EQUAL_STRING(id, who.id);
    run(engine, 10001);
    TEST_ASSERT_EQUAL_INT(c->polled, who.polls);
    TEST_ASSERT_EQUAL_INT(has_probe, who.probes);
    TEST_ASSERT_EQUAL_size_t(strcmp(c->where, "[\"work\"]") == 0, wfsm_engine_working(engine));
}

static void what_ran_is_asked_for(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_found(&cases[i]);
        tearDown();
        setUp();
    }
}

static void what_waited_is_found_again(void)
{
    add_machine(engine, WORK("m", "b", ""));
    start(engine, "m", "x", 0);
    run(engine, 0);
    crash(1);
    who.on_start = "1";
    add_actor(engine, "b", &who);
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, who.probes);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
}

static void a_retry_waits_on_through_a_restart(void)
{
    who.on_start = "!network";
    add_machine(engine, WORK("m", "a",
                             ",\"retry\":[{\"errors\":[\"network\"],\"maxAttempts\":2,"
                             "\"intervalMs\":1000}]"));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
    run(engine, 0);
    crash(10);
    run(engine, 999);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_INT64(1000, wfsm_engine_deadline(engine));
    who.on_start = "1";
    run(engine, 1000);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void a_claim_before_the_crash_is_probed_not_started(void)
{
    int32_t outcome = 0;

    add_machine(engine, WORK("m", "a", ",\"onUnknown\":\"retry\""));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
    run(engine, 0);
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 1, &outcome, error));
    OK(wfsm_engine_send(engine, "x", "again", NULL, NULL, 0, 2, &outcome, error));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "again"));
    who = (actor){.on_probe = "gone"};
    crash(3);
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(1, who.probes);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
}

static void timers_continue_after_a_restart(void)
{
    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"wait\",\"states\":{"
                        "\"wait\":{\"after\":{\"500\":\"end\"}},"
                        "\"end\":{\"type\":\"final\"}}}");
    start(engine, "m", "x", 100);
    run(engine, 100);
    TEST_ASSERT_EQUAL_INT64(600, wfsm_engine_deadline(engine));
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    crash(200);
    TEST_ASSERT_EQUAL_INT64(200, wfsm_engine_deadline(engine)); /* just adopted */
    run(engine, 200);
    TEST_ASSERT_EQUAL_INT64(600, wfsm_engine_deadline(engine));
    run(engine, 599);
    TEST_ASSERT_EQUAL_STRING("[\"wait\"]", where(engine, "x"));
    run(engine, 9000);
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(2, records("x", ""));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

/* 004-216: slots survive a restart, neither leaked nor doubled. */
static void slots_are_counted_from_the_ledger(void)
{
    add_machine(engine, WORK("m", "a", ",\"onUnknown\":\"reattach\""));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
    start(engine, "m", "y", 0);
    start(engine, "m", "z", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    crash(1);
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(2, who.probes);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    who.on_poll = "1";
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    run(engine, 3);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void an_orphan_of_a_state_that_is_left_is_told(void)
{
    int32_t outcome = 0;

    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
    start(engine, "m", "x", 0);
    run(engine, 0);
    crash(1);
    OK(wfsm_engine_send(engine, "x", "stop", NULL, NULL, 0, 1, &outcome, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(0, who.probes);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_ran_is_asked_for);
    RUN_TEST(what_waited_is_found_again);
    RUN_TEST(a_retry_waits_on_through_a_restart);
    RUN_TEST(a_claim_before_the_crash_is_probed_not_started);
    RUN_TEST(timers_continue_after_a_restart);
    RUN_TEST(slots_are_counted_from_the_ledger);
    RUN_TEST(an_orphan_of_a_state_that_is_left_is_told);
    return UNITY_END() != 0;
}
