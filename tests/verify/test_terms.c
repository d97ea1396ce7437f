/* Terms are kept once, and parts of what is known or built are found. */
#include <unity.h>
#include "failing_allocator.h"
#include "logic/expr_tree.h"
#include "verify/terms.h"

static const wf_operator plus = {.name = "+"}, minus = {.name = "-"}, most = {.name = "max"};
static failing memory;
static wf_terms terms;

void setUp(void)
{
    failing_init(&memory, -1);
    TEST_ASSERT_TRUE(wf_terms_init(&terms, &memory.allocator));
}

void tearDown(void)
{
    wf_terms_fini(&terms);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static wf_term number(double value)
{
    const wf_value known = wf_number(value);
    return wf_term_known(&terms, &known);
}

static wf_term sum(wf_term a, wf_term b)
{
    const wf_term both[] = {a, b};
    return wf_term_apply(&terms, &plus, both, 2);
}

static wf_term difference(wf_term a, wf_term b)
{
    const wf_term both[] = {a, b};
    return wf_term_apply(&terms, &minus, both, 2);
}

static wf_term greatest(wf_term a, wf_term b)
{
    const wf_term both[] = {a, b};
    return wf_term_apply(&terms, &most, both, 2);
}

static void test_equal_terms_are_one(void)
{
    wf_term x = wf_term_symbol(&terms, NULL, 0, 1), y = wf_term_symbol(&terms, NULL, 0, 2);
    TEST_ASSERT_EQUAL(x, wf_term_symbol(&terms, NULL, 0, 1));
    TEST_ASSERT_NOT_EQUAL(x, y);
    TEST_ASSERT_EQUAL(number(3), number(3));
    TEST_ASSERT_EQUAL(sum(x, number(1)), sum(x, number(1)));
    TEST_ASSERT_NOT_EQUAL(sum(x, y), sum(y, x));
    TEST_ASSERT_EQUAL(wf_term_member(&terms, x, "a", 1), wf_term_member(&terms, x, "a", 1));
    TEST_ASSERT_NOT_EQUAL(wf_term_member(&terms, x, "a", 1), wf_term_has(&terms, x, "a", 1));
    TEST_ASSERT_EQUAL(1, wf_term_at(&terms, sum(x, y))->depth);
}

/* The bits of symbols decide what the solver is asked. Two runs shall ask the same, wherever in memory they have
 * their schemas. */
static void test_the_bit_of_a_symbol_does_not_depend_on_memory(void)
{
    static const char places[64];
    const uint64_t bit = wf_term_at(&terms, wf_term_symbol(&terms, NULL, 0, 1))->symbols;
    for (size_t i = 0; i < sizeof places; i++) {
        const wf_schema *schema = (const wf_schema *)(const void *)&places[i];
        const wf_term symbol = wf_term_symbol(&terms, &schema, 1, 1);
        TEST_ASSERT_TRUE(wf_term_at(&terms, symbol)->symbols == bit);
    }
}

static void test_parts_are_found(void)
{
    wf_term x = wf_term_symbol(&terms, NULL, 0, 1);
    wf_member keys[2];
    const wf_term values[] = {x, number(2)};
    wf_member_set(&keys[0], "a", 1, wf_absent());
    wf_member_set(&keys[1], "b", 1, wf_absent());
    wf_term object = wf_term_object(&terms, keys, values, 2);
    wf_term list = wf_term_array(&terms, values, 2);
    TEST_ASSERT_EQUAL(x, wf_term_member(&terms, object, "a", 1));
    TEST_ASSERT_EQUAL(x, wf_term_element(&terms, list, 0));
    TEST_ASSERT_EQUAL(number(2), wf_term_member(&terms, list, "1", 1));
    TEST_ASSERT_EQUAL(WF_NULL,
                      wf_term_at(&terms, wf_term_member(&terms, object, "c", 1))->value.type);
    TEST_ASSERT_FALSE(
        wf_term_at(&terms, wf_term_has(&terms, object, "c", 1))->value.as.boolean);
    TEST_ASSERT_TRUE(wf_term_at(&terms, wf_term_has(&terms, object, "b", 1))->value.as.boolean);
}

static void test_what_is_built_of_known_parts_is_known(void)
{
    const wf_term values[] = {number(1), number(2)};
    wf_term list = wf_term_array(&terms, values, 2);
    TEST_ASSERT_EQUAL(WF_TERM_KNOWN, wf_term_at(&terms, list)->kind);
    TEST_ASSERT_EQUAL(2, wf_term_at(&terms, list)->value.length);
    TEST_ASSERT_EQUAL(number(2), wf_term_element(&terms, list, 1));
}

static void test_a_sum_is_one_however_it_is_written(void)
{
    wf_term x = wf_term_symbol(&terms, NULL, 0, 1), y = wf_term_symbol(&terms, NULL, 0, 2),
            z = wf_term_symbol(&terms, NULL, 0, 3);
    const wf_term all[] = {x, y, z};
    wf_term whole = wf_term_apply(&terms, &plus, all, 3);
    TEST_ASSERT_EQUAL(whole, sum(sum(x, y), z));
    TEST_ASSERT_EQUAL(whole, sum(sum(sum(number(0), x), y), z));
    TEST_ASSERT_EQUAL(3, wf_term_at(&terms, whole)->count);
    TEST_ASSERT_EQUAL(2, wf_term_at(&terms, whole)->depth);
    /* What is added first makes a difference to the rounding. */
    TEST_ASSERT_NOT_EQUAL(whole, sum(x, sum(y, z)));
    TEST_ASSERT_NOT_EQUAL(whole, sum(sum(number(1), x), sum(y, z)));
    TEST_ASSERT_EQUAL(1, wf_term_at(&terms, sum(number(0), x))->count);
}

static void test_a_greatest_value_has_no_order(void)
{
    wf_term x = wf_term_symbol(&terms, NULL, 0, 1), y = wf_term_symbol(&terms, NULL, 0, 2),
            z = wf_term_symbol(&terms, NULL, 0, 3);
    TEST_ASSERT_EQUAL(greatest(x, greatest(y, z)), greatest(greatest(z, x), y));
    TEST_ASSERT_NOT_EQUAL(greatest(x, y), greatest(x, z));
}

/* A longer sum is not taken apart. */
static void test_a_sum_has_not_too_many_operands(void)
{
    wf_term last = wf_term_symbol(&terms, NULL, 0, 0);
    for (int i = 1; i < 200; i++)
        last = sum(last, wf_term_symbol(&terms, NULL, 0, (uint32_t)i));
    TEST_ASSERT_LESS_OR_EQUAL(64, wf_term_at(&terms, last)->count);
    TEST_ASSERT_GREATER_THAN(1, wf_term_at(&terms, last)->depth);
}

static void test_many_terms(void)
{
    wf_term last = wf_term_symbol(&terms, NULL, 0, 0);
    for (int i = 0; i < 5000; i++)
        last = difference(last, number(i));
    TEST_ASSERT_EQUAL(5000, wf_term_at(&terms, last)->depth);
    TEST_ASSERT_EQUAL(number(7), number(7));
}

static void test_no_memory(void)
{
    memory.left = 0;
    wf_term last = wf_term_symbol(&terms, NULL, 0, 0);
    for (int i = 0; i < 100000 && last != WF_NONE; i++)
        last = wf_term_symbol(&terms, NULL, 0, (uint32_t)i);
    TEST_ASSERT_EQUAL(WF_NONE, last);
    TEST_ASSERT_EQUAL(WF_NONE, sum(last, last));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_equal_terms_are_one);
    RUN_TEST(test_the_bit_of_a_symbol_does_not_depend_on_memory);
    RUN_TEST(test_parts_are_found);
    RUN_TEST(test_what_is_built_of_known_parts_is_known);
    RUN_TEST(test_a_sum_is_one_however_it_is_written);
    RUN_TEST(test_a_greatest_value_has_no_order);
    RUN_TEST(test_a_sum_has_not_too_many_operands);
    RUN_TEST(test_many_terms);
    RUN_TEST(test_no_memory);
    return UNITY_END();
}
