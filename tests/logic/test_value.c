#include <math.h>
#include "logic_support.h"

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static void values_are_16_bytes(void)
{
    TEST_ASSERT_EQUAL(16, sizeof(wf_value));
}

static void numbers_are_finite_and_zero_has_no_sign(void)
{
    TEST_ASSERT_EQUAL(WF_NULL, wf_number(NAN).type);
    TEST_ASSERT_EQUAL(WF_NULL, wf_number(-INFINITY).type);
    TEST_ASSERT_FALSE(signbit(wf_number(-0.0).as.number));
}

static wf_value nested(int depth)
{
    wf_value *item = wf_arena_take(&arena, sizeof *item);

    *item = wf_number(1);
    while (depth--) {
        wf_value *outer = wf_arena_take(&arena, sizeof *outer);

        *outer = wf_array(item, 1);
        item = outer;
    }
    return *item;
}

static void depth_is_bounded(void)
{
    TEST_ASSERT_EQUAL(WF_ARRAY, nested(WF_MAX_DEPTH).type);
    TEST_ASSERT_EQUAL(WF_MAX_DEPTH, nested(WF_MAX_DEPTH).depth);
    TEST_ASSERT_EQUAL(WF_ABSENT, nested(WF_MAX_DEPTH + 1).type);
}

static void weight_is_bounded_though_parts_are_shared(void)
{
    wf_value value = wf_string_z("0123456789abcdef");
    int doublings = 0;

    for (; value.type != WF_ABSENT && doublings < 100; doublings++) {
        wf_value *pair = wf_arena_take(&arena, 2 * sizeof *pair);

        pair[0] = pair[1] = value;
        value = wf_array(pair, 2);
    }
    TEST_ASSERT_GREATER_THAN(18, doublings);
    TEST_ASSERT_LESS_THAN(24, doublings);
}

static void weight_is_a_close_upper_bound(void)
{
    wf_value chain = nested(WF_MAX_DEPTH);
    wf_value mixed = parse("{\"a\":[1,\"xyz\",{\"b\":null}],\"cc\":true}");
    size_t exact = 255 * sizeof(wf_value);

    TEST_ASSERT_TRUE(wf_value_weight(&chain) >= exact);
    TEST_ASSERT_TRUE(wf_value_weight(&chain) <= exact + exact / 8);
    exact = 3 * sizeof(wf_member) + 3 * sizeof(wf_value) + 2 + 3 + 2 + 4;
    TEST_ASSERT_EQUAL(exact, wf_value_weight(&mixed));
}

static void heavy_strings_cannot_be_built(void)
{
    TEST_ASSERT_EQUAL(WF_ABSENT, wf_string("", WF_MAX_WEIGHT).type);
    TEST_ASSERT_EQUAL(WF_ABSENT, wf_array(NULL, WF_MAX_WEIGHT).type);
    TEST_ASSERT_EQUAL(WF_ABSENT, wf_object(NULL, WF_MAX_WEIGHT).type);
}

static void members_are_found_by_key(void)
{
    wf_value object = parse("{\"a\":1,\"\":2,\"ab\":3}"), array = parse("[1]");

    TEST_ASSERT_TRUE(wf_value_get_z(&object, "ab")->as.number == 3);
    TEST_ASSERT_TRUE(wf_value_get_z(&object, "")->as.number == 2);
    TEST_ASSERT_NULL(wf_value_get_z(&object, "b"));
    TEST_ASSERT_NULL(wf_value_get_z(&array, "0"));
}

static bool same(const char *a, const char *b)
{
    wf_value x = parse(a), y = parse(b);

    TEST_ASSERT_EQUAL(wf_value_equal(&x, &y), wf_value_equal(&y, &x));
    return wf_value_equal(&x, &y);
}

static void equality_is_of_json(void)
{
    TEST_ASSERT_TRUE(same("{\"a\":1,\"b\":[1,{}]}", "{\"b\":[1.0,{}],\"a\":1e0}"));
    TEST_ASSERT_TRUE(same("[]", "[]"));
    TEST_ASSERT_TRUE(same("null", "null"));
    TEST_ASSERT_TRUE(same("\"\\u00e9\"", "\"\xC3\xA9\""));
    TEST_ASSERT_FALSE(same("[]", "{}"));
    TEST_ASSERT_FALSE(same("[1,2]", "[2,1]"));
    TEST_ASSERT_FALSE(same("{\"a\":1}", "{\"b\":1}"));
    TEST_ASSERT_FALSE(same("{\"a\":1}", "{\"a\":1,\"b\":2}"));
    TEST_ASSERT_FALSE(same("0", "false"));
    TEST_ASSERT_FALSE(same("\"1\"", "1"));
    TEST_ASSERT_FALSE(same("\"ab\"", "\"ac\""));
}

