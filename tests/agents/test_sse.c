/* Server-sent events in pieces, and on hostile input. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

#include "agents/sse.h"

static char seen[8192];
static size_t events;
static int stop_at; /* the sink ends the reading at this event */

void setUp(void)
{
    seen[0] = '\0';
    events = 0;
    stop_at = -1;
}

void tearDown(void)
{
}

static int note(void *user, const char *name, const char *data, size_t length)
{
    size_t used = strlen(seen);

    (void)user;
    TEST_ASSERT_EQUAL('\0', data[length]);
    TEST_ASSERT_TRUE(strlen(name) < WFA_SSE_NAME);
    (void)snprintf(seen + used, sizeof seen - used, "%s=%s;", name, data);
    events++;
    return (int)events == stop_at ? 7 : 0;
}

static int feed(const char *text, size_t length, size_t piece, size_t limit)
{
    wfa_error error;
    wfa_sse sse;
    int answer = 0;
    size_t at;

    wfa_sse_begin(&sse, limit, note, NULL);
    for (at = 0; at < length && answer == 0; at += piece) {
        size_t left = length - at;
        answer = wfa_sse_feed(&sse, text + at, left < piece ? left : piece, &error);
    }
    wfa_sse_free(&sse);
    return answer;
}

static void test_streams(void)
{
    static const struct {
        const char *stream, *events;
    } cases[] = {
        {"data: a\n\n", "message=a;"},
        {"data:a\n\ndata:  b\n\n", "message=a;message= b;"},
        {"event: x\ndata: a\n\ndata: b\n\n", "x=a;message=b;"},
        {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", "message=a;message=b;message=c;"},
        {"data: a\ndata\ndata: b\n\n", "message=a\n\nb;"},
        {"\xEF\xBB\xBF"
         "data: a\n\n",
         "message=a;"},
        {"\n\n: hello\nid: 3\nretry: 4\nother: 5\ndata: a\n\n", "message=a;"},
        {"event: lost\n\ndata: a\n\n", "message=a;"},
        {"data: a\n\ndata: cut off", "message=a;"},
        {"data: a\n\ndata: cut off\n", "message=a;"},
        {"data\n\n", "message=;"},
        {"dat: a\ndatas: b\n\n", ""},
        {"data: \xC3\xB6\n\n", "message=\xC3\xB6;"},
        {"", ""},
    };
    size_t index, piece;

    for (index = 0; index < sizeof cases / sizeof *cases; index++)
        for (piece = 1; piece < 12; piece++) {
            setUp();
            TEST_ASSERT_EQUAL(
                0, feed(cases[index].stream, strlen(cases[index].stream), piece, 1000));
            TEST_ASSERT_EQUAL_STRING_MESSAGE(cases[index].events, seen, cases[index].stream);
        }
}

static void test_every_split_in_two(void)
{
    static const char stream[] = "event: a\r\ndata: 1\r\n\r\ndata: 2\rdata: 3\r\rdata: 4\n\n";
    size_t length = sizeof stream - 1, first;

    for (first = 0; first <= length; first++) {
        wfa_sse sse;
        setUp();
        wfa_sse_begin(&sse, 100, note, NULL);
        TEST_ASSERT_EQUAL(0, wfa_sse_feed(&sse, stream, first, NULL));
        TEST_ASSERT_EQUAL(0, wfa_sse_feed(&sse, stream + first, length - first, NULL));
        TEST_ASSERT_EQUAL_STRING("a=1;message=2\n3;message=4;", seen);
        wfa_sse_free(&sse);
    }
}

static void test_the_sink_ends_the_reading(void)
{
    static const char stream[] = "data: 1\n\ndata: 2\n\ndata: 3\n\n";

    stop_at = 2;
    TEST_ASSERT_EQUAL(7, feed(stream, sizeof stream - 1, 100, 100));
    TEST_ASSERT_EQUAL_STRING("message=1;message=2;", seen);
}

static void test_limits(void)
{
    static const char line[] = "data: 123456789\n\n";
    static const char lines[] = "data: 1234\ndata: 1234\ndata: 1234\n\n";
    static const char name[] =
        "event: 0123456789012345678901234567890123456789012345678901234567890123456789\n"
        "data: x\n\n";

    TEST_ASSERT_EQUAL(0, feed(line, sizeof line - 1, 3, 15));
    TEST_ASSERT_EQUAL(-1, feed(line, sizeof line - 1, 3, 14));
    TEST_ASSERT_EQUAL(0, feed(lines, sizeof lines - 1, 3, 14));
    TEST_ASSERT_EQUAL(-1, feed(lines, sizeof lines - 1, 3, 13));
    setUp();
    TEST_ASSERT_EQUAL(0, feed(name, sizeof name - 1, 100, 100));
    TEST_ASSERT_EQUAL_STRING(
        "012345678901234567890123456789012345678901234567890123456789012=x;", seen);
}

/* Numbers that look random, the same in every run. */
static uint32_t next_number(void)
{
    static uint32_t state = 2463534242U;

    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static size_t make_stream(char *to, size_t room)
{
    static const char *const parts[] = {"data",         ":",   " ",    "\n",    "\r",
                                        "\r\n",         "a",   "\n\n", "event", "data: x",
                                        "\xEF\xBB\xBF", "id:", ": c",  "\xFF",  "{\"a\":1}",
                                        "\r\r"};
    size_t used = 0, count = next_number() % 60;

    while (count-- > 0) {
        const char *part = parts[next_number() % (sizeof parts / sizeof *parts)];
        if (next_number() % 50 == 0)
            part = "\0";
        if (used + strlen(part) + 1 > room)
            break;
        memcpy(to + used, part, strlen(part) + (*part == '\0'));
        used += strlen(part) + (*part == '\0');
    }
    return used;
}

/* However a stream is cut into pieces, it says the same. */
static void test_random_streams(void)
{
    static char whole[sizeof seen];
    char stream[512];
    int round;

    for (round = 0; round < 20000; round++) {
        size_t length = make_stream(stream, sizeof stream);
        size_t limit = 8 + next_number() % 60;
        int answer;
        setUp();
        answer = feed(stream, length, sizeof stream, limit);
        strcpy(whole, seen);
        setUp();
        TEST_ASSERT_EQUAL(answer, feed(stream, length, 1 + next_number() % 9, limit));
        TEST_ASSERT_EQUAL_STRING(whole, seen);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_streams);
    RUN_TEST(test_every_split_in_two);
    RUN_TEST(test_the_sink_ends_the_reading);
    RUN_TEST(test_limits);
    RUN_TEST(test_random_streams);
    return UNITY_END() != 0;
}
