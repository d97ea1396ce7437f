/* A round is bounded by inputs, by bytes and by a clock. The next round takes the rest, and no kind of input waits
 * for ever. */
#include <stdio.h>
#include <string.h>

#include "world.h"

enum { MANY = 12 };
static const char *const ids[MANY] = {"a", "b", "c", "d", "e", "f",
                                      "g", "h", "i", "j", "k", "l"};

/* Counts events, works, waits, and says so. */
static const char MACHINE[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"work\",\"context\":{\"n\":0},"
    "\"on\":{\"add\":{\"actions\":{\"type\":\"assign\",\"params\":{\"n\":"
    "{\"+\":[{\"var\":\"context.n\"},1]}}}}},"
    "\"states\":{\"work\":{\"invoke\":{\"src\":\"a\",\"onDone\":\"wait\"}},"
    "\"wait\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hello\"}},"
    "\"after\":{\"100\":\"done\"}},"
    "\"done\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"bye\"}}}}}";

static actor who;
static int64_t ticks, tick; /* of the clock, and what each reading adds */
static wfsm_engine *engine;
static int effects;

static int64_t read_clock(void *user)
{
    (void)user;
    return ticks += tick;
}

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    effects++;
    return WFSM_OK;
}

static wfsm_engine_options bounded(uint32_t inputs)
{
    return (wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                 .session = "one",
                                 .slots = MANY,
                                 .round_inputs = inputs};
}

static void make(const wfsm_engine_options *options)
{
    OK(wfsm_engine_new(&engine, store, options, error));
    add_machine(engine, MACHINE);
    add_actor(engine, "a", &who);
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
}

void setUp(void)
{
    world_open();
    who = (actor){0};
    effects = 0;
    ticks = 0;
    tick = 0;
    engine = NULL;
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static size_t commits(void)
{
    size_t sum = 0;

    for (int i = 0; i < MANY; i++)
        sum += records(ids[i], "");
    return sum;
}

static void start_many(void)
{
    for (int i = 0; i < MANY; i++)
        start(engine, "m", ids[i], 0);
}

static void post_each(const char *id)
{
    for (int i = 0; i < MANY; i++)
        post(ids[i], "add", id);
}

/* Every round until nothing is due has at most so many commits, and at least one has. Returns the
 * rounds. */
static int rounds_of(size_t most, int64_t now)
{
    size_t before = commits();
    int rounds = 0;

    do {
        size_t after;

        once(engine, now);
        after = commits();
        TEST_ASSERT_LESS_OR_EQUAL_size_t(most, after - before);
        TEST_ASSERT_LESS_THAN_INT(1000, rounds++);
        before = after;
    } while (wfsm_engine_deadline(engine) <= now);
    return rounds;
}

static void check_ends(const char *message)
{
    for (int i = 0; i < MANY; i++) {
        wfsm_instance *instance = wfsm_engine_instance(engine, ids[i]);

        TEST_ASSERT_EQUAL_STRING_MESSAGE("[\"done\"]", where(engine, ids[i]), message);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("{\"n\":3}", wfsm_instance_context(instance, NULL),
                                         message);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(MANY, who.starts, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2 * MANY, effects, message);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(0, posts(), message);
}

/* Everything that a world does: starts, posts, polls, answers, timers, effects. */
static void live(const wfsm_engine_options *options, size_t most, const char *message)
{
    make(options);
    who.on_poll = "1";
    start_many();
    post_each("p");
    post_each("q");
    rounds_of(most, 0);
    post_each("r");
    rounds_of(most, 100);
    rounds_of(most, 200);
    check_ends(message);
}

static void the_end_is_the_same_for_every_bound(void)
{
    static const uint32_t bounds[] = {1, 2, 3, 7, 0};

    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        wfsm_engine_options options = bounded(bounds[i]);
        char message[30];

        snprintf(message, sizeof message, "%u inputs", (unsigned)bounds[i]);
        live(&options, bounds[i] ? bounds[i] : 10000, message);
        tearDown();
        setUp();
    }
}

static void bytes_are_a_bound(void)
{
    wfsm_engine_options options = bounded(0);

    options.round_bytes = 1;
    live(&options, 1, "1 byte");
}

static void the_clock_is_a_bound(void)
{
    wfsm_engine_options options = bounded(0);

    options.clock = read_clock;
    options.round_ms = 10;
    tick = 10;
    live(&options, 1, "a slow clock");
}

static void a_tenth_of_the_lapse_is_the_time_of_a_round(void)
{
    wfsm_engine_options options = bounded(0);

    options.clock = read_clock;
    options.lapse_ms = 10000;
    make(&options);
    start_many();
    post_each("p");
    once(engine, 0); /* brings the posts */
    tick =
        300; /* the first post, two more before 1,000 ms, and what comes after them too late */
    who.on_poll = NULL;
    once(engine, 0);
    TEST_ASSERT_EQUAL_size_t(MANY - 4, posts());
    TEST_ASSERT_EQUAL_INT64(0, wfsm_engine_deadline(engine));
}

static int32_t slow_start(void *user, wfsm_call *call)
{
    (void)call;
    ++*(int *)user;
    ticks += 100;
    return WFSM_OK;
}

/* A thousand starts of 100 ms each are 100 s. Ten of them are one round, and one heartbeat. */
static void slow_starts_do_not_cost_the_lease(void)
{
    wfsm_engine_options options = bounded(0), other = bounded(0);
    wfsm_engine *second = NULL;
    int starts = 0, rounds = 0;
    size_t taken = 0;

    options.clock = read_clock;
    options.lapse_ms = other.lapse_ms = 10000;
    options.slots = 1000;
    other.session = "two";
    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_engine_new(&second, store, &other, error));
    add_machine(engine, WORK("w", "slow", ""));
    OK(wfsm_engine_add_agent(engine, "slow", slow_start, &starts, error));
    for (int i = 0; i < 1000; i++) {
        char id[20];

        snprintf(id, sizeof id, "w%d", i);
        start(engine, "w", id, 0);
    }
    do {
        int before = starts;

        once(engine, ticks);
        TEST_ASSERT_LESS_OR_EQUAL_INT(before + 10, starts);
        OK(wfsm_engine_adopt_all(second, ticks, &taken, error));
        TEST_ASSERT_EQUAL_size_t(0, taken);
        rounds++;
    } while (wfsm_engine_deadline(engine) <= ticks && rounds < 1000);
    TEST_ASSERT_EQUAL_INT(1000, starts);
    TEST_ASSERT_EQUAL_size_t(1000, wfsm_engine_working(engine));
    wfsm_engine_free(second);
}

