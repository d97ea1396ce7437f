/* The cases of tests/cases/logic/schema.json, and what cannot be written as a case. */
#include "logic/schema.h"
#include "logic_support.h"

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static const char *text_of(const wf_value *object, const char *key)
{
    const wf_value *value = wf_value_get_z(object, key);

    TEST_ASSERT_NOT_NULL_MESSAGE(value, key);
    return value->as.text;
}

static void check_mismatch(const wf_schema *schema, const wf_value *mismatch)
{
    const wf_value *value = wf_value_get_z(mismatch, "value");
    const char *message = text_of(mismatch, "message");

    TEST_ASSERT_EQUAL_MESSAGE(WFSM_SEMANTIC, wf_schema_check(schema, value, error), message);
    TEST_ASSERT_EQUAL_STRING(message, wfsm_error_message(error));
    TEST_ASSERT_EQUAL_STRING(text_of(mismatch, "at"), wfsm_error_pointer(error));
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wf_schema_check(schema, value, NULL));
}

static void check_values(const wf_schema *schema, const wf_value *test)
{
    const wf_value *fits = wf_value_get_z(test, "fits");
    const wf_value *mismatchs = wf_value_get_z(test, "mismatchs");

    for (uint32_t i = 0; i < fits->length; i++)
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, wf_schema_check(schema, &fits->as.items[i], error),
                                  text_of(test, "name"));
    for (uint32_t i = 0; i < mismatchs->length; i++)
        check_mismatch(schema, &mismatchs->as.items[i]);
}

static void run_case(const wf_value *test)
{
    wf_place root = {0}, place = {&root, "output", 6, 0};
    const wf_value *source = wf_value_get_z(test, "schema");
    const char *name = text_of(test, "name");
    const wf_schema *schema;
    int32_t status = wf_schema_compile(&schema, source, &arena, &place, error);
    char at[300];

    if (!wf_value_get_z(test, "refused")) {
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, status, name);
        TEST_ASSERT_TRUE(wf_value_equal(source, wf_schema_source(schema)));
        check_values(schema, test);
        return;
    }
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_SEMANTIC, status, name);
    snprintf(at, sizeof at, "/output%s", text_of(test, "at"));
    TEST_ASSERT_EQUAL_STRING(name, wfsm_error_message(error));
    TEST_ASSERT_EQUAL_STRING(at, wfsm_error_pointer(error));
}

static void every_keyword_and_every_refusal(void)
{
    size_t length = 0;
    const char *text = read_file(CASES "/schema.json", &length);
    wf_value list;

    TEST_ASSERT_NOT_NULL(text);
    list = parse_bytes(text, length);
    for (uint32_t i = 0; i < list.length; i++)
        run_case(&list.as.items[i]);
    TEST_ASSERT_GREATER_OR_EQUAL(60, list.length);
}

static const wf_schema *compile(const char *text)
{
    const wf_schema *schema = NULL;
    wf_value *source = wf_arena_take(&arena, sizeof *source);

    *source = parse(text);
    if (wf_schema_compile(&schema, source, &arena, NULL, error))
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    return schema;
}

static void references_in_circles_end(void)
{
    static const char schemas[][100] = {
        "{\"$ref\":\"#\"}",
        "{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}",
        "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"not\":{\"$ref\":\"#\"}}}}",
    };
    wf_value value = wf_number(1);

    for (int i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_schema_check(compile(schemas[i]), &value, error));
}

static void a_costly_check_is_a_limit(void)
{
    const wf_schema *schema = compile("{\"uniqueItems\":true}");
    uint32_t count = 20000;
    wf_value *items = wf_arena_take(&arena, count * sizeof *items), value;

    for (uint32_t i = 0; i < count; i++)
        items[i] = wf_number(i);
    value = wf_array(items, count);
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_schema_check(schema, &value, error));
    value = wf_array(items, 3000);
    TEST_ASSERT_EQUAL(WFSM_OK, wf_schema_check(schema, &value, error));
}

static void too_many_references_are_a_limit(void)
{
    wf_value reference = parse("{\"$ref\":\"#\"}"), list, all;
    wf_value *items = wf_arena_take(&arena, 5000 * sizeof *items);
    wf_member member;
    const wf_schema *schema;

    for (int i = 0; i < 5000; i++)
        items[i] = reference;
    list = wf_array(items, 5000);
    wf_member_set(&member, "allOf", 5, list);
    all = wf_object(&member, 1);
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_schema_compile(&schema, &all, &arena, NULL, error));
}

static void keys_have_schemas(void)
{
    const wf_schema *closed = compile("{\"properties\":{\"a\":{\"type\":\"string\"},"
                                      "\"no\":false},\"additionalProperties\":false}");
    const wf_schema *open = compile("{\"properties\":{\"a\":{\"type\":\"string\"}}}");
    const wf_schema *other = compile("{\"$ref\":\"#/$defs/c\",\"$defs\":{\"c\":"
                                     "{\"additionalProperties\":{\"type\":\"number\"}}}}");
    const wf_schema *circle = compile("{\"$ref\":\"#\"}");
    bool forbidden;

    TEST_ASSERT_NOT_NULL(wf_schema_key(closed, "a", 1, &forbidden));
    TEST_ASSERT_FALSE(forbidden);
    wf_schema_key(closed, "b", 1, &forbidden);
    TEST_ASSERT_TRUE(forbidden);
    wf_schema_key(closed, "no", 2, &forbidden);
    TEST_ASSERT_TRUE(forbidden);
    TEST_ASSERT_NULL(wf_schema_key(open, "b", 1, &forbidden));
    TEST_ASSERT_FALSE(forbidden);
    TEST_ASSERT_NOT_NULL(wf_schema_key(other, "b", 1, &forbidden));
    TEST_ASSERT_FALSE(forbidden);
    TEST_ASSERT_NULL(wf_schema_key(circle, "b", 1, &forbidden));
    TEST_ASSERT_FALSE(forbidden);
}

/* A step for each required name, each member, each value and each `const`, and a few. */
static void many_members_cost_in_proportion_to_their_number(void)
{
    enum { COUNT = 5000 };
    static char text[COUNT * 60], value[COUNT * 20];
    size_t used = 0, length = 0;
    uint32_t steps = 4 * COUNT + 10;

    used += (size_t)sprintf(text, "{\"required\":[");
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(text + used, "%s\"k%d\"", i ? "," : "", i);
    used += (size_t)sprintf(text + used, "],\"additionalProperties\":false,\"properties\":{");
    for (int i = 0; i < COUNT; i++) {
        used += (size_t)sprintf(text + used, "%s\"k%d\":{\"const\":%d}", i ? "," : "", i, i);
        length += (size_t)sprintf(value + length, "%s\"k%d\":%d", i ? "," : "{", i, i);
    }
    strcpy(text + used, "}}");
    strcpy(value + length, "}");
    const wf_schema *schema = compile(text);
    wf_value object = parse(value);

    TEST_ASSERT_EQUAL(WFSM_OK, wf_schema_check_within(schema, &object, &steps));
    TEST_ASSERT_GREATER_THAN_UINT32(0, steps);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_keyword_and_every_refusal);
    RUN_TEST(references_in_circles_end);
    RUN_TEST(a_costly_check_is_a_limit);
    RUN_TEST(too_many_references_are_a_limit);
    RUN_TEST(keys_have_schemas);
    RUN_TEST(many_members_cost_in_proportion_to_their_number);
    return UNITY_END() != 0;
}
