/* Times of STATE.yaml and dates of archived specs (003-176). */
#include "agentd/time_text.h"

#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static const struct {
    int64_t ms;
    const char *text;
} cases[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {1, "1970-01-01T00:00:00.001Z"},
    {951782400000, "2000-02-29T00:00:00.000Z"},
    {951868799999, "2000-02-29T23:59:59.999Z"},
    {951868800000, "2000-03-01T00:00:00.000Z"},
    {1709164800000, "2024-02-29T00:00:00.000Z"},
    {1735689599999, "2024-12-31T23:59:59.999Z"},
    {1735689600000, "2025-01-01T00:00:00.000Z"},
    {1795254330123, "2026-11-21T09:45:30.123Z"},
    {4107542400000, "2100-03-01T00:00:00.000Z"},
    {253402300799999, "9999-12-31T23:59:59.999Z"},
};

static void test_there_and_back(void)
{
    char text[TIME_TEXT_SIZE];
    int64_t ms;
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        time_text(cases[index].ms, text);
        TEST_ASSERT_EQUAL_STRING(cases[index].text, text);
        TEST_ASSERT_EQUAL_MESSAGE(0, time_of_text(text, &ms), text);
        TEST_ASSERT_EQUAL_INT64(cases[index].ms, ms);
        date_text(cases[index].ms, text);
        TEST_ASSERT_EQUAL(10, strlen(text));
        TEST_ASSERT_EQUAL_STRING_LEN(cases[index].text, text, 10);
    }
}

static void test_every_day_follows_the_one_before(void)
{
    char text[TIME_TEXT_SIZE], before[TIME_TEXT_SIZE] = "";
    int64_t day, back;

    for (day = 0; day < 2932897; day += 13) {
        time_text(day * 86400000, text);
        TEST_ASSERT_TRUE_MESSAGE(strcmp(before, text) < 0, text);
        TEST_ASSERT_EQUAL(0, time_of_text(text, &back));
        TEST_ASSERT_EQUAL_INT64(day * 86400000, back);
        strcpy(before, text);
    }
}

static void test_what_lies_outside(void)
{
    char text[TIME_TEXT_SIZE];

    time_text(-1, text);
    TEST_ASSERT_EQUAL_STRING("1970-01-01T00:00:00.000Z", text);
    time_text(INT64_MIN, text);
    TEST_ASSERT_EQUAL_STRING("1970-01-01T00:00:00.000Z", text);
    time_text(INT64_MAX, text);
    TEST_ASSERT_EQUAL_STRING("9999-12-31T23:59:59.999Z", text);
}

static void test_what_is_no_time(void)
{
    static const char *const texts[] = {
        "",
        "now",
        "2026-01-21",
        "2026-01-21 09:30:00.000Z",
        "2026-02-30T00:00:00.000Z",
        "2026-13-01T00:00:00.000Z",
        "2026-00-01T00:00:00.000Z",
        "2026-01-21T24:00:00.000Z",
        "2026-01-21T09:60:00.000Z",
        "2026-01-21T09:30:00.000",
        "2026-01-21T09:30:00.000Zulu",
        "2026-1-21T09:30:00.000Z",
        "-026-01-21T09:30:00.000Z",
        "1969-12-31T23:59:59.999Z",
        "2026-01-21T09:30:00.-01Z",
    };
    int64_t ms;
    size_t index;

    for (index = 0; index < sizeof texts / sizeof *texts; index++)
        TEST_ASSERT_EQUAL_MESSAGE(-1, time_of_text(texts[index], &ms), texts[index]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_there_and_back);
    RUN_TEST(test_every_day_follows_the_one_before);
    RUN_TEST(test_what_lies_outside);
    RUN_TEST(test_what_is_no_time);
    return UNITY_END() != 0;
}
