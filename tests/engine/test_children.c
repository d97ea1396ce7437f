/* Child workflows. Parent and child are separate instances; engines are killed, and each is
 * found again. */
#include <string.h>

#include <wfsm/audit.h>
#include "world.h"
#include "../given.h"

static wfsm_engine *engine;
static actor who;

/* Does one piece of work, and passes its input on; NOTE and STOP are for people. */
static const char child[] =
    "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"work\",\"context\":{\"n\":0},\"budgets\":{"
    "\"tokens\":{\"limit\":1000}},\"states\":{"
    "\"work\":{\"invoke\":{\"src\":\"a\",\"input\":{\"var\":\"context.n\"},\"onDone\":\"good\","
    "\"onError\":\"bad\"},\"on\":{\"SKIP\":\"good\",\"FAIL\":\"bad\"}},"
    "\"good\":{\"type\":\"final\",\"output\":{\"n\":{\"var\":\"context.n\"}}},"
    "\"bad\":{\"type\":\"final\",\"tags\":\"error\",\"output\":{\"class\":\"auth\",\"message\":"
    "\"no key\"}}}}";

#define PARENT(extra)                                                                          \
    "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"wait\",\"context\":{\"got\":null},\"budgets\":{"   \
    "\"tokens\":{\"limit\":1000}},\"states\":{\"wait\":{\"invoke\":{\"id\":\"kid\","           \
    "\"src\":\"machine:c\",\"input\":{\"n\":7}" extra ","                                      \
    "\"onDone\":{\"target\":\"done\",\"actions\":{\"type\":\"assign\",\"params\":{\"got\":"    \
    "{\"var\":\"event.data\"}}}},"                                                             \
    "\"onError\":{\"target\":\"failed\",\"actions\":{\"type\":\"assign\",\"params\":{"         \
    "\"got\":{\"var\":\"event.data\"}}}}},\"on\":{\"LEAVE\":\"left\"}},"                       \
    "\"done\":{},\"failed\":{},\"left\":{}}}"

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    memset(&who, 0, sizeof who);
}

