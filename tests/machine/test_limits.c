/* Large, deep and hostile documents: loaded, or refused with a place, in bounded time.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unity.h>
#include <wfsm/instance.h>
#include "documents.h"
#include "../given.h"

static char *text;
static size_t used, room;
static wfsm_error *error;
static wfsm_machine *machine;

void setUp(void)
{
    room = 32u << 20;
    text = malloc(room);
    used = 0;
    error = wfsm_error_new(NULL);
    machine = NULL;
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
}

static void put(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    used += (size_t)vsnprintf(text + used, room - used, format, args);
    va_end(args);
    TEST_ASSERT_LESS_THAN(room, used);
}

static int32_t load(const wfsm_machine_limits *limits)
{
    return wfsm_machine_load(&machine, text, used, limits, NULL, error);
}

static void test_ten_thousand_states_a_hundred_thousand_transitions(void)
{
    clock_t start = clock();

    put("{\"id\":\"m\",\"initial\":\"s0\",\"states\":{");
    for (int i = 0; i < 10000; i++) {
        put("%s\"s%d\":{\"on\":{", i ? "," : "", i);
        for (int j = 0; j < 10; j++)
            put("%s\"e%d\":\"s%d\"", j ? "," : "", j, (i * 7 + j * 13) % 10000);
        put("}}");
    }
    put("}}");
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, load(NULL), wfsm_error_message(error));
    TEST_ASSERT_EQUAL_size_t(10001, wfsm_machine_state_count(machine));
    /* Far from the few tenths of a second that it takes; a quadratic look-up takes
     * minutes, and so it may be slow under valgrind. */
    TEST_ASSERT_LESS_THAN(60, (clock() - start) / CLOCKS_PER_SEC);
}

static void put_chain(int depth)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"states\":{");
    for (int i = 0; i < depth; i++)
        put("\"a\":{\"initial\":\"a\",\"states\":{");
    put("\"a\":{}");
    for (int i = 0; i < depth; i++)
        put("}}");
    put("}}");
}

static void test_deep_states(void)
{
    put_chain(120);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, load(NULL), wfsm_error_message(error));
    TEST_ASSERT_EQUAL_size_t(122, wfsm_machine_state_count(machine));
}

static void test_too_deep_states(void)
{
    put_chain(1000);
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(NULL));
    TEST_ASSERT_NULL(machine);
    TEST_ASSERT_EQUAL_INT32(1, wfsm_error_line(error));
    TEST_ASSERT_GREATER_THAN(1, wfsm_error_column(error));
}

static void test_limits_can_be_set(void)
{
    wfsm_machine_limits limits = {.size = sizeof limits};

    put_chain(5);
    limits.max_depth = 6;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, load(&limits));
    wfsm_machine_unref(machine);
    machine = NULL;
    limits.max_depth = 5;
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(&limits));
    TEST_ASSERT_EQUAL_STRING("/states/a/states/a/states/a/states/a/states/a/states/a",
                             wfsm_error_pointer(error));
    limits.max_depth = 0;
    limits.max_states = 7;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, load(&limits));
    wfsm_machine_unref(machine);
    machine = NULL;
    limits.max_states = 6;
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(&limits));
    limits.max_states = 0;
    limits.max_bytes = used;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, load(&limits));
    wfsm_machine_unref(machine);
    machine = NULL;
    limits.max_bytes = used - 1;
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(&limits));
}

/* Each domain has the one before it twice: the last one would be 2 to the 200. */
static void test_domains_in_domains(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"domains\":{\"d0\":{}");
    for (int i = 1; i < 200; i++)
        put(",\"d%d\":{\"anyOf\":[{\"$ref\":\"#/domains/d%d\"},{\"$ref\":\"#/domains/d%d\"}]}",
            i, i - 1, i - 1);
    put("},\"states\":{\"a\":{}}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(NULL));
}

static void test_deep_domains(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"domains\":{\"d0\":{}");
    for (int i = 1; i < 200; i++)
        put(",\"d%d\":{\"items\":{\"items\":{\"$ref\":\"#/domains/d%d\"}}}", i, i - 1);
    put("},\"states\":{\"a\":{}}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(NULL));
}

static void test_many_domains(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"domains\":{\"d\":{}");
    for (int i = 1; i < 250; i++)
        put(",\"d%d\":{}", i);
    size_t end = used;
    put("},\"states\":{\"a\":{}}}");
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, load(NULL), wfsm_error_message(error));
    wfsm_machine_unref(machine);
    machine = NULL;
    used = end;
    put(",\"d250\":{}},\"states\":{\"a\":{}}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(NULL));
}

static void test_events_times_prefixes(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"x\":\"a\"");
    for (int i = 0; i < 5000; i++)
        put(",\"e%d\":\"a\",\"p%d.*\":\"a\"", i, i);
    put("}}}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(NULL));
    TEST_ASSERT_EQUAL_STRING("/states/a", wfsm_error_pointer(error));
}

