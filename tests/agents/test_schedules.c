/* Schedules on a clock that the test sets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <unity.h>
#include <wfsm/schedule.h>
#include <wfsm/wfsm.h>

/* 2026-01-01T00:00:00Z */
#define BEGIN INT64_C(1767225600000)
enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

static const char job_document[] =
    "{\"id\":\"job\",\"initial\":\"a\",\"context\":{\"n\":0},"
    "\"schemas\":{\"context\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}},"
    "\"states\":{\"a\":{\"on\":{\"go\":\"b\"}},\"b\":{\"type\":\"final\"}}}";

static wfsm_store *store;
static wfsm_engine *engine, *other;
static wfsm_schedules *schedules, *others;
static wfsm_error *error;
static int64_t now;

static void add_job(wfsm_engine *to)
{
    wfsm_machine *machine = NULL;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&machine, job_document, strlen(job_document),
                                                 NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(to, machine, error));
    wfsm_machine_unref(machine);
}

static void make(wfsm_engine **to, wfsm_schedules **of, const char *session)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = session, .now = now, .lapse_ms = 60 * HOUR};

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_new(to, store, &options, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_schedules_new(of, *to, store, error));
}

static void end_engine(wfsm_engine **of, wfsm_schedules **its)
{
    wfsm_schedules_free(*its);
    wfsm_engine_free(*of);
    *of = NULL;
    *its = NULL;
}

void setUp(void)
{
    now = BEGIN;
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    make(&engine, &schedules, "one");
    add_job(engine);
}

void tearDown(void)
{
    end_engine(&engine, &schedules);
    end_engine(&other, &others);
    wfsm_store_free(store);
    wfsm_error_free(error);
}

static int32_t round_of(wfsm_engine *of, wfsm_schedules *its)
{
    size_t count;
    int32_t status;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_adopt_all(of, now, &count, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(of, now, error));
    status = wfsm_schedules_run(its, now, error);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(of, now, error));
    return status;
}

static void at(int64_t time)
{
    now = time;
    TEST_ASSERT_EQUAL(WFSM_OK, round_of(engine, schedules));
}

/* A second for each, up to a time. */
static void until(int64_t time)
{
    for (; now < time; now += 10 * SECOND)
        at(now);
    at(time);
}

static void create(const char *document)
{
    int32_t status = wfsm_schedule_create(store, "s", document, strlen(document), now, error);

    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    at(now);
}

static void post(const char *event, const char *data)
{
    static int number;
    char id[32];

    (void)snprintf(id, sizeof id, "post-%d", ++number);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_post(store, "s", event, id, data,
                                               data ? strlen(data) : 0, now, error));
    at(now += SECOND);
    at(now += SECOND);
}

static int32_t count_row(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(int *)user;
    return WFSM_OK;
}

static int jobs(void)
{
    const wfsm_query query = {.size = sizeof query, .machine = "job"};
    int count = 0;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_list(store, &query, count_row, &count, error));
    return count;
}

static int is_there(const char *id)
{
    wfsm_head head = {.size = sizeof head};

    return wfsm_store_head(store, id, &head, error) == WFSM_OK;
}

static int32_t status_of(const char *id)
{
    wfsm_head head = {.size = sizeof head};

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_head(store, id, &head, error));
    return head.status;
}

static void finish(const char *id)
{
    int32_t outcome;

    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_engine_send(engine, id, "go", NULL, NULL, 0, now, &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_ENDED, outcome);
}

static int64_t number(const char *name)
{
    size_t length;
    const char *text = wfsm_instance_context(wfsm_engine_instance(engine, "s"), &length);
    json_t *context = text ? json_loadb(text, length, 0, NULL) : NULL;
    int64_t value = json_integer_value(json_object_get(context, name));

    json_decref(context);
    return value;
}

static int is_in(const char *state)
{
    return wfsm_instance_in(wfsm_engine_instance(engine, "s"), state);
}

/* ---- times ---- */

static void test_each_time_starts_one(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    until(BEGIN + 59 * SECOND);
    TEST_ASSERT_EQUAL(0, jobs());
    at(BEGIN + MINUTE);
    TEST_ASSERT_TRUE(is_there("s-2026-01-01T00:01:00Z"));
    until(BEGIN + 10 * MINUTE);
    TEST_ASSERT_EQUAL(10, jobs());
    TEST_ASSERT_EQUAL(10, number("started"));
    TEST_ASSERT_TRUE(is_there("s-2026-01-01T00:10:00Z"));
    TEST_ASSERT_TRUE(is_in("waiting"));
}

static void test_nothing_is_lost_or_doubled_when_the_clock_jumps(void)
{
    create("{\"machine\":\"job\",\"cron\":\"*/10 * * * *\",\"overlap\":\"allowAll\"}");
    at(BEGIN + HOUR + MINUTE);
    TEST_ASSERT_EQUAL(6, jobs());
    at(BEGIN + 5 * MINUTE);
    until(BEGIN + HOUR + MINUTE);
    TEST_ASSERT_EQUAL(6, jobs());
    TEST_ASSERT_EQUAL(6, number("started"));
    at(BEGIN + HOUR + 10 * MINUTE);
    TEST_ASSERT_EQUAL(7, jobs());
}

