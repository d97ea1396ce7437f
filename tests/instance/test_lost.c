/* A commit whose answer was lost: its token tells whether it is stored. */
#include <string.h>
#include <unity.h>
#include "support.h"
#include "../given.h"

static const char document[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"1\",\"initial\":\"a\",\"context\":{\"n\":0},"
    "\"states\":{\"a\":{\"on\":{\"GO\":{\"actions\":{\"type\":\"assign\",\"params\":"
    "{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}},\"OTHER\":{\"actions\":{\"type\":\"assign\","
    "\"params\":{\"n\":-1}}}}}}}";
static const char newer[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"2\",\"initial\":\"a\",\"migrate\":[{}],"
    "\"states\":{\"a\":{}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory, *outer;
static flaky between;
static wfsm_instance *instance;

static wfsm_machine *load(const char *text)
{
    wfsm_machine *made = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_machine_load(&made, text, strlen(text), NULL, NULL, error));
    return made;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    machine = load(document);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    between = (flaky){.inner = memory, .fail_at = 2, .answer = WFSM_STORE_UNKNOWN};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&outer, &between, NULL, error));
    instance = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine, START("one", .store = outer), 0, error));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(outer);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static int32_t send(wfsm_instance *to, const char *event)
{
    int32_t outcome;
    return wfsm_instance_send(to, EVENT(event), 1, &outcome, error);
}

static void others_commit(const char *event, int times)
{
    wfsm_instance *other = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_load(&other, machine, memory, NULL, "one", error));
    for (int i = 0; i < times; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, send(other, event));
    wfsm_instance_free(other);
}

static void expect_stored(int32_t expected)
{
    int32_t stored = 9;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK,
                                    wfsm_instance_check_commit(instance, &stored, error),
                                    wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(expected, stored);
}

static void test_it_was_stored(void)
{
    between.written = true;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, send(instance, "GO"));
    expect_stored(1);
    others_commit("OTHER", 3);
    expect_stored(1);
    TEST_ASSERT_EQUAL_INT32(WFSM_SEALED, send(instance, "GO"));
}

static void test_it_was_not(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, send(instance, "GO"));
    expect_stored(0);
    others_commit("OTHER", 1); /* at the same revision */
    expect_stored(0);
}

static void test_after_a_conflict_it_was_not(void)
{
    between.fail_at = 0;
    others_commit("OTHER", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, send(instance, "GO"));
    expect_stored(0);
}

static void test_a_migration(void)
{
    wfsm_machine *next = load(newer);
    int32_t outcome;
    between.written = true;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wfsm_instance_migrate(&instance, next, NULL, 5, &outcome, error));
    expect_stored(1);
    wfsm_machine_unref(next);
}

static void test_only_of_a_sealed_one(void)
{
    int32_t stored;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_check_commit(instance, &stored, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_check_commit(NULL, &stored, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, send(instance, "GO"));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_check_commit(instance, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(memory, "one", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_instance_check_commit(instance, &stored, error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_it_was_stored);
    RUN_TEST(test_it_was_not);
    RUN_TEST(test_after_a_conflict_it_was_not);
    RUN_TEST(test_a_migration);
    RUN_TEST(test_only_of_a_sealed_one);
    return UNITY_END() != 0;
}
