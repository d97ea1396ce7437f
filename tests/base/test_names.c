#include <stdio.h>
#include <string.h>
#include <unity.h>
#include "base/names.h"
#include "failing_allocator.h"

static failing memory;
static wf_names names;

void setUp(void)
{
    failing_init(&memory, -1);
    wf_names_init(&names, &memory.allocator);
}

void tearDown(void)
{
    wf_names_fini(&names);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static uint32_t add_number(int number)
{
    char text[16];
    int length = snprintf(text, sizeof text, "n%d", number);

    return wf_names_add(&names, text, (size_t)length);
}

static void numbers_count_up_and_stay(void)
{
    for (int i = 0; i < 5000; i++)
        TEST_ASSERT_EQUAL(i, add_number(i));
    for (int i = 0; i < 5000; i++)
        TEST_ASSERT_EQUAL(i, add_number(i));
    TEST_ASSERT_EQUAL(5000, names.count);
    TEST_ASSERT_EQUAL_STRING("n4999", names.list[4999].text);
    TEST_ASSERT_EQUAL(wf_hash("n4999", 5), names.list[4999].hash);
}

static void what_is_not_there_is_not_found(void)
{
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(&names, "a", 1));
    wf_names_add(&names, "abc", 2);
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(&names, "abc", 3));
    TEST_ASSERT_EQUAL_UINT32(0, wf_names_find(&names, "ab", 2));
    TEST_ASSERT_EQUAL_UINT32(1, wf_names_add(&names, "", 0));
    TEST_ASSERT_EQUAL_UINT32(1, wf_names_find(&names, "", 0));
}

static void what_was_cut_off_is_gone_and_can_come_again(void)
{
    for (int i = 0; i < 1000; i++)
        add_number(i);
    wf_names_cut(&names, 1000);
    TEST_ASSERT_EQUAL(1000, names.count);
    wf_names_cut(&names, 300);
    TEST_ASSERT_EQUAL(300, names.count);
    for (int i = 0; i < 300; i++)
        TEST_ASSERT_EQUAL(i, add_number(i));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(&names, "n300", 4));
    for (int i = 999; i >= 300; i--)
        TEST_ASSERT_EQUAL(1299 - i, add_number(i));
    wf_names_cut(&names, 0);
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(&names, "n0", 2));
    TEST_ASSERT_EQUAL(0, add_number(7));
}

static void one_can_be_taken_out(void)
{
    for (int i = 0; i < 100; i++)
        add_number(i);
    memory.left = 0;
    wf_names_remove(&names, 40);
    wf_names_remove(&names, 98);
    wf_names_remove(&names, 0);
    TEST_ASSERT_EQUAL(97, names.count);
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(&names, "n40", 3));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(&names, "n99", 3));
    TEST_ASSERT_EQUAL_UINT32(0, wf_names_find(&names, "n1", 2));
    TEST_ASSERT_EQUAL_UINT32(38, wf_names_find(&names, "n39", 3));
    TEST_ASSERT_EQUAL_UINT32(39, wf_names_find(&names, "n41", 3));
    TEST_ASSERT_EQUAL_UINT32(96, wf_names_find(&names, "n98", 3));
}

static uint32_t asked;

static bool is_odd(const void *user, uint32_t number)
{
    (void)user;
    asked++;
    return number % 2 != 0;
}

/* A loop of removals would look at each name behind each of them. */
static void many_are_taken_out_at_once(void)
{
    for (int i = 0; i < 1000; i++)
        add_number(i);
    memory.left = 0;
    asked = 0;
    wf_names_filter(&names, is_odd, NULL);
    TEST_ASSERT_EQUAL_UINT32(1000, asked);
    TEST_ASSERT_EQUAL_UINT32(500, names.count);
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_find(&names, "n998", 4));
    TEST_ASSERT_EQUAL_UINT32(0, wf_names_find(&names, "n1", 2));
    TEST_ASSERT_EQUAL_UINT32(499, wf_names_find(&names, "n999", 4));
    TEST_ASSERT_EQUAL_STRING("n999", names.list[499].text);
}

static void out_of_memory_adds_nothing(void)
{
    uint32_t count;

    for (int i = 0; i < 40; i++)
        add_number(i);
    count = names.count;
    memory.left = 0;
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_names_add(&names, "new", 3));
    TEST_ASSERT_EQUAL(count, names.count);
    TEST_ASSERT_EQUAL_UINT32(7, add_number(7));
    memory.left = -1;
    TEST_ASSERT_EQUAL_UINT32(count, wf_names_add(&names, "new", 3));
}

static void every_failing_allocation_is_told(void)
{
    for (long left = 0; left < 20; left++) {
        wf_names_fini(&names);
        memory.left = left;
        for (int i = 0; i < 20; i++) {
            uint32_t number = add_number(i);

            TEST_ASSERT_TRUE(number == WF_NONE || number < names.count);
        }
        memory.left = -1;
        TEST_ASSERT_NOT_EQUAL(WF_NONE, add_number(1));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(numbers_count_up_and_stay);
    RUN_TEST(what_is_not_there_is_not_found);
    RUN_TEST(what_was_cut_off_is_gone_and_can_come_again);
    RUN_TEST(one_can_be_taken_out);
    RUN_TEST(many_are_taken_out_at_once);
    RUN_TEST(out_of_memory_adds_nothing);
    RUN_TEST(every_failing_allocation_is_told);
    return UNITY_END() != 0;
}
