/* An instance without a store: the same steps, and nothing that outlives the handle. */
#include <string.h>
#include <unity.h>
#include "support.h"
#include "../ids/ids.h"
#include "../given.h"

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *memory;
static wfsm_instance *stored, *light;

static wfsm_instance *start(wfsm_store *store)
{
    wfsm_instance *instance = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, machine,
                                     START("one", .store = store, .functions = functions,
                                           .input = "{\"n\":1}", .length = 7),
                                     0, error));
    return instance;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything),
                                                       NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    stored = start(memory);
    light = start(NULL);
}

void tearDown(void)
{
    wfsm_instance_free(stored);
    wfsm_instance_free(light);
    wfsm_store_free(memory);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void expect_same(const char *line)
{
    size_t length;
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(wfsm_instance_revision(stored),
                                     wfsm_instance_revision(light), line);
    const char *left = wfsm_instance_configuration(stored, &length);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(left, wfsm_instance_configuration(light, &length), line);
    left = wfsm_instance_context(stored, &length);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(left, wfsm_instance_context(light, &length), line);
    left = wfsm_instance_timers(stored, &length);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(left, wfsm_instance_timers(light, &length), line);
    left = bare_ids(wfsm_instance_invocations(stored, &length)); /* no store, no incarnation */
    TEST_ASSERT_EQUAL_STRING_MESSAGE(left, wfsm_instance_invocations(light, &length), line);
}

static void the_step_is_the_same(void)
{
    static const char *const events[] = {"GO", "INC",  "BREAK", "LOOP", "LIST",
                                         "GO", "BACK", "AGAIN", "INC",  "nothing"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        int32_t one = 0, two = 0;
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK, wfsm_instance_send(stored, EVENT(events[i]), (int64_t)i, &one, error));
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK, wfsm_instance_send(light, EVENT(events[i]), (int64_t)i, &two, error));
        TEST_ASSERT_EQUAL_INT32_MESSAGE(one, two, events[i]);
        expect_same(events[i]);
    }
}

static void numbers_stand_for_names(void)
{
    int32_t outcome = 0;
    int32_t inc = wfsm_machine_event(machine, "INC");
    TEST_ASSERT_GREATER_OR_EQUAL_INT32(0, inc);
    TEST_ASSERT_EQUAL_INT32(-1, wfsm_machine_event(machine, "nothing"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_send(stored, EVENT("INC"), 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send_number(light, inc, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    expect_same("INC");
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_send_number(light, -1, 5, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_instance_send_number(light, 9999, 5, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_send_number(NULL, inc, 5, NULL, error));
}

/* A number leaves the same record as its name. */
static void the_record_names_the_event(void)
{
    size_t length;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_send_number(stored, wfsm_machine_event(machine, "INC"), 5, NULL, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_instance_record(stored, &length),
                                "{\"kind\":\"event\",\"event\":\"INC\"}"));
}

static int32_t listen(void *user, wfsm_call *call)
{
    size_t length;
    const char *record = wfsm_call_record(call, &length);
    *(bool *)user = strstr(record, "\"event\":\"INC\"") != NULL;
    return WFSM_OK;
}

static void a_record_is_written_for_an_observer(void)
{
    bool heard = false;
    size_t length;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send(light, EVENT("INC"), 1, NULL, error));
    TEST_ASSERT_EQUAL_STRING("", wfsm_instance_record(light, &length));
    wfsm_instance_observe(light, listen, &heard);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send(light, EVENT("INC"), 2, NULL, error));
    TEST_ASSERT_TRUE(heard);
}

static void there_are_no_checkpoints(void)
{
    int32_t outcome = 0;
    uint64_t revision = wfsm_instance_revision(light);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_instance_restore(light, FROM("c"), 1, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("without a store there is nothing to restore",
                             wfsm_error_message(error));
    TEST_ASSERT_EQUAL_UINT64(revision, wfsm_instance_revision(light));
}

/* Nobody remembers ids: a second event of the same id is one more event. */
static void ids_are_not_remembered(void)
{
    int32_t outcome = 0;
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK, wfsm_instance_send(light, EVENT("INC", .id = "same"), 1, &outcome, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    }
}

/* Whatever of the inputs emits, both say the same about an effect that was never made. */
static void only_effects_that_were_made_are_acknowledged(void)
{
    const char *effect = "unchanged";
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_instance_ack(stored, 1000, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_instance_ack(light, 1000, error));
    TEST_ASSERT_EQUAL_STRING("instance 'one' has no effect 1000", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_ack(light, 0, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_instance_next_effect(light, NULL, NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_instance_next_effect(NULL, &effect, NULL, NULL, error));
    TEST_ASSERT_EQUAL_STRING("unchanged", effect);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_step_is_the_same);
    RUN_TEST(numbers_stand_for_names);
    RUN_TEST(the_record_names_the_event);
    RUN_TEST(a_record_is_written_for_an_observer);
    RUN_TEST(there_are_no_checkpoints);
    RUN_TEST(ids_are_not_remembered);
    RUN_TEST(only_effects_that_were_made_are_acknowledged);
    return UNITY_END() != 0;
}
