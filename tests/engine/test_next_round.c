/* One input of the host whose exchange the host makes: the call itself does not use the store. */
#include <stdio.h>
#include <string.h>

#include "../given.h"
#include "faults.h"
#include "world.h"

static faults counted;
static int reads; /* of the store, that the next call makes */
static wfsm_store *counting;
static wfsm_engine *engine;
static wfsm_round *round_;
static actor who;

void setUp(void)
{
    world_open();
    who = (actor){0};
    round_ = NULL;
    reads = 0;
    memset(&counted, 0, sizeof counted);
    counting = faults_open(&counted, store);
    OK(wfsm_engine_new(
        &engine, counting,
        &(wfsm_engine_options){.size = sizeof(wfsm_engine_options), .session = "one"}, error));
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(counting);
    world_close();
}

static void prepare_next(void)
{
    round_ = NULL;
    OK(wfsm_engine_prepare_next(engine, &round_, error));
    counted.calls = 0;
}

/* The call has come back, and has not used the store. Finishing does not either. */
static int32_t exchange_and_finish(void)
{
    int32_t status;

    TEST_ASSERT_NOT_NULL(round_);
    TEST_ASSERT_EQUAL_INT(reads, counted.calls);
    wfsm_round_exchange(round_);
    counted.at = counted.calls = 0;
    status = wfsm_engine_finish(engine, round_, 1, error);
    TEST_ASSERT_EQUAL_INT(0, counted.calls);
    return status;
}

static void begin(const char *id)
{
    prepare_next();
    OK(wfsm_engine_start(engine, "m", id, NULL, 0, 0, error));
    OK(exchange_and_finish());
}

static int32_t send(const char *name, const char *event_id, int32_t *outcome)
{
    prepare_next();
    reads = event_id ? 1 : 0; /* whether the store has the id */
    OK(wfsm_engine_send_event(engine, "x", EVENT(name, .id = event_id), 1, outcome, error));
    return exchange_and_finish();
}

static void a_start_and_a_send(void)
{
    int32_t outcome = 0;

    begin("x");
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, who.starts);
    once(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    OK(send("stop", "e", &outcome));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "x"));
    once(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
}

static void questions_have_the_state_before_it_and_other_inputs_are_queued(void)
{
    int32_t outcome = 0, queued = 0;

    begin("x");
    prepare_next();
    OK(wfsm_engine_send_event(engine, "x", EVENT("stop"), 1, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    OK(wfsm_engine_send_event(engine, "x", EVENT("again"), 1, &queued, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_QUEUED, queued);
    STATUS(WFSM_BUSY, wfsm_engine_prepare_next(engine, &round_, error));
    OK(exchange_and_finish());
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "x"));
    once(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    once(engine, 1);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"again\""));
}

static void what_is_refused(void)
{
    int32_t outcome = 0;

    begin("x");
    OK(send("stop", "e", &outcome));
    OK(send("stop", "e", &outcome));
    TEST_ASSERT_EQUAL_INT32(WFSM_DUPLICATE, outcome);
    reads = 0;
    prepare_next();
    STATUS(WFSM_EXISTS, wfsm_engine_start(engine, "m", "x", NULL, 0, 1, error));
    OK(exchange_and_finish());
    prepare_next();
    STATUS(WFSM_NOT_FOUND,
           wfsm_engine_send_event(engine, "y", EVENT("stop"), 1, &outcome, error));
    TEST_ASSERT_NULL(round_);
    OK(wfsm_engine_prepare_next(engine, NULL, error));
    OK(wfsm_engine_send_event(engine, "x", EVENT("again"), 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
}

static void an_id_that_only_the_store_knows(void)
{
    wfsm_engine *other = engine_of("two", 0);

    add_machine(other, WORK("m", "a", ""));
    start(other, "m", "x", 0);
    prepare_next();
    OK(wfsm_engine_start(engine, "m", "x", NULL, 0, 1, error));
    STATUS(WFSM_EXISTS, exchange_and_finish());
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, wfsm_error_status(error));
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x"));
    wfsm_engine_free(other);
}

static void a_store_that_fails(void)
{
    int32_t outcome = 0;

    begin("x");
    counted.at = counted.count = 1;
    STATUS(WFSM_STORE_FAILED, send("stop", NULL, &outcome));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, wfsm_error_status(error));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x")); /* it is not made again */
    OK(send("stop", NULL, &outcome));
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "x"));
}

