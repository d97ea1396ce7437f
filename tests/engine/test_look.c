/* When an engine looks for what others have done: at a time of its own, or when the store wakes it. */
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/testkit.h>

#include "world.h"

static wfsm_store *memory;
static wfsm_engine *engine;
static wfsm_testkit_plan plan;
static int ends[2]; /* of a pipe, for a store that wakes its reader */

static wfsm_engine *engine_that_looks(int64_t look_ms)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .lapse_ms = 600000, .look_ms = look_ms};

    OK(wfsm_engine_new(&engine, store, &options, error));
    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{"
                        "\"go\":\"b\"}},\"b\":{}}}");
    return engine;
}

void setUp(void)
{
    world_open();
    memory = store;
    plan = (wfsm_testkit_plan){.size = sizeof plan};
    OK(wfsm_testkit_wrap(&store, memory, &plan, error));
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    store = memory;
    world_close();
}

static void the_deadline_includes_the_next_look(void)
{
    engine_that_looks(0);
    TEST_ASSERT_EQUAL_INT64(WFSM_NEVER, wfsm_engine_deadline(engine));
    TEST_ASSERT_EQUAL_INT32(-1, wfsm_engine_fd(engine));
    start(engine, "m", "x", 10);
    once(engine, 20);
    TEST_ASSERT_EQUAL_INT64(1020, wfsm_engine_deadline(engine));
    once(engine, 500);
    TEST_ASSERT_EQUAL_INT64(1500, wfsm_engine_deadline(engine));
}

static void a_host_chooses_how_often(void)
{
    engine_that_looks(7);
    start(engine, "m", "x", 10);
    once(engine, 20);
    TEST_ASSERT_EQUAL_INT64(27, wfsm_engine_deadline(engine));
}

static void or_never(void)
{
    engine_that_looks(WFSM_NEVER);
    start(engine, "m", "x", 10);
    once(engine, 20);
    TEST_ASSERT_GREATER_THAN_INT64(100000, wfsm_engine_deadline(engine)); /* a sign of life */
}

static void a_look_is_one_call(void)
{
    uint64_t before;

    engine_that_looks(0);
    start(engine, "m", "x", 10);
    once(engine, 20);
    before = plan.calls;
    once(engine, 1020);
    TEST_ASSERT_EQUAL_UINT64(before + 1, plan.calls);
    OK(wfsm_store_post(memory, "x", "go", NULL, NULL, 0, 1500, error));
    once(engine, 2020);
    TEST_ASSERT_EQUAL_INT64(2020, wfsm_engine_deadline(engine));
    once(engine, 2020);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
}

static void negative_is_refused(void)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .look_ms = -1};

    engine = NULL;
    STATUS(WFSM_INVALID, wfsm_engine_new(&engine, store, &options, error));
    TEST_ASSERT_EQUAL_STRING("look_ms is out of range", wfsm_error_message(error));
}

/* ---- looks that become rare ---- */

enum { LEAST = 100, MOST = 20000 };

static void make_rare(const char *session)
{
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = session,
                                         .lapse_ms = 3 * MOST,
                                         .look_ms = LEAST,
                                         .look_most_ms = MOST};

    OK(wfsm_engine_new(&engine, store, &options, error));
    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{"
                        "\"go\":\"b\"}},\"b\":{}}}");
}

/* Runs whenever something is due, up to a time. Returns the time of the next look. */
static int64_t idle_until(int64_t now, int64_t end)
{
    int64_t due = now;

    for (; due <= end; due = wfsm_engine_deadline(engine))
        once(engine, due);
    return due;
}

/* Two calls of this store for each look, which is also the sign of life: a claim, and changes. */
static void an_idle_engine_makes_few_calls(void)
{
    uint64_t before;
    int64_t from;

    make_rare("one");
    start(engine, "m", "x", 10);
    from = idle_until(20, 10 * MOST);
    before = plan.calls;
    idle_until(from, from + 1000 * (int64_t)MOST);
    TEST_ASSERT_TRUE(plan.calls - before >= 2 * 1000);
    TEST_ASSERT_TRUE(plan.calls - before <= 2 * (1000 * 4 / 3 + 1));
}

static void a_round_in_between_does_not_look(void)
{
    uint64_t before;
    int64_t due;

    make_rare("one");
    start(engine, "m", "x", 10);
    due = idle_until(20, 10 * MOST);
    before = plan.calls;
    once(engine, due - 1);
    TEST_ASSERT_EQUAL_UINT64(before, plan.calls);
    TEST_ASSERT_EQUAL_INT64(due, wfsm_engine_deadline(engine));
    OK(wfsm_engine_look(engine));
    TEST_ASSERT_TRUE(wfsm_engine_deadline(engine) < due);
    once(engine, due - 1);
    TEST_ASSERT_EQUAL_UINT64(before + 2, plan.calls); /* the sign of life, and the changes */
}

