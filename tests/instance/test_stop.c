/* Instances that are ended from outside. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "support.h"
#include "../given.h"

static const char text[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"context\":{\"left\":\"\"},\"budgets\":{"
    "\"wall\":"
    "{\"limit\":5000,\"counts\":\"time\"}},\"exit\":{\"type\":\"emit\",\"params\":{\"event\":"
    "\"bye\"}},"
    "\"states\":{\"a\":{\"initial\":\"b\",\"exit\":{\"type\":\"assign\",\"params\":{\"left\":{"
    "\"cat\":["
    "{\"var\":\"context.left\"},\"a\"]}}},\"states\":{\"b\":{\"invoke\":{\"src\":\"x\"},"
    "\"after\":"
    "{\"100\":\"#c\"},\"exit\":{\"type\":\"assign\",\"params\":{\"left\":\"b\"}},\"on\":{"
    "\"HOST\":"
    "\"#d\"}}}},\"c\":{\"id\":\"c\"},\"d\":{\"id\":\"d\",\"exit\":\"broken\"}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
static wfsm_functions *functions;
static wfsm_instance *task;
static int32_t outcome;

#define OK(call) TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, call, wfsm_error_message(error))

void setUp(void)
{
    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&memory, NULL, error));
    OK(wfsm_functions_new(&functions, NULL, error));
    OK(add_functions(functions, error));
    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
    OK(wfsm_instance_start(&task, machine, START("t", .store = memory, .functions = functions),
                           10, error));
}

/* What is stored is what is in memory, and the journal says how it came to be. */
static void expect_stored(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    wfsm_instance *again = NULL;
    OK(wfsm_instance_load(&again, machine, memory, functions, "t", error));
    char *left = bytes_of(task), *right = bytes_of(again);
    TEST_ASSERT_EQUAL_STRING(left, right);
    TEST_ASSERT_EQUAL_INT32(wfsm_instance_stopped(task), wfsm_instance_stopped(again));
    free(left);
    free(right);
    wfsm_instance_free(again);
    OK(wfsm_store_audit(memory, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

void tearDown(void)
{
    expect_stored();
    wfsm_instance_free(task);
    wfsm_functions_free(functions);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    task = NULL;
    machine = NULL;
}

static void expect_over(void)
{
    int32_t fired = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, wfsm_instance_status(task));
    TEST_ASSERT_EQUAL_INT32(1, wfsm_instance_stopped(task));
    TEST_ASSERT_EQUAL_INT64(WFSM_NEVER, wfsm_instance_deadline(task));
    TEST_ASSERT_EQUAL_STRING("null", wfsm_instance_output(task, NULL));
    TEST_ASSERT_EQUAL_STRING("[]", wfsm_instance_invocations(task, NULL));
    OK(wfsm_instance_send(task, EVENT("HOST"), 30, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    OK(wfsm_instance_advance(task, 99999, &fired, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(0, fired);
}

static void test_everything_is_left(void)
{
    TEST_ASSERT_EQUAL_INT32(0, wfsm_instance_stopped(task));
    OK(wfsm_instance_stop(task, 20, &outcome, error));
    expect_over();
    TEST_ASSERT_EQUAL_STRING("[\"a.b\"]", wfsm_instance_configuration(task, NULL));
    TEST_ASSERT_EQUAL_STRING("{\"left\":\"ba\"}", wfsm_instance_context(task, NULL));
    TEST_ASSERT_EQUAL_size_t(1, task->snapshot.extras->outbox.count);
}

static void test_once_is_enough(void)
{
    OK(wfsm_instance_stop(task, 20, &outcome, error));
    uint64_t revision = wfsm_instance_revision(task);
    OK(wfsm_instance_stop(task, 30, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    TEST_ASSERT_EQUAL_UINT64(revision, wfsm_instance_revision(task));
}

/* Its exit action fails: it ends all the same, and the record says why. */
static void test_a_host_function_that_fails_holds_nothing_up(void)
{
    OK(wfsm_instance_send(task, EVENT("HOST"), 15, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"d\"]", wfsm_instance_configuration(task, NULL));
    OK(wfsm_instance_stop(task, 20, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_HOST, wfsm_error_status(error));
    size_t length;
    TEST_ASSERT_NOT_NULL(strstr(wfsm_instance_record(task, &length), "out of paint"));
    expect_over();
    TEST_ASSERT_EQUAL_size_t(0, task->snapshot.extras->outbox.count);
}

static void test_a_store_that_fails_leaves_it_running(void)
{
    wfsm_instance *own = NULL;
    wfsm_store *store = NULL;
    flaky trouble = {.inner = memory, .fail_at = 2, .answer = WFSM_STORE_FAILED};
    OK(flaky_open(&store, &trouble, NULL, error));
    OK(wfsm_instance_start(&own, machine, START("u", .store = store, .functions = functions),
                           10, error));
    char *before = bytes_of(own);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, wfsm_instance_stop(own, 20, &outcome, error));
    char *after = bytes_of(own);
    TEST_ASSERT_EQUAL_STRING(before, after);
    TEST_ASSERT_EQUAL_INT32(0, wfsm_instance_stopped(own));
    OK(wfsm_instance_stop(own, 20, &outcome, error));
    free(before);
    free(after);
    wfsm_instance_free(own);
    wfsm_store_free(store);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_everything_is_left);
    RUN_TEST(test_once_is_enough);
    RUN_TEST(test_a_host_function_that_fails_holds_nothing_up);
    RUN_TEST(test_a_store_that_fails_leaves_it_running);
    return UNITY_END() != 0;
}
