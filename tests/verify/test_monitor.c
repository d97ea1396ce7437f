/* The monitor through its public interface. */
#include <string.h>
#include <unity.h>
#include <wfsm/monitor.h>
#include "failing_allocator.h"

static const char document[] =
    "{\"id\":\"m\",\"context\":{\"n\":0},\"properties\":{"
    "\"small\":{\"always\":{\"<\":[{\"var\":\"context.n\"},2]},\"description\":\"It is.\"},"
    "\"asked\":{\"precedes\":{\"of\":{\"in_state\":\"b.c\"},"
    "\"needs\":{\"===\":[{\"var\":\"event.data\"},\"yes\"]}}},"
    "\"ends\":{\"leadsTo\":{\"to\":{\"in_state\":\"b\"}}},"
    "\"odd\":{\"never\":{\"+\":[{\"if\":[{\"var\":\"context.n\"},{\"throw\":\"odd\"},0]}]}}},"
    "\"states\":{\"a\":{\"on\":{\"x\":\"b\"}},\"b\":{\"states\":{\"c\":{}}}}}";

static failing memory;
static wfsm_error *error;
static wfsm_monitor *monitor;

static void make(const char *text)
{
    wfsm_machine *machine = NULL;

    memory.left = -1;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, text, strlen(text), NULL,
                                                       &memory.allocator, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_monitor_new(&monitor, machine, error));
    wfsm_machine_unref(machine);
}

void setUp(void)
{
    failing_init(&memory, -1);
    error = wfsm_error_new(NULL);
    make(document);
}

void tearDown(void)
{
    wfsm_monitor_free(monitor);
    wfsm_error_free(error);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static int32_t observe_entered(const char *states, const char *context, const char *event,
                               const char *entered)
{
    const wfsm_observation seen = {.size = sizeof seen,
                                   .configuration = states,
                                   .configuration_length = states ? strlen(states) : 0,
                                   .context = context,
                                   .context_length = strlen(context),
                                   .event = event,
                                   .event_length = event ? strlen(event) : 0,
                                   .entered = entered,
                                   .entered_length = entered ? strlen(entered) : 0};
    return wfsm_monitor_observe(monitor, &seen, error);
}

static int32_t observe(const char *states, const char *context, const char *event)
{
    return observe_entered(states, context, event, NULL);
}

/* A letter for each property: . V F R P. */
static const char *said(void)
{
    static char letters[8];
    wfsm_watched_property property = {.size = sizeof property};
    size_t i = 0;

    for (; wfsm_monitor_property(monitor, i, &property) == WFSM_OK; i++)
        letters[i] = ".VFRP"[property.watched];
    letters[i] = '\0';
    return letters;
}

static void test_a_run(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"a\"]", "{\"n\":0}", NULL));
    TEST_ASSERT_EQUAL_STRING("..P.", said());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            observe("[\"b.c\"]", "{\"n\":2}", "{\"type\":\"x\",\"data\":1}"));
    TEST_ASSERT_EQUAL_STRING("VV.F", said());
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, observe("[\"b.c\"]", "{\"other\":1}", "{\"type\":\"x\",\"data\":\"yes\"}"));
    TEST_ASSERT_EQUAL_STRING("....", said());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"b.c\"]", "{}", NULL));
    TEST_ASSERT_EQUAL_STRING("....", said());
}

static void test_what_a_property_says(void)
{
    wfsm_watched_property property = {.size = sizeof property};

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"b.c\"]", "{\"n\":1}", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_monitor_property(monitor, 0, &property));
    TEST_ASSERT_EQUAL_STRING("small", property.name);
    TEST_ASSERT_EQUAL_STRING("always", property.kind);
    TEST_ASSERT_EQUAL_STRING("It is.", property.description);
    TEST_ASSERT_EQUAL_STRING("", property.message);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_monitor_property(monitor, 3, &property));
    TEST_ASSERT_EQUAL_INT32(WFSM_WATCHED_FAILED, property.watched);
    TEST_ASSERT_EQUAL_STRING("", property.description);
    TEST_ASSERT_NOT_EQUAL(0, strlen(property.message));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_monitor_property(monitor, 4, &property));
    property.size = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_monitor_property(monitor, 0, &property));
}

