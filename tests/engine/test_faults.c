/*
 * One small scenario, with a fault at every call of the store and at every allocation, and with
 * a crash at every call of the store. In the end everything is as in an undisturbed run: no
 * attempt was started twice, every post was taken once, and every effect was delivered.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "scenario.h"

enum { INSTANCES = 2, TICKS = 60 };
static const char *const ids[INSTANCES] = {"x", "y"};

static faults trouble;
static shortage memory;
static int64_t pace = 250; /* from one tick to the next */
static int denied; /* claims in all plays */
static bool deadly; /* the process dies of the first fault */
static wfsm_store *inner;
static wfsm_engine *engine;

void setUp(void)
{
}

void tearDown(void)
{
}

static bool have(const char *id, int64_t now)
{
    int32_t status;

    if (wfsm_engine_instance(engine, id))
        return true;
    status = wfsm_engine_start(engine, "m", id, NULL, 0, now, NULL);
    if (status == WFSM_EXISTS)
        status = wfsm_engine_adopt(engine, id, now, NULL);
    return passed(status);
}

static void set_up_engine(wfsm_machine *machine)
{
    wfsm_allocator allocator = shortage_allocator(&memory);
    wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .slots = 1, .allocator = &allocator};

    do { /* the engine before it has crashed, and the host knows it */
        if (deadly && trouble.at > 0 && trouble.calls >= trouble.at)
            trouble.at = 0;
        (void)passed(wfsm_store_remove_owner(store, "one", NULL));
    } while (!passed(wfsm_engine_new(&engine, store, &options, NULL)));
    while (!passed(wfsm_engine_add_machine(engine, machine, NULL)))
        continue;
    add_scenario(engine);
}

/* The process dies where the store stopped answering, and is started again. */
static bool die_of_it(wfsm_machine *machine)
{
    if (!deadly || trouble.at == 0 || trouble.calls < trouble.at)
        return false;
    trouble.at = 0;
    wf_engine_abandon(engine);
    set_up_engine(machine);
    return true;
}

static void drive(wfsm_machine *machine)
{
    bool all = false, posted = false;

    for (int tick = 0; tick < TICKS && !(all && posted && wfsm_engine_idle(engine)); tick++) {
        int64_t now = tick * pace;

        all = true;
        for (int i = 0; i < INSTANCES; i++)
            all = have(ids[i], now) && all;
        if (all && !posted && tick > 1) {
            /* By others: not through the store that fails. */
            OK(wfsm_store_post(inner, "x", "add", "p1", NULL, 0, 0, error));
            OK(wfsm_store_post(inner, "x", "add", "p2", NULL, 0, 0, error));
            OK(wfsm_store_post(inner, "y", "add", "p3", NULL, 0, 0, error));
            posted = true;
        }
        do {
            passed(wfsm_engine_run(engine, now, NULL));
            all = !die_of_it(machine) && all;
        } while (wfsm_engine_deadline(engine) <= now);
    }
}

static void check_end(const char *message)
{
    static const char *const contexts[INSTANCES] = {"{\"n\":2,\"got\":{\"answer\":[1,2]}}",
                                                    "{\"n\":1,\"got\":{\"answer\":[1,2]}}"};

    TEST_ASSERT_TRUE_MESSAGE(wfsm_engine_idle(engine), message);
    for (int i = 0; i < INSTANCES; i++) {
        TEST_ASSERT_EQUAL_STRING_MESSAGE("[\"end\"]", where(engine, ids[i]), message);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            contexts[i], wfsm_instance_context(wfsm_engine_instance(engine, ids[i]), NULL),
            message);
    }
    TEST_ASSERT_EQUAL_size_t_MESSAGE(0, posts(), message);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(0, still_running(), message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2 * INSTANCES, world.effect_count, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, world_running(), message);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(0, wfsm_engine_working(engine), message);
}

/* Runs the scenario; returns the calls of the store, or the allocations, that it made.
 */
