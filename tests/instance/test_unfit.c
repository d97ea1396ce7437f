/* A context that does not fit its schema: the error names the member, and what was expected there. */
#include <string.h>
#include <unity.h>
#include <wfsm/wfsm.h>

#include "../given.h"

static const char document[] =
    "{\"id\":\"m\",\"initial\":\"a\",\"context\":{\"age\":1,\"list\":[]},\"schemas\":{\"context\":{"
    "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"age\":{\"type\":\"integer\"},\"list\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":\"number\"}}}}}}},"
    "\"states\":{\"a\":{}}}";

static wfsm_error *error;
static wfsm_store *store;
static wfsm_machine *machine;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
    wfsm_store_free(store);
    wfsm_error_free(error);
}

static int32_t start(wfsm_instance **instance, const char *id, const char *input)
{
    return wfsm_instance_start(
        instance, machine, START(id, .store = store, .input = input, .length = strlen(input)),
        0, error);
}

/* A start and a patch say the same; without an error object they only refuse. */
static void expect(const char *context, const char *message)
{
    wfsm_instance *instance = NULL;
    int32_t outcome;
    char input[200] = "input: ";

    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, start(&instance, "x", context));
    TEST_ASSERT_EQUAL_STRING(strcat(input, message), wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, start(&instance, "x", "{\"age\":2}"));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_SEMANTIC,
        wfsm_instance_patch(instance, context, strlen(context), 0, &outcome, error));
    TEST_ASSERT_EQUAL_STRING(message, wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_SEMANTIC,
        wfsm_instance_patch(instance, context, strlen(context), 0, &outcome, NULL));
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(instance));
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(store, "x", error));
}

static void the_member_is_named(void)
{
    expect("{\"age\":\"x\"}", "the value does not fit schemas.context: at /age: expected an "
                              "integer, found \"x\" (schema /properties/age/type)");
    expect(
        "{\"age\":3,\"list\":[{\"n\":1},{\"n\":null}]}",
        "the value does not fit schemas.context: at /list/1/n: expected a number, found null "
        "(schema /properties/list/items/properties/n/type)");
    expect(
        "{\"list\":[{}]}",
        "the value does not fit schemas.context: at /list/0: expected a member \"n\", found an "
        "object of 0 members (schema /properties/list/items/required)");
}

static void a_key_that_is_not_allowed_is_named(void)
{
    expect("{\"agee\":1}", "\"agee\": schemas.context does not allow this key");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_member_is_named);
    RUN_TEST(a_key_that_is_not_allowed_is_named);
    return UNITY_END() != 0;
}
