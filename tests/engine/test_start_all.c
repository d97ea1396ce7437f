/* wfsm_engine_start_all(): many starts in few transactions, and each has its own answer. */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "store/store.h"
#include "world.h"

enum { MOST = 2500 };

static struct {
    wfsm_store_vtable inner;
    int calls;
    size_t counts[10]; /* commits of each call */
    const char *victim; /* NULL: none */
    int32_t answer; /* to it */
    int32_t whole; /* the answer of the whole call, if it is not OK */
} gate;

static wfsm_store *memory;
static wfsm_engine *engine;
static shortage heap;
static actor who;
static char names[MOST][16];
static wfsm_start starts[MOST];
static const wfsm_start *list[MOST];
static int32_t answers[MOST + 1];

static int32_t commit_all(void *self, const wfsm_commit *const *commits, size_t count,
                          int32_t *given, wfsm_error *why)
{
    int32_t status;

    TEST_ASSERT_LESS_THAN_INT(10, gate.calls);
    gate.counts[gate.calls++] = count;
    if (gate.whole != WFSM_OK)
        return wfsm_error_set(why, gate.whole, "the disk is full");
    status = gate.inner.commit(self, commits, count, given, why);
    for (size_t i = 0; gate.victim && i < count; i++)
        if (strcmp(commits[i]->instance, gate.victim) == 0)
            given[i] = gate.answer;
    return status;
}

static void number_starts(void)
{
    for (size_t i = 0; i < MOST; i++) {
        snprintf(names[i], sizeof names[i], "i%zu", i);
        starts[i] = (wfsm_start){.size = sizeof starts[i], .machine = "m", .id = names[i]};
        list[i] = &starts[i];
        answers[i] = -1;
    }
    answers[MOST] = -1;
}

void setUp(void)
{
    static const char document[] = WORK("m", "a", "");
    wfsm_machine *machine = NULL;
    wfsm_store_vtable vtable;
    wfsm_allocator allocator = shortage_allocator(&heap);
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = "one",
                                   .lapse_ms = 10000,
                                   .slots = 3,
                                   .allocator = &allocator};

    memset(&gate, 0, sizeof gate);
    heap = (shortage){0};
    who = (actor){0};
    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&memory, NULL, error));
    gate.inner = vtable = memory->vtable;
    vtable.commit = commit_all;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, memory->self, &allocator, error));
    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, strlen(document), NULL, &allocator, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    add_actor(engine, "a", &who);
    number_starts();
}

void tearDown(void)
{
    heap.at = 0;
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_store_free(memory);
    wfsm_error_free(error);
}

static int32_t start_all(size_t count)
{
    int32_t status;

    answers[count] = -1;
    status = wfsm_engine_start_all(engine, list, count, 5, answers, error);
    TEST_ASSERT_EQUAL_INT32(-1, answers[count]);
    return status;
}

static void says(const char *sentence)
{
    TEST_ASSERT_EQUAL_STRING(sentence, wfsm_error_message(error));
}

static bool is_stored(const char *id)
{
    wfsm_head head = {.size = sizeof head};

    return wfsm_store_head(memory, id, &head, NULL) == WFSM_OK;
}

/* The engine and the store have each instance that was started, and no other. */
static void agree(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool here = wfsm_engine_instance(engine, names[i]);

        TEST_ASSERT_EQUAL_MESSAGE(answers[i] == WFSM_OK, here, names[i]);
        TEST_ASSERT_EQUAL_MESSAGE(answers[i] == WFSM_OK, is_stored(names[i]), names[i]);
    }
}

static void all_in_one_transaction_and_in_order(void)
{
    OK(start_all(5));
    TEST_ASSERT_EQUAL_INT(1, gate.calls);
    TEST_ASSERT_EQUAL_size_t(5, gate.counts[0]);
    agree(5);
    once(engine, 6);
    TEST_ASSERT_EQUAL_STRING("i0 i1 i2 ", who.order); /* three slots */
}

static void a_thousand_in_each_transaction(void)
{
    OK(start_all(MOST));
    TEST_ASSERT_EQUAL_INT(3, gate.calls);
    TEST_ASSERT_EQUAL_size_t(1000, gate.counts[0]);
    TEST_ASSERT_EQUAL_size_t(1000, gate.counts[1]);
    TEST_ASSERT_EQUAL_size_t(500, gate.counts[2]);
    agree(MOST);
}

static void none_at_all(void)
{
    OK(wfsm_engine_start_all(engine, NULL, 0, 5, NULL, error));
    OK(start_all(0));
    TEST_ASSERT_EQUAL_INT(0, gate.calls);
}

static void those_that_are_refused_do_not_concern_the_others(void)
{
    start(engine, "m", "i1", 0);
    starts[3].machine = "n";
    starts[4].id = "";
    starts[5].input = "{";
    starts[5].length = 1;
    list[6] = NULL;
    gate.calls = 0;
    STATUS(WFSM_EXISTS, start_all(8));
    says("start 1, \"i1\": there is an instance \"i1\" already");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, answers[1]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[2]);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, answers[3]);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, answers[4]);
    TEST_ASSERT_EQUAL_INT32(WFSM_SYNTAX, answers[5]);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, answers[6]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[7]);
    TEST_ASSERT_EQUAL_INT(1, gate.calls);
    TEST_ASSERT_EQUAL_size_t(3, gate.counts[0]);
    list[6] = &starts[6];
}