static void play(const char *message)
{
    wfsm_allocator allocator = shortage_allocator(&memory);
    int at = trouble.at, short_at = memory.at;
    wfsm_machine *machine = NULL;

    world_forget();
    error = wfsm_error_new(NULL);
    memory.at = 0;
    OK(wfsm_machine_load(&machine, SCENARIO, strlen(SCENARIO), NULL, &allocator, error));
    OK(wfsm_memory_open(&inner, NULL, error));
    store = faults_open(&trouble, inner);
    trouble.calls = memory.calls = 0;
    memory.at = short_at;
    set_up_engine(machine);
    drive(machine);
    trouble.at = memory.at = 0;
    /* Children that were left alone by a dying process. */
    OK(wfsm_engine_adopt_all(engine, TICKS * pace, NULL, error));
    run(engine, TICKS * pace);
    check_end(message);
    trouble.at = at;
    memory.at = short_at;
    wfsm_engine_free(engine);
    wfsm_machine_unref(machine);
    wfsm_store_free(store);
    wfsm_store_free(inner);
    wfsm_error_free(error);
}

static void an_undisturbed_run(void)
{
    trouble = (faults){0};
    memory = (shortage){0};
    play("undisturbed");
    /* a twice for each instance, b once */
    TEST_ASSERT_EQUAL_INT(3 * INSTANCES, world.starts);
}

static void every_call_of_the_store(int kind, int count)
{
    char message[60];
    int n = 0;

    memory = (shortage){0};
    /* Until a run comes to its end before call n: all later ones are as undisturbed. */
    do {
        trouble = (faults){.kind = kind, .at = ++n, .count = count};
        snprintf(message, sizeof message, "kind %d, call %d", kind, n);
        play(message);
        denied += trouble.denied;
    } while (trouble.calls >= n);
    TEST_ASSERT_GREATER_THAN_INT(30, n);
}

static void the_store_fails_at_each_call(void)
{
    every_call_of_the_store(FAULT_FAILED, 1);
    every_call_of_the_store(FAULT_FAILED, 5);
}

static void the_answer_of_a_commit_that_was_not_made_is_lost(void)
{
    every_call_of_the_store(FAULT_LOST_BEFORE, 1);
    every_call_of_the_store(FAULT_LOST_BEFORE, 5);
}

static void the_answer_of_a_commit_that_was_made_is_lost(void)
{
    every_call_of_the_store(FAULT_LOST_AFTER, 1);
    every_call_of_the_store(FAULT_LOST_AFTER, 5);
}

/* The engine gives a sign of life in every tick. If its answer is lost, the row may say what it said
 * before, or what the engine wanted to write: then the claim is refused, and repeated. */
static void the_answer_of_a_sign_of_life_is_lost(void)
{
    pace = 3500;
    denied = 0;
    every_call_of_the_store(FAULT_LOST_BEFORE, 1);
    TEST_ASSERT_EQUAL_INT(0, denied);
    every_call_of_the_store(FAULT_LOST_AFTER, 1);
    TEST_ASSERT_GREATER_THAN_INT(0, denied);
    every_call_of_the_store(FAULT_LOST_AFTER, 5);
    pace = 250;
}

static void the_process_dies_at_each_call(void)
{
    deadly = true;
    every_call_of_the_store(FAULT_FAILED, INT_MAX / 2);
    deadly = false;
}

static void every_allocation_fails(void)
{
    char message[60];
    int last = 1;

    trouble = (faults){0};
    for (int n = 1; n <= last; n++) {
        memory = (shortage){.at = n, .count = 1 + n % 3};
        snprintf(message, sizeof message, "allocation %d of %d", n, last);
        play(message);
        last = memory.calls > last ? memory.calls : last;
    }
    TEST_ASSERT_GREATER_THAN_INT(100, last);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_undisturbed_run);
    RUN_TEST(the_store_fails_at_each_call);
    RUN_TEST(the_answer_of_a_commit_that_was_not_made_is_lost);
    RUN_TEST(the_answer_of_a_commit_that_was_made_is_lost);
    RUN_TEST(the_answer_of_a_sign_of_life_is_lost);
    RUN_TEST(the_process_dies_at_each_call);
    RUN_TEST(every_allocation_fails);
    return UNITY_END() != 0;
}
