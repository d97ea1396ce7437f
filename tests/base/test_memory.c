#include <string.h>
#include <unity.h>
#include "base/memory.h"
#include "base/sized.h"
#include "failing_allocator.h"

static failing memory;

void setUp(void)
{
    failing_init(&memory, -1);
}

void tearDown(void)
{
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static void no_allocator_is_the_c_library(void)
{
    wfsm_allocator own;
    void *block;

    TEST_ASSERT_TRUE(wf_allocator_init(&own, NULL));
    block = own.resize(own.user, own.allocate(own.user, 4), 8);
    TEST_ASSERT_NOT_NULL(block);
    own.release(own.user, block);
}

static void an_allocator_must_be_whole(void)
{
    wfsm_allocator own, given = memory.allocator;

    TEST_ASSERT_TRUE(wf_allocator_init(&own, &given));
    given.release = NULL;
    TEST_ASSERT_FALSE(wf_allocator_init(&own, &given));
    given = memory.allocator;
    given.size = sizeof given - 1;
    TEST_ASSERT_FALSE(wf_allocator_init(&own, &given));
}

static void new_memory_is_zero_and_never_null(void)
{
    char *block = wf_new(&memory.allocator, 3);
    void *nothing = wf_new(&memory.allocator, 0);

    TEST_ASSERT_EQUAL_MEMORY("\0\0\0", block, 3);
    TEST_ASSERT_NOT_NULL(nothing);
    wf_free(&memory.allocator, block);
    wf_free(&memory.allocator, nothing);
    wf_free(&memory.allocator, NULL);
}

static void text_copies_are_terminated(void)
{
    char *copy = wf_copy_text(&memory.allocator, "abcdef", 3);

    TEST_ASSERT_EQUAL_STRING("abc", copy);
    wf_free(&memory.allocator, copy);
    TEST_ASSERT_NULL(wf_copy_text(&memory.allocator, "", SIZE_MAX));
}

static void arrays_grow_and_keep_what_they_hold(void)
{
    size_t capacity = 0;
    int *list = NULL;

    for (int i = 0; i < 1000; i++) {
        list = wf_grow(&memory.allocator, list, &capacity, (size_t)i + 1, sizeof *list);
        TEST_ASSERT_NOT_NULL(list);
        list[i] = i;
    }
    TEST_ASSERT_EQUAL(999, list[999]);
    TEST_ASSERT_EQUAL(7, list[7]);
    TEST_ASSERT_LESS_THAN(12, memory.asked);
    wf_free(&memory.allocator, list);
}

static void a_failed_growth_changes_nothing(void)
{
    size_t capacity = 0;
    int *list = wf_grow(&memory.allocator, NULL, &capacity, 1, sizeof *list);
    size_t before = capacity;

    memory.left = 0;
    TEST_ASSERT_NULL(wf_grow(&memory.allocator, list, &capacity, 1000, sizeof *list));
    TEST_ASSERT_EQUAL(before, capacity);
    memory.left = -1;
    TEST_ASSERT_NULL(wf_grow(&memory.allocator, list, &capacity, SIZE_MAX, sizeof *list));
    TEST_ASSERT_EQUAL(before, capacity);
    wf_free(&memory.allocator, list);
}

typedef struct options {
    size_t size;
    int32_t first;
    int32_t second;
} options;

typedef struct newer_options {
    options old;
    int64_t third;
} newer_options;

static void short_structs_count_as_zero_behind_their_end(void)
{
    options out, given = {offsetof(options, second), 5, 9};

    TEST_ASSERT_TRUE(wf_struct_check(&out, sizeof out, &given, sizeof(size_t)));
    TEST_ASSERT_EQUAL(5, out.first);
    TEST_ASSERT_EQUAL(0, out.second);
}

static void long_structs_may_only_add_zeros(void)
{
    newer_options given = {{sizeof given, 5, 9}, 0};
    options out;

    TEST_ASSERT_TRUE(wf_struct_check(&out, sizeof out, &given, sizeof out));
    TEST_ASSERT_EQUAL(9, out.second);
    given.third = 1;
    TEST_ASSERT_FALSE(wf_struct_check(&out, sizeof out, &given, sizeof out));
}

static void structs_that_are_too_small_are_refused(void)
{
    options out, given = {4, 1, 2};

    TEST_ASSERT_FALSE(wf_struct_check(&out, sizeof out, &given, 0));
    TEST_ASSERT_FALSE(wf_struct_check(&out, sizeof out, NULL, 0));
    given.size = sizeof(size_t);
    TEST_ASSERT_FALSE(wf_struct_check(&out, sizeof out, &given, sizeof out));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(no_allocator_is_the_c_library);
    RUN_TEST(an_allocator_must_be_whole);
    RUN_TEST(new_memory_is_zero_and_never_null);
    RUN_TEST(text_copies_are_terminated);
    RUN_TEST(arrays_grow_and_keep_what_they_hold);
    RUN_TEST(a_failed_growth_changes_nothing);
    RUN_TEST(short_structs_count_as_zero_behind_their_end);
    RUN_TEST(long_structs_may_only_add_zeros);
    RUN_TEST(structs_that_are_too_small_are_refused);
    return UNITY_END() != 0;
}