static void test_many_times_are_decided_in_parts(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    now = BEGIN + 250 * MINUTE;
    for (int i = 0; i < 5; i++)
        at(now);
    TEST_ASSERT_EQUAL(250, jobs());
    TEST_ASSERT_EQUAL(250, number("started"));
}

static void test_missed_times_beyond_the_window_are_left_out(void)
{
    create("{\"machine\":\"job\",\"cron\":\"*/10 * * * *\",\"overlap\":\"allowAll\","
           "\"catchupWindow\":3600000}");
    at(BEGIN + 10 * HOUR + MINUTE);
    at(now + SECOND);
    TEST_ASSERT_EQUAL(6, jobs());
    TEST_ASSERT_EQUAL(54, number("missed"));
    TEST_ASSERT_TRUE(is_there("s-2026-01-01T10:00:00Z"));
    TEST_ASSERT_FALSE(is_there("s-2026-01-01T09:00:00Z"));
}

static void test_a_schedule_ends_with_its_rule(void)
{
    create("{\"machine\":\"job\",\"cron\":\"@hourly\",\"end\":\"2026-01-01T02:00:00\","
           "\"overlap\":\"allowAll\"}");
    at(BEGIN + HOUR);
    TEST_ASSERT_EQUAL(WFSM_RUNNING, status_of("s"));
    at(BEGIN + 2 * HOUR);
    TEST_ASSERT_EQUAL(2, jobs());
    TEST_ASSERT_EQUAL(WFSM_DONE, status_of("s"));
}

/* ---- overlap ---- */

static void test_skip(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\"}");
    until(BEGIN + 3 * MINUTE + SECOND);
    TEST_ASSERT_EQUAL(1, jobs());
    TEST_ASSERT_EQUAL(2, number("skipped"));
    finish("s-2026-01-01T00:01:00Z");
    until(BEGIN + 4 * MINUTE);
    TEST_ASSERT_EQUAL(2, jobs());
    TEST_ASSERT_TRUE(is_there("s-2026-01-01T00:04:00Z"));
}

static void test_buffer_one(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"bufferOne\"}");
    until(BEGIN + 4 * MINUTE + SECOND);
    TEST_ASSERT_EQUAL(1, jobs());
    TEST_ASSERT_TRUE(is_in("buffered"));
    finish("s-2026-01-01T00:01:00Z");
    at(now + 2 * SECOND);
    at(now + 2 * SECOND);
    TEST_ASSERT_EQUAL(2, jobs());
    TEST_ASSERT_TRUE(is_there("s-2026-01-01T00:02:00Z"));
    TEST_ASSERT_EQUAL(2, number("skipped")); /* 00:03 and 00:04 */
    TEST_ASSERT_TRUE(is_in("waiting"));
}

static void test_cancel_other(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"cancelOther\"}");
    until(BEGIN + 2 * MINUTE + 5 * SECOND);
    TEST_ASSERT_EQUAL(WFSM_DONE, status_of("s-2026-01-01T00:01:00Z"));
    TEST_ASSERT_EQUAL(WFSM_RUNNING, status_of("s-2026-01-01T00:02:00Z"));
    TEST_ASSERT_EQUAL(2, number("started"));
}

static void test_terminate_other(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"terminateOther\"}");
    until(BEGIN + 2 * MINUTE);
    TEST_ASSERT_TRUE(is_there("s-2026-01-01T00:02:00Z"));
    at(now + SECOND);
    TEST_ASSERT_EQUAL(WFSM_DONE, status_of("s-2026-01-01T00:01:00Z"));
    TEST_ASSERT_EQUAL(WFSM_RUNNING, status_of("s-2026-01-01T00:02:00Z"));
}

/* ---- what people do ---- */

static void test_pause_and_resume(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    until(BEGIN + MINUTE);
    post("pause", NULL);
    TEST_ASSERT_TRUE(is_in("paused"));
    until(BEGIN + 5 * MINUTE);
    TEST_ASSERT_EQUAL(1, jobs());
    post("resume", NULL);
    TEST_ASSERT_EQUAL(1, jobs()); /* times that pass during the pause are skipped */
    until(BEGIN + 6 * MINUTE);
    TEST_ASSERT_EQUAL(2, jobs());
}

static void test_trigger(void)
{
    create("{\"machine\":\"job\",\"cron\":\"@daily\",\"overlap\":\"allowAll\"}");
    post("trigger", NULL);
    post("trigger", NULL);
    TEST_ASSERT_EQUAL(2, jobs());
    post("pause", NULL);
    post("trigger", NULL);
    TEST_ASSERT_EQUAL(3, jobs());
    TEST_ASSERT_TRUE(is_in("paused"));
    TEST_ASSERT_EQUAL(3, number("triggered"));
}

