/* Instances that only wait leave memory beyond the bound of the host, and nobody sees a difference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"
#include "../given.h"

enum { CACHED = 3, MANY = 2000 };

static wfsm_engine *engine;
static actor who;
static size_t bytes; /* that the engine has allocated */
static int lost; /* enum wfsm_lost of the last one */
static int effects;

typedef union block {
    size_t size;
    long double align;
} block;

static void *take(void *user, size_t size)
{
    block *made = malloc(sizeof *made + size);

    (void)user;
    made->size = size;
    bytes += size;
    return made + 1;
}

static void give(void *user, void *memory)
{
    block *made = memory;

    (void)user;
    if (!made)
        return;
    bytes -= made[-1].size;
    free(made - 1);
}

static void *take_more(void *user, void *memory, size_t size)
{
    void *made = take(user, size);
    size_t old = memory ? ((block *)memory)[-1].size : 0;

    memcpy(made, memory ? memory : made, old < size ? old : size);
    give(user, memory);
    return made;
}

static int32_t on_lost(void *user, wfsm_call *call)
{
    (void)user;
    TEST_ASSERT_EQUAL_STRING("wait", wfsm_call_name(call));
    lost = wfsm_call_lost(call);
    return WFSM_OK;
}

static int32_t on_effect(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    effects++;
    return WFSM_OK;
}

static wfsm_engine *engine_with(const char *session, uint32_t cached)
{
    static const wfsm_allocator allocator = {sizeof allocator, NULL, take, take_more, give};
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = session,
                                         .look_ms = WFSM_NEVER,
                                         .allocator = &allocator,
                                         .cached_instances = cached};
    wfsm_engine *made;

    OK(wfsm_engine_new(&made, store, &options, error));
    add_machine(made, "{\"wfsm\":1,\"id\":\"wait\",\"initial\":\"a\",\"states\":{"
                      "\"a\":{\"on\":{\"go\":\"b\"},\"after\":{\"5000\":\"late\"}},"
                      "\"b\":{\"entry\":[{\"type\":\"emit\",\"params\":{\"event\":\"said\"}}],"
                      "\"on\":{\"go\":\"c\"}},"
                      "\"c\":{\"invoke\":{\"src\":\"person\",\"onDone\":\"end\"}},"
                      "\"late\":{},\"end\":{\"type\":\"final\"}}}");
    add_machine(made, WORK("m", "a", ""));
    add_actor(made, "a", &who);
    OK(wfsm_engine_on_lost(made, on_lost, NULL, error));
    OK(wfsm_engine_on_effect(made, on_effect, NULL, error));
    return made;
}

void setUp(void)
{
    world_open();
    who = (actor){0};
    lost = effects = 0;
    engine = engine_with("one", CACHED);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    TEST_ASSERT_EQUAL_size_t(0, bytes);
    world_close();
}

static bool is_evicted(const char *id)
{
    const wf_entry *entry = wf_entries_find(engine, id, strlen(id));

    TEST_ASSERT_NOT_NULL(entry);
    return !entry->instance;
}

/* x0, x1, … of which the first ones leave memory. */
static void start_some(int count, int64_t now)
{
    char id[20];

    for (int i = 0; i < count; i++) {
        snprintf(id, sizeof id, "x%d", i);
        start(engine, "wait", id, now);
    }
}

static void only_so_many_stay(void)
{
    start_some(CACHED, 0);
    TEST_ASSERT_FALSE(is_evicted("x0"));
    start(engine, "wait", "y", 0);
    TEST_ASSERT_TRUE(is_evicted("x0"));
    TEST_ASSERT_FALSE(is_evicted("x1"));
    TEST_ASSERT_FALSE(is_evicted("y"));
}

static void the_one_that_was_used_least_recently_leaves_first(void)
{
    start_some(CACHED, 0);
    OK(wfsm_engine_patch(engine, "x0", "{}", 2, 1, NULL, error));
    run(engine, 1);
    start(engine, "wait", "y", 1);
    TEST_ASSERT_FALSE(is_evicted("x0"));
    TEST_ASSERT_TRUE(is_evicted("x1"));
}

static void each_keeps_less_than_512_bytes(void)
{
    char id[256];
    size_t before;

    start_some(CACHED, 0);
    run(engine, 0);
    before = bytes;
    for (int i = 0; i < MANY; i++) {
        snprintf(id, sizeof id, "%04d-a-name-of-thirty-six-bytes-abcdef", i);
        start(engine, "wait", id, 0);
    }
    run(engine, 0);
    TEST_ASSERT_LESS_THAN_size_t(512, (bytes - before) / MANY);
    TEST_ASSERT_EQUAL_size_t(MANY + CACHED, engine->timers.count);
    TEST_ASSERT_EQUAL_INT(0, wfsm_engine_idle(engine));
}

