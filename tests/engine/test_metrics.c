/* What an engine has done, in numbers. */
#include <string.h>
#include <wfsm/metrics.h>
#include <wfsm/testkit.h>

#include "faults.h"
#include "world.h"

static wfsm_engine *engine;
static wfsm_store *memory;
static wfsm_testkit_plan plan;
static actor who;
static int64_t clock_ms, exchange_ms; /* each look at the clock takes so long */

static int64_t tell_time(void *user)
{
    (void)user;
    clock_ms += exchange_ms;
    return clock_ms;
}

static void open_engine(const char *session, uint32_t slots)
{
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = session,
                                         .lapse_ms = 10000,
                                         .slots = slots,
                                         .look_ms = WFSM_NEVER,
                                         .round_ms = 1 << 30,
                                         .clock = exchange_ms ? tell_time : NULL};

    OK(wfsm_engine_new(&engine, store, &options, error));
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
}

void setUp(void)
{
    world_open();
    memory = store;
    plan = (wfsm_testkit_plan){.size = sizeof plan};
    OK(wfsm_testkit_wrap(&store, memory, &plan, error));
    engine = NULL;
    who = (actor){0};
    clock_ms = exchange_ms = 0;
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    store = memory;
    world_close();
}

static wfsm_engine_counts count(void)
{
    wfsm_engine_counts counts = {.size = sizeof counts};

    STATUS(WFSM_OK, wfsm_engine_count(engine, &counts));
    return counts;
}

/* The text has this line. */
static void check_line(const char *line)
{
    size_t length = 0;
    const char *text = wfsm_engine_metrics(engine, &length);

    TEST_ASSERT_NOT_NULL(text);
    TEST_ASSERT_EQUAL_size_t(strlen(text), length);
    TEST_ASSERT_TRUE_MESSAGE(strstr(text, line), text);
}

static void a_new_engine_has_done_nothing(void)
{
    open_engine("one", 3);
    wfsm_engine_counts counts = count();

    TEST_ASSERT_EQUAL_UINT64(0, counts.rounds + counts.exchanges + counts.commits +
                                    counts.lost + counts.attempts + counts.instances +
                                    counts.working + counts.waiting + counts.exchanges_timed);
    TEST_ASSERT_EQUAL_UINT64(3, counts.slots);
    TEST_ASSERT_EQUAL_INT64(10000, counts.lease_until);
    check_line("\nwfsm_slots 3\n");
    check_line("\nwfsm_lease_until_timestamp_seconds 10.000\n");
    check_line("\nwfsm_exchange_duration_seconds_bucket{le=\"+Inf\"} 0\n");
}

static void work_takes_slots_and_waits_in_the_queue(void)
{
    open_engine("one", 1);
    start(engine, "m", "x", 0);
    start(engine, "m", "y", 0);
    run(engine, 0);
    wfsm_engine_counts counts = count();

    TEST_ASSERT_EQUAL_UINT64(2, counts.commits);
    TEST_ASSERT_EQUAL_UINT64(2, counts.instances);
    TEST_ASSERT_EQUAL_UINT64(1, counts.working);
    TEST_ASSERT_EQUAL_UINT64(1, counts.waiting);
    TEST_ASSERT_EQUAL_UINT64(1, counts.attempts);
    check_line("\nwfsm_slots_used 1\n");
    check_line("\nwfsm_queue_length 1\n");
    check_line("\nwfsm_instances_owned 2\n");
    check_line("\nwfsm_attempts_total 1\n");
}

static void each_round_counts_and_only_those_that_ask_the_store_exchange(void)
{
    open_engine("one", 1);
    once(engine, 0);
    TEST_ASSERT_EQUAL_UINT64(1, count().rounds);
    TEST_ASSERT_EQUAL_UINT64(0, count().exchanges);
    start(engine, "m", "x", 0);
    TEST_ASSERT_EQUAL_UINT64(2, count().rounds);
    TEST_ASSERT_EQUAL_UINT64(1, count().exchanges);
    check_line("\nwfsm_rounds_total 2\n");
    check_line("\nwfsm_exchanges_total 1\n");
}