static void test_update(void)
{
    create("{\"machine\":\"job\",\"cron\":\"@daily\",\"overlap\":\"allowAll\"}");
    post("update", "{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    until(BEGIN + 2 * MINUTE);
    TEST_ASSERT_EQUAL(2, jobs());
    post("update", "{\"machine\":\"job\",\"cron\":\"* * * *\"}");
    TEST_ASSERT_TRUE(is_in("broken"));
    post("update", "5");
    TEST_ASSERT_TRUE(is_in("broken"));
    post("decided", "\"nonsense\"");
    post("update", "{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    until(BEGIN + 3 * MINUTE);
    TEST_ASSERT_EQUAL(3, jobs());
}

/* ---- failures ---- */

static void test_a_machine_that_is_not_there_is_waited_for(void)
{
    end_engine(&engine, &schedules);
    make(&engine, &schedules, "two");
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    now = BEGIN + MINUTE;
    TEST_ASSERT_EQUAL(WFSM_NOT_FOUND, round_of(engine, schedules));
    TEST_ASSERT_TRUE(is_in("deciding"));
    add_job(engine);
    at(now + 2 * SECOND);
    TEST_ASSERT_TRUE(is_there("s-2026-01-01T00:01:00Z"));
    TEST_ASSERT_EQUAL(1, jobs());
}

static void test_an_input_that_is_refused_is_counted(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\","
           "\"input\":{\"n\":\"text\"}}");
    until(BEGIN + 2 * MINUTE);
    TEST_ASSERT_EQUAL(0, jobs());
    TEST_ASSERT_EQUAL(2, number("failed"));
    TEST_ASSERT_TRUE(is_in("waiting"));
}

/* The process was killed between the start and the commit that tells of it. */
static void test_what_was_started_is_not_started_again(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_start(engine, "job", "s-2026-01-01T00:01:00Z", NULL,
                                                 0, now, error));
    until(BEGIN + 2 * MINUTE);
    TEST_ASSERT_EQUAL(2, jobs());
    TEST_ASSERT_EQUAL(2, number("started"));
    TEST_ASSERT_EQUAL(0, number("failed"));
}

static void test_another_engine_continues(void)
{
    create("{\"machine\":\"job\",\"cron\":\"* * * * *\",\"overlap\":\"allowAll\"}");
    until(BEGIN + 2 * MINUTE);
    make(&other, &others, "two");
    add_job(other);
    for (int i = 0; i < 12; i++) {
        at(now + 10 * SECOND);
        TEST_ASSERT_EQUAL(WFSM_OK, round_of(other, others));
    }
    TEST_ASSERT_EQUAL(4, jobs());
    end_engine(&engine, &schedules);
    now = BEGIN + 6 * MINUTE;
    TEST_ASSERT_EQUAL(WFSM_OK, round_of(other, others));
    TEST_ASSERT_EQUAL(6, jobs());
}

static void test_misuse(void)
{
    static const char document[] = "{\"machine\":\"job\",\"cron\":\"@daily\"}";
    char id[300];
    int64_t next;

    memset(id, 'x', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_schedule_create(store, id, document, strlen(document), now, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_schedule_create(NULL, "s", document, 1, now, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_schedule_create(store, "", document, 1, now, error));
    TEST_ASSERT_EQUAL(WFSM_SYNTAX, wfsm_schedule_create(store, "s", document, 3, now, error));
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_schedule_create(store, "s", "{}", 2, now, error));
    create(document);
    TEST_ASSERT_EQUAL(WFSM_EXISTS,
                      wfsm_schedule_create(store, "s", document, strlen(document), now, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_schedule_next(NULL, 0, 0, &next, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_schedule_next("{}", 2, -1, &next, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_schedules_run(NULL, 0, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_schedules_run(schedules, -1, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_schedules_new(&others, NULL, store, error));
    wfsm_schedules_free(NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_each_time_starts_one);
    RUN_TEST(test_nothing_is_lost_or_doubled_when_the_clock_jumps);
    RUN_TEST(test_many_times_are_decided_in_parts);
    RUN_TEST(test_missed_times_beyond_the_window_are_left_out);
    RUN_TEST(test_a_schedule_ends_with_its_rule);
    RUN_TEST(test_skip);
    RUN_TEST(test_buffer_one);
    RUN_TEST(test_cancel_other);
    RUN_TEST(test_terminate_other);
    RUN_TEST(test_pause_and_resume);
    RUN_TEST(test_trigger);
    RUN_TEST(test_update);
    RUN_TEST(test_a_machine_that_is_not_there_is_waited_for);
    RUN_TEST(test_an_input_that_is_refused_is_counted);
    RUN_TEST(test_what_was_started_is_not_started_again);
    RUN_TEST(test_another_engine_continues);
    RUN_TEST(test_misuse);
    return UNITY_END() != 0;
}