/* Here the store finds out, after a later start has been refused by the engine. */
static void the_error_is_that_of_the_first(void)
{
    wfsm_instance *other = NULL;
    wfsm_machine *machine = NULL;
    const wfsm_start_options options = {.size = sizeof options, .id = "i1", .store = memory};

    OK(wfsm_machine_load(&machine, WORK("m", "a", ""), strlen(WORK("m", "a", "")), NULL, NULL,
                         error));
    OK(wfsm_instance_start(&other, machine, &options, 0, error));
    wfsm_instance_free(other);
    wfsm_machine_unref(machine);
    starts[2].machine = "n";
    STATUS(WFSM_EXISTS, start_all(4));
    says("start 1, \"i1\": there is such an instance already");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, answers[2]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[3]);
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "i1"));
}

static void the_second_of_one_id_exists(void)
{
    starts[2].id = "i0";
    starts[1200].id = "i0";
    STATUS(WFSM_EXISTS, start_all(1300));
    for (size_t i = 0; i < 1300; i++)
        TEST_ASSERT_EQUAL_INT32(i == 2 || i == 1200 ? WFSM_EXISTS : WFSM_OK, answers[i]);
    says("start 2, \"i0\": there is such an instance already");
    run(engine, 6);
    TEST_ASSERT_EQUAL_size_t(1, records("i0", "\"start\""));
}

static void a_lost_answer_is_that_of_one(void)
{
    gate.victim = "i1";
    gate.answer = WFSM_STORE_UNKNOWN;
    STATUS(WFSM_STORE_UNKNOWN, start_all(3));
    says("start 1, \"i1\": STORE_UNKNOWN");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[2]);
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "i1"));
    TEST_ASSERT_TRUE(is_stored("i1"));
    OK(wfsm_engine_adopt(engine, "i1", 6, error));
}

static void a_store_that_fails_answers_for_all_of_the_round(void)
{
    gate.whole = WFSM_STORE_FAILED;
    starts[0].machine = "n";
    STATUS(WFSM_NOT_FOUND, start_all(1500));
    for (size_t i = 1; i < 1500; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, answers[i]);
    starts[0].machine = "m";
    STATUS(WFSM_STORE_FAILED, start_all(2));
    says("start 0, \"i0\": the disk is full");
    agree(2);
    gate.whole = WFSM_OK;
    gate.calls = 0;
    OK(start_all(2));
    agree(2);
}

static void what_the_call_as_a_whole_refuses(void)
{
    list[0] = &starts[0];
    STATUS(WFSM_INVALID, wfsm_engine_start_all(engine, NULL, 2, 0, answers, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, answers[1]);
    STATUS(WFSM_INVALID, wfsm_engine_start_all(engine, list, 2, 0, NULL, error));
    says("there are no starts, or no answers");
    STATUS(WFSM_INVALID, wfsm_engine_start_all(engine, list, 2, -1, answers, error));
    says("the time is negative");
    STATUS(WFSM_INVALID, wfsm_engine_start_all(NULL, list, 2, 0, answers, error));
    says("no engine");
    TEST_ASSERT_EQUAL_INT32(-1, answers[2]);
    OK(wfsm_store_batch(store, error));
    STATUS(WFSM_BUSY, start_all(2));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, answers[1]);
    OK(wfsm_store_flush(store, NULL, error));
    TEST_ASSERT_EQUAL_INT(0, gate.calls);
}

/* A shortage ends, and the starts that it has refused succeed at the second call. */
static void memory_may_fail_anywhere(void)
{
    int32_t status = WFSM_NO_MEMORY, before[3];
    int at = 0;

    while (status != WFSM_OK) {
        tearDown();
        setUp();
        heap = (shortage){.at = ++at, .count = 1};
        status = start_all(3);
        heap.at = 0;
        if (status != WFSM_OK)
            STATUS(WFSM_NO_MEMORY, status);
        agree(3);
        memcpy(before, answers, sizeof before);
        start_all(3);
        for (size_t i = 0; i < 3; i++)
            TEST_ASSERT_EQUAL_INT32(before[i] == WFSM_OK ? WFSM_EXISTS : WFSM_OK, answers[i]);
        run(engine, 6);
        TEST_ASSERT_EQUAL_INT(3, who.starts);
    }
    TEST_ASSERT_GREATER_THAN_INT(20, at);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(all_in_one_transaction_and_in_order);
    RUN_TEST(a_thousand_in_each_transaction);
    RUN_TEST(none_at_all);
    RUN_TEST(those_that_are_refused_do_not_concern_the_others);
    RUN_TEST(the_error_is_that_of_the_first);
    RUN_TEST(the_second_of_one_id_exists);
    RUN_TEST(a_lost_answer_is_that_of_one);
    RUN_TEST(a_store_that_fails_answers_for_all_of_the_round);
    RUN_TEST(what_the_call_as_a_whole_refuses);
    RUN_TEST(memory_may_fail_anywhere);
    return UNITY_END() != 0;
}