void tearDown(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};

    wfsm_engine_free(engine);
    OK(wfsm_store_audit(store, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    world_close();
}

static void fill(wfsm_engine *to, const char *parent)
{
    add_machine(to, parent);
    add_machine(to, child);
    add_actor(to, "a", &who);
}

static void begin(const char *parent)
{
    fill(engine, parent);
    start(engine, "p", "x", 0);
    run(engine, 0);
}

static const char *got(void)
{
    return wfsm_instance_context(wfsm_engine_instance(engine, "x"), NULL);
}

/* As it is in the store, no matter which engine has it. */
static int32_t stored_status(const char *id)
{
    wfsm_head head = {.size = sizeof head};

    return wfsm_store_head(store, id, &head, error) == WFSM_OK ? head.status : 0;
}

static void send(wfsm_engine *to, const char *id, const char *event, int64_t now)
{
    int32_t outcome = 0;

    OK(wfsm_engine_send(to, id, event, NULL, NULL, 0, now, &outcome, error));
    TEST_ASSERT_TRUE(outcome == WFSM_TAKEN || outcome == WFSM_ENDED);
}

/* By hand, as a process that steps it without an engine. */
static void send_by_hand(const char *id, const char *event, int64_t now)
{
    wfsm_instance *instance = NULL;
    int32_t outcome = 0;

    OK(wfsm_instance_load(&instance, NULL, store, NULL, id, error));
    OK(wfsm_instance_send(instance, EVENT(event), now, &outcome, error));
    wfsm_instance_free(instance);
}

static void its_output_is_the_result(void)
{
    who.on_start = "1";
    begin(PARENT(""));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("{\"got\":{\"n\":7}}", got());
    TEST_ASSERT_EQUAL_STRING("7", who.input);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/1/1/1/1"), who.id);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, stored_status(IDS("x/1/1/1")));
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, IDS("x/1/1/1")));
    TEST_ASSERT_EQUAL_size_t(1,
                             records(IDS("x/1/1/1"), IDS("\"parent\":{\"invocation\":\"x/1/1\","
                                                         "\"attempt\":1,\"depth\":1,"
                                                         "\"descendants\":0,"
                                                         "\"descendants_in_all\":0}")));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void it_knows_its_parent_and_takes_no_slot(void)
{
    wfsm_engine_free(engine);
    engine = engine_of("one", 1);
    begin(PARENT(""));
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_STRING(
        IDS("x/1/1"), wfsm_instance_parent(wfsm_engine_instance(engine, IDS("x/1/1/1"))));
    TEST_ASSERT_EQUAL_STRING("", wfsm_instance_parent(wfsm_engine_instance(engine, "x")));
    who.on_poll = "2";
    run(engine, 5);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void its_failure_has_a_class(void)
{
    who.on_start = "!exit";
    begin(PARENT(""));
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING(
        "{\"got\":{\"class\":\"auth\",\"message\":\"no key\",\"attempts\":1}}", got());
}

static void each_attempt_is_a_child_of_its_own(void)
{
    begin(PARENT(",\"retry\":[{\"errors\":[\"auth\"],\"intervalMs\":10,\"maxAttempts\":2}]"));
    send(engine, IDS("x/1/1/1"), "FAIL", 1);
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"wait\"]", where(engine, "x"));
    run(engine, 11);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/1/2")));
    send(engine, IDS("x/1/1/2"), "SKIP", 12);
    run(engine, 12);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void one_that_is_stopped_has_failed_as_canceled(void)
{
    int32_t outcome = 0;

    begin(PARENT(""));
    OK(wfsm_engine_stop(engine, IDS("x/1/1/1"), 3, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING(
        "{\"got\":{\"class\":\"canceled\",\"message\":\"the child workflow "
        "was stopped\",\"attempts\":1}}",
        got());
    TEST_ASSERT_EQUAL_size_t(1, records(IDS("x/1/1/1"), "\"status\":\"stopped\""));
}

static void leaving_the_state_stops_it(void)
{
    begin(PARENT(""));
    send(engine, "x", "LEAVE", 4);
    run(engine, 4);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, stored_status(IDS("x/1/1/1")));
    TEST_ASSERT_EQUAL_size_t(1, records(IDS("x/1/1/1"), "\"kind\":\"stop\""));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void the_time_limit_stops_it(void)
{
    begin(PARENT(",\"timeoutMs\":100"));
    run(engine, 100);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, stored_status(IDS("x/1/1/1")));
}

static int32_t spend(void *user, wfsm_call *call)
{
    (void)user;
    OK(wfsm_call_usage(call, "tokens", 42));
    return wfsm_call_done(call, "1", 1);
}

static void its_usage_is_the_parents_too(void)
{
    size_t length;

    add_machine(engine, PARENT(""));
    add_machine(engine, child);
    OK(wfsm_engine_add_agent(engine, "a", spend, NULL, error));
    start(engine, "p", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING(
        "{\"tokens\":{\"used\":42,\"limit\":1000,\"left\":958}}",
        wfsm_instance_budgets(wfsm_engine_instance(engine, "x"), 0, &length));
}

static void it_waits_for_a_machine_that_nobody_has_added(void)
{
    add_machine(engine, PARENT(""));
    add_actor(engine, "a", &who);
    start(engine, "p", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT32(0, stored_status(IDS("x/1/1/1")));
    add_machine(engine, child);
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/1/1")));
}

static void what_cannot_start_has_failed(void)
{
    static const char closed[] = "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"a\",\"schemas\":{"
                                 "\"context\":{\"type\":\"object\","
                                 "\"additionalProperties\":false}},\"states\":{\"a\":{}}}";

    add_machine(engine, PARENT(""));
    add_machine(engine, closed);
    start(engine, "p", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_NOT_NULL(strstr(got(), "cannot be started"));
}

static void another_instance_is_no_child(void)
{
    fill(engine, PARENT(""));
    start(engine, "p", "x", 0);
    start(engine, "c", IDS("x/1/1/1"), 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/1/1")));
}

static void children_nest_so_deep_and_no_deeper(void)
{
    static const char again[] =
        "{\"wfsm\":1,\"id\":\"r\",\"initial\":\"a\",\"states\":{\"a\":{\"invoke\":{\"src\":"
        "\"machine:r\",\"onDone\":\"b\",\"onError\":\"c\"}},\"b\":{\"type\":\"final\","
        "\"output\":1},"
        "\"c\":{\"type\":\"final\",\"output\":0}}}";
    size_t count = 0;
    char id[256] = "r";

    add_machine(engine, again);
    start(engine, "r", "r", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, stored_status("r"));
    while (stored_status(IDS(id)) != 0 && count < 100) {
        TEST_ASSERT_EQUAL_INT32(WFSM_DONE, stored_status(IDS(id)));
        strcat(id, "/1/1/1");
        count++;
    }
    TEST_ASSERT_EQUAL_size_t(1 + WF_CHILD_DEPTH, count);
}

/* One after the other, whatever the pool has room for. */
static void items_may_be_children(void)
{
    static const char many[] =
        "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"a\",\"context\":{\"got\":null},\"states\":{"
        "\"a\":{"
        "\"invoke\":{\"src\":\"machine:c\",\"items\":[1,2,3],\"maxConcurrency\":2,\"input\":{"
        "\"n\":"
        "{\"var\":\"item\"}},\"onDone\":{\"target\":\"b\",\"actions\":{\"type\":\"assign\","
        "\"params\":{\"got\":{\"var\":\"event.data\"}}}}}},\"b\":{}}}";

    begin(many);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT32(0, stored_status(IDS("x/1/3/1")));
    TEST_ASSERT_GREATER_THAN_INT64(100, wfsm_engine_deadline(engine));
    send(engine, IDS("x/1/2/1"), "SKIP", 1);
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/3/1")));
    send(engine, IDS("x/1/1/1"), "SKIP", 2);
    send(engine, IDS("x/1/3/1"), "SKIP", 2);
    run(engine, 2);
    TEST_ASSERT_EQUAL_STRING("{\"got\":[{\"n\":1},{\"n\":2},{\"n\":3}]}", got());
}

static void names_of_children_are_no_agents(void)
{
    STATUS(WFSM_INVALID, wfsm_engine_add_agent(engine, "machine:c", spend, NULL, error));
}

/* ---- kills ---- */

static void kill_and_adopt(int64_t now)
{
    wf_engine_abandon(engine);
    engine = engine_of("two", 0);
    fill(engine, PARENT(""));
    OK(wfsm_engine_adopt_all(engine, now, NULL, error));
    run(engine, now);
}

static void killed_while_it_works(void)
{
    begin(PARENT(""));
    kill_and_adopt(20000);
    TEST_ASSERT_EQUAL_INT(1, who.probes);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/1/1")));
    TEST_ASSERT_EQUAL_STRING("[\"wait\"]", where(engine, "x"));
    who.on_poll = "5";
    run(engine, 20001);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("{\"got\":{\"n\":7}}", got());
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"kind\":\"claim\""));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"answer\":\"running\""));
}

/* The claim was committed, and the child never came to be. */
static void killed_between_claim_and_start(void)
{
    wfsm_instance *instance = NULL;
    int32_t outcome = 0;

    fill(engine, PARENT(""));
    start(engine, "p", "x", 0);
    wf_engine_abandon(engine);
    OK(wfsm_instance_load(&instance, NULL, store, NULL, "x", error));
    OK(wfsm_instance_claim(instance, IDS("x/1/1"), "one", 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    wfsm_instance_free(instance);
    engine = engine_of("two", 0);
    fill(engine, PARENT(""));
    OK(wfsm_engine_adopt_all(engine, 20000, NULL, error));
    run(engine, 20000);
    TEST_ASSERT_EQUAL_INT32(0, stored_status(IDS("x/1/1/1")));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/1/2")));
}

static void killed_between_its_end_and_the_result(void)
{
    begin(PARENT(""));
    wf_engine_abandon(engine);
    send_by_hand(IDS("x/1/1/1"), "SKIP", 5);
    engine = engine_of("two", 0);
    fill(engine, PARENT(""));
    OK(wfsm_engine_adopt_all(engine, 20000, NULL, error));
    run(engine, 20000);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("{\"got\":{\"n\":7}}", got());
}

static void killed_between_leaving_and_stopping(void)
{
    begin(PARENT(""));
    wf_engine_abandon(engine);
    send_by_hand("x", "LEAVE", 5);
    TEST_ASSERT_EQUAL_INT32(WFSM_RUNNING, stored_status(IDS("x/1/1/1")));
    engine = engine_of("two", 0);
    fill(engine, PARENT(""));
    OK(wfsm_engine_adopt_all(engine, 20000, NULL, error));
    run(engine, 20000);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, stored_status(IDS("x/1/1/1")));
    TEST_ASSERT_EQUAL_size_t(1, records(IDS("x/1/1/1"), "\"kind\":\"stop\""));
}

/* The parent belongs to one engine, the child to another. */
static wfsm_engine *part(const char *parent)
{
    wfsm_engine *other;

    begin(parent);
    wf_engine_abandon(engine);
    other = engine_of("three", 0);
    fill(other, parent);
    OK(wfsm_engine_adopt(other, IDS("x/1/1/1"), 20000, error));
    run(other, 20000);
    engine = engine_of("two", 0);
    fill(engine, parent);
    OK(wfsm_engine_adopt(engine, "x", 20000, error));
    run(engine, 20000);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(other, IDS("x/1/1/1")));
    TEST_ASSERT_EQUAL_STRING("", where(engine, IDS("x/1/1/1")));
    TEST_ASSERT_EQUAL_STRING("[\"wait\"]", where(engine, "x"));
    return other;
}

static void a_child_elsewhere_is_heard_of(void)
{
    wfsm_engine *other = part(PARENT(""));

    send(other, IDS("x/1/1/1"), "SKIP", 20001);
    run(other, 20001);
    run(engine, 24000);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    wfsm_engine_free(other);
}

static void a_child_whose_parent_is_elsewhere_hears_that_nobody_wants_it(void)
{
    wfsm_engine *other = part(PARENT(""));

    send(engine, "x", "LEAVE", 20001);
    run(engine, 20001);
    TEST_ASSERT_EQUAL_INT32(WFSM_RUNNING, stored_status(IDS("x/1/1/1")));
    run(other, 24000);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, stored_status(IDS("x/1/1/1")));
    wfsm_engine_free(other);
}

static void a_child_whose_engine_is_gone_is_taken_over(void)
{
    wfsm_engine *other = part(PARENT(""));

    wf_engine_abandon(other);
    for (int64_t now = 24000; now < 40000; now += 3000)
        run(engine, now);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/1/1")));
}

static void a_child_survives_the_end_of_its_engine(void)
{
    begin(PARENT(""));
    wfsm_engine_free(engine);
    TEST_ASSERT_EQUAL_INT32(WFSM_RUNNING, stored_status(IDS("x/1/1/1")));
    engine = engine_of("two", 0);
    fill(engine, PARENT(""));
    OK(wfsm_engine_adopt_all(engine, 1, NULL, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, IDS("x/1/1/1")));
}

/* A child holds no slot, so its end frees none. */
static void the_end_of_a_child_frees_no_slot(void)
{
    static const char waiting[] = "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"wait\",\"states\":{"
                                  "\"wait\":{\"on\":{\"GO\":\"end\"}},"
                                  "\"end\":{\"type\":\"final\"}}}";
    static const char parent[] = "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"wait\",\"states\":{"
                                 "\"wait\":{\"invoke\":{\"id\":"
                                 "\"kid\",\"src\":\"machine:c\",\"onDone\":\"work\"}},"
                                 "\"work\":{\"invoke\":{\"src\":\"a\"}}}}";
    wfsm_engine *narrow = engine_of("narrow", 1);

    add_machine(narrow, parent);
    add_machine(narrow, waiting);
    add_machine(narrow, WORK("w", "a", ""));
    add_actor(narrow, "a", &who);
    start(narrow, "w", "first", 0);
    start(narrow, "p", "x", 0);
    run(narrow, 0);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    send(narrow, IDS("x/1/1/1"), "GO", 1);
    run(narrow, 1);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(narrow, "x"));
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(narrow));
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_waiting(narrow));
    wfsm_engine_free(narrow);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(its_output_is_the_result);
    RUN_TEST(it_knows_its_parent_and_takes_no_slot);
    RUN_TEST(its_failure_has_a_class);
    RUN_TEST(each_attempt_is_a_child_of_its_own);
    RUN_TEST(one_that_is_stopped_has_failed_as_canceled);
    RUN_TEST(leaving_the_state_stops_it);
    RUN_TEST(the_time_limit_stops_it);
    RUN_TEST(its_usage_is_the_parents_too);
    RUN_TEST(it_waits_for_a_machine_that_nobody_has_added);
    RUN_TEST(what_cannot_start_has_failed);
    RUN_TEST(another_instance_is_no_child);
    RUN_TEST(children_nest_so_deep_and_no_deeper);
    RUN_TEST(items_may_be_children);
    RUN_TEST(names_of_children_are_no_agents);
    RUN_TEST(killed_while_it_works);
    RUN_TEST(killed_between_claim_and_start);
    RUN_TEST(killed_between_its_end_and_the_result);
    RUN_TEST(killed_between_leaving_and_stopping);
    RUN_TEST(a_child_elsewhere_is_heard_of);
    RUN_TEST(a_child_whose_parent_is_elsewhere_hears_that_nobody_wants_it);
    RUN_TEST(a_child_whose_engine_is_gone_is_taken_over);
    RUN_TEST(a_child_survives_the_end_of_its_engine);
    RUN_TEST(the_end_of_a_child_frees_no_slot);
    return UNITY_END() != 0;
}
