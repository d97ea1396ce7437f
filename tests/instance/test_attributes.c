/* Attributes of a document: their values, and lists of what meets a condition. */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/revisions.h>
#include "failing_allocator.h"
#include "../given.h"
#include "support.h"

/* `note` is set by the event; `list`, `fails` and `long` give no attribute. */
static const char document[] =
    "{\"id\":\"m\",\"initial\":\"on\",\"context\":{\"n\":1,\"note\":\"a\"},\"attributes\":{"
    "\"twice\":{\"*\":[{\"var\":\"context.n\"},2]},\"note\":{\"var\":\"context.note\"},"
    "\"off\":{\"in_state\":\"off\"},\"fixed\":\"x\",\"list\":[1],\"none\":null,"
    "\"fails\":{\"/\":[1,{\"-\":[{\"var\":\"context.n\"},1]}]}},\"states\":{\"on\":{\"on\":{"
    "\"stop\":{\"target\":\"off\",\"actions\":[{\"type\":\"assign\",\"params\":{"
    "\"note\":{\"var\":\"event.data\"},\"n\":2.5}}]},"
    "\"note\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"note\":{\"var\":\"event.data\"}}}]}}},"
    "\"off\":{\"type\":\"final\"}}}";

static failing memory;
static wfsm_error *error;
static wfsm_store *store;
static wfsm_machine *machine;

static const wfsm_condition noted = {
    .size = sizeof noted, .name = "note", .comparison = WFSM_EQUAL, .value = "a"};

void setUp(void)
{
    failing_init(&memory, -1);
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, &memory.allocator, error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK,
        wfsm_machine_load(&machine, document, strlen(document), NULL, &memory.allocator, error),
        wfsm_error_message(error));
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
    wfsm_store_free(store);
    wfsm_error_free(error);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static wfsm_instance *start(const char *id)
{
    wfsm_instance *instance = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, machine, START(id, .store = store), 0, error));
    return instance;
}

static void send(wfsm_instance *instance, const char *name, const char *data)
{
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK,
        wfsm_instance_send(instance, EVENT(name, .data = data, .length = strlen(data)), 0,
                           &outcome, error),
        wfsm_error_message(error));
}

static void expect_attributes(const char *expected)
{
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, error));
    TEST_ASSERT_EQUAL_STRING(expected, head.attributes);
}

static void values_are_those_of_the_last_commit(void)
{
    wfsm_instance *instance = start("a");
    wfsm_head head = {.size = sizeof head};
    expect_attributes("{\"fixed\":\"x\",\"note\":\"a\",\"off\":false,\"twice\":2}");
    send(instance, "stop", "\"b\"");
    expect_attributes(
        "{\"fails\":0.6666666666666666,\"fixed\":\"x\",\"note\":\"b\",\"off\":true,\"twice\":5}");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_head(instance, &head));
    TEST_ASSERT_EQUAL_STRING(
        "{\"fails\":0.6666666666666666,\"fixed\":\"x\",\"note\":\"b\",\"off\":true,\"twice\":5}",
        head.attributes);
    wfsm_instance_free(instance);
}

static void what_no_store_keeps_is_no_attribute(void)
{
    static const char *const data[] = {"null", "[1]", "{\"a\":1}"};
    char text[300];
    wfsm_instance *instance = start("a");
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        send(instance, "note", data[i]);
        expect_attributes("{\"fixed\":\"x\",\"off\":false,\"twice\":2}");
    }
    memset(text, 'x', sizeof text);
    text[0] = text[257] = '"';
    text[258] = '\0';
    send(instance, "note", text);
    expect_attributes("{\"fixed\":\"x\",\"off\":false,\"twice\":2}");
    text[256] = '"';
    text[257] = '\0';
    send(instance, "note", text);
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, error));
    TEST_ASSERT_NOT_NULL(strstr(head.attributes, "\"note\":\"xxx"));
    wfsm_instance_free(instance);
}

static int32_t count_row(void *user, const wfsm_row *row)
{
    size_t *count = user;
    (void)row;
    ++*count;
    return WFSM_OK;
}

static int32_t find(size_t *count)
{
    const wfsm_condition *const where[] = {&noted};
    const wfsm_query query = {.size = sizeof query, .where = where, .where_count = 1};
    *count = 0;
    return wfsm_store_list(store, &query, count_row, count, error);
}

static void an_instance_is_found_or_memory_ran_out(void)
{
    wfsm_instance *first = start("a"), *second = start("b");
    int32_t status = WFSM_NO_MEMORY;
    size_t count, failures = 0;
    send(second, "note", "\"b\"");
    for (long at = 0; status == WFSM_NO_MEMORY; at++) {
        memory.left = at;
        status = find(&count);
        failures += status == WFSM_NO_MEMORY;
    }
    memory.left = -1;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    TEST_ASSERT_EQUAL_size_t(1, count);
    TEST_ASSERT_GREATER_THAN(1, failures);
    wfsm_instance_free(first);
    wfsm_instance_free(second);
}

static void what_is_wrong_is_refused(void)
{
    static const wfsm_condition wrong[] = {
        {.size = sizeof *wrong, .name = "", .comparison = WFSM_EQUAL, .value = "x"},
        {.size = sizeof *wrong, .name = NULL, .comparison = WFSM_EQUAL, .value = "x"},
        {.size = sizeof *wrong, .name = "a b", .comparison = WFSM_EQUAL, .value = "x"},
        {.size = sizeof *wrong, .name = "1n", .comparison = WFSM_EQUAL, .value = "x"},
        {.size = sizeof *wrong, .name = "n", .comparison = 0, .value = "x"},
        {.size = sizeof *wrong, .name = "n", .comparison = 7, .value = "x"},
        {.size = sizeof *wrong, .name = "n", .comparison = WFSM_LESS, .value = NULL},
        {.size = sizeof *wrong, .name = "n", .comparison = WFSM_LESS, .value = "\xFF"},
    };
    size_t count;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const wfsm_condition *const where[] = {&wrong[i]};
        const wfsm_query query = {.size = sizeof query, .where = where, .where_count = 1};
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                                wfsm_store_list(store, &query, count_row, &count, error));
    }
    const wfsm_query many = {.size = sizeof many, .where_count = 17};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_list(store, &many, count_row, &count, error));
}

static void a_commit_with_other_attributes_is_refused(void)
{
    static const char *const wrong[] = {"",        "[]",           "{\"a\":[]}",
                                        "{\"a\":", "{\"a\":null}", "{\"b\":1,\"a\":1}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const wfsm_commit commit = {.size = sizeof commit,
                                    .instance = "x",
                                    .owner = "",
                                    .token = "t",
                                    .record = "{}",
                                    .record_length = 2,
                                    .machine = "m",
                                    .fingerprint = "f",
                                    .tags = "",
                                    .status = WFSM_RUNNING,
                                    .attributes = wrong[i]};
        const wfsm_commit *const list[] = {&commit};
        int32_t answer;
        TEST_ASSERT_EQUAL_INT32_MESSAGE(
            WFSM_INVALID, wfsm_store_commit(store, list, 1, &answer, error), wrong[i]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(values_are_those_of_the_last_commit);
    RUN_TEST(what_no_store_keeps_is_no_attribute);
    RUN_TEST(an_instance_is_found_or_memory_ran_out);
    RUN_TEST(what_is_wrong_is_refused);
    RUN_TEST(a_commit_with_other_attributes_is_refused);
    return UNITY_END();
}
