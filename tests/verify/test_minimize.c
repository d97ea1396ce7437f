/* What follows from the rest is left out of a list of literals, and found only once. */
#include <string.h>
#include <unity.h>
#include "failing_allocator.h"
#include "verify/minimize.h"

static failing memory;
static wf_terms terms;
static wf_minimized minimized;

void setUp(void)
{
    failing_init(&memory, -1);
}

void tearDown(void)
{
    wf_minimized_fini(&minimized);
    wf_terms_fini(&terms);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static bool begin(void)
{
    memset(&minimized, 0, sizeof minimized);
    return wf_terms_init(&terms, &memory.allocator) &&
           wf_minimized_init(&minimized, &memory.allocator);
}

static wf_literal of_type(wf_term term, uint8_t types)
{
    return (wf_literal){.kind = WF_HAS_TYPE, .types = types, .term = term};
}

/* A text is a text or a number; of another symbol nothing follows. */
static uint32_t fill(wf_literal *list)
{
    wf_term x = wf_term_symbol(&terms, NULL, 0, 1), y = wf_term_symbol(&terms, NULL, 0, 2);
    list[0] = of_type(x, 1u << WF_STRING);
    list[1] = of_type(x, 1u << WF_STRING | 1u << WF_NUMBER);
    list[2] = of_type(y, 1u << WF_STRING);
    return x != WF_NONE && y != WF_NONE ? 3 : 0;
}

static bool minimize(wf_literal *list, uint32_t *count)
{
    wf_arena scratch;
    wf_arena_init(&scratch, &memory.allocator, 0);
    bool fine = wf_minimize(&minimized, &terms, &scratch, list, count);
    wf_arena_fini(&scratch);
    return fine;
}

static void check_left(const wf_literal *list, uint32_t count)
{
    TEST_ASSERT_EQUAL(2, count);
    TEST_ASSERT_EQUAL(1u << WF_STRING, list[0].types);
    TEST_ASSERT_NOT_EQUAL(list[0].term, list[1].term);
}

static void test_what_follows_is_left_out(void)
{
    wf_literal list[3];
    TEST_ASSERT_TRUE(begin());
    uint32_t count = fill(list);
    TEST_ASSERT_TRUE(minimize(list, &count));
    check_left(list, count);
}

static void test_a_list_is_solved_once(void)
{
    wf_literal list[3];
    TEST_ASSERT_TRUE(begin());
    uint32_t count = fill(list);
    TEST_ASSERT_TRUE(minimize(list, &count));
    count = fill(list);
    long asked = memory.asked;
    TEST_ASSERT_TRUE(minimize(list, &count));
    TEST_ASSERT_EQUAL(asked, memory.asked); /* the solver takes memory */
    check_left(list, count);
}

static void test_what_is_left_is_kept_too(void)
{
    wf_literal list[3];
    TEST_ASSERT_TRUE(begin());
    uint32_t count = fill(list);
    TEST_ASSERT_TRUE(minimize(list, &count));
    TEST_ASSERT_TRUE(minimize(list, &count));
    check_left(list, count);
}

static void test_without_memory(void)
{
    bool fine = false;
    for (long left = 0; !fine; left++) {
        wf_literal list[3];
        failing_init(&memory, left);
        memset(&terms, 0, sizeof terms);
        fine = begin();
        uint32_t count = fine ? fill(list) : 0;
        fine = count > 0 && minimize(list, &count) && count == 2;
        if (!fine) {
            wf_minimized_fini(&minimized);
            wf_terms_fini(&terms);
            TEST_ASSERT_EQUAL(0, memory.alive);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_follows_is_left_out);
    RUN_TEST(test_a_list_is_solved_once);
    RUN_TEST(test_what_is_left_is_kept_too);
    RUN_TEST(test_without_memory);
    return UNITY_END() != 0;
}
