/* The limits of a step: what the host sets is in force, stored, and the same in every replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "../given.h"

/* `spin` takes 30 selections: each eventless transition is one. */
static const char looping[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"context\":{\"n\":0},"
    "\"states\":{\"a\":{\"on\":{\"SPIN\":{\"target\":\"spin\"},\"NEXT\":\"b\"}},"
    "\"b\":{\"on\":{\"SPIN\":\"spin\"}},"
    "\"spin\":{\"always\":[{\"guard\":{\"<\":[{\"var\":\"context.n\"},30]},"
    "\"actions\":{\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}}]}}}";
/* The same with limits of its own. */
static const char strict[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"limits\":{\"selections\":20,\"stepWork\":20000},"
    "\"migrate\":[{}],"
    "\"states\":{\"a\":{},\"b\":{},\"spin\":{}}}";

#define LIMITS(...) GIVEN(wfsm_step_limits, __VA_ARGS__)
#define STATUS(status, call)                                                                   \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(status, call, wfsm_error_message(error))
#define OK(call) STATUS(WFSM_OK, call)

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *store;
static wfsm_instance *one;
static int32_t outcome;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    machine = NULL;
    one = NULL;
    OK(wfsm_machine_load(&machine, looping, strlen(looping), NULL, NULL, error));
    OK(wfsm_memory_open(&store, NULL, error));
}

void tearDown(void)
{
    wfsm_instance_free(one);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void start(const wfsm_step_limits *limits)
{
    OK(wfsm_instance_start(&one, machine, START("one", .store = store, .limits = limits), 1,
                           error));
}

static void load_again(void)
{
    wfsm_instance_free(one);
    one = NULL;
    OK(wfsm_instance_load(&one, machine, store, NULL, "one", error));
}

static uint32_t selections_of(const wfsm_instance *instance)
{
    wfsm_step_limits limits = {.size = sizeof limits};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_limits(instance, &limits));
    return limits.selections;
}

static void send(const char *event, int32_t expected)
{
    OK(wfsm_instance_send(one, EVENT(event), 2, &outcome, error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, outcome, event);
}

static const char *record(void)
{
    size_t length;
    return wfsm_instance_record(one, &length);
}

#define SAYS(words) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(record(), words), record())
#define SAYS_NOT(words) TEST_ASSERT_NULL_MESSAGE(strstr(record(), words), record())

static int32_t print_diagnostic(void *user, const wfsm_audit_diagnostic *found)
{
    (void)user;
    printf("%s: %s\n", found->instance, found->message);
    return WFSM_OK;
}

static void audit(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    OK(wfsm_store_audit(store, NULL, print_diagnostic, NULL, &counts, error));
    TEST_ASSERT_EQUAL(0, counts.diagnostics);
}

static void test_the_first_record_has_them_and_the_others_do_not(void)
{
    start(NULL);
    SAYS("\"limits\":{\"selections\":1000,\"ruleSteps\":1000000,");
    send("NEXT", WFSM_TAKEN);
    SAYS_NOT("\"limits\"");
    audit();
}

static void test_a_start_has_those_of_the_host(void)
{
    start(LIMITS(.selections = 20));
    SAYS("\"limits\":{\"selections\":20,\"ruleSteps\":1000000,");
    TEST_ASSERT_EQUAL_UINT32(20, selections_of(one));
    send("SPIN", WFSM_FAILED);
    load_again();
    TEST_ASSERT_EQUAL_UINT32(20, selections_of(one));
    send("SPIN", WFSM_FAILED);
    SAYS("the step exceeds its limit selections, 20, ");
    audit();
}

static void test_a_loaded_instance_gets_others_with_its_next_step(void)
{
    start(LIMITS(.selections = 20));
    load_again();
    OK(wfsm_instance_set_limits(one, LIMITS(.selections = 50), error));
    TEST_ASSERT_EQUAL_UINT32(20, selections_of(one));
    send("NOTHING", WFSM_NO_TRANSITION);
    TEST_ASSERT_EQUAL_UINT32(20, selections_of(one));
    send("NEXT", WFSM_TAKEN);
    SAYS("\"limits\":{\"selections\":50,");
    TEST_ASSERT_EQUAL_UINT32(50, selections_of(one));
    send("SPIN", WFSM_TAKEN);
    SAYS_NOT("\"limits\"");
    load_again();
    TEST_ASSERT_EQUAL_UINT32(50, selections_of(one));
    audit();
}

static void test_a_step_that_fails_keeps_them(void)
{
    start(NULL);
    OK(wfsm_instance_set_limits(one, LIMITS(.selections = 20), error));
    send("SPIN", WFSM_FAILED);
    SAYS("\"limits\":{\"selections\":20,");
    TEST_ASSERT_EQUAL_UINT32(20, selections_of(one));
    audit();
}

static void test_a_checkpoint_and_a_fork_have_those_of_their_instance(void)
{
    wfsm_instance *fork = NULL;
    start(LIMITS(.selections = 20));
    OK(wfsm_instance_checkpoint(one, CHECKPOINT("c"), 2, &outcome, error));
    OK(wfsm_instance_set_limits(one, LIMITS(.selections = 50), error));
    send("NEXT", WFSM_TAKEN);
    OK(wfsm_instance_restore(one, FROM("c"), 3, &outcome, error));
    TEST_ASSERT_EQUAL_UINT32(50, selections_of(one));
    OK(wfsm_instance_fork(&fork, one, NULL, "now", 4, error));
    TEST_ASSERT_EQUAL_UINT32(50, selections_of(fork));
    wfsm_instance_free(fork);
    OK(wfsm_instance_fork(&fork, one, FROM("c"), "then", 4, error));
    TEST_ASSERT_EQUAL_UINT32(50, selections_of(fork));
    wfsm_instance_free(fork);
    audit();
}

static void test_a_migration_keeps_what_the_host_has_set(void)
{
    wfsm_step_limits limits = {.size = sizeof limits};
    wfsm_machine *next = NULL;
    OK(wfsm_machine_load(&next, strict, strlen(strict), NULL, NULL, error));
    start(LIMITS(.selections = 70));
    OK(wfsm_instance_migrate(&one, next, NULL, 2, &outcome, error));
    SAYS("\"limits\":{\"selections\":70,");
    wfsm_instance_limits(one, &limits);
    TEST_ASSERT_EQUAL_UINT32(70, limits.selections);
    TEST_ASSERT_EQUAL_UINT32(20000, limits.step_work);
    audit();
    wfsm_machine_unref(next);
}

static void test_a_document_lowers_them_and_the_host_decides(void)
{
    wfsm_machine_unref(machine);
    OK(wfsm_machine_load(&machine, strict, strlen(strict), NULL, NULL, error));
    start(NULL);
    TEST_ASSERT_EQUAL_UINT32(20, selections_of(one));
    OK(wfsm_instance_set_limits(one, LIMITS(.selections = 2000), error));
    OK(wfsm_instance_patch(one, "{}", 2, 3, &outcome, error));
    TEST_ASSERT_EQUAL_UINT32(2000, selections_of(one));
    OK(wfsm_instance_set_limits(one, LIMITS(.selections = 20), error));
    OK(wfsm_instance_patch(one, "{}", 2, 3, &outcome, error));
    SAYS("\"limits\":{\"selections\":20,");
    audit();
}

static void test_without_a_store(void)
{
    OK(wfsm_instance_start(&one, machine, START("one", .limits = LIMITS(.selections = 20)), 1,
                           error));
    TEST_ASSERT_EQUAL_UINT32(20, selections_of(one));
    send("SPIN", WFSM_FAILED);
}

static void test_what_is_out_of_range_is_refused(void)
{
    start(NULL);
    STATUS(WFSM_INVALID, wfsm_instance_set_limits(one, LIMITS(.step_work = 1), error));
    TEST_ASSERT_EQUAL_STRING("the limit stepWork must be from 10000 to 4294967295",
                             wfsm_error_message(error));
    STATUS(WFSM_INVALID, wfsm_instance_set_limits(one, LIMITS(.rule_bytes = 1u << 30), error));
    STATUS(WFSM_INVALID, wfsm_instance_set_limits(NULL, LIMITS(.selections = 1), error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_limits(NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_limits(one, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_first_record_has_them_and_the_others_do_not);
    RUN_TEST(test_a_start_has_those_of_the_host);
    RUN_TEST(test_a_loaded_instance_gets_others_with_its_next_step);
    RUN_TEST(test_a_step_that_fails_keeps_them);
    RUN_TEST(test_a_checkpoint_and_a_fork_have_those_of_their_instance);
    RUN_TEST(test_a_migration_keeps_what_the_host_has_set);
    RUN_TEST(test_a_document_lowers_them_and_the_host_decides);
    RUN_TEST(test_without_a_store);
    RUN_TEST(test_what_is_out_of_range_is_refused);
    return UNITY_END() != 0;
}
