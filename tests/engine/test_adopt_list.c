/* wfsm_engine_adopt_list(): many instances are taken over with few exchanges. */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "store/store.h"
#include "world.h"

enum { MOST = 600 };

static wfsm_store *memory;
static wfsm_engine *before, *engine;
static shortage heap;
static actor who;
static int exchanges;
static char names[MOST][16];
static const char *ids[MOST];
static int32_t answers[MOST];

static int32_t exchange(void *self, wfsm_exchange *asked, wfsm_error *why)
{
    (void)self;
    exchanges++;
    return wfsm_store_exchange(memory, asked, why);
}

static void open_store(const wfsm_allocator *allocator)
{
    wfsm_store_vtable vtable;

    OK(wfsm_memory_open(&memory, NULL, error));
    vtable = memory->vtable;
    vtable.exchange = exchange;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, memory->self, allocator, error));
}

void setUp(void)
{
    wfsm_allocator allocator = shortage_allocator(&heap);
    wfsm_engine_options options = {
        .size = sizeof options, .session = "two", .lapse_ms = 10000, .allocator = &allocator};

    heap = (shortage){0};
    who = (actor){0};
    error = wfsm_error_new(NULL);
    open_store(&allocator);
    before = engine_of("one", 0);
    add_machine(before, WORK("m", "a", ""));
    OK(wfsm_engine_new(&engine, store, &options, error));
    add_actor(engine, "a", &who);
    for (size_t i = 0; i < MOST; i++) {
        snprintf(names[i], sizeof names[i], "i%zu", i);
        ids[i] = names[i];
        answers[i] = -1;
    }
}

void tearDown(void)
{
    heap.at = 0;
    wfsm_engine_free(engine);
    wfsm_engine_free(before);
    wfsm_store_free(store);
    wfsm_store_free(memory);
    wfsm_error_free(error);
}

/* They belong to an engine that is killed. */
static void leave(size_t count)
{
    for (size_t i = 0; i < count; i++)
        start(before, "m", names[i], 0);
    wf_engine_abandon(before);
    before = NULL;
}

static int32_t adopt(size_t count)
{
    exchanges = 0;
    return wfsm_engine_adopt_list(engine, ids, count, 20000, answers, error);
}

static void two_hundred_and_fifty_six_in_each_exchange(void)
{
    leave(MOST);
    OK(adopt(MOST));
    TEST_ASSERT_EQUAL_INT(3 + 1, exchanges); /* the last one looks for posts */
    for (size_t i = 0; i < MOST; i++) {
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[i]);
        TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, names[i]));
    }
    once(engine, 20001);
    TEST_ASSERT_EQUAL_INT(15, who.starts);
}

static void those_that_are_refused_do_not_concern_the_others(void)
{
    leave(4);
    before = engine_of("other", 0);
    add_machine(before, WORK("m", "a", ""));
    start(before, "m", "i4", 15000);
    ids[0] = "none";
    ids[1] = "i4";
    ids[3] = "i2";
    STATUS(WFSM_NOT_FOUND, adopt(4));
    TEST_ASSERT_EQUAL_STRING("none: there is no instance 'none'", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, answers[1]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[2]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[3]);
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "i2"));
    ids[0] = "i2";
    STATUS(WFSM_DENIED, adopt(2));
    TEST_ASSERT_EQUAL_STRING("another session has the instance 'i4'",
                             wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[0]);
}

static void what_the_call_as_a_whole_refuses(void)
{
    OK(wfsm_engine_adopt_list(engine, NULL, 0, 0, NULL, error));
    STATUS(WFSM_INVALID, wfsm_engine_adopt_list(engine, NULL, 1, 0, answers, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, answers[0]);
    STATUS(WFSM_INVALID, wfsm_engine_adopt_list(engine, ids, 1, 0, NULL, error));
    STATUS(WFSM_INVALID, wfsm_engine_adopt_list(engine, ids, 1, -1, answers, error));
    STATUS(WFSM_INVALID, wfsm_engine_adopt_list(NULL, ids, 1, 0, answers, error));
    ids[0] = "";
    STATUS(WFSM_INVALID, adopt(1));
    ids[0] = NULL;
    STATUS(WFSM_INVALID, adopt(1));
    TEST_ASSERT_EQUAL_STRING("adopting needs ids of 1 to 255 bytes of UTF-8",
                             wfsm_error_message(error));
}

/* What was not adopted because memory ran out is adopted at the second call. */
static void memory_may_fail_anywhere(void)
{
    int32_t status = WFSM_NO_MEMORY;
    int at = 0;

    while (status != WFSM_OK) {
        tearDown();
        setUp();
        leave(3);
        heap = (shortage){.at = ++at, .count = 1};
        status = adopt(3);
        heap.at = 0;
        if (status != WFSM_OK)
            STATUS(WFSM_NO_MEMORY, status);
        OK(adopt(3));
        once(engine, 20001);
        TEST_ASSERT_EQUAL_INT(3, who.starts);
    }
    TEST_ASSERT_GREATER_THAN_INT(20, at);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(two_hundred_and_fifty_six_in_each_exchange);
    RUN_TEST(those_that_are_refused_do_not_concern_the_others);
    RUN_TEST(what_the_call_as_a_whole_refuses);
    RUN_TEST(memory_may_fail_anywhere);
    return UNITY_END() != 0;
}
