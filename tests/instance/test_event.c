/* The event that the last commit has reacted to. */
#include <string.h>
#include <unity.h>
#include <wfsm/instance.h>
#include <wfsm/store.h>
#include "ids/ids.h"
#include "../given.h"

#define STATES                                                                                 \
    "\"initial\":\"a\",\"states\":{"                                                           \
    "\"a\":{\"on\":{\"go\":\"work\",\"wait\":\"wait\"}},"                                      \
    "\"wait\":{\"entry\":{\"type\":\"raise\",\"params\":{\"event\":\"tick\",\"delay\":5,"      \
    "\"id\":\"t\",\"data\":[1]}},\"on\":{\"tick\":\"a\"}},"                                    \
    "\"work\":{\"invoke\":{\"src\":\"w\",\"items\":[1,2],\"onDone\":\"end\","                  \
    "\"onError\":\"end\"}},\"end\":{\"type\":\"final\"}}}"

static const char document[] =
    "{\"id\":\"m\",\"properties\":{\"p\":{\"reachable\":{\"in_state\":\"end\"}}}," STATES;
static const char without_properties[] = "{\"id\":\"m\"," STATES;

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
static wfsm_instance *instance;

static void start(const char *text, wfsm_store *store)
{
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine, START("one", .store = store), 0, error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    machine = NULL;
    instance = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void expect(const char *expected)
{
    size_t length = 99;
    const char *text = wfsm_instance_event(instance, &length);
    TEST_ASSERT_NOT_NULL(text);
    TEST_ASSERT_EQUAL_STRING(expected, text);
    TEST_ASSERT_EQUAL(strlen(text), length);
}

static void send(const char *event)
{
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_send(instance, EVENT(event, .data = "7", .length = 1), 1, NULL, error));
}

static void an_event_from_outside(void)
{
    start(document, memory);
    expect("null");
    send("go");
    expect("{\"type\":\"go\",\"data\":7,\"id\":null,\"kind\":\"external\","
           "\"origin\":{\"interface\":\"engine\",\"sender\":null}}");
}

static void a_timer(void)
{
    start(document, memory);
    send("wait");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_advance(instance, 6, NULL, NULL, error));
    expect("{\"type\":\"tick\",\"data\":[1],\"id\":\"t\",\"kind\":\"timer\",\"origin\":null}");
}

/* Of the items of a set, the one that ends it. */
static void results_of_items(void)
{
    start(document, memory);
    send("go");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_result(instance,
                             RESULT(ids_in(memory, "one/2/2"), .output = "\"b\"", .length = 3),
                             2, NULL, error));
    expect("null");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_result(instance,
                             RESULT(ids_in(memory, "one/2/1"), .output = "\"a\"", .length = 3),
                             3, NULL, error));
    expect("{\"type\":\"done.invoke.work\",\"data\":[\"a\",\"b\"],\"id\":null,"
           "\"kind\":\"platform\",\"origin\":null}");
}

static void a_failed_item(void)
{
    start(document, memory);
    send("go");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_failure(instance,
                                       FAILURE(ids_in(memory, "one/2/2"),
                                               .failure_class = "exit", .message = "no"),
                                       2, NULL, error));
    expect("{\"type\":\"error.invoke.work\",\"data\":{\"class\":\"exit\",\"message\":\"no\","
           "\"attempts\":1,\"item\":1},\"id\":null,\"kind\":\"platform\",\"origin\":null}");
}

static void without_properties_nothing_is_told(void)
{
    start(without_properties, memory);
    send("go");
    expect("");
    TEST_ASSERT_NULL(wfsm_instance_event(NULL, NULL));
}

static void without_a_record_nothing_is_told(void)
{
    start(document, NULL);
    send("go");
    expect("");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_event_from_outside);
    RUN_TEST(a_timer);
    RUN_TEST(results_of_items);
    RUN_TEST(a_failed_item);
    RUN_TEST(without_properties_nothing_is_told);
    RUN_TEST(without_a_record_nothing_is_told);
    return UNITY_END() != 0;
}