static void its_timer_fires(void)
{
    start_some(20, 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT64(3334, wfsm_engine_deadline(engine)); /* a sign of life */
    run(engine, 4999);
    TEST_ASSERT_TRUE(is_evicted("x7"));
    run(engine, 5000);
    TEST_ASSERT_EQUAL_STRING("[\"late\"]", where(engine, "x7"));
    TEST_ASSERT_EQUAL_size_t(1, records("x7", "late"));
    TEST_ASSERT_EQUAL_size_t(0, engine->timers.count);
    TEST_ASSERT_LESS_OR_EQUAL_size_t(CACHED, engine->cache_count);
}

static void approve(const char *invocation)
{
    char digest[WFSM_DIGEST_SIZE];

    OK(wfsm_digest("null", 4, digest)); /* the person was given no input */
    const wfsm_approval given = {.size = sizeof given,
                                 .instance = "x0",
                                 .invocation = invocation,
                                 .by = "ada",
                                 .digest = digest,
                                 .decision = WFSM_APPROVE};
    OK(wfsm_approve(store, &given, 0, error));
}

static void it_takes_posts_sends_and_votes(void)
{
    int32_t outcome = 0;

    start_some(20, 0);
    run(engine, 0);
    post("x0", "go", "1");
    run(engine, 1);
    run(engine, 1);
    OK(wfsm_engine_send(engine, "x1", "go", NULL, NULL, 0, 2, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(2, effects);
    for (int i = 10; i < 15; i++) {
        char id[20];
        snprintf(id, sizeof id, "x%d", i);
        OK(wfsm_engine_patch(engine, id, "{}", 2, 3, NULL, error));
    }
    run(engine, 3);
    TEST_ASSERT_TRUE(is_evicted("x0") && is_evicted("x1"));
    OK(wfsm_engine_send(engine, "x0", "go", NULL, NULL, 0, 4, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    approve(IDS("x0/3/1"));
    run(engine, 5);
    run(engine, 5);
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x0"));
    TEST_ASSERT_EQUAL_INT(2, effects); /* delivered once */
}

static void a_question_loads_it_and_makes_nothing_due(void)
{
    start_some(20, 0);
    run(engine, 0);
    TEST_ASSERT_TRUE(is_evicted("x0"));
    TEST_ASSERT_EQUAL_STRING("[\"a\"]", where(engine, "x0"));
    TEST_ASSERT_FALSE(is_evicted("x0"));
    TEST_ASSERT_GREATER_THAN_INT64(1, wfsm_engine_deadline(engine));
    TEST_ASSERT_LESS_OR_EQUAL_size_t(CACHED, engine->cache_count);
}

static void while_a_round_is_out_no_question_loads_it(void)
{
    wfsm_round *round;

    start_some(20, 0);
    run(engine, 0);
    OK(wfsm_engine_prepare(engine, 1, &round, error));
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x0"));
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "x19"));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_heartbeat(engine, IDS("x0/1/1"), 1, error));
    OK(wfsm_round_exchange(round));
    OK(wfsm_engine_finish(engine, round, 1, error));
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "x0"));
}

static void agents_at_work_keep_it_in_memory(void)
{
    for (int i = 0; i < 6; i++) {
        char id[20];
        snprintf(id, sizeof id, "w%d", i);
        start(engine, "m", id, 0);
    }
    run(engine, 0);
    start_some(20, 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(6, who.starts);
    TEST_ASSERT_FALSE(is_evicted("w0"));
    who.on_poll = "1";
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "w0"));
}

static void it_is_released_and_given_up(void)
{
    wfsm_engine *other;
    size_t count;

    start_some(20, 0);
    OK(wfsm_engine_release(engine, "x0", error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_release(engine, "x0", error));
    wfsm_engine_free(engine);
    other = engine_with("two", 1);
    OK(wfsm_engine_adopt_all(other, 1, &count, error));
    TEST_ASSERT_EQUAL_size_t(20, count);
    TEST_ASSERT_EQUAL_size_t(1, other->cache_count);
    engine = other;
    TEST_ASSERT_TRUE(is_evicted("x0"));
    run(engine, 5000);
    TEST_ASSERT_EQUAL_STRING("[\"late\"]", where(engine, "x0"));
}

static void what_others_do_is_seen(void)
{
    wfsm_instance *byhand = NULL;
    int32_t outcome;

    start_some(20, 0);
    run(engine, 0);
    OK(wfsm_instance_load(&byhand, NULL, store, NULL, "x0", error));
    OK(wfsm_instance_send(byhand, EVENT("go"), 1, &outcome, error));
    wfsm_instance_free(byhand);
    run(engine, 2);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(1, effects);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x0"));
}

static void a_removed_one_is_lost(void)
{
    start_some(20, 0);
    run(engine, 0);
    OK(wfsm_store_remove(store, "x0", error));
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x0"));
    TEST_ASSERT_EQUAL_INT(WFSM_LOST_REMOVED, lost);
    OK(wfsm_store_remove(store, "x1", error));
    lost = 0;
    run(engine, 1);
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(WFSM_LOST_REMOVED, lost);
}

static void one_that_was_taken_over_is_lost(void)
{
    wfsm_engine *other;

    start_some(20, 0);
    run(engine, 0);
    other = engine_of("two", 0);
    OK(wfsm_engine_adopt(other, "x0", 20000, error));
    run(engine, 20000);
    run(engine, 20000);
    TEST_ASSERT_EQUAL_INT(WFSM_LOST_TAKEN, lost);
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x0"));
    wfsm_engine_free(other);
}

static void a_new_observer_is_told_of_it(void)
{
    start_some(20, 0);
    OK(wfsm_engine_observe(engine, on_effect, NULL, error));
    run(engine, 5000);
    TEST_ASSERT_EQUAL_INT(20, effects);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(only_so_many_stay);
    RUN_TEST(the_one_that_was_used_least_recently_leaves_first);
    RUN_TEST(each_keeps_less_than_512_bytes);
    RUN_TEST(its_timer_fires);
    RUN_TEST(it_takes_posts_sends_and_votes);
    RUN_TEST(a_question_loads_it_and_makes_nothing_due);
    RUN_TEST(while_a_round_is_out_no_question_loads_it);
    RUN_TEST(agents_at_work_keep_it_in_memory);
    RUN_TEST(it_is_released_and_given_up);
    RUN_TEST(what_others_do_is_seen);
    RUN_TEST(a_removed_one_is_lost);
    RUN_TEST(one_that_was_taken_over_is_lost);
    RUN_TEST(a_new_observer_is_told_of_it);
    return UNITY_END() != 0;
}