/* Each round one agent is polled: all of them, one after the other, and then none is due. */
static void polls_come_in_turn(void)
{
    wfsm_engine_options options = bounded(1);

    make(&options);
    start_many();
    run(engine, 0);
    who.polls = 0;
    for (int i = 1; i <= MANY; i++) {
        once(engine, 1);
        TEST_ASSERT_EQUAL_INT(i, who.polls);
        if (i < MANY)
            TEST_ASSERT_EQUAL_INT64(1, wfsm_engine_deadline(engine));
    }
    TEST_ASSERT_GREATER_THAN_INT64(1, wfsm_engine_deadline(engine));
    once(engine, 2);
    TEST_ASSERT_EQUAL_INT(MANY + 1, who.polls);
}

/* One instance has a post in every round, more than a round can take. */
static void no_kind_of_input_waits_for_ever(void)
{
    wfsm_engine_options options = bounded(1);
    wfsm_round *round = NULL;
    int32_t outcome = 0;
    int number = 0;

    make(&options);
    start_many();
    OK(wfsm_engine_prepare(engine, 0, &round, error));
    OK(wfsm_round_exchange(round));
    OK(wfsm_engine_send(engine, "c", "add", NULL, NULL, 0, 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_QUEUED, outcome);
    OK(wfsm_engine_finish(engine, round, 0, error));
    who.on_poll = "1";
    for (int i = 0; i < 200; i++) {
        char id[20];

        snprintf(id, sizeof id, "%d", number++);
        post("a", "add", id);
        snprintf(id, sizeof id, "%d", number++);
        post("a", "add", id);
        once(engine, i < 100 ? 0 : 100);
    }
    for (int i = 0; i < MANY; i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE("[\"done\"]", where(engine, ids[i]), ids[i]);
    TEST_ASSERT_EQUAL_size_t(1, records("c", "\"event\":\"add\""));
    TEST_ASSERT_EQUAL_INT(2 * MANY, effects);
    TEST_ASSERT_GREATER_THAN_size_t(40, records("a", "\"event\":\"add\""));
}

static void post_to(const char *instance, int count)
{
    char id[20];

    for (int i = 0; i < count; i++) {
        snprintf(id, sizeof id, "%s%d", instance, i);
        post(instance, "add", id);
    }
}

/* All of them wait for events; `a` has many posts, and the others have one each, posted last. */
static void make_backlog(const wfsm_engine_options *options, int count)
{
    make(options);
    who.on_start = "1";
    start_many();
    run(engine, 0);
    post_to("a", count);
    for (int i = 1; i < MANY; i++)
        post_to(ids[i], 1);
}

static size_t served(void)
{
    size_t sum = 0;

    for (int i = 1; i < MANY; i++)
        sum += records(ids[i], "\"event\":\"add\"");
    return sum;
}

static void no_instance_waits_for_the_posts_of_another(void)
{
    wfsm_engine_options options = bounded(10000);

    make_backlog(&options, 5000);
    once(engine, 1); /* brings the posts */
    once(engine, 1);
    TEST_ASSERT_EQUAL_size_t(MANY - 1, served());
    TEST_ASSERT_EQUAL_size_t(5000 - (1024 - (MANY - 1)), posts());
    run(engine, 1);
    TEST_ASSERT_EQUAL_size_t(0, posts());
}

/* They come in their order, and each instance has its turn, also if a round takes two. */
static void instances_have_their_turn_in_small_rounds(void)
{
    wfsm_engine_options options = bounded(2);

    make_backlog(&options, 50);
    once(engine, 1); /* brings the posts */
    for (int i = 0; i < MANY / 2; i++)
        once(engine, 1);
    TEST_ASSERT_EQUAL_size_t(MANY - 1, served());
    TEST_ASSERT_EQUAL_size_t(49, posts());
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("{\"n\":50}",
                             wfsm_instance_context(wfsm_engine_instance(engine, "a"), NULL));
}

static void a_bound_out_of_range_is_refused(void)
{
    wfsm_engine_options options = bounded(0);

    options.round_ms = -1;
    STATUS(WFSM_INVALID, wfsm_engine_new(&engine, store, &options, error));
    TEST_ASSERT_EQUAL_STRING("round_ms is out of range", wfsm_error_message(error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_end_is_the_same_for_every_bound);
    RUN_TEST(bytes_are_a_bound);
    RUN_TEST(the_clock_is_a_bound);
    RUN_TEST(a_tenth_of_the_lapse_is_the_time_of_a_round);
    RUN_TEST(slow_starts_do_not_cost_the_lease);
    RUN_TEST(polls_come_in_turn);
    RUN_TEST(no_kind_of_input_waits_for_ever);
    RUN_TEST(no_instance_waits_for_the_posts_of_another);
    RUN_TEST(instances_have_their_turn_in_small_rounds);
    RUN_TEST(a_bound_out_of_range_is_refused);
    return UNITY_END() != 0;
}
