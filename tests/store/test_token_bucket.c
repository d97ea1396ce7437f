/* A rate as a token bucket: how many tokens it gives in any time, and with the greatest numbers. */
#include <stdlib.h>
#include <unity.h>

#include "store/token_bucket.h"

static wf_token_bucket bucket;
static int64_t wait;

void setUp(void)
{
    bucket = (wf_token_bucket){.count = 0};
}

void tearDown(void)
{
}

static uint32_t take(uint32_t wanted, uint32_t ahead, int64_t now)
{
    return wf_token_bucket_take(&bucket, wanted, ahead, now, &wait);
}

static void it_is_full_at_first(void)
{
    wf_token_bucket_set(&bucket, 3, 1000);
    TEST_ASSERT_EQUAL_UINT32(2, take(2, 0, 5));
    TEST_ASSERT_EQUAL_UINT32(1, take(2, 0, 5));
    TEST_ASSERT_EQUAL_UINT32(0, take(2, 0, 5));
    TEST_ASSERT_EQUAL_INT64(334, wait); /* a third of a second, rounded up */
    TEST_ASSERT_EQUAL_UINT32(0, take(1, 0, 338));
    TEST_ASSERT_EQUAL_INT64(1, wait);
    TEST_ASSERT_EQUAL_UINT32(1, take(1, 0, 339));
    TEST_ASSERT_EQUAL_UINT32(3, take(9, 0, 5000));
}

static void tokens_are_promised_in_turn(void)
{
    wf_token_bucket_set(&bucket, 1, 100);
    TEST_ASSERT_EQUAL_UINT32(1, take(1, 2, 0));
    TEST_ASSERT_EQUAL_UINT32(1, take(5, 2, 10));
    TEST_ASSERT_EQUAL_INT64(90, wait);
    TEST_ASSERT_EQUAL_UINT32(1, take(5, 2, 20));
    TEST_ASSERT_EQUAL_INT64(180, wait);
    TEST_ASSERT_EQUAL_UINT32(0, take(5, 2, 30)); /* two are promised */
    TEST_ASSERT_EQUAL_INT64(70, wait);
    TEST_ASSERT_EQUAL_UINT32(1, take(5, 2, 100));
    TEST_ASSERT_EQUAL_INT64(200, wait);
}

static void a_clock_that_is_behind_fills_nothing(void)
{
    wf_token_bucket_set(&bucket, 2, 100);
    TEST_ASSERT_EQUAL_UINT32(2, take(2, 0, 1000));
    TEST_ASSERT_EQUAL_UINT32(0, take(1, 0, 950));
    TEST_ASSERT_EQUAL_UINT32(0, take(1, 0, 1049));
    TEST_ASSERT_EQUAL_UINT32(1, take(1, 0, 1050));
    TEST_ASSERT_EQUAL_UINT32(0, take(1, 0, 7)); /* set back: it counts from here */
    TEST_ASSERT_EQUAL_UINT32(1, take(1, 0, 57));
}

static void another_rate_keeps_what_is_owed(void)
{
    wf_token_bucket_set(&bucket, 4, 1000);
    TEST_ASSERT_EQUAL_UINT32(3, take(3, 0, 0));
    wf_token_bucket_set(&bucket, 4, 10);
    TEST_ASSERT_EQUAL_UINT32(1, take(3, 0, 0));
    wf_token_bucket_set(&bucket, 2, 10);
    TEST_ASSERT_EQUAL_UINT32(0, take(1, 0, 0));
    TEST_ASSERT_EQUAL_INT64(15, wait); /* three have to come back */
}

static void the_greatest_numbers_do_not_overflow(void)
{
    wf_token_bucket_set(&bucket, INT32_MAX, INT32_MAX);
    TEST_ASSERT_EQUAL_UINT32(INT32_MAX, take(UINT32_MAX, 16, 0));
    for (int i = 0; i < 16; i++)
        TEST_ASSERT_EQUAL_UINT32(1, take(1, 16, 0));
    TEST_ASSERT_EQUAL_UINT32(0, take(1, 16, 0));
    TEST_ASSERT_EQUAL_INT64(1, wait);
    wf_token_bucket_set(&bucket, INT32_MAX, 1);
    wf_token_bucket_set(&bucket, INT32_MAX, INT32_MAX);
    TEST_ASSERT_EQUAL_UINT32(INT32_MAX, take(UINT32_MAX, 16, INT64_MAX));
    wf_token_bucket_set(&bucket, 1, INT32_MAX);
    TEST_ASSERT_EQUAL_UINT32(0, take(1, 0, INT64_MAX));
}

/* What is given and may be used, at any times, is within the rate. */
static void no_time_has_more_than_its_rate(void)
{
    enum { TAKEN = 400 };
    static int64_t used[TAKEN];

    srand(1);
    for (int run = 0; run < 200; run++) {
        int64_t count = 1 + rand() % 5, per_ms = 1 + rand() % 50, now = 0;
        size_t found = 0;

        setUp();
        wf_token_bucket_set(&bucket, (uint32_t)count, per_ms);
        while (found < TAKEN - 5) {
            uint32_t given = take(1 + (uint32_t)rand() % 5, (uint32_t)rand() % 3, now);

            for (; given > 0; given--)
                used[found++] = now + wait;
            now += rand() % 20;
        }
        for (size_t i = 0; i < found; i++)
            for (size_t j = i; j < found; j++)
                TEST_ASSERT_TRUE((int64_t)(j - i) + 1 <=
                                 count + (used[j] - used[i]) * count / per_ms);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_is_full_at_first);
    RUN_TEST(tokens_are_promised_in_turn);
    RUN_TEST(a_clock_that_is_behind_fills_nothing);
    RUN_TEST(another_rate_keeps_what_is_owed);
    RUN_TEST(the_greatest_numbers_do_not_overflow);
    RUN_TEST(no_time_has_more_than_its_rate);
    return UNITY_END() != 0;
}
