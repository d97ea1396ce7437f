#include <stdio.h>
#include <string.h>

#include "instance/instance.h"
#include "world.h"
#include "../given.h"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    engine = NULL;
    who = (actor){0};
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

/* The result of all stands in context.out. */
#define MAP(id, extra)                                                                         \
    "{\"wfsm\":1,\"id\":\"" id "\",\"initial\":\"work\","                                      \
    "\"states\":{\"work\":{"                                                                   \
    "\"invoke\":{\"src\":\"a\",\"items\":{\"var\":\"context.items\"}" extra                    \
    ",\"onDone\":{\"target\":\"done\",\"actions\":{\"type\":\"assign\",\"params\":{"           \
    "\"out\":{\"var\":\"event.data\"}}}},\"onError\":{\"target\":\"failed\","                  \
    "\"actions\":{\"type\":\"assign\",\"params\":{\"out\":{\"var\":\"event.data\"}}}}},"       \
    "\"on\":{\"stop\":\"stopped\"}},\"stopped\":{},\"done\":{},\"failed\":{}}}"

static void open_engine(uint32_t slots)
{
    engine = engine_of("one", slots);
    add_machine(engine, MAP("all", ""));
    add_machine(engine, MAP("two", ",\"maxConcurrency\":2"));
    add_machine(engine, MAP("first", ",\"complete\":1"));
    add_machine(engine, MAP("retry", ",\"retry\":[{\"errors\":[\"network\"],"
                                     "\"intervalMs\":10,\"maxAttempts\":2}]"));
    add_actor(engine, "a", &who);
}

static void begin(const char *machine, const char *id, const char *items)
{
    char input[200];
    int length = snprintf(input, sizeof input, "{\"items\":%s}", items);

    OK(wfsm_engine_start(engine, machine, id, input, (size_t)length, 0, error));
}

static const char *out(const char *id)
{
    return wfsm_instance_context(wfsm_engine_instance(engine, id), NULL);
}

