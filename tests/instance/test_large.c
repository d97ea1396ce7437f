/* Large numbers: ten times as many things take about ten times as long, not a hundred times.
 * The test compares processor times, with a bound in between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unity.h>
#include "support.h"
#include "../given.h"

static const char *const document =
    "{\"wfsm\":1,\"id\":\"large\",\"initial\":\"a\",\"context\":{\"n\":0},\"states\":{"
    "\"a\":{\"on\":{"
    "\"EACH\":{\"actions\":{\"type\":\"each\",\"params\":{\"in\":{\"var\":\"event.data\"},"
    "\"as\":\"item\",\"index\":\"at\",\"actions\":[{\"type\":\"assign\",\"params\":"
    "{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}]}}},"
    "\"TIMERS\":{\"target\":\"timed\",\"actions\":{\"type\":\"each\",\"params\":"
    "{\"in\":{\"var\":\"event.data\"},\"as\":\"item\",\"actions\":[{\"type\":\"raise\","
    "\"params\":{\"event\":\"t\",\"delay\":1000,\"id\":\"many\"}}]}}},"
    "\"EMIT\":{\"actions\":{\"type\":\"each\",\"params\":"
    "{\"in\":{\"var\":\"event.data\"},\"as\":\"item\",\"actions\":[{\"type\":\"emit\","
    "\"params\":{\"event\":\"e\"}}]}}},"
    "\"FAIL\":{\"actions\":[{\"type\":\"each\",\"params\":{\"in\":{\"var\":\"event.data\"},"
    "\"as\":\"item\",\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"var\":\"context."
    "item\"}}}]}},"
    "\"broken\"]}}},"
    "\"timed\":{\"on\":{\"t\":{\"actions\":{\"type\":\"assign\",\"params\":"
    "{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}},"
    "\"CLEAR\":{\"actions\":{\"type\":\"cancel\",\"params\":{\"id\":\"many\"}}}}}}}";

enum { FEW = 2000, MANY = 20000, MOST = 40 };

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *memory;
static wfsm_instance *instance;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    instance = NULL;
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void start(void)
{
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(memory, "one", error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine,
                            START("one", .store = memory, .functions = functions), 0, error));
}

static void send(const char *event, int count, int32_t expected)
{
    int32_t outcome;
    size_t length = 0;
    char *data = malloc((size_t)count * 8 + 3);
    data[length++] = '[';
    for (int i = 0; i < count; i++)
        length += (size_t)sprintf(data + length, "%s%d", i > 0 ? "," : "", i);
    data[length++] = ']';
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK,
        wfsm_instance_send(instance, EVENT(event, .data = data, .length = length), 0, &outcome,
                           error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(expected, outcome);
    free(data);
}

static void load(void)
{
    wfsm_instance *again = NULL;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_load(&again, machine, memory, functions, "one", error),
        wfsm_error_message(error));
    char *left = bytes_of(instance), *right = bytes_of(again);
    TEST_ASSERT_TRUE(strcmp(left, right) == 0);
    free(left);
    free(right);
    wfsm_instance_free(again);
}

static void each_assigns(int count)
{
    start();
    send("EACH", count, WFSM_TAKEN);
    load();
}

static void taken_back(int count)
{
    start();
    send("FAIL", count, WFSM_FAILED);
    load();
}

static void timers(int count)
{
    start();
    send("TIMERS", count, WFSM_TAKEN);
    load();
}

static void timers_cleared(int count)
{
    timers(count);
    send("CLEAR", 1, WFSM_TAKEN);
    load();
}

/* Ten of them: each costs a look at all that are left. */
static void timers_fired(int count)
{
    int32_t fired, outcome;
    timers(count);
    for (int i = 0; i < 10; i++) {
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_instance_advance(instance, 1000, &fired, &outcome, error));
        TEST_ASSERT_EQUAL_INT32(1, fired);
    }
    load();
}

static void effects_made(int count)
{
    start();
    send("EMIT", count, WFSM_TAKEN);
    load();
}

static double seconds(void (*what)(int), int count)
{
    clock_t before = clock();
    what(count);
    return (double)(clock() - before) / CLOCKS_PER_SEC;
}

static void compare(const char *name, void (*what)(int))
{
    what(FEW); /* warm */
    double few = seconds(what, FEW), many = seconds(what, MANY);
    printf("%s: %d in %.4f s, %d in %.4f s\n", name, FEW, few, MANY, many);
    TEST_ASSERT_TRUE_MESSAGE(many < MOST * few + 0.05, name);
}

static void test_what_grows_with_its_number(void)
{
    compare("each", each_assigns);
    compare("taken back", taken_back);
    compare("timers set", timers);
    compare("timers cleared", timers_cleared);
    compare("timers fired", timers_fired);
    compare("effects", effects_made);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_grows_with_its_number);
    return UNITY_END() != 0;
}
