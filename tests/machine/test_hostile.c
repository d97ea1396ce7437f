/*
 * Charts that mean harm, as doc/limits.md lists them: loaded, or refused with the place, in a
 * time that grows no faster than their text. Each takes a few tenths of a second; the bound is
 * what a slow machine under valgrind needs, and far below what anything quadratic takes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unity.h>
#include <wfsm/instance.h>
#include "../given.h"

enum { SECONDS = 60, ROOM = 32 << 20, MANY = 10000, LARGE = 100000 };

static char *text;
static size_t used;
static wfsm_error *error;
static wfsm_machine *machine;
static clock_t start;

void setUp(void)
{
    text = malloc(ROOM);
    used = 0;
    error = wfsm_error_new(NULL);
    machine = NULL;
    start = clock();
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
    TEST_ASSERT_LESS_THAN(SECONDS, (clock() - start) / CLOCKS_PER_SEC);
}

static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(text + used, ROOM - used, format, args);
    va_end(args);
    TEST_ASSERT_LESS_THAN(ROOM, used);
}

/* `format` takes the index; a comma goes between. */
static void put_many(int count, const char *format)
{
    for (int i = 0; i < count; i++) {
        put("%s", i > 0 ? "," : "");
        put(format, i);
    }
}

static void loads(void)
{
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK,
                                    wfsm_machine_load(&machine, text, used, NULL, NULL, error),
                                    wfsm_error_message(error));
}

static void is_refused(int32_t status, const char *pointer)
{
    TEST_ASSERT_EQUAL_INT32(status, wfsm_machine_load(&machine, text, used, NULL, NULL, error));
    TEST_ASSERT_NULL(machine);
    TEST_ASSERT_EQUAL_STRING(pointer, wfsm_error_pointer(error));
}

static size_t diagnostics(void)
{
    wfsm_diagnostics *found = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_check(&found, text, used, NULL, error));
    size_t count = wfsm_diagnostics_count(found);
    wfsm_diagnostics_free(found);
    return count;
}

static void test_too_many_states(void)
{
    put("{\"id\":\"m\",\"initial\":\"s0\",\"states\":{");
    put_many(LARGE, "\"s%d\":{}");
    put("}}");
    is_refused(WFSM_LIMIT, "/states/s99999");
}

static void test_candidates_for_one_event(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"e\":[");
    put_many(LARGE, "{\"guard\":{\"==\":[{\"var\":\"event.data\"},%d]},\"target\":\"a\"}");
    put("]}}}}");
    loads();
}

static void test_events_of_one_state(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{");
    put_many(LARGE, "\"e%d\":\"a\"");
    put("}}}}");
    loads();
}

/* Loaded and looked at for warnings; to start it ends with the limit on selections. */
static void test_a_ring_of_eventless_transitions(void)
{
    wfsm_instance *instance = NULL;
    put("{\"id\":\"m\",\"initial\":\"s0\",\"states\":{");
    for (int i = 0; i < MANY; i++)
        put("%s\"s%d\":{\"always\":\"s%d\"}", i > 0 ? "," : "", i, (i + 1) % MANY);
    put("}}");
    loads();
    diagnostics();
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT,
                            wfsm_instance_start(&instance, machine, START("i"), 0, error));
    TEST_ASSERT_NULL(instance);
}

static void test_histories_in_a_row(void)
{
    put("{\"id\":\"m\",\"initial\":\"p\",\"states\":{\"p\":{\"initial\":\"a\",\"states\":{"
        "\"a\":{}");
    for (int i = 0; i < 5000; i++)
        put(",\"h%d\":{\"type\":\"history\",\"target\":\"h%d\"}", i, (i + 1) % 5000);
    put("}}}}");
    is_refused(WFSM_SEMANTIC, "/states/p/states/h0/target");
}

static void test_unknown_targets(void)
{
    put("{\"id\":\"m\",\"initial\":\"s0\",\"states\":{");
    for (int i = 0; i < MANY; i++)
        put("%s\"s%d\":{\"on\":{\"e\":\"t%d\"}}", i > 0 ? "," : "", i, i);
    put("}}");
    TEST_ASSERT_EQUAL_size_t(1000, diagnostics());
    is_refused(WFSM_SEMANTIC, "/states/s0/on/e");
}

static void test_targets_of_one_transition(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"e\":{\"target\":[");
    put_many(5000, "\"#r%d\"");
    put("]}}},\"p\":{\"type\":\"parallel\",\"states\":{");
    for (int i = 0; i < 5000; i++)
        put("%s\"r%d\":{\"id\":\"r%d\"}", i > 0 ? "," : "", i, i);
    put("}}}}");
    loads();
}

static void test_actions_of_one_list(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"entry\":[");
    put_many(LARGE, "{\"type\":\"assign\",\"params\":{\"x\":%d}}");
    put("]}}}");
    loads();
}

/* Nested as deeply as a document may be. */
static void test_a_deep_guard(void)
{
    put("{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"e\":{\"target\":\"a\","
        "\"guard\":");
    for (int i = 0; i < 200; i++)
        put("{\"!\":");
    put("1");
    for (int i = 0; i < 200; i++)
        put("}");
    put("}}}}}");
    loads();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_too_many_states);
    RUN_TEST(test_candidates_for_one_event);
    RUN_TEST(test_events_of_one_state);
    RUN_TEST(test_a_ring_of_eventless_transitions);
    RUN_TEST(test_histories_in_a_row);
    RUN_TEST(test_unknown_targets);
    RUN_TEST(test_targets_of_one_transition);
    RUN_TEST(test_actions_of_one_list);
    RUN_TEST(test_a_deep_guard);
    return UNITY_END() != 0;
}
