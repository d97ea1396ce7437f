#include <string.h>
#include <unity.h>
#include "base/buffer.h"
#include "failing_allocator.h"

static failing memory;
static wf_buffer buffer;

void setUp(void)
{
    failing_init(&memory, -1);
    wf_buffer_init(&buffer, &memory.allocator);
}

void tearDown(void)
{
    wf_buffer_fini(&buffer);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static void it_appends_and_terminates(void)
{
    wf_buffer_text(&buffer, "abc");
    wf_buffer_byte(&buffer, 'd');
    wf_buffer_add(&buffer, "efg", 1);
    wf_buffer_format(&buffer, "%s=%d", "x", 42);
    TEST_ASSERT_EQUAL_STRING("abcdex=42", buffer.data);
    TEST_ASSERT_EQUAL(9, buffer.length);
    TEST_ASSERT_FALSE(buffer.failed);
}

static void it_grows_far(void)
{
    for (int i = 0; i < 10000; i++)
        wf_buffer_format(&buffer, "%04d", i);
    TEST_ASSERT_EQUAL(40000, buffer.length);
    TEST_ASSERT_EQUAL_STRING("9999", buffer.data + 39996);
}

static void clearing_keeps_the_memory(void)
{
    long asked;

    wf_buffer_text(&buffer, "abc");
    asked = memory.asked;
    wf_buffer_clear(&buffer);
    TEST_ASSERT_EQUAL_STRING("", buffer.data);
    wf_buffer_text(&buffer, "xyz");
    TEST_ASSERT_EQUAL_STRING("xyz", buffer.data);
    TEST_ASSERT_EQUAL(asked, memory.asked);
}

static void a_failure_sticks_until_it_is_cleared(void)
{
    char big[300] = {0};

    wf_buffer_text(&buffer, "abc");
    memory.left = 0;
    wf_buffer_add(&buffer, big, sizeof big);
    TEST_ASSERT_TRUE(buffer.failed);
    wf_buffer_byte(&buffer, 'd');
    wf_buffer_format(&buffer, "%d", 1);
    TEST_ASSERT_EQUAL_STRING("abc", buffer.data);
    memory.left = -1;
    wf_buffer_clear(&buffer);
    wf_buffer_byte(&buffer, 'd');
    TEST_ASSERT_FALSE(buffer.failed);
    TEST_ASSERT_EQUAL_STRING("d", buffer.data);
}

static void sizes_that_cannot_be_counted_fail(void)
{
    wf_buffer_add(&buffer, "", SIZE_MAX - 1);
    TEST_ASSERT_TRUE(buffer.failed);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_appends_and_terminates);
    RUN_TEST(it_grows_far);
    RUN_TEST(clearing_keeps_the_memory);
    RUN_TEST(a_failure_sticks_until_it_is_cleared);
    RUN_TEST(sizes_that_cannot_be_counted_fail);
    return UNITY_END() != 0;
}
