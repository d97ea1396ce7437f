#include <stdint.h>
#include <string.h>
#include <unity.h>
#include "base/arena.h"
#include "failing_allocator.h"

static failing memory;
static wf_arena arena;

void setUp(void)
{
    failing_init(&memory, -1);
    wf_arena_init(&arena, &memory.allocator, 0);
}

void tearDown(void)
{
    wf_arena_fini(&arena);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static void blocks_are_apart_and_aligned(void)
{
    char *before = NULL;

    for (size_t bytes = 0; bytes < 3000; bytes += 7) {
        char *block = wf_arena_take(&arena, bytes);

        TEST_ASSERT_NOT_NULL(block);
        TEST_ASSERT_EQUAL(0, (uintptr_t)block % sizeof(void *));
        TEST_ASSERT_TRUE(block != before);
        memset(block, 0xAA, bytes);
        before = block;
    }
}

static void zeroed_and_text(void)
{
    char *zero = wf_arena_zero(&arena, 5);

    TEST_ASSERT_EQUAL_MEMORY("\0\0\0\0\0", zero, 5);
    TEST_ASSERT_EQUAL_STRING("ab", wf_arena_text(&arena, "abc", 2));
    TEST_ASSERT_EQUAL_STRING("", wf_arena_text(&arena, NULL, 0));
}

static void a_reset_arena_serves_again_without_allocating(void)
{
    long asked;

    for (int i = 0; i < 100; i++)
        wf_arena_take(&arena, 1000);
    wf_arena_reset(&arena);
    TEST_ASSERT_EQUAL(1, memory.alive);
    asked = memory.asked;
    for (int i = 0; i < 30; i++)
        wf_arena_take(&arena, 1000);
    TEST_ASSERT_EQUAL(asked, memory.asked);
}

static void an_arena_at_rest_is_small(void)
{
    wf_arena_take(&arena, 50000000);
    wf_arena_reset(&arena);
    TEST_ASSERT_EQUAL(0, memory.alive);
    wf_arena_take(&arena, 10);
    wf_arena_take(&arena, 50000000);
    wf_arena_reset(&arena);
    TEST_ASSERT_EQUAL(1, memory.alive);
}

static void failing_sticks_until_reset(void)
{
    memory.left = 0;
    TEST_ASSERT_NULL(wf_arena_take(&arena, 10));
    memory.left = -1;
    TEST_ASSERT_NULL(wf_arena_take(&arena, 10));
    TEST_ASSERT_EQUAL(WFSM_NO_MEMORY, wf_arena_error(&arena, NULL));
    wf_arena_reset(&arena);
    TEST_ASSERT_NOT_NULL(wf_arena_take(&arena, 10));
}

static void the_limit_counts_what_was_handed_out(void)
{
    wfsm_error *error = wfsm_error_new(NULL);

    arena.limit = 100;
    TEST_ASSERT_NOT_NULL(wf_arena_take(&arena, 90));
    TEST_ASSERT_NULL(wf_arena_take(&arena, 20));
    TEST_ASSERT_NULL(wf_arena_take(&arena, 1));
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_arena_error(&arena, error));
    TEST_ASSERT_EQUAL_STRING("more than 100 bytes of memory are needed",
                             wfsm_error_message(error));
    wf_arena_reset(&arena);
    TEST_ASSERT_NOT_NULL(wf_arena_take(&arena, 90));
    wfsm_error_free(error);
}

static void absurd_sizes_fail(void)
{
    TEST_ASSERT_NULL(wf_arena_take(&arena, SIZE_MAX));
    wf_arena_reset(&arena);
    TEST_ASSERT_NULL(wf_arena_text(&arena, "", SIZE_MAX));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(blocks_are_apart_and_aligned);
    RUN_TEST(zeroed_and_text);
    RUN_TEST(a_reset_arena_serves_again_without_allocating);
    RUN_TEST(an_arena_at_rest_is_small);
    RUN_TEST(failing_sticks_until_reset);
    RUN_TEST(the_limit_counts_what_was_handed_out);
    RUN_TEST(absurd_sizes_fail);
    return UNITY_END() != 0;
}
