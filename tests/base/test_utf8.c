#include <string.h>
#include <unity.h>
#include "base/utf8.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static bool valid(const char *text)
{
    return wf_utf8_valid(text, strlen(text));
}

static void well_formed_text_is_valid(void)
{
    TEST_ASSERT_TRUE(valid(""));
    TEST_ASSERT_TRUE(valid("plain"));
    TEST_ASSERT_TRUE(valid("\xC2\x80 \xDF\xBF"));
    TEST_ASSERT_TRUE(valid("\xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF"));
    TEST_ASSERT_TRUE(valid("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
}

static void everything_else_is_not(void)
{
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\xAF",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2 ",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xE2\x82",
                                      "\xE2\x28\xA1",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xF0\x90\x80",
                                      "\xFF",
                                      "a\xFE"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        TEST_ASSERT_FALSE_MESSAGE(valid(bad[i]), bad[i]);
}

static void code_points_are_counted_and_found(void)
{
    const char *text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
    size_t length = strlen(text);

    TEST_ASSERT_EQUAL(5, wf_utf8_count(text, length));
    TEST_ASSERT_EQUAL(0, wf_utf8_offset(text, length, 0));
    TEST_ASSERT_EQUAL(1, wf_utf8_offset(text, length, 1));
    TEST_ASSERT_EQUAL(3, wf_utf8_offset(text, length, 2));
    TEST_ASSERT_EQUAL(6, wf_utf8_offset(text, length, 3));
    TEST_ASSERT_EQUAL(10, wf_utf8_offset(text, length, 4));
    TEST_ASSERT_EQUAL(length, wf_utf8_offset(text, length, 5));
    TEST_ASSERT_EQUAL(length, wf_utf8_offset(text, length, 99));
}

static void ids_have_1_to_255_bytes(void)
{
    char id[300];

    TEST_ASSERT_FALSE(wf_id_valid(NULL));
    TEST_ASSERT_FALSE(wf_id_valid(""));
    TEST_ASSERT_TRUE(wf_id_valid("a"));
    TEST_ASSERT_FALSE(wf_id_valid("\xFF"));
    memset(id, 'x', sizeof id);
    id[255] = '\0';
    TEST_ASSERT_TRUE(wf_id_valid(id));
    id[255] = 'x';
    id[256] = '\0';
    TEST_ASSERT_FALSE(wf_id_valid(id));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(well_formed_text_is_valid);
    RUN_TEST(everything_else_is_not);
    RUN_TEST(code_points_are_counted_and_found);
    RUN_TEST(ids_have_1_to_255_bytes);
    return UNITY_END() != 0;
}