static void a_commit_whose_answer_is_lost(void)
{
    int32_t outcome = 0;

    begin("x");
    counted.kind = FAULT_LOST_AFTER;
    counted.at = counted.count = 1;
    STATUS(WFSM_STORE_UNKNOWN, send("stop", NULL, &outcome));
    run(engine, 2);
    run(engine, 1000);
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "x"));
}

static void a_commit_of_another_session(void)
{
    wfsm_engine *other;
    int32_t outcome = 0;

    begin("x");
    OK(wfsm_store_remove_owner(store, "one", error));
    other = engine_of("two", 0);
    OK(wfsm_engine_adopt(other, "x", 1, error));
    OK(wfsm_engine_stop(other, "x", 1, &outcome, error));
    STATUS(WFSM_CONFLICT, send("stop", NULL, &outcome));
    TEST_ASSERT_EQUAL_STRING("instance 'x' is at revision 2, not 1", wfsm_error_message(error));
    wfsm_engine_free(other);
}

static void a_round_without_an_exchange_is_taken_back(void)
{
    int32_t outcome = 0;

    begin("x");
    prepare_next();
    OK(wfsm_engine_stop(engine, "x", 1, &outcome, error));
    STATUS(WFSM_STORE_FAILED, wfsm_engine_finish(engine, round_, 1, error));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
}

static void answers_of_agents(void)
{
    int32_t outcome = 0;

    begin("x");
    once(engine, 1);
    prepare_next();
    OK(wfsm_engine_result(engine, who.id, "1", 1, 1, &outcome, error));
    OK(exchange_and_finish());
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void many_starts(void)
{
    const wfsm_start a = {.size = sizeof a, .machine = "m", .id = "a"},
                     b = {.size = sizeof b, .machine = "none", .id = "b"};
    const wfsm_start *const starts[] = {&a, &b, &a};
    int32_t answers[] = {-1, -1, -1};

    prepare_next();
    STATUS(WFSM_NOT_FOUND, wfsm_engine_start_all(engine, starts, 3, 0, answers, error));
    STATUS(WFSM_EXISTS, exchange_and_finish());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, answers[1]);
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, answers[2]);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "a"));
    STATUS(WFSM_INVALID, wfsm_engine_prepare_next(NULL, &round_, error));
}

/* They are several transactions. */
static void more_starts_than_one_round_makes(void)
{
    enum { COUNT = 1001 };
    static char ids[COUNT][12];
    static wfsm_start made[COUNT];
    static const wfsm_start *starts[COUNT];
    static int32_t answers[COUNT];

    for (int i = 0; i < COUNT; i++) {
        snprintf(ids[i], sizeof ids[i], "i%d", i);
        made[i] = (wfsm_start){.size = sizeof made[i], .machine = "m", .id = ids[i]};
        starts[i] = &made[i];
    }
    prepare_next();
    OK(wfsm_engine_start_all(engine, starts, COUNT, 0, answers, error));
    TEST_ASSERT_NULL(round_);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "i1000"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_start_and_a_send);
    RUN_TEST(questions_have_the_state_before_it_and_other_inputs_are_queued);
    RUN_TEST(what_is_refused);
    RUN_TEST(an_id_that_only_the_store_knows);
    RUN_TEST(a_store_that_fails);
    RUN_TEST(a_commit_whose_answer_is_lost);
    RUN_TEST(a_commit_of_another_session);
    RUN_TEST(a_round_without_an_exchange_is_taken_back);
    RUN_TEST(answers_of_agents);
    RUN_TEST(many_starts);
    RUN_TEST(more_starts_than_one_round_makes);
    return UNITY_END() != 0;
}