static void failures_count_by_class(void)
{
    open_engine("one", 15);
    who.on_start = "!timeout";
    start(engine, "m", "x", 0);
    run(engine, 0);
    who.on_start = "!network";
    start(engine, "m", "y", 0);
    start(engine, "m", "z", 0);
    run(engine, 0);
    wfsm_engine_counts counts = count();

    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_UINT64(1, counts.failed_timeout);
    TEST_ASSERT_EQUAL_UINT64(2, counts.failed_network);
    TEST_ASSERT_EQUAL_UINT64(0, counts.failed_auth + counts.failed_schema + counts.failed_exit +
                                    counts.failed_canceled + counts.failed_limit +
                                    counts.failed_other);
    check_line("\nwfsm_attempt_failures_total{class=\"network\"} 2\n");
    check_line("\nwfsm_attempt_failures_total{class=\"auth\"} 0\n");
}

/* Every class has a member of its own. */
static void each_class_has_its_count(void)
{
    static const char *const failures[] = {"!auth", "!schema", "!exit", "!canceled", "!other"};

    open_engine("one", 15);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        who.on_start = failures[i];
        start(engine, "m", failures[i], 0);
        run(engine, 0);
    }
    wfsm_engine_counts counts = count();

    TEST_ASSERT_EQUAL_UINT64(1, counts.failed_auth);
    TEST_ASSERT_EQUAL_UINT64(1, counts.failed_schema);
    TEST_ASSERT_EQUAL_UINT64(1, counts.failed_exit);
    TEST_ASSERT_EQUAL_UINT64(1, counts.failed_canceled);
    TEST_ASSERT_EQUAL_UINT64(1, counts.failed_other);
}

/* A failure that the store has not taken is made again, and counts once. */
static void what_is_not_stored_is_refused_and_not_counted_as_a_failure(void)
{
    open_engine("one", 15);
    start(engine, "m", "x", 0);
    once(engine, 0);
    who.on_poll = "!exit";
    plan.fault = WFSM_TESTKIT_FAIL;
    plan.at = plan.calls + 1;
    STATUS(WFSM_STORE_FAILED, wfsm_engine_run(engine, 1, error));
    wfsm_engine_counts counts = count();

    TEST_ASSERT_EQUAL_UINT64(0, counts.failed_exit);
    TEST_ASSERT_EQUAL_UINT64(1, counts.exchanges_failed);
    TEST_ASSERT_EQUAL_UINT64(1, counts.commits_refused);
    TEST_ASSERT_EQUAL_UINT64(1, counts.commits);
    run(engine, 2000);
    run(engine, 4000);
    TEST_ASSERT_EQUAL_UINT64(1, count().failed_exit);
    TEST_ASSERT_EQUAL_UINT64(2, count().commits);
    check_line("\nwfsm_commits_refused_total 1\n");
    check_line("\nwfsm_exchanges_failed_total 1\n");
}

static void the_clock_of_the_host_times_the_exchanges(void)
{
    exchange_ms = 3;
    open_engine("one", 15);
    start(engine, "m", "x", 0);
    exchange_ms = 70000;
    start(engine, "m", "y", 0);
    wfsm_engine_counts counts = count();

    TEST_ASSERT_EQUAL_UINT64(2, counts.exchanges_timed);
    TEST_ASSERT_EQUAL_UINT64(70003, counts.exchange_ms);
    check_line("\nwfsm_exchange_duration_seconds_bucket{le=\"0.002\"} 0\n");
    check_line("\nwfsm_exchange_duration_seconds_bucket{le=\"0.005\"} 1\n");
    check_line("\nwfsm_exchange_duration_seconds_bucket{le=\"10.000\"} 1\n");
    check_line("\nwfsm_exchange_duration_seconds_bucket{le=\"+Inf\"} 2\n");
    check_line("\nwfsm_exchange_duration_seconds_sum 70.003\n");
    check_line("\nwfsm_exchange_duration_seconds_count 2\n");
}

