/* Plain text is passed over in eights: it must stop where a walk byte by byte stops. */
#include <unity.h>
#include "base/plain.h"

enum { LENGTH = 40 };

void setUp(void)
{
}

void tearDown(void)
{
}

static size_t walk(const char *text, size_t at, size_t length)
{
    while (at < length && (unsigned char)text[at] >= 0x20 && (unsigned char)text[at] < 0x80 &&
           text[at] != '"' && text[at] != '\\')
        at++;
    return at;
}

static void expect_same(const char *text)
{
    for (size_t at = 0; at <= LENGTH; at++)
        TEST_ASSERT_EQUAL_size_t(walk(text, at, LENGTH), wf_skip_plain(text, at, LENGTH));
}

static void each_byte_at_each_place(void)
{
    char text[LENGTH];
    memset(text, 'a', sizeof text);
    for (size_t place = 0; place < LENGTH; place++) {
        for (int byte = 0; byte < 256; byte++) {
            text[place] = (char)byte;
            expect_same(text);
        }
        text[place] = 'a';
    }
}

/* What underflows borrows from the next byte. */
static void each_two_neighbours(void)
{
    char text[LENGTH];
    memset(text, '~', sizeof text);
    for (int first = 0; first < 256; first++) {
        text[10] = (char)first;
        for (int second = 0; second < 256; second++) {
            text[11] = (char)second;
            TEST_ASSERT_EQUAL_size_t(walk(text, 8, LENGTH), wf_skip_plain(text, 8, LENGTH));
            TEST_ASSERT_EQUAL_size_t(walk(text, 3, LENGTH), wf_skip_plain(text, 3, LENGTH));
        }
    }
}

static void nothing_behind_the_end(void)
{
    TEST_ASSERT_EQUAL_size_t(3, wf_skip_plain("abc\"", 0, 3));
    TEST_ASSERT_EQUAL_size_t(8, wf_skip_plain("abcdefgh", 0, 8));
    TEST_ASSERT_EQUAL_size_t(0, wf_skip_plain("", 0, 0));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_byte_at_each_place);
    RUN_TEST(each_two_neighbours);
    RUN_TEST(nothing_behind_the_end);
    return UNITY_END() != 0;
}