static void equality_within_a_budget_stops(void)
{
    wf_value a = parse("[1,2,3,4,5,6]"), b = parse("[1,2,3,4,5,6]");
    uint32_t steps = 8;

    TEST_ASSERT_TRUE(wf_value_equal_within(&a, &b, &steps));
    TEST_ASSERT_EQUAL(1, steps);
    steps = 5;
    TEST_ASSERT_FALSE(wf_value_equal_within(&a, &b, &steps));
    TEST_ASSERT_EQUAL(0, steps);
}

static void truth_is_jsonlogics(void)
{
    static const char *const truths[] = {"true", "1", "-1", "\"0\"", "[0]", "{\"\":0}"};
    static const char *const lies[] = {"false", "0", "\"\"", "[]", "{}", "null"};
    wf_value absent = wf_absent();

    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        wf_value value = parse(truths[i]);

        TEST_ASSERT_TRUE_MESSAGE(wf_value_truth(&value), truths[i]);
    }
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        wf_value value = parse(lies[i]);

        TEST_ASSERT_FALSE_MESSAGE(wf_value_truth(&value), lies[i]);
    }
    TEST_ASSERT_FALSE(wf_value_truth(&absent));
}

static const char deep_text[] = "{\"a\":[1,\"xyz\",{\"b\":null,\"\":[]}],\"cc\":true,\"d\":{}}";

static void a_copy_stands_alone(void)
{
    wf_value source = parse(deep_text), copy;
    char before[200];
    void *block;

    strcpy(before, json(&source));
    TEST_ASSERT_TRUE(wf_value_copy(&memory.allocator, &source, &copy, &block));
    wf_arena_fini(&arena);
    TEST_ASSERT_EQUAL_STRING(before, json(&copy));
    TEST_ASSERT_TRUE(wf_value_get_z(&copy, "cc")->as.boolean);
    wf_free(&memory.allocator, block);
}

static void copies_of_scalars_need_no_block(void)
{
    wf_value number = wf_number(4), text = wf_string_z(""), copy;
    void *block;

    memory.left = 0;
    TEST_ASSERT_TRUE(wf_value_copy(&memory.allocator, &number, &copy, &block));
    TEST_ASSERT_NULL(block);
    TEST_ASSERT_FALSE(wf_value_copy(&memory.allocator, &text, &copy, &block));
    memory.left = -1;
    TEST_ASSERT_TRUE(wf_value_copy(&memory.allocator, &text, &copy, &block));
    TEST_ASSERT_NOT_NULL(block);
    wf_free(&memory.allocator, block);
}

static void clones_live_in_an_arena(void)
{
    wf_value source = parse(deep_text), clone;
    wf_arena other;

    wf_arena_init(&other, &memory.allocator, 0);
    clone = wf_value_clone(&other, &source);
    TEST_ASSERT_TRUE(wf_value_equal(&source, &clone));
    wf_arena_fini(&other);
    other.limit = 50;
    TEST_ASSERT_EQUAL(WF_ABSENT, wf_value_clone(&other, &source).type);
    TEST_ASSERT_EQUAL(WF_ABSENT, wf_string_copy(&other, "x", 1).type);
    wf_arena_fini(&other);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(values_are_16_bytes);
    RUN_TEST(numbers_are_finite_and_zero_has_no_sign);
    RUN_TEST(depth_is_bounded);
    RUN_TEST(weight_is_bounded_though_parts_are_shared);
    RUN_TEST(weight_is_a_close_upper_bound);
    RUN_TEST(heavy_strings_cannot_be_built);
    RUN_TEST(members_are_found_by_key);
    RUN_TEST(equality_is_of_json);
    RUN_TEST(equality_within_a_budget_stops);
    RUN_TEST(truth_is_jsonlogics);
    RUN_TEST(a_copy_stands_alone);
    RUN_TEST(copies_of_scalars_need_no_block);
    RUN_TEST(clones_live_in_an_arena);
    return UNITY_END() != 0;
}