static void test_many_histories(void)
{
    put("{\"id\":\"m\",\"initial\":\"s\",\"states\":{\"s\":{}");
    for (int i = 0; i < 20000; i++)
        put(",\"h%d\":{\"type\":\"history\"}", i);
    put("}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(NULL));
}

static void test_histories_that_lead_to_each_other(void)
{
    put("{\"id\":\"m\",\"initial\":\"p\",\"states\":{\"p\":{\"initial\":\"a\",\"states\":{"
        "\"a\":{},"
        "\"h\":{\"type\":\"history\",\"target\":\"g\"},"
        "\"g\":{\"type\":\"history\",\"target\":\"h\"}}}}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, load(NULL));
    TEST_ASSERT_EQUAL_STRING("/states/p/states/h/target", wfsm_error_pointer(error));
}

static void test_ids_that_clash(void)
{
    put("{\"id\":\"m\",\"initial\":\"s0\",\"states\":{");
    for (int i = 0; i < 10000; i++)
        put("%s\"s%d\":{\"id\":\"same\"}", i ? "," : "", i);
    put("}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, load(NULL));
    TEST_ASSERT_EQUAL_STRING("/states/s1/id", wfsm_error_pointer(error));
}

/* One event that all regions take, and one that all of them would leave with. */
static void test_three_thousand_regions(void)
{
    wfsm_instance *instance = NULL;
    int32_t outcome = 0;
    clock_t start = clock();

    put("{\"id\":\"m\",\"initial\":\"p\",\"states\":{\"out\":{},\"p\":{\"type\":\"parallel\","
        "\"states\":{");
    for (int i = 0; i < 3000; i++)
        put("%s\"r%d\":{\"initial\":\"x\",\"states\":{\"y\":{},\"x\":{\"on\":{\"all\":\"y\","
            "\"leave\":\"#out\"}}}}",
            i ? "," : "", i);
    put("}}}}");
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, load(NULL), wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_start(&instance, machine, START("i"), 0, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_send(instance, EVENT("leave"), 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_start(&instance, machine, START("i"), 0, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_send(instance, EVENT("all"), 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    wfsm_instance_free(instance);
    TEST_ASSERT_LESS_THAN(120, (clock() - start) / CLOCKS_PER_SEC);
}

static void test_long_paths(void)
{
    char key[256];

    memset(key, 'k', 255);
    key[255] = '\0';
    put("{\"id\":\"m\",\"initial\":\"%s\",\"states\":{", key);
    for (int i = 0; i < 5; i++)
        put("\"%s\":{\"initial\":\"%s\",\"states\":{", key, key);
    put("\"%s\":{}", key);
    for (int i = 0; i < 5; i++)
        put("}}");
    put("}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, load(NULL));
    TEST_ASSERT_GREATER_THAN(4 * 255, strlen(wfsm_error_pointer(error)) * 3);
}

static void test_long_keys(void)
{
    char key[257];

    memset(key, 'k', 256);
    key[256] = '\0';
    put("{\"id\":\"m\",\"initial\":\"%s\",\"states\":{\"%s\":{}}}", key, key);
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, load(NULL));
}

/* Each prefix of a document, and each document with one byte changed, is loaded or
 * refused, without a fault. */
static void test_damaged_documents(void)
{
    size_t length;
    char *whole = read_file(CASES, "vocabulary", ".json", &length);
    unsigned seed = 1;

    for (size_t i = 0; i < length - 1; i += 3)
        TEST_ASSERT_NOT_EQUAL_INT32(WFSM_OK,
                                    wfsm_machine_load(&machine, whole, i, NULL, NULL, error));
    for (size_t i = 0; i < length; i++) {
        static const char bytes[] = "\0\"{}[],:x1.#*\xff\\";
        char kept = whole[i];
        wfsm_diagnostics *diagnostics = NULL;

        seed = seed * 1103515245u + 12345u;
        whole[i] = bytes[(seed >> 16) % (sizeof bytes - 1)];
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_machine_check(&diagnostics, whole, length, NULL, error));
        wfsm_diagnostics_free(diagnostics);
        whole[i] = kept;
    }
    free(whole);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ten_thousand_states_a_hundred_thousand_transitions);
    RUN_TEST(test_deep_states);
    RUN_TEST(test_too_deep_states);
    RUN_TEST(test_limits_can_be_set);
    RUN_TEST(test_domains_in_domains);
    RUN_TEST(test_deep_domains);
    RUN_TEST(test_many_domains);
    RUN_TEST(test_events_times_prefixes);
    RUN_TEST(test_many_histories);
    RUN_TEST(test_histories_that_lead_to_each_other);
    RUN_TEST(test_ids_that_clash);
    RUN_TEST(test_three_thousand_regions);
    RUN_TEST(test_long_paths);
    RUN_TEST(test_long_keys);
    RUN_TEST(test_damaged_documents);
    return UNITY_END() != 0;
}