static void done(const char *invocation, const char *output, int64_t now)
{
    int32_t outcome = 0;

    OK(wfsm_engine_result(engine, invocation, output, strlen(output), now, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
}

/* No diagnostic in what is stored: what was done comes out the same again. */
static int32_t diagnostic(void *user, const wfsm_audit_diagnostic *found)
{
    (void)user;
    TEST_FAIL_MESSAGE(found->message);
    return WFSM_OK;
}

static void check_store(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};

    OK(wfsm_store_audit(store, NULL, diagnostic, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

static void results_come_in_the_order_of_the_items(void)
{
    open_engine(0);
    begin("all", "x", "[\"a\",\"b\",\"c\"]");
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    TEST_ASSERT_EQUAL_size_t(3, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_STRING("\"c\"", who.input);
    done(IDS("x/1/3"), "3", 1);
    done(IDS("x/1/1"), "1", 1);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    done(IDS("x/1/2"), "2", 1);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_NOT_NULL(strstr(out("x"), "\"out\":[1,2,3]"));
    run(engine, 2);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
    check_store();
}

static void no_more_than_max_concurrency_are_at_work(void)
{
    open_engine(0);
    begin("two", "x", "[1,2,3,4,5]");
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_GREATER_THAN_INT64(0, wfsm_engine_deadline(engine));
    begin("all", "y", "[6]");
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    who.on_poll = "true";
    for (int64_t now = 1; now < 5; now++)
        run(engine, now);
    TEST_ASSERT_EQUAL_INT(6, who.starts);
    TEST_ASSERT_EQUAL_INT(3, who.most);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
    check_store();
}

/* The store keeps the claim out as well, for hosts without an engine. */
static void a_claim_beyond_max_concurrency_is_stale(void)
{
    wfsm_machine *machine = NULL;
    wfsm_instance *one = NULL;
    const char *text = MAP("two", ",\"maxConcurrency\":2");
    int32_t outcome = 0;

    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
    OK(wfsm_instance_start(
        &one, machine, START("x", .store = store, .input = "{\"items\":[1,2,3]}", .length = 17),
        0, error));
    OK(wfsm_instance_claim(one, IDS("x/1/1"), "me", 0, &outcome, error));
    OK(wfsm_instance_claim(one, IDS("x/1/2"), "me", 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    OK(wfsm_instance_claim(one, IDS("x/1/3"), "me", 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    OK(wfsm_instance_result(one, RESULT(IDS("x/1/1"), .output = "1", .length = 1), 0, &outcome,
                            error));
    OK(wfsm_instance_claim(one, IDS("x/1/3"), "me", 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    OK(wfsm_instance_claim(one, IDS("x/1/1"), "me", 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    wfsm_instance_free(one);
    wfsm_machine_unref(machine);
    check_store();
}

static void enough_results_cancel_the_rest(void)
{
    open_engine(2);
    begin("first", "x", "[1,2,3,4]");
    run(engine, 0);
    done(IDS("x/1/2"), "\"two\"", 1);
    TEST_ASSERT_NOT_NULL(strstr(out("x"), "\"out\":[null,\"two\",null,null]"));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/1"), who.id);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_waiting(engine));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
    check_store();
}

static void a_failure_withdraws_the_rest(void)
{
    int32_t outcome = 0;

    open_engine(0);
    begin("all", "x", "[1,2,3]");
    run(engine, 0);
    done(IDS("x/1/1"), "1", 1);
    OK(wfsm_engine_failure(engine, IDS("x/1/3"), "auth", "no", 1, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_NOT_NULL(strstr(out("x"), "\"class\":\"auth\",\"message\":\"no\","
                                          "\"attempts\":1,\"item\":2"));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/2"), who.id);
    check_store();
}

static void an_item_is_tried_again_by_itself(void)
{
    int32_t outcome = 0;

    open_engine(0);
    begin("retry", "x", "[1,2]");
    run(engine, 0);
    OK(wfsm_engine_failure(engine, IDS("x/1/1"), "network", "", 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_RETRY, outcome);
    done(IDS("x/1/2"), "2", 2);
    run(engine, 10);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    run(engine, 11);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/1"), who.id);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
    done(IDS("x/1/1"), "1", 12);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    check_store();
}

/* Results that are in survive, what ran is asked for, what waited waits. */
static void a_restart_in_the_middle_loses_nothing(void)
{
    size_t count;

    open_engine(0);
    begin("two", "x", "[1,2,3,4]");
    run(engine, 0);
    done(IDS("x/1/1"), "1", 1);
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    wf_engine_abandon(engine);
    who = (actor){0};
    open_engine(0);
    OK(wfsm_engine_adopt_all(engine, 2, &count, error));
    TEST_ASSERT_EQUAL_size_t(2, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_waiting(engine));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(2, who.probes);
    TEST_ASSERT_EQUAL_INT(0, who.starts);
    done(IDS("x/1/3"), "3", 3);
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    done(IDS("x/1/2"), "2", 4);
    done(IDS("x/1/4"), "4", 4);
    TEST_ASSERT_NOT_NULL(strstr(out("x"), "\"out\":[1,2,3,4]"));
    check_store();
}

/* What was done at the checkpoint stays done; the others begin again, under new ids. */
static void a_restore_keeps_results_and_begins_the_rest_again(void)
{
    int32_t outcome = 0;

    open_engine(0);
    begin("all", "x", "[1,2,3]");
    run(engine, 0);
    done(IDS("x/1/2"), "2", 1);
    OK(wfsm_engine_checkpoint(engine, "x", "c", NULL, 0, 1, &outcome, error));
    done(IDS("x/1/1"), "1", 1);
    OK(wfsm_engine_restore(engine, "x", FROM("c"), 2, &outcome, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(5, who.starts);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    done(IDS("x/5/3"), "33", 3);
    done(IDS("x/5/1"), "11", 3);
    TEST_ASSERT_NOT_NULL(strstr(out("x"), "\"out\":[11,2,33]"));
    OK(wfsm_engine_fork(engine, "x", FROM("c"), "y", 4, error));
    run(engine, 4);
    done(IDS("y/1/1"), "-1", 5);
    done(IDS("y/1/3"), "-3", 5);
    TEST_ASSERT_NOT_NULL(strstr(out("y"), "\"out\":[-1,2,-3]"));
    check_store();
}

/* Another document: the items go along with their results, all or none. */
static void a_migration_takes_the_items_along(void)
{
    wfsm_machine *machine = NULL;
    int32_t outcome = 0;
    const char *text = "{\"wfsm\":1,\"id\":\"all\",\"version\":\"2\",\"initial\":\"work\","
                       "\"migrate\":[{}],\"states\":{\"work\":{\"invoke\":{\"src\":\"a\","
                       "\"items\":[9],\"onDone\":{\"target\":\"new\",\"actions\":{"
                       "\"type\":\"assign\",\"params\":{\"out\":{\"var\":\"event.data\"}}}}}},"
                       "\"new\":{}}}";

    open_engine(0);
    begin("all", "x", "[1,2,3]");
    run(engine, 0);
    done(IDS("x/1/2"), "2", 1);
    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
    OK(wfsm_engine_migrate(engine, "x", machine, 2, &outcome, error));
    wfsm_machine_unref(machine);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(3, who.starts);
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
    done(IDS("x/1/1"), "1", 3);
    done(IDS("x/1/3"), "3", 3);
    TEST_ASSERT_EQUAL_STRING("[\"new\"]", where(engine, "x"));
    TEST_ASSERT_NOT_NULL(strstr(out("x"), "\"out\":[1,2,3]"));
    check_store();
}

/* 004-215: a running or waiting one is canceled, for good, and the journal says so. */
static void one_item_or_invocation_is_canceled(void)
{
    int32_t outcome = 0;

    open_engine(1);
    begin("retry", "x", "[1]");
    begin("all", "y", "[1]");
    run(engine, 0);
    OK(wfsm_engine_cancel(engine, IDS("y/1/1"), "not needed", 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "y"));
    OK(wfsm_engine_cancel(engine, IDS("x/1/1"), NULL, 1, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_STRING(IDS("x/1/1"), who.id);
    TEST_ASSERT_EQUAL_size_t(1,
                             records("y", "\"class\":\"canceled\",\"message\":\"not needed\""));
    OK(wfsm_engine_cancel(engine, IDS("x/1/1"), NULL, 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    STATUS(WFSM_NOT_FOUND, wfsm_engine_cancel(engine, IDS("z/1/1"), NULL, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_engine_cancel(engine, NULL, NULL, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_engine_cancel(engine, IDS("x/1/1"), "\xff", 1, &outcome, error));
    check_store();
}

static void many(const char *id, int count, int64_t now)
{
    wf_buffer input;

    wf_buffer_init(&input, &engine->allocator);
    wf_buffer_text(&input, "{\"items\":[0");
    for (int i = 1; i < count; i++)
        wf_buffer_format(&input, ",%d", i);
    wf_buffer_text(&input, "]}");
    OK(wfsm_engine_start(engine, "all", id, input.data, input.length, now, error));
    wf_buffer_fini(&input);
}

static void many_items_are_worked_off_and_too_many_refused(void)
{
    int last = 0;

    open_engine(0);
    who.on_start = "7";
    many("x", 1000, 0);
    for (int64_t now = 0; !wfsm_engine_idle(engine) && now < 100; now++)
        run(engine, now);
    TEST_ASSERT_EQUAL_INT(1000, who.starts);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    for (const char *at = strstr(out("x"), "\"out\":["); *at; at++)
        last += *at == '7';
    TEST_ASSERT_EQUAL_INT(1000, last);
    many("y", WF_ITEMS + 1, 200);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "y"));
    TEST_ASSERT_EQUAL_STRING(
        "[]", wfsm_instance_invocations(wfsm_engine_instance(engine, "y"), NULL));
    check_store();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(results_come_in_the_order_of_the_items);
    RUN_TEST(no_more_than_max_concurrency_are_at_work);
    RUN_TEST(a_claim_beyond_max_concurrency_is_stale);
    RUN_TEST(enough_results_cancel_the_rest);
    RUN_TEST(a_failure_withdraws_the_rest);
    RUN_TEST(an_item_is_tried_again_by_itself);
    RUN_TEST(a_restart_in_the_middle_loses_nothing);
    RUN_TEST(a_restore_keeps_results_and_begins_the_rest_again);
    RUN_TEST(a_migration_takes_the_items_along);
    RUN_TEST(one_item_or_invocation_is_canceled);
    RUN_TEST(many_items_are_worked_off_and_too_many_refused);
    return UNITY_END() != 0;
}
