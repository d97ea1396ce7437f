/*
 * Two engines on one store, with random posts, crashes, pauses longer than the lapse, and
 * faults. No attempt is started twice, no post is taken twice or lost, every workflow ends as
 * it should, and no work is left over. Rounds are bounded, by few inputs and by a clock. The argument is the number of storms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "scenario.h"

enum { STEPS = 120, INSTANCES = 3, POSTS = 60 };

typedef struct process {
    const char *name;
    faults trouble;
    wfsm_store *store;
    wfsm_engine *engine;
} process;

static process processes[2] = {{.name = "one"}, {.name = "two"}};
static wfsm_machine *machine;
static uint32_t seed, storm;
static int64_t ticks, tick; /* of the clock, and what each reading adds */
static int64_t now;
static int posted;
static char to[POSTS]; /* which instance each post is for, "abc"[…] */
static int takeovers, crashes, naps;
static uint32_t seeds = 600;

void setUp(void)
{
}

void tearDown(void)
{
}

static uint32_t below(uint32_t count)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 10) % count;
}

/* Every reading takes some time. */
static int64_t read_clock(void *user)
{
    (void)user;
    return ticks += tick;
}

static void launch(process *self)
{
    static const uint32_t inputs[] = {1, 2, 3, 5, 10000};
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = self->name,
                                   .slots = 2,
                                   .round_inputs = inputs[storm % 5],
                                   .round_ms = 10,
                                   .cached_instances = storm % 2, /* 0: all */
                                   .clock = tick > 0 ? read_clock : NULL};

    OK(wfsm_store_remove_owner(store, self->name, error)); /* it has crashed, and we know it */
    OK(wfsm_engine_new(&self->engine, self->store, &options, error));
    OK(wfsm_engine_add_machine(self->engine, machine, error));
    add_scenario(self->engine);
}

static void adopt(process *self)
{
    size_t count = 0;

    passed(wfsm_engine_adopt_all(self->engine, now, &count, NULL));
    takeovers += (int)count;
}

static void run_one(process *self)
{
    passed(wfsm_engine_run(self->engine, now, NULL));
    TEST_ASSERT_TRUE(wfsm_engine_deadline(self->engine) >= 0);
}

static void crash(process *self)
{
    wf_engine_abandon(self->engine);
    self->trouble.at = 0;
    launch(self);
    crashes++;
}

static void break_store(process *self)
{
    self->trouble.kind = (int)below(3);
    self->trouble.at = self->trouble.calls + 1 + (int)below(8);
    self->trouble.count = 1 + (int)below(3);
}

static void post_something(void)
{
    char id[20], instance[2] = {(char)('a' + (int)below(INSTANCES)), 0};

    if (posted == POSTS)
        return;
    snprintf(id, sizeof id, "p%d!", posted);
    if (passed(wfsm_store_post(store, instance, "add", id, NULL, 0, now, NULL)))
        to[posted++] = instance[0];
}

static void do_something(void)
{
    process *self = &processes[below(2)];

    switch (below(12)) {
    case 0:
        crash(self);
        break;
    case 1:
    case 2:
        adopt(self);
        break;
    case 3:
        break_store(self);
        break;
    case 4:
    case 5:
        post_something();
        break;
    case 6:
        now += 11000;
        naps++;
        break;
    default:
        run_one(self);
    }
    now += below(400);
}

static void start_all(void)
{
    for (int i = 0; i < INSTANCES; i++) {
        char id[2] = {(char)('a' + i), 0};

        start(processes[i % 2].engine, "m", id, now);
    }
}

static void calm_down(void)
{
    for (int i = 0; i < 2; i++)
        processes[i].trouble.at = 0;
    for (int round = 0; round < 100; round++) {
        now += 6000;
        for (int i = 0; i < 2; i++) {
            adopt(&processes[i]);
            run_one(&processes[i]);
        }
    }
}

static int taken_by(const char *id)
{
    int taken = 0;

    for (int i = 0; i < posted; i++) {
        char text[60];
        size_t count;

        if (to[i] != id[0])
            continue;
        snprintf(text, sizeof text, "\"event\":\"add\",\"id\":\"p%d!\"},\"outcome\":\"taken\"",
                 i);
        count = records(id, text);
        TEST_ASSERT_LESS_OR_EQUAL_size_t(1, count);
        taken += (int)count;
    }
    return taken;
}

/* Each post is in the journal or in the inbox, once; those that came too late for their
 * instance without their id. */
static size_t recorded(void)
{
    size_t sum = 0;

    for (int i = 0; i < INSTANCES; i++) {
        char id[2] = {(char)('a' + i), 0};

        sum += records(id, "\"event\":\"add\"},\"outcome\":\"ended\"");
    }
    for (int i = 0; i < posted; i++) {
        char text[30], id[2] = {to[i], 0};

        snprintf(text, sizeof text, "\"p%d!\"", i);
        sum += records(id, text);
    }
    return sum;
}

static void check_instance(const char *id, const char *message)
{
    wfsm_instance *instance = NULL;
    char expected[80];

    OK(wfsm_instance_load(&instance, machine, store, NULL, id, error));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("[\"end\"]", wfsm_instance_configuration(instance, NULL),
                                     message);
    snprintf(expected, sizeof expected, "{\"n\":%d,\"got\":{\"answer\":[1,2]}}", taken_by(id));
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, wfsm_instance_context(instance, NULL), message);
    wfsm_instance_free(instance);
}

static void check(const char *message)
{
    for (int i = 0; i < INSTANCES; i++) {
        char id[2] = {(char)('a' + i), 0};

        check_instance(id, message);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, world_running(), message);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(0, still_running(), message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2 * INSTANCES, world.effect_count, message);
    TEST_ASSERT_EQUAL_size_t_MESSAGE((size_t)posted, recorded() + posts(), message);
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_TRUE_MESSAGE(wfsm_engine_idle(processes[i].engine), message);
        TEST_ASSERT_EQUAL_size_t_MESSAGE(0, wfsm_engine_working(processes[i].engine), message);
    }
}

static void one_storm(uint32_t number)
{
    char message[30];

    storm = number;
    tick = number / 5 % 4 * 3;
    seed = number * 2654435761U;
    now = 0;
    posted = 0;
    world_forget();
    world_open();
    OK(wfsm_machine_load(&machine, SCENARIO, strlen(SCENARIO), NULL, NULL, error));
    for (int i = 0; i < 2; i++) {
        processes[i].trouble = (faults){0};
        processes[i].store = faults_open(&processes[i].trouble, store);
        launch(&processes[i]);
    }
    start_all();
    for (int i = 0; i < STEPS; i++)
        do_something();
    calm_down();
    snprintf(message, sizeof message, "seed %u", (unsigned)number);
    check(message);
    for (int i = 0; i < 2; i++) {
        wfsm_engine_free(processes[i].engine);
        wfsm_store_free(processes[i].store);
    }
    wfsm_machine_unref(machine);
    world_close();
}

static void storms(void)
{
    char message[100];

    for (uint32_t number = 1; number <= seeds; number++)
        one_storm(number);
    snprintf(message, sizeof message, "%u storms: %d adoptions, %d crashes, %d naps", seeds,
             takeovers, crashes, naps);
    TEST_MESSAGE(message);
    TEST_ASSERT_GREATER_THAN_INT((int)seeds, takeovers);
}

int main(int count, char **arguments)
{
    if (count > 1)
        seeds = (uint32_t)atol(arguments[1]);
    UNITY_BEGIN();
    RUN_TEST(storms);
    return UNITY_END() != 0;
}
