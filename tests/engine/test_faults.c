/*
 * One small scenario, with a fault at every call of the store and at every allocation:
 * in the end everything is as in an undisturbed run, no attempt was started twice,
 * every post was taken once, and every effect was delivered.
 */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "world.h"

#define SCENARIO                                                                       \
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"wait\",\"context\":{\"n\":0,\"got\":null}" \
    ","                                                                                \
    "\"on\":{\"add\":{\"actions\":{\"type\":\"assign\",\"params\":{\"n\":"             \
    "{\"+\":[{\"var\":\"context.n\"},1]}}}}},"                                         \
    "\"states\":{"                                                                     \
    "\"wait\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hello\"}},"        \
    "\"after\":{\"1000\":\"work\"}},"                                                  \
    "\"work\":{\"invoke\":{\"src\":\"a\",\"retry\":[{\"errors\":[\"network\"],"        \
    "\"maxAttempts\":3,\"intervalMs\":500}],\"onDone\":{\"target\":\"slow\","          \
    "\"actions\":{\"type\":\"assign\",\"params\":{\"got\":"                            \
    "{\"var\":\"event.data\"}}}}}},"                                                   \
    "\"slow\":{\"invoke\":{\"src\":\"b\",\"onUnknown\":\"reattach\","                  \
    "\"onDone\":\"end\"}},"                                                            \
    "\"end\":{\"type\":\"final\","                                                     \
    "\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"bye\"}}}}}"

enum { INSTANCES = 2, STARTS = 50, EFFECTS = 50, TICKS = 60 };
static const char *const ids[INSTANCES] = {"x", "y"};

/* What the outside world knows. */
typedef struct outside {
    char started[STARTS][WF_INVOCATION_ID_BYTES + 20]; /* "id#attempt" */
    int starts, running;
    char effects[EFFECTS][WF_INVOCATION_ID_BYTES + 20]; /* distinct ones, "id event" */
    int effect_count;
} outside;

static outside world;
static faults trouble;
static shortage memory;
static wfsm_store *inner;
static wfsm_engine *engine;

void setUp(void)
{
}

void tearDown(void)
{
}

static int find_start(const char *key)
{
    for (int i = 0; i < world.starts; i++) {
        if (strcmp(world.started[i], key) == 0)
            return i;
    }
    return -1;
}

static void key_of(char *out, size_t size, wfsm_call *call)
{
    snprintf(out, size, "%s#%d", wfsm_call_id(call), (int)wfsm_call_attempt(call));
}

/* Memory comes back after a while. */
static int32_t answer(wfsm_call *call, const char *json)
{
    int32_t status = WFSM_NO_MEMORY;

    while (status == WFSM_NO_MEMORY)
        status = json ? wfsm_call_done(call, json, strlen(json))
                      : wfsm_call_failed(call, "network", "no route");
    return status;
}

static int32_t begin(void *user, wfsm_call *call)
{
    char key[sizeof world.started[0]];
    bool slow = strcmp(wfsm_call_name(call), "b") == 0;

    (void)user;
    key_of(key, sizeof key, call);
    TEST_ASSERT_EQUAL_INT_MESSAGE(-1, find_start(key), key);
    strcpy(world.started[world.starts++], key);
    if (slow) {
        world.running++;
        return WFSM_OK;
    }
    return answer(call, wfsm_call_attempt(call) == 1 ? NULL : "{\"answer\":[1,2]}");
}

static int32_t ask(void *user, wfsm_call *call)
{
    (void)user;
    world.running--;
    return answer(call, "null");
}

static int32_t look(void *user, wfsm_call *call)
{
    char key[sizeof world.started[0]];

    (void)user;
    key_of(key, sizeof key, call);
    return find_start(key) >= 0 ? WFSM_OK : wfsm_call_gone(call);
}

static int32_t stop(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    world.running--;
    return WFSM_OK;
}

static int32_t hear(void *user, wfsm_call *call)
{
    char *slot = world.effects[world.effect_count];

    (void)user;
    snprintf(slot, sizeof world.effects[0], "%s %s", wfsm_call_id(call),
             wfsm_call_name(call));
    for (int i = 0; i < world.effect_count; i++) {
        if (strcmp(world.effects[i], slot) == 0)
            return WFSM_OK;
    }
    world.effect_count++;
    return WFSM_OK;
}

