/* Everything that is committed can be loaded again: values, times and sizes at their limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "support.h"
#include "../given.h"

static const char *const document =
    "{\"wfsm\":1,\"id\":\"limits\",\"initial\":\"a\",\"context\":{\"v\":null,\"w\":0},"
    "\"states\":{"
    "\"a\":{\"on\":{"
    "\"KEEP\":{\"actions\":{\"type\":\"assign\",\"params\":{\"v\":{\"var\":\"event.data\"}}}},"
    "\"BELOW\":{\"actions\":{\"type\":\"assign\",\"params\":{\"v\":[[[[{\"var\":\"event.data\"}"
    "]]]]}}},"
    "\"DEEPER\":{\"actions\":{\"type\":\"assign\",\"params\":{\"v\":[{\"var\":\"context.v\"}]}}"
    "},"
    "\"MORE\":{\"actions\":{\"type\":\"assign\",\"params\":"
    "{\"v\":[{\"var\":\"context.v\"},{\"var\":\"context.v\"}]}}},"
    "\"COPY\":{\"actions\":{\"type\":\"assign\",\"params\":{\"w\":{\"var\":\"context.v\"}}}},"
    "\"LATER\":{\"actions\":{\"type\":\"raise\",\"params\":{\"event\":\"t\","
    "\"delay\":9007199254740992}}},"
    "\"NUMBER\":{\"actions\":{\"type\":\"assign\",\"params\":{\"v\":{\"*\":[9007199254740992,"
    "1024]}}}},"
    "\"EMIT\":{\"actions\":{\"type\":\"emit\",\"params\":{\"event\":\"e\","
    "\"data\":{\"var\":\"event.data\"}}}},"
    "\"RAISE\":{\"actions\":{\"type\":\"raise\",\"params\":{\"event\":\"t\",\"delay\":5,"
    "\"data\":{\"var\":\"event.data\"}}}},"
    "\"WORK\":\"work\",\"SLOW\":\"slow\"}},"
    "\"work\":{\"on\":{\"BACK\":\"a\"},\"invoke\":{\"id\":\"job\",\"src\":\"agent\","
    "\"timeoutMs\":9007199254740991,"
    "\"input\":{\"var\":\"context.v\"},\"onDone\":{\"target\":\"a\",\"actions\":"
    "{\"type\":\"assign\",\"params\":{\"v\":{\"var\":\"event.data\"}}}},"
    "\"retry\":[{\"errors\":[\"network\"],\"maxAttempts\":100,\"intervalMs\":9007199254740991,"
    "\"backoffRate\":1000}]}},"
    "\"slow\":{\"on\":{\"BACK\":\"a\"},\"after\":{\"999999999999999\":\"a\"}}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
static wfsm_instance *instance;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine, START("one", .store = memory), 7, error));
    /* So that the size of the state is what is exceeded first. */
    const wfsm_step_limits limits = {.size = sizeof limits, .step_bytes = 1u << 30};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_set_limits(instance, &limits, error));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void expect_readable(const char *what)
{
    wfsm_instance *again = NULL;
    int32_t status = wfsm_instance_load(&again, machine, memory, NULL, "one", error);
    if (status != WFSM_OK)
        printf("%s: %s\n", what, wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, what);
    char *left = bytes_of(instance), *right = bytes_of(again);
    TEST_ASSERT_TRUE_MESSAGE(strcmp(left, right) == 0, what);
    free(left);
    free(right);
    wfsm_instance_free(again);
}

/* Whatever it answers, the instance can be loaded afterwards. */
static int32_t send(const char *event, const char *data, int64_t now)
{
    int32_t outcome = 0;
    int32_t status = wfsm_instance_send(
        instance, EVENT(event, .data = data, .length = data ? strlen(data) : 0), now, &outcome,
        error);
    expect_readable(event);
    return status == WFSM_OK ? outcome : -status;
}

/* depth arrays around a 1, freed by the caller. */
static char *nested(int depth)
{
    char *text = malloc((size_t)depth * 2 + 2);
    memset(text, '[', (size_t)depth);
    text[depth] = '1';
    memset(text + depth + 1, ']', (size_t)depth);
    text[2 * depth + 1] = '\0';
    return text;
}

static void test_depth(void)
{
    static const char *const events[] = {"KEEP", "BELOW", "EMIT", "RAISE"};
    int refused = 0;
    for (int depth = 225; depth <= WF_MAX_DEPTH; depth++)
        for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
            char *text = nested(depth);
            refused += send(events[i], text, 7) != WFSM_TAKEN;
            free(text);
        }
    TEST_ASSERT_GREATER_THAN_INT(0, refused);
    char *text = nested(200);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send("KEEP", text, 7));
    free(text);
    for (int i = 0; i < 60; i++)
        refused += send("DEEPER", NULL, 7) != WFSM_TAKEN;
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send("WORK", NULL, 7));
}

