/* An idle instance is small, and a step of it allocates nothing. The instances of a machine
 * share scratch memory, also within each other's callbacks and on several threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "support.h"
#include "../given.h"

/* Counters and a string, as many as those of seed 004's machine. */
static const char *const document =
    "{\"id\":\"lean\",\"context\":{\"n\":0,\"most\":1e6,\"on\":true,\"agent\":\"tester\","
    "\"e\":1,\"f\":2,\"g\":false},\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"GO\":{"
    "\"target\":\"b.x\",\"guard\":{\"<\":[{\"var\":\"context.n\"},{\"var\":\"context.most\"}]},"
    "\"actions\":{\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}}}"
    "},"
    "\"b\":{\"initial\":\"x\",\"on\":{\"BACK\":\"a\"},\"states\":{\"x\":{\"always\":"
    "{\"target\":\"y\",\"guard\":{\"var\":\"context.on\"}}},\"y\":{}}}}}";

enum { INSTANCES = 1000, ROUNDS = 2000, LEAST_BYTES = 216 };

static size_t allocations, bytes;

static void *allocate(void *user, size_t size)
{
    (void)user;
    allocations++;
    bytes += size;
    return malloc(size);
}

static void *resize(void *user, void *block, size_t size)
{
    (void)user;
    allocations++;
    bytes += size;
    return realloc(block, size);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

static const wfsm_allocator counting = {sizeof counting, NULL, allocate, resize, release};
static wfsm_machine *machine;

static wfsm_machine *load(const char *text, const wfsm_allocator *allocator)
{
    wfsm_machine *made = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&made, text, strlen(text), NULL, allocator, NULL));
    return made;
}

static wfsm_instance *start(const char *id)
{
    wfsm_instance *made = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_start(&made, machine, START(id), 0, NULL));
    return made;
}

static bool taken(wfsm_instance *instance, const char *event)
{
    int32_t outcome = 0;
    return wfsm_instance_send(instance, EVENT(event), 0, &outcome, NULL) == WFSM_OK &&
           outcome == WFSM_TAKEN;
}

void setUp(void)
{
    machine = load(document, &counting);
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
}

static void an_instance_at_rest_is_one_small_block(void)
{
    static wfsm_instance *all[INSTANCES];
    wfsm_instance_free(start("warm"));
    allocations = bytes = 0;
    for (int i = 0; i < INSTANCES; i++)
        all[i] = start("one");
    TEST_ASSERT_EQUAL_size_t(INSTANCES, allocations);
    TEST_ASSERT_LESS_OR_EQUAL_size_t(LEAST_BYTES, bytes / INSTANCES);
    for (int i = 0; i < INSTANCES; i++)
        wfsm_instance_free(all[i]);
}

static void a_step_allocates_nothing(void)
{
    wfsm_instance *instance = start("one");
    TEST_ASSERT_TRUE(taken(instance, "GO") && taken(instance, "BACK"));
    allocations = 0;
    for (int i = 0; i < ROUNDS; i++)
        TEST_ASSERT_TRUE(taken(instance, "GO") && taken(instance, "BACK"));
    TEST_ASSERT_EQUAL_size_t(0, allocations);
    TEST_ASSERT_EQUAL_UINT64(2 * ROUNDS + 3, wfsm_instance_revision(instance));
    wfsm_instance_free(instance);
}

/* ---- within each other ---- */

static wfsm_instance *inner;

static int32_t step_the_other(void *user, wfsm_call *call)
{
    (void)user;
    int32_t outcome = 0;
    if (strcmp(wfsm_call_instance(call), "outer") == 0)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_instance_send(inner, EVENT("GO", .data = "7", .length = 1),
                                                   0, &outcome, NULL));
    return wfsm_call_patch(call, "{\"done\": true}", 14);
}

static void a_callback_steps_another_instance(void)
{
    static const char *const asking =
        "{\"id\":\"ask\",\"context\":{\"done\":false},\"initial\":\"a\",\"states\":{"
        "\"a\":{\"on\":{\"GO\":{\"target\":\"b\",\"actions\":\"ask\"}}},\"b\":{}}}";
    wfsm_functions *functions = NULL;
    wfsm_machine *own = load(asking, NULL);
    wfsm_instance *outer = NULL;
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_functions_add_action(functions, "ask", step_the_other, NULL, NULL));
    wfsm_instance_start(&outer, own, START("outer", .functions = functions), 0, NULL);
    wfsm_instance_start(&inner, own, START("inner", .functions = functions), 0, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send(outer, EVENT("GO"), 0, &outcome, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    TEST_ASSERT_TRUE(wfsm_instance_in(inner, "b") && wfsm_instance_in(outer, "b"));
    TEST_ASSERT_EQUAL_STRING("{\"done\":true}", wfsm_instance_context(inner, NULL));
    TEST_ASSERT_EQUAL_STRING("{\"done\":true}", wfsm_instance_context(outer, NULL));
    wfsm_instance_free(outer);
    wfsm_instance_free(inner);
    wfsm_functions_free(functions);
    wfsm_machine_unref(own);
}

/* ---- on several threads ---- */

static void *run_on_a_thread(void *user)
{
    wfsm_instance *instance = user;
    for (int i = 0; i < ROUNDS; i++)
        if (!taken(instance, "GO") || !taken(instance, "BACK"))
            return NULL;
    return user;
}

static void threads_share_a_machine(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    wfsm_instance *instances[THREADS];
    wfsm_machine_unref(machine);
    machine = load(document, NULL);
    for (int i = 0; i < THREADS; i++)
        instances[i] = start("one");
    for (int i = 0; i < THREADS; i++)
        TEST_ASSERT_EQUAL_INT(0,
                              pthread_create(&threads[i], NULL, run_on_a_thread, instances[i]));
    for (int i = 0; i < THREADS; i++) {
        void *done = NULL;
        pthread_join(threads[i], &done);
        TEST_ASSERT_EQUAL_PTR(instances[i], done);
        TEST_ASSERT_EQUAL_UINT64(2 * ROUNDS + 1, wfsm_instance_revision(instances[i]));
        wfsm_instance_free(instances[i]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_instance_at_rest_is_one_small_block);
    RUN_TEST(a_step_allocates_nothing);
    RUN_TEST(a_callback_steps_another_instance);
    RUN_TEST(threads_share_a_machine);
    return UNITY_END() != 0;
}