static void what_happens_makes_looks_frequent(void)
{
    int64_t due;

    make_rare("one");
    start(engine, "m", "x", 10);
    due = idle_until(20, 10 * MOST);
    OK(wfsm_store_post(memory, "x", "go", NULL, NULL, 0, due - 1, error));
    run(engine, due);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    TEST_ASSERT_TRUE(wfsm_engine_deadline(engine) <= due + LEAST);
    TEST_ASSERT_TRUE(wfsm_engine_deadline(engine) >= due + LEAST * 3 / 4);
}

/* The times of ten looks. */
static void note_times(const char *session, int64_t *times)
{
    make_rare(session);
    start(engine, "m", session, 10);
    for (int i = 0; i < 10; i++) {
        times[i] = i > 0 ? wfsm_engine_deadline(engine) : 20;
        once(engine, times[i]);
    }
    wfsm_engine_free(engine);
    engine = NULL;
}

static void engines_do_not_look_together(void)
{
    int64_t one[10], other[10];

    note_times("one", one);
    note_times("other", other);
    for (int i = 2; i < 10; i++)
        TEST_ASSERT_TRUE(one[i] != other[i]);
}

static void a_clock_that_is_set_back_does_not_stop_it(void)
{
    uint64_t before;

    make_rare("one");
    start(engine, "m", "x", 1000000);
    idle_until(1000001, 1000000 + 10 * MOST);
    before = plan.calls;
    once(engine, 500);
    TEST_ASSERT_TRUE(plan.calls > before);
}

static void most_below_least_is_refused(void)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .look_ms = 10, .look_most_ms = 9};

    engine = NULL;
    STATUS(WFSM_INVALID, wfsm_engine_new(&engine, store, &options, error));
    TEST_ASSERT_EQUAL_STRING("look_most_ms is out of range: 0, or look_ms to 2^53 was expected",
                             wfsm_error_message(error));
    STATUS(WFSM_INVALID, wfsm_engine_look(NULL));
}

/* ---- a store that wakes its reader ---- */

static int32_t post_and_wake(void *self, const wfsm_post *post, wfsm_error *why)
{
    (void)self;
    TEST_ASSERT_EQUAL(1, write(ends[1], "!", 1));
    return wfsm_store_submit(memory, post, why);
}

static int32_t changes(void *self, wfsm_changes *asked, wfsm_row_sink sink, void *user,
                       wfsm_error *why)
{
    struct pollfd reader = {.fd = ends[0], .events = POLLIN};
    char byte;

    (void)self;
    while (poll(&reader, 1, 0) == 1)
        TEST_ASSERT_EQUAL(1, read(ends[0], &byte, 1));
    return wfsm_store_changes(memory, asked, sink, user, why);
}

static int32_t reader_end(void *self)
{
    (void)self;
    return ends[0];
}

static bool is_woken(void)
{
    struct pollfd reader = {.fd = wfsm_engine_fd(engine), .events = POLLIN};

    return poll(&reader, 1, 0) == 1;
}

static void a_store_wakes_the_host(void)
{
    wfsm_store *outer = store;
    wfsm_store_vtable vtable = store->vtable;

    TEST_ASSERT_EQUAL(0, pipe(ends));
    vtable.post = post_and_wake;
    vtable.changes = changes;
    vtable.fd = reader_end;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, store->self, NULL, error));
    engine_that_looks(0);
    start(engine, "m", "x", 10);
    once(engine, 20);
    TEST_ASSERT_GREATER_THAN_INT64(100000, wfsm_engine_deadline(engine));
    TEST_ASSERT_FALSE(is_woken());
    OK(wfsm_store_post(store, "x", "go", NULL, NULL, 0, 30, error));
    TEST_ASSERT_TRUE(is_woken());
    run(engine, 30);
    TEST_ASSERT_FALSE(is_woken());
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    wfsm_engine_free(engine);
    engine = NULL;
    wfsm_store_free(store);
    store = outer;
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_deadline_includes_the_next_look);
    RUN_TEST(a_host_chooses_how_often);
    RUN_TEST(or_never);
    RUN_TEST(a_look_is_one_call);
    RUN_TEST(negative_is_refused);
    RUN_TEST(an_idle_engine_makes_few_calls);
    RUN_TEST(a_round_in_between_does_not_look);
    RUN_TEST(what_happens_makes_looks_frequent);
    RUN_TEST(engines_do_not_look_together);
    RUN_TEST(a_clock_that_is_set_back_does_not_stop_it);
    RUN_TEST(most_below_least_is_refused);
    RUN_TEST(a_store_wakes_the_host);
    return UNITY_END() != 0;
}
