/* The public calls: load, references, accessors, check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "documents.h"

static const char small[] = "{\"id\":\"m\",\"version\":\"1.2\",\"initial\":\"a\","
                            "\"states\":{\"a\":{\"type\":\"final\"}}}";

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_accessors(void)
{
    wfsm_machine *machine = NULL;
    size_t length = 0;

    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&machine, small, sizeof small - 1, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_STRING("m", wfsm_machine_id(machine));
    TEST_ASSERT_EQUAL_STRING("1.2", wfsm_machine_version(machine));
    TEST_ASSERT_EQUAL_size_t(64, strlen(wfsm_machine_fingerprint(machine)));
    TEST_ASSERT_EQUAL_STRING(small, wfsm_machine_document(machine, &length));
    TEST_ASSERT_EQUAL_size_t(sizeof small - 1, length);
    TEST_ASSERT_EQUAL_PTR(machine, wfsm_machine_ref(machine));
    wfsm_machine_unref(machine);
    TEST_ASSERT_EQUAL_STRING("m", wfsm_machine_id(machine));
    wfsm_machine_unref(machine);
    wfsm_machine_unref(NULL);
}

static void test_arguments(void)
{
    wfsm_machine_limits limits = {.size = 3};
    wfsm_allocator allocator = {.size = sizeof allocator};
    wfsm_diagnostics *diagnostics;
    wfsm_machine *machine;

    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_machine_load(NULL, small, 1, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_machine_load(&machine, NULL, 1, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_machine_load(&machine, small, 1, &limits, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_machine_load(&machine, small, 1, NULL, &allocator, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_machine_check(&diagnostics, NULL, 1, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_machine_check(NULL, small, 1, NULL, NULL));
}

static void test_diagnostics_grow_at_the_end(void)
{
    wfsm_diagnostics *diagnostics = NULL;
    wfsm_diagnostic diagnostic = {.size = offsetof(wfsm_diagnostic, rule), .rule = "untouched"};

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_check(&diagnostics, "[]", 2, NULL, NULL));
    TEST_ASSERT_EQUAL_size_t(1, wfsm_diagnostics_count(diagnostics));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_diagnostics_get(diagnostics, 0, &diagnostic));
    TEST_ASSERT_EQUAL_INT32(1, diagnostic.severity);
    TEST_ASSERT_EQUAL_STRING("untouched", diagnostic.rule);
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_diagnostics_get(diagnostics, 1, &diagnostic));
    diagnostic.size = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_diagnostics_get(diagnostics, 0, &diagnostic));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_diagnostics_get(NULL, 0, &diagnostic));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_diagnostics_get(diagnostics, 0, NULL));
    wfsm_diagnostics_free(diagnostics);
    wfsm_diagnostics_free(NULL);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_diagnostics_count(NULL));
}

static void test_messages_say_what_was_expected(void)
{
    TEST_ASSERT_EQUAL_STRING(
        "unknown key \"entyr\"; did you mean \"entry\"?",
        refusal_of("{'id':'m','initial':'a','states':{'a':{'entyr':[]}}}"));
    TEST_ASSERT_EQUAL_STRING("unknown target \"reveiw\"; did you mean \"review\"?",
                             refusal_of("{'id':'m','initial':'review','states':{'review':{'on':"
                                        "{'e':'reveiw'}}}}"));
    TEST_ASSERT_EQUAL_STRING(
        "unknown target \"b\"; did you mean \"#a.b\"?",
        refusal_of("{'id':'m','initial':'a','states':{'a':{'initial':'b','states':{'b':{}},"
                   "'on':{'e':'b'}}}}"));
    TEST_ASSERT_EQUAL_STRING(
        "unknown operator \"nope\"",
        refusal_of("{'id':'m','initial':'a','states':{'a':{'always':{'guard':"
                   "{'nope':1}}}}}"));
    TEST_ASSERT_EQUAL_STRING("expected an object, found an array",
                             refusal_of("{'id':'m','initial':'a','context':[],"
                                        "'states':{'a':{}}}"));
}

/* Whatever a message quotes, it is one line of UTF-8. */
static void test_messages_quote_safely(void)
{
    char text[600];
    const char *message;

    snprintf(text, sizeof text, "{'id':'m','a%s\\n\\u001b[1mk':1,'states':{'a':{}}}",
             "ééééééééééééééééééééééééééééééééééééééé");
    message = refusal_of(text);
    TEST_ASSERT_NULL(strchr(message, '\n'));
    TEST_ASSERT_NULL(strchr(message, 27));
    TEST_ASSERT_NOT_NULL(strstr(message, "é?\" of the root; expected one of: type, id"));
}

static void test_more_diagnostics_than_are_kept(void)
{
    char *text = calloc(1, 200000);
    wfsm_diagnostics *diagnostics = NULL;
    wfsm_diagnostic last = {.size = sizeof last};
    size_t used;

    strcpy(text, "{\"id\":\"m\",\"states\":{\"a\":{");
    used = strlen(text);
    for (int i = 0; i < 5000; i++)
        used += (size_t)sprintf(text + used, "%s\"k%d\":%d", i ? "," : "", i, i);
    strcpy(text + used, "}}}");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_machine_check(&diagnostics, text, strlen(text), NULL, NULL));
    TEST_ASSERT_EQUAL_size_t(1001, wfsm_diagnostics_count(diagnostics));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_diagnostics_get(diagnostics, 1000, &last));
    TEST_ASSERT_EQUAL_STRING("too-many", last.rule);
    TEST_ASSERT_EQUAL_STRING("4000 more diagnostics are not shown", last.message);
    wfsm_diagnostics_free(diagnostics);
    free(text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_accessors);
    RUN_TEST(test_arguments);
    RUN_TEST(test_diagnostics_grow_at_the_end);
    RUN_TEST(test_messages_say_what_was_expected);
    RUN_TEST(test_messages_quote_safely);
    RUN_TEST(test_more_diagnostics_than_are_kept);
    return UNITY_END() != 0;
}