static void an_instance_that_another_engine_takes_is_lost(void)
{
    wfsm_engine *slow, *other;

    open_engine("one", 15);
    start(engine, "m", "x", 0);
    slow = engine;
    open_engine("two", 15);
    other = engine;
    OK(wfsm_engine_adopt(other, "x", 20000, error));
    engine = slow;
    run(engine, 20001);
    TEST_ASSERT_EQUAL_UINT64(1, count().lost);
    TEST_ASSERT_EQUAL_UINT64(0, count().instances);
    check_line("\nwfsm_instances_lost_total 1\n");
    wfsm_engine_free(other);
}

static void a_round_counts_when_it_is_finished(void)
{
    wfsm_round *round = NULL;
    wfsm_engine_counts before;

    open_engine("one", 15);
    start(engine, "m", "x", 0);
    once(engine, 0);
    who.on_poll = "1";
    before = count();
    OK(wfsm_engine_prepare(engine, 1, &round, error));
    OK(wfsm_round_exchange(round));
    TEST_ASSERT_EQUAL_UINT64(before.commits, count().commits);
    TEST_ASSERT_EQUAL_UINT64(before.exchanges, count().exchanges);
    OK(wfsm_engine_finish(engine, round, 1, error));
    TEST_ASSERT_EQUAL_UINT64(before.commits + 1, count().commits);
    TEST_ASSERT_EQUAL_UINT64(before.exchanges + 1, count().exchanges);
    TEST_ASSERT_EQUAL_UINT64(before.rounds + 1, count().rounds);
}

static void out_of_memory_there_is_no_text(void)
{
    static shortage supply; /* the engine outlives this function */
    wfsm_allocator allocator = shortage_allocator(&supply);
    const wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .allocator = &allocator};
    size_t length = 7;

    OK(wfsm_engine_new(&engine, store, &options, error));
    supply.at = supply.calls + 1;
    supply.count = 1;
    TEST_ASSERT_NULL(wfsm_engine_metrics(engine, &length));
    TEST_ASSERT_EQUAL_size_t(0, length);
    check_line("\nwfsm_rounds_total 0\n");
}

static void wrong_arguments_are_refused(void)
{
    wfsm_engine_counts counts = {.size = sizeof counts};
    size_t length = 7;

    open_engine("one", 15);
    STATUS(WFSM_INVALID, wfsm_engine_count(NULL, &counts));
    STATUS(WFSM_INVALID, wfsm_engine_count(engine, NULL));
    counts.size = 0;
    STATUS(WFSM_INVALID, wfsm_engine_count(engine, &counts));
    TEST_ASSERT_NULL(wfsm_engine_metrics(NULL, &length));
    TEST_ASSERT_EQUAL_size_t(0, length);
    TEST_ASSERT_NOT_NULL(wfsm_engine_metrics(engine, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_new_engine_has_done_nothing);
    RUN_TEST(work_takes_slots_and_waits_in_the_queue);
    RUN_TEST(each_round_counts_and_only_those_that_ask_the_store_exchange);
    RUN_TEST(failures_count_by_class);
    RUN_TEST(each_class_has_its_count);
    RUN_TEST(what_is_not_stored_is_refused_and_not_counted_as_a_failure);
    RUN_TEST(the_clock_of_the_host_times_the_exchanges);
    RUN_TEST(an_instance_that_another_engine_takes_is_lost);
    RUN_TEST(a_round_counts_when_it_is_finished);
    RUN_TEST(out_of_memory_there_is_no_text);
    RUN_TEST(wrong_arguments_are_refused);
    return UNITY_END() != 0;
}