static const char limited[] =
    "{\"id\":\"m\",\"properties\":{"
    "\"soon\":{\"leadsTo\":{\"from\":{\"in_state\":\"a\"},\"to\":{\"in_state\":\"b\"},"
    "\"within\":{\"ms\":10}}},"
    "\"not c\":{\"never\":{\"in_state\":\"c\"}}},"
    "\"states\":{\"a\":{\"on\":{\"x\":\"b\"}},\"b\":{\"on\":{\"x\":\"c\"}},\"c\":{}}}";

/* What the monitor says of a step at a time. */
static const char *said_at(int64_t now, const char *states)
{
    const wfsm_observation seen = {.size = sizeof seen,
                                   .configuration = states,
                                   .configuration_length = strlen(states),
                                   .context = "{}",
                                   .context_length = 2,
                                   .now = now};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_monitor_observe(monitor, &seen, error));
    return said();
}

static const char *said_after(int64_t now)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_monitor_advance(monitor, now, error));
    return said();
}

/* From the step in which it begins to wait; the last millisecond is not too late. */
static void test_a_time_limit(void)
{
    wfsm_monitor_free(monitor);
    make(limited);
    TEST_ASSERT_EQUAL_STRING("P.", said_at(100, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("P.", said_at(105, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("..", said_at(110, "[\"b\"]"));
    TEST_ASSERT_EQUAL_STRING("P.", said_at(200, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("V.", said_at(211, "[\"b\"]"));
    TEST_ASSERT_EQUAL_STRING("..", said_at(212, "[\"b\"]"));
}

/* Each wait is violated once. If `from` is still true, the next wait begins. */
static void test_a_time_limit_begins_again(void)
{
    wfsm_monitor_free(monitor);
    make(limited);
    TEST_ASSERT_EQUAL_STRING("P.", said_at(0, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("V.", said_at(11, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("P.", said_at(21, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("VV", said_at(22, "[\"c\"]"));
}

/* Time passes without a step. */
static void test_time_passes(void)
{
    wfsm_monitor_free(monitor);
    make(limited);
    TEST_ASSERT_EQUAL_STRING("P.", said_at(0, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("P.", said_after(10));
    TEST_ASSERT_EQUAL_STRING("V.", said_after(11));
    TEST_ASSERT_EQUAL_STRING("..", said_after(12));
    TEST_ASSERT_EQUAL_STRING(".V", said_at(13, "[\"c\"]"));
    TEST_ASSERT_EQUAL_STRING("..", said_after(14));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_monitor_advance(NULL, 15, error));
}

/* What is refused is not seen. */
static void test_bad_observations(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"a\"]", "{\"n\":0}", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, observe("[\"c\"]", "{}", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, observe("[]", "{}", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, observe("[1]", "{}", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, observe("{}", "{}", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, observe("[\"b.c\"]", "[]", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_SYNTAX, observe("[\"b.c\"]", "{", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_SYNTAX, observe("[\"b.c\"]", "{}", ""));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, observe(NULL, "{}", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_monitor_observe(monitor, NULL, error));
    TEST_ASSERT_EQUAL_STRING("..P.", said());
}

/* "a" is entered again where the step says so, and counted. */
static void test_states_that_are_entered_again(void)
{
    static const char counting[] =
        "{\"id\":\"m\",\"properties\":{\"once\":{\"atMost\":{\"of\":{\"in_state\":\"a\"},"
        "\"times\":1}}},\"states\":{\"a\":{},\"b\":{\"states\":{\"c\":{}}}}}";
    static const char *const wrong[] = {"[\"d\"]", "[1]", "{}"};

    wfsm_monitor_free(monitor);
    make(counting);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe_entered("[\"a\"]", "{}", NULL, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING(".", said());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe_entered("[\"a\"]", "{}", NULL, "[]"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe_entered("[\"a\"]", "{}", NULL, NULL));
    TEST_ASSERT_EQUAL_STRING(".", said());
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC,
                                observe_entered("[\"a\"]", "{}", NULL, wrong[i]));
    TEST_ASSERT_EQUAL_INT32(WFSM_SYNTAX, observe_entered("[\"a\"]", "{}", NULL, ""));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe_entered("[\"a\"]", "{}", NULL, "[\"a\"]"));
    TEST_ASSERT_EQUAL_STRING("V", said());
}

/* What a refused observation shows is forgotten: "a" was active before, "b" was not. */
static void test_a_refused_observation_leaves_no_states(void)
{
    static const char counting[] =
        "{\"id\":\"m\",\"properties\":{\"once\":{\"atMost\":{\"of\":{\"or\":["
        "{\"in_state\":\"a\"},{\"in_state\":\"b\"}]},\"times\":1}}},"
        "\"states\":{\"a\":{},\"b\":{}}}";

    wfsm_monitor_free(monitor);
    make(counting);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe_entered("[\"a\"]", "{}", NULL, "[\"a\"]"));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, observe_entered("[\"b\"]", "[]", NULL, "[\"b\"]"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe_entered("[\"b\"]", "{}", NULL, "[\"b\"]"));
    TEST_ASSERT_EQUAL_STRING(".", said());
}

static void test_an_assumption_that_is_broken(void)
{
    static const char assuming[] =
        "{\"id\":\"m\",\"assume\":{\"x\":{\"type\":\"integer\"}},\"states\":{\"a\":{\"on\":{\"x\":\"b\","
        "\"y\":\"b\"}},\"b\":{}}}";

    wfsm_monitor_free(monitor);
    make(assuming);
    TEST_ASSERT_NULL(wfsm_monitor_unassumed(monitor));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"a\"]", "{}", NULL));
    TEST_ASSERT_NULL(wfsm_monitor_unassumed(monitor));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            observe("[\"b\"]", "{}", "{\"type\":\"x\",\"data\":\"1\"}"));
    TEST_ASSERT_EQUAL_STRING("x", wfsm_monitor_unassumed(monitor));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"b\"]", "{}", "{\"type\":\"x\",\"data\":1}"));
    TEST_ASSERT_NULL(wfsm_monitor_unassumed(monitor));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"b\"]", "{}", "{\"type\":\"x\"}"));
    TEST_ASSERT_EQUAL_STRING("x", wfsm_monitor_unassumed(monitor));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_monitor_advance(monitor, 1, error));
    TEST_ASSERT_NULL(wfsm_monitor_unassumed(monitor));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"b\"]", "{}", "{\"type\":\"y\",\"data\":[]}"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"b\"]", "{}", "{\"type\":7}"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"b\"]", "{}", "{\"type\":\"other\"}"));
    TEST_ASSERT_NULL(wfsm_monitor_unassumed(monitor));
    TEST_ASSERT_NULL(wfsm_monitor_unassumed(NULL));
}

static void test_out_of_memory(void)
{
    int32_t status = WFSM_NO_MEMORY;

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, observe("[\"a\"]", "{\"n\":0}", NULL));
    for (long n = 0; status == WFSM_NO_MEMORY; n++) {
        memory.left = n;
        status = observe("[\"b.c\"]", "{\"n\":2}", "{\"type\":\"x\",\"data\":\"yes\"}");
    }
    memory.left = -1;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    TEST_ASSERT_EQUAL_STRING("V..F", said());
}

static void test_out_of_memory_at_the_beginning(void)
{
    wfsm_machine *machine = NULL;
    wfsm_monitor *other = NULL;
    int32_t status = WFSM_NO_MEMORY;

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, document, strlen(document),
                                                       NULL, &memory.allocator, error));
    for (long n = 0; status == WFSM_NO_MEMORY; n++) {
        memory.left = n;
        status = wfsm_monitor_new(&other, machine, error);
    }
    memory.left = -1;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    wfsm_monitor_free(other);
    wfsm_machine_unref(machine);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_monitor_new(&other, NULL, error));
    wfsm_monitor_free(NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_run);
    RUN_TEST(test_what_a_property_says);
    RUN_TEST(test_a_time_limit);
    RUN_TEST(test_a_time_limit_begins_again);
    RUN_TEST(test_time_passes);
    RUN_TEST(test_bad_observations);
    RUN_TEST(test_states_that_are_entered_again);
    RUN_TEST(test_a_refused_observation_leaves_no_states);
    RUN_TEST(test_an_assumption_that_is_broken);
    RUN_TEST(test_out_of_memory);
    RUN_TEST(test_out_of_memory_at_the_beginning);
    return UNITY_END() != 0;
}
