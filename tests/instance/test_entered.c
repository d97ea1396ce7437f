/* The states that the last commit has entered. */
#include <string.h>
#include <unity.h>
#include <wfsm/instance.h>
#include <wfsm/store.h>
#include "../given.h"

static const char document[] =
    "{\"id\":\"m\",\"initial\":\"a\",\"states\":{"
    "\"a\":{\"on\":{\"stay\":{},\"again\":{\"target\":\"a\",\"reenter\":true},"
    "\"aside\":\"aside\",\"both\":\"both\",\"end\":\"end\"}},"
    "\"aside\":{\"always\":\"a\"},"
    "\"both\":{\"type\":\"parallel\",\"states\":{"
    "\"l\":{\"initial\":\"m\",\"states\":{\"m\":{\"on\":{\"swap\":\"n\"}},\"n\":{}}},"
    "\"r\":{\"on\":{\"again\":{\"target\":\"r\",\"reenter\":true}}}}},"
    "\"end\":{\"type\":\"final\"}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
static wfsm_instance *instance;

static void start(wfsm_store *store)
{
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine, START("one", .store = store), 0, error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static const char *entered(void)
{
    size_t length = 99;
    const char *text = wfsm_instance_entered(instance, &length);
    TEST_ASSERT_NOT_NULL(text);
    TEST_ASSERT_EQUAL(strlen(text), length);
    return text;
}

static void send(const char *event)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_send(instance, EVENT(event), 1, NULL, error));
}

static void states_that_a_commit_enters(void)
{
    static const struct {
        const char *event, *entered;
    } steps[] = {{"stay", "[]"},
                 {"again", "[\"a\"]"},
                 {"aside", "[\"a\"]"},
                 {"both", "[\"both\",\"both.l\",\"both.l.m\",\"both.r\"]"},
                 {"swap", "[\"both.l.n\"]"},
                 {"nothing", "[\"both.l.n\"]"}, /* no commit */
                 /* The domain of a transition within a region is outside the parallel state. */
                 {"again", "[\"both\",\"both.l\",\"both.l.m\",\"both.r\"]"}};
    start(memory);
    TEST_ASSERT_EQUAL_STRING("[\"a\"]", entered());
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        send(steps[i].event);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(steps[i].entered, entered(), steps[i].event);
    }
}

static void the_last_one_stays(void)
{
    start(memory);
    send("end");
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", entered());
}

static void a_restore_enters_none(void)
{
    start(memory);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_checkpoint(instance, CHECKPOINT("c"), 1, NULL, error));
    TEST_ASSERT_EQUAL_STRING("[]", entered());
    send("both");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_restore(instance, FROM("c"), 2, NULL, error));
    TEST_ASSERT_EQUAL_STRING("[]", entered());
}

static void without_a_record_nothing_is_told(void)
{
    start(NULL);
    send("again");
    TEST_ASSERT_EQUAL_STRING("", entered());
    TEST_ASSERT_NULL(wfsm_instance_entered(NULL, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(states_that_a_commit_enters);
    RUN_TEST(the_last_one_stays);
    RUN_TEST(a_restore_enters_none);
    RUN_TEST(without_a_record_nothing_is_told);
    return UNITY_END() != 0;
}