/* Faults come and go; nothing else may be answered. */
static bool passed(int32_t status)
{
    TEST_ASSERT_TRUE_MESSAGE(status == WFSM_OK || status == WFSM_NO_MEMORY ||
                                 status == WFSM_STORE_FAILED ||
                                 status == WFSM_STORE_UNKNOWN ||
                                 status == WFSM_EXISTS || status == WFSM_SEALED,
                             wfsm_status_name(status));
    return status == WFSM_OK;
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
        .size = sizeof options, .owner = "one", .slots = 1, .allocator = &allocator};
    wfsm_agent quick = {
        .size = sizeof quick, .start = begin, .probe = look, .cancel = stop};
    wfsm_agent slow = {sizeof slow, NULL, begin, ask, stop, look};

    while (!passed(wfsm_engine_new(&engine, store, &options, NULL)))
        continue;
    while (!passed(wfsm_engine_add_machine(engine, machine, NULL)))
        continue;
    while (!passed(wfsm_engine_add_agent_full(engine, "a", &quick, NULL)))
        continue;
    while (!passed(wfsm_engine_add_agent_full(engine, "b", &slow, NULL)))
        continue;
    while (!passed(wfsm_engine_on_effect(engine, hear, NULL, NULL)))
        continue;
}

static void drive(void)
{
    bool all = false, posted = false;

    for (int tick = 0; tick < TICKS && !(posted && wfsm_engine_idle(engine)); tick++) {
        int64_t now = tick * 250;

        all = true;
        for (int i = 0; i < INSTANCES; i++)
            all = have(ids[i], now) && all;
        if (all && !posted &&
            tick > 1) { /* by others: not through the store that fails */
            OK(wfsm_store_post(inner, "x", "add", "p1", NULL, 0, 0, error));
            OK(wfsm_store_post(inner, "x", "add", "p2", NULL, 0, 0, error));
            OK(wfsm_store_post(inner, "y", "add", "p3", NULL, 0, 0, error));
            posted = true;
        }
        passed(wfsm_engine_run(engine, now, NULL));
    }
}

static void check_end(const char *message)
{
    static const char *const contexts[INSTANCES] = {
        "{\"n\":2,\"got\":{\"answer\":[1,2]}}", "{\"n\":1,\"got\":{\"answer\":[1,2]}}"};

    TEST_ASSERT_TRUE_MESSAGE(wfsm_engine_idle(engine), message);
    for (int i = 0; i < INSTANCES; i++) {
        TEST_ASSERT_EQUAL_STRING_MESSAGE("[\"end\"]", where(engine, ids[i]), message);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            contexts[i],
            wfsm_instance_context(wfsm_engine_instance(engine, ids[i]), NULL), message);
    }
    TEST_ASSERT_EQUAL_size_t_MESSAGE(0, posts(), message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2 * INSTANCES, world.effect_count, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, world.running, message);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(0, wfsm_engine_working(engine), message);
}

/* Runs the scenario; returns the calls of the store, or the allocations, that it made.
 */
static void play(const char *message)
{
    wfsm_allocator allocator = shortage_allocator(&memory);
    int at = trouble.at, short_at = memory.at;
    wfsm_machine *machine = NULL;

    memset(&world, 0, sizeof world);
    error = wfsm_error_new(NULL);
    memory.at = 0;
    OK(wfsm_machine_load(&machine, SCENARIO, strlen(SCENARIO), NULL, &allocator,
                         error));
    OK(wfsm_memory_open(&inner, NULL, error));
    store = faults_open(&trouble, inner);
    trouble.calls = memory.calls = 0;
    memory.at = short_at;
    set_up_engine(machine);
    drive();
    trouble.at = memory.at = 0;
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
    int last = 1;

    memory = (shortage){0};
    for (int n = 1; n <= last; n++) {
        trouble = (faults){.kind = kind, .at = n, .count = count};
        snprintf(message, sizeof message, "kind %d, call %d of %d", kind, n, last);
        play(message);
        last = trouble.calls > last ? trouble.calls : last;
    }
    TEST_ASSERT_GREATER_THAN_INT(30, last);
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
    RUN_TEST(every_allocation_fails);
    return UNITY_END() != 0;
}
