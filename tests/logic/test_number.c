#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include "logic_support.h"

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    setlocale(LC_ALL, "C");
    support_end();
}

static const struct {
    double number;
    const char *text;
} texts[] = {
    {0, "0"},
    {-0.0, "0"},
    {-12, "-12"},
    {0.1, "0.1"},
    {0.1 + 0.2, "0.30000000000000004"},
    {100, "100"},
    {1e20, "100000000000000000000"},
    {1e21, "1e+21"},
    {123456789012345678.0, "123456789012345680"},
    {1.5e300, "1.5e+300"},
    {0.000001, "0.000001"},
    {0.0000001, "1e-7"},
    {1.25e-9, "1.25e-9"},
    {5e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {-1.0 / 3, "-0.3333333333333333"},
    /* The rounded 16 digits lie outside of the narrow gap below a power of two. */
    {5.684341886080802e-14, "5.684341886080802e-14"},
    {9007199254740993.0 * 2, "18014398509481984"},
    {NAN, "NaN"},
    {-INFINITY, "-Infinity"},
};

static void check_texts(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char out[WF_NUMBER_BYTES];
        size_t length = wf_number_text(texts[i].number, out);

        TEST_ASSERT_EQUAL_STRING(texts[i].text, out);
        TEST_ASSERT_EQUAL(strlen(out), length);
    }
}

static void numbers_look_as_in_javascript(void)
{
    check_texts();
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void every_text_reads_back(void)
{
    uint64_t state = 88172645463325252u;

    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state);
        char out[WF_NUMBER_BYTES];
        double number, back;
        size_t length;

        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number))
            continue;
        length = wf_number_text(number, out);
        TEST_ASSERT_LESS_THAN(WF_NUMBER_BYTES, length);
        TEST_ASSERT_EQUAL(length, wf_number_parse(out, length, &back));
        TEST_ASSERT_TRUE_MESSAGE(number == back, out);
    }
}

static const struct {
    const char *text;
    size_t used;
    double number;
} readings[] = {
    {"12", 2, 12},
    {"-1.5e3x", 6, -1500},
    {"+7", 2, 7},
    {".5", 2, 0.5},
    {"5.", 2, 5},
    {"5.e2", 4, 500},
    {"1e", 1, 1},
    {"1e+", 1, 1},
    {"1E-2", 4, 0.01},
    {"007", 3, 7},
    {"1e999", 5, INFINITY},
    {"1e-999", 6, 0},
    {"0e99999999999", 13, 0},
    {"3 4", 1, 3},
    {"", 0, 0},
    {"-", 0, 0},
    {".", 0, 0},
    {".e1", 0, 0},
    {"x1", 0, 0},
    {"2.2250738585072011e-308", 23, 2.2250738585072011e-308},
    {"9007199254740993", 16, 9007199254740992.0},
    {"9007199254740993.00000000000000000001", 37, 9007199254740994.0},
};

static void check_readings(void)
{
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        double number = 0;
        const char *text = readings[i].text;

        TEST_ASSERT_EQUAL_MESSAGE(readings[i].used,
                                  wf_number_parse(text, strlen(text), &number), text);
        TEST_ASSERT_TRUE_MESSAGE(readings[i].number == number, text);
    }
}

static void decimal_text_is_read_from_the_start(void)
{
    check_readings();
}

static void thousands_of_digits_are_rounded_right(void)
{
    char text[3000];
    double number;

    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    TEST_ASSERT_EQUAL(sizeof text, wf_number_parse(text, sizeof text, &number));
    TEST_ASSERT_TRUE(number == 9007199254740992.0);
    text[sizeof text - 1] = '1';
    wf_number_parse(text, sizeof text, &number);
    TEST_ASSERT_TRUE(number == 9007199254740994.0);
    memset(text, '7', sizeof text);
    wf_number_parse(text, sizeof text, &number);
    TEST_ASSERT_TRUE(isinf(number));
    TEST_ASSERT_EQUAL(20, wf_number_parse(text, 20, &number));
    TEST_ASSERT_TRUE(number == 77777777777777777777.0);
}

static void the_locale_does_not_matter(void)
{
    wf_value value;

    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        TEST_IGNORE_MESSAGE("no locale with a decimal comma");
    TEST_ASSERT_EQUAL_STRING(",", localeconv()->decimal_point);
    check_texts();
    check_readings();
    value = parse("[0.5,1e-7]");
    TEST_ASSERT_EQUAL_STRING("[0.5,1e-7]", json(&value));
}

static void integers_are_written_whole(void)
{
    wf_json_write_int(&buffer, INT64_MIN);
    wf_buffer_byte(&buffer, ' ');
    wf_json_write_int(&buffer, INT64_MAX);
    TEST_ASSERT_EQUAL_STRING("-9223372036854775808 9223372036854775807", buffer.data);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(numbers_look_as_in_javascript);
    RUN_TEST(every_text_reads_back);
    RUN_TEST(decimal_text_is_read_from_the_start);
    RUN_TEST(thousands_of_digits_are_rounded_right);
    RUN_TEST(the_locale_does_not_matter);
    RUN_TEST(integers_are_written_whole);
    return UNITY_END() != 0;
}