static void test_depth_of_what_comes_otherwise(void)
{
    int32_t outcome;
    for (int depth = 225; depth <= WF_MAX_DEPTH; depth++) {
        char *text = nested(depth), patch[1024];
        snprintf(patch, sizeof patch, "{\"v\":%s}", text);
        wfsm_instance_patch(instance, patch, strlen(patch), 7, &outcome, error);
        expect_readable("patch");
        free(text);
    }
    for (int depth = 225; depth <= WF_MAX_DEPTH; depth++) {
        char *text = nested(depth);
        if (wfsm_instance_in(instance, "a"))
            send("WORK", NULL, 7);
        char id[WF_INVOCATION_ID_BYTES];
        wf_instance_invocation_id(instance, wf_instance_invocation(instance, 0), id);
        wfsm_instance_result(instance, RESULT(id, .output = text, .length = strlen(text)), 7,
                             &outcome, error);
        expect_readable("result");
        free(text);
    }
}

static void test_posts_can_be_consumed(void)
{
    for (int depth = 225; depth <= WF_MAX_DEPTH; depth++) {
        char *text = nested(depth);
        int32_t outcome,
            status = wfsm_store_post(memory, "one", "KEEP", NULL, text, strlen(text), 7, error);
        if (status == WFSM_OK) {
            wfsm_row post = {.size = sizeof post,
                             .instance = "one",
                             .name = "KEEP",
                             .number = (uint64_t)(depth - 224),
                             .text = text,
                             .length = strlen(text)};
            TEST_ASSERT_EQUAL_INT32_MESSAGE(
                WFSM_OK, wf_instance_consume(&instance, &post, NULL, 7, &outcome, error),
                wfsm_error_message(error));
            expect_readable("post");
        } else {
            TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, status);
        }
        free(text);
    }
}

static void test_times(void)
{
    static const int64_t times[] = {8,
                                    ((int64_t)1 << 53) - 1,
                                    (int64_t)1 << 53,
                                    ((int64_t)1 << 53) + 1,
                                    WFSM_NEVER - 1,
                                    WFSM_NEVER};
    int32_t outcome, fired;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char id[WF_INVOCATION_ID_BYTES];
        bool possible = times[i] <= (int64_t)1 << 53;
        TEST_ASSERT_EQUAL_INT32(possible ? WFSM_TAKEN : -WFSM_INVALID,
                                send("LATER", NULL, times[i]));
        if (!possible)
            continue;
        send("SLOW", NULL, times[i]);
        wfsm_instance_advance(instance, times[i], &fired, &outcome, error);
        expect_readable("advance");
        send("BACK", NULL, times[i]);
        TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send("WORK", NULL, times[i]));
        wf_instance_invocation_id(instance, wf_instance_invocation(instance, 0), id);
        wfsm_instance_claim(instance, id, "me", times[i], &outcome, error);
        expect_readable("claim");
        wfsm_instance_failure(instance, FAILURE(id, .failure_class = "network", .message = "x"),
                              times[i], &outcome, error);
        expect_readable("failure");
        wfsm_instance_result(instance, RESULT(id, .output = "1", .length = 1), times[i],
                             &outcome, error);
        expect_readable("result");
        send("BACK", NULL, times[i]);
        TEST_ASSERT_TRUE(wfsm_instance_in(instance, "a"));
    }
}

static void test_numbers(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send("NUMBER", NULL, 7));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send("KEEP", "-1.7976931348623157e308", 7));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send("KEEP", "5e-324", 7));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send("KEEP", "-0.0", 7));
}

/* A context that doubles: at last it is refused, while it can still be read. */
static void test_weight(void)
{
    int32_t outcome = send("KEEP", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]", 7);
    int doubled = 0;
    while (outcome == WFSM_TAKEN && doubled < 40) {
        int32_t status = wfsm_instance_send(instance, EVENT("MORE"), 7, &outcome, error);
        if (status != WFSM_OK)
            outcome = -status;
        doubled++;
        wfsm_instance_send(instance, EVENT("COPY"), 7, &outcome, error);
        if (wfsm_instance_send(instance, EVENT("COPY"), 7, &outcome, error) != WFSM_OK)
            break;
    }
    TEST_ASSERT_GREATER_THAN_INT(10, doubled);
    TEST_ASSERT_LESS_THAN_INT(40, doubled);
    expect_readable("weight");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_depth);
    RUN_TEST(test_depth_of_what_comes_otherwise);
    RUN_TEST(test_posts_can_be_consumed);
    RUN_TEST(test_times);
    RUN_TEST(test_numbers);
    RUN_TEST(test_weight);
    return UNITY_END() != 0;
}
