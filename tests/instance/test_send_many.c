/* wfsm_instance_send_many(): the same as a call for each instance; it stops at the first
 * failure. */
#include <string.h>
#include <unity.h>
#include "support.h"
#include "../given.h"

enum { MANY = 40 };

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *store;
static wfsm_instance *alone[MANY], *together[MANY];
static int32_t inc, go, events[MANY], outcomes[MANY];

static wfsm_instance *start(wfsm_store *on, int number)
{
    char id[16] = "i00";
    wfsm_instance *instance = NULL;
    id[1] = (char)('0' + number / 10);
    id[2] = (char)('0' + number % 10);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, machine,
                                     START(id, .store = on, .functions = functions), 0, error));
    return instance;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything),
                                                       NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    inc = wfsm_machine_event(machine, "INC");
    go = wfsm_machine_event(machine, "GO");
    for (int i = 0; i < MANY; i++) {
        alone[i] = start(NULL, i);
        together[i] = start(store, i);
        events[i] = i % 3 ? inc : go;
        outcomes[i] = -1;
    }
}

void tearDown(void)
{
    for (int i = 0; i < MANY; i++) {
        wfsm_instance_free(alone[i]);
        wfsm_instance_free(together[i]);
    }
    wfsm_store_free(store);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static int32_t send_to(wfsm_instance *const *instances, const int32_t *numbers, size_t count,
                       size_t *done)
{
    const wfsm_send_list list = {.size = sizeof list,
                                 .instances = instances,
                                 .numbers = numbers,
                                 .count = count,
                                 .outcomes = outcomes};
    return wfsm_instance_send_many(&list, 7, done, error);
}

static int32_t send_list(size_t count, size_t *done)
{
    return send_to(together, events, count, done);
}

static void expect_same(int i)
{
    size_t length;
    const char *text = wfsm_instance_context(alone[i], &length);
    TEST_ASSERT_EQUAL_STRING(text, wfsm_instance_context(together[i], &length));
    text = wfsm_instance_configuration(alone[i], &length);
    TEST_ASSERT_EQUAL_STRING(text, wfsm_instance_configuration(together[i], &length));
    TEST_ASSERT_EQUAL_UINT64(wfsm_instance_revision(alone[i]),
                             wfsm_instance_revision(together[i]));
    TEST_ASSERT_EQUAL_INT64(wfsm_instance_now(alone[i]), wfsm_instance_now(together[i]));
}

static void it_is_a_call_for_each(void)
{
    size_t done = 0;
    for (int round = 0; round < 3; round++) {
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, send_list(MANY, &done));
        TEST_ASSERT_EQUAL_size_t(MANY, done);
        for (int i = 0; i < MANY; i++) {
            int32_t outcome = -1;
            TEST_ASSERT_EQUAL_INT32(
                WFSM_OK, wfsm_instance_send_number(alone[i], events[i], 7, &outcome, error));
            TEST_ASSERT_EQUAL_INT32(outcome, outcomes[i]);
            expect_same(i);
        }
    }
}

static void an_instance_may_occur_several_times(void)
{
    uint64_t revision = wfsm_instance_revision(together[0]);
    for (int i = 0; i < 5; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_instance_send_number(alone[0], inc, 7, NULL, error));
    wfsm_instance *const same[] = {together[0], together[0], together[0], together[0],
                                   together[0]};
    const int32_t five[] = {inc, inc, inc, inc, inc};
    const wfsm_send_list list = {
        .size = sizeof list, .instances = same, .numbers = five, .count = 5};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send_many(&list, 7, NULL, error));
    TEST_ASSERT_EQUAL_UINT64(revision + 5, wfsm_instance_revision(together[0]));
    expect_same(0);
}

static void the_first_that_fails_ends_it(void)
{
    size_t done = 99;
    uint64_t before = wfsm_instance_revision(together[20]);
    events[20] = 9999;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, send_list(MANY, &done));
    TEST_ASSERT_EQUAL_size_t(20, done);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcomes[19]);
    TEST_ASSERT_EQUAL_INT32(-1, outcomes[20]);
    TEST_ASSERT_EQUAL_UINT64(before, wfsm_instance_revision(together[20]));
    TEST_ASSERT_EQUAL_UINT64(before, wfsm_instance_revision(together[21]));
}

static void what_is_no_instance_is_refused(void)
{
    size_t done = 99;
    wfsm_instance *const list[] = {together[0], NULL};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, send_to(list, events, 2, &done));
    TEST_ASSERT_EQUAL_size_t(1, done);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, send_to(NULL, events, 2, &done));
    TEST_ASSERT_EQUAL_size_t(0, done);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, send_to(list, NULL, 2, &done));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_send_many(NULL, 7, &done, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, send_to(NULL, NULL, 0, &done));
    TEST_ASSERT_EQUAL_size_t(0, done);
}

static void a_batch_commits_them_together(void)
{
    uint64_t before = wfsm_instance_committed(together[3]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_batch(store, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, send_list(MANY, NULL));
    TEST_ASSERT_EQUAL_UINT64(before, wfsm_instance_committed(together[3]));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_flush(store, NULL, error));
    for (int i = 0; i < MANY; i++)
        TEST_ASSERT_EQUAL_UINT64(wfsm_instance_revision(together[i]),
                                 wfsm_instance_committed(together[i]));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_is_a_call_for_each);
    RUN_TEST(an_instance_may_occur_several_times);
    RUN_TEST(the_first_that_fails_ends_it);
    RUN_TEST(what_is_no_instance_is_refused);
    RUN_TEST(a_batch_commits_them_together);
    return UNITY_END() != 0;
}
